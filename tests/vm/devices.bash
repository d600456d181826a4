# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # variables of tests/vm/guest
# What ibcheck host says of a Soft-RoCE device, and of what keeps programs from it.

# breaks WHAT: host.verbs finds that, and names it
breaks()
{
	report host
	[ "$status" = 2 ] && jq -r '.findings[] | select(.check == "host.verbs") | .message' \
		report.json | tee seen | grep -qF "$1"
}

test_providers()
{
	mv /etc/libibverbs.d/rxe.driver /root/
	breaks "/etc/libibverbs.d/rxe.driver is not there"
	is "a provider that is not configured"
	mv /root/rxe.driver /etc/libibverbs.d/

	mv /usr/lib/x86_64-linux-gnu/libibverbs/librxe-rdmav34.so /root/
	breaks "librxe-rdmav*.so is not there"
	is "a provider whose library is missing"
	mv /root/librxe-rdmav34.so /usr/lib/x86_64-linux-gnu/libibverbs/
}

test_files()
{
	chmod 0600 /dev/infiniband/uverbs0
	breaks "/dev/infiniband/uverbs0 has mode 0600"
	is "a device that only root may open"
	chmod 0666 /dev/infiniband/uverbs0

	mv /dev/infiniband/uverbs0 /dev/elsewhere
	breaks "/dev/infiniband/uverbs0 is not there"
	is "a device whose file is missing"
	mv /dev/elsewhere /dev/infiniband/uverbs0
}

test_devices()
{
	report host
	[ "$status" = 0 ] && has '.tables.host_ports[0] |
		.ca == "rxe0" and .link_layer == "Ethernet" and .state == "active" and
		.rate_gbps == 10'
	is "the device is among the ports of this host, and healthy"
	has '.tables.unread == []'
	is "nothing that should be there could not be read"
	has '[.tables.facts[] | select(.subject == "module rdma_rxe")] ==
		[{subject: "module rdma_rxe", key: "loaded", value: "yes",
		path: "/sys/module/rdma_rxe"}]'
	is "a fact says where it was read"
	test_providers
	test_files

	ip link set v0 down
	report host
	has '.tables.host_ports[0] | .state == "down" and .phys_state == "disabled" and
		.rate_gbps == null'
	is "a port whose interface is down has no rate"
	ip link set v0 up
	until_true grep -q ACTIVE /sys/class/infiniband/rxe0/ports/1/state
}
