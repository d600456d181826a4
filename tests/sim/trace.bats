# SPDX-License-Identifier: BSD-2-Clause
# A sweep that is recorded gives the same report when it is replayed.

load helper.bash

# The report without what names its source, what was sent, and which option would ask for more: a
# file has no --interval.  An answer is read a moment after it is written down: of reals, which are
# times and rates, two digits are compared.
comparable()
{
	jq -S --arg file "$2" 'def two_digits: (fabs | log10 | floor | exp10 / 10) as $unit |
			(. / $unit | round) * $unit;
		del(.meta, .verdict_time, .coverage.mads, .coverage.skipped[].option) | walk(if . == $file then "umad"
			elif type == "number" and . != floor then two_digits else . end)' "$1"
}

# same_again FILE COMMAND...: recorded live, and replayed
same_again()
{
	local file=$1 live

	sweep "${@:2}" --record "$file"
	live=$status
	mv report.json live.json
	sweep "${@:2}" --source "$file"
	expect_status "$live"
	expect '.meta.source.kind' '"trace"'
	diff <(comparable live.json "$file") <(comparable report.json "$file")
}

all_commands()
{
	same_again all.pcap all
	same_again counters.pcap.gz counters --totals
	same_again sm.pcap.zst sm
	same_again routes.pcap routes
}
export -f comparable same_again all_commands

@test "two-level-small: the replayed report is the live report" {
	sim --sm=keep two-level-small all_commands
}

faulty()
{
	console "Unlink \"$(id_of leaf01)\"[5]"
	console "Error \"$(id_of leaf02)\"[1] 20"
	same_again faulty.pcap ports
	expect '.coverage.mads.retried > 0'
}
export -f faulty

@test "a fabric with faults and lost MADs: the replayed report is the live report" {
	sim two-level-small faulty
}

key()
{
	"$IBCHECK" all --m_key 0x5ec7e75ec7e75ec7 --record keyed.pcap >/dev/null || true
	! LC_ALL=C grep -qaP '\x5e\xc7\xe7\x5e\xc7\xe7\x5e\xc7' keyed.pcap || return 1
}
export -f key

@test "an M_Key that is sent is not in the trace" {
	sim two-level-small key
}

full_disk()
{
	sweep all --record /dev/full
	expect_status 3
	grep -q 'cannot write' report.err
	expect .summary.switches 6
	sweep all --record /nonexistent/x.pcap
	expect_status 3
}
export -f full_disk

@test "a trace that cannot be written: the report is printed, exit status 3" {
	sim two-level-small full_disk
}

# recorded over 2 s, replayed in less
two_sweeps()
{
	same_again two.pcap counters --interval 2
	expect '.meta.duration_seconds < 1'
	expect '.tables.deltas | length > 0 and all(.interval_seconds > 1.9)'
	same_again three.pcap counters --interval 0.5 --count 3
	expect ".tables.windows | length" 3
	same_again show.pcap show leaf01 --interval 0.1
	"$IBCHECK" trace two.pcap -f json >report.json
	expect '.tables.trace[0].sweeps' 2
	sweep counters --totals --source two.pcap
	expect .summary.switches 6
	sweep sm --record one.pcap
	sweep counters --interval 2 --source one.pcap
	expect_status 3
	grep -q 'has no sweep 2' report.err
}
export -f two_sweeps

@test "a command that sweeps twice is replayed without its wait; others replay the first sweep" {
	sim two-level-small two_sweeps
}

donated()
{
	sweep trace --donate public.pcap.zst
	expect_status 0
	expect '.tables.donated_search | map({ (.kind): .known }) | add | .GUIDs > 20 and .names > 20'
	expect '.tables.donated_search | all(.found == 0)'
	# those of this fabric are no small numbers: they were searched for in all bytes
	expect '.tables.donated_search[0].brief' 0
	expect '.tables.donated_models | map(.devices) | add' 22
	! zstd -dcq public.pcap.zst | grep -qa -e leaf0 -e spine0 -e node000 || return 1
	# the host is named in a text; two letters may be in any number
	! zstd -dcq public.pcap.zst | strings -n 6 | grep -qw -e "$(hostname)" || return 1
	! zstd -dcq public.pcap.zst | LC_ALL=C grep -qaP '\x0a\x1b\x2c\x00' || return 1
	sweep ports --source public.pcap.zst
	expect .summary.switches 6
	expect .summary.links 24
	sweep all --record again.pcap.zst
	sweep trace --donate public2.pcap.zst again.pcap.zst
	expect_status 0
}
export -f donated

@test "a trace for the project has no name and no GUID of the fabric, and is swept again" {
	sed -E 's/0?20{10}([0-9a-f]{4})/0c42a10a1b2c\1/g' "$TOP/topologies/two-level-small.net" >real.net
	sim --sm=keep "$PWD/real.net" donated
}
