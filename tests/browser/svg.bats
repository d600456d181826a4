#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# What a browser makes of the drawings: that they are whole, that nothing sticks out of the
# page or of its box, and what is red.

bats_require_minimum_version 1.5.0

setup()
{
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	IBCHECK=${IBCHECK:-$TOP/build/ibcheck}
	BROWSER=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
		skip "no browser to look at drawings with: install chromium"
	cd "$BATS_TEST_TMPDIR" || return 1
}

# drawn ARGS...: what is to be seen of drawing.svg, one word and number a line
drawn()
{
	local status=0

	"$IBCHECK" fattree "$@" --svg drawing.svg >text 2>&1 || status=$?
	[ "$status" -le 2 ] || {
		cat text
		return 1
	}
	{
		printf '<!DOCTYPE html><meta charset="utf-8"><body>'
		cat drawing.svg
		cat "$BATS_TEST_DIRNAME/measure.html"
	} >page.html
	# what it leaves behind may hold no pipe open
	timeout -k 5 120 "$BROWSER" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
		--disable-background-networking --disable-component-update --disable-sync \
		--disable-dev-shm-usage --user-data-dir="$PWD/profile" \
		--dump-dom "file://$PWD/page.html" >shown 2>browser.log 3>&- || true
	sed -n 's/^ *measured \([a-z]*\) \([0-9]*\)$/\1 \2/p' shown >measured
	cat measured
	[ -s measured ] || {
		cat browser.log
		return 1
	}
}

# told WORD: its number
told()
{
	sed -n "s/^$1 //p" measured
}

is_legible()
{
	[ "$(told outside)" = 0 ]
	[ "$(told colliding)" = 0 ]
}

# It is on a screen, and its marks have names, cases and a size that is seen.
fits_a_screen()
{
	is_legible
	[ "$(told width)" -le 1600 ]
	[ "$(told height)" -le 1000 ]
	[ "$(told without)" = 0 ]
	[ "$(told dim)" = 0 ]
}

@test "drawings are well-formed XML" {
	for net in ft-36x18 two-level-small; do
		"$IBCHECK" fattree --source "$TOP/topologies/$net.net" --svg drawing.svg
		python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse("drawing.svg")'
	done
}

@test "a small tree is a matrix of all its cables, legibly" {
	drawn --source "$TOP/topologies/two-level-small.net"
	[ "$(told cells)" = 12 ]
	[ "$(told marked)" = 0 ]
	fits_a_screen
}

@test "a misplaced cable of a small tree is marked, and is named once" {
	drawn --source "$TOP/topologies/half-populated+miswired.net"
	[ "$(told marked)" = 2 ]
	[ "$(told red)" = 2 ]
	[ "$(grep -o '>leaf02 - spine01, misplaced' drawing.svg | wc -l)" = 1 ]
	fits_a_screen
}

@test "40 switches are a matrix with all their names" {
	drawn --source synth:fattree:leaves=26,spines=13,hosts=13
	[ "$(told cells)" = $((26 * 14)) ]
	[ "$(told names)" -ge 40 ]
	fits_a_screen
}

@test "36x18 is a matrix of all its cables" {
	drawn --source "$TOP/topologies/ft-36x18.net"
	[ "$(told cells)" = 684 ]
	[ "$(told marked)" = 0 ]
	fits_a_screen
}

@test "two exchanged cables of 36x18 are four marked cells" {
	drawn --source "$TOP/topologies/ft-36x18+swapped.net"
	[ "$(told cells)" = 684 ]
	[ "$(told marked)" = 4 ]
	fits_a_screen
}

@test "names that are long and wide do not collide" {
	sed 's/"leaf\([0-9]*\)"/"<leaf> \1 漢字漢字漢字漢字漢字漢字 of a row \& rack \1"/' \
		"$TOP/topologies/ft-36x18.net" >long.net
	drawn --source long.net
	[ "$(told cells)" = 684 ]
	fits_a_screen
}

@test "ten thousand nodes, and fifty thousand, fit on a screen" {
	for spec in levels=3,pods=20,leaves=22,spines=22,uplinks=22,hosts=20 \
		levels=3,pods=44,leaves=32,spines=32,uplinks=32,hosts=32; do
		drawn --source "synth:fattree:$spec"
		[ "$(told cells)" -gt 100 ]
		fits_a_screen
	done
}
