/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The one door through which text enters a report: from here on it is valid
 * UTF-8 without control characters, whatever a renderer does with it.
 */
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "report/report.h"

/* @clean is @raw itself where nothing had to be replaced. */
struct text {
	const char *raw, *clean;
	UT_hash_handle hh;
};

const char *report_keep(struct ibc_report *rep, const char *text)
{
	const char *kept;

	if (!text || rep->failed)
		return NULL;
	kept = utf8_clean(rep->arena, text, strlen(text));
	rep->failed = !kept;
	return kept;
}

const char *report_intern(struct ibc_report *rep, const char *text)
{
	const char *clean;
	size_t length;
	struct text *t;

	if (!text || rep->failed)
		return NULL;
	length = strlen(text);
	HASH_FIND(hh, rep->texts, text, length, t);
	if (t)
		return t->clean;
	t = arena_alloc(rep->arena, sizeof(*t));
	clean = utf8_clean(rep->arena, text, length);
	rep->failed = !t || !clean;
	if (rep->failed)
		return NULL;
	t->clean = clean;
	t->raw = strcmp(clean, text) ? arena_strndup(rep->arena, text, length) : clean;
	if (t->raw)
		HASH_ADD_KEYPTR(hh, rep->texts, t->raw, length, t);
	rep->failed = !t->raw || !hash_added(t);
	return rep->failed ? NULL : clean;
}

struct ibc_value report_keep_value(struct ibc_report *rep, struct ibc_value value)
{
	return value.kind == IBC_STR ? ibc_str(report_intern(rep, value.str)) : value;
}

void report_forget_texts(struct ibc_report *rep)
{
	HASH_CLEAR(hh, rep->texts);
}
