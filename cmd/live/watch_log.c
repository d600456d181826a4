/* SPDX-License-Identifier: BSD-2-Clause */
/* What happened from round to round: kept for the screen, or written as lines. */
#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "watch.h"

#define SCHEMA        1  /* man/ibcheck-watch.schema.json; only additions keep it */
#define QUIET_SECONDS 20 /* a bad plug shows errors within seconds, a good one is left alone */

static const struct ibc_word words[] = {
	[WATCH_START] = { "start", "start" },
	[WATCH_CASE_NEW] = { "case_new", "new case" },
	[WATCH_CASE_WORSE] = { "case_worse", "case is worse" },
	[WATCH_CASE_GONE] = { "case_gone", "case is gone" },
	[WATCH_QUIET] = { "quiet", "no errors" },
	[WATCH_FAILED] = { "sweep_failed", "sweep failed" },
	[WATCH_RESUMED] = { "sweep_resumed", "sweeps succeed" },
	[WATCH_SLOWER] = { "slower", "slower" },
	[WATCH_FASTER] = { "faster", "faster" },
	[WATCH_SETTINGS] = { "settings", "settings" },
};

/* What is gone is still looked at. */
bool watch_wants(const struct watch *watch, struct spot spot)
{
	for (size_t i = 0; i < watch->num_spots; i++)
		if (watch->spots[i].guid == spot.guid &&
		    (!watch->spots[i].num || watch->spots[i].num == spot.num))
			return true;
	return !watch->thing;
}

/* ---- JSON ------------------------------------------------------------------------------- */

static json_t *port_json(const struct ibc_port *port)
{
	if (!port || !ibc_port_has_state(port))
		return json_null();
	return json_pack("{sssssssssf}", "state", ibc_port_state_word(port->state)->word,
	                 "phys_state", ibc_phys_state_word(port->phys_state)->word, "width",
	                 ibc_width_word(port->width_active)->word, "speed",
	                 ibc_speed_word(port->speed_active)->word, "rate_gbps",
	                 ibc_link_gbps(port->width_active, port->speed_active));
}

static json_t *number_json(bool known, uint64_t n)
{
	return known ? json_integer((json_int_t)n) : json_null();
}

static json_t *guid_json(const struct ibc_end *end)
{
	return end->has_guid && end->guid ? json_sprintf("0x%016llx", (unsigned long long)end->guid)
	                                  : json_null();
}

/* NULL: not known */
static const char *desc_json(const struct ibc_end *end)
{
	return end->desc && *end->desc ? end->desc : NULL;
}

static struct ibc_end event_end(const struct ibc_node *node, const struct ibc_port *port)
{
	struct ibc_end end = { .has_port = port != NULL };

	node = port ? port->node : node;
	if (!node)
		return end;
	end.guid = node->guid;
	end.has_guid = !node->named_only;
	end.desc = node->desc;
	end.port = port ? port->num : 0;
	return end;
}

/* As all of our JSON: every key is there, and what is not known is null. */
static void print_json(const struct watch *watch, const struct happening *h, time_t when,
                       const struct ibc_end *near, const struct ibc_end *far)
{
	const struct ibc_event *e = h->event;
	bool counted = e && (e->kind == IBC_EVENT_ERRORS || e->kind == IBC_EVENT_FLAP);
	char stamp[32];
	json_t *line;
	struct tm tm;

	strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&when, &tm));
	line = json_pack(
	    "{si ss ss ss so ss? so so ss? so so so so ss? ss? ss?}", "schema", SCHEMA, "time",
	    stamp, "event", h->kind->word, "message", h->text, "node_guid", guid_json(near),
	    "node_desc", desc_json(near), "port", number_json(near->has_port, near->port),
	    "peer_guid", guid_json(far), "peer_desc", desc_json(far), "peer_port",
	    number_json(far->has_port, far->port), "was", port_json(e ? e->was : NULL), "is",
	    port_json(e ? e->is : NULL), "errors", number_json(counted, e ? e->errors : 0), "case",
	    h->c ? h->c->id : NULL, "check", h->c ? h->c->check : NULL, "severity",
	    h->c ? ibc_severity_word(h->c->severity)->word : NULL);
	if (line && !json_dumpf(line, watch->out->file, JSON_COMPACT))
		fputc('\n', watch->out->file);
	else if (!watch->out->error)
		watch->out->error = ENOMEM;
	json_decref(line);
}

