/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of what is wrong after error correction, and of what that has left of its margin. */
#include "check/groups.h"
#include "check/limits.h"
#include "check/phy/phy.h"

/* From HDR on the errors after retransmission are those that an application sees; before, after
 * FEC. */
static enum ibc_ber_stage last_stage(const struct ibc_port *port)
{
	return port->speed_active >= IBC_SPEED_HDR ? IBC_BER_SYMBOL : IBC_BER_EFFECTIVE;
}

static struct count last_errors(const struct ibc_port *port, const struct ibc_phy_delta *d)
{
	return phy_count(d, last_stage(port) == IBC_BER_SYMBOL ? IBC_PHY_SYMBOL_ERRORS
	                                                       : IBC_PHY_EFFECTIVE_ERRORS);
}

/* Errors a bit; negative: not known. */
static double rate_of(const struct ibc_phy_delta *d, const struct count *errors)
{
	struct count bits = phy_count(d, IBC_PHY_BITS_RECEIVED);

	return errors->known && bits.n ? (double)errors->n / (double)bits.n : -1;
}

/* ---- errors that are left -------------------------------------------------------------- */

#define ERRORS_MIN   3    /* none in n bits shows a rate below 3 / n (95 %): so many are needed */
#define ERRORS_SURE  10   /* in a short time: ten at a tenth of the limit are no chance */
#define LONG_SECONDS 7500 /* UFM, PDR plugin: 125 min, for a tenth of the limit */
#define LONG_FACTOR  0.1  /* likewise */

static struct said judge_after_fec(const struct ibc_input *in, struct ibc_sink *out,
                                   const struct ibc_port *port)
{
	struct said said = { .severity = IBC_OK };
	struct ibc_phy_delta d;
	double rate, seconds;

	if (!ibc_phy_delta_of(in->before, port, &d))
		return said;
	said.count = last_errors(port, &d);
	rate = rate_of(&d, &said.count);
	if (rate < 0)
		return said;
	seconds = said.count.seconds;
	if (said.count.n >= (seconds >= SHORT_SECONDS ? ERRORS_MIN : ERRORS_SURE))
		said.severity = reached(out, in, port,
		                        rate / (seconds >= LONG_SECONDS ? LONG_FACTOR : 1));
	said.value = ibc_real(rate);
	said.text = sink_text(out, "%.2g errors per bit are left after FEC at %s (%s%s)", rate,
	                      port_text(out, port), count_text(out, &said.count),
	                      span_text(out, &d));
	return said;
}

#define YOUNG_SECONDS 60 /* of counters as young as that one error is much */

static struct said judge_since_clear(const struct ibc_input *in, struct ibc_sink *out,
                                     const struct ibc_port *port)
{
	const enum ibc_ber_stage stage = last_stage(port);
	struct said said = { .severity = IBC_OK };
	struct ibc_phy_delta d;
	double rate;

	if (ibc_phy_delta_of(in->before, port, &d) && d.seconds >= SHORT_SECONDS)
		return said;
	ibc_phy_delta_of(NULL, port, &d);
	if (d.seconds && d.seconds < YOUNG_SECONDS)
		return said;
	said.count = last_errors(port, &d);
	rate = rate_of(&d, &said.count);
	if (rate < 0 && port->extra->phy->known_bers >> stage & 1)
		rate = ibc_ber_value(port->extra->phy->ber[stage]);
	if (rate <= 0)
		return said;
	said.value = ibc_real(rate);
	said.severity = reached(out, in, port, rate);
	said.text = sink_text(out, "%.2g errors per bit were left after FEC at %s%s", rate,
	                      port_text(out, port), span_text(out, &d));
	return said;
}

