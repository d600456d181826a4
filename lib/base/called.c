/* SPDX-License-Identifier: BSD-2-Clause */
/* Names as people type them: in any case, with and without domain, with wildcards. */
#include "base/called.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/nodename.h"
#include "base/str.h"

#define WILDCARDS "*?[\\"

static bool is_wild(const char *text)
{
	return strpbrk(text, WILDCARDS);
}

/* ---- reading ----------------------------------------------------------------- */

static const char *form_of(struct arena *arena, const char *name, enum name_form form, bool *ok)
{
	char text[NODENAME_MAX];
	const char *copy;

	if (!name_form(text, name, form))
		return NULL;
	copy = arena_strdup(arena, text);
	*ok &= copy != NULL;
	return copy;
}

static bool add_reading(struct arena *arena, struct typed *t, const char *text, const char *cut)
{
	struct reading *r = &t->reading[t->n++];
	bool ok = true;
	size_t start;

	r->name = arena_strndup(arena, text, cut ? (size_t)(cut - text) : strlen(text));
	r->port = cut ? arena_strdup(arena, cut + 1) : NULL;
	if (!r->name || (cut && !r->port))
		return false;
	r->label = cut && *cut == ' ';
	r->wild = is_wild(r->name);
	r->wild_port = cut && is_wild(r->port);
	r->has_guid = !strncasecmp(r->name, "0x", 2) && !str_guid(r->name, &r->guid);
	r->folded = form_of(arena, r->name, NAME_FOLDED, &ok);
	r->brief = form_of(arena, r->name, NAME_SHORT, &ok);
	/* up to the first byte that forms leave out or write in another way */
	start = strcspn(r->name, " /:-_.;" WILDCARDS);
	r->start = arena_strndup(arena, r->name, r->name[start] == ';' ? 0 : start);
	return ok && r->start;
}

const struct typed *typed_new(struct arena *arena, const char *whole)
{
	struct typed *t = arena_alloc(arena, sizeof(*t));
	const char *bracket = strrchr(whole, '('), *end = bracket ? strchr(bracket, ')') : NULL;
	const char *text = whole;

	/* reports write "leaf07/44 (22/2)": without what is in brackets */
	if (end && !end[1] && bracket > whole && bracket[-1] == ' ')
		text = arena_strndup(arena, whole, (size_t)(bracket - 1 - whole));
	if (!t || !text || !add_reading(arena, t, whole, NULL))
		return NULL;
	for (size_t at = strlen(text); at > 1 && t->n < READINGS; at--)
		if ((text[at - 1] == '/' || text[at - 1] == ' ') && text[at] &&
		    !add_reading(arena, t, text, text + at - 1))
			return NULL;
	return t;
}

/* ---- fitting ----------------------------------------------------------------- */

static bool fits_form(const char *typed, const char *name, enum name_form form)
{
	char text[NODENAME_MAX];

	return typed && name_form(text, name, form) && !strcmp(typed, text);
}

enum name_fit name_fits(const struct reading *r, const char *name)
{
	static const enum name_form forms[] = { NAME_SHORT, NAME_HOST };
	char text[NODENAME_MAX];

	if (!strcmp(r->name, name))
		return FIT_EXACT;
	if (!strcasestr(name, r->start))
		return FIT_NONE;
	if (!strcasecmp(r->name, name) || fits_form(r->folded, name, NAME_FOLDED))
		return FIT_FOLDED;
	if (fits_form(r->brief, name, NAME_SHORT) || fits_form(r->brief, name, NAME_HOST))
		return names_are_apart(r->name, name) ? FIT_NONE : FIT_SHORT;
	if (r->wild && !fnmatch(r->name, name, FNM_CASEFOLD))
		return FIT_WILD;
	for (size_t i = 0; r->wild && i < ARRAY_SIZE(forms); i++)
		if (name_form(text, name, forms[i]) && !fnmatch(r->name, text, FNM_CASEFOLD))
			return FIT_WILD;
	return FIT_NONE;
}

