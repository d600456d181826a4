/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of results: frames of ibcheck-perf-run around what perftest prints, from one host or
 * many, or CSV; and plans.
 *
 *	# ibcheck-perf 1 round 2 server n001 client n002 rail 0 device mlx5_0/1 rate 400 pcie 504
 *	  test ib_write_bw [role server]
 *	...
 *	# ibcheck-perf end ok
 *
 * srun -l, pdsh and clush put "LABEL: " before each line, and mix the hosts; each label has a
 * frame of its own.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/str.h"
#include "source/csv.h"
#include "source/jobs/perfresults.h"
#include "source/jobs/perftest.h"

#define FRAME          "# ibcheck-perf "
#define FRAME_END      FRAME "end "
#define HOPS_MOST      64 /* a way is shorter: SMPs go no further */
#define PERF_FLAWS_MAX 20 /* of a file: what is wrong in every line is one mistake */

/*
 * struct perf_stream - what one label, or a file without any, has open
 * @open: within a frame: @result
 */
struct perf_stream {
	bool open;
	struct ibc_perf_result result;
	struct perftest test;
	UT_hash_handle hh;
};

/*
 * struct perf_reading - a file in hand
 * @own: of lines without a label
 * @stray: the first line of a table of perftest that is in no frame; 0: none
 * @frames: so many were there
 * @mixed: some were left out, since their round is of another plan
 */
struct perf_reading {
	struct perf_results *r;
	struct text_file *text;
	struct perf_stream own, *streams;
	unsigned long stray;
	size_t frames, flaws_before;
	bool mixed;
};

static void add_flaw(struct perf_reading *in, unsigned long line, const char *what)
{
	if (in->r->public.num_flaws - in->flaws_before < PERF_FLAWS_MAX)
		perf_flaw(in->r, "%s, line %lu: %s", text_name(in->text), line, what);
}

/* ---- frames ----------------------------------------------------------------------------- */

enum { ROUND, SERVER, CLIENT, RAIL, DEVICE, RATE, PCIE, TEST, ROLE, UNIT, CLIENTS, PLAN, WORDS };

/* "round 2 server n001 ..."; words that are not known are passed over with what follows them. */
static void split_words(char *line, const char *words[WORDS])
{
	static const char *const names[WORDS] = { "round",  "server", "client",  "rail",
		                                  "device", "rate",   "pcie",    "test",
		                                  "role",   "unit",   "clients", "plan" };
	char *rest, *key = strtok_r(line, " \t", &rest), *value;

	for (size_t i = 0; i < WORDS; i++)
		words[i] = "";
	for (; key && (value = strtok_r(NULL, " \t", &rest)); key = strtok_r(NULL, " \t", &rest))
		for (size_t i = 0; i < WORDS; i++)
			if (!strcmp(names[i], key))
				words[i] = value;
}

/* "-" and what is no number is not known: 0. */
static double gbps_of(const char *text)
{
	double gbps;

	return str_real(text, &gbps) ? 0 : gbps;
}

static void begin_frame(struct perf_reading *in, struct perf_stream *s, char *line)
{
	const unsigned long at = text_line_number(in->text);
	const char *words[WORDS];
	struct ibc_perf_end *end;
	uint64_t number = 0;
	size_t n = strcspn(line, " ");
	char *rest = line + n + (line[n] != '\0');

	line[n] = '\0';
	split_words(rest, words);
	if (str_u64(line, 1, 1, &number)) {
		add_flaw(in, at, "a result of a version that is not known: use a newer ibcheck");
		return;
	}
	s->result = (struct ibc_perf_result){ .by_server = !strcmp(words[ROLE], "server") };
	if (str_u64(words[ROUND], 0, PERF_ROUND_MAX, &number) ||
	    !perf_set_ends(in->r, &s->result, words[SERVER], words[CLIENT], words[RAIL])) {
		add_flaw(in, at, "a result must have its round, server, client and rail");
		return;
	}
	s->result.round = (unsigned int)number;
	/* rounds of one number in two plans did not run at the same time */
	if (*words[PLAN] && !perf_is_plan_of(in->r, s->result.round, words[PLAN])) {
		if (!in->mixed)
			perf_flaw(in->r,
			          "%s, line %lu: round %u is of another plan than what was read "
			          "before, and what is measured by it is left out: judge each "
			          "plan by itself",
			          text_name(in->text), at, s->result.round);
		in->mixed = true;
		in->frames++;
		return;
	}
	s->test = (struct perftest){ 0 };
	str_cut(s->test.unit, sizeof(s->test.unit), words[UNIT], strlen(words[UNIT]));
	if (!str_u64(words[CLIENTS], 1, PERF_ROUND_MAX, &number))
		s->result.clients = (unsigned int)number;
	s->result.test = perf_test_of(in->r, words[TEST]);
	/* what a host says of its own end */
	end = &in->r->all_ends[s->result.by_server ? s->result.server : s->result.client];
	end->reported = true;
	if (!end->device && *words[DEVICE] && strcmp(words[DEVICE], "-") != 0)
		end->device = perf_clean(in->r, words[DEVICE]);
	if (gbps_of(words[RATE]) > 0)
		end->rate_gbps = gbps_of(words[RATE]);
	if (gbps_of(words[PCIE]) > 0)
		end->pcie_gbps = gbps_of(words[PCIE]);
	s->open = true;
}

