"use strict";
/* The frame shows the last sample: an event tells of a new one.  Its page stays as it was left. */
const state = document.getElementById("state");
const view = document.querySelector("iframe");
const PATIENCE = 5000; /* ms: a page that takes longer is not coming */
let sample = null, shown = null, leaving = -PATIENCE;

function age(seconds) {
	const units = [[86400, " days"], [3600, " h"], [60, " min"]];
	const unit = units.find(([size]) => seconds >= 2 * size) || [1, " s"];
	return Math.max(0, Math.floor(seconds / unit[0])) + unit[1];
}

/* The clock of the host that looks may be wrong: only what has passed since is counted here. */
function tell() {
	if (!sample)
		return;
	const old = age(sample.age_seconds + (performance.now() - sample.heard) / 1000);
	state.className = sample.failed ? "failed" : sample.verdict;
	state.textContent = (sample.time ? sample.verdict.toUpperCase() + ", " + old + " ago" : "No sample yet") +
		(sample.failed ? "; the last sweep failed, see health" : "") +
		(sample.lost ? "; no connection to ibcheck" : "");
	document.title = state.textContent + " - ibcheck";
}

/* Who goes to another page gets that: to load this one again would hold them here. */
function follow() {
	leaving = -PATIENCE;
	view.contentWindow.addEventListener("beforeunload", () => { leaving = performance.now(); });
}
view.addEventListener("load", follow);
follow();

const events = new EventSource("events");
events.onmessage = (event) => {
	sample = Object.assign(JSON.parse(event.data), { heard: performance.now() });
	if (shown !== null && sample.time !== shown && performance.now() - leaving > PATIENCE)
		view.contentWindow.location.reload();
	shown = sample.time;
	tell();
};
events.onerror = () => {
	if (sample)
		sample.lost = true;
	tell();
};
setInterval(tell, 1000);
