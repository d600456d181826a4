/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of options, and the command line by the tables of options: as getopt_long(3) takes it,
 * but for beginnings of words, which are refused: --node shall not be --node-name-map. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cmd.h"
#include "lacking.h"

int rows_grow(void *array, size_t n, size_t *room, size_t size, struct ibc_error *err)
{
	size_t more = *room ? 2 * *room : 64; /* most lists are shorter */
	void *all;

	if (n < *room)
		return 0;
	memcpy(&all, array, sizeof(all));
	all = reallocarray(all, more, size);
	if (!all)
		return cmd_fail(err, -ENOMEM, "out of memory");
	memcpy(array, &all, sizeof(all));
	*room = more;
	return 0;
}

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

	if (is_part_lacking(opt->part))
		return cmd_fail(err, -EINVAL, "--%s" OF_PART_LACKING, opt->name, opt->part);
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

/* ---- the command line -------------------------------------------------------- */

/*
 * The option of this long name, or of this letter if there is no name, and its set.  The last set
 * first: a command's own option stands before a common one of that name.
 */
static const struct opt *find_option(struct opt_set *sets, size_t n, const char *name,
                                     size_t length, char letter, struct opt_set **set)
{
	while (n-- > 0) {
		*set = &sets[n];
		for (const struct opt *o = sets[n].opts; o && o->name; o++)
			if (!o->file_only &&
			    (name ? strlen(o->name) == length && !strncmp(o->name, name, length)
			          : o->letter == letter))
				return o;
	}
	return NULL;
}

/* Options that were removed, what replaced each, and what to say where that is not all. */
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
	{ "--without", "--using", "\"ibcheck whatif THING\" says what is lost" },
	{ "--seed", "--rounds", "a plan of more --rounds has other pairs" },
	{ "--svg", "--retest", "-f csv --table perf_pairs has the pairs" },
	{ "--colour", "--svg", "counters --svg shows counters, fattree --svg the cables" },
};

/* @word: "-x", "--name" or "--name=VALUE" */
static int refuse_option(struct opt_set *sets, size_t n, const char *word, struct ibc_error *err)
{
	int length = (int)strcspn(word, "=");
	struct ibc_near near = { .typed = word, .length = length };
	const struct opt *key;
	struct opt_set *set;
	char name[64];

	snprintf(name, sizeof(name), "%.*s", length, word);
	key = strncmp(name, "--", 2) ? NULL : opt_find(common_opts, name + 2);
	if (key && key->file_only)
		return cmd_fail(err, -EINVAL, "%s is set in the configuration: %s in [%s]", name,
		                key->name, key->section);
	for (size_t r = 0; r < ARRAY_SIZE(removed); r++) {
		const char *by = removed[r][1], *more = removed[r][2];

		/* of a command that has what replaced it */
		if (strcmp(removed[r][0], name) != 0 ||
		    !(key = find_option(sets, n, by + 2, strlen(by + 2), 0, &set)) ||
		    is_part_lacking(key->part))
			continue;
		return cmd_fail(err, -EINVAL, more ? "%s was removed: %s" : "%s was replaced by %s",
		                name, more ? more : by);
	}
	while (n-- > 0)
		for (const struct opt *o = sets[n].opts; o && o->name; o++) {
			snprintf(name, sizeof(name), "--%s", o->name);
			if (!o->file_only && !is_part_lacking(o->part))
				ibc_near_offer(&near, name);
		}
	return cmd_fail(err, -EINVAL, "unknown option %.*s%s", length, word, ibc_near_text(&near));
}

/* An option and its value, if it has one: @value, or *next, which is NULL then. */
static int take_option(struct opt_set *set, const struct opt *o, char *value, char **next,
                       struct ibc_error *err)
{
	int rc;

	if (o->arg && !value) {
		value = *next;
		*next = NULL;
	}
	if (o->arg && !value)
		return cmd_fail(err, -EINVAL, "--%s needs its %s", o->name, o->arg);
	if (!o->arg && value)
		return cmd_fail(err, -EINVAL, "--%s takes no value", o->name);
	set->given |= UINT64_C(1) << (o - set->opts);
	rc = opt_store(o, set->into, value, err);
	if (!rc && o->secret)
		memset(value, '*', strlen(value));
	return rc;
}

/* A word of options, "--name", "--name=VALUE", "-abc" or "-aVALUE", and *next, as above. */
static int parse_word(struct opt_set *sets, size_t n, char *word, char **next,
                      struct ibc_error *err)
{
	bool is_long = word[1] == '-';
	size_t length = strcspn(word, "=");
	const struct opt *o;
	struct opt_set *set;
	int rc = 0;

	if (is_long) {
		o = find_option(sets, n, word + 2, length - 2, 0, &set);
		return o ? take_option(set, o, word[length] ? word + length + 1 : NULL, next, err)
		         : refuse_option(sets, n, word, err);
	}
	for (char *c = word + 1; !rc && *c; c++) {
		o = find_option(sets, n, NULL, 0, *c, &set);
		if (!o)
			return refuse_option(sets, n, (char[]){ '-', *c, '\0' }, err);
		set->by_letter |= UINT64_C(1) << (o - set->opts);
		rc = take_option(set, o, o->arg && c[1] ? c + 1 : NULL, next, err);
		if (o->arg)
			break;
	}
	return rc;
}

int opts_parse(struct opt_set *sets, size_t n, int argc, char **argv, bool stop, int *used,
               struct ibc_error *err)
{
	char **others = calloc((size_t)argc + 1, sizeof(*others)), *next;
	int i, kept = 1, num = 0, rc = 0;

	if (!others)
		return cmd_fail(err, -ENOMEM, "out of memory");
	for (i = 1; !rc && i < argc; i++) {
		char *word = argv[i];
		bool is_option = word[0] == '-' && word[1];

		if (!is_option && stop)
			break;
		if (!is_option) {
			others[num++] = word;
			continue;
		}
		argv[kept++] = word;
		if (!strcmp(word, "--")) {
			i++;
			break;
		}
		next = argv[i + 1];
		rc = parse_word(sets, n, word, &next, err);
		if (i + 1 < argc && !next) /* it was the value */
			argv[kept++] = argv[++i];
	}
	*used = kept;
	for (; i < argc; i++)
		others[num++] = argv[i];
	memcpy(argv + kept, others, (size_t)num * sizeof(*argv));
	free(others);
	return rc;
}
