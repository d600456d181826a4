/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A week of the physical layer: fabrics that are well, and as many with faults at random places,
 * each swept once a day and compared with the day before.  Every fault is named, with the end
 * that it is at, and nothing else is.
 *
 * DRIFT_FABRICS: so many of each; DRIFT_FIRST: the first seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ibcheck/case.h>
#include <ibcheck/check.h>

#include "base/hash.h"
#include "findings.h"
#include "mkcabled.h"

#define FEW        4 /* of each, where nobody says how many */
#define DAYS       7
#define DAY_S      86400
#define FAULTS_MAX 3

static const char *const shapes[] = {
	"synth:fattree:leaves=4,spines=2,hosts=8,speed=NDR",
	"synth:fattree:leaves=6,spines=3,hosts=12,cables=2,speed=NDR",
	"synth:fattree:leaves=8,spines=4,hosts=8,speed=HDR",
	"synth:fattree:leaves=12,spines=4,hosts=4,cables=1,speed=EDR",
};

/*
 * struct expected - how a fault is called
 * @check: one of these names it
 * @may: and so may these, of the same link, cage or device
 * @later: it comes about after the first sweep
 * @received: it is seen by the receiver of what the other end sends
 */
static const struct expected {
	const char *check, *may;
	bool later, received;
} expected[MODEL_FAULTS] = {
	[MODEL_DIRTY_LANE] = { .check = "phy.lane", .may = "phy.raw-ber", .received = true },
	[MODEL_NOISE] = { .check = "phy.raw-ber",
	                  .may = "phy.fec-margin,phy.fec-uncorrectable,phy.ber-after-fec",
	                  .received = true },
	[MODEL_DRIFT] = { .check = "phy.raw-ber",
	                  .may = "phy.fec-margin",
	                  .later = true,
	                  .received = true },
	[MODEL_LOST_BLOCKS] = { .check = "phy.fec-uncorrectable",
	                        .may = "phy.ber-after-fec",
	                        .received = true },
	[MODEL_SLOW_TRAINING] = { .check = "phy.slow-training" },
	[MODEL_LOOPBACK] = { .check = "phy.loopback" },
	[MODEL_FEC_MISMATCH] = { .check = "phy.fec-mismatch" },
	[MODEL_FLAPS] = { .check = "phy.flap", .may = "phy.link-down-reason", .later = true },
	[MODEL_UNHEALTHY] = { .check = "phy.health" },
	[MODEL_HOT_MODULE] = { .check = "cable.temperature", .later = true },
	[MODEL_DARK_LANE] = { .check = "cable.no-light" },
	[MODEL_MODULE_FAULT] = { .check = "cable.module-state" },
	[MODEL_ODD_SERIAL] = { .check = "cable.eeprom", .may = "cable.identity" },
	[MODEL_HOT_ASIC] = { .check = "device.temperature" },
	[MODEL_STOPPED_FAN] = { .check = "device.fan" },
};

/*
 * struct week - one fabric
 * @seed: what is drawn next; @number: what all of it began with
 * @named: which of the faults were found, on any day
 */
struct week {
	struct rig r;
	uint64_t seed, number;
	struct model_planted faults[FAULTS_MAX];
	size_t num;
	bool named[FAULTS_MAX];
	unsigned int failures;
};

static uint64_t number_of(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : otherwise;
}

static uint64_t draw(uint64_t *seed, uint64_t n)
{
	return hash_mix(*seed += 0x9e3779b97f4a7c15) % n;
}

static void begin(struct week *w, uint64_t seed)
{
	const size_t num_shapes = sizeof(shapes) / sizeof(shapes[0]);

	*w = (struct week){ .r = rig_of(model_planted_fabric(shapes[seed % num_shapes])),
		            .seed = seed * 1000,
		            .number = seed };
	model_cables(w->r.model, w->r.real, seed);
	w->r.opts.needs = ibc_check_needs(ibc_check_select("phy,cable,device", NULL));
	w->r.opts.physical = true;
}

static void plant(struct week *w, bool later, const enum model_fault *kinds)
{
	for (size_t i = 0; i < FAULTS_MAX; i++)
		if (expected[kinds[i]].later == later)
			assert_true(model_plant(w->r.model, w->r.real, kinds[i], &w->seed,
			                        &w->faults[w->num++]));
}

/* ---- what is said of it --------------------------------------------------------------- */

static bool is_one_of(const char *list, const char *check)
{
	size_t n = strlen(check);

	for (const char *at = list; (at = strstr(at, check)); at += n)
		if (at[n] == '\0' || at[n] == ',')
			return true;
	return false;
}

static bool is_end(const struct ibc_end *end, const struct ibc_port *port)
{
	return port && end->guid == port->node->guid && end->has_port && end->port == port->num;
}

/* The port that shares its cage, or NULL. */
static const struct ibc_port *twin_of(const struct week *w, const struct ibc_port *port)
{
	const struct ibc_node *node = port->node;
	const struct model_phy *twin = model_phy(w->r.model, port)->twin;

	for (unsigned int num = 1; twin && num <= node->num_ports; num++)
		if (model_phy(w->r.model, &node->ports[num]) == twin)
			return &node->ports[num];
	return NULL;
}

