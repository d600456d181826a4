/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The same capture, but for the names in it.  What is replaced gets the next number, the same
 * wherever it occurs: so the copy replays, and its faults are the same.
 */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "source/capture.h"
#include "wire/mad.h"
#include "wire/sa.h"
#include "wire/secrets.h"

#define NAME_BYTES 64 /* of a NodeDescription, and of a ServiceName */
#define OUI_SHIFT  40 /* the upper 24 bits of a GUID are its vendor's */

/* A name or a GUID that was met, and the number it becomes. */
struct alias {
	unsigned char what[NAME_BYTES];
	uint64_t number;
	UT_hash_handle hh;
};

struct masking {
	struct alias *guids, *names;
	struct arena *arena;
	bool out_of_memory;
};

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

static void mask_guid(struct masking *m, uint8_t *bytes)
{
	uint64_t guid = bytes_get(bytes, 8);

	if (guid)
		bytes_put(bytes, 8,
		          (guid >> OUI_SHIFT << OUI_SHIFT) | number_of(m, &m->guids, bytes, 8));
}

/* The first word is who it is; what follows, "HCA-1" or a model, is what. */
static void mask_name(struct masking *m, uint8_t *bytes, size_t n)
{
	const char *text = (const char *)bytes;
	size_t word = 0, length = strnlen(text, n);
	char masked[2 * NAME_BYTES + 1];

	while (word < length && text[word] != ' ')
		word++;
	/* what a protocol calls a service says nothing of a site; a replay asks for it by name */
	if (!word || n > NAME_BYTES || !strncmp(text, SA_SERVICE_SHARP, n))
		return;
	snprintf(masked, sizeof(masked), "name%04llu%.*s",
	         (unsigned long long)number_of(m, &m->names, bytes, word), (int)(length - word),
	         text + word);
	memset(bytes, 0, n);
	memcpy(bytes, masked, strnlen(masked, n));
}

static void mask_secret(void *ctx, enum secret what, uint8_t *bytes, size_t n)
{
	struct masking *m = ctx;

	if (what == SECRET_GUID && n == 8)
		mask_guid(m, bytes);
	else if (what == SECRET_GID && n == 16)
		mask_guid(m, bytes + 8); /* behind the prefix of the subnet */
	else if (what == SECRET_NAME)
		mask_name(m, bytes, n);
	else
		memset(bytes, 0, n);
}

int ibc_capture_anonymize(const struct ibc_capture *cap, FILE *file, const char *path,
                          struct ibc_error *err)
{
	struct masking m = { .arena = arena_new() };
	const struct capture_sweep *sweep = cap->sweeps,
				   *end = sweep ? sweep + cap->num_sweeps : NULL;
	struct ibc_recording *rec;
	uint8_t mad[MAD_SIZE];
	int rc;

	if (!m.arena)
		return fail_nomem(err);
	rc = ibc_recording_new(file, path, &rec, err);
	for (size_t i = 0; rc == 0 && i < cap->num; i++) {
		struct erf_record r = cap->mads[i].packet;

		for (; sweep < end && sweep->first == i; sweep++) {
			struct capture_sweep nameless = *sweep;

			snprintf(nameless.from.host, sizeof(nameless.from.host), "host");
			recording_comment(rec, &nameless);
		}
		memcpy(mad, r.bytes, r.length);
		mad_secrets(mad, r.length, mask_secret, &m);
		r.bytes = mad;
		recording_mad(rec, &r);
	}
	HASH_CLEAR(hh, m.guids);
	HASH_CLEAR(hh, m.names);
	arena_free(m.arena);
	if (rc == 0)
		rc = ibc_recording_end(rec, err);
	return rc == 0 && m.out_of_memory ? fail_nomem(err) : rc;
}
