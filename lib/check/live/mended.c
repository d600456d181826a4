/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Did a repair help?  The check that made the case runs again, and what a link counts has to pass
 * its limit: of both directions, from the first sweep after the work on.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <ibcheck/check.h>
#include <ibcheck/counters.h>
#include <ibcheck/repair.h>

#include "check/groups.h"
#include "check/limits.h"
#include "check/sink.h"
#include "fabric/fabric.h"

#define HOUR       3600.0 /* seconds */
#define FLAPS      3      /* intervals without one show at 95 % that it flaps no more: e^-3 */
#define REPLUGGED  2      /* a plug was pulled once or twice; more often is a link that flaps */
#define FLAP_HOURS 1      /* interval of one of which nothing is known: the limit of the check */

/* struct claim - what a check counts; @phy: errors that FEC leaves; @flaps: a link that goes down
 */
static const struct claim {
	const char *check;
	enum ibc_counter counter;
	bool phy, flaps;
} claims[] = {
	{ .check = "counters.symbol", .counter = IBC_SYMBOL_ERROR },
	{ .check = "counters.recovery", .counter = IBC_LINK_ERROR_RECOVERY },
	{ .check = "counters.rcv-errors", .counter = IBC_RCV_ERRORS },
	{ .check = "counters.integrity", .counter = IBC_LOCAL_LINK_INTEGRITY },
	{ .check = "counters.overrun", .counter = IBC_EXCESSIVE_BUFFER_OVERRUN },
	{ .check = "counters.downed", .counter = IBC_LINK_DOWNED, .flaps = true },
	{ .check = "counters.flap", .counter = IBC_LINK_DOWNED, .flaps = true },
	{ .check = "phy.flap", .counter = IBC_LINK_DOWNED, .flaps = true },
	{ .check = "phy.ber-after-fec", .phy = true },
	{ .check = "phy.ber-since-clear", .phy = true },
	{ .check = "phy.fec-uncorrectable", .phy = true },
};

bool ibc_repair_has_check(const char *check)
{
	const struct ibc_check *c = ibc_check_find(check);

	return c && c->run && !c->parts && ibc_check_selected(c, IBC_REPAIR_CHECKS);
}

/* ---- where it is now ------------------------------------------------------------------- */

static const struct ibc_port *same_place(const struct ibc_port *then, const struct ibc_fabric *now)
{
	const struct ibc_port *p = fabric_same_port(now, then);
	const struct ibc_node *node;

	/* a device that was replaced */
	for (size_t i = 0; !p && (node = ibc_fabric_node(now, i)); i++)
		if (!strcmp(node->label, then->node->label) && node->type == then->node->type)
			p = ibc_node_port(node, then->num);
	return p;
}

const struct ibc_port *ibc_repair_find(const struct ibc_port *then, const struct ibc_fabric *now)
{
	const struct ibc_port *near = same_place(then, now);
	const struct ibc_port *far = then->peer ? same_place(then->peer, now) : NULL;

	if (near && near->peer)
		return near;
	return far && far->peer ? far->peer : near ? near : NULL;
}

static bool other_serial(const struct ibc_port *then, const struct ibc_port *now)
{
	const char *was = port_serial(then), *is = port_serial(now);

	return was && is && strcmp(was, is) != 0;
}

/* ---- the verdict ------------------------------------------------------------------------- */

/*
 * struct repaired - @p: the link now; @then: at the start
 * @base: from when on is counted; NULL: from now on.  @of_start: that is the time before the work
 * @downs: so often it went down since then; @anew: why not earlier, or NULL; @why: in words
 */
struct repaired {
	const struct ibc_repair *r;
	const struct ibc_report *again;
	const struct ibc_port *p, *then;
	const struct ibc_fabric *base;
	bool of_start, any;
	uint64_t downs;
	const char *anew;
	enum ibc_repair_verdict verdict;
	double wait_seconds;
	const char *why;
	struct ibc_sink *out;
};

static void repair_says(struct repaired *m, enum ibc_repair_verdict verdict, const char *why)
{
	/* what is known to be wrong comes before what is not known, and all before mended */
	static const int order[] = {
		[IBC_REPAIR_MENDED] = 1, [IBC_REPAIR_WAIT] = 2,  [IBC_REPAIR_UNKNOWN] = 3,
		[IBC_REPAIR_SAME] = 4,   [IBC_REPAIR_WORSE] = 5,
	};

	if (m->any && order[verdict] <= order[m->verdict])
		return;
	m->any = true;
	m->verdict = verdict;
	m->why = why;
}

