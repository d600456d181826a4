/* SPDX-License-Identifier: BSD-2-Clause */
#include "check/sink.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/folded.h"
#include "check/lines.h"
#include "report/report.h"

struct ibc_end end_of_node(const struct ibc_node *node)
{
	return (struct ibc_end){
		.guid = node->guid,
		.has_guid = !node->named_only,
		.desc = node->desc,
		.label = node->label,
	};
}

struct ibc_end end_of_port(const struct ibc_port *port)
{
	struct ibc_end end = end_of_node(port->node);

	end.port = port->num;
	end.has_port = true;
	end.port_label = ibc_port_label(port);
	return end;
}

const char *end_text(struct ibc_sink *out, const struct ibc_end *end)
{
	if (!end->port_label)
		return sink_text(out, "%s/%u", end->label, end->port);
	return sink_text(out, "%s/%u (%s)", end->label, end->port, end->port_label);
}

const char *port_text(struct ibc_sink *out, const struct ibc_port *port)
{
	struct ibc_end end = end_of_port(port);

	return end_text(out, &end);
}

/* NodeInfo stands for all of a fabric's own file; a check that reads none for whatever there is. */
static bool rests_on_lost(const struct ibc_sink *out, unsigned int absence)
{
	for (unsigned int side = 0; out->run && side < ARRAY_SIZE(out->run->lost); side++) {
		const struct ibc_attrs lost = out->run->lost[side], needs = out->check->needs;

		if (absence >> side & 1 && !ibc_attrs_is_empty(lost) &&
		    (ibc_attrs_has(lost, IBC_ATTR_NODE_INFO) || ibc_attrs_is_empty(needs) ||
		     ibc_attrs_meet(lost, needs)))
			return true;
	}
	return false;
}

/* What was unknown without what a deadline left out stays as it was said. */
static void doubt_finding(struct ibc_sink *out, unsigned int absence, enum ibc_severity severity)
{
	bool proven = out->proven;

	out->proven = false;
	if (proven || !rests_on_lost(out, absence))
		return;
	if (out->run->lacks_lines)
		report_doubt(out->report, LOST_LINE);
	else if (severity != IBC_UNKNOWN)
		report_doubt(out->report, "what the sweep did not reach");
}

static void vadd_finding(struct ibc_sink *out, const struct ibc_subject *subject,
                         const char *message, va_list ap) __attribute__((format(printf, 3, 0)));

static void vadd_finding(struct ibc_sink *out, const struct ibc_subject *subject,
                         const char *message, va_list ap)
{
	enum ibc_severity severity = out->next ? out->next : out->check->severity;

	if (out->configured && out->next != IBC_INFO)
		severity = out->configured;
	out->next = IBC_OK;
	ibc_report_vadd(out->report, out->check->id, severity, subject, message, ap);
	doubt_finding(out, out->check->absence, severity);
}

void sink_add(struct ibc_sink *out, const struct ibc_subject *subject, const char *message, ...)
{
	va_list ap;

	va_start(ap, message);
	vadd_finding(out, subject, message, ap);
	va_end(ap);
}

void sink_fabric(struct ibc_sink *out, const char *message, ...)
{
	struct ibc_subject subject = { .kind = IBC_SUBJECT_FABRIC };
	va_list ap;

	if (out->subnet)
		subject.near.desc = out->subnet->source;
	out->subnet = NULL;
	va_start(ap, message);
	vadd_finding(out, &subject, message, ap);
	va_end(ap);
}

void sink_named(struct ibc_sink *out, enum ibc_subject_kind kind, const char *name,
                const char *message, ...)
{
	struct ibc_subject subject = { .kind = kind, .near.desc = name };
	va_list ap;

	va_start(ap, message);
	vadd_finding(out, &subject, message, ap);
	va_end(ap);
}

struct ibc_subject node_subject(const struct ibc_node *node)
{
	return (struct ibc_subject){ .kind = IBC_SUBJECT_NODE, .near = end_of_node(node) };
}

void sink_node(struct ibc_sink *out, const struct ibc_node *node, const char *message, ...)
{
	struct ibc_subject subject = node_subject(node);
	va_list ap;

	va_start(ap, message);
	vadd_finding(out, &subject, message, ap);
	va_end(ap);
}

