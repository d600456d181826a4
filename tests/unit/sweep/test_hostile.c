/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Fabrics that do not tell the truth, or not all of it, or change meanwhile.  What may become
 * of a report:
 *
 * - An answer that is lost, late, doubled, short, refused or to something else can be told from
 *   a good one.  Then the report is the one of the fabric as it is; or something is missing, the
 *   verdict is at least unknown, and no fault is told that the fabric does not have.
 * - A lie that keeps to the format cannot be told.  Then nothing crashes, all ends, and who has
 *   not lied, and in whose name nobody has, is seen as it is.
 * - A cable that is pulled and plugged during the sweep is seen as it was before or after.
 *
 * HOSTILE_SEEDS: so many runs of each, each with its number as the seed; HOSTILE_FIRST: the first.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "findings.h"
#include "mkrig.h"
#include "model/hostile.h"
#include "model/swept.h"

#define MS         1000000ull
#define FEW        8
#define SPEC       "synth:fattree:leaves=4,spines=2,hosts=3,cables=2"
#define SENT_MAX   200000
#define LONGEST_NS (600ull * 1000 * MS)

static unsigned int number_of(const char *name, unsigned int otherwise)
{
	const char *value = getenv(name);

	return value ? (unsigned int)strtoul(value, NULL, 10) : otherwise;
}

/* for each seed of this run */
#define EACH_SEED(seed)                                                                            \
	for (uint64_t seed = number_of("HOSTILE_FIRST", 1),                                        \
	              past_ = seed + number_of("HOSTILE_SEEDS", FEW);                              \
	     seed < past_; seed++)

/* ---- what is swept --------------------------------------------------------------------- */

static struct ibc_port *nth_port(const struct ibc_fabric *fab, size_t node, unsigned int num)
{
	return fabric_build_port(ibc_fabric_node(fab, node), num);
}

/* With a fault or without: a cable that is slow, one that is missing. */
static struct ibc_fabric *real_fabric(bool faulty)
{
	struct ibc_fabric *fab = swept_real(SPEC);
	struct ibc_port *slow = nth_port(fab, 0, 1), *gone = nth_port(fab, 1, 5);

	if (!faulty)
		return fab;
	slow->speed_active = ((struct ibc_port *)slow->peer)->speed_active = IBC_SPEED_QDR;
	for (int end = 0; end < 2; end++, gone = (struct ibc_port *)gone->peer) {
		gone->phys_state = IBC_PHYS_POLLING;
		gone->state = IBC_STATE_DOWN;
	}
	return fab;
}

/* What was seen, or NULL: then it failed with a sentence. */
static struct ibc_fabric *see(const struct line_opts *opts, line_answer_fn *answer, void *ctx)
{
	const struct ibc_source_opts how = swept_opts(true);
	struct line *line = line_new(opts, answer, ctx);
	uint64_t start_ns = line_now_ns(line);
	struct ibc_fabric *fab = NULL;
	struct ibc_error err = { "" };

	if (swept(line, &how, &fab, &err))
		assert_string_not_equal(err.text, "");
	assert_true(line_counts(line)->sent < SENT_MAX);
	assert_true(line_now_ns(line) - start_ns < LONGEST_NS);
	line_free(line);
	return fab;
}

/* ---- right, or unknown ------------------------------------------------------------------- */

/* struct fault - what is told, and of what, however many it counts */
struct fault {
	const char *check;
	uint64_t guid;
	unsigned int port;
};

/* struct truth - what may be told: so much at the least, unless there is a gap */
struct truth {
	struct fault faults[64];
	size_t num, least;
	bool critical;
	const struct ibc_port *known[2]; /* one end of a cable of which all may be told */
};

static bool is_fault(const struct ibc_finding *f)
{
	return f->severity == IBC_WARNING || f->severity == IBC_CRITICAL;
}

static bool is_told(const struct truth *truth, const struct ibc_finding *f)
{
	for (size_t i = 0; i < truth->num; i++)
		if (!strcmp(truth->faults[i].check, f->check) &&
		    truth->faults[i].guid == f->subject.near.guid &&
		    truth->faults[i].port == f->subject.near.port)
			return true;
	return false;
}

