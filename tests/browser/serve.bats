#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# A browser at "ibcheck serve" over a simulated fabric, and what a page keeps when it is loaded again.
# shellcheck disable=SC2016,SC2030,SC2031,SC2089,SC2090,SC2154

bats_require_minimum_version 1.5.0

load ../sim/helper.bash
load ../sim/serve.bash
load helper.bash

setup()
{
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	IBCHECK=${IBCHECK:-$TOP/build/ibcheck}
	export TOP IBCHECK
	command -v curl >/dev/null || skip "curl is missing: install curl"
	command -v chromium || command -v chromium-browser || command -v google-chrome ||
		skip "no browser to look at pages with: install chromium"
	cd "$BATS_TEST_TMPDIR" || return 1
}

teardown()
{
	[ -z "${server:-}" ] || ! kill -9 "$server" 2>/dev/null || wait "$server" 2>/dev/null || true
}

# drive URL: as it does; what the browser complains of is a fault
drive()
{
	"$TOP/tests/browser/drive" "$@" >told 2>&1 3>&- || {
		cat told
		return 1
	}
	cat told
	! grep ^complaint told || return 1
}
export -f drive

told()
{
	sed -n "s/^$1 //p" told
}
export -f told

# What is in the frame
frame='document.querySelector("iframe").contentDocument'
one='document.querySelector("iframe").contentDocument.querySelector'
all='document.querySelector("iframe").contentDocument.querySelectorAll'

# What somebody has done with a page, in a few words
left='(d => [d.querySelector("#table-links input[type=search]").value, d.querySelector("#table-links .count").textContent,
	d.querySelector("#table-links [aria-sort]")?.ariaSort, d.querySelector("#table-links td:nth-child(7)").textContent,
	d.querySelectorAll(".case details[open]").length, d.querySelectorAll("tr.marked").length,
	d.querySelector("#picture-faults svg").getAttribute("viewBox"), d.activeElement.getAttribute("aria-label"),
	d.querySelector("#table-links .scroll").scrollTop].join(" "))'

# used DOCUMENT: the line that has a browser do so
used()
{
	tr '\n\t' '  ' <<-END
		wait (d => { const one = s => d.querySelector(s), type = one("#table-links input[type=search]");
			one(".case details").open = true;
			one(".case .mark").click();
			one("#table-links .more input").click();
			type.value = "leaf"; type.dispatchEvent(new Event("input"));
			const head = [...d.querySelectorAll("#table-links th button")].find(h => h.textContent === "CABLE");
			head.click(); head.click();
			one("#table-links [aria-label='next rows']").click();
			const list = one("#picture-faults select");
			list.value = list.options[9].value; list.dispatchEvent(new Event("change"));
			one("#table-links .scroll").scrollTop = 150;
			d.defaultView.scrollTo(0, one("#table-links").offsetTop - 300);
			type.focus({ preventScroll: true }); type.setSelectionRange(2, 2);
			return true; })($1)
	END
	echo
}

# saying WORD DOCUMENT: the line that has it say what is left of that
saying()
{
	echo "wait $2.readyState === 'complete' && $2.activeElement"
	echo "say $1 $left($2)" | tr '\n\t' '  '
	echo
	echo "say $1.top Math.round($2.activeElement.getBoundingClientRect().top)"
}

@test "a page that is loaded again stays as it was left" {
	slow_uplinks 1 levels=3,pods=16,leaves=8,spines=8,uplinks=8,hosts=8
	"$IBCHECK" all --source slow.snap -f html -o page.html || true
	drive "file://$PWD/page.html" < <(
		used document
		saying before document
		echo 'wait location.reload() || true'
		echo 'wait document.readyState === "complete" && performance.getEntriesByType("navigation")[0].type === "reload"'
		saying after document
		echo 'say caret document.activeElement.selectionStart'
	)
	[[ $(told before) == "leaf 51–100 of 128 descending "*"filter counters of both ends"* ]]
	[ "$(told before)" = "$(told after)" ]
	moved=$(($(told before.top) - $(told after.top)))
	[ "${moved#-}" -le 20 ] # a line of text may have become longer
	[ "$(told caret)" = 2 ]
}

