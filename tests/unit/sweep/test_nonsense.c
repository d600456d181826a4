/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * One answer of a sweep is nonsense: all zeros, all ones, what another attribute says, or one byte
 * of it.  It is refused, or what is seen is right; and a sweep that misses a device says that it
 * does not know all.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mkrig.h"
#include "model/swept.h"
#include "wire/mad.h"
#include "wire/smp.h"

#define SPEC "synth:fattree:leaves=2,spines=1,hosts=2"
#define DATA 64 /* of a MAD */

enum nonsense { ZEROS, ONES, ANOTHER, BYTE_ZERO, BYTE_ONES, NONSENSES };

/*
 * struct talker - a model of which answer number @nth is nonsense
 * @byte: which one, of one byte; @asked: so many answers; @attribute: of that answer
 */
struct talker {
	struct model *model;
	enum nonsense nonsense;
	unsigned int nth, byte, asked;
	uint16_t attribute, last_attribute;
	uint8_t last[MAD_SIZE]; /* of another attribute */
	uint8_t newest[MAD_SIZE];
};

static void talk_nonsense(const struct talker *t, uint8_t *mad)
{
	if (t->nonsense == ANOTHER)
		memcpy(mad + DATA, t->last + DATA, SMP_DATA_SIZE);
	else if (t->nonsense == ZEROS || t->nonsense == ONES)
		memset(mad + DATA, t->nonsense == ZEROS ? 0 : 0xff, SMP_DATA_SIZE);
	else
		mad[DATA + t->byte] = t->nonsense == BYTE_ZERO ? 0 : 0xff;
}

static int talk(void *ctx, const struct mad_addr *to, uint8_t mad[MAD_SIZE])
{
	struct talker *t = ctx;
	int device = model_answer(t->model, to, mad);
	struct mad_header header;
	uint8_t truth[MAD_SIZE];

	if (device == LINE_NOBODY)
		return device;
	mad_header_get(mad, &header);
	memcpy(truth, mad, MAD_SIZE);
	if (header.attribute != t->last_attribute)
		memcpy(t->last, t->newest, MAD_SIZE);
	if (++t->asked == t->nth) {
		t->attribute = header.attribute;
		talk_nonsense(t, mad);
	}
	t->last_attribute = header.attribute;
	memcpy(t->newest, truth, MAD_SIZE);
	return device;
}

static struct line_fate fate(void *ctx)
{
	return model_fate(((struct talker *)ctx)->model);
}

static const uint8_t *whole(void *ctx, size_t *length)
{
	return model_whole(((struct talker *)ctx)->model, length);
}

static enum ibc_severity verdict_of(const struct ibc_fabric *fab)
{
	struct ibc_report *rep = swept_report(fab);
	enum ibc_severity verdict = ibc_report_verdict(rep);

	ibc_report_free(rep);
	return verdict;
}

/* Is a device missing, and the verdict at most a warning? */
static bool is_lost_in_silence(const struct ibc_fabric *real, struct talker *t)
{
	const struct line_opts opts = { .rtt_ns = RTT_NS, .fate = fate, .whole = whole };
	const struct ibc_source_opts how = swept_opts(true);
	struct ibc_fabric *seen = NULL;
	struct ibc_error err = { "" };
	struct line *line;
	bool lost = false;

	t->model = model_new(real, NULL);
	line = line_new(&opts, talk, t);
	if (!swept(line, &how, &seen, &err) &&
	    ibc_fabric_count(seen).nodes < ibc_fabric_count(real).nodes)
		lost = verdict_of(seen) < IBC_UNKNOWN;
	ibc_fabric_free(seen);
	line_free(line);
	model_free(t->model);
	return lost;
}

static unsigned int lost_by(const struct ibc_fabric *real, enum nonsense nonsense,
                            unsigned int byte, unsigned int *tried)
{
	unsigned int n = 1, losses = 0;

	for (;; n++) {
		struct talker t = { .nonsense = nonsense, .nth = n, .byte = byte };

		if (is_lost_in_silence(real, &t)) {
			print_error("kind %d, byte %u, answer %u of attribute 0x%x\n", nonsense,
			            byte, n, t.attribute);
			losses++;
		}
		++*tried;
		if (t.asked < n)
			return losses;
	}
}

static void nonsense_loses_no_device_in_silence(void **state)
{
	struct ibc_fabric *real = swept_real(SPEC);
	unsigned int tried = 0, losses = 0;

	(void)state;
	for (enum nonsense kind = ZEROS; kind <= ANOTHER; kind++)
		losses += lost_by(real, kind, 0, &tried);
	/* states, widths, LIDs: what a field out of its range can say */
	for (unsigned int byte = 0; byte < SMP_DATA_SIZE; byte++)
		for (enum nonsense kind = BYTE_ZERO; kind < NONSENSES; kind++)
			losses += lost_by(real, kind, byte, &tried);
	print_message("%u sweeps\n", tried);
	ibc_fabric_free(real);
	assert_int_equal(losses, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nonsense_loses_no_device_in_silence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