/*
 * Between two sweeps there was no work on it, and nothing was cleared: it is one count.  From the
 * start on any time that it went down may have been the work.
 */
static bool is_one_count(struct repaired *m, const struct ibc_fabric *from, bool flaps)
{
	const struct ibc_port *ends[] = { m->p, m->p->peer };

	for (int i = 0; i < 2; i++) {
		const struct ibc_port *then = fabric_same_port(from, ends[i]);
		struct ibc_delta d;
		struct ibc_phy_delta phy;
		uint64_t downs;

		if (!port_keeps_peer(then, ends[i]) || other_serial(then, ends[i]))
			return false;
		m->anew = "a counter was cleared";
		if (ibc_phy_delta_of(from, ends[i], &phy) && phy.cleared)
			return false;
		if (!ibc_delta_of(from, ends[i], &d))
			continue;
		if (d.cleared)
			return false;
		m->anew = "LinkDownedCounter is at its maximum";
		if (from == m->r->start && ends[i]->counters->saturated >> IBC_LINK_DOWNED & 1)
			return false;
		m->anew = "the link went down";
		downs = d.known >> IBC_LINK_DOWNED & 1 ? d.value[IBC_LINK_DOWNED] : 0;
		if (!flaps && downs && (from == m->r->start || downs <= REPLUGGED))
			return false;
		m->downs = downs > m->downs ? downs : m->downs;
	}
	m->anew = NULL;
	return true;
}

static double limit_of(const struct repaired *m, const struct claim *claim)
{
	double flap = m->r->flap_seconds > 0 ? m->r->flap_seconds / HOUR : FLAP_HOURS;
	struct limits limits = limits_of(m->r->config, ibc_check_find(claim->check), m->p);

	if (claim->flaps)
		return 1 / flap;
	if (claim->phy && !isfinite(limits.critical)) /* it has none of its own */
		limits = limits_of(m->r->config, ibc_check_find("phy.ber-after-fec"), m->p);
	/* a warning from 0 on is one at any error: the run of the check sees to that */
	return limits.warning > 0 && isfinite(limits.warning) ? limits.warning : limits.critical;
}

/* Errors and what passed at an end between two sweeps; false: not known.  @from: NULL: 0 of both.
 */
static bool count_between(const struct claim *claim, const struct ibc_fabric *from,
                          const struct ibc_port *to, struct ibc_repair_count *c)
{
	bool from_hdr = to->speed_active >= IBC_SPEED_HDR;
	enum ibc_phy_value errors = from_hdr ? IBC_PHY_SYMBOL_ERRORS : IBC_PHY_EFFECTIVE_ERRORS;
	uint64_t both = UINT64_C(1) << errors | UINT64_C(1) << IBC_PHY_BITS_RECEIVED;
	struct ibc_phy_delta phy;
	struct ibc_delta d;

	if (claim->phy) {
		if (!to->extra->phy || (to->extra->phy->known & both) != both)
			return false;
		if (from && (!ibc_phy_delta_of(from, to, &phy) || (phy.known & both) != both))
			return false;
		c->errors = from ? phy.value[errors] : 0;
		c->passed = from ? (double)phy.value[IBC_PHY_BITS_RECEIVED] : 0;
		return true;
	}
	/* one at its maximum counts no more */
	if (!to->counters || !(to->counters->known >> claim->counter & 1) ||
	    to->counters->saturated >> claim->counter & 1)
		return false;
	if (from && (!ibc_delta_of(from, to, &d) || !(d.known >> claim->counter & 1)))
		return false;
	c->errors = from ? d.value[claim->counter] : 0;
	c->passed = from ? d.seconds / HOUR : 0;
	return true;
}

static const char *name_of(const struct claim *claim)
{
	return claim->phy ? "errors left after FEC" : ibc_counter_word(claim->counter)->name;
}

