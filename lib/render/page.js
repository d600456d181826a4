// SPDX-License-Identifier: BSD-2-Clause
// What a page can do beyond being read: tables sort, filter and turn pages; a case marks its
// cells and rows, a cell its cases and cables.  Texts of the report are only ever textContent.
'use strict';
(() => {
const PAGE = 50, FEW = 8; // rows of a table at a time; so many need no filter
const all = (selector, at = document) => [...at.querySelectorAll(selector)];
const words = text => (text || '').split(' ').filter(Boolean);
const natural = new Intl.Collator('en', { numeric: true });

function make(tag, attributes = {}, ...children) {
	const e = document.createElement(tag);
	for (const [key, value] of Object.entries(attributes))
		key === 'onclick' ? e.addEventListener('click', value) : e.setAttribute(key, value);
	e.append(...children);
	return e;
}

// ---- what is marked: cases, and ends of cables
let chosen = { cases: new Set(), ends: new Set() };
const isChosen = (cases, ends) => cases.some(c => chosen.cases.has(c)) || ends.some(e => chosen.ends.has(e));
const anyChosen = () => chosen.cases.size + chosen.ends.size > 0;
const tables = [];

const told = make('span', { role: 'status' });
const bar = make('div', { class: 'bar', hidden: '' }, told,
	make('button', { type: 'button', onclick: () => choose([], [], '') }, 'Clear (Esc)'));

function choose(cases, ends, what) {
	chosen = { what, cases: new Set(cases), ends: new Set(ends) };
	for (const e of all('[data-case]', document.body))
		e.classList.toggle('marked', isChosen([e.dataset.case], []));
	for (const svg of all('.canvas svg')) {
		let marked = 0;
		for (const cell of all(CELLS, svg)) {
			const on = isChosen(words(cell.dataset.cases), words(cell.dataset.cables));
			cell.classList.toggle('marked', on);
			marked += on;
		}
		svg.classList.toggle('marking', marked > 0);
		svg.reveal?.();
	}
	let rows = 0;
	for (const t of tables)
		rows += t.mark();
	bar.hidden = !anyChosen();
	told.replaceChildren('Marked: ', what, ...cases.flatMap(id => [' ', caseLink(id)]),
		rows ? `; ${rows} row${rows === 1 ? '' : 's'} of tables, shown first` : '');
}

// ---- cases
for (const card of all('article.case')) {
	const id = card.dataset.case;
	const button = make('button', { type: 'button', class: 'mark', onclick: () =>
		chosen.cases.has(id) ? choose([], [], '') : choose([id], [], 'case') }, 'Mark');
	button.setAttribute('aria-label', `Mark what case ${id} names`);
	card.querySelector('.ids').append(' ', button);
}

// ---- tables
class Table {
	constructor(section) {
		this.section = section;
		this.table = section.querySelector('table');
		this.body = this.table.tBodies[0];
		this.heads = [...this.table.tHead.rows[0].cells];
		this.caseColumn = this.heads[0].textContent === 'CASE' ? 1 : 0;
		this.data = section.querySelector('script[type="application/json"]');
		this.rows = [...this.body.rows].map(tr => ({ tr, cases: words(tr.dataset.cases), ends: words(tr.dataset.ends),
			cells: [...tr.cells].map(td => td.textContent) }));
		this.shown = this.rows;
		this.first = 0;
		this.filter = '';
		this.addTools();
		if (this.data || this.rows.length > PAGE)
			this.show();
	}
	// rows that are data become rows when somebody looks for them
	load() {
		if (!this.data)
			return;
		for (const [ends, cases, ...cells] of JSON.parse(this.data.textContent))
			this.rows.push({ cases: words(cases), ends: words(ends), raw: cells,
				cells: this.caseColumn ? [cases, ...cells.map(String)] : cells.map(String) });
		this.data = null;
	}
	get length() {
		return this.data ? +this.section.querySelector('.extent').dataset.rows : this.shown.length;
	}
	addTools() {
		this.count = make('span', { class: 'count', role: 'status' });
		const button = (text, label, to) => make('button', { type: 'button', 'aria-label': label, onclick: () => {
			this.load();
			this.update(this.first + to * PAGE);
		} }, text);
		this.back = button('\u2039', 'previous rows', -1);
		this.on = button('\u203a', 'next rows', 1);
		const name = this.section.querySelector('h2').textContent;
		const search = this.search = make('input', { type: 'search', placeholder: 'Filter', 'aria-label': `filter ${name}: rows with all of these words` });
		search.addEventListener('input', () => {
			this.filter = search.value.toLowerCase();
			this.load();
			this.update(0);
		});
		const tools = make('div', { class: 'tools' }, search, this.back, this.count, this.on);
		if (this.caseColumn) {
			this.named = make('button', { type: 'button', 'aria-pressed': 'false', onclick: () => {
				this.named.setAttribute('aria-pressed', this.named.getAttribute('aria-pressed') === 'false');
				this.load();
				this.update(0);
			} }, 'Only rows of cases');
			tools.append(this.named);
		}
		const scroll = this.section.querySelector('.scroll');
		scroll.before(tools);
		tools.hidden = this.rows.length <= FEW;
		this.back.hidden = this.on.hidden = this.rows.length <= PAGE;
		scroll.tabIndex = 0;
		scroll.setAttribute('role', 'region');
		scroll.setAttribute('aria-label', name);
		this.heads.forEach((th, i) => {
			const sort = make('button', { type: 'button', onclick: () => this.sort(i) }, ...th.childNodes);
			th.replaceChildren(sort);
		});
	}
	sort(i, down = this.heads[i].getAttribute('aria-sort') === 'ascending' ? -1 : 1) {
		const number = this.heads[i].classList.contains('n');
		this.load();
		// what is not known stands last, whichever way
		const key = row => row.cells[i] === '-' || row.cells[i] === '' ? null : number ? +row.cells[i] : row.cells[i];
		const order = number ? (a, b) => a - b : natural.compare;
		this.rows = this.rows.map(row => [key(row), row]).sort(([a], [b]) =>
			a === null || b === null ? (a === null) - (b === null) : down * order(a, b)).map(([, row]) => row);
		for (const th of this.heads)
			th.removeAttribute('aria-sort');
		this.heads[i].setAttribute('aria-sort', down > 0 ? 'ascending' : 'descending');
		this.update(0);
	}
	// what somebody has chosen to see, and that again; columns by name, as that of cases may come and go
	get view() {
		const sorted = this.heads.find(th => th.hasAttribute('aria-sort'));
		return { filter: this.search.value, named: this.named?.getAttribute('aria-pressed'), first: this.first,
			by: sorted?.textContent, down: sorted?.getAttribute('aria-sort') === 'descending' ? -1 : 1 };
	}
	set view({ filter, named, first, by, down }) {
		const column = this.heads.findIndex(th => th.textContent === by);
		this.search.value = filter;
		this.filter = filter.toLowerCase();
		if (named)
			this.named?.setAttribute('aria-pressed', named);
		if (column >= 0)
			this.sort(column, down);
		if (first || filter || named === 'true')
			this.load();
		this.update(first);
	}
	mark() {
		if (anyChosen())
			this.load();
		this.update(0);
		return anyChosen() ? this.rows.filter(r => isChosen(r.cases, r.ends)).length : 0;
	}
	update(first) {
		const wanted = words(this.filter);
		const named = this.named && this.named.getAttribute('aria-pressed') === 'true';
		this.shown = this.rows;
		if (named || wanted.length)
			this.shown = this.rows.filter(r => (!named || r.cases.length) &&
				wanted.every(w => r.cells.some(c => c.toLowerCase().includes(w))));
		if (anyChosen()) {
			const marked = r => isChosen(r.cases, r.ends);
			this.shown = [...this.shown.filter(marked), ...this.shown.filter(r => !marked(r))];
		}
		this.first = Math.max(0, Math.min(first, this.shown.length - 1));
		this.first -= this.first % PAGE;
		this.show();
	}
	show() {
		const rows = this.shown.slice(this.first, this.first + PAGE);
		this.body.replaceChildren(...rows.map(r => {
			r.tr ||= this.row(r);
			r.tr.classList.toggle('marked', isChosen(r.cases, r.ends));
			return r.tr;
		}));
		const n = this.length;
		this.count.textContent = n ? `${this.first + 1}\u2013${this.first + rows.length} of ${n}` : 'no such row';
		this.back.disabled = !this.first;
		this.on.disabled = this.first + PAGE >= n;
	}
	row(r) {
		const tr = make('tr');
		if (this.caseColumn)
			tr.append(make('td', {}, ...r.cases.flatMap((id, i) => [i ? ' ' : '', caseLink(id)])));
		r.raw.forEach((value, i) => {
			const head = this.heads[i + this.caseColumn];
			tr.append(make('td', { class: head.className }, value ?? ''));
		});
		return tr;
	}
}

function caseLink(id) {
	const card = document.getElementById(`case-${id}`);
	if (!card)
		return id;
	const sign = card.querySelector('.sign');
	return make('a', { href: `#case-${id}`, class: card.classList[1] }, ...(sign ? [sign.cloneNode(true), ' '] : []), id);
}

for (const section of all('section.table'))
	if (section.querySelector('tbody'))
		tables.push(new Table(section));

// ---- pictures: cells, and marks of a whole row or column
const CELLS = '.cell, .line';

function chooseCell(cell) {
	if (cell.classList.contains('marked') && chosen.from === cell) {
		choose([], [], '');
		return;
	}
	choose(words(cell.dataset.cases), words(cell.dataset.cables), cell.dataset.node ?? `${cell.dataset.row} - ${cell.dataset.col}`);
	chosen.from = cell;
}

// One stop of the tabulator for all cells; arrows lead to the next one in the same row or column.
function addKeys(canvas, cells) {
	const arrows = { ArrowUp: ['top', -1, 'col'], ArrowDown: ['top', 1, 'col'], ArrowLeft: ['left', -1, 'row'], ArrowRight: ['left', 1, 'row'] };
	const next = (cell, [side, sign, line]) => {
		const from = cell.getBoundingClientRect()[side];
		return cells.filter(c => c.dataset[line] === cell.dataset[line] && isSeen(c))
			.map(c => [sign * (c.getBoundingClientRect()[side] - from), c])
			.filter(([distance]) => distance > 1).sort(([a], [b]) => a - b).map(([, c]) => c)[0];
	};
	const isSeen = cell => cell.getClientRects().length > 0;
	let stop;
	const stopAt = cell => {
		stop?.setAttribute('tabindex', '-1');
		stop = cell;
		stop?.setAttribute('tabindex', '0');
	};
	for (const cell of cells) {
		cell.setAttribute('tabindex', '-1');
		cell.setAttribute('role', 'button');
	}
	canvas.addEventListener('keydown', event => {
		const cell = event.target.closest(CELLS), arrow = arrows[event.key], to = cell && arrow && next(cell, arrow);
		if (!cell || (!arrow && event.key !== 'Enter' && event.key !== ' '))
			return;
		event.preventDefault();
		if (!arrow)
			chooseCell(cell);
		to?.focus();
	});
	canvas.addEventListener('focusin', event => {
		const cell = event.target.closest(CELLS);
		if (cell)
			stopAt(cell);
	});
	return () => stopAt(cells.find(isSeen));
}

// What is under the pointer where cells have no element each.
function nameCell(svg, event) {
	const run = event.target.closest('.run'), tile = run?.closest('.tile');
	if (!tile?.querySelector('.rows'))
		return;
	const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
	const [x, y] = words(tile.dataset.at).map(Number);
	const nearest = (side, to) => all(`.${side} text`, tile).map(t => [Math.abs(t.getAttribute('y') - to), t])
		.reduce((a, b) => b[0] < a[0] ? b : a)[1];
	const name = text => (text.querySelector('title') ?? text).textContent;
	if (!run.firstChild)
		run.append(document.createElementNS(svg.namespaceURI, 'title'));
	run.firstChild.textContent = `${name(nearest('rows', at.y - y))} - ${name(nearest('cols', at.x - x))}; ${run.dataset.what}`;
}

// One block alone: its place in the picture, or where that has no room for names a larger drawing.
const zooms = [];

function addZoom(figure, canvas, svg, moved) {
	const tiles = [...new Map(all('.tile', svg).map(tile => [tile.dataset.no, tile])).values()]
		.sort((a, b) => a.dataset.no - b.dataset.no);
	if (tiles.length < 2)
		return { to() {}, shown: null, name: null };
	const size = ['viewBox', 'width', 'height'].map(a => [a, svg.getAttribute(a)]);
	const said = make('span', { class: 'count', role: 'status' }), list = make('select', { 'aria-label': 'block of the picture' });
	const hurt = tile => all('[class^=k-], .line', tile).reduce((n, e) => n + +(e.dataset.marks ?? 1), 0);
	const name = tile => [tile.querySelector('.what').textContent, tile.dataset.name].filter(Boolean).join(', ');
	const marks = tile => hurt(tile) ? `, marks: ${hurt(tile)}` : '';
	const zoom = { shown: null, get name() {
		return zoom.shown && name(zoom.shown);
	}, set name(wanted) {
		zoom.to(tiles.find(tile => name(tile) === wanted));
	}, to(tile) {
		zoom.shown?.classList.remove('shown');
		zoom.shown = tile ?? null;
		svg.classList.toggle('alone', !!tile);
		canvas.classList.toggle('zoomed', !!tile);
		svg.style.width = '';
		for (const [attribute, value] of size)
			svg.setAttribute(attribute, value);
		if (tile) {
			tile.classList.add('shown');
			const [, , width, height] = words(tile.dataset.view).map(Number);
			const by = Math.max(1, Math.min(2, (canvas.clientWidth - 20) / width, .8 * innerHeight / height));
			svg.setAttribute('viewBox', tile.dataset.view);
			svg.setAttribute('width', width * by);
			svg.setAttribute('height', height * by);
		}
		list.value = tile ? tile.dataset.no : '';
		said.textContent = tile ? `${name(tile)}${marks(tile)}. Escape: whole picture` : '';
		moved();
	} };
	list.append(make('option', { value: '' }, 'Whole picture'),
		...tiles.map(tile => make('option', { value: tile.dataset.no }, name(tile) + marks(tile))));
	list.addEventListener('change', () => zoom.to(tiles.find(tile => tile.dataset.no === list.value)));
	for (const head of all('.tile > .what', svg)) {
		const tile = tiles.find(t => t.dataset.no === head.parentNode.dataset.no);
		for (const [key, value] of Object.entries({ tabindex: 0, role: 'button', 'aria-label': `show ${name(tile)} alone` }))
			head.setAttribute(key, value);
	}
	// a click beside the cells: on the names of a block, or on cells that have no element each
	const zoomInto = event => {
		const tile = event.target.closest(CELLS) ? null : event.target.closest('.tile');
		if (tile && !zoom.shown)
			zoom.to(tiles.find(t => t.dataset.no === tile.dataset.no));
		return !!tile;
	};
	canvas.addEventListener('click', zoomInto);
	canvas.addEventListener('keydown', event => {
		if ((event.key === 'Enter' || event.key === ' ') && event.target.matches('.what') && zoomInto(event)) {
			event.preventDefault();
			list.focus();
		}
	});
	canvas.addEventListener('mousemove', event => nameCell(svg, event));
	// what is marked is to be seen: if no block in sight has it, the first that does
	svg.reveal = () => {
		const marked = all('.marked', svg);
		if (marked.length && !marked.some(cell => cell.getClientRects().length))
			zoom.to(tiles.find(tile => tile.querySelector('.marked')));
	};
	figure.querySelector('.tools').append(list, said);
	zooms.push(zoom);
	return zoom;
}

const pictures = [];
for (const figure of all('.picture')) {
	const canvas = figure.querySelector('.canvas'), svg = canvas.querySelector('svg'), cells = all(CELLS, canvas);
	let zoom = null, times = 1;
	pictures.push({ figure, get view() {
		return { block: zoom.name, times };
	}, set view(view) {
		zoom.name = view.block;
		scale(view.times);
	} });
	const scale = by => {
		const width = svg.getBoundingClientRect().width / times;
		if (!by)
			zoom.to(null);
		times = by ? Math.max(1, Math.min(16, times * by)) : 1;
		canvas.classList.toggle('zoomed', times > 1 || zoom.shown !== null);
		svg.style.width = times > 1 ? `${width * times}px` : '';
	};
	const button = (text, label, by) => make('button', { type: 'button', 'aria-label': label, onclick: () => scale(by) }, text);
	figure.querySelector('figcaption').after(make('div', { class: 'tools' }, button('+', 'larger', 1.5), button('\u2212', 'smaller', 1 / 1.5),
		button('Whole', 'the whole picture', 0)));
	canvas.addEventListener('click', event => {
		const cell = event.target.closest(CELLS);
		if (cell)
			chooseCell(cell);
	});
	svg.setAttribute('role', 'group'); // of an image nothing inside could be reached
	const restop = cells.length ? addKeys(canvas, cells) : null;
	restop?.();
	zoom = addZoom(figure, canvas, svg, () => {
		times = 1;
		restop?.();
	});
}

document.addEventListener('keydown', event => {
	if (event.key !== 'Escape')
		return;
	if (anyChosen())
		choose([], [], '');
	else
		zooms.forEach(zoom => zoom.shown && zoom.to(null));
});
// evidence that is folded away is not on paper
addEventListener('beforeprint', () => all('.case details').forEach(d => { d.open = true; }));
document.body.append(bar);

// ---- loaded again, as "serve" does at each sample, a page stays as it was left
const KEPT = `ibcheck ${location.pathname}${location.search}`, SHOWN = '.case details, .more input', SCROLLED = '.scroll, .canvas';

function pathOf(e) {
	if (e === document.body || e.id)
		return e.id ? `#${CSS.escape(e.id)}` : 'body';
	const { row, col } = e.dataset;
	return row === undefined ? `${pathOf(e.parentElement)} > :nth-child(${[...e.parentElement.children].indexOf(e) + 1})` :
		`${pathOf(e.closest('figure'))} [data-row="${CSS.escape(row)}"][data-col="${CSS.escape(col)}"]`;
}
const found = path => all(path).find(e => e.getClientRects().length);

function keep() {
	const at = document.activeElement, above = all('main [id]').filter(e => e.getBoundingClientRect().top < innerHeight / 4).pop();
	sessionStorage.setItem(KEPT, JSON.stringify({
		chosen: anyChosen() && [[...chosen.cases], [...chosen.ends], chosen.what],
		tables: tables.map(t => [t.section.id, t.view]),
		pictures: pictures.map(p => [p.figure.id, p.view]),
		shown: all(SHOWN).filter(e => e.open || e.checked).map(pathOf),
		scrolled: all(SCROLLED).filter(e => e.scrollTop || e.scrollLeft).map(e => [pathOf(e), e.scrollLeft, e.scrollTop]),
		above: scrollY && above && [above.id, above.getBoundingClientRect().top],
		at: at && at !== document.body && [pathOf(at), at.selectionStart, at.selectionEnd],
	}));
}

function restore(kept) {
	if (kept.chosen)
		choose(...kept.chosen);
	for (const [id, view] of kept.tables)
		Object.assign(tables.find(t => t.section.id === id) ?? {}, { view });
	for (const [id, view] of kept.pictures)
		Object.assign(pictures.find(p => p.figure.id === id) ?? {}, { view });
	for (const path of kept.shown)
		for (const e of all(path))
			e.open = e.checked = true;
	const [path, from, to] = kept.at || [], at = path && found(path);
	at?.focus({ preventScroll: true });
	if (at && from !== undefined && from !== null)
		at.setSelectionRange(from, to);
	for (const [path, left, top] of kept.scrolled)
		found(path)?.scrollTo(left, top);
	const above = kept.above && document.getElementById(kept.above[0]);
	if (above)
		scrollBy(0, above.getBoundingClientRect().top - kept.above[1]);
}

// where a browser keeps nothing, or something else, a page begins anew
try {
	const kept = performance.getEntriesByType('navigation')[0].type === 'reload' && sessionStorage.getItem(KEPT);
	addEventListener('pagehide', keep);
	history.scrollRestoration = 'manual';
	if (kept)
		restore(JSON.parse(kept));
} catch {
	history.scrollRestoration = 'auto';
}
})();
