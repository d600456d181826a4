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
