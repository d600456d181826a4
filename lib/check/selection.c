/* SPDX-License-Identifier: BSD-2-Clause */
/* How a selection names some of the checks, and what those read. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <ibcheck/host.h>

#include "base/array.h"
#include "base/error.h"
#include "check/groups.h"

#define ID_MAX   63 /* longer words are like no id */
#define NEAR_MAX 2  /* typing errors up to which a word is like an id */

struct word {
	const char *text;
	size_t length;
	bool out; /* takes out what it names */
};

/* The next word of a selection; false after the last. */
static bool next_selected_word(const char **at, struct word *w)
{
	const char *end;

	if (!*at)
		return false;
	end = strchrnul(*at, ',');
	w->text = *at;
	*at = *end ? end + 1 : NULL;
	while (w->text < end && *w->text == ' ')
		w->text++;
	while (end > w->text && end[-1] == ' ')
		end--;
	w->out = w->text < end && *w->text == '-';
	w->text += w->out;
	w->length = (size_t)(end - w->text);
	return true;
}

static bool names(const struct word *w, const struct ibc_check *c)
{
	return w->length && strncmp(c->id, w->text, w->length) == 0 &&
	       (c->id[w->length] == '\0' || c->id[w->length] == '.');
}

bool ibc_check_selected(const struct ibc_check *check, const char *selection)
{
	bool selected = false, first = true;
	struct word w;

	if (!selection)
		return true;
	for (; next_selected_word(&selection, &w); first = false) {
		if (first && w.out)
			selected = true; /* all but ... */
		if (names(&w, check))
			selected = !w.out;
	}
	return selected;
}

int ibc_check_selection_verify(const char *selection, struct ibc_error *err)
{
	const struct ibc_check *c;
	struct word w;

	while (next_selected_word(&selection, &w)) {
		size_t i = 0;

		if (!w.length)
			return fail(err, -EINVAL, "the selection of checks has an empty word");
		while ((c = ibc_check_at(i)) && !names(&w, c))
			i++;
		if (!c)
			return no_such_check(w.text, w.length, err);
	}
	return 0;
}

/* ---- sets --------------------------------------------------------------------- */

static void set_add(struct ibc_check_set *set, size_t i)
{
	set->bits[i / 64] |= UINT64_C(1) << i % 64;
}

void ibc_check_set_add(struct ibc_check_set *set, const struct ibc_check *check)
{
	set_add(set, check_number(check));
}

bool set_has(const struct ibc_check_set *set, size_t i)
{
	return set->bits[i / 64] >> i % 64 & 1;
}

bool ibc_check_set_has(const struct ibc_check_set *set, const struct ibc_check *check)
{
	return set_has(set, check_number(check));
}

struct ibc_check_set ibc_check_select(const char *selection, const struct ibc_config *config)
{
	struct ibc_check_set set = { { 0 } };
	const struct ibc_check *c;

	for (size_t i = 0; (c = ibc_check_at(i)); i++)
		if (ibc_check_selected(c, selection) && ibc_config_enabled(config, c))
			set_add(&set, i);
	return set;
}

/* The next of a set from the i-th check on; NULL past the last one. */
static const struct ibc_check *next_of(const struct ibc_check_set *set, size_t *i)
{
	const struct ibc_check *c;

	while ((c = ibc_check_at((*i)++)))
		if (set_has(set, *i - 1))
			return c;
	return NULL;
}

struct ibc_attrs ibc_check_needs(struct ibc_check_set set)
{
	struct ibc_attrs needs = IBC_ATTRS();
	const struct ibc_check *c;

	for (size_t i = 0; (c = next_of(&set, &i));)
		needs = ibc_attrs_or(needs, c->needs);
	return ibc_attrs_complete(needs);
}

uint32_t ibc_check_parts(struct ibc_check_set set)
{
	uint32_t parts = IBC_HOST_RDMA;
	const struct ibc_check *c;

	for (size_t i = 0; (c = next_of(&set, &i));)
		parts |= c->parts | c->host_parts;
	return parts;
}