/* Training loses code words as well: where the link went down, they say little. */
static struct said judge_uncorrectable(const struct ibc_input *in, struct ibc_sink *out,
                                       const struct ibc_port *port)
{
	struct said said = { .severity = IBC_OK };
	struct ibc_phy_delta d;
	bool plr;

	if (!ibc_phy_delta_of(in->before, port, &d))
		return said;
	said.count = phy_count(&d, IBC_PHY_FEC_UNCORRECTABLE_BLOCKS);
	if (!said.count.n)
		return said;
	plr = ibc_fec_info(port->extra->phy->fec_active)->plr;
	said.severity = plr || phy_count(&d, IBC_PHY_LINK_DOWNS).n ? IBC_WARNING : IBC_CRITICAL;
	said.value = ibc_u64(said.count.n);
	said.text = sink_text(out, "%s code words could not be corrected at %s%s%s",
	                      count_text(out, &said.count), port_text(out, port),
	                      span_text(out, &d), plr ? ", and were requested again (PLR)" : "");
	return said;
}

/* ---- the margin of FEC ------------------------------------------------------------------- */

#define MARGIN 2 /* symbols that a code word was short of being lost */

static struct said judge_margin(const struct ibc_input *in, struct ibc_sink *out,
                                const struct ibc_port *port)
{
	struct said said = { .severity = IBC_OK };
	struct ibc_phy_delta d;
	struct ibc_fec_most most;

	ibc_phy_delta_of(in->before, port, &d);
	if (!ibc_fec_most_of(port, &d, &most) || !most.of || most.symbols + MARGIN < most.of)
		return said;
	said.severity = d.compared ? IBC_WARNING : IBC_INFO;
	said.value = ibc_u64(most.symbols);
	said.count = (struct count){ .n = most.blocks, .seconds = d.seconds, .known = true };
	said.text = sink_text(
	    out, "FEC corrected %u of at most %u symbols in %s code word%s at %s%s", most.symbols,
	    most.of, count_text(out, &said.count), most.blocks == 1 ? "" : "s",
	    port_text(out, port), span_text(out, &d));
	return said;
}

/* ---- retransmission --------------------------------------------------------------------- */

#define LOSS_UNIT 1e8 /* the register counts 1e-10 */

static struct said judge_plr(const struct ibc_input *in, struct ibc_sink *out,
                             const struct ibc_port *port)
{
	struct said said = { .severity = IBC_OK };
	struct ibc_phy_delta d;
	struct count rejected, received;
	double percent;

	ibc_phy_delta_of(in->before, port, &d);
	rejected = phy_count(&d, IBC_PHY_PLR_REJECTED);
	received = phy_count(&d, IBC_PHY_PLR_RECEIVED);
	if (rejected.known && received.n) {
		if (rejected.n < ERRORS_SURE)
			return said;
		percent = 100 * (double)rejected.n / (double)received.n;
	} else if (ibc_phy_knows(port->extra->phy, IBC_PHY_PLR_LOSS)) {
		percent = (double)port->extra->phy->value[IBC_PHY_PLR_LOSS] / LOSS_UNIT;
	} else {
		return said;
	}
	said.value = ibc_real(percent);
	said.severity = reached(out, in, port, percent);
	said.text = sink_text(out, "%.2g %% of what arrives at %s has to be sent again%s", percent,
	                      port_text(out, port), span_text(out, &d));
	return said;
}

/* ---- readings that cannot be ------------------------------------------------------------ */

#define ROUNDING 2 /* a rate has one digit: of 1E-8 half of it may be missing */

static struct said judge_order(const struct ibc_input *in, struct ibc_sink *out,
                               const struct ibc_port *port)
{
	static const char *const stages[] = { "a raw", "an effective", "a symbol" };
	const struct ibc_phy *phy = port->extra->phy;
	struct said said = { .severity = IBC_OK };

	(void)in;
	for (unsigned int i = IBC_BER_EFFECTIVE; i < IBC_BERS; i++) {
		double before = ibc_ber_value(phy->ber[i - 1]), after = ibc_ber_value(phy->ber[i]);

		if ((phy->known_bers >> (i - 1) & 3) != 3 || after <= ROUNDING * before)
			continue;
		said.severity = IBC_INFO;
		said.value = ibc_real(after);
		said.text = sink_text(out, "%s reports %s BER of %.2g, and %s BER of %.2g",
		                      port_text(out, port), stages[i - 1], before, stages[i],
		                      after);
	}
	return said;
}

/* ---- the table --------------------------------------------------------------------------- */

