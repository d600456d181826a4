/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The same finding on many hosts is one case: of one check and severity, about the same thing of
 * each, and of the same sentence.  Numbers in it and the host's own name may differ.
 */
#include "case/alike.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/folded.h"
#include "case/map.h"
#include "report/report.h"

static const char *fact_text(const struct ibc_finding *f, const char *key)
{
	const struct ibc_value *value = finding_fact(f, key);

	return value && value->kind == IBC_STR ? value->str : NULL;
}

static const char *host_of(const struct ibc_finding *f)
{
	const char *host = fact_text(f, "host");

	return host ? host : f->subject.near.desc;
}

/* What a case of many hosts is called by. */
static const char *alike_text(struct arena *arena, const struct ibc_finding *f)
{
	const char *deviation = fact_text(f, "deviation"); /* its numbers are what it is about */
	const char *at = f->message, *host = host_of(f), *thing = fact_text(f, "thing");
	size_t length = strlen(host);
	char *text = arena_alloc(arena, strlen(at) + 1), *to = text;

	if (deviation)
		return arena_printf(arena, "hosts %s", deviation);
	while (*at) { /* as it is of all: "is # minutes old" */
		size_t n = length && !strncmp(at, host, length) ? length
		                                                : strspn(at, "0123456789.");
		if (n && (n == length || isdigit((unsigned char)*at))) {
			at += n;
			*to++ = '#';
		} else {
			*to++ = *at++;
		}
	}
	return arena_printf(arena, "hosts %s %s", thing ? thing : "", text);
}

/* Of a fleet all; of a fabric hosts that no node stands for, as those of measurements are. */
static bool may_be_alike(const struct things *t, const struct findings *f, size_t i)
{
	const struct ibc_subject *subject = &f->list[i]->subject;

	if (f->cause[i] != i || !subject->near.desc)
		return false;
	if (t->hosts)
		return subject->kind != IBC_SUBJECT_FABRIC;
	return subject->kind == IBC_SUBJECT_HOST && f->check[i] && f->check[i]->many &&
	       !strncmp(f->check[i]->many, "hosts|", strlen("hosts|"));
}

void group_alike_hosts(const struct things *t, const struct findings *f, struct grouping *out)
{
	static const struct group alike = { .hosts = true };
	struct map first = { .arena = t->arena };
	size_t *lead = arena_array(t->arena, f->n + 1, sizeof(*lead));
	size_t *n = arena_array(t->arena, f->n + 1, sizeof(*n));

	if (t->hosts) {
		out->lead = arena_array(t->arena, f->n + 1, sizeof(*out->lead));
		out->group = arena_array(t->arena, f->n + 1, sizeof(struct group *));
	}
	for (size_t i = 0; i < f->n; i++) {
		uint64_t hash = hash_more(HASH_BEGIN, f->list[i]->check);

		lead[i] = i;
		if (may_be_alike(t, f, i)) {
			hash = hash_more(hash, alike_text(t->arena, f->list[i]));
			lead[i] = map_add(&first, hash ^ (uint64_t)f->list[i]->severity << 1, i);
		}
		n[lead[i]]++;
	}
	for (size_t i = 0; i < f->n; i++) {
		if (!t->hosts && n[lead[i]] < LIST_MIN)
			continue;
		out->lead[i] = lead[i];
		out->group[lead[i]] = &alike;
	}
}

/* ---- where cables lead ---------------------------------------------------------------------- */

#define LEAVES_MAX 3 /* that a sentence names */

/* struct leaf_count - a leaf switch, and how many cables of a case lead there */
struct leaf_count {
	const char *leaf;
	size_t num;
};

static int by_leaf(const void *va, const void *vz)
{
	const struct leaf_count *a = va, *z = vz;

	return strcmp(a->leaf, z->leaf);
}

static int by_count(const void *va, const void *vz)
{
	const struct leaf_count *a = va, *z = vz;

	return order_u64(z->num, a->num) ?: strverscmp(a->leaf, z->leaf);
}

/* "; cables to leaf03 (12), leaf04 (3) and 2 more, rail 1"; "" */
static const char *cables_text(struct arena *arena, const struct ibc_finding *const *members,
                               size_t num)
{
	const char *cable = fact_text(members[0], "cable");
	const struct ibc_value *rail = finding_fact(members[0], "rail"), *other;
	struct leaf_count *leaves = arena_array(arena, num + 1, sizeof(*leaves));
	const char *on_rail, *text = "";
	size_t n = 0, known = 0;

	for (size_t i = 0; i < num; i++)
		if ((leaves[known].leaf = fact_text(members[i], "leaf")))
			leaves[known++].num = 1;
	if (!known)
		return "";
	qsort(leaves, known, sizeof(*leaves), by_leaf);
	for (size_t i = 0; i < known; i++)
		if (n && !strcmp(leaves[n - 1].leaf, leaves[i].leaf))
			leaves[n - 1].num++;
		else
			leaves[n++] = leaves[i];
	qsort(leaves, n, sizeof(*leaves), by_count); /* the most frequent first */
	for (size_t i = 0; rail && i < num; i++) {
		other = finding_fact(members[i], "rail");
		if (!other || other->kind != IBC_U64 || other->num != rail->num)
			rail = NULL;
	}
	on_rail = rail ? arena_printf(arena, ", rail %" PRIu64, rail->num) : "";
	if (num == 1)
		return arena_printf(arena, "; its cable leads to %s%s", cable, on_rail);
	for (size_t i = 0; i < n && i < LEAVES_MAX; i++)
		text = arena_printf(arena, "%s%s%s (%zu)", text, i ? ", " : "", leaves[i].leaf,
		                    leaves[i].num);
	if (n > LEAVES_MAX)
		text = arena_printf(arena, "%s and %zu more", text, n - LEAVES_MAX);
	if (known < num)
		text = arena_printf(arena, "%s, of %zu not known", text, num - known);
	return arena_printf(arena, "; cables to %s%s", text, on_rail);
}

const char *alike_message(struct arena *arena, const struct ibc_finding *f)
{
	return arena_printf(arena, "%s%s", f->message, cables_text(arena, &f, 1));
}

/* ---- words ---------------------------------------------------------------------------------- */

struct group_words alike_words(const struct things *t, const struct ibc_finding *const *members,
                               size_t n)
{
	const char **names = arena_array(t->arena, n, sizeof(*names));
	const char *thing = fact_text(members[0], "thing");
	const char *cables = cables_text(t->arena, members, n), *count;
	size_t hosts = 0;
	bool same = true;

	for (size_t i = 1; i < n; i++)
		same &= !strcmp(members[i]->message, members[0]->message);
	for (size_t i = 0; i < n; i++)
		if (!i || strcmp(names[hosts - 1], host_of(members[i])) != 0)
			names[hosts++] = host_of(members[i]);
	/* one that has it more than once, as two damaged reports of one name are */
	count = arena_printf(t->arena, hosts == 1 ? "%zu times" : "%zu hosts",
	                     hosts == 1 ? n : hosts);
	return (struct group_words){
		.subject = { .kind = IBC_SUBJECT_HOST,
		             .near = { .desc = folded_hosts(t->arena, names, hosts),
		                       .label = folded_names(t->arena, names, hosts) } },
		.message = arena_printf(
		    t->arena, "%s%s%s%s%s: %s%s", count, same ? "" : ", such as ",
		    same         ? ""
		    : hosts == 1 ? "the first"
				 : host_of(members[0]),
		    thing ? ", " : "", thing ? thing : "", members[0]->message, cables),
		.advice = members[0]->advice,
		.identity = alike_text(t->arena, members[0]),
	};
}
