/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What may follow on a command line, for the shells: a candidate a line, with
 * a tab and its meaning where it has one.  ":files" and ":dirs" stand for
 * names the shell knows better.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cmd.h"

#define SYS_INFINIBAND "/sys/class/infiniband"

/* Prints @kept and the candidate if that goes on from what was typed after @kept. */
static void offer_candidate(FILE *out, const char *word, size_t kept, const char *candidate,
                            const char *meaning)
{
	const char *typed = word + kept;

	if (strncmp(candidate, typed, strlen(typed)) != 0)
		return;
	fprintf(out, "%.*s%s", (int)kept, word, candidate);
	if (meaning)
		fprintf(out, "\t%s", meaning);
	fputc('\n', out);
}

/* ---- values ----------------------------------------------------------------------- */

static void offer_formats(FILE *out, const char *word, size_t kept)
{
	const char *name;

	for (size_t i = 0; (name = ibc_render_format(i)); i++)
		offer_candidate(out, word, kept, name, NULL);
}

/* Groups, ids and their kinds; a "-" before one stays. */
static void offer_checks(FILE *out, const char *word, size_t kept)
{
	const struct ibc_check *check;
	char group[32], name[64];
	size_t n, first;

	kept += word[kept] == '-';
	for (size_t i = 0; (check = ibc_check_at(i)); i++) {
		n = strcspn(check->id, ".");
		for (first = 0; strncmp(ibc_check_at(first)->id, check->id, n + 1) != 0;)
			first++;
		snprintf(group, sizeof(group), "%.*s", (int)n, check->id);
		if (first == i)
			offer_candidate(out, word, kept, group, "all checks of this group");
		offer_candidate(out, word, kept, check->id, check->title);
		for (size_t k = 0; check->words && check->words[k].word; k++) {
			snprintf(name, sizeof(name), "%s:%s", check->id, check->words[k].word);
			offer_candidate(out, word, kept, name, "one kind of its findings");
		}
	}
}

static void offer_listed(FILE *out, const char *word, size_t kept, const char *words)
{
	char one[32];
	size_t n;

	for (; *words; words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		snprintf(one, sizeof(one), "%.*s", (int)n, words);
		offer_candidate(out, word, kept, one, NULL);
	}
}

static void offer_topics(FILE *out, const char *word, size_t kept)
{
	const struct ibc_word *topic;

	for (unsigned int i = 0; (topic = ibc_trace_topic_word(i)); i++)
		offer_candidate(out, word, kept, topic->word, topic->name);
	offer_candidate(out, word, kept, DEBUG_ALL, NULL);
}

/* Those of all commands: which it will be is not known here. */
static void offer_tables(FILE *out, const char *word, size_t kept)
{
	const struct ibc_table_type *t;

	offer_candidate(out, word, kept, FINDINGS, NULL);
	offer_candidate(out, word, kept, IBC_CASES_TABLE, NULL);
	for (const struct cmd *const *c = all_commands; *c; c++)
		for (size_t i = 0; (t = cmd_shows(*c, i)); i++)
			offer_candidate(out, word, kept, t->name, (*c)->name);
}

static void offer_cas(FILE *out, const char *word, size_t kept)
{
	struct dirent **entries; /* all of them, or none */
	int n = scandir(SYS_INFINIBAND, &entries, NULL, alphasort);

	for (int i = 0; i < n; free(entries[i++]))
		if (entries[i]->d_name[0] != '.')
			offer_candidate(out, word, kept, entries[i]->d_name, NULL);
	if (n >= 0)
		free(entries);
}

static void offer_sources(FILE *out, const char *word, size_t kept)
{
	offer_candidate(out, word, kept, "umad", "the first active port of this host");
	offer_candidate(out, word, kept, "umad:all", "a port of this host for every subnet");
	offer_candidate(out, word, kept, "synth:fattree:", "a fat-tree made by formula");
}

