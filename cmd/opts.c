/* SPDX-License-Identifier: BSD-2-Clause */
/* getopt_long() driven by the tables of options. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cmd.h"

/* What getopt_long() returns for a long option: above every letter. */
#define LONG_BASE 256

int str_list_add(struct str_list *list, const char *item, struct ibc_error *err)
{
	const char **items = reallocarray(list->items, list->n + 2, sizeof(*items));

	if (!items)
		return cmd_fail(err, -ENOMEM, "out of memory");
	items[list->n++] = item;
	items[list->n] = NULL;
	list->items = items;
	return 0;
}

/* ---- values ---------------------------------------------------------------- */

/* Digits only: strtoull() alone would take "-1", " 1" and "" as well. */
static int parse_number(const char *text, uint64_t *out)
{
	bool hex = !strncasecmp(text, "0x", 2);
	const char *digits = hex ? text + 2 : text;
	size_t n = strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789");

	if (!n || digits[n])
		return -EINVAL;
	errno = 0;
	*out = strtoull(digits, NULL, hex ? 16 : 10);
	return -errno;
}

static int store_uint(const struct opt *opt, unsigned int *out, const char *text,
                      struct ibc_error *err)
{
	uint64_t num;
	int rc = parse_number(text, &num);

	if (rc == -EINVAL)
		return cmd_fail(err, -EINVAL, "--%s: \"%s\" is not a number", opt->name, text);
	if (rc || num < opt->min || num > opt->max)
		return cmd_fail(err, -EINVAL, "--%s: %s is not in the range %" PRIu64 "..%" PRIu64,
		                opt->name, text, opt->min, opt->max);
	*out = (unsigned int)num;
	return 0;
}

/* "10", "0.5", "10s", "2m", "1h", "7d" */
static int store_seconds(const struct opt *opt, double *out, const char *text,
                         struct ibc_error *err)
{
	static const struct {
		const char *suffix;
		double seconds;
	} units[] = { { "", 1 }, { "s", 1 }, { "m", 60 }, { "h", 3600 }, { "d", 86400 } };
	size_t digits = strspn(text, "0123456789.");
	double num;
	char *end;

	num = strtod(text, &end);
	for (size_t i = 0; digits && end == text + digits && i < ARRAY_SIZE(units); i++) {
		if (strcmp(end, units[i].suffix) != 0)
			continue;
		num *= units[i].seconds;
		if (!(num > 0) || num > (double)opt->max)
			return cmd_fail(err, -EINVAL,
			                "--%s: %s is not above 0 and at most %" PRIu64 " seconds",
			                opt->name, text, opt->max);
		*out = num;
		return 0;
	}
	return cmd_fail(err, -EINVAL, "--%s: \"%s\" is not a time such as 10, 0.5, 2m or 1h",
	                opt->name, text);
}

int opt_store(const struct opt *opt, void *into, const char *text, struct ibc_error *err)
{
	void *field = (char *)into + opt->offset;
	struct opt_span *span = field;
	bool *flag = field;
	int rc;

	if (opt->kind != OPT_KIND_FLAG && !*text)
		return cmd_fail(err, -EINVAL, "--%s: its %s is empty", opt->name, opt->arg);
	switch (opt->kind) {
	case OPT_KIND_FLAG:
		*flag = !text || !strcmp(text, "yes"); /* on the command line it has no value */
		return *flag || !strcmp(text, "no")
		           ? 0
		           : cmd_fail(err, -EINVAL, "--%s is yes or no, not \"%s\"", opt->name,
		                      text);
	case OPT_KIND_STR:
		*(const char **)field = text;
		return 0;
	case OPT_KIND_LIST:
		return str_list_add(field, text, err);
	case OPT_KIND_UINT:
		return store_uint(opt, field, text, err);
	case OPT_KIND_HEX:
		rc = parse_number(text, field);
		if (rc == -EINVAL)
			return cmd_fail(err, -EINVAL, "--%s: \"%s\" is not a number such as 0x1f",
			                opt->name, text);
		return !rc ? 0
		           : cmd_fail(err, -EINVAL, "--%s: %s has more than 64 bits", opt->name,
		                      text);
	case OPT_KIND_SECONDS:
		return store_seconds(opt, field, text, err);
	case OPT_KIND_SPAN:
		*span = (struct opt_span){ 0 };
		return text[strspn(text, "0123456789")]
		           ? store_seconds(opt, &span->seconds, text, err)
		           : store_uint(opt, &span->runs, text, err);
	}
	return -EINVAL;
}