bool guid_fits(const struct reading *r, uint64_t guid)
{
	char text[STR_GUID_MAX];

	if (r->has_guid)
		return r->guid == guid;
	return r->wild && !strncasecmp(r->name, "0x", 2) &&
	       !fnmatch(r->name, str_from_guid(text, guid), FNM_CASEFOLD);
}

static bool fits_text(const char *typed, const char *text)
{
	return !strcasecmp(typed, text) || (is_wild(typed) && !fnmatch(typed, text, FNM_CASEFOLD));
}

bool port_fits(const struct reading *r, unsigned int num, const char *label)
{
	char text[64];

	if (label && fits_text(r->port, label))
		return true;
	/* "12/1" of "12/1 plane 2 APort 23" */
	snprintf(text, sizeof(text), "%.*s", label ? (int)strcspn(label, " ") : 0, label ?: "");
	if (*text && fits_text(r->port, text))
		return true;
	snprintf(text, sizeof(text), "%u", num);
	return !r->label && fits_text(r->port, text);
}

bool typed_fits(const struct typed *t, const struct called *c)
{
	for (const struct reading *r = t->reading; r < t->reading + t->n; r++) {
		if (r->port && !(c->has_port && port_fits(r, c->port, c->port_label)))
			continue;
		if (c->has_guid && guid_fits(r, c->guid))
			return true;
		for (size_t i = 0; i < CALLED_NAMES; i++)
			if (c->names[i] && name_fits(r, c->names[i]) != FIT_NONE)
				return true;
	}
	return false;
}

bool typed_cables(struct arena *arena, const char *whole, const struct typed_cable **out)
{
	*out = NULL;
	for (const char *dash = whole; (dash = strstr(dash, SEPARATOR));
	     dash += strlen(SEPARATOR)) {
		struct typed_cable *cable = arena_alloc(arena, sizeof(*cable));
		const char *first = arena_strndup(arena, whole, (size_t)(dash - whole));

		if (!cable || !first)
			return false;
		cable->first = typed_new(arena, first);
		cable->second = typed_new(arena, dash + strlen(SEPARATOR));
		if (!cable->first || !cable->second)
			return false;
		cable->next = *out;
		*out = cable;
	}
	return true;
}

bool typed_fits_cable(const struct typed_cable *cables, const struct called *a,
                      const struct called *z)
{
	for (const struct typed_cable *c = cables; c; c = c->next)
		if ((typed_fits(c->first, a) && typed_fits(c->second, z)) ||
		    (typed_fits(c->first, z) && typed_fits(c->second, a)))
			return true;
	return false;
}

/* ---- keys -------------------------------------------------------------------- */

static uint64_t name_key(const char *name)
{
	uint64_t hash = 0;

	for (; *name; name++)
		hash = hash_mix(hash + (unsigned char)tolower((unsigned char)*name));
	return hash;
}

size_t typed_keys(const struct typed *t, uint64_t keys[TYPED_KEYS])
{
	size_t n = 0;

	/* the whole, of which the others are parts */
	if (t->reading->wild)
		return 0;
	for (const struct reading *r = t->reading; r < t->reading + t->n; r++) {
		keys[n++] = name_key(r->name);
		if (r->folded)
			keys[n++] = name_key(r->folded);
		if (r->brief)
			keys[n++] = name_key(r->brief);
		if (r->has_guid)
			keys[n++] = hash_mix(r->guid);
	}
	return n;
}

size_t called_keys(const struct called *c, uint64_t keys[CALLED_KEYS])
{
	static const enum name_form forms[] = { NAME_FOLDED, NAME_SHORT, NAME_HOST };
	char text[NODENAME_MAX];
	size_t n = 0;

	if (c->has_guid)
		keys[n++] = hash_mix(c->guid);
	for (size_t i = 0; i < CALLED_NAMES; i++) {
		if (!c->names[i])
			continue;
		keys[n++] = name_key(c->names[i]);
		for (size_t k = 0; k < ARRAY_SIZE(forms); k++)
			if (name_form(text, c->names[i], forms[k]))
				keys[n++] = name_key(text);
	}
	return n;
}
