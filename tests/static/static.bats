#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The program in one file is the program: what "make static" makes is built, and says the same as the
# one that is linked to libraries.  What is of another architecture runs under qemu-user.

bats_require_minimum_version 1.5.0

TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
O=${O:-build}
[[ $O == /* ]] || O=$TOP/$O
# what is not in it: serve, and the files of libraries
absent=$'help/no-httpd\nhelp/version'

# unpacked ARCHITECTURE: $program is the one of its tarball, and ./ibcheck starts it
unpacked()
{
	local emulator=qemu-$2

	cd "$BATS_TEST_TMPDIR" || return
	run "$BATS_TEST_DIRNAME/build" "$1"
	[ "$status" != 77 ] || skip "$output"
	[ "$status" = 0 ] || { echo "$output"; return 1; }
	tar -xzf "$O"/static/ibcheck-*-"$1".tar.gz
	program=$(echo "$PWD"/ibcheck-*-"$1"/ibcheck)
	[ "$(uname -m)" != "$2" ] || emulator=''
	[ -z "$emulator" ] || command -v "$emulator" >/dev/null || skip "needs $emulator"
	printf '#!/bin/sh\nexec %s %s "$@"\n' "$emulator" "$program" >ibcheck
	chmod +x ibcheck
}

# whole: nothing is loaded, all licences are there, and what is missing says so
whole()
{
	! readelf -lW "$program" | grep -qE 'INTERP|DYNAMIC'
	[ "$(find "${program%/*}/licences" -type f -size +0 | wc -l)" = 11 ]
	run -0 ./ibcheck --version
	[ "${lines[0]}" = "ibcheck $(make -s -C "$TOP" print-VERSION)" ]
	[ "$(grep -c 'linked statically$' <<<"$output")" = 10 ]
	[[ ${lines[-1]} == "libmicrohttpd "*"without it"* ]]
	run -3 ./ibcheck serve --source synth:fattree:leaves=2,spines=2,hosts=2,cables=1
	[[ $output == *"linked statically, without it"* ]]
}

# replayed PROGRAM: traces and snapshots as JSON, but for what differs from run to run
replayed()
{
	local file

	for file in "$TOP"/tests/traces/{all,sm,counters}.pcap.zst "$TOP"/tests/golden/fixtures/faults.snap \
		"$TOP"/topologies/ft-36x18.csv synth:fattree:leaves=18,spines=9,hosts=18,cables=1; do
		"$1" all --source "$file" -f json | jq 'del(.meta.time, .verdict_time, .meta.duration_seconds, .coverage.mads)'
		echo "${PIPESTATUS[0]}"
	done
}

@test "for amd64: one file, and every recorded run is the same" {
	local cases

	unpacked amd64 x86_64
	whole
	mapfile -t cases < <(cd "$TOP/tests/golden" && find . \( -name args -o -name script \) -printf '%P\n' |
		sed 's|/[a-z]*$||' | sort | grep -vxF "$absent")
	IBCHECK=$PWD/ibcheck run "$TOP/tests/golden/run" "${cases[@]}"
	grep -A 30 '^not ok' <<<"$output" || [ "$status" = 0 ]
	diff <(replayed "$O/ibcheck") <(replayed ./ibcheck)
}

@test "for arm64: one file, and replayed traces give the same reports" {
	unpacked arm64 aarch64
	whole
	diff <(replayed "$O/ibcheck") <(replayed ./ibcheck)
	IBCHECK=$PWD/ibcheck run "$TOP/tests/golden/run" all/text all/state known history/incidents trace/replayed
	[ "$status" = 0 ] || { echo "$output"; return 1; }
}
