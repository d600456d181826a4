/* SPDX-License-Identifier: BSD-2-Clause */
/* The configuration of a site, key by key. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/called.h"
#include "base/error.h"
#include "base/str.h"
#include "check/groups.h"
#include "check/limits.h"
#include "check/settings.h"

#define SECTION_MAX 255 /* id and pattern of names; longer is a mistake */

/* What a key sets, by its place among keys[]. */
enum { ENABLED, SEVERITY, EXPECT, ALLOW, KEYS };

static const struct {
	const char *name, *values, *standard; /* NULL: the check's own */
} keys[KEYS] = {
	[ENABLED] = { "enabled", "yes or no", "yes" },
	[SEVERITY] = { "severity", "info, warning or critical", NULL },
	[EXPECT] = { "expect", "a number", "NUMBER" },
	[ALLOW] = { "allow", "a list of words", "LIST" },
};

static bool has_key(const struct ibc_check *check, size_t key)
{
	return key == ENABLED || key == SEVERITY || (key == EXPECT && check->expects) ||
	       (key == ALLOW && check->allows);
}

static int set_value(struct arena *a, struct setting *s, size_t key, const char *value)
{
	static const enum ibc_severity allowed[] = { IBC_INFO, IBC_WARNING, IBC_CRITICAL };

	if (key == EXPECT)
		return str_real(value, &s->expect);
	if (key == ALLOW) { /* a list that names nothing allows nothing: nonsense is harmless */
		s->allow = arena_strdup(a, value);
		return 0;
	}
	if (key == ENABLED) {
		s->disabled = strcmp(value, "no") == 0;
		s->enabled = strcmp(value, "yes") == 0;
		return s->disabled || s->enabled ? 0 : -EINVAL;
	}
	for (size_t i = 0; i < ARRAY_SIZE(allowed); i++)
		if (strcmp(value, ibc_severity_word(allowed[i])->word) == 0) {
			s->severity = allowed[i];
			return 0;
		}
	return -EINVAL;
}