int opts_copy(const struct opt *opts, const void *from, void *into, size_t size,
              struct ibc_error *err)
{
	int rc = 0;

	memcpy(into, from, size);
	for (const struct opt *o = opts; o && o->name; o++) {
		const struct str_list *list = (const void *)((const char *)from + o->offset);
		struct str_list *copy = (void *)((char *)into + o->offset);

		if (o->kind != OPT_KIND_LIST)
			continue;
		*copy = (struct str_list){ 0 };
		for (size_t i = 0; !rc && i < list->n; i++)
			rc = str_list_add(copy, list->items[i], err);
	}
	return rc;
}

void opts_free(const struct opt *opts, void *into)
{
	for (const struct opt *o = opts; o && o->name; o++)
		if (o->kind == OPT_KIND_LIST)
			free(((struct str_list *)((char *)into + o->offset))->items);
}

const struct opt *opt_find(const struct opt *opts, const char *name)
{
	for (; opts && opts->name; opts++)
		if (!strcasecmp(opts->name, name))
			return opts;
	return NULL;
}

/* ---- getopt ----------------------------------------------------------------- */

/* All options of all sets in one row, and the same as getopt_long() wants them. */
struct parser {
	struct entry {
		const struct opt *opt;
		struct opt_set *set;
	} * entries;
	size_t n;
	struct option *longs;
	char *letters;
};

/* A leading ':' distinguishes a missing value from an unknown option, '+' ends at the first word.
 */
static int parser_fill(struct parser *p, struct opt_set *sets, size_t n, bool stop,
                       struct ibc_error *err)
{
	size_t total = 0;
	char *at;

	for (size_t s = 0; s < n; s++)
		for (const struct opt *o = sets[s].opts; o && o->name; o++)
			total++;
	p->entries = calloc(total + 1, sizeof(*p->entries));
	p->longs = calloc(total + 1, sizeof(*p->longs));
	p->letters = at = calloc(2 * total + 3, 1);
	if (!p->entries || !p->longs || !p->letters)
		return cmd_fail(err, -ENOMEM, "out of memory");
	if (stop)
		*at++ = '+';
	*at++ = ':';
	/* the last set first: a command's own option stands before a common one of that name */
	for (size_t s = n; s-- > 0;)
		for (const struct opt *o = sets[s].opts; o && o->name; o++) {
			if (o->file_only)
				continue;
			p->entries[p->n] = (struct entry){ o, &sets[s] };
			p->longs[p->n] = (struct option){ .name = o->name,
				                          .has_arg = o->arg ? required_argument
				                                            : no_argument,
				                          .val = LONG_BASE + (int)p->n };
			p->n++;
			if (o->letter)
				*at++ = o->letter;
			if (o->letter && o->arg)
				*at++ = ':';
		}
	return 0;
}

/* What getopt_long() means by @code: a letter, or the number of a long option. */
static const struct entry *parser_entry(const struct parser *p, int code)
{
	for (size_t i = 0; i < p->n; i++)
		if (code == LONG_BASE + (int)i || (code && code == p->entries[i].opt->letter))
			return &p->entries[i];
	return NULL;
}

/*
 * The removed option @word of this command: its name, what replaced it, such as "--interval", and
 * what to say where that is not all; or NULL.
 */
static const char *const *removed_option(const struct parser *p, const char *word, size_t length)
{
	static const char *const removed[][3] = {
		{ "--window", "--interval" },
		{ "-w", "--interval" },
		{ "--for", "--tool" },
		{ "--cas", "--hcas" },
		{ "--shifts", "--bisections", "--bisections 0 simulates no shifts either" },
		{ "--seed", "--bisections", "the same bisections are drawn each time" },
		{ "--threads", "--bisections", "each processor has a thread" },
		{ "-j", "--bisections", "each processor has a thread" },
		{ "--slurm-yaml", "--slurm" },
		{ "--clients", "--mode", "with --mode incast each server has 4 clients" },
		{ "--seed", "--rounds", "a plan of more --rounds has other pairs" },
		{ "--svg", "--retest", "-f csv --table perf_pairs has the pairs" },
		{ "--colour", "--svg", "counters --svg shows counters, fattree --svg the cables" },
	};

	for (size_t r = 0; r < ARRAY_SIZE(removed); r++)
		if (strlen(removed[r][0]) == length && !strncmp(removed[r][0], word, length))
			for (size_t i = 0; i < p->n; i++)
				if (!strcmp(p->longs[i].name, removed[r][1] + 2))
					return removed[r];
	return NULL;
}

