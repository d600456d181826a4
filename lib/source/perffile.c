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
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/str.h"
#include "base/utf8.h"
#include "source/csv.h"
#include "source/perfresults.h"
#include "source/perftest.h"

#define FRAME          "# ibcheck-perf "
#define HOPS_MOST      64 /* a way is shorter: SMPs go no further */
#define PERF_FLAWS_MAX 20 /* of a file: what is wrong in every line is one mistake */

/*
 * struct perf_stream - what one label, or a file without any, has open
 * @open: within a frame: @result, with the line it began in
 */
struct perf_stream {
	bool open;
	unsigned long line;
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

enum frame_word {
	WORD_ROUND,
	WORD_SERVER,
	WORD_CLIENT,
	WORD_RAIL,
	WORD_DEVICE,
	WORD_RATE,
	WORD_PCIE,
	WORD_TEST,
	WORD_ROLE,
	WORD_UNIT,
	WORD_CLIENTS,
	WORD_PLAN,
	FRAME_WORDS,
};

/* "round 2 server n001 ..."; words that are not known are passed over with what follows them. */
static void split_words(char *line, const char *words[FRAME_WORDS])
{
	static const char *const names[FRAME_WORDS] = { "round",  "server", "client",  "rail",
		                                        "device", "rate",   "pcie",    "test",
		                                        "role",   "unit",   "clients", "plan" };
	char *rest, *key = strtok_r(line, " \t", &rest), *value;

	for (size_t i = 0; i < FRAME_WORDS; i++)
		words[i] = "";
	for (; key && (value = strtok_r(NULL, " \t", &rest)); key = strtok_r(NULL, " \t", &rest))
		for (size_t i = 0; i < FRAME_WORDS; i++)
			if (!strcmp(names[i], key))
				words[i] = value;
}

/* "-" and what is no number is not known: 0. */
static double gbps_of(const char *text)
{
	double gbps;

	return str_real(text, &gbps) ? 0 : gbps;
}

/* What a host says of its own end. */
static void learn_end(struct perf_results *r, uint32_t number, const char *const *words)
{
	struct ibc_perf_end *end = &r->all_ends[number];

	end->reported = true;
	if (!end->device && *words[WORD_DEVICE] && strcmp(words[WORD_DEVICE], "-") != 0)
		end->device = perf_clean(r, words[WORD_DEVICE]);
	if (gbps_of(words[WORD_RATE]) > 0)
		end->rate_gbps = gbps_of(words[WORD_RATE]);
	if (gbps_of(words[WORD_PCIE]) > 0)
		end->pcie_gbps = gbps_of(words[WORD_PCIE]);
}

/* Rounds of one number in two plans did not run at the same time. */
static bool is_of_other_plan(struct perf_reading *in, unsigned int round, const char *plan)
{
	if (!*plan || perf_is_plan_of(in->r, round, plan))
		return false;
	if (!in->mixed)
		perf_flaw(in->r,
		          "%s, line %lu: round %u is of another plan than what was read before, "
		          "and what is measured by it is left out: judge each plan by itself",
		          text_name(in->text), text_line_number(in->text), round);
	in->mixed = true;
	in->frames++;
	return true;
}

static void begin_frame(struct perf_reading *in, struct perf_stream *s, char *line)
{
	const char *words[FRAME_WORDS];
	uint64_t version = 0, round = 0;
	size_t n = strcspn(line, " ");
	char *rest = line + n + (line[n] != '\0');

	line[n] = '\0';
	split_words(rest, words);
	if (str_u64(line, 1, 1, &version)) {
		add_flaw(in, text_line_number(in->text),
		         "a result of a version that is not known: use a newer ibcheck");
		return;
	}
	s->result = (struct ibc_perf_result){ .by_server = !strcmp(words[WORD_ROLE], "server") };
	if (str_u64(words[WORD_ROUND], 0, PERF_ROUND_MAX, &round) ||
	    !perf_set_ends(in->r, &s->result, words[WORD_SERVER], words[WORD_CLIENT],
	                   words[WORD_RAIL])) {
		add_flaw(in, text_line_number(in->text),
		         "a result must have its round, server, client and rail");
		return;
	}
	if (is_of_other_plan(in, (unsigned int)round, words[WORD_PLAN]))
		return;
	s->test = (struct perftest){ 0 };
	str_cut(s->test.unit, sizeof(s->test.unit), words[WORD_UNIT], strlen(words[WORD_UNIT]));
	s->result.round = (unsigned int)round;
	if (!str_u64(words[WORD_CLIENTS], 1, PERF_ROUND_MAX, &round))
		s->result.clients = (unsigned int)round;
	s->result.test = perf_test_of(in->r, words[WORD_TEST]);
	learn_end(in->r, s->result.by_server ? s->result.server : s->result.client, words);
	s->line = text_line_number(in->text);
	s->open = true;
}

/* What became of a frame that ended as @word says; NULL: it did not end. */
static void judge_frame(struct perf_reading *in, struct perf_stream *s, const char *word)
{
	struct ibc_perf_result *result = &s->result;
	const struct perftest *t = &s->test;

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
}

static void end_frame(struct perf_reading *in, struct perf_stream *s, const char *word)
{
	struct ibc_perf_result *result = &s->result;

	if (!s->open)
		return;
	s->open = false;
	in->frames++;
	result->latency = s->test.found ? s->test.latency : strstr(result->test, "_lat") != NULL;
	result->both_ways = s->test.both_ways;
	result->gpu = s->test.gpu;
	judge_frame(in, s, word);
	if (result->status == IBC_PERF_MEASURED && !result->by_server)
		result->value = s->test.value;
	if (result->server == result->client && result->status == IBC_PERF_MEASURED)
		result->status = IBC_PERF_LOOPBACK;
	/* a server that measured adds nothing to the output of its client */
	if (!result->by_server || result->status != IBC_PERF_MEASURED)
		perf_add(in->r, result);
}

/* ---- labels --------------------------------------------------------------------------------- */

/* The label of a line: what is before ": ", without the blanks in front; NULL: none. */
static char *label_end(const char *line)
{
	char *colon = strchr(line, ':');

	return colon && colon > line && (colon[1] == ' ' || !colon[1]) ? colon : NULL;
}

static struct perf_stream *find_stream(struct perf_reading *in, char *line, char **rest)
{
	char *label = line + strspn(line, " \t"), *end = label_end(label);
	struct perf_stream *s;

