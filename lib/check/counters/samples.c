/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of the counters themselves: those that are full, and those somebody cleared. */
#include "check/collect.h"
#include "check/counters/rates.h"
#include "check/groups.h"

#define AGGREGATE 8 /* more ports than this are one finding */

/* Ports of which something is to be said, and of which counters. */
struct marked {
	struct examples examples;
	uint32_t counters; /* of any of them */
};

static void mark_port(struct marked *m, const struct ibc_port *p, uint32_t counters)
{
	if (!counters)
		return;
	examples_add(&m->examples, p);
	m->counters |= counters;
}

static uint32_t full_errors(const struct ibc_input *in, const struct ibc_port *p)
{
	const struct ibc_counters *c = p->counters;

	(void)in;
	return c ? c->saturated & c->known & ~IBC_TRAFFIC_COUNTERS : 0;
}

static uint32_t cleared_of(const struct ibc_input *in, const struct ibc_port *p)
{
	struct ibc_delta delta;

	return window_of(in, p, &delta) ? delta.cleared : 0;
}

/*
 * struct marking - how such ports are reported
 * @one, @many: what a port has; what ports have
 * @for_one: the advice is given for each port, too
 */
static const struct marking {
	uint32_t (*of)(const struct ibc_input *in, const struct ibc_port *p);
	const char *one, *many, *advice;
	bool for_one;
} full = {
	.of = full_errors,
	.one = "has counters at their maximum, which no longer rise",
	.many = "have counters at their maximum, which no longer rise",
	.advice = "Clear them once the cause is repaired (\"ibcheck counters --clear errors\"). "
		  "Until then further errors of this kind cannot be seen.",
	.for_one = true,
}, cleared = {
	.of = cleared_of,
	.one = "was cleared by another program, or restarted, since the earlier sweep",
	.many = "were cleared by another program since the earlier sweep",
	.advice = "Look for a performance manager (perfmgr of opensm, UFM) or a script that "
		  "clears counters: the earlier counts are lost to all other programs.",
};

/* A finding for each port; of more of them one for all. */
static void report_marked(const struct ibc_input *in, struct ibc_sink *out,
                          const struct marking *marking)
{
	struct marked m = { .counters = 0 };
	const struct ibc_port *p;

	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++)
		mark_port(&m, p, marking->of(in, p));
	for (size_t i = 0; m.examples.count <= AGGREGATE && i < m.examples.count; i++) {
		const char *names = counter_names(out, marking->of(in, m.examples.ports[i]));

		sink_port(out, m.examples.ports[i], "%s: %s", marking->one, names);
		if (marking->for_one)
			sink_advise(out, "%s", marking->advice);
		sink_fact(out, "counters", ibc_str(names));
	}
	if (m.examples.count <= AGGREGATE)
		return;
	sink_fabric(out, "%zu ports %s: %s", m.examples.count, marking->many,
	            counter_names(out, m.counters));
	sink_advise(out, "%s", marking->advice);
	sink_fact(out, "ports", ibc_u64(m.examples.count));
	sink_fact(out, "counters", ibc_str(counter_names(out, m.counters)));
	examples_relate(out, &m.examples);
}

/*
 * Counters stop at their greatest value.  What it says is "at least", and what happens
 * from then on is not seen.
 */
static void check_saturated(const struct ibc_input *in, struct ibc_sink *out)
{
	struct marked traffic = { .counters = 0 };
	const struct ibc_port *p;

	report_marked(in, out, &full);
	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++)
		if (p->counters)
			mark_port(&traffic, p,
			          p->counters->saturated & p->counters->known &
			              IBC_TRAFFIC_COUNTERS);
	if (!traffic.examples.count)
		return;
	sink_as(out, IBC_INFO);
	sink_fabric(out, "%zu ports have 32-bit traffic counters at their maximum: %s",
	            traffic.examples.count, counter_names(out, traffic.counters));
	sink_fact(out, "ports", ibc_u64(traffic.examples.count));
	examples_relate(out, &traffic.examples);
}

/*
 * A counter that went backwards was cleared by somebody: what it says is what came
 * after that, and what came before is lost.
 */
static void check_cleared(const struct ibc_input *in, struct ibc_sink *out)
{
	report_marked(in, out, &cleared);
}

/* ---- the table ------------------------------------------------------------------------ */

const struct ibc_check ibc_checks_counters_samples[] = {
	CHECK("counters.saturated", "counters at their maximum", IBC_WARNING, check_saturated,
	      .needs = IBC_ATTRS(IBC_ATTR_PORT_COUNTERS)),
	CHECK("counters.cleared", "counters that another program cleared", IBC_INFO, check_cleared,
	      .needs = IBC_ATTRS(IBC_ATTR_PORT_COUNTERS), .inputs = IBC_IN_BEFORE),
	{ 0 },
};