unsigned int ibc_check_inputs(struct ibc_check_set set)
{
	const struct ibc_check *c;
	unsigned int inputs = 0;

	for (size_t i = 0; (c = next_of(&set, &i));)
		inputs |= c->inputs;
	return inputs;
}

struct ibc_attrs ibc_check_relevant(struct ibc_check_set set)
{
	return ibc_attrs_or(ibc_check_needs(set), ibc_attrs_of_group(IBC_ATTRS_ALWAYS));
}

void ibc_check_spare_counters(struct ibc_check_set *set, const struct ibc_fabric *fabric,
                              struct ibc_report *rep)
{
	struct ibc_check_set left = { { 0 } };
	const struct ibc_subnet *subnet;
	const struct ibc_check *c;
	char reason[PATH_MAX];

	for (size_t i = 0; (subnet = ibc_fabric_subnet(fabric, i)); i++)
		if (ibc_attrs_has(subnet->provides, IBC_ATTR_PORT_COUNTERS))
			return;
	snprintf(reason, sizeof(reason), "%s has no counters",
	         ibc_fabric_subnet(fabric, 0)->source);
	for (size_t i = 0; (c = next_of(set, &i));)
		if (ibc_attrs_has(c->needs, IBC_ATTR_PORT_COUNTERS) ||
		    !strcmp(c->id, "counters.state"))
			ibc_report_unreported(rep, c->id, reason);
		else
			ibc_check_set_add(&left, c);
	*set = left;
}

/* ---- near misses ------------------------------------------------------------ */

/* Checks that are gone, and what reports the same; "": nothing does. */
static const char *const replaced[][2] = {
	{ "cable.bias", "cable.alarm:bias" },
	{ "cable.tx-power", "cable.alarm:tx-power" },
	{ "cable.tx-fault", "cable.alarm:tx-fault" },
	{ "ar.group", "" },
	{ "ar.stale", "port.state" },
	{ "perf.partner", "perf.setup" },
	{ "sharp.duplicate", "sharp.manager" },
	{ "sharp.placement", "sharp.manager" },
	{ "slurm.missing", "slurm.hosts" },
	{ "slurm.rails", "slurm.hosts" },
	{ "slurm.root", "slurm.hosts" },
	{ "slurm.syntax", "slurm.file" },
	{ "slurm.tree", "slurm.file" },
	{ "slurm.unknown", "slurm.hosts" },
};

const char *ibc_check_successor(const char *id, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(replaced); i++)
		if (strlen(replaced[i][0]) == length && !strncmp(replaced[i][0], id, length))
			return replaced[i][1];
	return NULL;
}

int no_such_check(const char *word, size_t length, struct ibc_error *err)
{
	const char *successor = ibc_check_successor(word, length),
		   *kind = memchr(word, ':', length);
	size_t best = NEAR_MAX + 1, best_length = 0;
	const char *like = NULL;
	const struct ibc_check *c;

	if (successor && !*successor)
		return fail(err, -EINVAL, "\"%.*s\" was removed", (int)length, word);
	if (successor)
		return fail(err, -EINVAL, "\"%.*s\" was replaced by %.*s", (int)length, word,
		            (int)strcspn(successor, ":"), successor);
	if (kind)
		return fail(
		    err, -EINVAL,
		    "\"%.*s\" is a kind of finding: name the check, and accept a kind by --known",
		    (int)(length - (size_t)(kind + 1 - word)), kind + 1);
	for (size_t i = 0; length <= ID_MAX && (c = ibc_check_at(i)); i++) {
		size_t lengths[] = { strlen(c->id), strcspn(c->id, ".") };

		for (size_t k = 0; k < 2; k++) {
			size_t d = ibc_text_distance(word, length, c->id, lengths[k]);

			if (d < best) {
				best = d;
				best_length = lengths[k];
				like = c->id;
			}
		}
	}
	if (like)
		return fail(err, -EINVAL, "no check is called \"%.*s\": did you mean \"%.*s\"?",
		            (int)length, word, (int)best_length, like);
	return fail(err, -EINVAL, "no check is called \"%.*s\": \"ibcheck explain\" lists them",
	            (int)(length > ID_MAX ? ID_MAX : length), word);
}
