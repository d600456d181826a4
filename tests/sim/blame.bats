# SPDX-License-Identifier: BSD-2-Clause
# Jobs that end in a simulated fabric, each in one of its own: a sweep, a fault by the console, a sweep; the log has
# the names, GIDs and LIDs that ibnetdiscover shows.  tests/blame/live makes and judges them.

load helper.bash

# jobs KIND...: three of each kind, in fabrics of different shape
jobs()
{
	local kind topology number=$BATS_TEST_NUMBER bad=0

	for kind; do
		for topology in two-level-small dual-rail three-level; do
			number=$((number + 7))
			mkdir "$number"
			(cd "$number" && sim "$topology" "$TOP/tests/blame/live" "$kind" "$number") || bad=1
		done
	done
	[ $bad -eq 0 ]
}

@test "a link that flaps, and one with errors" {
	jobs flap errors
}

@test "the same at a host" {
	jobs host-flap host-errors
}

@test "a spine that dies, and a cable that is pulled" {
	jobs spine cable
}

@test "two faults at once, and a host that is gone" {
	jobs two host
}

@test "a process that ended, and a fault that is elsewhere" {
	jobs process elsewhere
}
