/* SPDX-License-Identifier: BSD-2-Clause */
/* What jobs and kernels say of connections: files, lines that are wrapped, events. */
#include "source/jobs/joblog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/str.h"
#include "base/utf8.h"
#include "source/source.h"

#define LINE_BYTES   16384 /* of a line that are looked at, before an anchor and behind it */
#define BUFFER       (2 * LINE_BYTES + TEXT_CHUNK) /* what is kept of a file */
#define WRAP_LINES   6    /* lines that one of 400 bytes becomes at 72 columns */
#define WRAP_WIDTH   256  /* what is longer was not wrapped: more than terminals have */
#define WRAP_BYTES   2048 /* of all of them */
#define LINE_FORMS   64   /* of one line: lines that are glued, a text of JSON */
#define ANCHOR_BYTES 64   /* the longest anchor has half of it */
#define KEY_BYTES    4096 /* LOG_TEXTS names, and numbers */
#define NEAR         64   /* times of one event that are looked at, for lines in disorder */
#define PENDING      1024 /* processes whose second line may follow; of more the last are kept */

/* ---- events --------------------------------------------------------------------------------- */

/*
 * struct log_slot - one event; what its lines have in common is the key of the first
 * @more: the same at another time, the last of them first
 * @order: of its first line
 */
struct log_slot {
	UT_hash_handle hh;
	struct log_slot *more;
	struct ibc_log_event event;
	uint64_t order;
	char key[];
};

/* struct log_pending - the last first line of a process, which a second line may complete */
struct log_pending {
	struct log_slot *slot;
	time_t time;
	unsigned long line;
	uint64_t order;
};

struct log_reader {
	struct ibc_joblog public;
	struct arena *arena;
	struct log_clock clock;
	struct log_scanner *scanner;
	struct json_reader json;
	struct log_slot *slots;
	size_t num_slots;
	struct log_pending *pending;
	uint64_t order; /* of the last line that made an event */
	struct text_file *text;
	const char *name;
	unsigned long line;     /* of the byte at counted */
	size_t held, counted;   /* bytes in buffer; those whose lines are counted */
	char *buffer, *message; /* BUFFER bytes; a line, or several that were one */
};

static struct log_span span_of(const char *text)
{
	return (struct log_span){ text, strlen(text) };
}

static const char *keep(struct log_reader *r, struct log_span span)
{
	return arena_strndup(r->arena, span.at ?: "", span.n);
}

/* A line as people read it. */
static const char *shown(const char *line, char text[IBC_LOG_TEXT + 1])
{
	size_t n = strcspn(line, "\n");

	while (n && strchr(" \t", line[n - 1]))
		n--;
	n = n < IBC_LOG_TEXT ? n : IBC_LOG_TEXT;
	memcpy(text, line, n);
	text[n] = '\0';
	utf8_drop_cut(text);
	utf8_scrub(text);
	return text;
}

/* All that lines of one event have in common, but for the time. */
static size_t key_of(const struct log_fact *f, char key[KEY_BYTES])
{
	const struct ibc_log_event *e = &f->event;
	const uint64_t numbers[] = { (uint64_t)e->program << 32 | (uint64_t)e->kind,
		                     (uint64_t)e->status << 32 | (uint32_t)e->vendor_error,
		                     (uint64_t)e->own.port << 32 | e->peer.lid,
		                     e->own.gid_prefix,
		                     e->own.gid_guid,
		                     e->peer.gid_prefix,
		                     e->peer.gid_guid,
		                     e->roce };
	size_t length = sizeof(numbers);

	memcpy(key, numbers, length);
	for (size_t i = 0; i < LOG_TEXTS; i++) {
		memcpy(key + length, f->text[i].at ?: "", f->text[i].n);
		length += f->text[i].n;
		key[length++] = '\n';
	}
	return length;
}

/* The one that a line at this time belongs to, or that a second line left without any; or NULL. */
static struct log_slot *near_slot(struct log_slot *slot, time_t time)
{
	for (int i = 0; slot && i < NEAR; i++, slot = slot->more) {
		const struct ibc_log_event *e = &slot->event;

		if (!e->count || (!e->first == !time && time < e->first + IBC_LOG_BUCKET &&
		                  e->last < time + IBC_LOG_BUCKET))
			return slot;
	}
	return NULL;
}

