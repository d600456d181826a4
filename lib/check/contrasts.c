/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What other tools say beside what the checks found: by place and kind, and why only one of the
 * two says it.  Cost: O(n log n) in statements and findings.
 */
#include <stdlib.h>
#include <string.h>

#include <ibcheck/names.h>
#include <ibcheck/opinions.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/str.h"
#include "check/groups.h"
#include "report/report.h"

#define SAME_SECONDS 300 /* what changes in five minutes is no other time: a guess */
#define PLACES_MAX   64  /* HCAs of one host, with room: a name may mean all of them */
#define TEXT_MAX     512 /* a name and a sentence of theirs, cut where they are longer */

/* ---- kinds of statements ----------------------------------------------------------------- */

enum {
	D = 1 << IBC_TOOL_IBDIAGNET,
	S = 1 << IBC_TOOL_OPENSM,
	Q = 1 << IBC_TOOL_IBQUERYERRORS,
	L = 1 << IBC_TOOL_IBLINKINFO,
};

/*
 * struct kind - what statements are about, and which checks judge that
 * @needle: in what a tool calls it, letters and digits in lower case; the first that fits
 * @checks: as a selection; NULL: none does
 * @why: one says it and the other does not, though both have read it; IBC_WHY_UNJUDGED: only they
 */