/* What there is to offer, and what the shell adds to it. */
static const struct {
	void (*offer)(FILE *out, const char *word, size_t kept);
	const char *shell;
} values[] = {
	[HINT_NONE] = { NULL, "" },          [HINT_FILE] = { NULL, ":files\n" },
	[HINT_DIR] = { NULL, ":dirs\n" },    [HINT_FORMAT] = { offer_formats, "" },
	[HINT_CHECK] = { offer_checks, "" }, [HINT_SOURCE] = { offer_sources, ":files\n" },
	[HINT_CA] = { offer_cas, "" },       [HINT_TOPIC] = { offer_topics, "" },
	[HINT_TABLE] = { offer_tables, "" },
};

/* @words: with HINT_WORDS; of a list, what stands before its last part stays. */
static void offer_values(FILE *out, enum opt_hint hint, const char *words, const char *word,
                         size_t kept)
{
	const char *comma = strrchr(word + kept, ',');

	if (comma && (hint == HINT_WORDS || hint == HINT_CHECK || hint == HINT_TOPIC))
		kept = (size_t)(comma + 1 - word);
	if (hint == HINT_WORDS) {
		offer_listed(out, word, kept, words);
		return;
	}
	if (values[hint].offer)
		values[hint].offer(out, word, kept);
	fputs(values[hint].shell, out);
}

static void offer_opts(FILE *out, const char *word, const struct opt *opts, const struct cmd *cmd)
{
	char name[64];

	for (; opts && opts->name; opts++) {
		if (!cmd_offers(cmd, opts))
			continue;
		snprintf(name, sizeof(name), "--%s", opts->name);
		offer_candidate(out, word, 0, name, opts->help);
	}
}

/* The option of a word, by name or last letter; *value: what follows its '='. */
static const struct opt *opt_of_word(const struct cmd *cmd, const char *word, const char **value)
{
	const struct opt *const tables[] = { cmd ? cmd->opts : NULL, common_opts };
	bool is_long = !strncmp(word, "--", 2);
	size_t length = strcspn(word, "=");
	char letter = word[strlen(word) - 1];

	*value = is_long && word[length] ? word + length + 1 : NULL;
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		for (const struct opt *o = tables[i]; o && o->name; o++)
			if (!is_long ? o->letter == letter
			             : strlen(o->name) == length - 2 &&
			                   !strncasecmp(o->name, word + 2, length - 2))
				return o;
	return NULL;
}

void complete_line(const struct cmd *const *commands, char *const *words, FILE *out)
{
	const struct opt *pending = NULL, *opt; /* the option whose value comes next */
	const struct cmd *cmd = NULL;
	unsigned int args = 0;
	bool only_args = false; /* "--" was there */
	const char *value, *word;

	for (; words[0] && words[1]; words++) {
		word = words[0];
		if (pending) {
			pending = NULL;
		} else if (!only_args && !strcmp(word, "--")) {
			only_args = true;
		} else if (!only_args && word[0] == '-' && word[1]) {
			opt = opt_of_word(cmd, word, &value);
			pending = opt && opt->arg && !value ? opt : NULL;
		} else if (!cmd) {
			cmd = cmd_find(commands, word);
		} else {
			args++;
		}
	}
	word = words[0] ? words[0] : "";
	if (pending) {
		offer_values(out, pending->hint, pending->words, word, 0);
	} else if (!only_args && word[0] == '-') {
		opt = opt_of_word(cmd, word, &value);
		if (opt && value) {
			offer_values(out, opt->hint, opt->words, word, (size_t)(value - word));
			return;
		}
		offer_opts(out, word, cmd ? cmd->opts : NULL, cmd);
		offer_opts(out, word, common_opts, cmd);
	} else if (!cmd) {
		for (const struct cmd *const *c = commands; *c; c++)
			offer_candidate(out, word, 0, (*c)->name, (*c)->summary);
	} else if (!args && cmd->arg_words) {
		offer_values(out, HINT_WORDS, cmd->arg_words, word, 0);
	} else if (args < cmd->max_args) {
		offer_values(out, cmd->arg_hint, NULL, word, 0);
	}
}