static struct log_slot *add_slot(struct log_reader *r, const struct log_fact *f,
                                 struct log_slot *first, const char *key, size_t n)
{
	struct log_slot *slot = arena_alloc(r->arena, sizeof(*slot) + n);
	struct ibc_log_event *e = &slot->event;

	*e = f->event;
	e->own.host = keep(r, f->text[LOG_OWN_HOST]);
	e->own.address = keep(r, f->text[LOG_OWN_ADDRESS]);
	e->own.device = keep(r, f->text[LOG_OWN_DEVICE]);
	e->own.pci = keep(r, f->text[LOG_OWN_PCI]);
	e->peer.host = keep(r, f->text[LOG_PEER_HOST]);
	e->peer.address = keep(r, f->text[LOG_PEER_ADDRESS]);
	e->peer.device = e->peer.pci = "";
	e->process = keep(r, f->text[LOG_PROCESS]);
	r->num_slots++;
	if (first) {
		slot->more = first->more;
		first->more = slot;
		return slot;
	}
	memcpy(slot->key, key, n);
	HASH_ADD_KEYPTR(hh, r->slots, slot->key, n, slot);
	if (!hash_added(slot))
		longjmp(*arena_entry(r->arena), 1);
	return slot;
}

static struct log_slot *count_event(struct log_reader *r, const struct log_fact *f, time_t time,
                                    unsigned long line)
{
	char key[KEY_BYTES], text[IBC_LOG_TEXT + 1];
	size_t n = key_of(f, key);
	struct log_slot *first, *slot;
	struct ibc_log_event *e;

	HASH_FIND(hh, r->slots, key, n, first);
	slot = near_slot(first, time);
	if (!slot && r->num_slots >= IBC_LOG_EVENTS) {
		r->public.dropped++;
		return NULL;
	}
	slot = slot ?: add_slot(r, f, first, key, n);
	e = &slot->event;
	r->order++;
	if (!e->count++) {
		e->text = arena_strdup(r->arena, shown(f->begins, text));
		e->first = e->last = time;
		e->file = r->name;
		e->line = line;
		slot->order = r->order;
	}
	e->first = time < e->first ? time : e->first;
	e->last = time > e->last ? time : e->last;
	return slot;
}

static struct log_pending *pending_of(struct log_reader *r, const struct log_fact *f)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < f->text[LOG_PROCESS].n; i++)
		hash = hash_mix(hash + (unsigned char)f->text[LOG_PROCESS].at[i]);
	return &r->pending[hash % PENDING];
}

/* The peer that a second line names makes of what the first one says another event. */
static void add_second(struct log_reader *r, struct log_fact *f)
{
	struct log_pending *p = pending_of(r, f);
	struct log_slot *slot = p->slot, *whole;
	const struct ibc_log_end peer = f->event.peer;
	bool roce = f->event.roce;

	if (!slot || !log_is(f->text[LOG_PROCESS], slot->event.process))
		return;
	p->slot = NULL;
	f->event = slot->event;
	f->event.peer.lid = roce || slot->event.roce ? 0 : peer.lid;
	f->event.peer.gid_prefix = peer.gid_prefix;
	f->event.peer.gid_guid = peer.gid_guid;
	f->event.roce |= roce;
	f->event.count = 0;
	f->text[LOG_OWN_HOST] = span_of(slot->event.own.host);
	f->text[LOG_OWN_DEVICE] = span_of(slot->event.own.device);
	f->begins = slot->event.text;
	whole = count_event(r, f, p->time, p->line);
	if (!whole)
		return;
	whole->order = whole->event.count == 1 ? p->order : whole->order;
	slot->event.count--;
}

/* ---- lines ---------------------------------------------------------------------------------- */

static void lose(struct log_reader *r, const char *what)
{
	if (r->public.lost++ == 0) {
		char text[IBC_LOG_TEXT + 1];

		r->public.first_lost = arena_printf(r->arena, "%s:%lu: %s", r->name, r->line,
		                                    shown(what, text));
	}
}

static void take_fact(struct log_reader *r, const char *line, struct log_origin *o,
                      struct log_fact *f)
{
	struct log_slot *slot;

