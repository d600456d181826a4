/* SPDX-License-Identifier: BSD-2-Clause */
/* How a selection names some of the checks, and what those read. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <ibcheck/host.h>

#include "base/array.h"
#include "base/error.h"
#include "base/left_out.h"
#include "check/groups.h"
#include "check/settings.h"

#define ID_MAX   63 /* longer words are like no id */
#define NEAR_MAX 2  /* typing errors up to which a word is like an id */

/* struct word - an id or a group; @kind: what stands behind its colon, or NULL */
struct word {
	const char *text, *kind;
	size_t length, kind_length;
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
	w->kind = memchr(w->text, ':', w->length);
	if (w->kind) {
		w->length = (size_t)(w->kind++ - w->text);
		w->kind_length = (size_t)(end - w->kind);
	}
	return true;
}

static bool names(const struct word *w, const struct ibc_check *c)
{
	return w->length && strncmp(c->id, w->text, w->length) == 0 &&
	       (c->id[w->length] == '\0' || c->id[w->length] == '.');
}

unsigned int selected_kinds(const struct ibc_check *check, const char *selection,
                            unsigned int *named)
{
	unsigned int all = all_kinds(check), selected = selection ? 0 : all, kinds;
	bool first = true;
	struct word w;

	*named = 0;
	for (; next_selected_word(&selection, &w); first = false) {
		if (first && w.out)
			selected = all; /* all but ... */
		if (!names(&w, check))
			continue;
		kinds = w.kind ? kind_bit(check, w.kind, w.kind_length) : all;
		selected = w.out ? selected & ~kinds : selected | kinds;
		if (!w.out && w.length == strlen(check->id))
			*named |= w.kind ? kinds : NAMED_WHOLE;
	}
	return selected;
}

bool ibc_check_selected(const struct ibc_check *check, const char *selection)
{
	unsigned int named;

	return selected_kinds(check, selection, &named);
}

/* Lists the kinds that there are, of a check or a group. */
static int no_such_kind(const struct word *w, struct ibc_error *err)
{
	char name[KIND_NAME_MAX], list[256] = "";
	const struct ibc_check *c;
	size_t n = 0;

	for (size_t i = 0; (c = ibc_check_at(i)); i++)
		for (size_t k = 0; names(w, c) && c->words && c->words[k].word && n < sizeof(list);
		     k++)
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", n ? ", " : "",
			                      kind_name(c, k, name));
	return n ? fail(err, -EINVAL, "%.*s has no kind \"%.*s\": there are %s", (int)w->length,
	                w->text, (int)w->kind_length, w->kind, list)
	         : fail(err, -EINVAL, "%.*s has no kinds: leave out \":%.*s\"", (int)w->length,
	                w->text, (int)w->kind_length, w->kind);
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
		if (w.kind && (strlen(c->id) != w.length || !kind_bit(c, w.kind, w.kind_length)))
			return no_such_kind(&w, err);
	}
	return 0;
}

/* ---- sets --------------------------------------------------------------------- */

bool ibc_check_set_add(struct ibc_check_set *set, const struct ibc_check *check,
                       const char *selection, const struct ibc_config *config)
{
	unsigned int named, kinds = selected_kinds(check, selection, &named);
	unsigned int enabled = config_kinds(config, check);
	size_t i = check_number(check);

	if (named & NAMED_WHOLE)
		named = kinds;
	set->kinds[i] |= (uint16_t)(kinds & enabled);
	set->disabled[i] |= (uint16_t)(named & ~enabled);
	return set->kinds[i];
}

bool ibc_check_set_has(const struct ibc_check_set *set, const struct ibc_check *check)
{
	return set->kinds[check_number(check)];
}

struct ibc_check_set ibc_check_select(const char *selection, const struct ibc_config *config)
{
	struct ibc_check_set set = { .kinds = { 0 } };
	const struct ibc_check *c;

	for (size_t i = 0; (c = ibc_check_at(i)); i++)
		ibc_check_set_add(&set, c, selection, config);
	return set;
}

/* The next of a set from the i-th check on; NULL past the last one. */
static const struct ibc_check *next_of(const struct ibc_check_set *set, size_t *i)
{
	const struct ibc_check *c;

	while ((c = ibc_check_at((*i)++)))
		if (set->kinds[*i - 1])
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
		    !strcmp(c->id, "counters.state")) {
			ibc_report_unreported(rep, c->id, reason);
			set->kinds[i - 1] = 0;
		}
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
	const char *successor = ibc_check_successor(word, length);
	size_t best = NEAR_MAX + 1, best_length = 0;
	const char *like = NULL, *part = left_out_part(word, length);
	const struct ibc_check *c;

	if (part)
		return fail(err, -EINVAL, "\"%.*s\"" OF_PART_LEFT_OUT, (int)length, word, part);
	if (successor && !*successor)
		return fail(err, -EINVAL, "\"%.*s\" was removed", (int)length, word);
	if (successor)
		return fail(err, -EINVAL, "\"%.*s\" was replaced by %s", (int)length, word,
		            successor);
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