static const struct kind {
	unsigned int tools;
	const char *needle, *name, *checks;
	enum ibc_contrast_why why;
} kinds[] = {
/* they judge what rose while they ran, or since the last clear; we rates, and totals */
#define COUNTER(needle, checks)                                                                    \
	{                                                                                          \
		D | Q, needle, "counters", checks ",counters.totals", IBC_WHY_LIMIT                \
	}
#define UNUSED                                                                                     \
	"port.state,port.physical,fattree.missing-uplink,fattree.uneven-uplinks,topo.missing-"     \
	"cable"
#define BITS                                                                                       \
	"phy.ber-after-fec,phy.ber-since-clear,phy.fec-uncorrectable,phy.fec-margin,phy.raw-ber"
	COUNTER("symbolerror", "counters.symbol"),
	COUNTER("errorrecovery", "counters.recovery"),
	COUNTER("rcvremotephysical", "counters.remote-physical"),
	{ D | Q, "switchrelay", "counters", NULL, 0 },
	COUNTER("rcverrors", "counters.rcv-errors"),
	COUNTER("xmitdiscard", "counters.discards"),
	COUNTER("constrainterror", "counters.constraint"),
	COUNTER("linkintegrity", "counters.integrity"),
	COUNTER("excessivebuffer", "counters.overrun"),
	COUNTER("vl15drop", "counters.vl15"),
	COUNTER("xmitwait", "counters.congestion,counters.slow-receiver"),
	{ D | Q, "linkdown", "flaps", "counters.downed,counters.flap,phy.flap,counters.totals",
	  IBC_WHY_LIMIT },
	{ D, "counteroverflow", "counters", "counters.saturated", IBC_WHY_LIMIT },
	{ D, "negativedelta", "counters", "counters.cleared", 0 },
	{ D, "retrieving", "no answer", "port.silent,counters.silent,phy.partial", 0 },
	{ D, "noresponse", "no answer", "port.silent,counters.silent", 0 },
	{ D, "infofailed", "no answer", "port.silent", 0 },
	{ D, "badlink", "no answer", "port.silent", 0 },
	{ D, "duplicatednodedesc", "name", "port.name", 0 },
	{ D, "duplicatedlid", "LID", "sm.lid", 0 },
	{ D, "lidzero", "LID", "sm.lid", 0 },
	{ D, "invalidlid", "LID", "sm.lid", 0 },
	{ D, "lidscheck", "LID", "sm.lid", 0 },
	{ D, "duplicated", "GUID", "port.guid", 0 },
	/* they compare with the newest of the fabric, we with what most have */
	{ D, "wrongfw", "firmware", "fabric.firmware", IBC_WHY_LIMIT },
	{ D, "fwcheck", "firmware", "fabric.firmware", IBC_WHY_LIMIT },
	{ D, "pcidegradation", "PCIe", "host.pcie", 0 },
	{ D, "logicalstate", "state", "port.state,sm.pending", 0 },
	{ D, "fnm", "FNM", NULL, 0 },
	{ D, "speed", "speed", "port.speed,topo.slow,fattree.slow-trunk", 0 },
	{ D, "autoneg", "speed", "port.speed", 0 },
	{ D, "width", "width", "port.width,topo.narrow", 0 },
	{ L, "speed", "speed", "port.speed,topo.slow,fattree.slow-trunk", IBC_WHY_LIMIT },
	{ L, "width", "width", "port.width,topo.narrow", IBC_WHY_LIMIT },
	{ L, "down", "down", UNUSED ",phy.why-down", IBC_WHY_UNJUDGED },
	{ D | S, "rawber", "bit errors", BITS "," UNUSED, 0 },
	{ D | S, "effectiveber", "bit errors", BITS "," UNUSED, 0 },
	{ D | S, "symbolber", "bit errors", BITS "," UNUSED, 0 },
	{ D, "bercheck", "bit errors", BITS, 0 },
	{ D, "berexceed", "bit errors", BITS, 0 },
	{ D, "temperature", "temperature", "cable.temperature,device.temperature", 0 },
	{ D, "roundtriplatency", "cable length", "cable.length", 0 },
	{ D, "pkey", "partitions", "sm.pkey", 0 },
	{ D, "smfound", "subnet manager", "sm.multiple", 0 },
	{ D, "smnotfound", "subnet manager", "sm.none", 0 },
	{ D, "smnotcorrect", "subnet manager", "sm.priority", 0 },
	{ D, "smunknown", "subnet manager", "sm.stalled", 0 },
	{ D, "creditloop", "credit loops", "routes.credit-loop", 0 },
	{ D, "scopebuilder", "routes", "routes.unreachable,routes.dead-end,routes.loop", 0 },
	{ D, "pathdiscovery", "routes", "routes.unreachable,routes.dead-end,routes.loop", 0 },
	{ D, "sharp", "SHARP", "sharp", 0 },
	{ D, "aport", "planes", "fattree.plane", 0 },
	{ D, "virtinfo", "virtual ports", "host.vport", 0 },
	{ D, "hierarchy", "hierarchy", NULL, 0 },
	{ S, "flapping", "flaps", "counters.flap,counters.downed,phy.flap," UNUSED, 0 },
	{ S, "unresponsive", "no answer", "port.silent," UNUSED, 0 },
	{ S, "seterr", "unhealthy", "sm.pending," UNUSED, 0 },
	{ S, "", "unhealthy", UNUSED, IBC_WHY_UNJUDGED }, /* reboots, traps, an operator's word */
};
#define NUM_KINDS ARRAY_SIZE(kinds)

static const struct kind *kind_in(const struct ibc_opinion *o, const char *text)
{
	for (size_t i = 0; i < NUM_KINDS; i++)
		if (kinds[i].tools >> o->tool & 1 && strstr(text, kinds[i].needle))
			return &kinds[i];
	return NULL;
}

/* What the tool calls it says more than its sentence, in which names stand. */
static const struct kind *kind_of(const struct ibc_opinion *o)
{
	char text[TEXT_MAX];
	size_t n;

	str_squeeze(text, TEXT_MAX / 2, o->check);
	n = strlen(text);
	text[n++] = ' ';
	str_squeeze(text + n, sizeof(text) - n, o->event);
	return kind_in(o, text) ?: kind_in(o, str_squeeze(text, sizeof(text), o->words));
}

/* ---- the comparison ---------------------------------------------------------------------- */

/* struct spoken - an end that a finding names */
struct spoken {
	uint64_t guid;
	unsigned int port; /* 0: the node as a whole */
	size_t finding;
};

/*
 * struct statement - one of theirs
 * @places: in the fabric; @key: equal for what two files say alike
 */
struct statement {
	const struct ibc_opinion *o;
	const struct kind *kind;
	struct ibc_place *places;
	size_t num_places;
	const char *key;
};

