/* SPDX-License-Identifier: BSD-2-Clause */
/* What is told of ports, cables and nodes that are where they were, but not as they were. */
#include <stdlib.h>
#include <string.h>

#include "check/collect.h"
#include "check/diff.h"

#define TEXT_MAX 256 /* of one change in a sentence; longer is cut */

#define FEW  RELATED_MAX /* done by one hand at one time, such as an update */
#define MANY 32          /* each may be a fault of its own */

/*
 * struct change_trait - how one kind of change is told
 * @name: in front of "was"; ""
 * @things: of which it is told
 * @equal: many are told as one only if all were the same and are the same
 * @most: more than so many are told as one
 */
struct change_trait {
	const char *name, *things;
	bool equal;
	size_t most;
};

static const struct change_trait *trait_of(enum ibc_change_kind kind)
{
	static const struct change_trait traits[IBC_CHANGE_COUNT] = {
		[IBC_CHANGE_STATE] = { "", "ports", true, MANY },
		[IBC_CHANGE_RATE] = { "", "cables", true, MANY },
		[IBC_CHANGE_LID] = { "LID ", "ports", false, FEW },
		[IBC_CHANGE_SM] = { "the subnet manager ", "subnets", true, FEW },
		[IBC_CHANGE_FIRMWARE] = { "firmware ", "nodes", true, FEW },
		[IBC_CHANGE_REVISION] = { "hardware revision ", "nodes", true, FEW },
		[IBC_CHANGE_DEVICE] = { "device id ", "nodes", true, FEW },
	};

	return &traits[kind];
}

/* A change with its words. */
struct reported {
	const struct ibc_change *change;
	const char *was, *is;
	size_t order;
};

/* Those that are told as one are side by side, the others stay in their order. */
static int by_text(const void *va, const void *vz)
{
	const struct reported *a = va, *z = vz;
	int order = 0;

	if (trait_of(a->change->kind)->equal) {
		order = strcmp(a->was, z->was);
		if (!order)
			order = strcmp(a->is, z->is);
	}
	if (order)
		return order;
	return a->order < z->order ? -1 : 1;
}

static size_t count_equal(const struct reported *reported, size_t n)
{
	size_t equal = 1;

	while (equal < n && (!trait_of(reported->change->kind)->equal ||
	                     (!strcmp(reported[0].was, reported[equal].was) &&
	                      !strcmp(reported[0].is, reported[equal].is))))
		equal++;
	return equal;
}

/* ---- one ------------------------------------------------------------------------- */

static double gbps_of(const struct ibc_port *p)
{
	return ibc_link_gbps(p->width_active, p->speed_active);
}

/* A faster link, or a port that is Active again, is no fault. */
static bool is_improved(const struct ibc_change *c)
{
	if (c->kind == IBC_CHANGE_RATE)
		return gbps_of(c->port_is) > gbps_of(c->port_was);
	return c->kind == IBC_CHANGE_STATE && c->port_is->state == IBC_STATE_ACTIVE;
}

/* In front of "was", and the severity of the finding that is started next. */
static const char *start_text(struct ibc_sink *out, const struct ibc_change *c)
{
	if (!is_improved(c))
		return trait_of(c->kind)->name;
	sink_as(out, IBC_INFO);
	return "improved: ";
}

static void advise_change(struct ibc_sink *out, const struct ibc_change *c)
{
	if (c->kind == IBC_CHANGE_RATE && !is_improved(c))
		sink_advise(out, "Reseat the cable at both ends, then replace it");
	else if (c->kind == IBC_CHANGE_STATE && c->port_is->phys_state == IBC_PHYS_DISABLED)
		sink_advise(out, "Enable it (ibportstate), unless it was disabled on purpose");
	else if (c->kind == IBC_CHANGE_STATE && c->port_is->phys_state == IBC_PHYS_LINKUP &&
	         c->port_is->state != IBC_STATE_ACTIVE)
		sink_advise(out, "Look at the subnet manager and its log: it has not configured "
		                 "this port again");
	else if (c->kind == IBC_CHANGE_SM)
		sink_advise(out,
		            "If the move was not planned, look at the log of the former master");
}

static void start_one(struct ibc_sink *out, const struct reported *t)
{
	const struct ibc_change *c = t->change;
	const char *name = start_text(out, c);

	if (c->kind == IBC_CHANGE_SM)
		sink_fabric(out, "%s%swas on %s, is on %s", subnet_intro(out, c->is->subnet), name,
		            t->was, t->is);
	else if (!c->port_is)
		sink_node(out, c->is, "%swas %s, is %s", name, t->was, t->is);
	else if (c->port_is->peer && c->kind != IBC_CHANGE_LID)
		sink_cable(out, c->port_is, "%swas %s, is %s", name, t->was, t->is);
	else
		sink_port(out, c->port_is, "%swas %s, is %s", name, t->was, t->is);
}

