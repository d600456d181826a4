/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How sets of ports lie in tables of groups is not documented, so nothing is believed that does
 * not agree with what is known: of an entry the static port is a member of its group, and no
 * member is a port that the switch does not have, or that leads to a host other than the one
 * the static port leads to.  One reading must agree so for nearly all entries, and none that
 * makes other groups of the same bits.
 *
 * It is decided for all devices of a model together, as the layout is that of their chip.  One
 * switch could be read wrongly: a leaf whose ports up are the first ones takes two readings.
 * And a switch whose groups are wrong is judged by the reading of the others, not excused by
 * one of its own.
 */
#include "source/sweep/artables.h"

#include <string.h>

#define AGREED_PART 0.95 /* of entries: a group that lacks a port, or was written meanwhile */
#define OWN_PART    0.5  /* of those of one switch: below it, its tables are something else */
#define SAMPLE_MAX  1024 /* entries of a switch: 5 % of them are 51 */

/* Of all its sub-groups; false: some port cannot be, or the switch has no such group. */
static bool group_get(const struct ar_read *r, unsigned int group, unsigned int reading,
                      struct ibc_port_set *out)
{
	const unsigned int swap = reading & AR_SWAPPED ? 1 : 0;
	bool right = group < r->num_groups;

	*out = (struct ibc_port_set){ { 0 } };
	for (unsigned int i = 0; right && i < r->sub_groups; i++) {
		struct ibc_port_set set;

		right = ar_mask_get(r->masks[(group * r->sub_groups + i) ^ swap], reading, &set);
		for (unsigned int k = 0; k < 4; k++)
			out->words[k] |= set.words[k];
	}
	return right;
}

/* Tries all readings on a part of the entries, the same share of all LIDs. */
static void sample(struct sweep *s, struct ar_read *r)
{
	const struct ibc_forwarding *f = &s->forwarding->tables;
	const struct ibc_node *node = r->lids.dev->node;
	const unsigned int step = r->top / SAMPLE_MAX + 1;
	struct ibc_port_set others = { { 0 } }; /* the ports that may be members, but for its own */

	for (unsigned int i = 1; i <= node->num_ports; i++) {
		const struct ibc_port *far = node->ports[i].peer;

		/* routers may be reached by several */
		others.words[i / 64] |= (uint64_t)(!far || far->node->type != IBC_NODE_CA)
		                        << i % 64;
	}
	for (unsigned int lid = 1; lid <= r->top; lid += step) {
		const uint16_t *block = f->ar->blocks[lid / IBC_LFT_BLOCK * f->stride + r->column];
		const unsigned int out = f->out[lid * f->stride + r->column];
		const unsigned int entry = block[lid % IBC_LFT_BLOCK];
		struct ibc_port_set set;

		if (entry >> IBC_AR_ENTRY_SHIFT == IBC_AR_ENTRY_STATIC || out == IBC_NO_ENTRY ||
		    !out)
			continue;
		r->sampled++;
		for (unsigned int k = 0; k < AR_READINGS; k++) {
			bool right = group_get(r, entry & AR_NO_GROUP, k, &set) &&
			             set.words[out / 64] >> out % 64 & 1;

			set.words[out / 64] &= ~(1ull << out % 64);
			for (unsigned int i = 0; i < 4; i++)
				right &= !(set.words[i] & ~others.words[i]);
			r->fits[k] += right;
		}
	}
}

/* ---- the devices of a model ------------------------------------------------------------ */

static bool is_like(const struct ar_read *r, const struct ar_read *other)
{
	const struct ibc_node *a = r->lids.dev->node, *z = other->lids.dev->node;

	return !other->gap && !other->settled && a->vendor_id == z->vendor_id &&
	       a->device_id == z->device_id;
}

/* Do two readings make different groups of what is in use? */
static bool differ(const struct ar_read *r, unsigned int a, unsigned int z)
{
	for (const struct ar_read *other = r; other; other = other->next) {
		for (unsigned int g = 0; is_like(r, other) && g < other->num_groups; g++) {
			struct ibc_port_set sets[2];
			bool right[2];

			if (!ar_uses(other, g))
				continue;
			right[0] = group_get(other, g, a, &sets[0]);
			right[1] = group_get(other, g, z, &sets[1]);
			if (right[0] != right[1] ||
			    memcmp(&sets[0], &sets[1], sizeof(sets[0])) != 0)
				return true;
		}
	}
	return false;
}

/* The reading of all that are like the first of a list; AR_READINGS: none, or several. */
static unsigned int choose(struct sweep *s, const struct ar_read *r)
{
	size_t sampled = 0, fits[AR_READINGS] = { 0 };
	unsigned int chosen = AR_READINGS;

	for (const struct ar_read *other = r; other; other = other->next) {
		if (!is_like(r, other))
			continue;
		sampled += other->sampled;
		for (unsigned int k = 0; k < AR_READINGS; k++)
			fits[k] += other->fits[k];
	}
	for (unsigned int k = 0; k < AR_READINGS; k++) {
		TRACE(s->opts->trace, IBC_TRACE_ROUTES,
		      "groups of model 0x%x: %zu of %zu entries agree where bit i is port i%s, the "
		      "%s byte of a mask has the lowest ports, and the %s mask comes first",
		      r->lids.dev->node->device_id, fits[k], sampled, k & AR_FROM_ONE ? " + 1" : "",
		      k & AR_LAST_FIRST ? "last" : "first", k & AR_SWAPPED ? "second" : "first");
		if ((double)fits[k] < AGREED_PART * (double)sampled)
			continue;
		if (chosen < AR_READINGS && differ(r, chosen, k))
			return AR_READINGS;
		chosen = chosen < AR_READINGS ? chosen : k;
	}
	return chosen;
}

static void put_groups(struct sweep *s, struct ar_read *r, unsigned int reading)
{
	if (reading == AR_READINGS || (double)r->fits[reading] < OWN_PART * (double)r->sampled) {
		r->gap = IBC_AR_UNCLEAR;
		return;
	}
	for (unsigned int g = 0; g < r->num_groups; g++) {
		struct ibc_port_set set;

		if (ar_uses(r, g) && group_get(r, g, reading, &set))
			fabric_ar_group(s->b, s->forwarding, r->column, g, &set);
	}
}

void ar_calibrate(struct sweep *s, struct ar_read *all)
{
	for (struct ar_read *r = all; r; r = r->next)
		if (!r->gap)
			sample(s, r);
	for (struct ar_read *r = all; r; r = r->next) {
		unsigned int reading;

		if (r->gap || r->settled)
			continue;
		reading = choose(s, r);
		for (struct ar_read *other = r; other; other = other->next) {
			if (!is_like(r, other))
				continue;
			put_groups(s, other, reading);
			other->settled = true;
		}
	}
}
