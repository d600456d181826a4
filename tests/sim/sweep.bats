# SPDX-License-Identifier: BSD-2-Clause
# Whole sweeps of healthy fabrics.

load helper.bash

# ibcheck and ibnetdiscover see the same nodes and cables, and all is well.
same_as_ibnetdiscover()
{
	ibnetdiscover >net.txt
	sweep ports
	expect .summary.switches "$(grep -c ^Switch net.txt)"
	expect .summary.nodes "$(grep -cE '^(Switch|Ca|Rt)' net.txt)"
	expect .summary.links "$(($(grep -c '^\[' net.txt) / 2))"
	expect .coverage.complete
	expect .verdict '"ok"'
	expect_status 0
}
export -f same_as_ibnetdiscover

@test "two-level-small: the nodes and cables ibnetdiscover sees" {
	sim two-level-small same_as_ibnetdiscover
}

@test "ft-36x18: the nodes and cables ibnetdiscover sees" {
	sim ft-36x18 same_as_ibnetdiscover
}

@test "back-to-back: the nodes and cables ibnetdiscover sees" {
	sim back-to-back same_as_ibnetdiscover
}

@test "dual-rail: the nodes and cables ibnetdiscover sees" {
	sim dual-rail same_as_ibnetdiscover
}

from_switch()
{
	SIM_HOST=$(id_of leaf01) same_as_ibnetdiscover
}
export -f from_switch

@test "from a switch" {
	sim two-level-small from_switch
}

from_named_port()
{
	sweep ports
	cp report.json any.json
	sweep ports -C ibsim0 -P 1
	expect_status 0
	expect .meta.source.ca '"ibsim0"'
	expect .meta.source.port 1
	expect .summary "$(jq -c .summary any.json)"
	sweep ports -C ibsim0 -P 2
	expect_status 3
	sweep ports -C mlx5_9
	expect_status 3
	grep -q mlx5_9 report.err
}
export -f from_named_port

@test "from the port that is named, and from no other" {
	sim two-level-small from_named_port
}

all_subnets()
{
	sweep ports --source umad:all
	expect_status 0
	expect .summary.nodes "$(all_nodes)"
}
export -f all_subnets

@test "umad:all sweeps the one subnet there is, once" {
	sim two-level-small all_subnets
}

snapshot_and_live()
{
	local file

	sweep ports
	jq -S '[.verdict, .summary, .findings]' report.json >live
	for file in sweep.json sweep.json.gz sweep.json.zst; do
		# with a fault it may be incomplete, and says so
		"$IBCHECK" snapshot -o "$file" >/dev/null || [ $? -eq 3 ]
		sweep ports --source "$file"
		jq -S '[.verdict, .summary, .findings]' report.json | diff live -
	done
}
export -f snapshot_and_live

with_fault()
{
	port leaf01 5 down
	snapshot_and_live
	[ "$(jq '.[2] | length' live)" -gt 0 ]
}
export -f with_fault

@test "a snapshot says what the sweep says" {
	sim two-level-small snapshot_and_live
	sim two-level-small with_fault
}

@test "two fabrics side by side do not see each other" {
	sim two-level-small same_as_ibnetdiscover &
	mkdir second
	(cd second && sim back-to-back same_as_ibnetdiscover)
	wait $!
}

valid()
{
	sweep ports
	cp report.json healthy.json
	console "Error \"$(id_of leaf02)\" 100"
	sweep ports
	"$TOP/tests/validate-report" healthy.json report.json
	"$IBCHECK" all --checks -sm -f junit >report.xml || true
	grep -q '</testsuite' report.xml
	"$IBCHECK" all --checks -sm -f nagios >report.nagios || true
	grep -q '^IBCHECK UNKNOWN' report.nagios
}
export -f valid

@test "JSON keeps its schema, healthy or not; JUnit and Nagios are written" {
	sim two-level-small valid
}

