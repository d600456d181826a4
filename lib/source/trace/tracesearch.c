/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is anything of a capture in another one, which ought to be a copy without it?  All of its GUIDs,
 * names, serial numbers, keys and addresses are looked for in all bytes of the other file, wherever
 * they lie, and as they may be packed.
 *
 * What is so short that bytes are equal to it by chance is looked for where chance is none: a short
 * name as a word, one of less than four characters, and a number that is small, in the fields of
 * MADs that have names and numbers of its kind.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/nodename.h"
#include "source/capture.h"
#include "wire/mad.h"

#define NEEDLE_MAX  64          /* bytes: a NodeDescription */
#define WINDOW      4           /* bytes at the end of a needle that are looked up */
#define GUID_END    5           /* bytes of a GUID behind those of its vendor */
#define NONZERO_MIN 3           /* so many that are not 0 are no small number */
#define LONG_NAME   8           /* characters: fewer are a word by chance, as "gpu1" in "xgpu12" */
#define HEADS       65536       /* lists of needles: one for each of most fabrics */
#define CHANCE_MAX  1e12        /* about 256^5: so many comparisons, and one is equal by chance */
#define FOLD_BITS   0x20202020u /* what differs between letters of two cases */

enum how { ANYWHERE, AS_WORD, IN_FIELDS };

struct needle {
	uint8_t bytes[NEEDLE_MAX];
	uint8_t length, kind, how;
	bool found;
	uint32_t next; /* of its list: its index + 1 */
	UT_hash_handle hh;
};

struct search {
	struct ibc_capture_search *out;
	struct arena *arena;
	struct needle *all, **list;
	size_t num, room, ends;
	uint32_t heads[HEADS];
	bool out_of_memory;
};

/* ---- what is looked for ---------------------------------------------------------------------- */

static void add(struct search *s, enum ibc_identity kind, enum how how, const void *bytes, size_t n)
{
	struct needle key = { .length = (uint8_t)n, .kind = (uint8_t)kind, .how = (uint8_t)how };
	struct needle *needle;

	for (size_t i = 0; i < n; i++)
		key.bytes[i] = kind == IBC_IDENTITY_NAME || kind == IBC_IDENTITY_SERIAL
		                   ? (uint8_t)tolower(((const uint8_t *)bytes)[i])
		                   : ((const uint8_t *)bytes)[i];
	HASH_FIND(hh, s->all, key.bytes, NEEDLE_MAX, needle);
	if (needle || s->out_of_memory)
		return;
	needle = arena_alloc(s->arena, sizeof(*needle));
	s->out_of_memory |= !needle || !arena_grow(s->arena, &s->list, s->num, &s->room,
	                                           sizeof(struct needle *));
	if (s->out_of_memory)
		return;
	*needle = key;
	HASH_ADD(hh, s->all, bytes, NEEDLE_MAX, needle);
	s->out_of_memory |= !hash_added(needle);
	s->list[s->num++] = needle;
	s->out->of[kind].known++;
	s->out->of[kind].brief += how == IN_FIELDS;
	s->ends += n == GUID_END;
}

static size_t nonzero(const uint8_t *bytes, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += bytes[i] != 0;
	return count;
}

static void add_number(struct search *s, enum ibc_identity kind, const uint8_t *bytes, size_t n)
{
	const bool is_guid = kind == IBC_IDENTITY_GUID;
	const size_t first = is_guid ? n - GUID_END : 0;

	if (nonzero(bytes + first, n - first) >= NONZERO_MIN)
		add(s, kind, ANYWHERE, bytes + first, n - first);
	else if (nonzero(bytes, n))
		add(s, kind, IN_FIELDS, bytes, n);
}

static void add_words(struct search *s, enum ibc_identity kind, const char *text, size_t n)
{
	enum how how = n >= LONG_NAME ? ANYWHERE : n >= WINDOW ? AS_WORD : IN_FIELDS;

	if (n && n <= NEEDLE_MAX)
		add(s, kind, how, text, n);
}

/* And what a name is made of: host and domain, the system of a switch. */
static void add_names(struct search *s, const char *text, size_t n)
{
	char whole[NEEDLE_MAX + 1], system[NODENAME_MAX];
	size_t at = 0, length, part;

	snprintf(whole, sizeof(whole), "%.*s", (int)n, text);
	if (name_of_system(system, whole))
		add_words(s, IBC_IDENTITY_NAME, system, strcspn(system, " /"));
	for (; next_naming_word(text, n, &at, &length); at += length) {
		snprintf(whole, sizeof(whole), "%.*s", (int)length, text + at);
		part = strcspn(whole, ".");
		add_words(s, IBC_IDENTITY_NAME, whole, length);
		if (part && part + 1 < length && !is_nameless(whole, part)) {
			add_words(s, IBC_IDENTITY_NAME, whole, part);
			add_words(s, IBC_IDENTITY_NAME, whole + part + 1, length - part - 1);
		}
	}
}

