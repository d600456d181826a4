/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose addresses and HCAs they are: lines as in hosts(5), and reports of hosts. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "blame.h"

#define ALIASES_MAX 1000000 /* more than a site has: a file that never ends fills no memory */

static int add_alias(struct blame_work *w, struct ibc_blame_alias alias, struct ibc_error *err)
{
	if (w->num_aliases == ALIASES_MAX)
		return cmd_fail(err, -E2BIG, "more than %d names of hosts", ALIASES_MAX);
	if (rows_grow(&w->aliases, w->num_aliases, &w->room_aliases, sizeof(alias), err))
		return -ENOMEM;
	w->aliases[w->num_aliases++] = alias;
	return 0;
}

/* What aliases point to, as strdup() made it: it is kept until blame_free(). */
static int keep_text(struct blame_work *w, char *text, struct ibc_error *err)
{
	int rc = text ? str_list_add(&w->text, text, err) : cmd_fail(err, -ENOMEM, "out of memory");

	if (rc)
		free(text);
	return rc;
}

/* "10.2.0.5 node05 node05-ib": the line is kept, and its words are parts of it. */
static int add_line(struct blame_work *w, const char *line, struct ibc_error *err)
{
	char *copy = strdup(line), *rest, *address, *name;
	int rc = keep_text(w, copy, err);

	if (rc)
		return rc;
	copy[strcspn(copy, "#\n")] = '\0';
	address = strtok_r(copy, " \t\r", &rest);
	while (!rc && address && (name = strtok_r(NULL, " \t\r", &rest)))
		rc = add_alias(w, (struct ibc_blame_alias){ .host = name, .address = address },
		               err);
	return rc;
}

int blame_hosts(struct blame_work *w, const char *path, struct ibc_error *err)
{
	FILE *in = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	int rc = 0;

	if (!in)
		return cmd_fail(err, -errno, "cannot open %s: %s", path, strerror(errno));
	while (!rc && getline(&line, &room, in) > 0)
		rc = add_line(w, line, err);
	if (!rc && ferror(in))
		rc = cmd_fail(err, -EIO, "cannot read %s", path);
	if (!rc && !w->num_aliases)
		rc = cmd_fail(err, -EINVAL, "--hosts %s: no line is \"ADDRESS NAME ...\"", path);
	free(line);
	fclose(in);
	return rc;
}

/* ---- reports ------------------------------------------------------------------------ */

/*
 * "mlx5_3/1" of host_ports has the GUIDs of the port and of its node, "mlx5_3/0" of pci its own
 * address: all are kept by name.
 */
static int add_fact(struct blame_work *w, const char *host, struct ibc_fleet_key key,
                    const char *value, struct ibc_error *err)
{
	struct ibc_blame_alias alias = { .host = host };
	const char *slash = strrchr(key.thing, '/');
	bool is_pci = !strcmp(key.table, "pci") && !strcmp(key.what, "pci");
	bool is_guid = !strcmp(key.what, "port_guid") || !strcmp(key.what, "node_guid");
	char *device;
	int rc;

	if (!slash || (!is_pci && !(is_guid && !strcmp(key.table, "host_ports"))))
		return 0;
	alias.port = (unsigned int)strtoul(slash + 1, NULL, 10);
	if (is_pci && alias.port) /* a bridge above it */
		return 0;
	device = strndup(key.thing, (size_t)(slash - key.thing));
	rc = keep_text(w, device, err);
	if (rc)
		return rc;
	alias.device = device;
	if (is_pci)
		alias.pci = value;
	else
		alias.guid = strtoull(value, NULL, 16);
	return add_alias(w, alias, err);
}

/* A GUID is known by device, an address by device: one row has both. */
static void join_pci(struct blame_work *w, size_t from)
{
	for (size_t i = from; i < w->num_aliases; i++)
		for (size_t k = from; w->aliases[i].guid && k < w->num_aliases; k++)
			if (w->aliases[k].pci && !w->aliases[k].guid &&
			    !strcmp(w->aliases[k].device, w->aliases[i].device))
				w->aliases[i].pci = w->aliases[k].pci;
}

static int add_report(struct blame_work *w, const struct ibc_fleet_host *h, struct ibc_error *err)
{
	int rc = 0;

	for (size_t k = 0; k < h->num_reports; k++) {
		const struct ibc_fleet_report *r = h->reports[k];

		w->bad_reports += r->trouble != NULL;
		for (size_t f = 0; !rc && !r->trouble && !r->superseded && f < r->num_facts; f++)
			rc = add_fact(w, h->name, ibc_fleet_key(w->fleet, r->facts[f].key),
			              ibc_fleet_text(w->fleet, r->facts[f].value), err);
	}
	return rc;
}

int blame_fleet(struct blame_work *w, const struct str_list *paths, struct ibc_error *err)
{
	const struct ibc_fleet_opts opts = { .now = time(NULL) };
	const struct ibc_fleet_host *h;
	int rc = ibc_fleet_load((const char *const *)paths->items, paths->n, &opts, &w->fleet, err);

	for (size_t i = 0; !rc && (h = ibc_fleet_host(w->fleet, i)); i++) {
		size_t from = w->num_aliases;

		rc = add_report(w, h, err);
		join_pci(w, from);
	}
	return rc;
}

/* ---- time --------------------------------------------------------------------------- */

bool blame_time(const char *text, time_t *out)
{
	static const char *const forms[] = { "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S",
		                             "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M" };

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct tm tm = { .tm_isdst = -1 };
		const char *end = strptime(text, forms[i], &tm);

		if (!end || (*end && strcmp(end, "Z") != 0))
			continue;
		*out = *end ? timegm(&tm) : mktime(&tm);
		return *out > 0;
	}
	return false;
}
