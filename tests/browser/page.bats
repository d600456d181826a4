#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# What a browser makes of "-f html": that it opens, sorts, filters, turns pages and marks; that
# names in it stay text; and what is on paper.

bats_require_minimum_version 1.5.0

load helper.bash

setup()
{
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	IBCHECK=${IBCHECK:-$TOP/build/ibcheck}
	FIXTURES=$TOP/tests/golden/fixtures
	BROWSER=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
		skip "no browser to look at pages with: install chromium"
	cd "$BATS_TEST_TMPDIR" || return 1
}

# page ARGS...: page.html
page()
{
	local status=0

	"$IBCHECK" "$@" -f html -o page.html || status=$?
	[ "$status" -le 3 ]
	"$TOP/tests/browser/wellformed" page.html
}

# browse FILE OPTION...: what it shows becomes "shown", what it says "browser.log"
browse()
{
	# what it leaves behind may hold no pipe open
	timeout -k 5 120 "$BROWSER" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
		--disable-background-networking --disable-component-update --disable-sync \
		--disable-dev-shm-usage --enable-logging=stderr --user-data-dir="$PWD/profile" \
		"${@:2}" "file://$PWD/$1" >shown 2>browser.log 3>&- || true
}

# try OPTION...: runs the script on stdin after that of the page; "say(WORD, VALUE)" is for told()
try()
{
	{
		grep -v Content-Security-Policy page.html
		echo '<pre id="out"></pre><script>'
		echo "const nl = String.fromCharCode(10), one = s => document.querySelector(s), all = s => [...document.querySelectorAll(s)];"
		echo "const say = (word, value) => one('#out').append(nl, 'measured ' + word + ' ' + value, nl);"
		echo "const press = (at, key) => at.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));"
		cat
		echo '</script>'
	} >tried.html
	browse tried.html --dump-dom "$@"
	sed -n 's/^measured //p' shown
	grep CONSOLE browser.log || [ $? = 1 ]
}

told()
{
	sed -n "s/^measured $1 //p" shown
}

# A made fabric whose ports fill many pages.
many_ports()
{
	page ports --source synth:fattree:leaves=36,spines=18,hosts=18,cables=1
}

@test "a page opens with its policy, and its script runs" {
	page all --source "$FIXTURES/faults.snap"
	browse page.html --dump-dom
	grep -q 'class="mark"' shown
	run ! grep CONSOLE browser.log
}

@test "another script in it does not run" {
	page all --source "$FIXTURES/faults.snap"
	echo '<script>document.title = "ran"</script><img src="x" onerror="document.title = 1">' >>page.html
	browse page.html --dump-dom
	grep -q '<title>CRITICAL: ' shown
	grep -q 'CONSOLE.*Content Security Policy' browser.log
}

@test "every page is well-formed" {
	local command

	for command in all ports sm cables routes fattree "show leaf01" phy "counters --totals"; do
		echo "$command"
		# shellcheck disable=SC2086 # words are wanted
		page $command --source "$FIXTURES/phy.snap"
	done
	page topo --check "$FIXTURES/topo/plan.net"
	page checks
	page explain port.width
	page all --source "$FIXTURES/names.net"
}

@test "tables turn pages, sort and filter" {
	many_ports
	try <<-'END'
		const rows = () => all('#table-ports tbody tr'), cell = (r, c) => rows()[r].cells[c].textContent;
		const count = () => one('#table-ports .count').textContent.replace(/ /g, '_');
		const heads = all('#table-ports th');
		const node = heads.findIndex(h => h.textContent === 'NODE'), port = heads.findIndex(h => h.textContent === 'PORT');
		const type = text => {
			one('#table-ports input[type=search]').value = text;
			one('#table-ports input[type=search]').dispatchEvent(new Event('input'));
		};
		say('rows', rows().length);
		say('count', count());
		one('#table-ports [aria-label="next rows"]').click();
		say('next', count());
		heads[port].querySelector('button').click();
		say('least', cell(0, port));
		heads[port].querySelector('button').click();
		say('most', cell(0, port));
		say('sorted', heads[port].getAttribute('aria-sort'));
		heads[node].querySelector('button').click();
		say('first', cell(0, node));
		type('LEAF03 spine02/');
		say('found', rows().length);
		say('where', cell(0, node));
		type('nothing has this');
		say('none', count());
	END
	[ "$(told rows)" = 50 ]
	[ "$(told count)" = "1–50_of_$((54 * 37 + 648))" ]
	[ "$(told next)" = "51–100_of_$((54 * 37 + 648))" ]
	[ "$(told least)" = 0 ]
	[ "$(told most)" = 36 ]
	[ "$(told sorted)" = descending ]
	[ "$(told first)" = leaf01 ]
	[ "$(told found)" = 1 ]
	[ "$(told where)" = leaf03 ]
	[ "$(told none)" = no_such_row ]
}