/* @word: how it ended; NULL: it did not */
static void end_frame(struct perf_reading *in, struct perf_stream *s, const char *word)
{
	struct ibc_perf_result *result = &s->result;
	const struct perftest *t = &s->test;

	if (!s->open)
		return;
	s->open = false;
	in->frames++;
	result->latency = t->found ? t->latency : strstr(result->test, "_lat") != NULL;
	result->both_ways = t->both_ways;
	result->gpu = t->gpu;
	result->why = *t->said ? perf_clean(in->r, t->said) : NULL;
	if (!word) {
		result->status = IBC_PERF_UNREAD;
		result->why = "the output ends in the middle";
	} else if (!strncmp(word, "no-partner", 10)) {
		result->status = IBC_PERF_NO_PARTNER;
	} else if (!strncmp(word, "setup", 5)) {
		result->status = IBC_PERF_SETUP;
	} else if (strncmp(word, "ok", 2) != 0) {
		result->status = IBC_PERF_FAILED;
	} else if (result->by_server) {
		result->status = IBC_PERF_MEASURED;
	} else if (!t->found || t->fault) {
		result->status = IBC_PERF_UNREAD;
		result->why = t->fault ? t->fault : "there is no result of perftest in the output";
	}
	if (result->status == IBC_PERF_MEASURED && !result->by_server)
		result->value = t->value;
	if (result->server == result->client && result->status == IBC_PERF_MEASURED)
		result->status = IBC_PERF_LOOPBACK;
	/* a server that measured adds nothing to the output of its client */
	if (!result->by_server || result->status != IBC_PERF_MEASURED)
		perf_add(in->r, result);
}

/* A label is what is before ": ", without the blanks in front. */
static int take_perf_line(void *ctx, char *line, struct ibc_error *err)
{
	struct perf_reading *in = ctx;
	const char *label = line + strspn(line, " \t");
	char *colon = strchr(label, ':'), *rest = line, *frame;
	struct perf_stream *s = NULL;

	(void)err;
	if (in->streams && colon && colon > label && (colon[1] == ' ' || !colon[1])) {
		HASH_FIND(hh, in->streams, label, (unsigned int)(colon - label), s);
		if (s)
			rest = colon + 1 + (colon[1] == ' ');
	}
	if (!s && (frame = strstr(line, FRAME)) != NULL) {
		rest = frame;
		if (frame - line > 2 && !strncmp(frame - 2, ": ", 2)) {
			size_t n = (size_t)(frame - 2 - label);

			s = arena_alloc(in->r->arena, sizeof(*s));
			label = arena_strndup(in->r->arena, label, n);
			HASH_ADD_KEYPTR(hh, in->streams, label, n, s);
			if (!hash_added(s))
				longjmp(in->r->escape, 1);
		}
	}
	if (!s)
		s = &in->own;
	if (!strncmp(rest, FRAME_END, strlen(FRAME_END))) {
		end_frame(in, s, rest + strlen(FRAME_END));
	} else if (!strncmp(rest, FRAME, strlen(FRAME))) {
		end_frame(in, s, NULL);
		begin_frame(in, s, rest + strlen(FRAME));
	} else if (s->open) {
		perftest_line(&s->test, rest);
	} else if (!in->stray && strstr(rest, "#bytes")) {
		in->stray = text_line_number(in->text);
	}
	return 0;
}

