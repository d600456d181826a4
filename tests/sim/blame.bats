# SPDX-License-Identifier: BSD-2-Clause
# Jobs that end in a simulated fabric, each in one of its own: a sweep, a fault by the console, a sweep; the log has
# the names, GIDs and LIDs that ibnetdiscover shows.  tests/blame/live makes and judges them.

load helper.bash

# jobs NUMBER KIND...: three of each kind, in fabrics of different shape; the number is the seed of the first
jobs()
{
	local kind topology number=$1 bad=0

	for kind in "${@:2}"; do
		for topology in two-level-small dual-rail three-level; do
			mkdir "$number"
			(cd "$number" && sim "$topology" "$TOP/tests/blame/live" "$kind" "$number") || bad=1
			number=$((number + 7))
		done
	done
	[ $bad -eq 0 ]
}

@test "a link that flaps, and one with errors" {
	jobs 0 flap errors
}

@test "the same at a host" {
	jobs 100 host-flap host-errors
}

@test "a spine that dies, and a cable that is pulled" {
	jobs 200 spine cable
}

@test "two faults at once, and a host that is gone" {
	jobs 300 two host
}

@test "a process that ended, and a fault that is elsewhere" {
	jobs 400 process elsewhere
}

@test "a switch that does not answer is not one that is gone" {
	jobs 500 silent
}
