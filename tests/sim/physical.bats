# SPDX-License-Identifier: BSD-2-Clause
# The simulator refuses the registers of the physical layer: each command states it.

load helper.bash

states_it()
{
	sweep "$@"
	expect '[.findings[] | select(.check == "phy.partial") | [.severity, .subject.kind]]' \
		'[["unknown","fabric"]]'
	expect '[.findings[] | select(.check | startswith("cable.") or startswith("device."))]' '[]'
	expect '.verdict == "ok" | not'
}
export -f states_it

refused()
{
	states_it phy
	expect_status 3
	expect '[.tables.phy[] | select(.raw_ber != null or .fec != null)]' '[]'
	states_it cables
	expect_status 3
	expect '.tables.cables | length' 24
	states_it phy --interval 1
	expect_status 3
	states_it all --physical
	sweep show leaf01 --physical # what is of the whole fabric it counts, and does not list
	expect '.summary.unknown > 0'
}
export -f refused

@test "what nobody could read is unknown, never well" {
	sim --sm=keep two-level-small refused
}

unasked()
{
	sweep all
	expect '[.coverage.attributes[].attribute | select(test("^(PPCNT|PDDR|PRTL|MTMP)"))]' '[]'
	expect '[.findings[] | select(.check == "phy.partial")]' '[]'
}
export -f unasked

@test "the physical layer is not read unasked" {
	sim --sm=keep two-level-small unasked
}