static struct ibc_subject port_subject(const struct ibc_port *port)
{
	return (struct ibc_subject){ .kind = IBC_SUBJECT_PORT, .near = end_of_port(port) };
}

void sink_port(struct ibc_sink *out, const struct ibc_port *port, const char *message, ...)
{
	struct ibc_subject subject = port_subject(port);
	va_list ap;

	va_start(ap, message);
	vadd_finding(out, &subject, message, ap);
	va_end(ap);
}

void sink_cable(struct ibc_sink *out, const struct ibc_port *port, const char *message, ...)
{
	const struct ibc_port *near = ibc_port_is_near_end(port) ? port : port->peer;
	struct ibc_subject subject = {
		.kind = IBC_SUBJECT_CABLE,
		.near = end_of_port(near),
		.far = end_of_port(near->peer),
	};
	va_list ap;

	va_start(ap, message);
	vadd_finding(out, &subject, message, ap);
	va_end(ap);
}

void sink_compares(struct ibc_sink *out)
{
	doubt_finding(out, IBC_ABSENT_HERE, IBC_OK);
}

void sink_proven(struct ibc_sink *out)
{
	out->proven = true;
}

void sink_as(struct ibc_sink *out, enum ibc_severity severity)
{
	out->next = severity;
}

void sink_advise(struct ibc_sink *out, const char *advice, ...)
{
	va_list ap;

	va_start(ap, advice);
	ibc_report_vadvise(out->report, advice, ap);
	va_end(ap);
}

void sink_fact(struct ibc_sink *out, const char *key, struct ibc_value value)
{
	ibc_report_fact(out->report, key, value);
}

void sink_relate(struct ibc_sink *out, enum ibc_role role, const struct ibc_port *port)
{
	struct ibc_subject subject = port_subject(port);

	ibc_report_relate(out->report, role, &subject);
}

void sink_relate_node(struct ibc_sink *out, enum ibc_role role, const struct ibc_node *node)
{
	struct ibc_subject subject = node_subject(node);

	ibc_report_relate(out->report, role, &subject);
}

void sink_since(struct ibc_sink *out, time_t since)
{
	report_began(out->report, since);
}

void sink_unanswered(struct ibc_sink *out, uint64_t queries)
{
	ibc_report_unanswered(out->report, queries);
}

void *sink_array(struct ibc_sink *out, size_t n, size_t size)
{
	return arena_array(out->scratch, n ? n : 1, size);
}

const char *sink_vtext(struct ibc_sink *out, const char *format, va_list ap)
{
	return arena_vprintf(out->scratch, format, ap);
}

const char *sink_folded(struct ibc_sink *out, const char *const *names, size_t n)
{
	return folded_names(out->scratch, names, n);
}

int sink_run(struct ibc_sink *out, void (*write)(const void *arg, struct ibc_sink *out),
             const void *arg)
{
	struct arena *scratch = arena_new();

	if (!scratch)
		return -ENOMEM;
	out->scratch = scratch;
	if (setjmp(*arena_entry(scratch))) {
		out->failed = true;
	} else {
		if (out->run)
			arena_escape(out->run->arena, arena_entry(scratch));
		write(arg, out);
	}
	if (out->run)
		arena_escape(out->run->arena, NULL);
	arena_free(scratch);
	return out->failed ? -ENOMEM : 0;
}

const char *sink_text(struct ibc_sink *out, const char *format, ...)
{
	const char *text;
	va_list ap;

	va_start(ap, format);
	text = sink_vtext(out, format, ap);
	va_end(ap);
	return text;
}

const char *sink_word(struct ibc_sink *out, const char *name)
{
	char word[IBC_SHELL_TEXT];

	return sink_text(out, "%s", ibc_shell_word(name, word, sizeof(word)));
}

static bool is_explained_by(const struct ibc_check *check, const char *id)
{
	const struct ibc_explainer *by = check->explained_by;

	while (by && by->check && strcmp(by->check, id) != 0)
		by++;
	return by && by->check;
}

const struct ibc_check *sink_explained_by(const struct ibc_sink *out, const char *id)
{
	const struct ibc_check **check = out->run->checks;

	assert(is_explained_by(out->check, id));
	while (*check && strcmp((*check)->id, id) != 0)
		check++;
	return *check;
}
