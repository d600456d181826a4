# SPDX-License-Identifier: BSD-2-Clause
# What whatif says, beside what happens once the thing is gone.

load helper.bash

# Half of them beside the other half: each waits for a simulator most of the time.
as_said()
{
	mkdir a b
	(cd a && "$TOP/tests/sim/truth" 1 "$(($1 / 2))") >a.log 2>&1 3>&- &
	(cd b && "$TOP/tests/sim/truth" "$(($1 / 2 + 1))" "$1") >b.log 2>&1 || cat b.log
	wait $! || cat a.log
	grep -q "^$(($1 / 2)) of $(($1 / 2)) fabrics" a.log
	grep -q "^$(($1 - $1 / 2)) of $(($1 - $1 / 2)) fabrics" b.log
}

@test "fabrics without something have what whatif said: hosts, pairs, cables, rates, exit status" {
	as_said "${WHATIF_FABRICS:-100}"
}

managers()
{
	sweep whatif leaf01
	expect_status 2
	expect '.findings[] | select(.check == "whatif.sm") | .severity' '"info"'
	sweep whatif leaf01,leaf02
	expect_status 2
	expect '.findings[] | select(.check == "whatif.sm") | .severity' '"critical"'
	sweep whatif spine01
	expect_status 1
	expect '[.findings[] | select(.check == "whatif.sm")]' '[]'
}
export -f managers

@test "a master is no loss while a standby stays, and critical with it" {
	sim --standby=H-02000000000000b0 two-level-small managers
}

# ---- --route ----------------------------------------------------------------------------

# As it is installed: the simulator beside the program.
install_here()
{
	make -s -C "$TOP" O="${O:-build}" PREFIX="$PWD" install-sim
	cp -P "${IBCHECK%/*}"/{ibcheck,libibcheck.so*} bin
	IBCHECK=$PWD/bin/ibcheck
	unshare -Ur true || skip "needs user namespaces"
	# a user without rights can read it
	[ "$(id -u)" != 0 ] || setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$IBCHECK" ||
		chmod 711 "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR" "${BATS_TEST_TMPDIR%/*}"
}

@test "OpenSM routes what is left: every pair without a spine, a ring without a switch of a torus" {
	install_here
	sweep whatif --source "$TOP/topologies/two-level-small.net" spine01 --route
	expect_status 3 # the file does not tell where the manager runs
	expect '[.findings[] | select(.severity == "unknown") | .check]' '["whatif.sm"]'
	expect '.tables.routed | map([.when, .hosts, .pairs, .routed, .credit_loops])' '[["then",16,240,240,0]]'
	sweep whatif --source synth:fattree:leaves=4,spines=2,hosts=2 leaf01 --route
	expect_status 2
	expect '.tables.routed | map([.when, .hosts, .pairs, .routed])' '[["now",8,56,56],["then",6,30,30]]'
	sweep whatif --source "$TOP/topologies/torus-5x5.net" sw01-01/3 --route
	expect_status 2
	expect '.findings[] | select(.check == "whatif.route") | [.severity, .facts.fault]' \
		'["critical","routes.credit-loop"]'
	sweep whatif --source synth:fattree:leaves=2,spines=1,hosts=1 leaf01 --route
	expect_status 2
	expect .tables.routed '[]'
}

@test "what is down today is down for OpenSM: no route leads there" {
	install_here
	"$IBCHECK" snapshot --source synth:fattree:leaves=4,spines=2,hosts=2 --routes -o up.snap
	jq -c 'del(.end.crc32?) | if .desc == "leaf02" then .ports[3] |= (.phys_state = 2 | .state = 1)
		elif .desc == "spine01" then .ports[2] |= (.phys_state = 2 | .state = 1) else . end' up.snap >down.snap
	sweep whatif --source down.snap leaf03/4 --route
	expect '.tables.routed | map([.when, .hosts, .routed])' '[["now",8,44],["then",8,56]]'
	expect '.tables.routed[1].hops_longest' 5
}

@test "OpenSM reaches no device of this host: there is none where it runs, and none is opened" {
	local traced=

	install_here
	[ "$(id -u)" = 0 ] || skip "needs root, to put a device there"
	cat >inside <<-'END'
		mkdir -p /dev/infiniband
		mount -t tmpfs none /dev/infiniband
		touch /dev/infiniband/umad0 /dev/infiniband/issm0
		chmod 666 /dev/infiniband/*
		"${IBCHECK%/*}/ibcheck-sim" --isolated - -- sh -c 'ls -A /dev/infiniband; cat /proc/self/uid_map' \
			<"$TOP/topologies/two-level-small.net" >seen
		"${@}" "$IBCHECK" whatif --source "$TOP/topologies/two-level-small.net" spine01 --route -q >out ||
			[ $? = 3 ]
		ls /dev/infiniband >left
	END
	command -v strace >/dev/null && traced='strace -f -qq -e trace=open,openat,openat2 -o trace'
	# shellcheck disable=SC2086 # split on purpose
	unshare --mount bash -eu inside $traced
	[ "$(awk '{ print $1, $2, $3 }' seen)" = "0 65534 1" ]
	[ "$(wc -l <left)" = 2 ]
	rmdir /dev/infiniband 2>/dev/null || true
	[ -n "$traced" ] || skip "no strace: what is opened was not seen"
	grep -q ibsim trace
	run -1 grep -E '/dev/infiniband/.*= [0-9]' trace
}

@test "without a simulator, without namespaces or without time: refused, with the reason" {
	run -3 "$IBCHECK" whatif --source "$TOP/topologies/two-level-small.net" spine01 --route
	[[ $output == *"needs ibcheck-sim beside this program"* ]]
	run -2 "$IBCHECK" whatif --source "$TOP/topologies/two-level-small.net" leaf01 --route
	[[ $output == *"4 of 16 hosts are cut off"*"hich routes what is left would get is not known"* ]]
	install_here
	run -3 "$IBCHECK" whatif --source "$TOP/topologies/two-level-small.net" spine01 --route --deadline 0.05
	[[ $output == *"it has not ended within 0.05 s"* ]]
	chmod 777 bin
	run -3 "$IBCHECK" whatif --source "$TOP/topologies/two-level-small.net" spine01 --route
	[[ $output == *"bin/ibcheck-sim is not run: others than root and you can change it"* ]]
	chmod 755 bin
	run -3 unshare -Ur bash -c 'echo 0 >/proc/sys/user/max_user_namespaces && "$@"' bash \
		"$IBCHECK" whatif --source "$TOP/topologies/two-level-small.net" spine01 --route
	[[ $output == *"--isolated: no namespaces of its own"* ]]
	run -125 "$TOP/tests/sim/fabric" --inside "$TOP/topologies/two-level-small.net" -- true
	[[ $output == *"--inside is for --isolated"* ]]
}
