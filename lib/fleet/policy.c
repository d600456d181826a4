/* SPDX-License-Identifier: BSD-2-Clause */
/* What facts must be, section by section: the last rule that is for a host or an adapter holds. */
#include "fleet/policy.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/str.h"

#define VALUE_MAX 256 /* bytes of one alternative */

int ibc_policy_new(struct ibc_policy **out, struct ibc_error *err)
{
	struct ibc_policy *policy = xalloc(sizeof(*policy));

	*out = policy;
	if (policy)
		policy->arena = arena_new();
	if (policy && policy->arena)
		return 0;
	free(policy);
	*out = NULL;
	return fail_nomem(err);
}

void ibc_policy_free(struct ibc_policy *policy)
{
	if (!policy)
		return;
	free(policy->rules);
	arena_free(policy->arena);
	free(policy);
}

/* ---- alternatives ---------------------------------------------------------------------------- */

/* The next one, without the blanks around it; false: there is none, or it is too long. */
static bool next_value(const char **at, char value[VALUE_MAX])
{
	const char *begin = *at + strspn(*at, " \t");
	size_t n = strcspn(begin, ",");

	*at = begin + n + (begin[n] == ',');
	while (n && strchr(" \t", begin[n - 1]))
		n--;
	return n && str_cut(value, VALUE_MAX, begin, n);
}

bool policy_allows(const struct policy_rule *rule, const char *value)
{
	char one[VALUE_MAX];

	value = *value ? value : "none";
	for (const char *at = rule->values; *at && next_value(&at, one);)
		if (fleet_values_equal(one, value) || !fnmatch(one, value, 0))
			return true;
	return false;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* "all", "host login*", "psid MT_0000000838" */
static int read_section(struct policy_rule *rule, const char *section, struct ibc_error *err)
{
	size_t n = strcspn(section, " \t");

	rule->pattern = section + n + strspn(section + n, " \t");
	rule->selector = fleet_fact_named(section, n);
	if (strchr(rule->pattern, '[') &&
	    !strchr(rule->pattern, ']')) /* of a file, it ended there */
		return fail(err, -EINVAL,
		            "[%s]: the first ] ends a section: patterns here have * and ?, and no "
		            "brackets",
		            section);
	if (n == 3 && !strncmp(section, "all", n) && !*rule->pattern)
		rule->selector = SELECT_ALL;
	else if (n == 4 && !strncmp(section, "host", n) && *rule->pattern)
		rule->selector = SELECT_HOST;
	else if (rule->selector < 0 || !*rule->pattern)
		return fail(err, -EINVAL,
		            "[%s]: a section is [all], [host PATTERN], or [FACT PATTERN] as in "
		            "[psid MT_0000000838]",
		            section);
	return 0;
}

static int check_values(const struct fleet_fact *fact, const char *values, struct ibc_error *err)
{
	const char *words = fact->words;
	char one[VALUE_MAX];
	double number;

	for (const char *at = values; *at || at == values;) {
		bool fits = !words || !strcmp(words, FACT_VERSION);

		if (!next_value(&at, one))
			return fail(err, -EINVAL, "%s = %s: a value is empty or too long",
			            fact->key, values);
		for (const char *w = words; !fits && *w; w += strspn(w, " ")) {
			size_t n = strcspn(w, " ");

			fits = !strncmp(w, FACT_NUMBER, n)
			           ? !str_real(one, &number)
			           : n == strlen(one) && !strncmp(w, one, n);
			w += n;
		}
		if (!fits)
			return !strcmp(words, FACT_NUMBER)
			           ? fail(err, -EINVAL, "%s: \"%s\" is no number", fact->key, one)
			           : fail(err, -EINVAL, "%s: \"%s\" is none of %s (# a number)",
			                  fact->key, one, words);
	}
	return 0;
}

int ibc_policy_set(struct ibc_policy *policy, const char *section, const char *key,
                   const char *value, struct ibc_error *err)
{
	struct policy_rule rule = { .row = fleet_fact_named(key, strlen(key)) };
	bool given = false;
	int rc = read_section(&rule, section, err);

	if (!rc && rule.row < 0)
		rc = fail(err, -EINVAL, "there is no fact \"%s\"", key);
	if (!rc)
		rc = check_values(fleet_fact_at((size_t)rule.row), value, err);
	for (size_t i = 0; i < policy->num; i++)
		given |= policy->rules[i].row == rule.row &&
		         policy->rules[i].selector == rule.selector &&
		         !strcmp(policy->rules[i].pattern, rule.pattern);
	if (!rc && given)
		rc = fail(err, -EINVAL, "%s is in [%s] twice", key, section);
	if (rc)
		return rc;
	rule.section = arena_strdup(policy->arena, section);
	rule.pattern = rule.section ? rule.section + (rule.pattern - section) : NULL;
	rule.values = arena_strdup(policy->arena, value);
	if (!rule.pattern || !rule.values ||
	    !grow(&policy->rules, policy->num, &policy->room, sizeof(*policy->rules)))
		return fail_nomem(err);
	policy->rules[policy->num++] = rule;
	policy->rows |= UINT64_C(1) << rule.row;
	return 0;
}

int ibc_fleet_group_verify(const char *group, struct ibc_error *err)
{
	for (size_t n; *group; group += n + (group[n] == ',')) {
		n = strcspn(group, ",");
		if (fleet_fact_named(group, n) < 0 && strncmp(group, "name", n > 4 ? n : 4) != 0 &&
		    strncmp(group, "all", n > 3 ? n : 3) != 0)
			return fail(err, -EINVAL,
			            "--group %s: there are all, name, and the facts of a policy, "
			            "such as psid, rate, product",
			            group);
	}
	return 0;
}