@test "a case marks its rows, first and with its name, until Escape" {
	page ports --source "$FIXTURES/faults.snap"
	try <<-'END'
		const id = all('.case').find(c => c.textContent.includes('leaf01/3 - spine01/1')).dataset.case;
		one(`#case-${id} .mark`).click();
		say('marked', all('tbody tr.marked').length);
		say('first', one('#table-ports tbody tr').className);
		say('both', all('.case.marked, .glance .marked').length);
		say('bar', !one('.bar').hidden && one('.bar').textContent.includes(id));
		press(document.body, 'Escape');
		say('left', all('.marked').length);
		say('hidden', one('.bar').hidden);
	END
	[ "$(told marked)" = 2 ]
	[ "$(told first)" = marked ]
	[ "$(told both)" = 2 ]
	[ "$(told bar)" = true ]
	[ "$(told left)" = 0 ]
	[ "$(told hidden)" = true ]
}

@test "a case marks its cells, a cell its case and the rows of its cables" {
	page fattree --source "$TOP/topologies/ft-36x18+swapped.net"
	try <<-'END'
		const at = (row, col) => one(`.cell[data-row="${row}"][data-col="${col}"]`);
		const marked = () => all('.cell.marked').map(c => `${c.dataset.row}-${c.dataset.col}`).sort().join(',');
		one('.case .mark').click();
		say('cells', marked());
		say('faded', getComputedStyle(at('leaf01', 'spine01')).opacity < .5);
		press(document.body, 'Escape');
		at('leaf03', 'spine02').dispatchEvent(new MouseEvent('click', { bubbles: true }));
		say('case', all('.case.marked').length);
		say('told', one('.bar').textContent.replace(/ /g, '_'));
		at('leaf03', 'spine02').dispatchEvent(new MouseEvent('click', { bubbles: true }));
		say('again', all('.marked').length);
		at('leaf03', 'spine02').focus();
		press(document.activeElement, 'ArrowRight');
		press(document.activeElement, 'ArrowDown');
		say('focus', `${document.activeElement.dataset.row}-${document.activeElement.dataset.col}`);
		say('stops', all('.canvas [tabindex="0"]').length);
		press(document.activeElement, 'Enter');
		say('entered', all('.cell.marked').length);
		const svg = one('.canvas svg'), width = svg.getBoundingClientRect().width;
		one('[aria-label="larger"]').click();
		say('larger', svg.getBoundingClientRect().width > width * 1.4);
		one('[aria-label="the whole picture"]').click();
		say('whole', Math.abs(svg.getBoundingClientRect().width - width) < 1);
	END
	[ "$(told cells)" = leaf03-spine01,leaf03-spine02,leaf07-spine01,leaf07-spine02 ]
	[ "$(told faded)" = true ]
	[ "$(told case)" = 1 ]
	[[ $(told told) == *leaf03*spine02* ]]
	[ "$(told again)" = 0 ]
	[ "$(told focus)" = leaf04-spine03 ]
	[ "$(told stops)" = 1 ]
	[ "$(told entered)" -ge 1 ]
	[ "$(told larger)" = true ]
	[ "$(told whole)" = true ]
}

# A picture whose blocks are too many for their names, and all but some alike.
blocks='
	const figure = one("#picture-faults"), svg = figure.querySelector("svg"), list = figure.querySelector("select");
	const choice = text => all("#picture-faults option").find(o => o.textContent.includes(text));
	const zoom = text => { list.value = choice(text).value; list.dispatchEvent(new Event("change")); };
	const seen = (what, at = svg) => [...at.querySelectorAll(what)].filter(e => e.getClientRects().length);
	const shown = () => seen(".tile").map(t => t.dataset.name).join(",").replace(/ /g, "");
