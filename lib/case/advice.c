/* SPDX-License-Identifier: BSD-2-Clause */
/* One cable, one advice: which end comes first is told by all counters together. */
#include "case/advice.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"

/* Checks of errors that count where damage arrives, of what arises at the sender or on the way. */
static const char *const of_damage[] = { "counters.symbol", "counters.rcv-errors",
	                                 "counters.integrity", "counters.recovery" };

/*
 * struct ends - what counters say of a cable
 * @near, @far: what arrived damaged there
 * @unread: one end does not tell
 * @told: by so many checks; @flaps: and that it goes down repeatedly
 */
struct ends {
	uint64_t near, far;
	size_t told;
	bool unread, flaps;
};

static const struct ibc_value *fact_of(const struct ibc_finding *f, const char *key)
{
	for (size_t i = 0; i < f->num_facts; i++)
		if (!strcmp(f->facts[i].key, key))
			return &f->facts[i].value;
	return NULL;
}

static uint64_t count_at(const struct ibc_finding *f, const char *key, bool *unread)
{
	const struct ibc_value *value = fact_of(f, key);

	if (value && value->kind == IBC_U64)
		return value->num;
	*unread = true;
	return 0;
}

static void add_counter(struct ends *ends, const struct ibc_finding *f)
{
	bool damage = false;

	for (size_t i = 0; i < ARRAY_SIZE(of_damage); i++)
		damage |= !strcmp(f->check, of_damage[i]);
	ends->flaps |= !strcmp(f->check, "counters.flap");
	ends->told += damage || !strcmp(f->check, "counters.flap") ||
	              !strcmp(f->check, "counters.downed");
	if (!damage)
		return;
	ends->near += count_at(f, "count", &ends->unread);
	ends->far += count_at(f, "peer_count", &ends->unread);
}

static char *advice_text(struct arena *arena, const struct ends *ends, const char *near,
                         const char *far)
{
	const char *flaps = ends->flaps ? "Take the link out of service first: disable the port at "
	                                  "the switch. "
	                                : "";
	const char *receiver = ends->near ? near : far, *sender = ends->near ? far : near;

	if (ends->near && ends->far)
		return arena_printf(arena,
		                    "%sBoth ends receive damaged data, so the cable is at fault. "
		                    "Reseat and clean both plugs. If the errors continue, replace "
		                    "it.",
		                    flaps);
	if (ends->unread)
		return arena_printf(
		    arena,
		    "%sOnly one end reports all of its errors. Reseat and clean the "
		    "plug at %s first, then the other. If the errors continue, "
		    "replace the cable.",
		    flaps, sender);
	return arena_printf(
	    arena,
	    "%sOnly %s receives damaged data: the cable or the transmitter of %s is "
	    "at fault. Reseat and clean the plug at %s first, then the other; then "
	    "replace the cable. If the errors continue, %s is at fault.",
	    flaps, receiver, sender, sender, sender);
}

static const char *place_of(const struct things *t, const struct ibc_end *end, char *buf)
{
	const struct ibc_node *node = thing_node(t, end);

	if (node)
		return ibc_place_text((struct ibc_place){ node, end->port }, buf, IBC_PLACE_TEXT);
	snprintf(buf, IBC_PLACE_TEXT, "%s/%u", end->label ? end->label : "?", end->port);
	return buf;
}

const char *cable_advice(const struct things *t, const struct ibc_finding *const *findings,
                         size_t n, bool *failed)
{
	const struct ibc_subject *cable = &findings[0]->subject;
	char near[IBC_PLACE_TEXT], far[IBC_PLACE_TEXT], *text;
	struct ends ends = { .told = 0 };

	for (size_t i = 0; i < n; i++)
		if (findings[i]->subject.kind == IBC_SUBJECT_CABLE)
			add_counter(&ends, findings[i]);
	if (cable->kind != IBC_SUBJECT_CABLE || ends.told < 2 || (!ends.near && !ends.far))
		return NULL;
	text = advice_text(t->arena, &ends, place_of(t, &cable->near, near),
	                   place_of(t, &cable->far, far));
	*failed |= !text;
	return text;
}
