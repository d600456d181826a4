/* SPDX-License-Identifier: BSD-2-Clause */
/* One table, or the findings, as comma-separated values (RFC 4180; lines end in \n). */
#include <string.h>

#include "render/say.h"

static void put_field(struct writer *w, const char *text)
{
	static const struct escape escapes[] = { { "\"", "\"\"" }, { 0 } };
	bool quote = strpbrk(text, ",\"\r\n");

	put(w, quote ? "\"" : "");
	put_escaped(w, text, escapes);
	put(w, quote ? "\"" : "");
}

/* Words as in JSON; what is not known is empty. */
static void put_value(struct writer *w, struct ibc_value value)
{
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
	case IBC_U64:
	case IBC_REAL:
	case IBC_STR:
	case IBC_GUID:
		put_field(w, value_text(buf, &value));
	}
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
		for (size_t i = 0; i < t->num_columns; i++) {
			put(w, i ? "," : "");
			put_value(w, row[i]);
		}
		put(w, "\n");
	}
}

static void put_csv_end(struct writer *w, const struct ibc_end *end)
{
	put(w, ",");
	put_value(w, end->has_guid ? ibc_guid(end->guid) : ibc_none());
	put(w, ",");
	put_value(w, ibc_str(end->desc));
	put(w, ",");
	put_value(w, end->has_port ? ibc_u64(end->port) : ibc_none());
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
		put(w, ",");
		put(w, ibc_severity_word(f->severity)->word);
		put(w, ",");
		put(w, ibc_subject_kind_word(f->subject.kind)->word);
		put_csv_end(w, &f->subject.near);
		put_csv_end(w, &f->subject.far);
		put(w, ",");
		put_field(w, f->message);
		put(w, ",");
		put_value(w, ibc_str(f->advice));
		put(w, ",");
		put_value(w, ibc_str(f->known ? f->known->until : NULL));
		put(w, "\n");
	}
}

void render_csv(struct writer *w, const struct ibc_report *rep)
{
	const struct ibc_table *t = rep->tables;

	while (t && w->opts->table && strcmp(t->type->name, w->opts->table) != 0)
		t = t->next;
	if (w->opts->table && t)
		put_csv_table(w, t);
	else
		put_csv_findings(w, rep);
}
