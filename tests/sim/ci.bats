# SPDX-License-Identifier: BSD-2-Clause
# The examples for the CI of others do what they say, with a plan that is well and one that is not.

load helper.bash

# What prepares their machine is left out: lint/workflows names the tests of that.
commands()
{
	sed -nE 's/^ *- (run: )?(ibcheck)/\2/p' "$TOP/examples/$1"
}

# checked EXAMPLE: its commands, up to one that fails, beside the plan fabric.csv
checked()
{
	local command

	make -s -C "$TOP" O="${O:-build}" PREFIX="$PWD/usr" install-sim
	rm -f ./*.xml ran
	while IFS= read -r command; do
		PATH=$PWD/usr/bin:${IBCHECK%/*}:$PATH bash -ec "$command" >>out 2>&1 3>&- </dev/null || { cat out; echo "$command"; return 1; }
		echo "$command" >>ran
	done < <(commands "$1")
	[ "$(wc -l <ran)" -eq 3 ]
}

# cases FILE: how many are in a report, and how many of them failed
cases()
{
	grep -c '<testcase' "$1"
	grep -cE '<(failure|error)' "$1" || :
}

@test "a plan that is well passes, in both kinds of CI" {
	local example report all failed

	cp "$TOP/topologies/two-level-small.csv" fabric.csv
	for example in ibcheck.github-actions.yml ibcheck.gitlab-ci.yml; do
		checked "$example"
		for report in plan.xml simulated.xml; do
			{ read -r all; read -r failed; } < <(cases "$report")
			[ "$all" -gt 10 ]
			[ "$failed" -eq 0 ]
		done
	done
}

@test "a plan without one of its uplinks fails, and the report says which" {
	sed '/leaf01,19,/d' "$TOP/topologies/ft-36x18.csv" >fabric.csv
	run -1 checked ibcheck.gitlab-ci.yml
	[ ! -e ran ]
	grep -qE 'leaf01.*spine01' plan.xml
	[ "$(cases plan.xml | tail -n 1)" -gt 0 ]
}