/* Adds to a text that may be full. */
static void append_key(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void append_key(char *text, size_t size, const char *format, ...)
{
	size_t n = strlen(text);
	va_list ap;

	va_start(ap, format);
	vsnprintf(text + n, size - n, format, ap);
	va_end(ap);
}

char *ibc_config_keys(const struct ibc_check *check, char *text, size_t size)
{
	const struct ibc_limits *limits = &check->limits;
	char warning[LIMIT_TEXT_MAX], critical[LIMIT_TEXT_MAX];

	*text = '\0';
	for (size_t i = 0; i < KEYS; i++)
		if (has_key(check, i))
			append_key(text, size, "%s%s = %s", i ? ", " : "", keys[i].name,
			           keys[i].standard ? keys[i].standard
			                            : ibc_severity_word(check->severity)->word);
	if (check->expects)
		append_key(text, size, " (%s)", check->expects);
	if (!limits->unit)
		return text;
	append_key(text, size, ", warning = %s, critical = %s; these are numbers %s, or off",
	           number_or_off(limits->warning, warning),
	           number_or_off(limits->critical, critical), limits->unit);
	if (limits->ber > 0)
		append_key(text, size, " (up to QDR bit error rates of %g and %g)", limits->ber,
		           10 * limits->ber);
	append_key(text, size, "%s",
	           limits->whole ? "" : ", also with .switch or .ca behind the key");
	return text;
}

int ibc_config_new(struct ibc_config **out, struct ibc_error *err)
{
	struct arena *a = arena_new();
	struct ibc_config *config = a ? arena_alloc(a, sizeof(*config)) : NULL;

	if (config)
		config->settings = arena_array(a, IBC_CHECKS_MAX + 1, sizeof(*config->settings));
	if (!config || !config->settings) {
		arena_free(a);
		return fail_nomem(err);
	}
	config->arena = a;
	for (size_t i = 0; ibc_check_at(i); i++)
		config->settings[i].check = ibc_check_at(i);
	*out = config;
	return 0;
}

void ibc_config_free(struct ibc_config *config)
{
	if (config)
		arena_free(config->arena);
}

/* A section: the id of a check, and for some nodes only a pattern of their names. */
struct section {
	char text[SECTION_MAX + 1]; /* both, each ended by NUL */
	const char *pattern;        /* NULL: for all nodes */
};

static int bad_pattern(const char *section, struct ibc_error *err)
{
	return fail(err, -EINVAL,
	            "section [%s] is not understood: name nodes as in [counters.symbol \"leaf*\"]",
	            section);
}

static int read_section(struct section *s, const char *section, struct ibc_error *err)
{
	size_t length = strlen(section), id = strcspn(section, " \t\"");

	if (length > SECTION_MAX)
		return no_such_check(section, length, err);
	memcpy(s->text, section, length + 1);
	s->pattern = NULL;
	if (!section[id])
		return 0;
	s->text[id] = '\0';
	id += 1 + strspn(section + id + 1, " \t");
	if (section[id] != '"' || length < id + 3 || section[length - 1] != '"')
		return bad_pattern(section, err);
	s->text[length - 1] = '\0';
	s->pattern = s->text + id + 1;
	return strchr(s->pattern, '"') ? bad_pattern(section, err) : 0;
}

static int set_key(struct ibc_config *config, const char *section, const char *key,
                   const char *value, struct ibc_error *err)
{
	const struct ibc_check *check;
	struct setting *setting;
	struct section s;
	unsigned int bit;
	int rc;
	char list[256] = "", *kind;
	size_t n = 0, last = KEYS;

	if (!strcmp(section, "common") && !strcmp(key, "important")) {
		/* "mgmt*, storage01": patterns of names, as those in sections are. */
		for (; *value; value += n + (value[n] == ',')) {
			const struct typed *typed;
			size_t length;

			value += strspn(value, " \t");
			n = length = strcspn(value, ",");
			while (length && strchr(" \t", value[length - 1]))
				length--;
			if (!length)
				continue;
			arena_grow(config->arena, &config->important, config->num_important,
			           &config->room_important, sizeof(struct typed *));
			typed = typed_new(config->arena,
			                  arena_strndup(config->arena, value, length));
			config->important[config->num_important++] = typed;
		}
		return 0;
	}
	rc = read_section(&s, section, err);
	if (rc)
		return rc;
	kind = strchr(s.text, ':');
	rc = kind ? ibc_check_selection_verify(s.text, err) : 0;
	if (rc)
		return rc;
	if (kind)
		*kind++ = '\0';
	check = ibc_check_find(s.text);
	bit = check && kind ? kind_bit(check, kind, strlen(kind)) : 0;
	if (!check || (kind && !bit))
		return no_such_check(section, strcspn(section, " \t\""), err);
	setting = setting_of(config, check);
	if (kind) {
		if (!setting->kinds)
			setting->kinds = arena_array(config->arena, KINDS_MAX,
			                             sizeof(*setting->kinds));
		for (setting = setting->kinds; bit > 1; bit >>= 1)
			setting++;
		last = SEVERITY + 1;
		kind[-1] = ':';
	} else {
		rc = limits_set(config, check, s.pattern, key, value, err);
		if (rc != -ENOENT)
			return rc;
	}
	if (s.pattern)
		return fail(err, -EINVAL, "%s of %s cannot be set for some nodes only", key,
		            s.text);
	for (size_t i = 0; i < last; i++) {
		if (strcmp(key, keys[i].name) != 0 || !has_key(check, i))
			continue;
		rc = set_value(config->arena, setting, i, value);
		return !rc ? 0
		           : fail(err, -EINVAL, "%s of %s cannot be \"%s\": use %s", key, s.text,
		                  value, keys[i].values);
	}
	for (size_t i = 0; i < last; i++)
		if (has_key(check, i))
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", i ? ", " : "",
			                      keys[i].name);
	return fail(err, -EINVAL, "%s has no key \"%s\": its keys are %s%s", s.text, key, list,
	            kind ? "" : limit_keys(check));
}

int ibc_config_set(struct ibc_config *config, const char *section, const char *key,
                   const char *value, struct ibc_error *err)
{
	int rc;

	if (setjmp(*arena_entry(config->arena))) {
		arena_escape(config->arena, NULL);
		return fail_nomem(err);
	}
	rc = set_key(config, section, key, value, err);
	arena_escape(config->arena, NULL);
	return rc;
}
