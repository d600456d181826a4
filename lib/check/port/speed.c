/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of the width and speed that a cable has trained to. */
#include <stdlib.h>

#include "check/collect.h"
#include "check/groups.h"
#include "check/port/trait.h"

/* ---- width and speed ---- */

static struct mode width_mode(const struct ibc_port *p)
{
	return (struct mode){ p->width_active, p->width_enabled, p->width_supported };
}

static unsigned int width_best(unsigned int set)
{
	return ibc_width_widest(set);
}

static unsigned int width_rank(unsigned int value)
{
	return ibc_width_lanes(value);
}

static const struct ibc_word *width_word(unsigned int value)
{
	return ibc_width_word(value);
}

static struct mode speed_mode(const struct ibc_port *p)
{
	return (struct mode){ p->speed_active, p->speed_enabled, p->speed_supported };
}

static unsigned int speed_best(unsigned int set)
{
	return ibc_speed_fastest(set);
}

static unsigned int speed_rank(unsigned int value)
{
	return value; /* bits in rising order */
}

static const struct ibc_word *speed_word(unsigned int value)
{
	return ibc_speed_word(value);
}

const struct trait width_trait = { .name = "width",
	                           .key_active = "width_active",
	                           .key_expected = "width_expected",
	                           .mode = width_mode,
	                           .best = width_best,
	                           .rank = width_rank,
	                           .word = width_word,
	                           .last = IBC_WIDTH_2X,
	                           .split = IBC_WIDTH_2X };

const struct trait speed_trait = { .name = "speed",
	                           .key_active = "speed_active",
	                           .key_expected = "speed_expected",
	                           .mode = speed_mode,
	                           .best = speed_best,
	                           .rank = speed_rank,
	                           .word = speed_word,
	                           .last = IBC_SPEED_XDR };

/* ---- a cable ---- */

/* What is wrong with a cable by itself, or LIMITED beside those of its kind. */
enum fault { FINE, UNKNOWN, MISMATCHED, SLOW, LIMITED };

/* What most cables between two types of device enable: the best value of them. */
struct usual {
	unsigned int value;
	size_t enabling, cables; /* those that enable it or more, of all */
};

/* One cable, as both ends see it. */
struct link_joint {
	const struct ibc_port *near;
	uint64_t types[2];    /* of the two devices, in rising order */
	unsigned int active;  /* what it runs at: if the ends disagree, the lesser */
	unsigned int enabled; /* the best value that both ends enable */
	unsigned int supported;
	enum fault fault;
	struct usual usual;    /* LIMITED: what most cables of its kind enable ... */
	unsigned int expected; /* ... and what this one could */
};

static const char *set_text(struct ibc_sink *out, const struct trait *t, unsigned int set)
{
	const char *text = "";

	for (unsigned int bit = 1; bit <= set; bit <<= 1)
		if (set & bit)
			text = sink_text(out, "%s%s%s", text, *text ? "/" : "", t->word(bit)->name);
	return text;
}

static int by_types(const void *a, const void *b)
{
	const struct link_joint *x = a, *y = b;

	return order_u64(x->types[0], y->types[0]) ?: order_u64(x->types[1], y->types[1]);
}

static struct usual usual_of(const struct trait *t, const struct link_joint *j, size_t n)
{
	struct usual usual = { .cables = n };

	for (unsigned int value = 1; value <= t->last; value <<= 1) {
		size_t enabling = 0;

		for (size_t i = 0; i < n; i++)
			enabling += t->rank(j[i].enabled) >= t->rank(value);
		if (enabling * 2 > n && t->rank(value) > t->rank(usual.value)) {
			usual.value = value;
			usual.enabling = enabling;
		}
	}
	return usual;
}

/* Who keeps a cable below a value. */
static const char *limiting_ends(struct ibc_sink *out, const struct trait *t,
                                 const struct link_joint *j, unsigned int value)
{
	const struct ibc_port *p = j->near, *z = p->peer;
	bool near = t->rank(t->best(t->mode(p).enabled)) < t->rank(value);
	bool far = t->rank(t->best(t->mode(z).enabled)) < t->rank(value);

	if (near && far)
		return "both ends";
	if (!near && !far)
		return "what the two ends enable";
	return port_text(out, near ? p : z);
}

