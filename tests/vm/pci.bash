# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2016,SC2034,SC2154 # filters, and variables of tests/vm/guest
# PCIe as the kernel shows it: links, access control, IOMMU groups, virtual functions.
#
# No RDMA device of QEMU is on PCI, and its cards are all 2.5 GT/s x1.  So the RDMA devices,
# whose card the second one of a switch is, and what the one in a slot of its own could do,
# are files of ours over the kernel's: the rest, and all that runs, is as the kernel has it.

# adapter NAME PCI STATE: an RDMA device at that address
adapter()
{
	local dir=hand/class/infiniband/$1

	mkdir -p "$dir/ports/1"
	ln -s "../../../bus/pci/devices/$2" "$dir/device"
	echo "1: CA" >"$dir/node_type"
	echo InfiniBand >"$dir/ports/1/link_layer"
	echo "$3" >"$dir/ports/1/state"
	echo "5: LinkUp" >"$dir/ports/1/phys_state"
	echo "100 Gb/sec (4X EDR)" >"$dir/ports/1/rate"
}

# Their addresses: $card and $gpu below one switch, $slot with virtual functions
find_cards()
{
	local bus=/sys/bus/pci/devices

	read -r card gpu < <(cd $bus && grep -l 0x1044 ./*/device | cut -d/ -f2 | tr '\n' ' ')
	slot=$(cd $bus && grep -l . ./*/sriov_totalvfs | cut -d/ -f2)
	IFS=/ read -r _ _ _ _ root_port switch card_port _ < <(readlink -f $bus/"$card")
	gpu_port=$(basename "$(dirname "$(readlink -f $bus/"$gpu")")")
	ls $bus/"$card" $bus/"$gpu" $bus/"$slot"
}

make_root()
{
	local gpu_dir slot_dir

	adapter mlx5_0 "$card" "4: ACTIVE"
	adapter mlx5_1 "$slot" "4: ACTIVE"
	adapter mlx5_2 "${slot%.0}.1" "1: DOWN"
	gpu_dir=hand/$(realpath --relative-to=/sys "/sys/bus/pci/devices/$gpu")
	slot_dir=hand/$(realpath --relative-to=/sys "/sys/bus/pci/devices/$slot")
	mkdir -p "$gpu_dir" "$slot_dir" root/sys
	echo 0x10de >"$gpu_dir/vendor"
	echo 0x030200 >"$gpu_dir/class"
	ln -s ../nvidia "$gpu_dir/driver"
	echo "16.0 GT/s PCIe" >"$slot_dir/max_link_speed"
	echo 16 >"$slot_dir/max_link_width"
}

# Over the kernel's files as they are: what comes later would not be seen.
report_root()
{
	mount -t overlay -o lowerdir=/run/hand:/sys overlay root/sys
	report host --root root
	umount root/sys
}

# acs PORT: where its control register is (PCI Express 7.7.11)
acs()
{
	local config=/sys/bus/pci/devices/$1/config at=256 header

	while [ $at -ge 256 ]; do
		header=$(od -An -t u4 -j $at -N 4 "$config")
		[ $((header & 0xffff)) != 13 ] || break
		at=$((header >> 20))
	done
	echo $((at + 6))
}

claim_links()
{
	claim "the way of an adapter to the CPU is the one through the switch" \
		"[.tables.pci[] | select(.device == \"mlx5_0\") | .pci] ==
		[\"$card\", \"$card_port\", \"$switch\", \"$root_port\"]"
	claim "a port trained to less than it can do is shown so" \
		".tables.pci[] | select(.device == \"mlx5_0\" and .pci == \"$root_port\") |
		.speed_gts == 2.5 and .max_speed_gts == 16 and .lanes == 1 and .max_lanes == 16"
	claim "driver, IOMMU group and device control of a card are read" \
		'.tables.pci[] | select(.device == "mlx5_1" and .hop == 0) |
		.iommu == "DMA-FQ" and .driver == "nvme" and .device_control != null'
	claim "a degraded link is critical where the port needs far more" \
		"found(\"host.pcie\")[] | select(.subject.node_desc == \"mlx5_1\") |
		.severity == \"critical\" and .facts.pci == \"$slot\" and
		(.message | contains(\"runs at 2.5 GT/s x1, both ends can do 16 GT/s x16\"))"
	claim "a card that cannot do more is no degraded link" \
		'found("host.pcie")[] | select(.subject.node_desc == "mlx5_0") |
		.severity == "warning" and .facts.lanes == 1 and
		(.message | contains("is 2.5 GT/s x1 at the most"))'
}

# What the kernel switches on with an IOMMU: source validation, two redirects, forwarding
claim_acs()
{
	claim "the registers of access control are read from configuration space" \
		".tables.pci[] | select(.pci == \"$card_port\") | .acs == 29"
	claim "a switch that redirects what is between adapter and GPU is found, with its ports" \
		"found(\"host.acs\") | length == 1 and .[0].severity == \"warning\" and
		.[0].subject.node_desc == \"$switch\" and
		.[0].facts.ports == \"$card_port, $gpu_port\""
}

# claim_functions SENTENCE NUMBER
claim_functions()
{
	claim "$1" "[.tables.facts[] | select(.subject == \"$slot\" and .key == \"sriov_numvfs\") |
		.value] == [\"$2\"]"
}

change_registers()
{
	local bus=/sys/bus/pci/devices port

	for port in "$card_port" "$gpu_port"; do
		printf '\0\0' | dd of="$bus/$port/config" bs=1 conv=notrunc seek="$(acs "$port")"
	done 2>seen
	echo 0 >$bus/"$slot"/sriov_drivers_autoprobe
	echo 2 >$bus/"$slot"/sriov_numvfs
}

claim_changes()
{
	claim "a switch that does not redirect is none" 'found("host.acs") == []'
	claim_functions "virtual functions are counted" 2
	claim "one that is down while its physical function is active is found" \
		'found("host.sriov") | map(select(.subject.node_desc == "mlx5_2/1")) |
		length == 1 and .[0].severity == "warning" and
		(.[0].message | contains("its physical function mlx5_1 is active"))'
	claim "a virtual function has no link of its own to be judged" \
		'found("host.pcie") | all(.subject.node_desc != "mlx5_2")'
}

# Of configuration space all users see the first 64 bytes.
test_unprivileged()
{
	mkdir -p bare/sys/class
	cp -a hand/class/infiniband bare/sys/class/
	ln -s /sys/bus bare/sys/bus
	as=("${nobody[@]}")
	report host --root bare
	as=()
	claim "without privilege the registers are not known, and not zero" \
		'[.tables.pci[] | select(.device == "mlx5_0") | .acs, .device_control] |
		length == 8 and all(. == null)'
	judge
}

test_pci()
{
	find_cards >seen 2>&1 && make_root >>seen 2>&1
	is "there is a switch with two cards, and a card with virtual functions"
	report_root
	claim_links
	claim_acs
	claim_functions "a card without virtual functions has none" 0
	judge
	change_registers
	report_root
	claim_changes
	judge
	test_unprivileged
}
