/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of many things with one fault. */
#include "case/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/folded.h"
#include "base/hash.h"
#include "report/report.h"

#define PORTS_SHOWN 8 /* more are shown by the devices they are at */
#define WORST_SHOWN 3 /* to begin with; -v shows all */

/* ---- facts -------------------------------------------------------------------------------- */

/* Its key ends where a brace closes; as a program reads it, or as people do; NULL: none. */
static const char *named_fact(const struct ibc_finding *f, const char *key, bool for_people)
{
	size_t length = strcspn(key, "}");

	for (size_t i = 0; i < f->num_facts; i++) {
		const struct ibc_value *value = &f->facts[i].value;

		if (strncmp(f->facts[i].key, key, length) != 0 || f->facts[i].key[length])
			continue;
		if (value->kind == IBC_ENUM)
			return for_people ? value->word->name : value->word->word;
		return value->kind == IBC_STR ? value->str : NULL;
	}
	return NULL;
}

uint64_t hash_more_facts(uint64_t hash, const char *many, const struct ibc_finding *f)
{
	while ((many = strchr(many, '{'))) {
		const char *fact = named_fact(f, ++many, false);

		hash = hash_fact(hash, fact ? fact : "");
	}
	return hash;
}

/* Has it any of the facts that a phrase names?  Where only some have, the phrase begins with "?".
 */
static bool has_kind(const struct ibc_finding *f, const char *kinds)
{
	if (*kinds != '?')
		return true;
	while ((kinds = strchr(kinds, '{'))) {
		size_t length = strcspn(++kinds, "}");

		for (size_t i = 0; i < f->num_facts; i++)
			if (!strncmp(f->facts[i].key, kinds, length) && !f->facts[i].key[length])
				return true;
	}
	return false;
}

uint64_t hash_more_kinds(uint64_t hash, const char *kinds, const struct ibc_finding *f)
{
	if (!has_kind(f, kinds))
		return hash;
	hash = hash_more_facts(hash, kinds, f);
	while ((kinds = strchr(kinds, '{'))) {
		size_t length = strcspn(++kinds, "}");

		for (size_t i = 0; i < f->num_facts; i++)
			if (f->facts[i].value.kind == IBC_U64 &&
			    !strncmp(f->facts[i].key, kinds, length) && !f->facts[i].key[length])
				hash = hash_mix(hash ^ f->facts[i].value.num);
	}
	return hash;
}

/* The verb of "cables|run at {speed}", with the facts that it names. */
static const char *verb_text(struct arena *arena, const char *many, const struct ibc_finding *f)
{
	const char *at = strchr(many, '|') + 1, *text = "";

	while (*at) {
		size_t length = strcspn(at, "{");
		const char *fact = at[length] ? named_fact(f, at + length + 1, true) : "";

		text = arena_printf(arena, "%s%.*s%s", text, (int)length, at, fact ? fact : "?");
		at += length;
		at += strcspn(at, "}");
		at += *at == '}';
	}
	return text;
}

/* ---- lists -------------------------------------------------------------------------------- */

/* "leaf01/3", "node0001 mlx5_1/1" of several HCAs, or the device alone where there are many. */
static const char *member_name(const struct things *t, const struct ibc_finding *f, size_t n)
{
	const struct ibc_node *node = thing_node(t, &f->subject.near);
	const struct ibc_end *near = &f->subject.near;
	const struct ibc_fabric_host *h;
	const char *name = node          ? node->host_name ? node->host_name : node->label
	                   : near->label ? near->label
	                   : near->desc  ? near->desc
	                                 : "?";

	if (!is_about_link(&f->subject) || n > PORTS_SHOWN)
		return name;
	for (size_t i = 0;
	     node && node->host_name && (h = ibc_fabric_host(node->subnet->fabric, i)); i++)
		if (h->name == node->host_name && h->num_nodes > 1)
			name = node->label;
	return arena_printf(t->arena, "%s/%u", name, f->subject.near.port);
}

/* The members with most of a fact first; of equal ones the first. */
struct ranked {
	uint64_t amount;
	size_t member;
};

static int by_amount(const void *va, const void *vz)
{
	const struct ranked *a = va, *z = vz;

	return order_u64(z->amount, a->amount) ?: order_u64(a->member, z->member);
}

