/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that find one among many: what its own kind does not do. */
#include <stdlib.h>

#include "check/collect.h"
#include "check/groups.h"

/* A port of a CA with a link, and the kind it is compared within. */
struct runner {
	uint64_t type;
	const struct ibc_port *port;
	double gbps;
	bool split; /* half a cable (2x) is no slower than the other halves */
};

static int by_type_and_split(const struct runner *x, const struct runner *y)
{
	return order_u64(x->type, y->type) ?: x->split - y->split;
}

/* By kind, and within a kind by rate. */
static int by_rate(const void *a, const void *b)
{
	const struct runner *x = a, *y = b;

	return by_type_and_split(x, y) ?: (x->gbps > y->gbps) - (x->gbps < y->gbps);
}

static const char *rate_text(struct ibc_sink *out, const struct ibc_port *p)
{
	return sink_text(out, "%s %s", ibc_width_word(p->width_active)->name,
	                 ibc_speed_word(p->speed_active)->name);
}

static void report_outlier(struct ibc_sink *out, const struct runner *r, const struct runner *usual,
                           size_t majority, size_t n)
{
	const struct ibc_port *peer = r->port->peer;
	const unsigned int speed = usual->port->speed_active;

	(peer ? sink_cable
	      : sink_port)(out, r->port, "runs at %s; %zu of %zu HCA ports of its type run at %s",
	                   rate_text(out, r->port), majority, n, rate_text(out, usual->port));
	/* nothing is broken where the other end cannot do what the siblings run at */
	if (peer && ibc_port_has(peer, IBC_ATTR_PORT_INFO) && peer->speed_supported &&
	    !(peer->speed_supported & speed))
		sink_advise(out,
		            "The port at the other end does not support %s: move the cable to a "
		            "port that does.",
		            ibc_speed_word(speed)->name);
	else
		sink_advise(out,
		            "Reseat the cable, then replace it. If the rate stays low, compare the "
		            "settings of the HCA and of its switch port with those of a sibling.");
	sink_fact(out, "rate_gbps", ibc_real(r->gbps));
	sink_fact(out, "usual_rate_gbps", ibc_real(usual->gbps));
	sink_fact(out, "alike", ibc_u64(n));
	sink_fact(out, "alike_at_usual_rate", ibc_u64(majority));
}

/* One kind, sorted by rate: those below the rate of two thirds or more. */
static void evaluate_kind(struct ibc_sink *out, const struct runner *r, size_t n,
                          struct blamed *blamed)
{
	for (size_t i = 0, end; n >= 3 && i < n; i = end) {
		for (end = i + 1; end < n && r[end].gbps == r[i].gbps;)
			end++;
		for (size_t k = 0; (end - i) * 3 >= n * 2 && k < i; k++)
			if (!is_already_reported(blamed, r[k].port))
				report_outlier(out, &r[k], &r[i], end - i, n);
	}
}

/*
 * A host slower than all others of its hardware has a bad cable, an old switch port or
 * a setting of its own, even where its two ends agree that nothing is wrong.
 */
static void check_rate_odd(const struct ibc_input *in, struct ibc_sink *out)
{
	struct runner *r = sink_array(out, ibc_fabric_count(in->fabric).ports, sizeof(*r));
	struct blamed blamed = { .fab = in->fabric, .out = out };
	const struct ibc_port *p;
	size_t n = 0;

	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++) {
		bool known = ibc_port_has(p, IBC_ATTR_LINK) || ibc_port_has(p, IBC_ATTR_PORT_INFO);

		if (p->node->type == IBC_NODE_CA && known && ibc_port_is_up(p) && p->width_active &&
		    p->speed_active)
			r[n++] = (struct runner){
				.type = device_type(p->node),
				.port = p,
				.gbps = ibc_link_gbps(p->width_active, p->speed_active),
				.split = p->width_active == IBC_WIDTH_2X,
			};
	}
	qsort(r, n, sizeof(*r), by_rate);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && !by_type_and_split(&r[i], &r[end]);)
			end++;
		evaluate_kind(out, &r[i], end - i, &blamed);
	}
}

/* ---- the table ------------------------------------------------------------------- */

const struct ibc_check ibc_checks_port_odd[] = {
	CHECK("port.rate-odd", "HCAs slower than others of their type", IBC_WARNING, check_rate_odd,
	      .absence = IBC_ABSENT_HERE, .needs = IBC_ATTRS(IBC_ATTR_LINK),
	      EXPLAINED_BY(BY_DAMAGE, BY("port.width", AT), BY("port.speed", AT),
	                   BY("topo.slow", AT), BY("topo.narrow", AT)),
	      .many = "HCA ports|run slower than others of their type"),
	{ 0 },
};
