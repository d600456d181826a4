#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The page of each real capture, and of 45,056 hosts: it opens, shows its cases, sorts, filters, zooms, prints.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

setup()
{
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	IBCHECK=${IBCHECK:-$TOP/build/ibcheck}
	DATA=$TOP/../shared/data
	command -v chromium || command -v chromium-browser || command -v google-chrome ||
		skip "no browser to look at pages with: install chromium"
	command -v jq >/dev/null || skip "jq is missing: install jq"
	cd "$BATS_TEST_TMPDIR" || return 1
}

# made NAME ARGS...: NAME.html, and NAME.cases, how many it must have
made()
{
	local status=0

	"$IBCHECK" "${@:2}" -f html -o "$1.html" || status=$?
	[ "$status" -le 3 ]
	"$TOP/tests/browser/wellformed" "$1.html"
	"$IBCHECK" "${@:2}" -f json | jq '.cases | length' >"$1.cases"
}

# What a page says once it was used: cases, then what went wrong.
used='(d => {
	const one = s => d.querySelector(s), all = (s, at = d) => [...at.querySelectorAll(s)], wrong = [];
	const check = (right, what) => right || wrong.push(what);
	for (const t of all("section.table:has(tbody)")) {
		const rows = () => all("tbody tr", t), head = all("th button", t)[0], search = t.querySelector("input[type=search]");
		const type = text => { search.value = text; search.dispatchEvent(new Event("input")); };
		const many = rows().length, word = rows()[0]?.cells[rows()[0].cells.length - 1].textContent;
		head.click();
		check(rows().length === many && head.parentNode.ariaSort === "ascending", t.id + " sorts");
		type("no row has this");
		check(rows().length === 0, t.id + " filters");
		type(word);
		check(rows().length > 0 || !many, t.id + " finds " + word);
		type("");
	}
	for (const p of all(".picture")) {
		const list = p.querySelector("select"), svg = p.querySelector("svg");
		const seen = s => all(s, svg).filter(e => e.getClientRects().length);
		check(seen("text").length > 0, p.id + " is there");
		const some = list ? [...list.options].slice(1).filter((o, i, them) => i % Math.ceil(them.length / 12) === 0) : [];
		for (const o of some) {
			list.value = o.value; list.dispatchEvent(new Event("change"));
			check(seen(".tile").length === 1 && seen(".rows text").length > 0, p.id + " zooms to " + o.textContent);
		}
		d.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
		check(!list || svg.getAttribute("viewBox").startsWith("0 0 "), p.id + " shows all again");
	}
	for (const m of all(".case .mark").slice(0, 20)) {
		m.click();
		check(!one(".bar").hidden, "a case marks");
		m.click();
	}
	return [all("article.case:not(.gone)").length, ...wrong].join(" ");
})(document)'

# try_all NAME...: in one browser; 10 wrong ones are enough
try_all()
{
	local name

	for name; do
		printf 'load file://%s/%s.html\nsay %s %s\n' "$PWD" "$name" "$name" "$(tr '\n\t' '  ' <<<"$used")"
		printf 'paper %s.pdf\n' "$name"
	done >steps
	"$TOP/tests/browser/drive" about:blank <steps >told 2>&1 3>&- || true
	cut -c -600 told
	for name; do
		[ "$(sed -n "s/^$name //p" told)" = "$(cat "$name.cases")" ]
		[ "$(head -c 5 "$name.pdf")" = %PDF- ]
		! command -v pdfinfo >/dev/null || pdfinfo "$name.pdf" | grep -q 'Page size: .* (A4)'
	done
	run ! grep -q ^complaint told
}

@test "the page of each real capture opens, shows its cases, sorts, filters, zooms, prints" {
	[ -d "$DATA" ] || skip "there is no ../shared/data"
	names=()
	for file in "$DATA"/*/*.net "$DATA"/*/*.topo; do
		name=$(basename "$file" | tr . -)
		made "$name" all --source "$file"
		made "$name-ports" ports --source "$file"
		names+=("$name" "$name-ports")
	done
	mkdir -p root/sys/class
	cp -r "$DATA/sysfs-h100" root/sys/class/infiniband
	made host host --root root
	made psmn-named all --source "$DATA/psmn-x5/psmn-x5.net" --node-name-map "$DATA/psmn-x5/psmn-x5.node-name-map"
	try_all "${names[@]}" host psmn-named
}

@test "the page of 45,056 hosts opens, shows its cases, sorts, filters, zooms, prints" {
	made huge all --source synth:fattree:levels=3,pods=44,leaves=32,spines=32,uplinks=32,hosts=32
	[ "$(stat -c %s huge.html)" -lt 20000000 ]
	try_all huge
}
