# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2016,SC2034,SC2154 # filters, and variables of tests/vm/guest
# What ibcheck host says of a Soft-RoCE device, and of what keeps programs from it.

# breaks SENTENCE WHAT: host.verbs finds that, and names it
breaks()
{
	report host
	claim "$1" "\$status == 2 and (found(\"host.verbs\") | any(.message | contains(\"$2\")))"
	judge
}

test_providers()
{
	mv /etc/libibverbs.d/rxe.driver /root/
	breaks "a provider that is not configured" "/etc/libibverbs.d/rxe.driver is missing"
	mv /root/rxe.driver /etc/libibverbs.d/

	mv "$providers"/librxe-rdmav34.so /root/
	breaks "a provider whose library is missing" "librxe-rdmav*.so is missing"
	mv /root/librxe-rdmav34.so "$providers"/
}

test_files()
{
	chmod 0600 /dev/infiniband/uverbs0
	breaks "a device that only root may open" "/dev/infiniband/uverbs0 has mode 0600"
	chmod 0666 /dev/infiniband/uverbs0

	mv /dev/infiniband/uverbs0 /dev/elsewhere
	breaks "a device whose file is missing" "/dev/infiniband/uverbs0 is missing"
	mv /dev/elsewhere /dev/infiniband/uverbs0
}

test_devices()
{
	report host
	claim "the device is among the ports of this host, and healthy" \
		'$status == 0 and (.tables.host_ports[0] | .ca == "rxe0" and
		.link_layer == "Ethernet" and .state == "active" and .rate_gbps == 10)'
	claim "nothing that should be there could not be read" '.tables.unread == []'
	claim "a fact says where it was read" \
		'[.tables.facts[] | select(.subject == "module rdma_rxe")] ==
		[{subject: "module rdma_rxe", key: "loaded", value: "yes",
		path: "/sys/module/rdma_rxe"}]'
	judge
	test_providers
	test_files

	ip link set v0 down
	report host
	claim "a port whose interface is down has no rate" '.tables.host_ports[0] |
		.state == "down" and .phys_state == "disabled" and .rate_gbps == null'
	judge
	ip link set v0 up
	until_true grep -q ACTIVE /sys/class/infiniband/rxe0/ports/1/state
}