/* ---- the log ------------------------------------------------------------------------------ */

const char *clock_text(time_t when, char text[CLOCK_TEXT])
{
	struct tm tm;

	strftime(text, CLOCK_TEXT, "%H:%M:%S", localtime_r(&when, &tm));
	return text;
}

const struct entry *log_entry(const struct log *log, size_t i)
{
	return i < log->n && i < LOG_ENTRIES ? &log->entries[(log->n - 1 - i) % LOG_ENTRIES] : NULL;
}

void log_free(struct log *log)
{
	for (size_t i = 0; i < LOG_ENTRIES; i++) {
		free(log->entries[i].text);
		free(log->entries[i].before);
	}
}

static bool came_up(const struct ibc_event *e)
{
	return e && e->is && (e->kind == IBC_EVENT_STATE || e->kind == IBC_EVENT_NODE_NEW) &&
	       e->is->phys_state == IBC_PHYS_LINKUP && e->was->phys_state != IBC_PHYS_LINKUP;
}

/* ---- what a link was before it went down --------------------------------------------------- */

/* What a link was is kept with the entry that says that it went down. */
static bool was_at(const struct entry *entry, struct spot end)
{
	return entry->before && (same_spot(entry->near, end) || same_spot(entry->far, end));
}

static void log_add(struct watch *watch, const struct happening *h)
{
	const struct ibc_event *e = h->event;
	const struct ibc_port *was = e ? e->was : NULL;
	struct ibc_end near = { 0 }, far = { 0 };
	time_t when = time(NULL);
	char stamp[CLOCK_TEXT], places[2][IBC_PLACE_TEXT];
	struct entry *entry;

	/* the ends of what it is about: of a case its subject, of a node that came or went the port
	 */
	if (h->c && h->c->subject.kind != IBC_SUBJECT_FABRIC)
		near = h->c->subject.near;
	if (h->c && h->c->subject.kind == IBC_SUBJECT_CABLE)
		far = h->c->subject.far;
	if (e && e->kind <= IBC_EVENT_NODE_NEW) {
		near = event_end(e->node, NULL);
		far = event_end(NULL, e->is);
	} else if (e) {
		near = event_end(NULL, e->is);
		far = event_end(NULL, e->is->peer ? e->is->peer : e->was->peer);
	}
	if ((e || h->c) && !watch_wants(watch, (struct spot){ near.guid, near.port }) &&
	    !watch_wants(watch, (struct spot){ far.guid, far.port }))
		return;
	if (watch->out && watch->json)
		print_json(watch, h, when, &near, &far);
	else if (watch->out)
		fprintf(watch->out->file, "%s %s\n", clock_text(when, stamp), h->text);
	/* in lines as well: a link that came up is followed */
	entry = &watch->log.entries[watch->log.n++ % LOG_ENTRIES];
	free(entry->text);
	free(entry->before);
	*entry = (struct entry){ .when = when, .text = strdup(h->text) };
	entry->severity = h->c ? h->c->severity : h->wrong ? IBC_WARNING : IBC_OK;
	entry->near = (struct spot){ near.guid, near.port };
	entry->far = (struct spot){ far.guid, far.port };
	entry->young = came_up(e);
	entry->since = clock_seconds();
	if (entry->young)
		entry->near = spot_of(e->is);
	if (!was || !e->is || !was->peer || !ibc_port_is_up(was) ||
	    e->is->phys_state == IBC_PHYS_LINKUP)
		return;
	entry->near = spot_of(was);
	entry->far = spot_of(was->peer);
	entry->gbps = ibc_link_gbps(was->width_active, was->speed_active);
	if (asprintf(&entry->before, "%s to %s, %s %s", place_name(was, places[0]),
	             place_name(was->peer, places[1]), ibc_width_word(was->width_active)->name,
	             ibc_speed_word(was->speed_active)->name) < 0)
		entry->before = NULL;
}

