# SPDX-License-Identifier: BSD-2-Clause
# infiniband-diags as they are installed, beside the checks: what both see of one fabric.

load helper.bash

both()
{
	"$TOP/tests/sim/fabric" --fault 'errors leaf01/1 SymbolErrorCounter 300'
	"$TOP/tests/sim/fabric" --fault 'unlink leaf02/2'
	ibqueryerrors >errors.txt 2>/dev/null || true
	iblinkinfo >links.txt 2>/dev/null || true
	sweep compare errors.txt links.txt
	expect_status 1
	expect .summary.opinions_not_understood 0
	expect '[.tables.opinions[] | select(.who == "agree") | [.place, .kind, .tool, .check]]' \
		'[["leaf01/1","counters","ibqueryerrors","counters.totals"]]'
	expect '[.tables.opinions[] | select(.kind == "down") | [.place, .reason]]' \
		'[["leaf02/2","unjudged"]]'
	# what a port could do is compared with what it is set to
	expect '[.tables.opinions[] | select(.who == "only_they") | .reason] | unique' \
		'["limit","unjudged"]'
}
export -f both

@test "what infiniband-diags print is understood, and agrees" {
	sim --sm=keep two-level-small both
}