static bool is_end(const struct ibc_end *end, const struct ibc_port *p)
{
	return p && p->node->guid == end->guid && (!end->has_port || p->num == end->port);
}

static bool is_of_known(const struct truth *truth, const struct ibc_finding *f)
{
	const struct ibc_subject *s = &f->subject;

	for (int i = 0; i < 2; i++) {
		const struct ibc_port *p = truth->known[i];

		if (p && (is_end(&s->near, p) || is_end(&s->far, p) || is_end(&s->near, p->peer) ||
		          is_end(&s->far, p->peer)))
			return true;
	}
	return false;
}

static void add_truth(struct truth *truth, const struct ibc_report *rep)
{
	const struct ibc_finding *f;

	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++) {
		if (!is_fault(f) || is_told(truth, f))
			continue;
		assert_true(truth->num < sizeof(truth->faults) / sizeof(truth->faults[0]));
		truth->faults[truth->num++] = (struct fault){ ibc_check_find(f->check)->id,
			                                      f->subject.near.guid,
			                                      f->subject.near.port };
	}
	truth->critical |= ibc_report_verdict(rep) == IBC_CRITICAL;
}

static void learn_truth(struct truth *truth, const struct ibc_fabric *real)
{
	struct model *m = model_new(real, NULL);
	struct ibc_fabric *seen = see(&(struct line_opts){ .rtt_ns = RTT_NS, .whole = model_whole },
	                              model_answer, m);
	struct ibc_report *rep;

	assert_non_null(seen);
	rep = swept_report(seen);
	add_truth(truth, rep);
	ibc_report_free(rep);
	ibc_fabric_free(seen);
	model_free(m);
}

static const char *fault_of(const struct truth *truth, const struct ibc_report *rep)
{
	enum ibc_severity verdict = ibc_report_verdict(rep);
	const struct ibc_finding *f;
	size_t faults = 0, gaps = 0;

	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++) {
		if (is_fault(f) && !is_told(truth, f) && !is_of_known(truth, f))
			return f->message;
		faults += is_fault(f);
		gaps += f->severity == IBC_UNKNOWN;
	}
	if (!gaps && faults < truth->least)
		return "a fault is not told, and no gap";
	if (gaps && verdict != IBC_UNKNOWN && verdict != IBC_CRITICAL)
		return "a gap, but the verdict is not unknown";
	if (verdict == IBC_CRITICAL && !truth->critical)
		return "critical, which nothing is";
	return NULL;
}

static void assert_right_or_unknown(const struct truth *truth, const struct ibc_fabric *seen,
                                    uint64_t seed)
{
	struct ibc_report *rep = swept_report(seen);
	const char *wrong = fault_of(truth, rep);
	char *all;

	if (wrong) {
		all = findings_text(rep);
		fail_msg("seed %llu: %s\nin:\n%s", (unsigned long long)seed, wrong, all);
	}
	ibc_report_free(rep);
}

/* ---- what can be told from a good answer ---------------------------------------------------- */

static const double parts[] = { 0.001, 0.01, 0.1, 0.5 };
#define PARTS (sizeof(parts) / sizeof(parts[0]))

static void each_part(void (*run)(const struct ibc_fabric *real, const struct truth *truth,
                                  double part, uint64_t seed))
{
	for (int faulty = 0; faulty < 2; faulty++) {
		struct ibc_fabric *real = real_fabric(faulty);
		struct truth truth = { 0 };

		learn_truth(&truth, real);
		truth.known[0] = faulty ? nth_port(real, 0, 1) : NULL;
		truth.known[1] = faulty ? nth_port(real, 1, 5) : NULL;
		truth.least = truth.num;
		assert_int_equal(truth.num == 0, !faulty);
		EACH_SEED(seed)
		for (size_t i = 0; i < PARTS; i++)
			run(real, &truth, parts[i], seed);
		ibc_fabric_free(real);
	}
}

static void lose(const struct ibc_fabric *real, const struct truth *truth, double part,
                 uint64_t seed)
{
	struct model *m = model_new(real, NULL);
	struct ibc_fabric *seen = see(
	    &(struct line_opts){
		.rtt_ns = RTT_NS, .whole = model_whole, .loss = part, .seed = seed },
	    model_answer, m);

	if (seen)
		assert_right_or_unknown(truth, seen, seed);
	ibc_fabric_free(seen);
	model_free(m);
}