	if (!f->text[LOG_OWN_HOST].n)
		f->text[LOG_OWN_HOST] = o->host;
	f->text[LOG_PROCESS] = o->process;
	if (f->second) {
		add_second(r, f);
		return;
	}
	if (f->event.program == IBC_LOG_NCCL && memmem(line, (size_t)(f->begins - line), "rccl", 4))
		f->event.program = IBC_LOG_RCCL;
	slot = count_event(r, f, o->time, r->line);
	if (slot && f->event.program == IBC_LOG_UCX && o->process.n)
		*pending_of(r, f) = (struct log_pending){ slot, o->time, r->line, r->order };
}

/* Puts bytes behind the message, fit for text: what no line has is "?". */
static size_t append(char *to, size_t n, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		to[n + i] = bytes[i] ? bytes[i] : '?';
	to[n + length] = '\0';
	return n + length;
}

static size_t line_end(const struct log_reader *r, size_t at)
{
	size_t n = r->held - at < LINE_BYTES ? r->held - at : LINE_BYTES;
	const char *end = memchr(r->buffer + at, '\n', n), *cr;

	n = end ? (size_t)(end - r->buffer) - at : n;
	cr = memchr(r->buffer + at, '\r', n);
	return cr ? (size_t)(cr - r->buffer) : at + n;
}

static void count_lines(struct log_reader *r, size_t to)
{
	const uint64_t ones = UINT64_MAX / 255, low = ones * 0x7f; /* of each byte */

	for (; r->counted + 8 <= to; r->counted += 8) {
		uint64_t eight;

		memcpy(&eight, r->buffer + r->counted, sizeof(eight));
		eight ^= ones * '\n';
		eight = ~(((eight & low) + low) | eight | low); /* the top bit of what was LF */
		r->line += (eight >> 7) * ones >> 56;
	}
	for (; r->counted < to; r->counted++)
		r->line += r->buffer[r->counted] == '\n';
}

/* How much of the prefix of a line the next one has too: each that srun -l writes has it. */
static size_t same_prefix(const char *a, const char *z, size_t n)
{
	size_t same = 0, i = 0;

	for (; i < n && a[i] && a[i] == z[i]; i++)
		if (i && a[i] == ' ' && strchr(":>]", a[i - 1]))
			same = i + 1;
	return same;
}

/* Of a line that was wrapped: what follows, up to the next that has an anchor; false: nothing. */
static bool append_wrapped(struct log_reader *r, size_t n, size_t begin, size_t from)
{
	const size_t alone = n;
	enum log_anchor anchor;

	for (int i = 0; i < WRAP_LINES && from < r->held; i++) {
		size_t at = from + (r->buffer[from] == '\r'), end;

		at += at < r->held && r->buffer[at] == '\n';
		end = line_end(r, at);
		if (end - at > WRAP_WIDTH ||
		    log_scan(r->scanner, r->buffer, at, end, &anchor) < end)
			break;
		at += same_prefix(r->buffer + begin, r->buffer + at, end - at);
		n = append(r->message, n, " ", 1);
		n = append(r->message, n, r->buffer + at, end - at);
		from = end;
	}
	return n > alone;
}

/* The form of the message from @text on, which goes on in the lines behind *end where it may, once.
 */
static enum log_outcome read_form(struct log_reader *r, enum log_anchor anchor, char *text,
                                  size_t begin, size_t *end, struct log_fact *f)
{
	size_t n = strlen(text);
	bool may = *end && *end - begin <= WRAP_WIDTH;
	enum log_outcome outcome = log_form(anchor, text, n, *end == r->held, f), joined;
	struct log_fact whole = { 0 };

	if (!may || (!f->short_of && !f->rest) ||
	    !append_wrapped(r, (size_t)(text - r->message) + n, begin, *end))
		return outcome;
	joined = log_form(anchor, text, n, false, &whole);
	if (f->rest || (joined == LOG_PARSED && whole.ends > text + n)) {
		if (!f->rest)
			r->message[whole.ends - r->message] = '\0';
		*f = whole;
		*end = 0;
		return joined;
	}
	text[n] = '\0';
	return outcome;
}

/*
 * All that the message has from @text on.  The host of what is glued to something else is not
 * known; lines of a text of JSON have their own.
 */
