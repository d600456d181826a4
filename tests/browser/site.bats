#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The pages of "make site", as a browser shows them: each link and anchor leads somewhere, nothing is loaded from
# elsewhere, and nothing is wider than a phone or a screen.

bats_require_minimum_version 1.5.0

# lines of what a page has: "id URL", "to URL", "loads URL"
has='[...document.querySelectorAll("*")].flatMap(e => { const at = w => e.hasAttribute(w) && decodeURI(new URL(e.getAttribute(w), location).href);
	return [e.id && "id " + location.href + "#" + e.id, at("href") && (e.tagName === "LINK" ? "loads " : "to ") + at("href"),
	at("src") && "loads " + at("src")].filter(x => x); }).join("\n")'
wide='["", innerWidth, document.documentElement.scrollWidth, location.href].join("\nwide ").replace(/\nwide (\d+)\nwide (\d+)\nwide /, "$1 $2 ")'

# look FOLDER: what its pages have becomes FOLDER.told
look()
{
	find "$PWD/$1" -name '*.html' | sort | while IFS= read -r page; do
		printf 'load file://%s\nsay has "\\n" + %s\nwide 400\nsay wide %s\nwide 1280\nsay wide %s\n' \
			"$page" "${has//[$'\n\t']/ }" "$wide" "$wide"
	done >"$1.steps"
	"$TOP/tests/browser/drive" about:blank <"$1.steps" >"$1.told" 2>&1 3>&-
}

# faults FOLDER: a line each
faults()
{
	local url

	sed -n 's/^to \(file:[^#]*\).*/\1/p; s/^loads //p' "$1.told" | sort -u | while IFS= read -r url; do
		[[ $url == data:* ]] || { [[ $url == "file://$PWD/$1/"* ]] && [ -f "${url#file://}" ]; } || echo "dead or foreign: $url"
	done
	comm -13 <(sed -n 's/^id //p' "$1.told" | sort -u) <(sed -n 's/^to \(file:.*#.\)/\1/p' "$1.told" | sort -u) | sed 's/^/no anchor: /'
	awk '$1 == "wide" && $3 > $2 { print "too wide: " $0 } $1 == "wide" { width[$2]++ }
		END { if (!width[400] || width[400] != width[1280]) print "not seen at both widths" }' "$1.told"
	grep ^complaint "$1.told" || true
}

setup_file()
{
	local program

	export TOP IBCHECK
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	IBCHECK=${IBCHECK:-$TOP/build/ibcheck}
	for program in chromium cmark-gfm mandoc curl jq ibsim opensm; do
		PATH=$PATH:/usr/sbin command -v $program >/dev/null || skip "no site without $program"
	done
	cd "$BATS_FILE_TMPDIR" || return 1
	mkdir site
	O=${IBCHECK%/*} "$TOP/doc/site/record" site 3>&-
	"$TOP/doc/site/pages" site
	look site
}

setup()
{
	cd "$BATS_FILE_TMPDIR" || return 1
}

@test "each link and anchor of the site leads somewhere, nothing is from elsewhere or too wide" {
	faults site >found
	cat found
	[ ! -s found ]
}

@test "README, manuals, documents, reports, the live page and the demo are there, and lead to each other" {
	local page

	for page in index man/ibcheck-routes.8 man/libibcheck.3 doc/wiring samples/all samples/topo samples/cables live/report tour; do
		grep -q "^id file://$PWD/site/$page.html#" site.told || [ "$page" = tour ]
		[ "$page" = live/report ] || grep -q "^to file://$PWD/site/$page.html" site.told
	done
	grep -q "CRITICAL" site/tour.html
	grep -q '<a href="man/ibcheck-known.8.html"><code>ibcheck-known(8)' site/index.html
	# each page that is not in the frame of the live page has the way back
	[ "$(grep -rL --include='*.html' 'index.html"[^>]*>ibcheck</a>' site | grep -vcE '^site/live/')" = 0 ]
}

@test "a dead link, a dead anchor, a picture from elsewhere and too wide a page would be found" {
	mkdir -p bad
	echo '<a href="none.html">a</a> <a href="#none">b</a> <img src="http://127.0.0.1:1/x.png"><p style="width:700px">c' >bad/bad.html
	look bad
	faults bad >found
	cat found
	[ "$(grep -cE 'dead or foreign: .*(none.html|x.png)$|no anchor: .*#none$|too wide: wide 400 7' found)" = 4 ]
}