/* ---- CSV ------------------------------------------------------------------------------------- */

/* Those up to the unit are needed. */
enum {
	COL_ROUND,
	COL_A,
	COL_B,
	COL_RAIL,
	COL_VALUE,
	COL_UNIT,
	COL_TEST,
	COL_RATE,
	COL_PCIE,
	COL_HOPS,
	CSV_FIELDS
};

/* NULL, or the reason why it is refused. */
static const char *read_csv_result(struct perf_results *r, struct csv *csv, const int *columns)
{
	struct ibc_perf_result result = { 0 };
	const char *cell[CSV_FIELDS];
	uint64_t round, hops;
	char test[64];
	double gbps;

	for (size_t i = 0; i < CSV_FIELDS; i++)
		cell[i] = columns[i] >= 0 && (size_t)columns[i] < csv->num
		              ? csv->cells[columns[i]].text
		              : "";
	if (str_u64(cell[COL_ROUND], 0, PERF_ROUND_MAX, &round))
		return "the round is no number";
	if (!perf_set_ends(r, &result, cell[COL_B], cell[COL_A], cell[COL_RAIL]))
		return "a or b is empty, or the rail is too long";
	if (str_real(cell[COL_VALUE], &result.value) || result.value <= 0)
		return "the value is no number above 0";
	gbps = perftest_unit(cell[COL_UNIT]);
	result.latency = !strcmp(cell[COL_UNIT], "us") || !strcmp(cell[COL_UNIT], "usec");
	if (gbps <= 0 && !result.latency)
		return "the unit is none of Gb/s, GB/s, MB/s, MiB/s and us";
	result.value *= result.latency ? 1 : gbps;
	result.round = (unsigned int)round;
	if (!str_u64(cell[COL_HOPS], 1, HOPS_MOST, &hops))
		result.hops = (unsigned int)hops;
	/* "ib_write_bw both-ways gpu" */
	if (!str_cut(test, sizeof(test), cell[COL_TEST], strcspn(cell[COL_TEST], " ")))
		test[0] = '\0';
	result.test = perf_test_of(r, test);
	result.both_ways = strstr(cell[COL_TEST], "both-ways");
	result.gpu = strstr(cell[COL_TEST], "gpu");
	for (int side = 0; side < 2; side++) {
		struct ibc_perf_end *end = &r->all_ends[side ? result.server : result.client];

		end->reported = true;
		/* the cell has the slower of the two: the highest of an end is its own */
		end->rate_gbps = fmax(end->rate_gbps, gbps_of(cell[COL_RATE]));
		end->pcie_gbps = fmax(end->pcie_gbps, gbps_of(cell[COL_PCIE]));
	}
	result.status = result.server == result.client ? IBC_PERF_LOOPBACK : IBC_PERF_MEASURED;
	perf_add(r, &result);
	return NULL;
}

static int read_perf_csv(struct perf_reading *in, struct ibc_error *err)
{
	static const char *const names[CSV_FIELDS] = { "round", "a",    "b",    "rail", "value",
		                                       "unit",  "test", "rate", "pcie", "hops" };
	struct csv csv = { .text = in->text, .separator = ',' };
	int columns[CSV_FIELDS], rc = csv_record(&csv, err);
	bool complete = true;

	for (size_t i = 0; rc > 0 && i < CSV_FIELDS; i++) {
		columns[i] = -1;
		for (size_t k = 0; k < csv.num; k++)
			if (!strcmp(csv.cells[k].text, names[i]))
				columns[i] = (int)k;
		complete &= columns[i] >= 0 || i > COL_UNIT;
	}
	if (rc > 0 && !complete) {
		add_flaw(in, text_line_number(in->text),
		         "the headings must be round,a,b,rail,value,unit");
		return 0;
	}
	while (rc > 0 && (rc = csv_record(&csv, err)) > 0) {
		const char *wrong = read_csv_result(in->r, &csv, columns);

		in->frames++;
		if (wrong)
			add_flaw(in, csv.cells[0].at.line, wrong);
	}
	return rc;
}

/* Is the first line that is no comment one of headings? */
static bool is_perf_csv(const uint8_t *bytes, size_t n)
{
	size_t i = 0;

	while (i < n && (bytes[i] == '#' || bytes[i] == '\n' || bytes[i] == '\r')) {
		if (n - i >= sizeof(FRAME) && !memcmp(bytes + i, FRAME "1", sizeof(FRAME)))
			return false;
		while (i < n && bytes[i] != '\n')
			i++;
		i += i < n;
	}
	return n - i > 6 && !memcmp(bytes + i, "round,", 6);
}

