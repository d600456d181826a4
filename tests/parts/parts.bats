#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# A build can be without parts: nothing of them is in it, it says so where they are asked for, and
# what is installed needs no library of ours.  "make parts" has built them.
# shellcheck disable=SC2030,SC2031 # functions outside of a test call run, for each build

bats_require_minimum_version 1.5.0

TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
O=${O:-build}
cd "$TOP" || exit

# each COMMAND...: for each build, with its $parts, its $program and the file $left_out of what it lacks
each()
{
	while read -r parts; do
		program=$O/parts/${parts// /-}/ibcheck
		left_out=$O/parts/${parts// /-}/left-out
		"$@" || { echo "in $program"; return 1; }
	done < <(tests/parts/combinations)
}

# refused WORDS PART ARG...: no run of these arguments, which says whose the thing is
refused()
{
	run "$program" "${@:3}"
	[ "$status" = 3 ]
	[[ $output == *"$1 is of the part $2, which this ibcheck was built without"* ]] || {
		echo "${*:3}: $output"
		return 1
	}
}

# files of the parts it lacks, as objects
lacking_objects()
{
	sed -nE "s|^((lib\|cmd)/.*)\.c .*|$O/\1.o|p" "$left_out"
}

nothing_of_them()
{
	[ -s "$left_out" ]
	comm -12 <(nm -P "$program" | cut -d ' ' -f 1 | sort -u) \
		<(lacking_objects | xargs nm -P -g | awk '$2 ~ /^[TDBRVC]$/ { print $1 }' | sort -u) >"$BATS_TEST_TMPDIR/both"
	[ ! -s "$BATS_TEST_TMPDIR/both" ] || { cat "$BATS_TEST_TMPDIR/both"; return 1; }
	run ! grep libibcheck <(ldd "$program")
}

@test "nothing of a part that is left out is in the program, which needs no library of ours" {
	each nothing_of_them
}

names_itself()
{
	run -0 "$program" --version
	[ "${lines[0]}" = "ibcheck $(make -s print-VERSION)+${parts// /.}" ]
	for part in host jobs live trace; do
		[[ " $parts " == *" $part "* || ${lines[1]} == "built without "*"$part"* ]]
	done
	run "$program" ports --source topologies/two-level-small.net -f json
	[[ $output == *"\"version\": \"$(make -s print-VERSION)+${parts// /.}\""* ]]
	echo "$output" >"$BATS_TEST_TMPDIR/report.json"
	tests/validate-report "$BATS_TEST_TMPDIR/report.json"
	run "$program" ports --source topologies/two-level-small.net -f prometheus
	[[ $output == *"build_info{"*"version=\"$(make -s print-VERSION)+${parts// /.}\""* ]]
}

@test "--version, a JSON report and the metrics name the parts" {
	each names_itself
}

refuses_commands_and_checks()
{
	local name part

	while read -r name part; do
		case $name in
		cmd_*)
			refused "\"${name#cmd_}\"" "$part" "${name#cmd_}"
			run -0 "$program" -h
			[[ $output != *" ${name#cmd_} "* ]]
			;;
		renderer_*) refused "the format ${name#renderer_}" "$part" ports -f "${name#renderer_}" \
			--source topologies/two-level-small.net ;;
		source_*) refused "reading it" "$part" ports --source tests/traces/gone.pcap.zst ;;
		*.*)
			refused "\"$name\"" "$part" explain "$name"
			refused "\"$name\"" "$part" all --checks "$name" --source topologies/two-level-small.net
			printf '[%s]\nenabled = no\n' "$name" >"$BATS_TEST_TMPDIR/ibcheck.conf"
			refused "\"$name\"" "$part" all --config "$BATS_TEST_TMPDIR/ibcheck.conf"
			;;
		esac || return
	done < <(grep -v / "$left_out")
}

@test "a command, a format, a capture, a check and its configuration are refused by the name of the part" {
	each refuses_commands_and_checks
}

# "--svg FILE", as the usage has them
options_of()
{
	"$1" "$2" -h | tr -s ' \n' '  ' | grep -o '\[--[^]]*' | tr -d '[' | sort
}

refuses_options()
{
	local command option value

	for command in ports counters topo fattree; do
		while read -r option value; do
			run "$program" "$command" "$option" ${value:+x} --source topologies/two-level-small.net
			[ "$status" = 3 ] && [[ $output == *"$option is of the part "* ]] || return
		done < <(comm -23 <(options_of "$O/ibcheck" "$command") <(options_of "$program" "$command"))
	done
}

@test "an option of the core that a part reads is refused, and no help shows it" {
	each refuses_options
}