/*
 * struct contrast_maker - @public comes first
 * @spoken: by GUID; @check: of each finding; @matched: they say it, too
 * @judges: the checks of each kind; @ran: those that ran
 */
struct contrast_maker {
	struct ibc_contrasts public;
	struct arena *arena;
	const struct ibc_opinions *opinions;
	const struct ibc_input *in;
	const struct ibc_report *rep;
	struct ibc_contrast *all;
	size_t room;
	struct spoken *spoken;
	size_t num_spoken, room_spoken;
	const struct ibc_check **check;
	bool *matched;
	struct ibc_check_set judges[NUM_KINDS], ran;
};

static struct ibc_contrast *add_contrast(struct contrast_maker *m, struct ibc_contrast c)
{
	arena_grow(m->arena, &m->all, m->public.num, &m->room, sizeof(*m->all));
	m->all[m->public.num] = c;
	return &m->all[m->public.num++];
}

static int by_guid(const void *left, const void *right)
{
	const struct spoken *a = left, *z = right;

	return order_u64(a->guid, z->guid) ?: order_u64(a->finding, z->finding);
}

static void add_spoken(struct contrast_maker *m, const struct ibc_end *end, size_t finding)
{
	if (!end->has_guid)
		return;
	arena_grow(m->arena, &m->spoken, m->num_spoken, &m->room_spoken, sizeof(*m->spoken));
	m->spoken[m->num_spoken++] = (struct spoken){ end->guid, end->has_port ? end->port : 0,
		                                      finding };
}

static void index_findings(struct contrast_maker *m)
{
	const struct ibc_report *rep = m->rep;
	const struct ibc_check *check;

	m->check = arena_array(m->arena, rep->num_findings + 1, sizeof(*m->check));
	m->matched = arena_array(m->arena, rep->num_findings + 1, sizeof(*m->matched));
	for (size_t i = 0; i < rep->num_findings; i++) {
		const struct ibc_finding *f = &rep->findings[i];

		m->check[i] = ibc_check_find(f->check);
		add_spoken(m, &f->subject.near, i);
		add_spoken(m, &f->subject.far, i);
		for (size_t k = 0; k < f->num_related; k++) {
			add_spoken(m, &f->related[k].subject.near, i);
			add_spoken(m, &f->related[k].subject.far, i);
		}
	}
	if (m->num_spoken)
		qsort(m->spoken, m->num_spoken, sizeof(*m->spoken), by_guid);
	for (size_t i = 0; (check = ibc_check_at(i)); i++) {
		for (const struct check_note *note = rep->ran; note; note = note->next)
			ibc_check_set_add(&m->ran, check, note->check, NULL);
		for (size_t k = 0; k < NUM_KINDS; k++)
			if (kinds[k].checks)
				ibc_check_set_add(&m->judges[k], check, kinds[k].checks, NULL);
	}
}

/* ---- their places ------------------------------------------------------------------------- */

/* "0x0002c90300000010/19", "host01 mlx5_0/1": as ibc_fabric_find() takes it. */
static void name_of_end(const struct ibc_end *end, char text[TEXT_MAX])
{
	char guid[STR_GUID_MAX];
	size_t n = (size_t)snprintf(text, TEXT_MAX, "%.200s",
	                            end->has_guid ? str_from_guid(guid, end->guid)
	                            : end->desc   ? end->desc
	                                          : "");

	if (end->has_port)
		snprintf(text + n, TEXT_MAX - n, "/%u", end->port);
	else if (end->port_label)
		snprintf(text + n, TEXT_MAX - n, "/%.64s", end->port_label);
}