static void take_message(struct log_reader *r, char *text, size_t begin, size_t end,
                         const struct log_origin *origin)
{
	unsigned int passed = 0; /* a bit for each anchor that has no form here */
	char *from = text;
	enum log_anchor anchor;
	size_t n = strlen(text), at = 0;

	for (int left = LINE_FORMS; (at = log_scan(r->scanner, text, at, n, &anchor)) < n; at++) {
		struct log_fact f = { 0 };
		struct log_origin o = *origin;
		enum log_outcome outcome;

		if (passed & 1U << anchor)
			continue;
		outcome = read_form(r, anchor, from, begin, &end, &f);
		passed = outcome == LOG_NOT_OURS ? passed | 1U << anchor : 0;
		if (outcome == LOG_NOT_OURS)
			continue;
		n = strlen(text);
		r->public.recognised++;
		if (outcome == LOG_UNPARSED || !left)
			lose(r, f.begins);
		if (!left--)
			return;
		if (from == text || memchr(from, '\n', (size_t)(f.begins - from)))
			log_prefix(from, f.begins, &r->clock, &o);
		do
			if (outcome == LOG_PARSED)
				take_fact(r, text, &o, &f);
		while (f.rest && log_next_port(&f.rest, &f));
		from = (char *)(outcome == LOG_PARSED ? f.ends - 1 : f.begins + 1);
		at = (size_t)(from - text);
	}
}

/* The line of a hit; returns where the next one begins. */
static size_t take_line(struct log_reader *r, size_t floor, size_t hit, enum log_anchor anchor)
{
	size_t begin = hit, end = line_end(r, hit);
	struct log_origin o = { 0 };
	char *text;

	while (begin > floor && hit - begin < LINE_BYTES && r->buffer[begin - 1] != '\n' &&
	       r->buffer[begin - 1] != '\r')
		begin--;
	count_lines(r, begin);
	append(r->message, 0, r->buffer + begin, end - begin);
	take_escapes_out(r->message);
	text = log_unwrap(&r->json, log_anchors[anchor], r->message, &r->clock, &o);
	take_message(r, text, begin, text == r->message ? end : 0, &o);
	return end;
}

/* ---- files ---------------------------------------------------------------------------------- */

static int take_text(struct log_reader *r, struct ibc_error *err)
{
	size_t at = 0, floor = 0, drop;
	ssize_t got = 1;

	while (got > 0) {
		char *bytes;
		size_t limit;
		enum log_anchor anchor;

		got = text_chunk(r->text, &bytes, err);
		if (got < 0 && got != -EBADMSG)
			return (int)got;
		if (got < 0 && err)
			*err->text = '\0'; /* it is no failure */
		if (got < 0)
			r->public.cut = r->public.cut ? arena_printf(r->arena, "%s, %s",
			                                             r->public.cut, r->name)
			                              : r->name;
		if (got > 0) {
			memcpy(r->buffer + r->held, bytes, (size_t)got);
			r->held += (size_t)got;
			r->public.bytes += (uint64_t)got;
		}
		limit = got > 0 ? (r->held > LINE_BYTES ? r->held - LINE_BYTES : 0) : r->held;
		while (at < limit) {
			size_t end = limit + ANCHOR_BYTES < r->held ? limit + ANCHOR_BYTES
			                                            : r->held;
			size_t hit = log_scan(r->scanner, r->buffer, at, end, &anchor);

			at = hit < limit ? hit : limit;
			if (hit < limit)
				at = floor = take_line(r, floor, hit, anchor);
		}
		drop = at > LINE_BYTES ? at - LINE_BYTES : 0;
		count_lines(r, drop);
		memmove(r->buffer, r->buffer + drop, r->held - drop);
		r->held -= drop;
		r->counted -= drop;
		at -= drop;
		floor -= floor > drop ? drop : floor;
	}
	count_lines(r, r->held);
	return 0;
}

static int take_file(struct log_reader *r, const char *path, struct ibc_error *err)
{
	bool standard = !strcmp(path, "-");
	int rc;

	if (standard) {
		int fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);

		rc = fd < 0 ? fail(err, -errno, "cannot read standard input: %s", strerror(errno))
		            : text_take(fd, "standard input", &r->text, err);
	} else {
		rc = text_open(path, &r->text, err);
	}
	if (rc)
		return rc;
	r->name = utf8_clean(r->arena, text_name(r->text), strlen(text_name(r->text)));
	r->line = 1;
	r->held = r->counted = 0;
	memset(r->pending, 0, PENDING * sizeof(*r->pending));
	rc = take_text(r, err);
	r->public.lines += r->line - 1 + (r->held && r->buffer[r->held - 1] != '\n');
	text_close(r->text);
	r->text = NULL;
	return rc;
}

