/* SPDX-License-Identifier: BSD-2-Clause */
/* What jobs and kernels say of connections: files, lines that are wrapped, events. */
#include "source/joblog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/words.h"
#include "source/source.h"

#define LINE_BYTES  16384 /* of a line that are looked at, before an anchor and behind it */
#define BUFFER      (2 * LINE_BYTES + TEXT_CHUNK)
#define WRAP_LINES  6    /* lines that one of 400 bytes becomes at 72 columns */
#define WRAP_WIDTH  160  /* what is longer was not wrapped: twice a terminal */
#define WRAP_BYTES  2048 /* of all of them */
#define KEY_BYTES   4096 /* LOG_TEXTS names, and numbers */
#define PENDING     1024 /* processes whose second line may follow; of more the last are kept */

/* ---- words ---------------------------------------------------------------------------------- */

static const struct word_entry programs[] = {
	{ IBC_LOG_NCCL, { "nccl", "NCCL" } },
	{ IBC_LOG_RCCL, { "rccl", "RCCL" } },
	{ IBC_LOG_UCX, { "ucx", "UCX" } },
	{ IBC_LOG_OPENMPI, { "openmpi", "Open MPI" } },
	{ IBC_LOG_MVAPICH, { "mvapich", "MVAPICH" } },
	{ IBC_LOG_LIBFABRIC, { "libfabric", "libfabric" } },
	{ IBC_LOG_LUSTRE, { "lustre", "Lustre" } },
	{ IBC_LOG_GPFS, { "gpfs", "GPFS" } },
	{ IBC_LOG_NFS, { "nfs", "NFS" } },
	{ IBC_LOG_KERNEL, { "kernel", "kernel" } },
	WORDS_END,
};

const struct ibc_word *ibc_log_program_word(enum ibc_log_program program)
{
	return words_find(programs, program);
}

static const struct word_entry kinds[] = {
	{ IBC_LOG_COMPLETION, { "completion", "completion with an error" } },
	{ IBC_LOG_LOST, { "lost", "connection lost" } },
	{ IBC_LOG_PORT_EVENT, { "port_event", "event of a port" } },
	{ IBC_LOG_DEVICE, { "device", "failure of an HCA" } },
	{ IBC_LOG_USING, { "using", "ports in use" } },
	{ IBC_LOG_SOCKETS, { "sockets", "TCP sockets in use" } },
	WORDS_END,
};

const struct ibc_word *ibc_log_kind_word(enum ibc_log_kind kind)
{
	return words_find(kinds, kind);
}

const char *ibc_wc_status_name(int status)
{
	static const char *const names[] = {
		"IBV_WC_SUCCESS",           "IBV_WC_LOC_LEN_ERR",       "IBV_WC_LOC_QP_OP_ERR",
		"IBV_WC_LOC_EEC_OP_ERR",    "IBV_WC_LOC_PROT_ERR",      "IBV_WC_WR_FLUSH_ERR",
		"IBV_WC_MW_BIND_ERR",       "IBV_WC_BAD_RESP_ERR",      "IBV_WC_LOC_ACCESS_ERR",
		"IBV_WC_REM_INV_REQ_ERR",   "IBV_WC_REM_ACCESS_ERR",    "IBV_WC_REM_OP_ERR",
		"IBV_WC_RETRY_EXC_ERR",     "IBV_WC_RNR_RETRY_EXC_ERR", "IBV_WC_LOC_RDD_VIOL_ERR",
		"IBV_WC_REM_INV_RD_REQ_ERR", "IBV_WC_REM_ABORT_ERR",    "IBV_WC_INV_EECN_ERR",
		"IBV_WC_INV_EEC_STATE_ERR", "IBV_WC_FATAL_ERR",         "IBV_WC_RESP_TIMEOUT_ERR",
		"IBV_WC_GENERAL_ERR",       "IBV_WC_TM_ERR",            "IBV_WC_TM_RNDV_INCOMPLETE",
	};

	return status >= 0 && status < (int)ARRAY_SIZE(names) ? names[status] : NULL;
}

/* ---- events --------------------------------------------------------------------------------- */

/* struct log_slot - one event; what its lines have in common is the key */
struct log_slot {
	UT_hash_handle hh;
	struct ibc_log_event event;
	char key[];
};

/* struct log_pending - the last first line of a process, which a second line may complete */
struct log_pending {
	struct log_slot *slot;
	unsigned long line;
};

