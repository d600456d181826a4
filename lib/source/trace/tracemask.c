/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The same capture, but for the names in it.  What is replaced gets the next number, the same
 * wherever it occurs: so the copy replays, and its faults are the same.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/nodename.h"
#include "source/capture.h"
#include "wire/mad.h"
#include "wire/sa.h"

#define NAME_BYTES     64    /* of a NodeDescription, and of a ServiceName */
#define OUI_SHIFT      40    /* the upper 24 bits of a GUID are its vendor's */
#define BASES          65536 /* the 16 bits behind them: one that no GUID has marks the aliases */
#define BASE_SHIFT     24    /* and the 24 behind these are the number */
#define PREFIX_DEFAULT 0xfe80000000000000 /* of a subnet (IBA 4.1.3) */
#define PREFIX_ALIAS   0xfec0dddd00000000 /* of a subnet; made up */
#define GROUP_ALIAS    0x0dd00000         /* likewise */

/* What was met, and the number it becomes. */
struct alias {
	unsigned char what[NAME_BYTES];
	uint64_t number;
	UT_hash_handle hh;
};

struct masking {
	struct alias *guids, *names, *prefixes, *groups, *serials, *cas;
	struct arena *arena;
	const struct ibc_capture *cap;
	struct ibc_recording *rec;
	size_t sweep;
	uint64_t base;
	uint8_t bases[BASES / 8];
	bool out_of_memory;
};

/* ---- what is secret in a capture ---------------------------------------------------------------
 */

/* Those of a long answer that come behind its first, with what was visited in the whole. */
static bool visit_long(const struct ibc_capture *cap, size_t i, uint8_t **ready,
                       struct arena *arena,
                       void (*visit)(void *ctx, enum secret what, uint8_t *bytes, size_t n),
                       void *ctx)
{
	size_t length, k = 0;
	uint8_t *whole = capture_join(cap, &cap->mads[i], arena, &length);

	if (!whole)
		return false;
	mad_secrets(whole, length, visit, ctx);
	for (size_t at = i + 1; at; at = cap->mads[at - 1].segment) {
		ready[at - 1] = arena_alloc(arena, MAD_SIZE);
		if (!ready[at - 1])
			return false;
		sa_segment_put(ready[at - 1], whole, length, k++);
	}
	return true;
}

int capture_secrets(const struct ibc_capture *cap,
                    void (*visit)(void *ctx, enum secret what, uint8_t *bytes, size_t n),
                    void (*each)(void *ctx, size_t i, const uint8_t *mad), void *ctx)
{
	struct arena *arena = arena_new();
	uint8_t **ready = arena ? arena_array(arena, cap->num + 1, sizeof(*ready)) : NULL;
	uint8_t mad[MAD_SIZE];
	bool ok = ready;

	for (size_t i = 0; ok && i < cap->num; i++) {
		const struct capture_mad *m = &cap->mads[i];

		memset(mad, 0, MAD_SIZE);
		memcpy(mad, m->packet.bytes, m->packet.length);
		if (!ready[i] && m->segment && sa_segment_number(mad) == 1)
			ok = visit_long(cap, i, ready, arena, visit, ctx);
		else if (!ready[i])
			mad_secrets(mad, m->packet.length, visit, ctx);
		if (ok && each)
			each(ctx, i, ready[i] ? ready[i] : mad);
	}
	arena_free(arena);
	return ok ? 0 : -ENOMEM;
}

/* Behind a shorter text are zeros, in front of a word blanks. */
bool next_naming_word(const char *text, size_t n, size_t *at, size_t *length)
{
	size_t end = strnlen(text, n);
	char word[NAME_BYTES + 1];

	/* what a protocol calls a service says nothing of a site; a replay asks for it by name */
	if (!strncmp(text, SA_SERVICE_SHARP, n))
		return false;
	for (*length = 0;; *at += *length) {
		while (*at < end && text[*at] == ' ')
			++*at;
		for (*length = 0; *at + *length < end && text[*at + *length] != ' ';)
			++*length;
		snprintf(word, sizeof(word), "%.*s", (int)*length, text + *at);
		if (!*length || !is_common_word(word))
			return *length;
	}
}

