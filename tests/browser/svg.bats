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
		sed 1d drawing.svg
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
	[ "$(told overflowing)" = 0 ]
	[ "$(told overlapping)" = 0 ]
}

@test "a drawing is well-formed XML" {
	"$IBCHECK" fattree --source "$TOP/topologies/ft-36x18.net" --svg drawing.svg
	python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse("drawing.svg")'
}

@test "36x18 shows every switch and cable, legibly" {
	drawn --source "$TOP/topologies/ft-36x18.net"
	[ "$(told boxes)" = 54 ]
	[ "$(told cables)" = 648 ]
	[ "$(told marks)" = 0 ]
	is_legible
}

@test "two exchanged cables of 36x18 are red, with their labels" {
	drawn --source "$TOP/topologies/ft-36x18+swapped.net"
	[ "$(told boxes)" = 54 ]
	[ "$(told marks)" -ge 2 ]
	[ "$(told red)" = "$(told marks)" ]
	[ "$(told labels)" = "$(told marks)" ]
	[ "$(told hurt)" = 4 ]
	is_legible
}

@test "ten thousand nodes fit on a page" {
	drawn --source synth:fattree:levels=3,pods=20,leaves=22,spines=22,uplinks=22,hosts=20
	[ "$(told boxes)" -le 60 ]
	[ "$(told width)" -le 3000 ]
	is_legible
}