static void what_is_lost_leaves_the_report_right_or_unknown(void **state)
{
	(void)state;
	each_part(lose);
}

static struct ibc_fabric *see_hostile(struct hostile *h)
{
	return see(
	    &(struct line_opts){ .rtt_ns = RTT_NS, .fate = hostile_fate, .whole = hostile_whole },
	    hostile_answer, h);
}

static void damage(const struct ibc_fabric *real, const struct truth *truth, double part,
                   uint64_t seed)
{
	struct hostile h = { .model = model_new(real, NULL),
		             .real = real,
		             .kinds = HOSTILE_DAMAGE,
		             .part = part,
		             .seed = seed };
	struct ibc_fabric *seen = see_hostile(&h);

	if (seen)
		assert_right_or_unknown(truth, seen, seed);
	ibc_fabric_free(seen);
	model_free(h.model);
}

static void what_is_damaged_leaves_the_report_right_or_unknown(void **state)
{
	(void)state;
	each_part(damage);
}

/* ---- lies ---------------------------------------------------------------------------------- */

static void assert_port_is_true(const struct ibc_port *real, const struct ibc_port *seen,
                                uint64_t seed)
{
	if (!ibc_port_has(seen, IBC_ATTR_PORT_INFO))
		return;
	if (real->state != seen->state || real->phys_state != seen->phys_state ||
	    real->width_active != seen->width_active || real->speed_active != seen->speed_active ||
	    real->lid != seen->lid)
		fail_msg("seed %llu: %s/%u is not as it is", (unsigned long long)seed,
		         real->node->label, real->num);
}

/* Whoever has not lied, and whom nobody has claimed to be. */
static void assert_honest_are_true(const struct hostile *h, const struct ibc_fabric *seen,
                                   uint64_t seed)
{
	const struct ibc_node *real, *node;

	for (size_t i = 0; (real = ibc_fabric_node(h->real, i)); i++) {
		node = ibc_fabric_node_by_guid(seen, real->guid);
		if (h->liars[i] || !node || node->duplicate)
			continue;
		assert_int_equal(node->num_ports, real->num_ports);
		if (ibc_node_has(node, IBC_ATTR_NODE_DESC))
			assert_string_equal(node->desc, real->desc);
		for (unsigned int p = 1; p <= node->num_ports; p++)
			assert_port_is_true(ibc_node_port(real, p), ibc_node_port(node, p), seed);
	}
}

static void lie(const struct ibc_fabric *real, const struct truth *truth, double part,
                uint64_t seed)
{
	uint8_t liars[256] = { 0 };
	struct hostile h = { .model = model_new(real, NULL),
		             .real = real,
		             .kinds = HOSTILE_ALL & ~HOSTILE_KIND(HOSTILE_INVENTED),
		             .part = part,
		             .seed = seed,
		             .liars = liars };
	struct ibc_fabric *seen = see_hostile(&h);

	(void)truth;
	assert_true(ibc_fabric_count(real).nodes <= sizeof(liars));
	if (seen) {
		assert_honest_are_true(&h, seen, seed);
		ibc_report_free(swept_report(seen));
	}
	ibc_fabric_free(seen);
	model_free(h.model);
}

static void a_lie_leaves_the_honest_as_they_are(void **state)
{
	(void)state;
	each_part(lie);
}

/* ---- changes --------------------------------------------------------------------------------- */

/* A cable that is pulled after so many queries, and plugged again after as many more. */
struct flapping {
	struct model *model;
	struct ibc_port *a, *z;
	unsigned int asked, pulled_at, plugged_at;
};

static void pull(struct flapping *f)
{
	struct ibc_port *const ends[] = { f->a, f->z };

	f->a->peer = f->z->peer = NULL;
	for (int i = 0; i < 2; i++) {
		ends[i]->state = IBC_STATE_DOWN;
		ends[i]->phys_state = IBC_PHYS_POLLING;
	}
}