/* A link that came up, and leads elsewhere now or is slower, says what it was before. */
static void add_event(struct watch *watch, const struct ibc_event *e)
{
	struct log *log = &watch->log;
	bool up = came_up(e) && e->is->peer, worse = false;
	const struct entry *was = NULL, *entry;
	struct spot a = { 0 }, b = { 0 };
	char text[ENTRY_TEXT];
	size_t n;

	ibc_event_text(e, text, IBC_EVENT_TEXT);
	n = strlen(text);
	if (up) {
		a = spot_of(e->is);
		b = spot_of(e->is->peer);
		/* when it went down first: a plug may be in several wrong ports until it is in the
		 * right one */
		for (int k = 0; k < 2 && !was; k++)
			for (size_t i = 0; (entry = log_entry(log, i)); i++)
				was = was_at(entry, k ? b : a) ? entry : was;
		worse = was &&
		        !((same_spot(was->near, a) || same_spot(was->near, b)) &&
		          (same_spot(was->far, a) || same_spot(was->far, b)) &&
		          ibc_link_gbps(e->is->width_active, e->is->speed_active) >= was->gbps);
	}
	if (worse)
		snprintf(text + n, sizeof(text) - n, "; before: %s", was->before);
	/* as good as it was: what it was earlier still says nothing of the next time */
	for (size_t i = 0; up && !worse && i < LOG_ENTRIES; i++)
		if (was_at(&log->entries[i], a) || was_at(&log->entries[i], b)) {
			free(log->entries[i].before);
			log->entries[i].before = NULL;
		}
	log_add(watch, &(struct happening){ ibc_event_word(e->kind), e, NULL, text, worse });
}

/* ---- entries ------------------------------------------------------------------------------- */

void log_say(struct watch *watch, enum watch_kind kind, const char *format, ...)
{
	struct ibc_error text;
	va_list ap;

	va_start(ap, format);
	vsnprintf(text.text, sizeof(text.text), format, ap);
	va_end(ap);
	for (unsigned char *c = (unsigned char *)text.text; *c; c++)
		if (*c < ' ' || *c == 0x7f) /* it may quote a file */
			*c = '?';
	log_add(watch, &(struct happening){ .kind = &words[kind], .text = text.text });
}

/* ---- links that came up -------------------------------------------------------------------- */

const char *entry_text(const struct entry *entry, char buf[ENTRY_TEXT])
{
	const char *text = entry->text ? entry->text : "";
	double seconds = clock_seconds() - entry->since;

	if (!entry->young && !entry->quiet && !entry->errors)
		snprintf(buf, ENTRY_TEXT, "%s", text);
	else if (entry->errors)
		snprintf(buf, ENTRY_TEXT, "%s, %llu errors since", text,
		         (unsigned long long)entry->errors);
	else if (entry->unread)
		snprintf(buf, ENTRY_TEXT, "%s, errors not read", text);
	else
		snprintf(buf, ENTRY_TEXT, "%s, no errors for %.0f s", text,
		         entry->quiet ? QUIET_SECONDS : seconds);
	return buf;
}

/* Of the link itself; packets that are discarded until a subnet manager is done are none. */
static const uint32_t link_errors = 1u << IBC_SYMBOL_ERROR | 1u << IBC_LINK_ERROR_RECOVERY |
                                    1u << IBC_LINK_DOWNED | 1u << IBC_RCV_ERRORS |
                                    1u << IBC_LOCAL_LINK_INTEGRITY |
                                    1u << IBC_EXCESSIVE_BUFFER_OVERRUN;

/* Since it came up, even if some rounds between did not read it; from 0 if it was cleared. */
static void follow_end(struct entry *entry, const struct ibc_port *port, struct counted *end)
{
	uint64_t errors = 0;

	if (!port || !port->counters) {
		entry->unread = true;
		return;
	}
	for (unsigned int i = 0; i < IBC_COUNTERS; i++)
		if (port->counters->known & link_errors & 1u << i)
			errors += port->counters->value[i];
	if (end->known)
		entry->errors += errors > end->errors ? errors - end->errors : 0;
	*end = (struct counted){ true, errors };
}

static void say_quiet(struct watch *watch, const struct ibc_port *port)
{
	const struct ibc_event event = {
		.kind = IBC_EVENT_STATE, .node = port->node, .was = port, .is = port
	};
	char place[IBC_PLACE_TEXT];
	struct ibc_error text;

	cmd_fail(&text, 0, "%s no errors for %d s", place_name(port, place), QUIET_SECONDS);
	log_add(watch, &(struct happening){
			   .kind = &words[WATCH_QUIET], .event = &event, .text = text.text });
}