'

@test "a block is zoomed into with its names, and left again, by mouse and keyboard" {
	page fattree --source synth:fattree:levels=3,pods=16,leaves=8,spines=8,uplinks=8,hosts=8
	try < <(
		echo "$blocks"
		cat <<-'END'
			say('choices', all('#picture-faults option').length);
			say('before', seen('.tile').length);
			seen('.what')[1].dispatchEvent(new MouseEvent('click', { bubbles: true }));
			say('clicked', shown());
			say('names', seen('.rows text').concat(seen('.cols text')).length);
			say('said', figure.querySelector('[role=status]').textContent.replace(/ /g, '_'));
			press(document.body, 'Escape');
			say('back', seen('.tile').length + (svg.getAttribute('viewBox').startsWith('0 0 ') ? '' : 'wrong'));
			seen('.what')[2].focus();
			press(document.activeElement, 'Enter');
			say('entered', shown());
			say('focus', document.activeElement === list);
			one('[aria-label="the whole picture"]').click();
			say('whole', seen('.tile').length);
			zoom('leaf057 .. leaf064');
			say('alike', shown() + seen('.rows text')[0].textContent);
			say('stop', all('.canvas .cell[tabindex="0"]').filter(c => c.getClientRects().length).length);
			say('inside', seen('text').every(t => { const r = t.getBoundingClientRect(), s = svg.getBoundingClientRect();
				return r.left >= s.left - .5 && r.right <= s.right + .5 && r.top >= s.top - .5 && r.bottom <= s.bottom + .5; }));
		END
	)
	[ "$(told choices)" = 26 ]
	[ "$(told before)" = 3 ]
	[ "$(told clicked)" = leaf001..leaf008 ]
	[ "$(told names)" = 17 ]
	[ "$(told said)" = leaf_to_spine,_leaf001_.._leaf008._Escape:_whole_picture ]
	[ "$(told back)" = 3 ]
	[ "$(told entered)" = spine001..spine121 ]
	[ "$(told focus)" = true ]
	[ "$(told whole)" = 3 ]
	[ "$(told alike)" = leaf057..leaf064leaf057 ]
	[ "$(told stop)" = 1 ]
	[ "$(told inside)" = true ]
}

@test "of 45,056 hosts every cell has a name under the pointer once its block is zoomed into" {
	page fattree --source synth:fattree:levels=3,pods=44,leaves=32,spines=32,uplinks=32,hosts=32
	[ "$(stat -c %s page.html)" -lt 20000000 ]
	try < <(
		echo "$blocks"
		cat <<-'END'
			zoom('leaf0065 .. leaf0096');
			const run = seen('.run')[0], at = (row, col) => {
				const place = side => seen(`.${side} text`).map(t => t.getBoundingClientRect());
				const y = place('rows')[row], x = place('cols')[col];
				const clientX = (x.left + x.right) / 2, clientY = (y.top + y.bottom) / 2;
				document.elementFromPoint(clientX, clientY).dispatchEvent(new MouseEvent('mousemove', { bubbles: true, clientX, clientY }));
				return run.querySelector('title').textContent.replace(/ /g, '_');
			};
			svg.scrollIntoView();
			say('first', at(0, 1));
			say('other', at(7, 12));
			say('last', at(12, 32));
		END
	)
	[ "$(told first)" = 'leaf0065_-_spine0065;_cables:_1' ]
	[ "$(told other)" = 'leaf0072_-_spine0076;_cables:_1' ]
	[ "$(told last)" = 'leaf0077_-_spine0096;_cables:_1' ]
}