static void plug(struct flapping *f)
{
	struct ibc_port *const ends[] = { f->a, f->z };

	f->a->peer = f->z;
	f->z->peer = f->a;
	for (int i = 0; i < 2; i++) {
		ends[i]->state = IBC_STATE_ACTIVE;
		ends[i]->phys_state = IBC_PHYS_LINKUP;
	}
}

static int flapping_answer(void *ctx, const struct mad_addr *to, uint8_t mad[MAD_SIZE])
{
	struct flapping *f = ctx;

	f->asked++;
	if (f->asked == f->pulled_at)
		pull(f);
	if (f->asked == f->plugged_at)
		plug(f);
	return model_answer(f->model, to, mad);
}

static const uint8_t *flapping_whole(void *ctx, size_t *length)
{
	return model_whole(((struct flapping *)ctx)->model, length);
}

static uint64_t mixed(uint64_t seed)
{
	seed = (seed + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
	return (seed ^ seed >> 31) * 0x94d049bb133111eb >> 20;
}

/* A cable of a fabric that is all well, but not that of the host that sweeps. */
static struct ibc_port *some_cable(const struct ibc_fabric *real, const struct model *m,
                                   uint64_t seed)
{
	size_t num = ibc_fabric_count(real).ports;
	const struct ibc_port *p;

	for (size_t i = mixed(seed) % num;; i = (i + 1) % num) {
		p = ibc_fabric_port(real, i);
		if (p->peer && p != model_from(m) && p->peer != model_from(m))
			return (struct ibc_port *)p;
	}
}

static void flap(uint64_t seed)
{
	struct ibc_fabric *real = real_fabric(false), *seen;
	struct flapping f = { .model = model_new(real, NULL) };
	struct truth truth = { 0 };

	f.a = some_cable(real, f.model, seed);
	f.z = (struct ibc_port *)f.a->peer;
	pull(&f);
	learn_truth(&truth, real);
	plug(&f);
	truth.critical = true; /* while there is one more end than the other */
	truth.known[0] = f.a;
	truth.known[1] = f.z;
	f.pulled_at = 1 + (unsigned int)(mixed(seed + 1) % 400);
	f.plugged_at = f.pulled_at + (unsigned int)(mixed(seed + 2) % 400);
	seen = see(&(struct line_opts){ .rtt_ns = RTT_NS, .whole = flapping_whole },
	           flapping_answer, &f);
	if (seen)
		assert_right_or_unknown(&truth, seen, seed);
	ibc_fabric_free(seen);
	model_free(f.model);
	plug(&f);
	ibc_fabric_free(real);
}

static void a_cable_that_flaps_is_seen_as_before_or_after(void **state)
{
	(void)state;
	EACH_SEED(seed)
	flap(seed);
}

/* ---- without end ------------------------------------------------------------------------------
 */

static void see_endless(unsigned int ports, bool same_guid)
{
	struct ibc_fabric *real = swept_real("synth:fattree:leaves=2,spines=1,hosts=1,radix=8"),
			  *seen;
	struct hostile h = { .model = model_new(real, NULL),
		             .real = real,
		             .kinds = HOSTILE_KIND(HOSTILE_INVENTED) | HOSTILE_KIND(HOSTILE_LINKED),
		             .part = 1,
		             .inventions = ports,
		             .same_guid = same_guid };
	struct ibc_source_opts opts = swept_opts(false);
	struct line *line = line_new(&(struct line_opts){ .rtt_ns = RTT_NS, .fate = hostile_fate },
	                             hostile_answer, &h);
	struct ibc_error err = { "" };

	assert_int_equal(swept(line, &opts, &seen, &err), -E2BIG);
	assert_non_null(strstr(err.text, "has no end"));
	line_free(line);
	model_free(h.model);
	ibc_fabric_free(real);
}

static void a_fabric_without_end_ends_the_sweep(void **state)
{
	(void)state;
	see_endless(254, false);
	see_endless(36, false);
	see_endless(254, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_lost_leaves_the_report_right_or_unknown),
		cmocka_unit_test(what_is_damaged_leaves_the_report_right_or_unknown),
		cmocka_unit_test(a_lie_leaves_the_honest_as_they_are),
		cmocka_unit_test(a_cable_that_flaps_is_seen_as_before_or_after),
		cmocka_unit_test(a_fabric_without_end_ends_the_sweep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