/* The port itself for what its module has; else the link. */
static bool is_about(const struct week *w, const struct model_planted *fault,
                     const struct ibc_finding *f)
{
	const struct ibc_end *near = &f->subject.near;
	const struct ibc_port *twin;

	if (fault->what >= MODEL_HOT_ASIC)
		return near->guid == fault->port->node->guid && !near->has_port;
	twin = twin_of(w, fault->port);
	if (is_end(near, fault->port) || is_end(near, twin))
		return true;
	if (f->subject.kind != IBC_SUBJECT_CABLE)
		return false;
	return is_end(&f->subject.far, fault->port) || is_end(&f->subject.far, twin);
}

/* Where a text has the name of a port first; NULL: nowhere. */
static const char *find_port(const char *text, const struct ibc_port *port)
{
	char name[128];
	int n = snprintf(name, sizeof(name), "%s/%u", port->node->desc, port->num);

	for (const char *at = text; at && (at = strstr(at, name)); at++)
		if (at[n] < '0' || at[n] > '9')
			return at;
	return NULL;
}

/*
 * Of a link the sentence names the end that the fault is at; of errors, which a receiver sees,
 * not the other one, and the plug to begin with is that of the sender.
 */
static bool names_the_end(const struct model_planted *fault, const struct ibc_finding *f)
{
	const struct ibc_port *peer = fault->port->peer;
	const char *own, *others;

	if (f->subject.kind != IBC_SUBJECT_CABLE)
		return true;
	if (!find_port(f->message, fault->port))
		return false;
	if (!expected[fault->what].received)
		return true;
	own = find_port(f->advice, fault->port);
	others = find_port(f->advice, peer);
	return !find_port(f->message, peer) && others && own && others < own;
}

static void complain(const struct week *w, const struct ibc_finding *f, unsigned int day,
                     const char *what)
{
	char *line = NULL;
	size_t n;
	FILE *out = open_memstream(&line, &n);

	print_finding(out, f);
	fclose(out);
	print_error("seed %ju, day %u: %s: %s %s", (uintmax_t)w->number, day, what, f->check, line);
	free(line);
}

static void take_finding(struct week *w, const struct ibc_finding *f, unsigned int day)
{
	bool about_any = !strcmp(f->check, "phy.partial");

	for (size_t i = 0; i < w->num; i++) {
		const struct expected *e = &expected[w->faults[i].what];

		if (!is_about(w, &w->faults[i], f))
			continue;
		if (!strcmp(f->check, e->check)) {
			w->named[i] |= names_the_end(&w->faults[i], f);
			about_any = true;
		}
		about_any |= e->may && is_one_of(e->may, f->check);
	}
	if (about_any)
		return;
	complain(w, f, day, "nothing of it is there");
	w->failures++;
}

static void judge(struct week *w, const struct ibc_fabric *before, unsigned int day)
{
	struct ibc_input in = { .fabric = w->r.seen, .before = before, .physical = true };
	const struct ibc_finding *f;
	struct ibc_report *rep;

	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, "phy,cable,device", rep, NULL), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	assert_int_equal(ibc_cases_find(&in, ibc_check_find, rep, NULL), 0);
	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++)
		take_finding(w, f, day);
	ibc_report_free(rep);
}

/* ---- a week ----------------------------------------------------------------------------- */

static void sweep_at_day(struct week *w, unsigned int day)
{
	w->r.seen = NULL;
	sweep(&w->r);
	assert_int_equal(w->r.rc, 0);
	((struct ibc_subnet *)ibc_fabric_subnet(w->r.seen, 0))->time = 1800000000 + DAY_S * day;
}

static void live_a_week(struct week *w, const enum model_fault *kinds)
{
	struct ibc_fabric *before;

	if (kinds)
		plant(w, false, kinds);
	sweep_at_day(w, 0);
	if (kinds)
		plant(w, true, kinds);
	for (unsigned int day = 1; day <= DAYS; day++) {
		before = w->r.seen;
		model_pass(w->r.model, DAY_S * 1000000000ull);
		sweep_at_day(w, day);
		judge(w, before, day);
		ibc_fabric_free(before);
	}
}

static void expect_all_named(struct week *w)
{
	for (size_t i = 0; i < w->num; i++) {
		if (w->named[i])
			continue;
		print_error("seed %ju: %s at %s/%u is not named\n", (uintmax_t)w->number,
		            expected[w->faults[i].what].check, w->faults[i].port->node->desc,
		            w->faults[i].port->num);
		w->failures++;
	}
}

/* Returns how much was wrong in all of them. */
static unsigned int live_weeks(bool planted)
{
	uint64_t first = number_of("DRIFT_FIRST", 1), num = number_of("DRIFT_FABRICS", FEW);
	unsigned int failures = 0;

	for (uint64_t seed = first; seed < first + num; seed++) {
		enum model_fault kinds[FAULTS_MAX];
		struct week w;

		begin(&w, seed);
		/* each kind comes, whatever is drawn besides */
		kinds[0] = (enum model_fault)(seed % MODEL_FAULTS);
		for (size_t i = 1; i < FAULTS_MAX; i++)
			kinds[i] = (enum model_fault)draw(&w.seed, MODEL_FAULTS);
		live_a_week(&w, planted ? kinds : NULL);
		expect_all_named(&w);
		failures += w.failures;
		rig_free(&w.r);
	}
	return failures;
}

static void a_week_that_is_well_brings_no_finding(void **state)
{
	(void)state;
	assert_int_equal(live_weeks(false), 0);
}

static void every_fault_is_named_with_its_end_and_nothing_else(void **state)
{
	(void)state;
	assert_int_equal(live_weeks(true), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_week_that_is_well_brings_no_finding),
		cmocka_unit_test(every_fault_is_named_with_its_end_and_nothing_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