static void add_facts(struct ibc_sink *out, const struct reported *t, size_t n)
{
	bool same = n == 1 || trait_of(t->change->kind)->equal;

	sink_fact(out, "change", ibc_enum(ibc_change_word(t->change->kind)));
	sink_fact(out, "before", same ? ibc_str(t->was) : ibc_none());
	sink_fact(out, "after", same ? ibc_str(t->is) : ibc_none());
	sink_fact(out, "changes", ibc_u64(n));
}

static void report_one(struct ibc_sink *out, const struct reported *t)
{
	start_one(out, t);
	advise_change(out, t->change);
	add_facts(out, t, 1);
}

/* ---- many ------------------------------------------------------------------------- */

static void report_equal_changes(struct ibc_sink *out, const struct reported *t, size_t n)
{
	const struct change_trait *trait = trait_of(t->change->kind);

	if (trait->equal)
		sink_fabric(out, "%zu %s: %swas %s, is %s", n, trait->things,
		            start_text(out, t->change), t->was, t->is);
	else
		sink_fabric(out, "%zu %s: %schanged", n, trait->things, trait->name);
	advise_change(out, t->change);
	add_facts(out, t, n);
	for (size_t i = 0; i < n && i < RELATED_MAX; i++) {
		const struct ibc_change *c = t[i].change;

		if (c->port_is)
			sink_relate(out, IBC_ROLE_FOUND, c->port_is);
		else
			sink_relate_node(out, IBC_ROLE_FOUND, c->is);
	}
}

static void report_all(struct ibc_sink *out, const struct reported *reported, size_t n)
{
	for (size_t i = 0, equal; i < n; i += equal) {
		equal = count_equal(&reported[i], n - i);
		if (equal > trait_of(reported[i].change->kind)->most) {
			report_equal_changes(out, &reported[i], equal);
			continue;
		}
		for (size_t k = 0; k < equal; k++)
			report_one(out, &reported[i + k]);
	}
}

/* ---- all of a kind ------------------------------------------------------------------ */

static void report_uncompared(struct ibc_sink *out, const struct ibc_changes *changes,
                              enum ibc_change_kind kind)
{
	struct ibc_changes_count count = ibc_changes_count(changes, kind);

	if (!count.unread || kind == IBC_CHANGE_REVISION || kind == IBC_CHANGE_DEVICE)
		return;
	sink_as(out, IBC_INFO);
	sink_fabric(out,
	            "the %s of %zu of %zu %s is not compared: one or both sweeps do not contain it",
	            ibc_change_word(kind)->name, count.unread, count.pairs, trait_of(kind)->things);
	sink_fact(out, "change", ibc_enum(ibc_change_word(kind)));
	sink_fact(out, "unread", ibc_u64(count.unread));
	sink_fact(out, "pairs", ibc_u64(count.pairs));
}

static size_t count_changes(const struct ibc_changes *changes)
{
	size_t n = 0;

	while (ibc_changes_at(changes, n))
		n++;
	return n;
}

static void report_changes(struct ibc_sink *out, const struct ibc_changes *changes)
{
	size_t n = count_changes(changes);
	struct reported *reported = sink_array(out, n, sizeof(*reported));
	char text[TEXT_MAX];

	for (size_t i = 0; i < n; i++) {
		const struct ibc_change *c = ibc_changes_at(changes, i);

		reported[i] = (struct reported){ .change = c, .order = i };
		reported[i].was = sink_text(out, "%s",
		                            ibc_change_text(c, true, text, sizeof(text)));
		reported[i].is = sink_text(out, "%s",
		                           ibc_change_text(c, false, text, sizeof(text)));
	}
	qsort(reported, n, sizeof(*reported), by_text);
	report_all(out, reported, n);
}

void diff_changes(const struct ibc_input *in, struct ibc_sink *out, enum ibc_change_kind kind)
{
	struct ibc_changes **changes = &out->run->changes;

	if (ibc_changes_find(in->comparison, 1u << kind, changes, NULL)) {
		out->failed = true;
		return;
	}
	report_changes(out, *changes);
	report_uncompared(out, *changes, kind);
	ibc_changes_free(*changes);
	*changes = NULL;
}