/* "leaf01/3, leaf07/1, leaf02/4": the worst of them. */
static const char *worst_text(const struct things *t, const struct ibc_finding *const *members,
                              size_t n, const char *fact)
{
	struct ranked *ranked = arena_array(t->arena, n, sizeof(*ranked));
	const char *text = "";

	for (size_t i = 0; i < n; i++) {
		const struct ibc_value *value = finding_fact(members[i], fact);

		ranked[i].amount = value && value->kind == IBC_U64 ? value->num : 0;
		ranked[i].member = i;
	}
	qsort(ranked, n, sizeof(*ranked), by_amount);
	for (size_t i = 0; i < n && i < WORST_SHOWN; i++)
		text = arena_printf(t->arena, "%s%s%s (%" PRIu64 ")", text, i ? ", " : "",
		                    member_name(t, members[ranked[i].member], 1), ranked[i].amount);
	return text;
}

/* ---- places and classes ------------------------------------------------------------------- */

/* What stands before the names of a trait, and what it is in an identity. */
static const struct {
	const char *before, *word;
} kinds[TRAITS] = {
	[TRAIT_NONE] = { "", "all" },
	[TRAIT_HOST] = { "of ", "host" },
	[TRAIT_SWITCH] = { "at ", "switch" },
	[TRAIT_CHASSIS] = { "of the chassis of ", "chassis" },
	[TRAIT_RACK] = { "in rack ", "rack" },
	[TRAIT_ROW] = { "in row ", "row" },
	[TRAIT_POD] = { "in pod ", "pod" },
	[TRAIT_MODEL] = { "of type ", "model" },
	[TRAIT_PART] = { "of part ", "part" },
	[TRAIT_PSID] = { "with PSID ", "psid" },
	[TRAIT_FIRMWARE] = { "with firmware ", "firmware" },
	[TRAIT_SPEED] = { "at ", "speed" },
};

/* " between MQM8700 and MT4115", " in rack A03"; "" */
static const char *where_text(const struct things *t, const struct group *g)
{
	const char **names = arena_array(t->arena, g->num_values, sizeof(*names));
	char buf[TRAIT_TEXT];

	if (!g->num_values)
		return "";
	for (size_t i = 0; i < g->num_values; i++)
		names[i] = arena_strdup(t->arena, trait_text(t, &g->values[i], buf));
	return arena_printf(t->arena, " %s%s", g->values->far ? "between " : kinds[g->kind].before,
	                    folded_names(t->arena, names, g->num_values));
}

/* One switch or host is what to touch; else the fabric is all there is to name. */
static struct ibc_subject common_subject(const struct group *g)
{
	const struct ibc_node *node = g->num_values == 1 ? g->values->node : NULL;
	struct ibc_subject subject = { .kind = IBC_SUBJECT_FABRIC };

	if (node && g->kind == TRAIT_SWITCH) {
		subject.kind = IBC_SUBJECT_NODE;
		subject.near = (struct ibc_end){ .guid = node->guid,
			                         .has_guid = !node->named_only,
			                         .desc = node->desc,
			                         .label = node->label };
	} else if (node && g->kind == TRAIT_HOST) {
		subject.kind = IBC_SUBJECT_HOST;
		subject.near.desc = node->host_name;
	}
	return subject;
}

/* Of one place or class what it is; of several only their kind, since some come and go. */
static const char *identity_of(const struct things *t, const struct group *g)
{
	const struct trait *value = g->num_values == 1 ? g->values : NULL;
	char buf[TRAIT_TEXT];

	if (!value)
		return kinds[g->kind].word;
	if (g->kind == TRAIT_SWITCH && !value->node->named_only)
		return arena_printf(t->arena, "switch 0x%016" PRIx64, value->node->guid);
	if (g->kind == TRAIT_CHASSIS)
		return arena_printf(t->arena, "chassis 0x%016" PRIx64, value->node->system_guid);
	return arena_printf(t->arena, "%s %s", kinds[g->kind].word, trait_text(t, value, buf));
}

/* ---- sentences ------------------------------------------------------------------------------ */

#define WHOLE_MIN 50 /* things at once: a guess; so many are no mistakes, one by one */

