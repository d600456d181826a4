/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whatever answers: a sweep ends, within its deadline or, where the tape of lies ends, by
 * itself; what it saw holds together, is judged and printed, and is the same when it was saved.
 *
 * Two bytes say how it is swept, the others what is done to each answer (model/hostile.h).
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "fabric_of.h"
#include "model/hostile.h"
#include "model/swept.h"

#define MS         1000000ull
#define RTT_NS     (10 * MS) /* below the first wait */
#define DEADLINE_S 1
#define HEAD       2
#define TAPE_MAX   4096
/* what a round trip can hold: the window, those that wait slowly, and what may not wait */
#define SENT_MAX ((DEADLINE_S * 1000 * MS / RTT_NS + 2) * (128 + 1024 + 64))
/* a byte can bring a switch of 254 ports, each of which is asked four times, for a few things */
#define SENT_EACH (254 * 4 * 4)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const fabrics[] = {
	"synth:fattree:leaves=2,spines=1,hosts=1",
	"synth:fattree:leaves=3,spines=2,hosts=2,cables=2",
	"synth:fattree:levels=3,pods=2,leaves=2,spines=1,uplinks=1,hosts=1",
	"synth:fattree:leaves=2,spines=2,hosts=2,rails=2",
};

static void print_it(const struct ibc_fabric *fab)
{
	struct ibc_report *rep = swept_report(fab);
	FILE *null = fopen("/dev/null", "w");
	const char *format;

	for (size_t i = 0; (format = ibc_render_format(i)); i++)
		assert(ibc_report_render(rep, format, NULL, null, NULL) == 0);
	fclose(null);
	ibc_report_free(rep);
}

/* Without the first line, which names the source, and the last, which has the sum of all. */
static char *middle_of(char *bytes, size_t size)
{
	char *end = memrchr(bytes, '\n', size - 1);

	assert(end);
	end[1] = '\0';
	return strchr(bytes, '\n');
}

static void save_it(const struct ibc_fabric *fab)
{
	size_t size, again_size;
	char *bytes = bytes_of(fab, "snapshot", &size), *again_bytes;
	struct ibc_fabric *again = fabric_of(read_snapshot, bytes, size);

	assert(again);
	again_bytes = bytes_of(again, "snapshot", &again_size);
	assert(!strcmp(middle_of(bytes, size), middle_of(again_bytes, again_size)));
	ibc_fabric_free(again);
	free(again_bytes);
	free(bytes);
}

static void sweep_it(struct hostile *h, struct ibc_source_opts *opts)
{
	struct line_opts how = { .rtt_ns = RTT_NS, .fate = hostile_fate, .whole = hostile_whole };
	struct line *line = line_new(&how, hostile_answer, h);
	uint64_t start_ns = line_now_ns(line);
	struct ibc_error err = { "" };
	struct ibc_fabric *fab;

	if (swept(line, opts, &fab, &err)) {
		assert(*err.text);
	} else {
		print_it(fab);
		save_it(fab);
		ibc_fabric_free(fab);
	}
	if (opts->deadline_seconds > 0) {
		assert(line_counts(line)->sent <= SENT_MAX);
		assert(line_now_ns(line) - start_ns <= (DEADLINE_S * 1000 + 100) * MS);
	}
	assert(line_counts(line)->sent <= SENT_MAX + h->length * SENT_EACH);
	line_free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hostile h = { .kinds = HOSTILE_ALL };
	struct ibc_source_opts opts;

	if (size < HEAD || size > TAPE_MAX)
		return 0;
	h.real = swept_real(fabrics[data[0] % 4]);
	h.model = model_new(h.real, NULL);
	h.tape = data + HEAD;
	h.length = size - HEAD;
	h.endless = data[1] & 1;
	h.same_guid = data[1] & 2;
	opts = swept_opts(data[0] & 4);
	opts.directed_only = data[1] & 4;
	if (h.endless || data[1] & 8)
		opts.deadline_seconds = DEADLINE_S;
	sweep_it(&h, &opts);
	model_free(h.model);
	ibc_fabric_free((struct ibc_fabric *)h.real);
	return 0;
}