static void find_end(struct contrast_maker *m, const struct ibc_end *end, struct statement *s)
{
	const struct ibc_fabric *fab = m->in->fabric;
	const struct ibc_node *node = end->has_guid ? ibc_fabric_node_by_guid(fab, end->guid)
	                                            : NULL;
	struct ibc_place *found = NULL, one = { node, end->has_port ? end->port : 0 };
	struct ibc_error ignored;
	char text[TEXT_MAX], *slash;
	struct ibc_end whole = *end;
	size_t n = 0;

	if (node && !end->port_label) {
		found = &one;
		n = 1;
	} else if (end->has_guid || end->desc) {
		name_of_end(end, text);
		/* "leaf01/U1", "host01/mlx5_0": a device of a system that we call by the system */
		if (ibc_fabric_find(fab, text, &found, &n, &ignored) && end->desc &&
		    (slash = strrchr(end->desc, '/'))) {
			whole.desc = arena_strndup(m->arena, end->desc,
			                           (size_t)(slash - end->desc));
			name_of_end(&whole, text);
			ibc_fabric_find(fab, text, &found, &n, &ignored);
		}
	}
	for (size_t i = 0; i < n && s->num_places < PLACES_MAX; i++)
		s->places[s->num_places++] = found[i];
	if (found != &one)
		free(found);
}

static const struct ibc_port *port_there(const struct ibc_place *place)
{
	return place->port ? ibc_node_port(place->node, place->port) : NULL;
}

static struct statement statement_of(struct contrast_maker *m, const struct ibc_opinion *o)
{
	struct ibc_place places[PLACES_MAX];
	struct statement s = { .o = o, .kind = kind_of(o), .places = places };
	char check[128], words[TEXT_MAX], where[TEXT_MAX];

	find_end(m, &o->place.near, &s);
	if (o->place.kind == IBC_SUBJECT_CABLE)
		find_end(m, &o->place.far, &s);
	s.places = arena_array(m->arena, s.num_places + 1, sizeof(*s.places));
	memcpy(s.places, places, s.num_places * sizeof(*s.places));
	name_of_end(&o->place.near, where);
	if (s.num_places)
		ibc_place_text(s.places[0], where, sizeof(where));
	s.key = arena_printf(m->arena, "%d %s %s %s", o->tool,
	                     str_squeeze(check, sizeof(check), o->check), where,
	                     str_squeeze(words, sizeof(words), o->words));
	return s;
}

/* ---- do we say it? -------------------------------------------------------------------------- */

/* The first finding of a check of the kind that names the place, better one that counts. */
static size_t find_at(const struct contrast_maker *m, const struct ibc_check_set *judges,
                      const struct ibc_node *node, unsigned int port, size_t best)
{
	size_t low = 0, high = m->num_spoken;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (m->spoken[middle].guid < node->guid)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < m->num_spoken && m->spoken[low].guid == node->guid; low++) {
		const struct spoken *s = &m->spoken[low];

		if ((port && s->port && s->port != port) || !m->check[s->finding] ||
		    !ibc_check_set_has(judges, m->check[s->finding]))
			continue;
		if (best == SIZE_MAX ||
		    m->rep->findings[s->finding].severity > m->rep->findings[best].severity)
			best = s->finding;
	}
	return best;
}

static size_t find_ours(const struct contrast_maker *m, const struct statement *s)
{
	const struct ibc_check_set *judges = &m->judges[s->kind - kinds];
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < s->num_places; i++) {
		const struct ibc_port *port = port_there(&s->places[i]);

		best = find_at(m, judges, s->places[i].node, s->places[i].port, best);
		if (port && port->peer) /* the cable is one thing */
			best = find_at(m, judges, port->peer->node, port->peer->num, best);
	}
	for (size_t i = 0; s->o->place.kind == IBC_SUBJECT_FABRIC && i < m->rep->num_findings; i++)
		if (best == SIZE_MAX && m->check[i] && ibc_check_set_has(judges, m->check[i]))
			best = i;
	return best;
}

/* ---- why not? ------------------------------------------------------------------------------- */

static bool was_read(const struct ibc_check *check, const struct ibc_place *place)
{
	const struct ibc_port *port = port_there(place);

	for (enum ibc_attr a = 0; (a = ibc_attrs_next(check->needs, a));)
		if (ibc_node_unanswered(place->node, a) || (port && ibc_port_unanswered(port, a)))
			return false;
	return !port || !ibc_attrs_has(check->needs, IBC_ATTR_PORT_COUNTERS) || port->counters;
}

