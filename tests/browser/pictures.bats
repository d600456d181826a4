#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC2154 # what serve() sets
# The pictures of doc/pictures.md, made anew of a simulated fabric with four weeks of history, and
# held against those in the tree; and the sheet of paper that its manager gets.
# UPDATE=1: keeps what was made ("make pictures").

load ../sim/helper.bash
load ../sim/serve.bash

export PICTURES=$TOP/doc/pictures HERE=$TOP/tests/browser

# ---- four weeks --------------------------------------------------------------------------

# at_time COMMAND...: at 06:00 of the day
at_time()
{
	LD_PRELOAD="${IBCHECK%/*}/tests/sim/clock.so:$LD_PRELOAD" \
		CLOCK=$((1790834400 + 86400 * day + ${seconds:-0})) "$@"
}

# count NAME PORT FIELD=VALUE...
count()
{
	local field

	for field in "${@:3}"; do
		console "PerformanceSet \"$(id_of "$1")\"[$2] PortCounters.$field" >/dev/null
	done
}

# cable LINE: says it to ibsim, and waits until opensm has routed anew
cable()
{
	local end=$((SECONDS + 300)) seen size=

	seen=$(wc -l <"$OPENSM_LOG")
	console "$1" >/dev/null
	until tail -n +$((seen + 1)) "$OPENSM_LOG" | sed -n '/Link state change/,$p' |
		grep -q 'SUBNET UP' && [ "$(wc -l <"$OPENSM_LOG")" = "$size" ]; do
		[ $SECONDS -lt $end ]
		size=$(wc -l <"$OPENSM_LOG")
		sleep 0.3
	done
}

# check_all [ARGUMENT...]: how fast the SA answers depends on what else the machine does
check_all()
{
	at_time "$IBCHECK" all --expect plan.csv --checks -sm.sa-slow --state state "$@" || [ $? -le 2 ]
}

# What happens on the morning of a day, before the run of that day.
morning()
{
	case $day in
	9) cable "Unlink \"$(id_of leaf12)\"[25]" ;;
	12) cable "ReLink \"$(id_of leaf12)\"[25]" ;;
	17) cable "Unlink \"$(id_of leaf05)\"[22]" ;;
	20) cable "Unlink \"$(id_of leaf23)\"[20]" && cable "Unlink \"$(id_of leaf24)\"[21]" &&
		cable "Link \"$(id_of leaf23)\"[20] \"$(id_of spine03)\"[24]" &&
		cable "Link \"$(id_of leaf24)\"[21] \"$(id_of spine02)\"[23]" ;;
	26) count leaf30 2 PortRcvErrors=31 ;;
	27)
		count leaf20 30 LinkDownedCounter=4
		cable "Unlink \"$(id_of leaf11)\"[9]"
		;;
	esac
	[ "$day" -lt 6 ] || count leaf07 4 PortRcvErrors=$((day * day * 4 + 40))
}

four_weeks()
{
	cp "$TOP/topologies/ft-36x18.csv" plan.csv
	for ((day = 0; day < 28; day++)); do
		morning
		[ $day = 27 ] || check_all -q >/dev/null
	done
	day=27
}
export -f at_time count cable check_all morning four_weeks

# page FILE OPTION... URL: a picture, of few colours, since text has no more
photo()
{
	"$HERE/browser" --hide-scrollbars "--screenshot=$PWD/big.png" "${@:2}" >shown
	pngquant --force --strip --output "$1" 64 big.png
}

# shown FROM TO: of the page on stdin what is read between these ids, without what differs
read_from()
{
	sed -n "/id=\"$1\"/,/id=\"$2\"/p" | sed -E '/^<script|^<(section|footer)[^>]*"'"$2"'"/d; s/<[^>]*>/ /g' | masked
}

masked()
{
	sed -E 's/swept in [0-9.]+ s/swept in N s/; s/^[0-9:]{8} //; s/(ibcheck all on) [^ ,]+/\1 HOST/; s/ +/ /g; s/^ //' | grep -v '^$'
}
export -f photo read_from masked

# ---- the pictures ------------------------------------------------------------------------

# The report as a page, and the sheet of paper that is its first page.
report()
{
	check_all -f html -o report.html
	photo report.png --window-size=1200,1130 "file://$PWD/report.html"
	read_from summary cases <report.html >report.txt
	"$HERE/browser" --no-pdf-header-footer "--print-to-pdf=$PWD/report.pdf" "file://$PWD/report.html"
	pdftoppm -r 80 -l 1 -singlefile -png report.pdf big
	pngquant --force --strip --output paper.png 64 big.png
	pdftotext -l 1 report.pdf - | masked >paper.txt
}