struct log_reader {
	struct ibc_joblog public;
	struct arena *arena;
	time_t now;
	const char *host;
	struct log_scanner *scanner;
	struct json_reader json;
	struct log_slot *slots;
	struct log_pending *pending;
	struct text_file *text;
	const char *name;
	unsigned long line;  /* of the byte at counted */
	size_t held, counted; /* bytes in buffer; those whose lines are counted */
	char *buffer, *message; /* BUFFER bytes; a line, or several that were one */
};

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

/* All that lines of one event have in common, and in which IBC_LOG_BUCKET they were. */
static size_t key_of(const struct log_fact *f, long long bucket, char key[KEY_BYTES])
{
	const struct ibc_log_event *e = &f->event;
	int n = snprintf(key, KEY_BYTES, "%d %d %d %d %d %u %u %llx %llx %llx %llx %lld",
	                 (int)e->program, (int)e->kind, e->status, e->vendor_error, e->roce,
	                 e->own.port, e->peer.lid, (unsigned long long)e->own.gid_prefix,
	                 (unsigned long long)e->own.gid_guid,
	                 (unsigned long long)e->peer.gid_prefix,
	                 (unsigned long long)e->peer.gid_guid, bucket);
	size_t length = (size_t)n;

	for (size_t i = 0; i < LOG_TEXTS; i++) {
		key[length++] = '\n';
		memcpy(key + length, f->text[i].at ?: "", f->text[i].n);
		length += f->text[i].n;
	}
	return length;
}

/* The event that a line at this time belongs to, or NULL; @key is that of its own bucket. */
static struct log_slot *find_slot(struct log_reader *r, const struct log_fact *f, time_t time,
                                  char key[KEY_BYTES], size_t *n)
{
	static const int near[] = { -1, 1, 0 }; /* its own comes last, and so its key stays */
	long long bucket = time / IBC_LOG_BUCKET;
	struct log_slot *slot = NULL, *found = NULL;

	for (size_t i = time ? 0 : 2; i < ARRAY_SIZE(near); i++) {
		const struct ibc_log_event *e;

		*n = key_of(f, time ? bucket + near[i] : -1, key);
		HASH_FIND(hh, r->slots, key, *n, slot);
		e = slot ? &slot->event : NULL;
		if (e && (near[i] == 0 || (time < e->first + IBC_LOG_BUCKET &&
		                           e->last < time + IBC_LOG_BUCKET)))
			found = slot;
	}
	return found;
}

static void add_event(struct log_reader *r, struct log_fact *f, time_t time, unsigned long line)
{
	char key[KEY_BYTES], text[IBC_LOG_TEXT + 1];
	size_t n;
	struct log_slot *slot = find_slot(r, f, time, key, &n);
	struct ibc_log_event *e;

	if (!slot && HASH_COUNT(r->slots) >= IBC_LOG_EVENTS) {
		r->public.dropped++;
		return;
	}
	if (!slot) {
		slot = arena_alloc(r->arena, sizeof(*slot) + n);
		e = &slot->event;
		*e = f->event;
		memcpy(slot->key, key, n);
		HASH_ADD_KEYPTR(hh, r->slots, slot->key, n, slot);
		if (!hash_added(slot))
			longjmp(*arena_entry(r->arena), 1);
		e->own.host = keep(r, f->text[LOG_OWN_HOST]);
		e->own.address = keep(r, f->text[LOG_OWN_ADDRESS]);
		e->own.device = keep(r, f->text[LOG_OWN_DEVICE]);
		e->own.pci = keep(r, f->text[LOG_OWN_PCI]);
		e->peer.host = keep(r, f->text[LOG_PEER_HOST]);
		e->peer.address = keep(r, f->text[LOG_PEER_ADDRESS]);
		e->peer.device = e->peer.pci = "";
		e->process = keep(r, f->text[LOG_PROCESS]);
		e->text = shown(f->begins, text);
		e->text = arena_strdup(r->arena, e->text);
		e->first = e->last = time;
		e->file = r->name;
		e->line = line;
	}
	e = &slot->event;
	e->count++;
	e->first = time < e->first ? time : e->first;
	e->last = time > e->last ? time : e->last;
}

/* ---- lines ---------------------------------------------------------------------------------- */

static void lose(struct log_reader *r, const char *what)
{
	if (r->public.lost++ == 0) {
		char text[IBC_LOG_TEXT + 1];

		r->public.first_lost =
		    arena_printf(r->arena, "%s:%lu: %s", r->name, r->line, shown(what, text));
	}
}