static void judge_end(struct repaired *m, const struct claim *claim, const struct ibc_port *end)
{
	const struct ibc_port *work = fabric_same_port(m->r->after, end);
	struct ibc_repair_count c = { .limit = limit_of(m, claim), .before = NAN }, old;
	double missing, gbps = ibc_link_gbps(end->width_active, end->speed_active), wait;
	const char *at = port_text(m->out, end), *why;
	enum ibc_repair_verdict verdict;

	if (!isfinite(c.limit) || c.limit <= 0 || (claim->phy && gbps <= 0) ||
	    !count_between(claim, m->base, end, &c)) {
		repair_says(m, IBC_REPAIR_UNKNOWN,
		            sink_text(m->out,
		                      "%s of %s was not read, is at its maximum or has no limit",
		                      name_of(claim), at));
		return;
	}
	if (m->base == m->r->after && work && count_between(claim, m->r->start, work, &old) &&
	    old.passed > 0)
		c.before = (double)old.errors / old.passed;
	verdict = ibc_repair_judge(&c, &missing);
	if (claim->flaps) {
		missing = FLAPS / c.limit - c.passed;
		verdict = c.errors      ? IBC_REPAIR_SAME
		          : missing > 0 ? IBC_REPAIR_WAIT
		                        : IBC_REPAIR_MENDED;
	}
	/* errors since the start may be those from before the work: the count begins now */
	if (m->of_start && c.errors && verdict != IBC_REPAIR_MENDED) {
		m->base = NULL;
		c.errors = 0;
		c.passed = 0;
		verdict = ibc_repair_judge(&c, &missing);
		missing = claim->flaps ? FLAPS / c.limit : missing;
	}
	wait = missing * (claim->phy ? 1 / (gbps * 1e9) : HOUR);
	why = sink_text(m->out, "%s: %s of %s", claim->check, name_of(claim), at);
	if (verdict == IBC_REPAIR_WAIT && wait >= m->wait_seconds) {
		m->wait_seconds = wait;
		if (m->any && m->verdict == IBC_REPAIR_WAIT)
			m->why = why;
	}
	if (verdict != IBC_REPAIR_WAIT)
		why = sink_text(m->out, "%s: %" PRIu64, why, c.errors);
	if (verdict != IBC_REPAIR_WAIT && claim->phy)
		why = sink_text(m->out, "%s in %.2g bits", why, c.passed);
	else if (verdict != IBC_REPAIR_WAIT)
		why = sink_text(m->out, "%s in %.2g h", why, c.passed);
	repair_says(m, verdict, why);
}

/* ---- the check, once more ---------------------------------------------------------------- */

static bool is_at(const struct repaired *m, const struct ibc_end *e, bool node)
{
	const struct ibc_port *ends[] = { m->p, m->p->peer };

	for (int i = 0; i < 2; i++)
		if (ends[i] && e->has_guid && e->guid == ends[i]->node->guid &&
		    (node || e->port == ends[i]->num))
			return true;
	return false;
}

/* Of a time, and not of a moment? */
static bool is_counted(const struct ibc_check *check)
{
	return check->inputs & IBC_IN_BEFORE || !strncmp(check->id, "phy.", 4);
}

/* What is counted says something of the work if the time is that since the work. */
static void judge_finding(struct repaired *m, const struct ibc_finding *f)
{
	bool node = f->subject.kind == IBC_SUBJECT_NODE;
	bool counted = is_counted(ibc_check_find(f->check));

	if (f->severity < IBC_WARNING || (node && !m->r->check) ||
	    !is_at(m, &f->subject.near, node))
		return;
	if (f->severity == IBC_UNKNOWN)
		repair_says(m, IBC_REPAIR_UNKNOWN,
		            sink_text(m->out, "%s: %s", f->check, f->message));
	else if (counted && (m->of_start || !strcmp(f->check, "phy.ber-since-clear")))
		m->base = m->of_start ? NULL : m->base;
	else if (!counted || m->base)
		repair_says(m, IBC_REPAIR_SAME,
		            sink_text(m->out, "%s still finds: %s", f->check, f->message));
}

