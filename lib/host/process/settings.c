/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/process/settings.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "host/host.h"
#include "host/rootfs.h"

#define VALUE_BYTES 1024 /* of a line in a settings file; longer lines are cut */
#define BLANKS      " \t\r"

static struct ibc_setting *find_setting(struct settings *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->found[i].name, name))
			return &s->found[i];
	return NULL;
}

void settings_add(struct settings *s, const struct variable *variable, const char *value,
                  const char *where)
{
	if (!variable || variable->job || variable->rank || find_setting(s, variable->name) ||
	    s->n == SETTINGS_MAX)
		return;
	value = text_clean(s->host, value, strnlen(value, VALUE_BYTES));
	s->found[s->n++] = (struct ibc_setting){
		.name = variable->name,
		.value = value,
		.where = where,
		.meaning = variable->meaning,
		.effect = variable->effect        ? variable->effect(value)
		          : variable->host_effect ? variable->host_effect(s->host, value)
		                                  : IBC_EFFECT_NONE,
	};
}

/* "NAME=VALUE"; nothing if there is no such variable. */
static void settings_assign(struct settings *s, const char *text, const char *where)
{
	size_t n = strcspn(text, "=");

	if (text[n])
		settings_add(s, variable_of(text, n), text + n + 1, where);
}

/* ---- command lines ------------------------------------------------------------ */

#define CMDLINE   "cmdline"
#define PARAMETER "OMPI_MCA_"

/* What has blanks is a command of its own, with more in it than this value. */
static bool is_word(const char *value)
{
	return !value[strcspn(value, BLANKS "\n;&|")];
}

static void take_any(struct settings *s, struct command_line *line, const char *argument)
{
	static const char *const parameters[] = { "--mca", "-mca", "--gmca", "-gmca", "--omca" };
	static const char *const names[] = { "-genv", "-env" };
	static const char export[] = "--export=";

	for (size_t i = 0; i < ARRAY_SIZE(parameters); i++)
		if (!strcmp(argument, parameters[i]))
			line->expect = EXPECT_PARAMETER;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(argument, names[i]))
			line->expect = EXPECT_NAME;
	if (!is_word(argument))
		return;
	if (!strncmp(argument, export, strlen(export)))
		for (const char *list = argument + strlen(export); *list;) {
			char item[VALUE_BYTES];
			size_t n = strcspn(list, ",");

			snprintf(item, sizeof(item), "%.*s", (int)n, list);
			settings_assign(s, item, CMDLINE);
			list += n + (list[n] == ',');
		}
	else
		settings_assign(s, argument, CMDLINE);
}

void settings_argument(struct settings *s, struct command_line *line, const char *argument)
{
	int expected = line->expect, n;
	char full[128];

	line->expect = EXPECT_ANY;
	if (expected == EXPECT_VALUE) {
		if (is_word(argument))
			settings_add(s, line->variable, argument, CMDLINE);
		return;
	}
	if (expected == EXPECT_ANY || strchr(argument, '=')) {
		take_any(s, line, argument);
		return;
	}
	line->expect = EXPECT_VALUE;
	n = snprintf(full, sizeof(full), "%s%s", expected == EXPECT_PARAMETER ? PARAMETER : "",
	             argument);
	line->variable = n < (int)sizeof(full) ? variable_of(full, (size_t)n) : NULL;
}

/* ---- files ---------------------------------------------------------------------- */

/* Without the blanks around it. */
static char *trim_blanks(char *text)
{
	size_t n;

	text += strspn(text, BLANKS);
	n = strlen(text);
	while (n && strchr(BLANKS, text[n - 1]))
		n--;
	text[n] = '\0';
	return text;
}

void settings_read_file(struct settings *s, int root, const char *path, const char *prefix)
{
	struct stream stream;
	const char *seen;
	char full[128];
	int n, error = rootfs_stream(&stream, root, path);

	if (error == ENOENT || error == ENOTDIR)
		return;
	seen = text_clean(s->host, path, strlen(path));
	while (stream_next(&stream)) {
		char *line = trim_blanks(stream.item), *equals = strchr(line, '=');
		const struct variable *variable = NULL;

		/* what is in sections of ucx.conf is for some kinds of hosts only */
		if (*line == '[')
			break;
		if (!equals || *line == '#')
			continue;
		*equals = '\0';
		n = snprintf(full, sizeof(full), "%s%s", prefix, trim_blanks(line));
		if (n < (int)sizeof(full))
			variable = variable_of(full, (size_t)n);
		if (variable && !find_setting(s, variable->name))
			settings_add(s, variable, trim_blanks(equals + 1),
			             host_text(s->host, "%s:%lu", seen, stream.number));
	}
	error = stream_close(&stream);
	if (error)
		note_unread_once(s->host, seen, error);
}

/* ---- together --------------------------------------------------------------------- */

/*
 * Open MPI: the PML decides.  UCX or an MTL sends everything, whatever BTLs there are; ob1
 * sends by RDMA if it is given a BTL that can.  And UCX_NET_DEVICES may only take UCX from
 * the choice, which leaves RDMA to others (open-mpi/ompi #12785).
 */
const struct ibc_setting *settings_settle(struct settings *s)
{
	struct ibc_setting *pml = find_setting(s, PARAMETER "pml"),
			   *btl = find_setting(s, PARAMETER "btl");
	struct ibc_setting *devices = find_setting(s, "UCX_NET_DEVICES"), *kept;

	if (pml && btl && pml->effect == IBC_EFFECT_REQUIRES_RDMA)
		btl->effect = IBC_EFFECT_NONE;
	if (pml && btl && pml->effect == IBC_EFFECT_FORCES_TCP && *btl->value != '^')
		pml->effect = btl->effect;
	if ((pml || btl) && devices && devices->effect == IBC_EFFECT_FORCES_TCP)
		devices->effect = IBC_EFFECT_ALLOWS_TCP;
	if (!s->n)
		return NULL;
	kept = host_array(s->host, s->n, sizeof(*kept));
	if (kept)
		memcpy(kept, s->found, s->n * sizeof(*kept));
	else
		s->n = 0;
	return kept;
}