# drawn NAME: NAME.svg as a picture
drawn()
{
	photo "$1.png" --window-size="$2" "file://$PWD/$1.svg"
	# its texts; and its cells, as their class has them, but for those of most
	{
		grep -oE '<text[^>]*>[^<]*' "$1.svg" | sed 's/.*>//'
		grep -oE '<title>[^<]*</title><path class="s[^1]"|<title>[^<]*: [0-9a-f]{8}' "$1.svg" |
			sed -E 's/<[^>]*>|, waited [0-9.]+ % of the time//g; s/<path class=/ /'
	} | masked >"$1.txt"
}

cabling()
{
	at_time "$IBCHECK" fattree --svg cabling.svg >text || [ $? = 2 ]
	drawn cabling 700,860
}

# ticks FILE: in ibsim no switch tells how long a tick of PortXmitWait is; as if it were 32
# symbols of each lane, as of older ones
ticks()
{
	sed -E 's/"asked"(.*)"unsupported":\["PortSamplesControl",?/"xmit_wait_tick":31,"asked"\1"unsupported":[/
		s/("answered":\["NodeInfo","NodeDescription")/\1,"PortSamplesControl"/
		s/,"crc32":[^,}]*//' "$1"
}

# A host behind leaf30 is slow to receive: what leaf09 .. leaf14 send there waits on its way.
congestion()
{
	local i

	at_time "$IBCHECK" snapshot -o before >text || [ $? -le 2 ]
	for i in 9 10 11 12 13 14; do
		count "leaf$(printf %02d "$i")" 23 PortXmitWait=$((600000000 + i * 40000000))
	done
	count spine05 30 PortXmitWait=2200000000
	count leaf30 4 PortXmitWait=2700000000
	seconds=32 at_time "$IBCHECK" snapshot -o after >text || [ $? -le 2 ]
	ticks before >before.snap
	ticks after >after.snap
	"$IBCHECK" counters --since before.snap --source after.snap --svg congestion.svg \
		>text || [ $? -le 2 ]
	drawn congestion 740,860
}

# The page that stays up.
served()
{
	cp -r state served
	LD_PRELOAD="${IBCHECK%/*}/tests/sim/clock.so:$LD_PRELOAD" CLOCK=$((1790834400 + 86400 * day + 30)) \
		serve --expect plan.csv --checks -sm.sa-slow --state served --interval 30
	comes '[ "$(status_of healthz)" = 200 ]'
	photo serve.png --window-size=1200,1130 "$url"
	{
		get ''
		get report.html | sed -n '1,/id="cases"/p'
	} | sed '/<style>/,/<\/style>/d; s/<[^>]*>/ /g' | masked >serve.txt
	kill "$server"
}

# Of tmux, with a screen of 110 x 44; the simulator's libumad2sim would not let it start.
terminal()
{
	SHELL=/bin/bash env -u LD_PRELOAD tmux -S "$PWD/tmux" -f /dev/null "$@"
}

# shows PATTERN: it is on the screen, soon
shows()
{
	comes "terminal capture-pane -p | grep -qE -- '$1'"
}

# The screen on which a technician sees what his hands do: a cable that is pulled and plugged,
# and another one that gets errors.
watched()
{
	terminal new-session -d -x 110 -y 44 "exec env LC_ALL=C.UTF-8 TERM=screen-256color CLOCK=$((1790834400 + 86400 * day)) \
		LD_PRELOAD='${IBCHECK%/*}/tests/sim/clock.so:$LD_PRELOAD' '$IBCHECK' watch -i 0.5 leaf05"
	shows 'leaf05/19 - spine01/5'
	console "Unlink \"$(id_of leaf05)\"[20]" >/dev/null
	shows 'leaf05/20 LinkUp -> Polling'
	console "ReLink \"$(id_of leaf05)\"[20]" >/dev/null
	shows 'leaf05/20 Polling -> LinkUp'
	count leaf05 3 PortRcvErrors=7
	shows 'PortRcvErrors 7'
	terminal capture-pane -p -e >screen
	terminal kill-server
	"$HERE/screen" 110 44 <screen >watch.svg
	# rates, and the states that a link passes, come as they do: how many of them, so that
	# the first of the events may have left the screen
	sed 's/\x1b[[0-9;]*m//g' screen |
		grep -E 'quit|ERR/s|EVENTS|^fattree|PortRcvErrors 7$' | masked >watch.txt
}
export -f report drawn cabling ticks congestion served terminal shows watched

story()
{
	four_weeks
	report && cabling && congestion && served && watched
}
export -f story

# ---- the tests ---------------------------------------------------------------------------

setup_file()
{
	local program

	cd "$BATS_FILE_TMPDIR" || return 1
	"$HERE/browser" --version || skip "no browser to take pictures with: install chromium"
	for program in pngquant pdftotext tmux curl; do
		command -v $program >/dev/null || skip "no pictures without $program"
	done
	sim --sm=keep ft-36x18 story
}