static bool is_other_time(const struct contrast_maker *m, uint64_t theirs)
{
	const struct ibc_subnet *subnet = ibc_fabric_subnet(m->in->fabric, 0);
	uint64_t ours = subnet ? subnet->time : 0;

	return theirs && ours && (ours > theirs ? ours - theirs : theirs - ours) > SAME_SECONDS;
}

static enum ibc_contrast_why why_not_ours(const struct contrast_maker *m, const struct statement *s)
{
	const struct kind *kind = s->kind;
	const struct ibc_check *check;
	bool read = false, limits = false;
	enum ibc_answer answer;

	if (s->o->tool != IBC_TOOL_UFM && (!kind || !kind->checks))
		return IBC_WHY_UNJUDGED;
	if (!s->num_places && s->o->place.kind != IBC_SUBJECT_FABRIC)
		return is_other_time(m, s->o->time) ? IBC_WHY_TIME : IBC_WHY_UNREAD;
	for (size_t i = 0; kind && (check = ibc_check_at(i)); i++) {
		if (!ibc_check_set_has(&m->judges[kind - kinds], check) ||
		    !ibc_check_set_has(&m->ran, check) ||
		    (s->num_places && !was_read(check, &s->places[0])))
			continue;
		read = true;
		limits |= check->limits.unit != NULL;
	}
	if (s->num_places && strstr(s->o->words, "VSGeneralInfo")) {
		answer = ibc_node_answer(s->places[0].node, IBC_ATTR_GENERAL_INFO);
		/* what a device does not support is an answer, and no silence */
		if (answer == IBC_UNSUPPORTED)
			return IBC_WHY_UNJUDGED;
		read &= answer == IBC_ANSWERED;
	}
	if (kind && !read)
		return IBC_WHY_UNREAD;
	if (is_other_time(m, s->o->time))
		return IBC_WHY_TIME;
	return kind && kind->why ? kind->why : limits ? IBC_WHY_LIMIT : IBC_WHY_UNKNOWN;
}

/* Does a tool whose file was read judge what this check does?  Then NULL: none does. */
static const struct kind *judged_by_them(const struct contrast_maker *m,
                                         const struct ibc_check *check)
{
	for (size_t k = 0; k < NUM_KINDS; k++)
		if (kinds[k].tools & m->opinions->tools && check &&
		    ibc_check_set_has(&m->judges[k], check))
			return &kinds[k];
	return NULL;
}

static enum ibc_contrast_why why_not_theirs(const struct contrast_maker *m, const struct kind *kind,
                                            const struct ibc_check *check)
{
	if (!kind)
		return IBC_WHY_UNJUDGED;
	if (m->opinions->cut)
		return IBC_WHY_UNREAD;
	for (size_t i = 0; i < m->opinions->num; i++)
		if (is_other_time(m, m->opinions->all[i].time))
			return IBC_WHY_TIME;
	return check->limits.unit || kind->why == IBC_WHY_LIMIT ? IBC_WHY_LIMIT : IBC_WHY_UNKNOWN;
}

/* ---- all of them ------------------------------------------------------------------------------
 */

/* Of a list of cables: is one of the first end's ports cabled to one of the other's? */
static bool is_cabled(const struct statement *s)
{
	for (size_t i = 0; i < s->num_places; i++)
		for (size_t k = 0; k < s->num_places; k++) {
			const struct ibc_port *port = port_there(&s->places[i]);

			if (port && port->peer && port->peer->node == s->places[k].node &&
			    port->peer->num == s->places[k].port)
				return true;
		}
	return false;
}