static void report_fault(struct ibc_sink *out, const struct trait *t, const struct link_joint *j)
{
	const struct ibc_port *p = j->near;
	const unsigned int expected = j->fault == SLOW ? j->enabled : j->expected;
	const char *active = t->word(j->active)->name, *wanted = t->word(expected)->name;
	const char *near, *far;
	const bool of_width = t == &width_trait;
	double now, could;

	switch (j->fault) {
	case FINE:
		return;
	case UNKNOWN:
		sink_as(out, IBC_UNKNOWN);
		sink_cable(out, p, "is LinkUp, but one end reports an unknown %s", t->name);
		return;
	case MISMATCHED:
		near = set_text(out, t, t->mode(p).enabled);
		far = set_text(out, t, t->mode(p->peer).enabled);
		sink_cable(out, p, "the two ends enable no common %s: %s %s, %s %s; it runs at %s",
		           t->name, port_text(out, p), near, port_text(out, p->peer), far, active);
		sink_advise(out,
		            "Enable a %s that both ends support on both ends. Until then the cable "
		            "does not come up again once it goes down.",
		            t->name);
		sink_fact(out, t->key_active, ibc_enum(t->word(j->active)));
		sink_fact(out, "enabled", ibc_str(near));
		sink_fact(out, "peer_enabled", ibc_str(far));
		return;
	case SLOW:
		sink_cable(out, p, "runs at %s, both ends enable %s", active, wanted);
		sink_advise(out,
		            "Reseat the cable at both ends. If it trains to %s again, replace it.",
		            active);
		break;
	case LIMITED:
		sink_cable(out, p,
		           "is limited to %s by %s: both ends support %s, and %zu of %zu cables "
		           "between such devices enable it",
		           t->word(j->enabled)->name, limiting_ends(out, t, j, expected), wanted,
		           j->usual.enabling, j->usual.cables);
		sink_compares(out);
		sink_advise(out, "If this is not intended, enable %s there again with ibportstate.",
		            wanted);
	}
	sink_fact(out, t->key_active, ibc_enum(t->word(j->active)));
	sink_fact(out, t->key_expected, ibc_enum(t->word(expected)));
	now = ibc_link_gbps(of_width ? j->active : p->width_active,
	                    of_width ? p->speed_active : j->active);
	could = ibc_link_gbps(of_width ? expected : p->width_active,
	                      of_width ? p->speed_active : expected);
	if (now > 0 && could > now)
		sink_fact(out, "lost_gbps", ibc_real(could - now));
	if (j->fault == SLOW)
		return;
	sink_fact(out, "alike", ibc_u64(j->usual.cables));
	sink_fact(out, "alike_enabling_it", ibc_u64(j->usual.enabling));
}

/* Cables between the same two types of device: those that enable less than most. */
static void evaluate_equal(const struct trait *t, struct link_joint *j, size_t n)
{
	struct usual usual = usual_of(t, j, n);

	for (size_t i = 0; i < n; i++) {
		bool able = t->rank(j[i].supported) >= t->rank(usual.value);

		j[i].usual = usual;
		j[i].expected = able ? usual.value : j[i].supported;
		if (j[i].fault == FINE && j[i].enabled != t->split &&
		    t->rank(j[i].enabled) < t->rank(j[i].expected))
			j[i].fault = LIMITED;
	}
}