/* ---- files ------------------------------------------------------------------------------- */

/* 0, or why no more was read. */
static int read_results(struct perf_reading *in)
{
	struct ibc_error why = { "" };
	struct perf_stream *s;
	int rc = text_begins(in->text, is_perf_csv)
	             ? read_perf_csv(in, &why)
	             : text_each_line(in->text, take_perf_line, in, &why);

	end_frame(in, &in->own, NULL);
	for (s = in->streams; s; s = s->hh.next)
		end_frame(in, s, NULL);
	if (rc < 0 && rc != -ENOMEM)
		perf_flaw(in->r, "%s", why.text);
	else if (in->stray && !in->frames)
		add_flaw(
		    in, in->stray,
		    "output of perftest without the line \"# ibcheck-perf 1 round N server HOST "
		    "client HOST rail N\" in front belongs to no host");
	else if (!in->frames && in->r->public.num_flaws == in->flaws_before)
		perf_flaw(in->r, "%s: there is no result in it", text_name(in->text));
	return rc;
}

int read_perf(struct text_file *f, struct ibc_perf_results *results, struct ibc_error *err)
{
	struct perf_results *r = (struct perf_results *)results;
	struct perf_reading *in = arena_alloc(r->arena, sizeof(*in));
	int rc;

	if (!in)
		return fail_nomem(err);
	*in = (struct perf_reading){ .r = r, .text = f, .flaws_before = results->num_flaws };
	if (setjmp(r->escape)) {
		rc = -ENOMEM;
	} else {
		arena_escape(r->arena, &r->escape);
		rc = read_results(in);
	}
	arena_escape(r->arena, NULL);
	HASH_CLEAR(hh, in->streams); /* they are the arena's */
	return rc == -ENOMEM ? fail_nomem(err) : 0;
}

/* What was left out, and why. */
static int leave_out(struct perf_results *r, const char *path, const char *why,
                     struct ibc_error *err)
{
	int rc;

	if (setjmp(r->escape)) {
		rc = fail_nomem(err);
	} else {
		arena_escape(r->arena, &r->escape);
		perf_flaw(r, "%s: %s", path, why);
		rc = 0;
	}
	arena_escape(r->arena, NULL);
	return rc;
}

/* A file of a directory, where others may write: through no link, and not waiting for a pipe. */
static int read_found(struct ibc_perf_results *results, const char *path, struct ibc_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW), rc;
	struct text_file *f;
	struct stat st;

	if (fd < 0)
		return leave_out((struct perf_results *)results, path,
		                 errno == ELOOP
		                     ? "it is a link, and only the files of a directory are read"
		                     : strerror(errno),
		                 err);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return 0;
	}
	rc = text_take(fd, path, &f, err);
	if (rc)
		return rc;
	rc = read_perf(f, results, err);
	text_close(f);
	return rc;
}

static int read_one(struct ibc_perf_results *results, const char *path,
                    int (*read)(struct text_file *f, struct ibc_perf_results *results,
                                struct ibc_error *err),
                    struct ibc_error *err)
{
	struct text_file *f;
	int rc = text_open(path, &f, err);

	if (rc)
		return rc;
	rc = read(f, results, err);
	text_close(f);
	return rc;
}

int ibc_perf_results_expect(struct ibc_perf_results *results, const char *path,
                            struct ibc_error *err)
{
	return read_one(results, path, read_perf_plan, err);
}

static int is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int ibc_perf_results_read(struct ibc_perf_results *results, const char *path, struct ibc_error *err)
{
	struct perf_results *r = (struct perf_results *)results;
	struct dirent **names;
	struct stat st;
	int n, rc = 0;

	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		return read_one(results, path, read_perf, err);
	n = scandir(path, &names, is_shown, alphasort);
	if (n < 0)
		return fail(err, -errno, "cannot open %s: %s", path, strerror(errno));
	for (int i = 0; i < n; i++) {
		char *file = arena_printf(r->arena, "%s/%s", path, names[i]->d_name);

		if (!rc && !file)
			rc = fail_nomem(err);
		if (!rc)
			rc = read_found(results, file, err);
		free(names[i]);
	}
	free(names);
	return rc;
}