static void contrast_theirs(struct contrast_maker *m, const struct statement *s)
{
	struct ibc_contrast c = { .theirs = s->o, .kind = s->kind ? s->kind->name : s->o->check };
	size_t ours = s->kind && s->kind->checks ? find_ours(m, s) : SIZE_MAX;
	char where[TEXT_MAX];

	name_of_end(&s->o->place.near, where);
	if (s->num_places) {
		c.place = s->places[0];
		ibc_place_text(c.place, where, sizeof(where));
	}
	c.where = *where ? arena_strdup(m->arena, where) : NULL;
	if (s->o->tool == IBC_TOOL_UFM)
		c.kind = "cables";
	if (ours != SIZE_MAX || (s->o->tool == IBC_TOOL_UFM && is_cabled(s))) {
		c.who = IBC_AGREE;
		c.ours = ours == SIZE_MAX ? NULL : &m->rep->findings[ours];
	} else {
		c.who = IBC_ONLY_THEY;
		c.why = why_not_ours(m, s);
	}
	if (ours != SIZE_MAX)
		m->matched[ours] = true;
	add_contrast(m, c);
}

static void contrast_ours(struct contrast_maker *m)
{
	for (size_t i = 0; i < m->rep->num_findings; i++) {
		const struct ibc_finding *f = &m->rep->findings[i];
		const struct kind *kind = judged_by_them(m, m->check[i]);
		char where[IBC_SUBJECT_TEXT];

		if (m->matched[i] || f->severity == IBC_INFO || !strncmp(f->check, "compare.", 8))
			continue;
		ibc_subject_text(&f->subject, where, sizeof(where));
		add_contrast(m, (struct ibc_contrast){
				    .kind = kind ? kind->name : f->check,
				    .who = IBC_ONLY_WE,
				    .why = why_not_theirs(m, kind, m->check[i]),
				    .ours = f,
				    .where = arena_strdup(m->arena, where),
				    .place = { f->subject.near.has_guid
		                                   ? ibc_fabric_node_by_guid(m->in->fabric,
		                                                             f->subject.near.guid)
		                                   : NULL,
		                               f->subject.near.port } });
	}
}

static int by_statement(const void *left, const void *right)
{
	const struct statement *a = left, *z = right;

	return strcmp(a->key, z->key) ?: order_u64((uintptr_t)a->o, (uintptr_t)z->o);
}

static int by_weight(const void *left, const void *right)
{
	const struct ibc_contrast *a = left, *z = right;
	enum ibc_severity of_a = a->theirs ? a->theirs->severity : a->ours->severity;
	enum ibc_severity of_z = z->theirs ? z->theirs->severity : z->ours->severity;

	return order_u64(a->who, z->who) ?: order_u64(of_z, of_a) ?: strcmp(a->kind, z->kind)
	    ?: order_u64((uintptr_t)a->theirs, (uintptr_t)z->theirs)
	    ?: order_u64((uintptr_t)a->ours, (uintptr_t)z->ours);
}

int ibc_contrasts_find(const struct ibc_opinions *opinions, const struct ibc_input *in,
                       const struct ibc_report *rep, struct ibc_contrasts **out,
                       struct ibc_error *err)
{
	struct arena *arena = arena_new();
	struct contrast_maker *m;
	struct statement *all;

	*out = NULL;
	if (!arena || setjmp(*arena_entry(arena))) {
		arena_free(arena);
		return fail_nomem(err);
	}
	m = arena_alloc(arena, sizeof(*m));
	*m = (struct contrast_maker){ .arena = arena, .opinions = opinions, .in = in, .rep = rep };
	index_findings(m);
	all = arena_array(arena, opinions->num + 1, sizeof(*all));
	for (size_t i = 0; i < opinions->num; i++)
		all[i] = statement_of(m, &opinions->all[i]);
	qsort(all, opinions->num, sizeof(*all), by_statement);
	for (size_t i = 0; i < opinions->num; i++)
		/* a log and a db_csv of one run say the same */
		if (!i || strcmp(all[i].key, all[i - 1].key) != 0)
			contrast_theirs(m, &all[i]);
	contrast_ours(m);
	if (m->public.num)
		qsort(m->all, m->public.num, sizeof(*m->all), by_weight);
	arena_escape(arena, NULL);
	m->public.all = m->all;
	*out = &m->public;
	return 0;
}

void ibc_contrasts_free(struct ibc_contrasts *contrasts)
{
	if (contrasts)
		arena_free(((struct contrast_maker *)contrasts)->arena);
}
