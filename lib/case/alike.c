/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The same finding on many hosts is one case: of one check and severity, about the same thing of
 * each, and of the same sentence.  Numbers in it and the host's own name may differ.
 */
#include "case/alike.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <ibcheck/hostlist.h>

#include "base/arena.h"
#include "base/folded.h"
#include "case/map.h"
#include "report/report.h"

static const char *fact_text(const struct ibc_finding *f, const char *key)
{
	for (size_t i = 0; i < f->num_facts; i++)
		if (!strcmp(f->facts[i].key, key) && f->facts[i].value.kind == IBC_STR)
			return f->facts[i].value.str;
	return NULL;
}

static const char *host_of(const struct ibc_finding *f)
{
	const char *host = fact_text(f, "host");

	return host ? host : f->subject.near.desc;
}

/* As it is of all: "is # minutes old" */
static const char *common_message(struct arena *arena, const struct ibc_finding *f)
{
	const char *at = f->message, *host = host_of(f);
	size_t length = strlen(host);
	char *text = arena_alloc(arena, strlen(at) + 1), *to = text;

	while (text && *at) {
		size_t n = length && !strncmp(at, host, length) ? length
		                                                : strspn(at, "0123456789.");
		if (n && (n == length || isdigit((unsigned char)*at))) {
			at += n;
			*to++ = '#';
		} else {
			*to++ = *at++;
		}
	}
	return text;
}

/* What a case of many hosts is called by. */
static const char *alike_text(struct arena *arena, const struct ibc_finding *f)
{
	const char *thing = fact_text(f, "thing"), *message = common_message(arena, f);
	const char *deviation = fact_text(f, "deviation"); /* its numbers are what it is about */

	if (deviation)
		return arena_printf(arena, "hosts %s", deviation);
	return message ? arena_printf(arena, "hosts %s %s", thing ? thing : "", message) : NULL;
}

static uint64_t hash_finding(struct arena *arena, const struct ibc_finding *f)
{
	const char *text = alike_text(arena, f);
	uint64_t hash = hash_more(hash_more(HASH_BEGIN, f->check), text ? text : "");

	return hash ^ (uint64_t)f->severity << 1 ^ finding_is_known(f);
}

bool group_alike_hosts(const struct things *t, const struct findings *f, struct grouping *out)
{
	struct map first = { .arena = t->arena };
	struct group *groups = arena_array(t->arena, f->n + 1, sizeof(*groups));

	out->lead = arena_array(t->arena, f->n + 1, sizeof(*out->lead));
	out->group = arena_array(t->arena, f->n + 1, sizeof(struct group *));
	if (!groups || !out->lead || !out->group)
		return false;
	for (size_t i = 0; i < f->n; i++) {
		size_t lead = i;

		if (f->cause[i] == i && f->list[i]->subject.kind != IBC_SUBJECT_FABRIC &&
		    f->list[i]->subject.near.desc)
			lead = map_add(&first, hash_finding(t->arena, f->list[i]), i);
		if (lead == MAP_NONE)
			return false;
		out->lead[i] = lead;
		out->group[lead] = &groups[lead];
	}
	return true;
}

/* ---- words ---------------------------------------------------------------------------------- */

static bool say_the_same(const struct ibc_finding *const *members, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (strcmp(members[i]->message, members[0]->message) != 0)
			return false;
	return true;
}

bool alike_words(const struct things *t, const struct ibc_finding *const *members, size_t n,
                 struct group_words *out)
{
	const char **names = arena_array(t->arena, n, sizeof(*names));
	const char *thing = fact_text(members[0], "thing");
	size_t hosts = 0;
	bool same;
	const char *count;
	char *list;

	for (size_t i = 0; names && i < n; i++)
		if (!i || strcmp(names[hosts - 1], host_of(members[i])) != 0)
			names[hosts++] = host_of(members[i]);
	same = say_the_same(members, n);
	/* one that has it more than once, as two damaged reports of one name are */
	count = arena_printf(t->arena, hosts == 1 ? "%zu times" : "%zu hosts",
	                     hosts == 1 ? n : hosts);
	list = names ? ibc_hostlist_fold(names, hosts) : NULL;
	*out = (struct group_words){
		.subject = { .kind = IBC_SUBJECT_HOST,
		             .near = { .desc = list ? arena_strdup(t->arena, list) : NULL,
		                       .label = list ? folded_names(t->arena, names, hosts)
		                                     : NULL } },
		.message = arena_printf(t->arena, "%s%s%s%s%s: %s", count, same ? "" : ", such as ",
		                        same         ? ""
		                        : hosts == 1 ? "the first"
		                                     : host_of(members[0]),
		                        thing ? ", " : "", thing ? thing : "", members[0]->message),
		.advice = members[0]->advice,
		.identity = alike_text(t->arena, members[0]),
	};
	free(list);
	return count && out->subject.near.desc && out->subject.near.label && out->message &&
	       out->identity;
}
