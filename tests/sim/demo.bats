# SPDX-License-Identifier: BSD-2-Clause
# The demo ends well and shows what the README says that it shows.

load helper.bash

# The screens between "$ ibcheck all" and the exit status, without what differs.
screens()
{
	sed -n '/^\$ ibcheck all$/,/^[0-9]$/p' | sed -e 's/swept in [0-9.]* s/swept in N s/' -e 's/^[0-9-]* [0-9:]* UTC on .*/when and where/'
}

@test "the demo shows the screen of the README" {
	local shown

	O=${IBCHECK%/*} run -0 "$TOP/tests/sim/demo" 3>&-
	shown=$(screens <<<"$output")
	screens <"$TOP/README.md" >readme
	[ -s readme ]
	# the last of its two
	tail -n "$(wc -l <readme)" <<<"$shown" | diff readme -
}