@test "a block that the picture has no room for is told, listed, and shown with what is marked" {
	slow_uplinks 1 levels=3,pods=70,leaves=4,spines=4,uplinks=4,hosts=2
	page all --checks port.width --source slow.snap
	try < <(
		echo "$blocks"
		cat <<-'END'
			const [, lost, hurt] = svg.textContent.match(/no room here: (\d+), with marks: (\d+)/);
			say('lost', lost > 0 && hurt > 0);
			say('choices', all('#picture-faults option').filter(o => o.textContent.includes('leaf to spine')).length);
			say('unmarked', all('#picture-faults option').filter(o => o.textContent.includes('leaf to spine') && !o.textContent.includes(', marks: ')).length);
			const last = all('.detail .cell').pop();
			say('hidden', last.getClientRects().length);
			last.dispatchEvent(new MouseEvent('click', { bubbles: true }));
			say('revealed', last.getClientRects().length);
		END
	)
	[ "$(told lost)" = true ]
	[ "$(told choices)" = 70 ]
	[ "$(told unmarked)" = 0 ]
	[ "$(told hidden)" = 0 ]
	[ "$(told revealed)" = 1 ]
}

@test "the style of a page hides nothing of a small fabric" {
	page fattree --source "$TOP/topologies/two-level-small.net"
	try <<-'END'
		say('texts', all('.canvas text').length);
		say('hidden', all('.canvas text').filter(t => !t.getClientRects().length).length);
		say('hosts', one('.canvas').textContent.includes('4 cables'));
	END
	[ "$(told texts)" -gt 6 ]
	[ "$(told hidden)" = 0 ]
	[ "$(told hosts)" = true ]
}

@test "what can be used has a name, and the keyboard reaches it" {
	page all --source "$FIXTURES/faults.snap"
	try <<-'END'
		const named = e => (e.getAttribute('aria-label') || e.textContent || e.closest('label')?.textContent || '').trim();
		say('nameless', all('button, input, a, summary, [role=button], [role=img]').filter(e => !named(e)).length);
		say('unreached', all('button, a').filter(e => e.tabIndex < 0).length);
		say('unheaded', all('th').filter(e => !e.scope && !e.className).length);
		say('signs', all('.label').filter(e => !e.textContent.trim()).length);
	END
	[ "$(told nameless)" = 0 ]
	[ "$(told unreached)" = 0 ]
	[ "$(told unheaded)" = 0 ]
	[ "$(told signs)" = 0 ]
}

# Of text and what is behind it, as WCAG 2 counts it.
contrast='
	const lit = c => c.match(/[\d.]+/g).slice(0, 3).map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
		.reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
	const ground = e => { const c = getComputedStyle(e).backgroundColor; return c !== "rgba(0, 0, 0, 0)" ? c : ground(e.parentElement); };
	const ratio = e => { const [a, b] = [lit(getComputedStyle(e).color), lit(ground(e))]; return (Math.max(a, b) + .05) / (Math.min(a, b) + .05); };
	const faint = all("h1, h2, h3, p, a, li, dt, dd, td, th, .label, .tiles li, button, summary")
		.filter(e => e.id !== "out" && !e.disabled && e.getClientRects().length && ratio(e) < 4.5);
	say("faint", faint.length + faint.slice(0, 3).map(e => "_" + e.tagName + "." + e.className).join("").replace(/ /g, "."));
	say("ground", lit(getComputedStyle(document.body).backgroundColor) > .5 ? "light" : "dark");
'

@test "it can be read in the light and in the dark" {
	page all --source "$FIXTURES/faults.snap"
	try <<<"$contrast"
	[ "$(told ground) $(told faint)" = "light 0" ]
	try --blink-settings=preferredColorScheme=0 <<<"$contrast"
	[ "$(told ground) $(told faint)" = "dark 0" ]
}

# narrow ARGS...: what is wrong with that page on a phone, 400 px wide; a frame, as no window of a browser is that small
narrow()
{
	page "$@"
	python3 - >framed.html <<-'END'
		import html, re
		text = re.sub("<meta[^>]*Content-Security-Policy[^>]*>", "", open("page.html").read())
		print('<iframe style="width:400px;height:900px;border:0" srcdoc="%s"></iframe>' % html.escape(text))
		print("""<pre id="out"></pre><script>onload = () => {
			const page = document.querySelector('iframe').contentDocument, root = page.documentElement;
			const say = (word, value) => document.getElementById('out').append(`\\nmeasured ${word} ${value}\\n`);
			const scrolls = e => e && e !== page.body && (/auto|scroll|hidden/.test(page.defaultView.getComputedStyle(e).overflowX) || scrolls(e.parentElement));
			const lines = e => { const r = page.createRange(); r.selectNodeContents(e); return r.getClientRects().length; };
			const over = [...page.body.querySelectorAll('*')].filter(e => e.getClientRects().length && !scrolls(e.parentElement)
				&& e.getBoundingClientRect().right > root.clientWidth + .5);
			say('wide', root.clientWidth);
			say('page', root.scrollWidth);
			say('over', over.length + over.slice(0, 3).map(e => `_${e.tagName}.${e.className}`).join(''));
			say('torn', [...page.querySelectorAll('nav a')].filter(a => lines(a) > 1).length);
			say('links', page.querySelectorAll('nav a').length);
		};</script>""")
	END
	browse framed.html --dump-dom
	sed -n 's/^measured //p' shown
}

