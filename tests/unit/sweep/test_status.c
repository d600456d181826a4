/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The status of a MAD (IBA 13.4.7), for every attribute that a sweep asks for: who answers with
 * another one than 0 has not answered, whatever data come with it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fabric/attributes.h"
#include "findings.h"
#include "mkrig.h"
#include "model/swept.h"
#include "wire/mad.h"
#include "wire/registers.h"
#include "wire/smp.h"
#include "wire/vendor.h"

#define SPEC      "synth:fattree:leaves=2,spines=2,hosts=2"
#define KINDS_MAX 64

/* What is asked for on the wire; of subnet management by either class. */
struct asked {
	uint8_t mgmt_class;
	uint16_t attribute;
};

/*
 * struct refusing - a fabric in which one attribute is answered with a status
 * @kinds: all that were asked for, if @status is 0
 * @spared: the first NodeInfo: without it there is no sweep
 */
struct refusing {
	struct model *model;
	struct asked kinds[KINDS_MAX], it;
	size_t num_kinds, asked;
	uint16_t status;
	bool spared;
};

static bool is_same(struct asked a, struct asked z)
{
	return a.mgmt_class == z.mgmt_class && a.attribute == z.attribute;
}

static void note_kind(struct refusing *r, struct asked kind)
{
	for (size_t i = 0; i < r->num_kinds; i++)
		if (is_same(r->kinds[i], kind))
			return;
	assert_true(r->num_kinds < KINDS_MAX);
	r->kinds[r->num_kinds++] = kind;
}

static int refusing_answer(void *ctx, const struct mad_addr *to, uint8_t mad[MAD_SIZE])
{
	struct refusing *r = ctx;
	struct mad_header h;
	struct asked kind;
	int device;

	mad_header_get(mad, &h);
	kind = (struct asked){ h.mgmt_class == MAD_CLASS_SMP_DIRECTED ? MAD_CLASS_SMP
		                                                      : h.mgmt_class,
		               h.attribute };
	device = model_answer(r->model, to, mad);
	if (device == LINE_NOBODY)
		return device;
	if (!r->status) {
		note_kind(r, kind);
	} else if (is_same(r->it, kind)) {
		if (!r->spared && kind.mgmt_class == MAD_CLASS_SMP &&
		    kind.attribute == SMP_NODE_INFO) {
			r->spared = true;
			return device;
		}
		r->asked++;
		mad_header_get(mad, &h);
		h.status = r->status;
		mad_header_put(mad, &h);
	}
	return device;
}

static const uint8_t *refusing_whole(void *ctx, size_t *length)
{
	return model_whole(((struct refusing *)ctx)->model, length);
}

static struct ibc_fabric *see_refusing(const struct ibc_fabric *real, struct refusing *r)
{
	struct ibc_source_opts opts = swept_opts(true);
	struct line *line = line_new(
	    &(struct line_opts){ .rtt_ns = RTT_NS, .whole = refusing_whole }, refusing_answer, r);
	struct ibc_fabric *seen = NULL;
	struct ibc_error err = { "" };

	r->model = model_new(real, NULL);
	for (enum ibc_attr a = IBC_ATTR_NONE + 1; a < IBC_ATTR_COUNT; a++)
		ibc_attrs_add(&opts.needs, a);
	if (swept(line, &opts, &seen, &err))
		fail_msg("class 0x%02x attribute 0x%04x, status 0x%04x: %s", r->it.mgmt_class,
		         r->it.attribute, r->status, err.text);
	line_free(line);
	model_free(r->model);
	return seen;
}

/* Less was answered than by the fabric as it is: of what every device has the report is
   unknown, or worse. */
static void assert_told(const struct ibc_fabric *whole, const struct ibc_fabric *seen,
                        const struct refusing *r)
{
	const struct ibc_attrs optional = attrs_where(ATTR_OPTIONAL, true);
	struct ibc_report *rep = swept_report(seen);
	bool lost = false, told = false;

	for (enum ibc_attr a = IBC_ATTR_NONE + 1; a < IBC_ATTR_COUNT; a++) {
		const struct ibc_coverage before = ibc_fabric_coverage(whole, a),
					  c = ibc_fabric_coverage(seen, a);
		const size_t open = c.refused + c.timed_out;

		if (c.unsupported && !ibc_attrs_has(optional, a))
			fail_msg("%s, status 0x%04x: unsupported", ibc_attr_name(a), r->status);
		lost |= !ibc_attrs_has(optional, a) && c.answered < before.answered;
		told |= open || c.unsupported;
	}
	if (!told)
		fail_msg("class 0x%02x attribute 0x%04x, status 0x%04x: refused by nobody",
		         r->it.mgmt_class, r->it.attribute, r->status);
	if (lost && ibc_report_verdict(rep) != IBC_UNKNOWN &&
	    ibc_report_verdict(rep) != IBC_CRITICAL)
		fail_msg("class 0x%02x attribute 0x%04x, status 0x%04x: %s\n%s", r->it.mgmt_class,
		         r->it.attribute, r->status,
		         ibc_severity_word(ibc_report_verdict(rep))->word, findings_text(rep));
	ibc_report_free(rep);
}

static void what_is_not_answered_with_status_0_is_not_answered(void **state)
{
	/* busy, redirected, both; the eight codes but 0, the last with both; a class's own */
	static const uint16_t statuses[] = { 0x01, 0x02, 0x03, 0x04, 0x07, 0x08,  0x0c,
		                             0x10, 0x14, 0x18, 0x1c, 0x1f, 0x100, 0x300 };
	struct ibc_fabric *real = swept_real(SPEC), *whole, *seen;
	struct refusing all = { 0 };

	(void)state;
	whole = see_refusing(real, &all);
	if (all.num_kinds < 18)
		fail_msg("%zu attributes", all.num_kinds);
	for (size_t i = 0; i < all.num_kinds; i++)
		for (size_t s = 0; s < sizeof(statuses) / sizeof(statuses[0]); s++) {
			struct refusing r = { .it = all.kinds[i], .status = statuses[s] };

			seen = see_refusing(real, &r);
			if (r.asked)
				assert_told(whole, seen, &r);
			ibc_fabric_free(seen);
		}
	ibc_fabric_free(whole);
	ibc_fabric_free(real);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_answered_with_status_0_is_not_answered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
