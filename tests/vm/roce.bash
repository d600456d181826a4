# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2016 # filters
# What ibcheck roce says of a Soft-RoCE device.

test_roce()
{
	report roce
	claim "the port is RoCE, and its GID is the one of its IPv4 address" \
		'$status == 0 and (.tables.roce_ports | length == 1 and (.[0] |
		.ca == "rxe0" and .interface == "v0" and .state == "active" and .software and
		.gid == "192.0.2.1" and .gid_type == "RoCE v2" and .gid_index == 1))'
	claim "all GIDs of a device that knows no other version are RoCE v2" \
		'.tables.roce_gids | map([.gid, .type, .interface]) | sort == [
		["10.99.0.9", "RoCE v2", "v0"], ["192.0.2.1", "RoCE v2", "v0"],
		["fe80::ff:fe00:1", "RoCE v2", "v0"]]'
	claim "nothing is held against it" '[.findings[] | select(.severity != "info")] == []'
	claim "packets of an MTU of 1500 carry 1024 bytes" \
		'found("roce.mtu") | map([.severity, .facts.rdma_mtu_bytes]) == [["info", 1024]]'
	judge
	ip link set v0 mtu 4200
	report roce
	claim "packets of one of 4200 carry 4096" '$status == 0 and found("roce.mtu") == [] and
		.tables.roce_ports[0].rdma_mtu_bytes == 4096'
	judge
	ip link set v0 mtu 1500
}
