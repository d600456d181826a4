#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# A plan by names becomes a fabric of the simulator, and is found there.

load helper

sheet=$BATS_TEST_DIRNAME/../golden/fixtures/plan/sheet.csv

# GUIDs are made up for the simulator: it is names that must be found again
as_planned()
{
	for plan in "$sheet" plan.topo plan.csv.gz; do
		sweep topo "$plan"
		expect .verdict '"ok"'
		expect .summary.cables_as_planned 12
		[ $status -eq 0 ]
	done
}
export -f as_planned
export sheet

@test "what a list of cables says is found again, and so is what was written of it" {
	for plan in plan.net plan.topo plan.csv.gz; do
		"$IBCHECK" topo --write $plan --source "$sheet" -q
	done
	sim plan.net as_planned
}
