/* SPDX-License-Identifier: BSD-2-Clause */
/* What "known retire" takes out of what is expected: names, and what is missing by the state. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ibcheck/hostlist.h>
#include <ibcheck/store.h>

#include "columns.h"
#include "history.h"
#include "known.h"

/* ---- names ----------------------------------------------------------------------- */

/* What a line would read as a pattern, a GUID, a port or the end of a field. */
static bool is_plain(const char *name)
{
	return *name && !strpbrk(name, "*?[\\\"/") && !strstr(name, "0x") && !strstr(name, " - ");
}

/*
 * "leaf03/19".  Whoever names a device must not reach another one by that: where a name is not
 * unique or means more than itself, its GUID stands for it, and a name without one is escaped.
 */
static void put_end(FILE *out, const struct ibc_end *end)
{
	const char *name = end->label ?: end->desc ?: "";

	if (end->has_guid && !is_plain(name)) {
		fprintf(out, "0x%016" PRIx64, end->guid);
	} else if (end->has_guid) {
		fputs(name, out);
	} else {
		for (const char *c = name; *c; c++) {
			bool first_of_guid = c == name && !strncmp(c, "0x", 2);

			if (strchr("*?[\\/ ", *c) || first_of_guid)
				fputc('\\', out);
			fputc(strchr("\"\r\n", *c) ? '?' : *c, out);
		}
	}
	if (end->has_port)
		fprintf(out, "/%u", end->port);
}

static int add_subject(struct app *app, const struct ibc_subject *s, struct str_list *to,
                       struct ibc_error *err)
{
	char *text;
	FILE *out = open_memstream(&text, &(size_t){ 0 });
	int rc;

	if (!out)
		return cmd_fail(err, -ENOMEM, "out of memory");
	if (s->kind == IBC_SUBJECT_FABRIC)
		fputs("fabric", out);
	else
		put_end(out, &s->near);
	if (s->kind == IBC_SUBJECT_CABLE) {
		fputs(" - ", out);
		put_end(out, &s->far);
	}
	rc = text_end(out, &text, err);
	return rc ? rc : known_keep(app, to, text, err);
}

/* A range is many names, of which a line each can be taken out; a pattern is one line. */
static int add_names(struct app *app, const char *arg, struct str_list *to, struct ibc_error *err)
{
	struct ibc_hostlist *list;
	int rc;

	if (strpbrk(arg, "*?") || !strpbrk(arg, "[,"))
		return str_list_add(to, arg, err);
	rc = ibc_hostlist_parse(arg, &list, err);
	if (rc)
		return rc;
	for (size_t i = 0; !rc && i < list->num; i++)
		rc = known_keep(app, to, strdup(list->names[i]), err);
	ibc_hostlist_free(list);
	return rc;
}

/* ---- what is missing --------------------------------------------------------------- */

GETTER(missing_since, struct missing_row, r, time_value(cell, r->local, r->since));

static const struct ibc_column missing_columns[] = {
	FIELD("check", "CHECK", struct missing_row, check),
	FIELD("subject", "SUBJECT", struct missing_row, subject),
	COLUMN("since", "SINCE", missing_since),
	FIELD("case", "ID", struct missing_row, id),
	{ 0 },
};
const struct ibc_table_type missing_type = TABLE("missing", missing_columns, NULL);

/* Those that are open, of all checks. */
static int load_open(struct app *app, struct ibc_history **out, struct ibc_error *err)
{
	const struct ibc_history_opts open = { .parts = IBC_HISTORY_INCIDENTS, .open = true };

	if (!app->common.state)
		return cmd_fail(err, -EINVAL,
		                "retire: what is gone is remembered with --state DIR, or state in "
		                "the configuration; else give names");
	return ibc_history_load(app->common.state, &open, out, err);
}

/* What another incident explains goes with that: the hosts behind a switch. */
int missing_find(struct app *app, struct missing *out, struct ibc_error *err)
{
	struct str_list subjects = { .n = 0 }, owned = { .n = 0 };
	const struct ibc_incident *i;
	struct ibc_history *h;
	int rc = load_open(app, &h, err);

	if (rc)
		return rc;
	for (size_t k = 0; !rc && (i = ibc_history_incident(h, k)); k++) {
		if (!is_of_gone(i->check) || !strcmp(i->state, "merged"))
			continue;
		rc = rows_grow(&out->rows, out->n, &out->room, sizeof(*out->rows), err);
		rc = rc ?: add_subject(app, &i->subject, &subjects, err);
		rc = rc ?: known_keep(app, &owned, strdup(i->check), err);
		rc = rc ?: known_keep(app, &owned, strdup(i->case_id), err);
		if (!rc)
			out->rows[out->n++] = (struct missing_row){
				.subject = subjects.items[subjects.n - 1],
				.check = owned.items[owned.n - 2],
				.id = owned.items[owned.n - 1],
				.since = i->began,
				.local = app_for_people(app),
			};
	}
	free(subjects.items);
	free(owned.items);
	if (!rc && !out->n)
		rc = cmd_fail(err, -ENOENT, "nothing is gone, as %s remembers it",
		              app->common.state);
	ibc_history_free(h);
	return rc;
}

static int not_gone(const char *id, const char *check, struct ibc_error *err)
{
	return cmd_fail(err, -EINVAL,
	                "%s is of %s: retire takes what is gone; name the switch, the host or the "
	                "cable, or accept the fault with known add",
	                id, check);
}

/* A view is not remembered, and its members are those of the report. */
static int add_members(struct app *app, const char *path, const char *id, struct str_list *to,
                       struct ibc_error *err)
{
	const struct ibc_case *c;
	int rc = look_for_case(app, path, id, &c, err);
	size_t before = to->n;

	for (size_t i = 0; !rc && i < c->num_findings; i++) {
		const struct ibc_finding *f = c->findings[i];

		if (is_of_gone(f->check) &&
		    (same_id(c->id, id) ? i < c->num_members : same_id(f->id, id)))
			rc = add_subject(app, &f->subject, to, err);
	}
	return rc || to->n > before ? rc : not_gone(id, c->check, err);
}

static int add_by_id(struct app *app, const char *path, const char *id, struct str_list *to,
                     struct ibc_error *err)
{
	const struct ibc_incident *i;
	struct ibc_history *h;
	int rc = load_open(app, &h, err);

	if (rc)
		return rc;
	for (size_t k = 0; (i = ibc_history_incident(h, k)) && !same_id(i->case_id, id);)
		k++;
	if (i)
		rc = is_of_gone(i->check) ? add_subject(app, &i->subject, to, err)
		                          : not_gone(id, i->check, err);
	ibc_history_free(h);
	return rc || i ? rc : add_members(app, path, id, to, err);
}

int retire_find(struct app *app, const char *path, const char *arg, struct str_list *subjects,
                struct ibc_error *err)
{
	return ibc_is_case_id(arg) ? add_by_id(app, path, arg, subjects, err)
	                           : add_names(app, arg, subjects, err);
}