static void learn(void *ctx, enum secret what, uint8_t *bytes, size_t n)
{
	struct search *s = ctx;
	const char *text = (const char *)bytes;
	size_t at, length;

	switch (what) {
	case SECRET_GUID:
		add_number(s, IBC_IDENTITY_GUID, bytes, n);
		break;
	case SECRET_PREFIX:
		if (!is_common_prefix(bytes))
			add_number(s, IBC_IDENTITY_ADDRESS, bytes, n);
		break;
	case SECRET_MGID:
		if (!is_common_mgid(bytes)) /* but for flags and scope */
			add_number(s, IBC_IDENTITY_ADDRESS, bytes + 2, n - 2);
		break;
	case SECRET_KEY: /* and what a notice quotes is none */
		for (at = 0; n <= 16 && at + 8 <= n; at += 8)
			add_number(s, IBC_IDENTITY_KEY, bytes + at, 8);
		break;
	case SECRET_NAME:
		add_names(s, text, n);
		break;
	case SECRET_SERIAL:
		if (find_serial(text, n, &at, &length))
			add_words(s, IBC_IDENTITY_SERIAL, text + at, length);
		break;
	case SECRET_GID:
	case SECRET_OTHER:
	case SECRET_UNUSED:
		break;
	}
}

/* ---- looking --------------------------------------------------------------------------------- */

static uint32_t list_of(const uint8_t *end)
{
	const uint32_t folded = (uint32_t)bytes_get(end - WINDOW, WINDOW) | FOLD_BITS;

	return (uint32_t)(hash_mix(folded) % HEADS);
}

static bool ends_word(int c)
{
	return c == '\0' || c == ' ' || (isascii(c) && ispunct(c));
}

static bool ends_at(const struct needle *needle, const uint8_t *bytes, size_t n, size_t end)
{
	const size_t start = end - needle->length;
	const bool folded = needle->kind == IBC_IDENTITY_NAME ||
	                    needle->kind == IBC_IDENTITY_SERIAL;

	if (end < needle->length)
		return false;
	for (size_t i = 0; i < needle->length; i++)
		if ((folded ? tolower(bytes[start + i]) : bytes[start + i]) != needle->bytes[i])
			return false;
	return needle->how != AS_WORD ||
	       ((!start || ends_word(bytes[start - 1])) && (end == n || ends_word(bytes[end])));
}

static void found(struct search *s, struct needle *needle)
{
	s->out->of[needle->kind].found += !needle->found;
	needle->found = true;
}

/* @hows: 1 << enum how: which needles are looked for */
static void scan(struct search *s, const uint8_t *bytes, size_t n, unsigned int hows)
{
	for (size_t end = WINDOW; end <= n; end++)
		for (uint32_t i = s->heads[list_of(bytes + end)]; i; i = s->list[i - 1]->next)
			if (hows >> s->list[i - 1]->how & 1 &&
			    ends_at(s->list[i - 1], bytes, n, end))
				found(s, s->list[i - 1]);
}

/* Hexadecimal digits as bytes, from digit @odd on; whatever separates them is left out. */
static size_t hex_digits(uint8_t *out, const uint8_t *bytes, size_t n, unsigned int odd)
{
	size_t digits = 0;

	memset(out, 0, n);
	for (size_t i = 0; i < n; i++) {
		const int c = bytes[i] | 0x20, digit = c > '9' ? c - 'a' + 10 : bytes[i] - '0';

		if (!isxdigit(bytes[i]))
			continue;
		if (odd) {
			odd--;
			continue;
		}
		out[digits / 2] |= (uint8_t)(digit << (digits % 2 ? 0 : 4));
		digits++;
	}
	return (digits + 1) / 2;
}

/* As a whole backwards, from a bit to the next, in groups of two and four that are reversed. */
static void scan_rearranged(struct search *s, const uint8_t *bytes, size_t n, uint8_t *out)
{
	for (size_t i = 0; i < n; i++)
		out[i] = bytes[n - 1 - i];
	scan(s, out, n, 1 << ANYWHERE);
	for (unsigned int bits = 1; bits < 8; bits++) {
		for (size_t i = 0; i + 1 < n; i++)
			out[i] = (uint8_t)(bytes[i] << bits | bytes[i + 1] >> (8 - bits));
		scan(s, out, n - 1, 1 << ANYWHERE);
	}
	for (size_t group = 2; group <= 4; group += 2)
		for (size_t first = 0; first < group; first++) {
			memcpy(out, bytes, n);
			for (size_t i = first; i + group <= n; i += group)
				for (size_t k = 0; k < group; k++)
					out[i + k] = bytes[i + group - 1 - k];
			scan(s, out, n, 1 << ANYWHERE);
		}
	for (unsigned int odd = 0; odd < 2; odd++)
		scan(s, out, hex_digits(out, bytes, n, odd), 1 << ANYWHERE);
}