# what help and hints lead to is there
leads_nowhere_else()
{
	local command example words

	for command in ports counters topo fattree; do
		while read -r example; do
			read -ra words <<<"${example#ibcheck }"
			run "$program" "${words[@]}" --source /dev/null
			[[ $output != *"built without"* ]] || { echo "$example: $output"; return 1; }
		done < <("$program" "$command" -h | sed -n 's/^  ibcheck //p')
	done
	if [[ " $parts " != *" live "* ]]; then
		run "$program" counters --sv x
		[[ $output == *"unknown option --sv"* && $output != *--svg* ]] || return
		run "$program" counters --colour x
		[[ $output == *"unknown option"* && $output != *--svg* ]] || return
	fi
	if [[ " $parts " != *" host "* ]]; then
		refused "ibcheck host" host ibstat
	fi
}

@test "examples, hints and the names of other tools lead to nothing that is not there" {
	each leads_nowhere_else
}

# checks_of PROGRAM COMMAND
checks_of()
{
	"$1" "$2" --help | sed -n '/^checks (/,/^$/p' | grep -oE '[a-z]+\.[a-z-]+' | sort
}

# but for those of --slurm, which is refused
judges_the_same()
{
	local command

	for command in all show ports counters topo fattree routes whatif sm cables known snapshot diff compare; do
		run -1 grep -v '^slurm\.' <(comm -3 <(checks_of "$O/ibcheck" "$command") <(checks_of "$program" "$command")) ||
			return
		[ "$output" = '' ]
	done
}

@test "no command of the core judges less where a part is left out" {
	[ "$(checks_of "$O/ibcheck" all | wc -l)" -gt 100 ]
	each judges_the_same
}

knows_what_it_lacks()
{
	local id

	grep -o '^[a-z]*\.[a-z-]* ' "$left_out" | while read -r id; do
		echo "$id \"leaf*\" 2999-12-31 ann \"another build finds it\""
	done >"$BATS_TEST_TMPDIR/known"
	run "$program" all --source topologies/two-level-small.net --known "$BATS_TEST_TMPDIR/known"
	[[ $output == *UNKNOWN* && $output != *stale* ]]
}

@test "a fault that is accepted, and that another build finds, is no stale line" {
	each knows_what_it_lacks
}

is_installed()
{
	local to=$BATS_TEST_TMPDIR/to

	rm -rf "$to"
	make -s PARTS="$parts" O="$O" DESTDIR="$to" PREFIX=/usr install >/dev/null
	[ "$(find "$to" -name '*.h' -o -name '*.so*' -o -name '*.pc')" = '' ]
	while read -r name _; do
		case $name in
		man/*) [ "$(find "$to" -name "${name##*/}")" = '' ] ;;
		esac || return
	done <"$left_out"
	[ ! -e "$to/usr/share/man/man3/libibcheck.3" ] && [ ! -e "$to/usr/share/doc/ibcheck/examples/nodes.c" ]
	(cd / && env -i "$to/usr/bin/ibcheck" topo "$TOP/topologies/two-level-small.csv" \
		--source "$TOP/topologies/two-level-small.net") >/dev/null
	# also what a whole one had left there
	install -D /dev/null "$to/usr/include/ibcheck/fleet.h"
	install -D /dev/null "$to/usr/lib/systemd/system/ibcheck-serve.service"
	make -s PARTS="$parts" O="$O" DESTDIR="$to" PREFIX=/usr uninstall >/dev/null
	[ "$(find "$to" -type f)" = '' ]
}

@test "it is installed without library and headers, runs there, and is uninstalled" {
	each is_installed
}

@test "parts that are not known, and parts without what they need, are refused" {
	run make -s PARTS='core cables' O="$O"
	[ "$status" != 0 ] && [[ $output == *"no part is called cables"* ]]
	run make -s PARTS='core jobs' O="$O"
	[ "$status" != 0 ] && [[ $output == *"jobs needs host"* ]]
	run make -s PARTS='host' O="$O"
	[ "$status" != 0 ] && [[ $output == *"all parts need core"* ]]
	run make -s PARTS= O="$O"
	[ "$status" != 0 ] && [[ $output == *"all parts need core"* ]]
	mkdir -p "$BATS_TEST_TMPDIR/usr/bin"
	echo mine >"$BATS_TEST_TMPDIR/usr/bin/ibcheck"
	run make -s PARTS='core bogus' O="$O" DESTDIR="$BATS_TEST_TMPDIR" PREFIX=/usr uninstall
	[ "$status" != 0 ] && [ -s "$BATS_TEST_TMPDIR/usr/bin/ibcheck" ]
	[ "$(make -s PARTS='host core core' print-P O="$O")" = "$O/parts/core-host" ]
	run make -s PARTS='core host' O="$O" check
	[ "$status" != 0 ] && [[ $output == *"all, install, uninstall are all that there is"* ]]
}
