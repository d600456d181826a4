/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks of errors before correction.  Under FEC they are normal: what counts is how much of
 * them the code can take, whether they grow, and who has more than its siblings.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check/groups.h"
#include "check/limits.h"
#include "check/phy/phy.h"

#define OUTLIER 100  /* times the middle: beyond what lengths and lots make; a guess */
#define RISE    10   /* times what it was: margins are lost by tens; a guess */
#define ENOUGH  1000 /* errors: below that the rate itself is uncertain by some percent */

/* All lanes; not known where one is not. */
static struct count raw_errors(const struct ibc_port *port, const struct ibc_phy_delta *d)
{
	struct count sum = phy_count(d, IBC_PHY_RAW_ERRORS_LANE0);

	for (unsigned int lane = 1; lane < phy_lanes(port); lane++) {
		struct count one = phy_count(d, IBC_PHY_RAW_ERRORS_LANE0 + lane);

		sum.known &= one.known;
		sum.n += one.n;
	}
	return sum;
}

/* Without an error the bound that the bits allow, 3 / n (95 %). */
static double raw_ber(const struct ibc_port *port, const struct ibc_phy_delta *d)
{
	struct count errors = raw_errors(port, d), bits = phy_count(d, IBC_PHY_BITS_RECEIVED);

	if (errors.known && bits.n)
		return (errors.n ? (double)errors.n : 3) / (double)bits.n;
	if (!d->compared && port->extra->phy && port->extra->phy->known_bers >> IBC_BER_RAW & 1)
		return ibc_ber_value(port->extra->phy->ber[IBC_BER_RAW]);
	return NAN;
}

/* A young link without errors has a high bound, and nothing wrong. */
static bool is_certain(const struct ibc_port *port, const struct ibc_phy_delta *d)
{
	struct count errors = raw_errors(port, d);

	return !errors.known || errors.n >= ENOUGH;
}

/*
 * At this rate independent errors make one code word a day uncorrectable on a 4x link: the
 * tail of the binomial distribution.  Real errors come in bursts, which is worse.
 */
static double fec_limit(enum ibc_fec fec)
{
	const unsigned int corrects = ibc_fec_info(fec)->corrects;

	if (corrects == 15)
		return 2.1e-4;
	if (fec == IBC_FEC_RS_528)
		return 2.2e-5;
	return corrects == 7 ? 3.2e-5 : NAN;
}

static struct said judge_raw(const struct ibc_input *in, struct ibc_sink *out,
                             const struct ibc_port *port)
{
	struct said said = { .severity = IBC_OK };
	const double limit = fec_limit(port->extra->phy->fec_active);
	struct ibc_phy_delta d, alone = { .known = 0 };
	double ber, then = NAN;

	ibc_phy_delta_of(in->before, port, &d);
	ber = raw_ber(port, &d);
	if (isnan(ber))
		return said;
	said.value = ibc_real(ber);
	if (!is_certain(port, &d))
		return said;
	if (d.compared) { /* what the earlier sample says by itself */
		alone.known = d.then->known;
		memcpy(alone.value, d.then->value, sizeof(alone.value));
		then = raw_ber(port, &alone);
	}
	said.severity = ber > 0 ? reached(out, in, port, ber / limit) : IBC_OK;
	if (said.severity) {
		said.text = sink_text(out, "raw BER %.2g at %s%s, %s corrects up to %.2g", ber,
		                      port_text(out, port), span_text(out, &d),
		                      ibc_fec_info(port->extra->phy->fec_active)->word.name, limit);
	} else if (ber >= RISE * then) {
		said.severity = IBC_WARNING;
		said.text = sink_text(out, "raw BER rose to %.2g at %s%s, it was %.2g", ber,
		                      port_text(out, port), span_text(out, &d), then);
	}
	return said;
}

static double class_raw_ber(const struct ibc_input *in, const struct ibc_port *port)
{
	struct ibc_phy_delta d;

	ibc_phy_delta_of(in->before, port, &d);
	return port->extra->phy ? raw_ber(port, &d) : NAN;
}