/* All that the checks read of both ends was answered. */
static void judge_answers(struct repaired *m)
{
	const struct ibc_port *ends[] = { m->p, m->p->peer };
	const struct ibc_check *c = m->r->check ? ibc_check_find(m->r->check) : NULL;
	enum ibc_attr a;

	if (!c)
		return;
	if ((m->base || !(c->inputs & IBC_IN_BEFORE)) && !ibc_report_has_run(m->again, c->id))
		repair_says(m, IBC_REPAIR_UNKNOWN, sink_text(m->out, "%s could not run", c->id));
	for (int i = 0; i < 2; i++)
		for (a = 0; ends[i] && (a = ibc_attrs_next(c->needs, a));)
			if (ibc_port_unanswered(ends[i], a) ||
			    ibc_node_unanswered(ends[i]->node, a))
				repair_says(m, IBC_REPAIR_UNKNOWN,
				            sink_text(m->out, "%s did not answer %s",
				                      port_text(m->out, ends[i]),
				                      ibc_attr_name(a)));
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* A link that is down, slower or narrower than it was. */
static bool judge_state(struct repaired *m)
{
	double was = ibc_link_gbps(m->then->width_active, m->then->speed_active);
	double is = ibc_link_gbps(m->p->width_active, m->p->speed_active);

	if (!ibc_port_has_state(m->p))
		repair_says(m, IBC_REPAIR_UNKNOWN,
		            sink_text(m->out, "%s does not answer", port_text(m->out, m->p)));
	else if (!m->p->peer && ibc_port_is_up(m->p))
		repair_says(m, IBC_REPAIR_UNKNOWN,
		            sink_text(m->out, "the other end of %s does not answer",
		                      port_text(m->out, m->p)));
	else if (!m->p->peer || !ibc_port_is_up(m->p))
		repair_says(m, m->then->peer ? IBC_REPAIR_WORSE : IBC_REPAIR_SAME,
		            sink_text(m->out, "%s has no link", port_text(m->out, m->p)));
	else if (was > 0 && is > 0 && is < was)
		repair_says(
		    m, IBC_REPAIR_WORSE,
		    sink_text(m->out, "the link has %g Gb/s, and had %g before the work", is, was));
	return m->any;
}

static void judge(struct repaired *m)
{
	const struct ibc_check *check = m->r->check ? ibc_check_find(m->r->check) : NULL;
	const struct ibc_port *ends[] = { m->p, m->p->peer };
	bool claimed = false, is_rate = check && check->inputs & IBC_IN_BEFORE;
	const struct ibc_finding *f;

	for (size_t i = 0; (f = ibc_report_finding(m->again, i)); i++)
		judge_finding(m, f);
	judge_answers(m);
	if (m->base && m->downs > REPLUGGED)
		repair_says(m, IBC_REPAIR_SAME,
		            sink_text(m->out, "the link went down %" PRIu64 " times since the work",
		                      m->downs));
	for (size_t i = 0; i < ARRAY_SIZE(claims); i++) {
		const struct claim *claim = &claims[i];
		bool phy = claim->phy && (m->p->extra->phy || m->p->peer->extra->phy);

		/* of a link that nothing else is said of: what each link has, and what was read */
		if (m->r->check  ? strcmp(m->r->check, claim->check) != 0
		    : claim->phy ? !phy
		                 : claim->counter == IBC_EXCESSIVE_BUFFER_OVERRUN)
			continue;
		claimed = true;
		judge_end(m, claim, m->p);
		judge_end(m, claim, m->p->peer);
	}
	if (claimed)
		return;
	for (int i = 0; i < 2 && is_rate; i++)
		if (ends[i]->counters && ends[i]->counters->saturated)
			repair_says(m, IBC_REPAIR_UNKNOWN,
			            sink_text(m->out, "a counter of %s is at its maximum",
			                      port_text(m->out, ends[i])));
	/* what has no count of its own has rates of an hour */
	m->wait_seconds = is_counted(check) ? HOUR : 0;
	if (m->base)
		m->wait_seconds -= (double)m->p->node->subnet->time -
		                   (double)ibc_fabric_subnet(m->base, 0)->time;
	repair_says(m, m->wait_seconds > 0 ? IBC_REPAIR_WAIT : IBC_REPAIR_MENDED,
	            sink_text(m->out, "%s finds it no more", m->r->check));
}

static const char *wait_text(struct ibc_sink *out, double seconds)
{
	return seconds > 2 * HOUR ? sink_text(out, "%.1f more hours", seconds / HOUR)
	                          : sink_text(out, "%.0f more minute%s", ceil(seconds / 60),
	                                      seconds > 60 ? "s" : "");
}

static const char *plugs_text(struct repaired *m)
{
	for (int i = 0; i < 2; i++) {
		const struct ibc_port *a = i ? m->then->peer : m->then, *b = i ? m->p->peer : m->p;

		if (a && b && other_serial(a, b))
			return sink_text(m->out, "SN %s at %s, before SN %s", port_serial(b),
			                 port_text(m->out, b), port_serial(a));
	}
	return NULL;
}

/* What was not so before the work, and is no fault. */
static const char *changes_text(struct repaired *m)
{
	const char *plugs = m->p ? plugs_text(m) : NULL;

	if (plugs)
		return sink_text(m->out, "; another cable is in place (%s)", plugs);
	for (int i = 0; i < 2; i++) {
		const struct ibc_port *a = i ? m->then->peer : m->then, *b = i ? m->p->peer : m->p;

		if (a && b && a->node->guid != b->node->guid &&
		    !strcmp(a->node->label, b->node->label))
			return sink_text(m->out, "; %s was replaced", b->node->label);
	}
	if (m->then->peer && m->p->peer &&
	    (m->p->num != m->then->num || !port_keeps_peer(m->p, m->then)))
		return sink_text(m->out, "; the link is between %s and %s now",
		                 port_text(m->out, m->p), port_text(m->out, m->p->peer));
	return "";
}

static void report_verdict(struct repaired *m)
{
	bool is_fault = m->verdict == IBC_REPAIR_SAME || m->verdict == IBC_REPAIR_WORSE;
	bool waits = m->verdict == IBC_REPAIR_WAIT;
	const struct ibc_port *at = m->p ? m->p : m->then;
	const char *changes = m->p ? changes_text(m) : "", *text;

	if (waits && plugs_text(m))
		m->verdict = IBC_REPAIR_OTHER_CABLE;
	if (waits && m->anew && !*changes)
		changes = sink_text(m->out, "; the time begins again: %s", m->anew);
	if (m->verdict == IBC_REPAIR_MENDED && !m->r->check && !m->p->extra->phy)
		changes = sink_text(m->out, "; bit errors were not read%s", changes);
	if (waits)
		text = sink_text(m->out, "wait %s without an error (%s)%s",
		                 wait_text(m->out, m->wait_seconds), m->why, changes);
	else
		text = sink_text(m->out, "%s: %s%s", ibc_repair_word(m->verdict)->name, m->why,
		                 changes);
	sink_as(m->out, is_fault                          ? IBC_CRITICAL
	                : m->verdict == IBC_REPAIR_MENDED ? IBC_INFO
	                                                  : IBC_UNKNOWN);
	if (at->peer)
		sink_cable(m->out, at, "%s", text);
	else
		sink_port(m->out, at, "%s", text);
	if (is_fault)
		sink_advise(m->out,
		            "Do the next step of the advice of the case, then \"ibcheck "
		            "repair start\" again; after the plugs and the cable one of the "
		            "two ports is at fault.");
	sink_fact(m->out, "verdict", ibc_enum(ibc_repair_word(m->verdict)));
	sink_fact(m->out, "wait_seconds",
	          waits && m->wait_seconds > 0 ? ibc_real(m->wait_seconds) : ibc_none());
	sink_fact(m->out, "fault", ibc_str(m->r->check));
	sink_fact(m->out, "serial_before", ibc_str(port_serial(m->then)));
	sink_fact(m->out, "peer_serial_before", ibc_str(port_serial(m->then->peer)));
	sink_fact(m->out, "serial", ibc_str(port_serial(m->p)));
	sink_fact(m->out, "peer_serial", ibc_str(m->p ? port_serial(m->p->peer) : NULL));
	ibc_report_ran(m->out->report, m->out->check->id);
}

static void write_verdict(const void *arg, struct ibc_sink *out)
{
	struct repaired *m = (struct repaired *)arg;

	m->out = out;
	if (!m->p)
		repair_says(m, IBC_REPAIR_UNKNOWN, "neither end of the link answers");
	else if (!judge_state(m))
		judge(m);
	report_verdict(m);
}

int ibc_check_repair(const struct ibc_repair *r, struct ibc_report *rep, bool *begins,
                     struct ibc_error *err)
{
	struct repaired m = { .r = r, .then = r->link, .p = ibc_repair_find(r->link, r->now) };
	struct ibc_sink out = { .report = rep, .check = ibc_checks_repair_link };
	struct ibc_input in = { .fabric = r->now, .config = r->config };
	struct ibc_report *again;
	bool up = m.p && m.p->peer, flaps = false;
	int rc;

	for (size_t i = 0; r->check && i < ARRAY_SIZE(claims); i++)
		flaps |= claims[i].flaps && !strcmp(claims[i].check, r->check);
	if (up && r->after && is_one_count(&m, r->after, flaps))
		m.base = r->after;
	m.of_start = up && !m.base && !r->after && is_one_count(&m, r->start, false);
	if (m.of_start)
		m.base = r->start;
	in.before = m.base;
	in.physical = up && (m.p->extra->phy || m.p->peer->extra->phy);
	rc = ibc_report_new(&again, err);
	if (rc)
		return rc;
	m.again = again;
	rc = ibc_check_run(&in, r->check ? r->check : IBC_REPAIR_CHECKS, again, err);
	if (!rc)
		rc = sink_run(&out, write_verdict, &m);
	/* from a sweep that lacks something nothing could be counted */
	*begins = up && !m.base && m.verdict != IBC_REPAIR_UNKNOWN;
	ibc_report_free(again);
	return rc;
}