static void look_up(struct search *s, const uint8_t *bytes, size_t n)
{
	uint8_t folded[NEEDLE_MAX] = { 0 }, exact[NEEDLE_MAX] = { 0 };
	struct needle *needle;

	n = n < NEEDLE_MAX ? n : NEEDLE_MAX;
	memcpy(exact, bytes, n);
	for (size_t i = 0; i < n; i++)
		folded[i] = (uint8_t)tolower(bytes[i]);
	HASH_FIND(hh, s->all, exact, NEEDLE_MAX, needle);
	if (!needle)
		HASH_FIND(hh, s->all, folded, NEEDLE_MAX, needle);
	if (needle)
		found(s, needle);
}

static void look_at_field(void *ctx, enum secret what, uint8_t *bytes, size_t n)
{
	struct search *s = ctx;
	size_t at = 0, length;

	if (what == SECRET_NAME || what == SECRET_SERIAL)
		for (; next_naming_word((const char *)bytes, n, &at, &length); at += length)
			look_up(s, bytes + at, length);
	else
		for (; at + 8 <= n; at += 8)
			look_up(s, bytes + at, 8);
}

/* A name may lie across two MADs of a long answer. */
static void scan_long_answers(struct search *s, const struct ibc_capture *copy)
{
	const unsigned int hows = 1 << ANYWHERE | 1 << AS_WORD;

	for (size_t i = 0; i < copy->num; i++) {
		const struct capture_mad *reply = copy->mads[i].reply
		                                      ? &copy->mads[copy->mads[i].reply - 1]
		                                      : NULL;
		struct arena *arena = reply && reply->segment ? arena_new() : NULL;
		uint8_t *whole;
		size_t length;

		if (!reply || !reply->segment)
			continue;
		whole = arena ? capture_join(copy, reply, arena, &length) : NULL;
		s->out_of_memory |= !whole;
		if (whole)
			scan(s, whole, length, hows);
		arena_free(arena);
	}
}

static int look(struct search *s, const struct ibc_capture *copy)
{
	uint8_t *out = xalloc(copy->size + 1);

	if (!out)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->num; i++) {
		struct needle *needle = s->list[i];
		uint32_t *head;

		if (needle->length < WINDOW)
			continue;
		head = &s->heads[list_of(needle->bytes + needle->length)];
		needle->next = *head;
		*head = i + 1;
	}
	scan(s, copy->bytes, copy->size, 1 << ANYWHERE | 1 << AS_WORD);
	scan_rearranged(s, copy->bytes, copy->size, out);
	free(out);
	scan_long_answers(s, copy);
	for (size_t i = 0; i < copy->num_sweeps; i++)
		look_at_field(s, SECRET_NAME, (uint8_t *)copy->sweeps[i].from.host,
		              strlen(copy->sweeps[i].from.host));
	return capture_secrets(copy, look_at_field, NULL, s);
}

int ibc_capture_search(const struct ibc_capture *original, const struct ibc_capture *copy,
                       const uint64_t *keys, size_t num_keys, struct ibc_capture_search *out,
                       struct ibc_error *err)
{
	struct search *s = xalloc(sizeof(*s));
	uint8_t key[8];
	int rc;

	*out = (struct ibc_capture_search){ .bytes = copy->size };
	if (s)
		*s = (struct search){ .out = out, .arena = arena_new() };
	if (!s || !s->arena) {
		free(s);
		return fail_nomem(err);
	}
	rc = capture_secrets(original, learn, NULL, s);
	for (size_t i = 0; i < original->num_sweeps; i++) {
		const struct transport_port *from = &original->sweeps[i].from;

		add_names(s, from->host, strlen(from->host));
		add_names(s, from->ca, strlen(from->ca));
	}
	for (size_t i = 0; i < num_keys; i++) {
		bytes_put(key, 8, keys[i]);
		add_number(s, IBC_IDENTITY_KEY, key, 8);
	}
	if (copy->num != original->num)
		rc = fail(err, -EPROTO, "%s has %zu MADs, what it is a copy of %zu", copy->name,
		          copy->num, original->num);
	else if ((double)s->ends * (double)copy->size > CHANCE_MAX)
		rc = fail(
		    err, -E2BIG,
		    "%s is too long: among so many bytes some are equal to those of a GUID by "
		    "chance",
		    copy->name);
	if (!rc)
		rc = look(s, copy);
	if (rc == -ENOMEM || s->out_of_memory)
		rc = fail_nomem(err);
	HASH_CLEAR(hh, s->all);
	arena_free(s->arena);
	free(s);
	return rc;
}