/* In the order of the checks. */
static const struct link_rule rules[] = {
	/* What FEC does not correct is lost, or sent again: the link is at its end. */
	{ "ber", NULL, judge_after_fec },
	/* The same of one reading: it may be long ago, or a single bad hour. */
	{ "ber", NULL, judge_since_clear },
	{ "uncorrectable", NULL, judge_uncorrectable },
	{ "symbols", NULL, judge_margin },
	{ "loss_percent", NULL, judge_plr },
	{ "ber",
	  "Do not trust the bit error rates of this port: correction never adds "
	  "errors. Compare the firmware of the device with that of others.",
	  judge_order },
};

static void check_errors(const struct ibc_input *in, struct ibc_sink *out)
{
	evaluate_links(in, out, RULE_OF(rules, out, ibc_checks_phy_errors));
}

#define NEEDS IBC_ATTR_PHY_ERRORS, IBC_ATTR_PORT_INFO

const struct ibc_check ibc_checks_phy_errors[] = {
	CHECK("phy.ber-after-fec", "links with errors left after correction", IBC_CRITICAL,
	      check_errors, .needs = IBC_ATTRS(NEEDS), .inputs = IBC_IN_PHYSICAL | IBC_IN_BEFORE,
	      .limits = { NEVER, 1e-14, .unit = "of errors per bit" },
	      EXPLAINED_BY(BY_MODULE, BY("phy.fec-mismatch", AT), BY("phy.lane", AT)),
	      .many = "links|have errors left after correction"),
	CHECK("phy.ber-since-clear", "links that had errors since the last clear", IBC_WARNING,
	      check_errors, REGISTERS(NEEDS),
	      .limits = { 1e-14, 1e-12, .unit = "of errors per bit" },
	      EXPLAINED_BY(BY_MODULE, BY("phy.fec-mismatch", AT), BY("phy.lane", AT),
	                   BY("phy.ber-after-fec", AT)),
	      .many = "links|had errors left after correction"),
	CHECK("phy.fec-uncorrectable", "links that lose FEC code words", IBC_CRITICAL, check_errors,
	      .needs = IBC_ATTRS(NEEDS, IBC_ATTR_PHY_FEC_BLOCKS, IBC_ATTR_PHY_STATE),
	      .vital = IBC_ATTRS(IBC_ATTR_PHY_FEC_BLOCKS),
	      .inputs = IBC_IN_PHYSICAL | IBC_IN_BEFORE,
	      EXPLAINED_BY(BY_MODULE, BY("phy.fec-mismatch", AT), BY("phy.lane", AT),
	                   BY("phy.ber-after-fec", AT)),
	      .many = "links|lose FEC code words"),
	CHECK(
	    "phy.fec-margin", "links at the end of what FEC can correct", IBC_WARNING, check_errors,
	    REGISTERS(NEEDS, IBC_ATTR_PHY_FEC_HISTOGRAM, IBC_ATTR_PHY_FEC_BINS, IBC_ATTR_PHY_STATE),
	    .vital = IBC_ATTRS(IBC_ATTR_PHY_FEC_HISTOGRAM, IBC_ATTR_PHY_FEC_BINS),
	    EXPLAINED_BY(BY_MODULE, BY("phy.fec-mismatch", AT), BY_SIGNAL),
	    .many = "links|are at the end of what FEC can correct"),
	CHECK("phy.plr-loss", "links that lose bandwidth to retransmission", IBC_WARNING,
	      check_errors, REGISTERS(NEEDS, IBC_ATTR_PHY_PLR),
	      .vital = IBC_ATTRS(IBC_ATTR_PHY_PLR), .limits = { 0.1, 1, .unit = "of percent" },
	      EXPLAINED_BY(BY_MODULE, BY("phy.fec-mismatch", AT), BY_SIGNAL),
	      .many = "links|lose bandwidth to retransmission"),
	CHECK("phy.ber-order", "bit error rates that cannot be right", IBC_INFO, check_errors,
	      REGISTERS(NEEDS), .many = "ports|report bit error rates that cannot be right"),
	{ 0 },
};