bool find_serial(const char *text, size_t n, size_t *at, size_t *length)
{
	char serial[NAME_BYTES + 1];

	for (*at = 0; *at < n && (text[*at] == ' ' || !text[*at]);)
		++*at;
	for (*length = strnlen(text + *at, n - *at); *length && text[*at + *length - 1] == ' ';)
		--*length;
	snprintf(serial, sizeof(serial), "%.*s", (int)*length, text + *at);
	return *length &&
	       (strncmp(serial, "SN0", 3) != 0 || strspn(serial + 2, "0123456789") != *length - 2);
}

/* Of IPoIB (RFC 4391 4): broadcast, and the first groups of IPv4 and IPv6, which hosts join. */
bool is_common_mgid(const uint8_t mgid[16])
{
	const uint64_t group = bytes_get(mgid + 8, 8), signature = bytes_get(mgid + 2, 2);

	return (!bytes_get(mgid + 6, 6) && bytes_get(mgid + 12, 2) == GROUP_ALIAS >> 16) ||
	       (signature == 0x401b && (group == UINT32_MAX || group <= 0xff)) ||
	       (signature == 0x601b && group <= 0x1ffff);
}

bool is_common_prefix(const uint8_t prefix[8])
{
	return bytes_get(prefix, 8) == PREFIX_DEFAULT || bytes_get(prefix, 4) == PREFIX_ALIAS >> 32;
}

/* ---- aliases -------------------------------------------------------------------------------- */

/* The number of the first n bytes, from 1; 0 when out of memory. */
static uint64_t number_of(struct masking *m, struct alias **aliases, const void *what, size_t n)
{
	struct alias key = { .number = 0 }, *found;

	memcpy(key.what, what, n);
	HASH_FIND(hh, *aliases, key.what, sizeof(key.what), found);
	if (found)
		return found->number;
	found = arena_alloc(m->arena, sizeof(*found));
	if (found) {
		*found = key;
		found->number = HASH_COUNT(*aliases) + 1;
		HASH_ADD(hh, *aliases, what, sizeof(found->what), found);
	}
	if (found && hash_added(found))
		return found->number;
	m->out_of_memory = true;
	return 0;
}

static void mark_base(void *ctx, enum secret what, uint8_t *bytes, size_t n)
{
	struct masking *m = ctx;
	uint64_t base;

	if (what != SECRET_GUID)
		return;
	base = bytes_get(bytes, n) >> BASE_SHIFT & (BASES - 1);
	m->bases[base / 8] |= (uint8_t)(1 << base % 8);
}

static void mask_guid(struct masking *m, uint8_t *bytes)
{
	uint64_t guid = bytes_get(bytes, 8);

	if (guid)
		bytes_put(bytes, 8,
		          (guid >> OUI_SHIFT << OUI_SHIFT) | m->base << BASE_SHIFT |
		              number_of(m, &m->guids, bytes, 8));
}

static void mask_prefix(struct masking *m, uint8_t *bytes)
{
	if (bytes_get(bytes, 8) && !is_common_prefix(bytes))
		bytes_put(bytes, 8, PREFIX_ALIAS | number_of(m, &m->prefixes, bytes, 8));
}

/* The group of a neighbour's solicitation has the end of its GUID, that of IPv4 is its address. */
static void mask_mgid(struct masking *m, uint8_t *bytes)
{
	uint64_t number;

	if (*bytes != 0xff || is_common_mgid(bytes))
		return;
	number = number_of(m, &m->groups, bytes, 16);
	memset(bytes + 6, 0, 6); /* flags, scope, signature and P_Key stay */
	bytes_put(bytes + 12, 4, GROUP_ALIAS | number);
}