/* Every cable that reports this trait, *n of them. */
static struct link_joint *evaluate_cables(const struct ibc_fabric *fab, struct ibc_sink *out,
                                          const struct trait *t, size_t *n)
{
	struct link_joint *joints = sink_array(out, ibc_fabric_count(fab).cables, sizeof(*joints));
	const struct ibc_port *p;

	*n = 0;
	for (size_t i = 0; (p = ibc_fabric_port(fab, i)); i++) {
		struct link_joint *j = &joints[*n];
		uint64_t near, far;
		struct mode a, z;

		if (!is_known_cable(p) || !t->mode(p).enabled || !t->mode(p->peer).enabled)
			continue;
		a = t->mode(p);
		z = t->mode(p->peer);
		near = device_type(p->node);
		far = device_type(p->peer->node);
		/* what joins the chips of a box is no cable as others */
		far |= (uint64_t)ibc_port_is_fnm(p) << 63;
		*j = (struct link_joint){
			.near = p,
			.types = { near < far ? near : far, near < far ? far : near },
			.active = t->rank(a.active) < t->rank(z.active) ? a.active : z.active,
			.enabled = t->best(a.enabled & z.enabled),
			.supported = t->best(a.supported & z.supported),
		};
		if (!j->active)
			j->fault = UNKNOWN;
		else if (!j->enabled)
			j->fault = MISMATCHED;
		else if (t->rank(j->active) < t->rank(j->enabled))
			j->fault = SLOW;
		++*n;
	}
	qsort(joints, *n, sizeof(*joints), by_types);
	for (size_t i = 0, end; i < *n; i = end) {
		for (end = i + 1; end < *n && !by_types(&joints[i], &joints[end]);)
			end++;
		evaluate_equal(t, &joints[i], end - i);
	}
	return joints;
}

static int by_address(const void *a, const void *b)
{
	return order_u64((uintptr_t) * (const struct ibc_port *const *)a,
	                 (uintptr_t) * (const struct ibc_port *const *)b);
}

static void collect_reported(struct blamed *blamed)
{
	const struct trait *const traits[] = { &width_trait, &speed_trait };
	size_t cables = ibc_fabric_count(blamed->fab).cables, n;

	blamed->collected = true;
	blamed->near = sink_array(blamed->out, 2 * cables, sizeof(*blamed->near));
	for (size_t t = 0; t < 2; t++) {
		struct link_joint *joints = evaluate_cables(blamed->fab, blamed->out, traits[t],
		                                            &n);

		for (size_t i = 0; i < n; i++)
			if (joints[i].fault != FINE)
				blamed->near[blamed->n++] = joints[i].near;
	}
	if (blamed->n)
		qsort(blamed->near, blamed->n, sizeof(*blamed->near), by_address);
}

bool is_already_reported(struct blamed *blamed, const struct ibc_port *port)
{
	if (!port->peer)
		return false;
	if (!blamed->collected)
		collect_reported(blamed);
	if (!blamed->n)
		return false;
	if (!ibc_port_is_near_end(port))
		port = port->peer;
	return bsearch(&port, blamed->near, blamed->n, sizeof(*blamed->near), by_address);
}

static void check_trait(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct trait *t = out->check == ibc_checks_port_speed ? &width_trait : &speed_trait;
	size_t n;
	struct link_joint *joints = evaluate_cables(in->fabric, out, t, &n);

	for (size_t i = 0; i < n; i++)
		report_fault(out, t, &joints[i]);
}

/* ---- the table -------------------------------------------------------------- */

const struct ibc_check ibc_checks_port_speed[] = {
	/*
	 * Both ends train to the widest mode they both enable.  Anything narrower means a
	 * dead lane or a half-seated connector.
	 */
	CHECK("port.width", "cables narrower than both ends enable", IBC_WARNING, check_trait,
	      .needs = IBC_ATTRS(IBC_ATTR_PORT_INFO), EXPLAINED_BY(BY_DAMAGE),
	      .many = "cables|run at {width_active}, expected is {width_expected}"),
	/*
	 * Both ends train to the fastest speed they both enable.  Anything slower means a
	 * cable that fails at full speed, or is not made for it.
	 */
	CHECK("port.speed", "cables slower than both ends enable", IBC_WARNING, check_trait,
	      .needs = IBC_ATTRS(IBC_ATTR_PORT_INFO, IBC_ATTR_MLNX_EXT_PORT_INFO),
	      EXPLAINED_BY(BY_DAMAGE),
	      .many = "cables|run at {speed_active}, expected is {speed_expected}"),
	{ 0 },
};