@test "nothing is wider than a narrow screen" {
	local args

	# a list of blocks to choose from, each with a long name; wide tables; long names
	slow_uplinks 1 levels=3,pods=70,leaves=4,spines=4,uplinks=4,hosts=2
	for args in "all --source $FIXTURES/faults.snap" "all --checks port.width --source slow.snap" \
		"fattree --source $TOP/topologies/ft-36x18+swapped.net" "phy --source $FIXTURES/phy.snap" \
		"show leaf01 --source $FIXTURES/faults.snap" "all --source $FIXTURES/names.net"; do
		echo "$args"
		# shellcheck disable=SC2086 # words are wanted
		narrow $args
		[ "$(told page)" -le "$(told wide)" ]
		[ "$(told over)" = 0 ]
		[ "$(told torn)" = 0 ]
		[ "$(told links)" -ge 1 ]
	done
}

@test "without a script there are the first 50 rows, and the page says so" {
	many_ports
	# a frame in a sandbox runs none
	python3 - >framed.html <<-'END'
		import html
		print('<iframe sandbox="allow-same-origin" srcdoc="%s"></iframe>' % html.escape(open("page.html").read()))
		print("""<pre id="out"></pre><script>onload = () => {
			const page = document.querySelector('iframe').contentDocument;
			const note = page.querySelector('noscript p');
			const say = (word, value) => document.getElementById('out').append(`\\nmeasured ${word} ${value}\\n`);
			say('rows', page.querySelectorAll('#table-ports tbody tr').length);
			say('tools', page.querySelectorAll('.tools, button').length);
			say('note', note && note.getClientRects().length && note.textContent);
		};</script>""")
	END
	browse framed.html --dump-dom
	sed -n 's/^measured //p' shown
	[ "$(told rows)" = 50 ]
	[ "$(told tools)" = 0 ]
	[ "$(told note)" = "$((54 * 37 + 648 - 50)) more need the script." ]
}

@test "names with markup are text" {
	sed -e 's/leaf01/<script>x<\\\/script>/' -e "s/leaf02/<img src=x onerror='document.title=1'>/" \
		-e 's/spine01/\\"><b id=b>/' "$FIXTURES/faults.snap" >named.snap
	grep -q '<script>x' named.snap
	page all --source named.snap
	try <<-'END'
		say('elements', all('main img, main b[id], main script:not([type])').length);
		say('text', document.body.textContent.includes("<img src=x onerror='document.title=1'>"));
	END
	[ "$(told elements)" = 0 ]
	[ "$(told text)" = true ]
}

@test "the summary is a sheet of its own, and all of it on paper" {
	command -v pdftotext >/dev/null || skip "no pdftotext to read paper with: install poppler-utils"
	page all --source "$FIXTURES/faults.snap"
	browse page.html --no-pdf-header-footer --print-to-pdf=page.pdf
	pdftotext -layout page.pdf paper
	awk -v RS='\f' 'NR == 1' paper >first
	awk -v RS='\f' 'NR > 1' paper >others
	for text in CRITICAL 'What to do first' 'leaf01/3 - spine01/1' 'Fix:' 'What was covered' 'not answered: PortInfo'; do
		grep -q "$text" first
	done
	run ! grep -q '^ *Cases' first
	grep -q '^ *Cases' others
	grep -q 'width_active' others
	run ! grep -q 'Mark' paper
	pdfinfo page.pdf | grep -q 'Page size: .* (A4)'
}