static int refuse_long(const struct parser *p, const char *word, struct ibc_error *err)
{
	int length = (int)strcspn(word, "=");
	struct ibc_near near = { .typed = word, .length = length };
	const char *const *removed = removed_option(p, word, (size_t)length);
	const struct opt *key;
	char name[64];

	snprintf(name, sizeof(name), "%.*s", length, word);
	key = strncmp(name, "--", 2) ? NULL : opt_find(common_opts, name + 2);
	if (key && key->file_only)
		return cmd_fail(err, -EINVAL, "%s is set in the configuration: %s in [%s]", name,
		                key->name, key->section);
	if (removed && removed[2])
		return cmd_fail(err, -EINVAL, "%.*s was removed: %s", length, word, removed[2]);
	if (removed)
		return cmd_fail(err, -EINVAL, "%.*s was replaced by %s", length, word, removed[1]);
	for (size_t i = 0; i < p->n; i++) {
		snprintf(name, sizeof(name), "--%s", p->longs[i].name);
		ibc_near_offer(&near, name);
	}
	return cmd_fail(err, -EINVAL, "unknown option %.*s%s", length, word, ibc_near_text(&near));
}

/* getopt_long() takes the beginning of a word; --node shall not be --node-name-map. */
static bool is_abbreviated(const struct parser *p, int code, const char *word)
{
	const char *name = code < LONG_BASE ? NULL : p->longs[code - LONG_BASE].name;

	return name && (strcspn(word + 2, "=") != strlen(name));
}

static int refuse_option(const struct parser *p, int code, const char *word, struct ibc_error *err)
{
	const struct entry *e = parser_entry(p, optopt);
	char letter[3];

	if (!optopt || is_abbreviated(p, optopt, word))
		return refuse_long(p, word, err);
	if (e && code == ':')
		return cmd_fail(err, -EINVAL, "--%s needs its %s", e->opt->name, e->opt->arg);
	if (e)
		return cmd_fail(err, -EINVAL, "--%s takes no value", e->opt->name);
	snprintf(letter, sizeof(letter), "-%c", optopt);
	return refuse_long(p, letter, err);
}

static int parse_all(const struct parser *p, int argc, char **argv, struct ibc_error *err)
{
	const struct entry *e;
	const char *word;
	int code, rc = 0;

	optind = 0; /* glibc: start afresh */
	opterr = 0;
	while (!rc && (code = getopt_long(argc, argv, p->letters, p->longs, NULL)) != -1) {
		word = argv[optind - 1];
		if (code == '?' || code == ':')
			return refuse_option(p, code, word, err);
		if (word == optarg) /* the value, a word of its own */
			word = argv[optind - 2];
		if (is_abbreviated(p, code, word))
			return refuse_long(p, word, err);
		e = parser_entry(p, code);
		e->set->given |= UINT64_C(1) << (e->opt - e->set->opts);
		if (code < LONG_BASE)
			e->set->by_letter |= UINT64_C(1) << (e->opt - e->set->opts);
		rc = opt_store(e->opt, e->set->into, optarg, err);
		if (!rc && e->opt->secret)
			memset(optarg, '*', strlen(optarg));
	}
	return rc;
}

int opts_parse(struct opt_set *sets, size_t n, int argc, char **argv, bool stop, int *used,
               struct ibc_error *err)
{
	struct parser p = { 0 };
	int rc = parser_fill(&p, sets, n, stop, err);

	if (!rc)
		rc = parse_all(&p, argc, argv, err);
	*used = optind;
	free(p.entries);
	free(p.longs);
	free(p.letters);
	return rc;
}