static void follow_links(struct watch *watch)
{
	const struct ibc_fabric *fab = again_now(watch->again)->fabric;

	for (size_t i = 0; log_entry(&watch->log, i); i++) {
		struct entry *entry = (struct entry *)log_entry(&watch->log, i);
		const struct ibc_node *node;
		const struct ibc_port *near;

		if (!entry->young)
			continue;
		node = entry->near.guid ? ibc_fabric_node_by_guid(fab, entry->near.guid) : NULL;
		near = node ? ibc_node_port(node, entry->near.num) : NULL;
		entry->unread = false;
		follow_end(entry, near, &entry->ends[0]);
		if (near && near->peer) { /* it may not have answered yet when the link came up */
			entry->far = spot_of(near->peer);
			follow_end(entry, near->peer, &entry->ends[1]);
		} else if (near) {
			entry->unread |= ibc_port_unanswered(near, IBC_ATTR_NODE_INFO);
		}
		/* when it goes down once more, that is an event of its own */
		entry->young = near &&
		               (!ibc_port_has_state(near) || near->phys_state == IBC_PHYS_LINKUP);
		if (!entry->young || entry->unread ||
		    clock_seconds() - entry->since < QUIET_SECONDS)
			continue;
		entry->young = false;
		entry->quiet = !entry->errors;
		if (entry->quiet && watch->out)
			say_quiet(watch, near);
	}
}

/* ---- a round --------------------------------------------------------------------------------- */

static void log_case(struct watch *watch, enum watch_kind kind, const struct ibc_case *c)
{
	static const char *const what[] = {
		[WATCH_CASE_NEW] = "", [WATCH_CASE_WORSE] = "worse: ", [WATCH_CASE_GONE] = "gone: "
	};
	enum ibc_severity least = app_severity(watch->app);
	char subject[IBC_SUBJECT_TEXT];
	char *text;

	/* by --severity, and unless it is known and accepted */
	if (c->severity < (least ? least : IBC_WARNING) || (c->known && !c->known->expired))
		return;
	if (asprintf(&text, "%s%s %s %s: %s [%s]", what[kind], ibc_severity_word(c->severity)->name,
	             c->check, ibc_subject_text(&c->subject, subject, sizeof(subject)), c->message,
	             c->id) < 0)
		return;
	log_add(watch, &(struct happening){ .kind = &words[kind], .c = c, .text = text });
	free(text);
}

static const struct ibc_case *case_in(const struct app *round, const struct ibc_case *c)
{
	const struct ibc_case *other;

	for (size_t i = 0; (other = ibc_report_case_at(round->report, i)); i++)
		if (!strcmp(other->id, c->id))
			return other;
	return NULL;
}

int log_round(struct watch *watch, struct ibc_error *err)
{
	const struct app *now = again_now(watch->again), *then = again_then(watch->again);
	enum ibc_severity verdict = ibc_report_verdict(now->report);
	const struct ibc_case *c, *other;
	const struct ibc_event *e;
	struct ibc_events *events;
	int rc;

	if (!then) {
		if (!watch->app->common.quiet || verdict)
			log_say(watch, WATCH_START, "%s: %s", ibc_severity_word(verdict)->name,
			        now->meta.headline);
		return 0;
	}
	rc = ibc_events_find(then->fabric, now->fabric, &events, err);
	if (rc)
		return rc;
	for (size_t i = 0; (e = ibc_events_at(events, i)); i++)
		add_event(watch, e);
	for (size_t i = 0; (c = ibc_report_case_at(then->report, i)); i++)
		if (!case_in(now, c))
			log_case(watch, WATCH_CASE_GONE, c);
	for (size_t i = 0; (c = ibc_report_case_at(now->report, i)); i++) {
		other = case_in(then, c);
		if (!other)
			log_case(watch, WATCH_CASE_NEW, c);
		else if (c->severity > other->severity)
			log_case(watch, WATCH_CASE_WORSE, c);
	}
	follow_links(watch);
	ibc_events_free(events);
	return 0;
}