	*rest = line;
	if (!end || !in->streams)
		return NULL;
	HASH_FIND(hh, in->streams, label, (unsigned int)(end - label), s);
	if (s)
		*rest = end + 1 + (end[1] == ' ');
	return s;
}

/* The first frame of a label. */
static struct perf_stream *add_stream(struct perf_reading *in, const char *line, size_t prefix)
{
	const char *label = line + strspn(line, " \t");
	struct perf_stream *s = arena_alloc(in->r->arena, sizeof(*s));
	size_t n = (size_t)(line + prefix - 2 - label);

	label = arena_strndup(in->r->arena, label, n);
	HASH_ADD_KEYPTR(hh, in->streams, label, n, s);
	if (!hash_added(s))
		longjmp(in->r->escape, 1);
	return s;
}

static void take_frame_line(struct perf_reading *in, struct perf_stream *s, char *line)
{
	char *rest = line + sizeof(FRAME) - 1;

	if (!strncmp(rest, "end ", 4)) {
		end_frame(in, s, rest + 4);
		return;
	}
	end_frame(in, s, NULL);
	begin_frame(in, s, rest);
}

static int take_perf_line(void *ctx, char *line, struct ibc_error *err)
{
	struct perf_reading *in = ctx;
	char *rest, *frame;
	struct perf_stream *s = find_stream(in, line, &rest);

	(void)err;
	if (!s && (frame = strstr(line, FRAME)) != NULL) {
		s = frame - line > 2 && !strncmp(frame - 2, ": ", 2)
		        ? add_stream(in, line, (size_t)(frame - line))
		        : &in->own;
		rest = frame;
	}
	if (!s)
		s = &in->own;
	if (!strncmp(rest, FRAME, sizeof(FRAME) - 1))
		take_frame_line(in, s, rest);
	else if (s->open)
		perftest_line(&s->test, rest);
	else if (!in->stray && strstr(rest, "#bytes"))
		in->stray = text_line_number(in->text);
	return 0;
}

/* ---- CSV ------------------------------------------------------------------------------------- */

enum csv_field {
	FIELD_ROUND,
	FIELD_A,
	FIELD_B,
	FIELD_RAIL,
	FIELD_VALUE,
	FIELD_UNIT,
	FIELD_TEST,
	FIELD_RATE,
	FIELD_PCIE,
	FIELD_HOPS,
	CSV_FIELDS,
};

/* "ib_write_bw both-ways gpu" */
static void read_test(struct perf_results *r, struct ibc_perf_result *result, const char *text)
{
	size_t n = strcspn(text, " ");
	char name[64];

	if (!str_cut(name, sizeof(name), text, n))
		name[0] = '\0';
	result->test = perf_test_of(r, name);
	result->both_ways = strstr(text, "both-ways");
	result->gpu = strstr(text, "gpu");
}

/* NULL, or the reason why it is refused. */
static const char *read_csv_result(struct perf_results *r, struct csv *csv, const int *columns)
{
	struct ibc_perf_result result = { 0 };
	const char *cell[CSV_FIELDS];
	uint64_t round, hops;
	double gbps;

	for (size_t i = 0; i < CSV_FIELDS; i++)
		cell[i] = columns[i] >= 0 && (size_t)columns[i] < csv->num
		              ? csv->cells[columns[i]].text
		              : "";
	if (str_u64(cell[FIELD_ROUND], 0, PERF_ROUND_MAX, &round))
		return "the round is no number";
	if (!perf_set_ends(r, &result, cell[FIELD_B], cell[FIELD_A], cell[FIELD_RAIL]))
		return "a or b is empty, or the rail is too long";
	if (str_real(cell[FIELD_VALUE], &result.value) || result.value <= 0)
		return "the value is no number above 0";
	gbps = perftest_unit(cell[FIELD_UNIT]);
	result.latency = !strcmp(cell[FIELD_UNIT], "us") || !strcmp(cell[FIELD_UNIT], "usec");
	if (gbps <= 0 && !result.latency)
		return "the unit is none of Gb/s, GB/s, MB/s, MiB/s and us";
	result.value *= result.latency ? 1 : gbps;
	result.round = (unsigned int)round;
	if (!str_u64(cell[FIELD_HOPS], 1, HOPS_MOST, &hops))
		result.hops = (unsigned int)hops;
	read_test(r, &result, cell[FIELD_TEST]);
	for (int side = 0; side < 2; side++) {
		struct ibc_perf_end *end = &r->all_ends[side ? result.server : result.client];

		end->reported = true;
		/* the cell has the slower of the two: the highest of an end is its own */
		end->rate_gbps = fmax(end->rate_gbps, gbps_of(cell[FIELD_RATE]));
		end->pcie_gbps = fmax(end->pcie_gbps, gbps_of(cell[FIELD_PCIE]));
	}
	result.status = result.server == result.client ? IBC_PERF_LOOPBACK : IBC_PERF_MEASURED;
	perf_add(r, &result);
	return NULL;
}

static int find_columns(const struct csv *csv, int columns[CSV_FIELDS])
{
	static const char *const names[CSV_FIELDS] = { "round", "a",    "b",    "rail", "value",
		                                       "unit",  "test", "rate", "pcie", "hops" };
	int found = 0;

	for (size_t i = 0; i < CSV_FIELDS; i++) {
		columns[i] = -1;
		for (size_t k = 0; k < csv->num; k++)
			if (!strcmp(csv->cells[k].text, names[i]))
				columns[i] = (int)k;
		found += columns[i] >= 0 && i <= FIELD_UNIT;
	}
	return found;
}

static int read_perf_csv(struct perf_reading *in, struct ibc_error *err)
{
	struct csv csv = { .text = in->text, .separator = ',' };
	int columns[CSV_FIELDS], rc = csv_record(&csv, err);

	if (rc > 0 && find_columns(&csv, columns) <= FIELD_UNIT) {
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

/* ---- the file
 * ------------------------------------------------------------------------------------- */

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
	int rc = -ENOMEM;

	if (!in)
		return fail_nomem(err);
	*in = (struct perf_reading){ .r = r, .text = f, .flaws_before = results->num_flaws };
	if (!setjmp(r->escape)) {
		arena_escape(r->arena, &r->escape);
		rc = read_results(in);
	} else {
		rc = -ENOMEM;
	}
	arena_escape(r->arena, NULL);
	HASH_CLEAR(hh, in->streams); /* they are the arena's */
	return rc == -ENOMEM ? fail_nomem(err) : 0;
}

static int read_one(struct ibc_perf_results *results, const char *path, struct ibc_error *err)
{
	struct text_file *f;
	int rc = text_open(path, &f, err);

	if (rc)
		return rc;
	rc = read_perf(f, results, err);
	text_close(f);
	return rc;
}

static int is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int read_directory(struct ibc_perf_results *results, const char *path, struct ibc_error *err)
{
	struct perf_results *r = (struct perf_results *)results;
	struct dirent **names;
	int n = scandir(path, &names, is_shown, alphasort), rc = 0;

	if (n < 0)
		return fail(err, -errno, "cannot open %s: %s", path, strerror(errno));
	for (int i = 0; i < n; i++) {
		char *file = arena_printf(r->arena, "%s/%s", path, names[i]->d_name);
		struct stat st;

		if (!rc && !file)
			rc = fail_nomem(err);
		if (!rc && !stat(file, &st) && S_ISREG(st.st_mode))
			rc = read_one(results, file, err);
		free(names[i]);
	}
	free(names);
	return rc;
}

int ibc_perf_results_read(struct ibc_perf_results *results, const char *path, struct ibc_error *err)
{
	struct stat st;

	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		return read_directory(results, path, err);
	return read_one(results, path, err);
}
