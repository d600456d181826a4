# SPDX-License-Identifier: BSD-2-Clause
# Key files, as opensm writes them.  The simulator knows no M_Keys: it answers whoever asks, and
# shows the key 0.

load helper.bash

KEY=00000000deadbeef
export KEY

# In ibsim, opensm does not survive that others read counters: who asks for no managers may.

# managed: by an opensm whose files are in the directory cache
managed()
{
	still_manager cache 'node0001 mlx5_0' "m_key 0x$KEY"
	timeout 300 bash -c 'until [ -s cache/guid2mkey ] && [ -s cache/neighbors ]; do sleep 0.1; done'
}

# lacks PATTERN FILE: in whatever letters or bytes
lacks()
{
	if LC_ALL=C grep -qaiP "$1" "$2"; then
		echo "$2 holds a key"
		return 1
	fi
}
export -f managed lacks

own_files()
{
	managed
	sweep all --key-files cache --checks -counters
	cp report.json with.json
	expect_status 0
	expect .coverage.complete
	expect_findings sm.mkey 0
	sweep all --checks -counters
	diff <(jq -S 'del(.meta, .verdict_time, .coverage.mads)' with.json) \
		<(jq -S 'del(.meta, .verdict_time, .coverage.mads)' report.json)
}
export -f own_files

@test "with the files of opensm a sweep is as without them" {
	sim --no-sm two-level-small own_files
}

old_files()
{
	managed
	sed -i "s/ 0x0*$/ 0x$KEY/" cache/guid2mkey
	sweep all --key-files cache --checks -counters
	expect_findings sm.mkey 1
	expect '.findings[] | select(.check == "sm.mkey") | .facts.other_keys' \
		"$(grep -c "$KEY" cache/guid2mkey)"
	[ "$(grep -c "$KEY" cache/guid2mkey)" -gt 8 ]
}
export -f old_files

@test "keys that no port has are old" {
	sim --no-sm two-level-small old_files
}

written()
{
	managed
	sed -i "s/ 0x0*$/ 0x$KEY/" cache/guid2mkey
	chmod 755 cache
	"$IBCHECK" all --key-files cache --checks -counters --record trace.pcap -v --debug all >text 2>log
	grep -q 'every user of this host' log
	"$IBCHECK" all --key-files cache --checks -counters -f json >report.json 2>>log
	"$IBCHECK" counters --key-files cache --state state >>text 2>>log
	"$IBCHECK" snapshot --key-files cache -o snapshot.snap 2>>log
	grep -q other_keys report.json
	grep -qa keyed_peer snapshot.snap
	for file in text log report.json state snapshot.snap trace.pcap; do
		[ -s "$file" ]
		lacks 'deadbeef|3735928559|\xde\xad\xbe\xef' "$file"
	done
}
export -f written

@test "no key is written anywhere" {
	sim --no-sm two-level-small written
}

cut_file()
{
	managed
	printf '0x0002c90300000001 0x%s' "${KEY:3}" >>cache/guid2mkey
	sweep all --key-files cache
	expect_status 3
	grep -q 'guid2mkey:[0-9]*: expected a port GUID and its key' report.err
	lacks "${KEY:3}" report.err
}
export -f cut_file

@test "a copy that is cut off is refused" {
	sim --no-sm two-level-small cut_file
}

# Of a whole sweep the partition is the one cause; one that reads no P_Keys blames no device.
limited()
{
	export LD_PRELOAD="${IBCHECK%/*}/tests/sim/partition.so:$LD_PRELOAD"
	sweep all
	expect_status 3
	expect '[.findings[] | select(.severity != "info") | .check] | unique | sort' \
		'["counters.silent","sm.pkey","sm.sa-silent"]'
	expect '[.cases[] | select(.severity != "info") | .check]' '["sm.pkey"]'
	expect '.findings[] | select(.check == "sm.pkey") | .facts.silent' 21
	sweep counters
	expect '[.findings[].advice | select(test("P_Key") and (test("reset") | not))] | length' 1
}
export -f limited

@test "a port that is a limited member, as all others are, is told from silent devices" {
	echo 'Default=0x7fff, ipoib : ALL=limited;' >partitions.conf
	sim --sm=keep --sm-args="-P $PWD/partitions.conf" two-level-small limited
}