/* So many that differ from what is expected, or from before, were probably meant to. */
static bool may_be_design(const struct ibc_check *check, size_t n)
{
	static const char *const designed[] = { "diff.", "port.width", "port.speed",
		                                "port.rate-odd", "topo.slow" };

	for (size_t i = 0; n >= WHOLE_MIN && i < ARRAY_SIZE(designed); i++)
		if (!strncmp(check->id, designed[i], strlen(designed[i])))
			return true;
	return false;
}

/* What things have in common is the first to look at; of a host it goes without saying. */
static const char *common_advice(const struct things *t, const struct group *g, const char *where,
                                 const char *advice, bool designed)
{
	if (g->kind == TRAIT_PART)
		return arena_printf(
		    t->arena,
		    "So many of one part have one reason: the lot, the firmware of the modules, or "
		    "devices that do not support them. Ask their vendor. Otherwise: %s",
		    advice);
	if (g->kind == TRAIT_NONE && designed)
		return arena_printf(t->arena,
		                    "So many at once are probably intended: then accept them "
		                    "(ibcheck known add with "
		                    "the ID of this case). Otherwise: %s",
		                    advice);
	if (is_class(g->kind))
		return arena_printf(
		    t->arena,
		    "So many of one type have one reason: a setting, the firmware, or "
		    "the design. If it is intended, accept it (ibcheck known add). "
		    "Otherwise: %s",
		    advice);
	if (g->kind == TRAIT_NONE || g->kind == TRAIT_HOST)
		return advice;
	return arena_printf(t->arena, "All are%s: look there first. %s", where, advice);
}

struct group_words group_words(const struct things *t, const struct group *g,
                               const struct ibc_check *check,
                               const struct ibc_finding *const *members, size_t n)
{
	const char *where = where_text(t, g), *many = check->many;
	bool ranked = check->together && *check->together;
	/* "320 of 324" of a class: there the others count, too; of plugs there are more than links
	 */
	bool shared = is_class(g->kind) && n <= g->things;
	const char **names = arena_array(t->arena, n, sizeof(*names));
	struct group_words w = { .subject = common_subject(g),
		                 .trait = *where ? where + 1 : NULL,
		                 .advice = members[0]->advice,
		                 .identity = identity_of(t, g) };

	for (size_t i = 0; i < n && !ranked; i++)
		names[i] = member_name(t, members[i], n);
	for (size_t i = 1; w.advice && w.advice == members[0]->advice && i < n; i++)
		if (!members[i]->advice || strcmp(members[i]->advice, w.advice) != 0)
			w.advice = arena_printf(t->arena, "One after the other. %s: %s",
			                        member_name(t, members[0], 1), w.advice);
	w.message = arena_printf(
	    t->arena, "%s %.*s%s %s%s %s",
	    shared ? arena_printf(t->arena, "%zu of %zu", n, g->things)
		   : arena_printf(t->arena, "%zu", g->devices ? g->devices : n),
	    (int)strcspn(many, "|"), many, w.subject.kind == IBC_SUBJECT_FABRIC ? where : "",
	    verb_text(t->arena, many, members[0]), ranked ? ", most at" : ":",
	    ranked ? worst_text(t, members, n, check->together) : folded_names(t->arena, names, n));
	if (w.advice)
		w.advice = common_advice(t, g, where, w.advice, may_be_design(check, n));
	return w;
}

struct group_words device_words(const struct things *t, const struct ibc_check *check,
                                const struct view *view, const struct ibc_finding *const *members,
                                size_t n)
{
	const struct ibc_end *end = view ? &view->subject.near : &members[0]->subject.near;
	const struct ibc_node *node = thing_node(t, end);
	struct trait value = { .kind = view                      ? TRAIT_SWITCH
		                       : node && node->host_name ? TRAIT_HOST
		                                                 : TRAIT_CHASSIS,
		               .node = node };
	struct group g = { .kind = value.kind, .values = &value, .num_values = 1 };
	struct group_words w = group_words(t, &g, check, members, n);
	char identity[IBC_IDENTITY_MAX];

	if (view)
		w.identity = arena_strdup(t->arena, ibc_subject_identity(&view->subject, identity));
	if (!view || n != view->n)
		return w;
	w.subject = view->subject;
	w.message = view->message;
	w.advice = view->advice;
	return w;
}