# what is compared of each, in words
names=(report paper cabling congestion serve watch)

# stale FOLDER: the pictures there that show something else than those that were made
stale()
{
	local name

	for name in "${names[@]}"; do
		diff "$1/$name.txt" "$BATS_FILE_TMPDIR/$name.txt" || echo "$name is stale"
	done
}

# alike ONE OTHER: how much two pictures differ, seen from afar, in percent; letters are of
# other fonts elsewhere
alike()
{
	{
		echo '<img id="one"><img id="other"><pre></pre><script>'
		echo "one.src = 'data:image/png;base64,$(base64 -w0 "$1")'"
		echo "other.src = 'data:image/png;base64,$(base64 -w0 "$2")'"
		cat <<-'END'
			const seen = i => {
				const c = document.createElement('canvas').getContext('2d');
				c.canvas.width = c.canvas.height = 24;
				c.imageSmoothingQuality = 'high';
				c.drawImage(i, 0, 0, 24, 24);
				return c.getImageData(0, 0, 24, 24).data;
			};
			onload = () => {
				const a = seen(one), b = seen(other);
				const sum = a.reduce((s, v, i) => s + Math.abs(v - b[i]), 0);
				document.querySelector('pre').append('\nmeasured ' + Math.round(sum / a.length / 2.55 * 10) / 10 + '\n');
			};
		END
		echo '</script>'
	} >alike.html
	"$HERE/browser" --dump-dom "file://$PWD/alike.html" | sed -n 's/^measured //p'
}

@test "the pictures of the manual are of this program" {
	local name

	if [ -n "${UPDATE:-}" ]; then
		for name in "${names[@]}"; do
			cp "$BATS_FILE_TMPDIR/$name".{txt,png} "$PICTURES" 2>/dev/null ||
				cp "$BATS_FILE_TMPDIR/$name".{txt,svg} "$PICTURES"
		done
	fi
	stale "$PICTURES" >found
	[ ! -s found ] || {
		cat found
		echo "make them anew, and look at them: make pictures"
		return 1
	}
	# with another font it was 0.3, without the row of figures 1.6, without any style 3.4
	for name in "$PICTURES"/*.png; do
		alike "$name" "$BATS_FILE_TMPDIR/${name##*/}" >percent
		awk -v name="${name##*/}" '{ print name " differs by " $1 " %"; exit $1 > 1.2 }' percent
	done
}

@test "a picture that is stale is named" {
	mkdir old
	cp "$PICTURES"/*.txt old
	sed -i 's/leaf05/leaf06/' old/cabling.txt
	stale old | grep '^cabling is stale$'
	run ! grep 'report is stale' < <(stale old)
}

@test "pictures are small, and each is shown" {
	local name

	[ "$(cat "$PICTURES"/*.{png,svg} | wc -c)" -le 600000 ]
	[ -z "$(find "$PICTURES" -size +150k)" ]
	for name in "$PICTURES"/*.{png,svg}; do
		grep -F "(pictures/${name##*/})" "$TOP/doc/pictures.md"
	done
	for name in $(grep -oE '\(pictures/[^)]*' "$TOP/doc/pictures.md") \
		$(grep -oE '\(doc/pictures/[^)]*' "$TOP/README.md"); do
		[ -e "$PICTURES/${name##*/}" ]
	done
}

# has TEXT...: the first sheet, read as one line
has()
{
	local text

	for text; do
		tr '\n' ' ' <"$BATS_FILE_TMPDIR/paper.txt" | grep -F -- "$text" >/dev/null || {
			echo "the first sheet lacks: $text"
			cat "$BATS_FILE_TMPDIR/paper.txt"
			return 1
		}
	done
}

@test "a manager finds on one sheet the verdict, the changes, what is affected, the cost and the work" {
	has CRITICAL 'There are faults to repair now.'
	has 'Affected: 4 cables, 3 hosts, 0 switches' 'Who has to act: data centre staff (5 cases)'
	has 'leaf05/22 - spine04/5 (for 11 days)' 'Fix: Reseat it at both ends, then replace it.'
	has 'Who: data centre staff. Until then: 1 host is cut off, 100 Gb/s are lost. A missing host takes part in no job.'
	has 'leaf07/4 - node0112 mlx5_0/1 (for 21 days)'
	has 'Since the last run, 2026-10-27 06:00 UTC' '1 new, 0 worse, 0 back, 1 ended, 4 open.'
	has 'ended leaf30/2 - node0524 mlx5_0/1, after 24 h'
	has 'What was covered' 'every query was answered'
	pdfinfo "$BATS_FILE_TMPDIR/report.pdf" | grep 'Page size: .* (A4)'
	# the evidence is behind it
	pdftotext -f 2 -l 2 "$BATS_FILE_TMPDIR/report.pdf" - | head -n 3 | grep -x Cases
}
