/* SPDX-License-Identifier: BSD-2-Clause */
/* One table, the findings or the cases, as comma-separated values (RFC 4180; lines end in \n). */
#include <string.h>

#include "base/str.h"
#include "render/say.h"

static void put_field(struct writer *w, const char *guard, const char *text)
{
	static const struct escape escapes[] = { { "\"", "\"\"" }, { 0 } };
	bool quote = strpbrk(text, ",\"\r\n");

	put(w, quote ? "\"" : "");
	put(w, guard);
	put_escaped(w, text, escapes);
	put(w, quote ? "\"" : "");
}

/* Words as in JSON; what is not known is empty. */
static void put_csv(struct writer *w, struct ibc_value value)
{
	const char *text;
	char buf[VALUE_MAX];

	switch (value.kind) {
	case IBC_NONE:
		return;
	case IBC_BOOL:
		put(w, value.flag ? "true" : "false");
		return;
	case IBC_ENUM:
		put(w, value.word->word);
		return;
	case IBC_STR:
		text = value_text(buf, &value);
		put_field(w, str_is_formula(text) ? "'" : "", text);
		return;
	case IBC_U64:
	case IBC_REAL:
	case IBC_GUID:
		put_field(w, "", value_text(buf, &value));
	}
}

static void put_csv_value(struct writer *w, struct ibc_value value)
{
	put(w, ",");
	put_csv(w, value);
}

static void put_csv_table(struct writer *w, const struct ibc_table *t)
{
	struct table_walk walk = table_walk(t);
	const struct ibc_value *row;

	for (size_t i = 0; i < t->num_columns; i++) {
		put(w, i ? "," : "");
		put(w, t->type->columns[i].key);
	}
	put(w, "\n");
	while ((row = table_next(&walk)) && !w->error) {
		put_csv(w, row[0]);
		for (size_t i = 1; i < t->num_columns; i++)
			put_csv_value(w, row[i]);
		put(w, "\n");
	}
}

static void put_csv_text(struct writer *w, const char *text)
{
	put_csv_value(w, ibc_str(text));
}

static void put_csv_subject(struct writer *w, const struct ibc_subject *s)
{
	const struct ibc_end *ends[] = { &s->near, &s->far };

	put_csv_text(w, ibc_subject_kind_word(s->kind)->word);
	for (int i = 0; i < 2; i++) {
		put_csv_value(w, ends[i]->has_guid ? ibc_guid(ends[i]->guid) : ibc_none());
		put_csv_text(w, ends[i]->desc);
		put_csv_value(w, ends[i]->has_port ? ibc_u64(ends[i]->port) : ibc_none());
	}
}

static void put_csv_findings(struct writer *w, const struct ibc_report *rep)
{
	const struct ibc_finding *f;

	put(w, "check,severity,kind,node_guid,node_desc,port,peer_guid,peer_desc,peer_port,"
	       "message,advice,known_until\n");
	for (size_t i = 0; (f = ibc_report_finding(rep, i)) && !w->error; i++) {
		if (f->hidden)
			continue;
		put(w, f->check);
		put_csv_text(w, ibc_severity_word(f->severity)->word);
		put_csv_subject(w, &f->subject);
		put_csv_text(w, f->message);
		put_csv_text(w, f->advice);
		put_csv_text(w, f->known ? f->known->until : NULL);
		put(w, "\n");
	}
}

static void put_csv_case(struct writer *w, const struct ibc_case *c)
{
	const struct ibc_word *state = ibc_case_state_word(c->state);
	char since[UTC_TEXT];

	put(w, c->id);
	put_csv_text(w, c->check);
	put_csv_text(w, ibc_severity_word(c->severity)->word);
	put_csv_subject(w, &c->subject);
	put_csv_text(w, c->message);
	put_csv_text(w, c->advice);
	put_csv_text(w, c->trait);
	put_csv_value(w, ibc_u64(c->num_members));
	put_csv_value(w, ibc_u64(c->num_findings));
	put_csv_text(w, c->known ? c->known->until : NULL);
	/* what is remembered of it; nothing, if nothing is */
	put_csv_text(w, state ? state->word : NULL);
	put_csv_text(w, state ? utc_text(c->since, since) : NULL);
	put_csv_value(w, state ? ibc_u64(c->times) : ibc_none());
	put(w, "\n");
}

static void put_csv_cases(struct writer *w, const struct ibc_report *rep)
{
	const struct ibc_case *c;

	put(w, "id,check,severity,kind,node_guid,node_desc,port,peer_guid,peer_desc,peer_port,"
	       "message,advice,trait,members,findings,known_until,state,since,times\n");
	for (size_t i = 0; (c = ibc_report_case_at(rep, i)) && !w->error; i++)
		if (!case_is_hidden(c))
			put_csv_case(w, c);
	for (size_t i = 0; i < report_count_shown_gone(rep) && !w->error; i++)
		put_csv_case(w, &rep->gone[i]);
}

static void render_csv(struct writer *w, const struct ibc_report *rep)
{
	const struct ibc_table *t = rep->tables;
	const char *name = w->opts->table;

	while (t && name && strcmp(t->type->name, name) != 0)
		t = t->next;
	if (name && t)
		put_csv_table(w, t);
	else if (name && !strcmp(name, IBC_CASES_TABLE))
		put_csv_cases(w, rep);
	else
		put_csv_findings(w, rep);
}

const struct renderer renderer_csv = { "csv", render_csv };