# Without anybody touching the page.
pulled_before_a_browser()
{
	serve --state state
	comes '[ "$(status_of history.html)" = 200 ]'
	drive "$url" <<-END
		wait $one("h1")
		wait ![...$all(".case")].some(c => c.textContent.includes("leaf04"))
		say picture $all("#picture-faults .cell, #picture-faults .box").length > 0
		run console 'Unlink "$(id_of leaf04)"[5]'
		wait [...$all(".case")].some(c => c.textContent.includes("leaf04"))
		say verdict document.title
		wait (document.querySelector("nav a[href^=history]").click(), true)
		wait $one("h1") && $one("#table-incidents")?.textContent.includes("leaf04")
		wait (document.querySelector("nav a[href^=top]").click(), true)
		wait document.querySelector("iframe").contentWindow.location.pathname === "/top.html" && $one("h1")
		wait (document.querySelector("[name=thing]").value = "leaf04/5", document.querySelector("form").requestSubmit(), true)
		wait document.querySelector("iframe").contentWindow.location.pathname === "/thing.html" && $one("h1")
		say thing document.querySelector("iframe").contentDocument.body.textContent.includes("leaf04")
	END
	[ "$(told picture)" = true ]
	[[ $(told verdict) != OK* ]]
	[ "$(told thing)" = true ]
	end_server
}

@test "a cable that is pulled shows in an open page; its history and the week's cables are there" {
	export -f pulled_before_a_browser
	export one all
	sim --sm=keep two-level-small pulled_before_a_browser
}

@test "a new sample leaves a page as it was left" {
	slow_uplinks 1 levels=3,pods=16,leaves=8,spines=8,uplinks=8,hosts=8
	serve --source slow.snap --interval 20
	comes '[ "$(status_of report.html)" = 200 ]'
	drive "$url" < <(
		echo "wait $one('h1')"
		# a frame has its focus from a hand
		echo 'wait (document.querySelector("iframe").focus(), true)'
		used "$frame"
		saying before "$frame"
		echo "wait $frame.body.append('old') || true"
		echo "wait $frame.readyState === 'complete' && !$frame.body.textContent.endsWith('old')"
		saying after "$frame"
	)
	[[ $(told before) == "leaf 51–100 of 128 descending "*"filter counters of both ends"* ]]
	[ "$(told before)" = "$(told after)" ]
	moved=$(($(told before.top) - $(told after.top)))
	[ "${moved#-}" -le 20 ] # a line of text may have become longer
	end_server
}

@test "nothing runs in the live page but its own script, and none in the report but that" {
	serve --source "$TOP/tests/golden/fixtures/faults.snap"
	comes '[ "$(status_of report.html)" = 200 ]'
	drive "$url" <<-END || true
		wait $one("h1")
		wait (e => { e.textContent = "window.ran = 1"; document.head.append(e); return true; })(document.createElement("script"))
		wait (e => { e.src = "http://127.0.0.1:1/x.js"; document.head.append(e); return true; })(document.createElement("script"))
		wait ((d, e) => { e.textContent = "top.ran = 2"; d.head.append(e); return true; })($frame, $frame.createElement("script"))
		wait ((d, e) => { d.body.append(e); e.setAttribute("onclick", "top.ran = 3"); e.click(); return true; })($frame, $frame.createElement("b"))
		say foreign fetch("http://127.0.0.1:1/").then(() => "read", () => "refused")
		say ran typeof window.ran
	END
	[ "$(told ran)" = undefined ]
	[ "$(told foreign)" = refused ]
	[ "$(grep -c '^complaint.*Content Security Policy' told)" -ge 5 ]
	end_server
}

@test "without script the live page shows the report, and says that it is to be loaded again" {
	serve --source "$TOP/tests/golden/fixtures/faults.snap"
	comes '[ "$(status_of report.html)" = 200 ]'
	drive about:blank <<-END
		scriptless $url
		wait $one("h1")
		say note document.querySelector("noscript p").getClientRects().length && document.body.innerText
		say cases $all(".case").length
		say buttons $all("button").length
	END
	grep -q 'Without script this page does not renew itself: reload it.' told
	[ "$(told cases)" = 6 ]
	[ "$(told buttons)" = 0 ]
	end_server
}
