# SPDX-License-Identifier: BSD-2-Clause
# ibcheck fleet behind the launchers that sites have: srun over a Slurm of fake nodes, clush and pdsh
# without ssh.

load helper.bash

# tell [BYTES]: the report of the host that runs it, filled up to so many bytes in one line
cat_tell()
{
	cat >tell <<-EOT
	#!/bin/bash
	. "$TOP/tests/golden/fixtures/lay-out-fleet"
	host=\${2:-\${SLURMD_NODENAME:-}} blanks=\$((\${1:-0} - 900))
	text=\$(report "\$host" "\${verdict:-ok}" "\${host#n}" "\${found:-}")
	[ \$blanks -lt 1 ] || text=\${text/mlx5_0\", \"key\"/\$(printf "%\${blanks}s" | tr ' ' x)\", \"key\"}
	printf '%s\n' "\$text"
	exit \${ends:-0}
	EOT
	chmod +x tell
}

installed()
{
	for program; do
		command -v "$program" >/dev/null || skip "$program is not installed"
	done
}

# launch SIZE: as srun does it when nothing happens to it: on a busy machine it may lose the
# connection to a slurmstepd that ends, which it says
launch()
{
	for _ in 1 2 3; do
		srun -l -N8 --ntasks-per-node=1 --overcommit ./tell "$1" >lines 2>srun.err &&
			[ ! -s srun.err ] && return
		cat srun.err
	done
	return 1
}

# 8 hosts at once, whatever the lines are long
all_report()
{
	local size

	for size in 500 2000 20000 200000; do
		launch $size
		"$IBCHECK" fleet --expect-hosts 'n[001-008]' lines >out || {
			cat out
			return 1
		}
		grep -q '^8 of 8 expected hosts reported' out
		[ "$("$IBCHECK" fleet --list ok - <lines)" = 'n[001-008]' ]
	done
}

@test "srun -l cuts lines of any length, and no host is lost" {
	cat_tell
	export -f launch all_report
	run "$TOP/tests/sim/slurm" 8 bash -eu -c all_report
	echo "$output"
	[ "$status" -ne 77 ] || skip "$output"
	[ "$status" -eq 0 ]
}

# One is drained; another is critical, and its exit status ends no other.
some_report()
{
	local status=0

	scontrol update NodeName=n003 State=DRAIN Reason=test
	cat >by-node <<-'EOT'
	#!/bin/bash
	. "$TOP/tests/golden/fixtures/lay-out-fleet"
	[ "$SLURMD_NODENAME" != n002 ] || export verdict=critical ends=2 found=$(down mlx5_0/1)
	./tell 3000
	EOT
	chmod +x by-node
	srun -l --kill-on-bad-exit=0 -N3 --ntasks-per-node=1 --overcommit ./by-node >lines 2>&1 || :
	"$IBCHECK" fleet --expect-hosts 'n[001-004]' lines >out || status=$?
	cat out
	[ "$status" -eq 2 ]
	grep -q 'launcher itself, the first: srun: error' out
	grep -q 'UNKNOWN *fleet.missing *n003 ' out
	grep -q 'CRITICAL *host.port-state *n002 mlx5_0/1' out
	[ "$("$IBCHECK" fleet --expect-hosts 'n[001-004]' --list missing lines)" = n003 ]
	[ "$("$IBCHECK" fleet --expect-hosts 'n[001-004]' --list ok lines)" = 'n[001,004]' ]
	scontrol update NodeName="$("$IBCHECK" fleet --list critical lines)" State=DRAIN Reason=ibcheck
	sinfo -h -R -o '%E %N' | grep -q '^ibcheck n002$'
}

@test "a drained node is missing, and a critical one is drained by the list" {
	cat_tell
	export -f some_report
	run "$TOP/tests/sim/slurm" 4 bash -eu -c some_report
	echo "$output"
	[ "$status" -ne 77 ] || skip "$output"
	[ "$status" -eq 0 ]
}

@test "clush writes lines of each host, and files" {
	installed clush
	cat_tell
	for size in 500 200000; do
		clush -R exec -w 'n[001-008]' "./tell $size %h" >lines 3>&-
		"$IBCHECK" fleet --expect-hosts 'n[001-008]' lines
	done
	clush -q -R exec -w 'n[001-008]' --outdir reports './tell 5000 %h' 3>&-
	"$IBCHECK" fleet --expect-hosts 'n[001-008]' reports
}

@test "pdsh writes lines of each host, and loses what is too long" {
	installed pdsh
	cat_tell
	for size in 500 20000; do
		pdsh -R exec -w 'n[001-008]' ./tell $size %h >lines 3>&-
		"$IBCHECK" fleet --expect-hosts 'n[001-008]' lines
	done
	pdsh -R exec -w 'n[001-008]' ./tell 5000 %h 3>&- | dshbak -d reports -f
	"$IBCHECK" fleet --expect-hosts 'n[001-008]' reports
}

# Names with dots lose their domain; a number of 20 digits overflows in Slurm.  What is folded is what the three tools make of it; vectors of tests/unit/fabric/test_hostlist.c.
@test "ClusterShell, Slurm and pdsh expand what is folded to the same names" {
	local names list count=0

	installed nodeset scontrol pdsh
	cat_tell
	: >slurm.conf
	printf 'ClusterName=test\nSlurmctldHost=localhost\nNodeName=n1\n' >slurm.conf
	export SLURM_CONF=$PWD/slurm.conf
	while read -r names; do
		rm -rf reports
		mkdir reports
		for name in ${names//,/ }; do ./tell 0 "$name" >"reports/$name"; done
		list=$("$IBCHECK" fleet --list all reports)
		tr , '\n' <<<"$names" | sort -u >wanted
		nodeset -e -S "\n" "$list" </dev/null | sort | diff wanted -
		scontrol show hostnames "$list" | sort -u | diff wanted -
		pdsh -R exec -w "$list" echo %h 2>/dev/null </dev/null 3>&- | sed 's/^[^ ]*: //' | sort | diff wanted -
		count=$((count + 1))
	done < <(sed -n '/^} vectors/,/^};/s/^\t{ "\([^",]*,[^"]*\)".*/\1/p' \
		"$TOP/tests/unit/fabric/test_hostlist.c" | grep -v '\.\|18446744073709551616')
	[ "$count" -ge 15 ]
}

# of_hosts FABRIC: reports.json, of all hosts of a fabric; what is planted is an awk program
of_hosts()
{
	# shellcheck disable=SC2034 # what is sourced uses it
	ibcheck=$IBCHECK
	# shellcheck disable=SC1091
	. "$TOP/tests/golden/fixtures/lay-out-fleet"
	hcas_of "$1" | awk "${2:-1}" | sort | reports_of >reports.json
}

# Each tenth host has two HCAs exchanged, and of each 50th one is not in the fabric.
@test "exchanged HCAs are found among 500 hosts, and no other" {
	local fabric=synth:fattree:rails=4,leaves=40,hosts=50,spines=8

	of_hosts $fabric 'n = substr($1, 5) + 0 { }
		n % 10 == 3 && /mlx5_[12]/ { $2 = $2 == "mlx5_1" ? "mlx5_2" : "mlx5_1" }
		n % 50 == 7 && /mlx5_3/ { sub("0x02", "0x03", $3) }
		{ print }'
	run "$IBCHECK" fleet --source $fabric -f json reports.json
	[ "$status" -eq 1 ]
	jq -r '.findings[] | select(.check == "fleet.rail") | .subject.node_desc' <<<"$output" | sort >found
	for n in {1..500}; do
		[ $((n % 10)) -ne 3 ] && [ $((n % 50)) -ne 7 ] || printf 'node%04d\n' "$n"
	done | diff - found
	[ "$(jq '.findings | length' <<<"$output")" -eq "$(wc -l <found)" ]
	[ "$(jq '[.tables.cabling[] | select(.joined == "guid")] | length' <<<"$output")" -eq 1990 ]
	[ "$("$IBCHECK" fleet --source $fabric -f csv --table cabling reports.json | wc -l)" -eq 2001 ]
	# one case of all that are exchanged
	"$IBCHECK" fleet --source $fabric --oneline reports.json >out || [ $? -eq 1 ]
	[ "$(grep -c '^WARNING .*fleet.rail' out)" -eq 2 ]
}

# What a run without the fabric does not see has not ended.
@test "the state remembers who is cabled to a wrong rail" {
	local fabric=synth:fattree:rails=2,leaves=2,hosts=6,spines=2

	of_hosts $fabric '/node0002/ { $2 = $2 == "mlx5_1" ? "mlx5_0" : "mlx5_1" } { print }'
	for source in $fabric '' $fabric; do
		"$IBCHECK" fleet ${source:+--source $source} --state state reports.json >out ||
			[ $? -eq 1 ]
		! grep -q 'ended' out || return 1
	done
	grep -q 'WARNING .*fleet.rail *node0002' out
	! grep -q ' new ' out || return 1
	of_hosts $fabric
	"$IBCHECK" fleet --source $fabric --state state reports.json >out
	grep -q 'ended .*fleet.rail *node0002' out
}

# Live, where a subnet manager is; and the sweep is not what --state remembers.
live_cabling()
{
	"$IBCHECK" snapshot -o fabric.snap
	of_hosts fabric.snap '/node0005/ { sub("0x", "0x8", $3); sub("0x80", "0x8", $3) } { print }'
	"$IBCHECK" fleet --source umad reports.json >out || [ $? -eq 1 ]
	cat out
	grep -q '15 found in the fabric' out
	grep -q 'WARNING *fleet.rail *node0005' out
	"$IBCHECK" fleet --source umad --deadline 0.000001 reports.json >out || [ $? -eq 3 ]
	cat out
	grep -q 'UNKNOWN .*fleet.rail' out
	! grep -q 'WARNING .*fleet.rail' out || return 1
}

@test "hosts are found in a live fabric" {
	export IBCHECK TOP
	export -f of_hosts live_cabling
	sim two-level-small bash -eu -c live_cabling
}