/* Each word that says who it is; "HCA-1" or a model says what. */
static void mask_name(struct masking *m, uint8_t *bytes, size_t n)
{
	const char *text = (const char *)bytes;
	char masked[16 * NAME_BYTES] = "";
	size_t at = 0, length, from = 0, end = 0;

	for (; next_naming_word(text, n, &at, &length); from = at += length)
		end += (size_t)sprintf(
		    masked + end, "%.*sname%04llu", (int)(at - from), text + from,
		    (unsigned long long)number_of(m, &m->names, bytes + at, length));
	if (!end)
		return;
	end += (size_t)sprintf(masked + end, "%.*s", (int)(strnlen(text, n) - from), text + from);
	memset(bytes, 0, n);
	memcpy(bytes, masked, end < n ? end : n);
}

static void mask_serial(struct masking *m, uint8_t *bytes, size_t n)
{
	char masked[NAME_BYTES];
	size_t at, length;

	if (!find_serial((const char *)bytes, n, &at, &length))
		return;
	snprintf(masked, sizeof(masked), "SN%06llu%16s",
	         (unsigned long long)number_of(m, &m->serials, bytes + at, length), "");
	memcpy(bytes, masked, n);
}

static void mask_secret(void *ctx, enum secret what, uint8_t *bytes, size_t n)
{
	struct masking *m = ctx;

	switch (what) {
	case SECRET_GUID:
		mask_guid(m, bytes);
		break;
	case SECRET_PREFIX:
		mask_prefix(m, bytes);
		break;
	case SECRET_MGID:
		mask_mgid(m, bytes);
		break;
	case SECRET_NAME:
		mask_name(m, bytes, n);
		break;
	case SECRET_SERIAL:
		mask_serial(m, bytes, n);
		break;
	case SECRET_KEY:
	case SECRET_GID:
	case SECRET_OTHER:
	case SECRET_UNUSED:
		memset(bytes, 0, n);
	}
}

/* ---- the copy ---------------------------------------------------------------------------------
 */

static void write_masked(void *ctx, size_t i, const uint8_t *mad)
{
	struct masking *m = ctx;
	struct erf_record r = m->cap->mads[i].packet;

	for (; m->sweep < m->cap->num_sweeps && m->cap->sweeps[m->sweep].first == i; m->sweep++) {
		struct capture_sweep nameless = m->cap->sweeps[m->sweep];
		struct transport_port *from = &nameless.from;

		snprintf(from->host, sizeof(from->host), "host");
		snprintf(from->ca, sizeof(from->ca), "ca%llu",
		         (unsigned long long)number_of(m, &m->cas, from->ca, strlen(from->ca)));
		recording_comment(m->rec, &nameless);
	}
	r.bytes = mad;
	recording_mad(m->rec, &r);
}

int ibc_capture_anonymize(const struct ibc_capture *cap, FILE *file, const char *path,
                          struct ibc_error *err)
{
	struct masking m = { .arena = arena_new(), .cap = cap };
	struct alias **aliases[] = {
		&m.guids, &m.names, &m.prefixes, &m.groups, &m.serials, &m.cas
	};
	int rc;

	if (!m.arena)
		return fail_nomem(err);
	rc = capture_secrets(cap, mark_base, NULL, &m) ? fail_nomem(err) : 0;
	while (m.base < BASES - 1 && m.bases[m.base / 8] >> m.base % 8 & 1)
		m.base++;
	if (rc == 0)
		rc = ibc_recording_new(file, path, &m.rec, err);
	if (rc == 0)
		m.out_of_memory |= capture_secrets(cap, mask_secret, write_masked, &m) != 0;
	for (size_t i = 0; i < ARRAY_SIZE(aliases); i++)
		HASH_CLEAR(hh, *aliases[i]);
	arena_free(m.arena);
	if (rc == 0)
		rc = ibc_recording_end(m.rec, err);
	return rc == 0 && m.out_of_memory ? fail_nomem(err) : rc;
}