static void take_fact(struct log_reader *r, const char *line, struct log_origin *o,
                      struct log_fact *f)
{
	if (!o->host.n && r->host)
		o->host = (struct log_span){ r->host, strlen(r->host) };
	if (!f->text[LOG_OWN_HOST].n)
		f->text[LOG_OWN_HOST] = o->host;
	f->text[LOG_PROCESS] = o->process;
	if (f->event.program == IBC_LOG_NCCL && memmem(line, (size_t)(f->begins - line), "rccl", 4))
		f->event.program = IBC_LOG_RCCL;
	add_event(r, f, o->time, r->line);
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
	while (r->counted < to) {
		const char *nl = memchr(r->buffer + r->counted, '\n', to - r->counted);

		r->line += nl != NULL;
		r->counted = nl ? (size_t)(nl - r->buffer) + 1 : to;
	}
}

/* Of a line that was wrapped: what follows, up to the next that has an anchor. */
static size_t append_wrapped(struct log_reader *r, size_t n, size_t from)
{
	enum log_anchor anchor;

	for (int i = 0; i < WRAP_LINES && from < r->held; i++) {
		size_t end, begin = from + (r->buffer[from] == '\r');

		begin += begin < r->held && r->buffer[begin] == '\n';
		end = line_end(r, begin);
		if (end - begin > WRAP_WIDTH ||
		    log_scan(r->scanner, r->buffer, begin, end, &anchor) < end)
			break;
		n = append(r->message, n, " ", 1);
		n = append(r->message, n, r->buffer + begin, end - begin);
		from = end;
	}
	return n;
}

/* The line of a hit; returns where the next one begins. */
static size_t take_line(struct log_reader *r, size_t floor, size_t hit, enum log_anchor anchor)
{
	size_t begin = hit, end = line_end(r, hit), n;
	const char *rest = NULL;
	struct log_fact f = { 0 };
	struct log_origin o = { 0 };
	enum log_outcome outcome;
	char *text;

	while (begin > floor && hit - begin < LINE_BYTES && r->buffer[begin - 1] != '\n' &&
	       r->buffer[begin - 1] != '\r')
		begin--;
	count_lines(r, begin);
	n = append(r->message, 0, r->buffer + begin, end - begin);
	take_escapes_out(r->message);
	text = log_unwrap(&r->json, r->message, strlen(r->message), r->now, &o);
	n = strlen(text);
	outcome = log_form(anchor, text, n, &rest, &f);
	if (outcome != LOG_PARSED && text == r->message && end - begin <= WRAP_WIDTH) {
		append_wrapped(r, n, end);
		outcome = log_form(anchor, text, n, &rest, &f);
	}
	r->public.recognised += outcome != LOG_NOT_OURS;
	if (outcome == LOG_UNPARSED)
		lose(r, f.begins);
	if (outcome != LOG_PARSED)
		return end;
	log_prefix(text, f.begins, r->now, &o);
	do
		take_fact(r, text, &o, &f);
	while (rest && log_form(anchor, text, n, &rest, &f) == LOG_PARSED);
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
		if (got < 0)
			r->public.cut = r->public.cut
			                    ? arena_printf(r->arena, "%s, %s", r->public.cut, r->name)
			                    : r->name;
		if (got > 0) {
			memcpy(r->buffer + r->held, bytes, (size_t)got);
			r->held += (size_t)got;
			r->public.bytes += (uint64_t)got;
		}
		limit = got > 0 ? (r->held > LINE_BYTES ? r->held - LINE_BYTES : 0) : r->held;
		while (at < limit) {
			size_t hit = log_scan(r->scanner, r->buffer, at, r->held, &anchor);

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
	rc = take_text(r, err);
	r->public.lines += r->line - 1 + (r->held && r->buffer[r->held - 1] != '\n');
	text_close(r->text);
	r->text = NULL;
	return rc;
}

static void finish(struct log_reader *r)
{
	size_t n = 0;
	struct ibc_log_event *all =
	    arena_array(r->arena, HASH_COUNT(r->slots) + 1, sizeof(*all));

	/* uthash keeps them in the order in which they were added */
	for (struct log_slot *slot = r->slots; slot; slot = slot->hh.next)
		if (slot->event.count)
			all[n++] = slot->event;
	r->public.events = all;
	r->public.num = n;
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
	r->now = opts ? opts->now : 0;
	r->host = opts ? opts->host : NULL;
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