static const struct link_rule raw_rule = { "ber", NULL, judge_raw };

/* The first sign of a cable that will fail: it climbs for days before a link drops. */
static void check_raw(const struct ibc_input *in, struct ibc_sink *out)
{
	struct member *all, *m;
	struct ibc_phy_delta d;
	size_t n;

	evaluate_links(in, out, &raw_rule);
	all = collect_classes(in, out, true, class_raw_ber, &n);
	for (m = all; m < all + n; m++) {
		if (m->median <= 0 || m->value < OUTLIER * m->median)
			continue;
		ibc_phy_delta_of(in->before, m->port, &d);
		if (!is_certain(m->port, &d) || judge_raw(in, out, m->port).severity)
			continue;
		sink_as(out, IBC_INFO);
		sink_link(out, m->port, "raw BER %.2g at %s, the median of %zu such links is %.2g",
		          m->value, port_text(out, m->port), m->num, m->median);
		sink_advise(out,
		            "FEC corrects this. Watch whether it grows; clean the plug at %s when "
		            "you are there.",
		            plug_text(out, m->port->peer ? m->port->peer : m->port));
		sink_fact(out, "ber", ibc_real(m->value));
		sink_fact(out, "median_ber", ibc_real(m->median));
		sink_fact(out, "alike", ibc_u64(m->num));
	}
}

/* ---- lanes ----------------------------------------------------------------------------- */

static struct said judge_lane(const struct ibc_input *in, struct ibc_sink *out,
                              const struct ibc_port *port)
{
	const unsigned int lanes = phy_lanes(port);
	struct said said = { .severity = IBC_OK };
	uint64_t errors[IBC_PHY_LANES], worst = 0, others;
	struct ibc_phy_delta d;
	unsigned int lane = 0;

	said.value = ibc_none();
	ibc_phy_delta_of(in->before, port, &d);
	if (lanes < 2 || !raw_errors(port, &d).known)
		return said;
	for (unsigned int i = 0; i < lanes; i++) {
		errors[i] = d.value[IBC_PHY_RAW_ERRORS_LANE0 + i];
		lane = errors[i] > worst ? i : lane;
		worst = errors[lane];
	}
	qsort(errors, lanes, sizeof(errors[0]), by_u64);
	others = errors[(lanes - 1) / 2];
	if (worst < ENOUGH || worst / OUTLIER < others)
		return said;
	said.severity = IBC_WARNING;
	said.value = ibc_u64(lane);
	said.count = phy_count(&d, IBC_PHY_RAW_ERRORS_LANE0 + lane);
	said.text = sink_text(out, "lane %u of %s had %s raw errors%s, the other lanes about %ju",
	                      lane, port_text(out, port), count_text(out, &said.count),
	                      span_text(out, &d), (uintmax_t)others);
	return said;
}

/* One fibre, one contact: in the sum of a port it is hidden. */
static const struct link_rule lane_rule = { "lane", NULL, judge_lane };

static void check_lane(const struct ibc_input *in, struct ibc_sink *out)
{
	evaluate_links(in, out, &lane_rule);
}

/* ---- the table --------------------------------------------------------------------------- */

#define NEEDS IBC_ATTR_PHY_ERRORS, IBC_ATTR_PORT_INFO

const struct ibc_check ibc_checks_phy_raw[] = {
	CHECK("phy.raw-ber", "links with many errors before correction", IBC_WARNING, check_raw,
	      REGISTERS(NEEDS, IBC_ATTR_PHY_STATE, IBC_ATTR_PHY_MODULE),
	      .limits = { 0.1, NEVER, .unit = "times what FEC corrects" },
	      EXPLAINED_BY(BY_MODULE, BY("phy.fec-mismatch", AT), BY_SIGNAL),
	      .many = "links|have many errors before correction"),
	CHECK("phy.lane", "links with one bad lane", IBC_WARNING, check_lane, REGISTERS(NEEDS),
	      EXPLAINED_BY(BY_LIGHT), .many = "links|have one bad lane"),
	{ 0 },
};