static int by_order(const void *va, const void *vz)
{
	const struct log_slot *const *a = va, *const *z = vz;

	return order_u64((*a)->order, (*z)->order);
}

static int by_process(const void *va, const void *vz)
{
	const struct ibc_log_event *const *a = va, *const *z = vz;

	return strcmp((*a)->process, (*z)->process);
}

/* All of the HCAs that its process uses are Ethernet, or the one that it names. */
static bool uses_ethernet(const struct ibc_log_event *e, const struct ibc_log_event **uses,
                          size_t n)
{
	const struct ibc_log_event **use = n && *e->process
	                                       ? bsearch(&e, uses, n, sizeof(*uses), by_process)
	                                       : NULL;
	bool any = false;

	while (use && use > uses && !by_process(use - 1, &e))
		use--;
	for (; use && use < uses + n && !by_process(use, &e); use++) {
		if (*e->own.device && strcmp((*use)->own.device, e->own.device) != 0)
			continue;
		if (!(*use)->roce)
			return false;
		any = true;
	}
	return any;
}

/* What a process said of its HCAs holds for its lines that say nothing of the link. */
static void apply_uses(struct log_reader *r, struct ibc_log_event *all)
{
	const struct ibc_log_event **uses = arena_array(r->arena, r->public.num + 1, sizeof(*uses));
	size_t n = 0;

	for (size_t i = 0; i < r->public.num; i++)
		if (all[i].kind == IBC_LOG_USING && *all[i].process)
			uses[n++] = &all[i];
	if (n)
		qsort(uses, n, sizeof(*uses), by_process);
	for (size_t i = 0; n && i < r->public.num; i++)
		if (all[i].kind != IBC_LOG_USING && !all[i].roce)
			all[i].roce = uses_ethernet(&all[i], uses, n);
}

static void finish(struct log_reader *r)
{
	struct log_slot **slots = arena_array(r->arena, r->num_slots + 1,
	                                      sizeof(struct log_slot *));
	struct ibc_log_event *all = arena_array(r->arena, r->num_slots + 1, sizeof(*all));
	size_t n = 0;

	for (struct log_slot *first = r->slots; first; first = first->hh.next)
		for (struct log_slot *slot = first; slot; slot = slot->more)
			slots[n++] = slot;
	qsort(slots, n, sizeof(struct log_slot *), by_order);
	for (size_t i = 0; i < n; i++)
		if (slots[i]->event.count)
			all[r->public.num++] = slots[i]->event;
	apply_uses(r, all);
	r->public.events = all;
}

int ibc_joblog_read(const char *const *paths, size_t n, const struct ibc_joblog_opts *opts,
                    struct ibc_joblog **out, struct ibc_error *err)
{
	struct arena *arena = arena_new();
	struct log_reader *r = arena ? arena_alloc(arena, sizeof(*r)) : NULL;
	volatile int rc = 0;

	*out = NULL;
	if (!r || setjmp(*arena_entry(arena))) {
		rc = fail_nomem(err);
		goto out;
	}
	r->arena = arena;
	r->clock.now = opts ? opts->now : 0;
	r->scanner = log_scanner_new(arena);
	r->pending = arena_array(arena, PENDING, sizeof(*r->pending));
	r->buffer = arena_alloc(arena, BUFFER);
	r->message = arena_alloc(arena, 2 * LINE_BYTES + WRAP_BYTES);
	for (size_t i = 0; !rc && i < n; i++)
		rc = take_file(r, paths[i], err);
	if (!rc)
		finish(r);
out:
	if (r) {
		HASH_CLEAR(hh, r->slots);
		json_reader_free(&r->json);
		text_close(r->text);
	}
	if (rc) {
		arena_free(arena);
		return rc;
	}
	arena_escape(arena, NULL);
	*out = &r->public;
	return 0;
}

void ibc_joblog_free(struct ibc_joblog *log)
{
	if (log)
		arena_free(((struct log_reader *)log)->arena);
}
