/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What other tools say beside what the checks found: by place and kind, and why only one of the
 * two says it.  Cost: O(n log n) in statements and findings.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ibcheck/opinions.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/str.h"
#include "check/called.h"
#include "check/groups.h"
#include "report/report.h"

#define SAME_SECONDS 300 /* what changes in five minutes is no other time: a guess */
#define NO_CHECK     SIZE_MAX
#define TEXT_MAX     512 /* a name and a sentence of theirs, cut where they are longer */

/* ---- kinds of statements ----------------------------------------------------------------- */

enum {
	D = 1 << IBC_TOOL_IBDIAGNET,
	S = 1 << IBC_TOOL_OPENSM,
	Q = 1 << IBC_TOOL_IBQUERYERRORS,
	L = 1 << IBC_TOOL_IBLINKINFO,
};

/* clang-format off */
/* What is seen of a link that is down, or that the subnet manager took out of use. */
#define UNUSED \
	"port.isolated,port.state,port.physical,fattree.missing-uplink,fattree.uneven-uplinks," \
	"topo.missing-cable"
/* they judge what rose while they ran, or since the last clear; we rates, and totals */
#define COUNTER(needles, checks) \
	{ D | Q, needles, "counters", checks ",counters.totals", IBC_WHY_LIMIT }

/*
 * struct kind - what statements are about, and which checks judge that
 * @needles: in what a tool calls it, letters and digits in lower case; the first row that fits
 * @checks: as a selection; NULL: none does
 * @why: one says it and the other does not, though both have read it; IBC_WHY_UNJUDGED: only they
 */
static const struct kind {
	unsigned int tools;
	const char *needles, *name, *checks;
	enum ibc_contrast_why why;
} kinds[] = {
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
	COUNTER("counteroverflow", "counters.saturated"),
	{ D | Q, "linkdown", "flaps", "counters.downed,counters.flap,phy.flap,counters.totals",
	  IBC_WHY_LIMIT },
	{ D, "negativedelta", "counters", "counters.cleared", 0 },
	{ D, "retrieving|noresponse|infofailed|badlink", "no answer",
	  "port.silent,counters.silent,phy.partial", 0 },
	{ D, "duplicatednodedesc", "name", "port.name", 0 },
	{ D, "duplicatedlid|lidzero|invalidlid|lidscheck", "LID", "sm.lid", 0 },
	{ D, "duplicated", "GUID", "port.guid", 0 },
	/* they compare with the newest of the fabric, we with what most have */
	{ D, "wrongfw|fwcheck", "firmware", "fabric.firmware", IBC_WHY_LIMIT },
	{ D, "pcidegradation", "PCIe", "host.pcie", 0 },
	{ D, "logicalstate", "state", "port.state,sm.pending", 0 },
	{ D, "fnm|hierarchy", "hierarchy", NULL, 0 },
	{ D, "speed|autoneg", "speed", "port.speed,topo.slow,fattree.slow-trunk", 0 },
	{ D, "width", "width", "port.width,topo.narrow", 0 },
	/* it compares with what both ends support, we with what they enable */
	{ L, "speed", "speed", "port.speed,topo.slow,fattree.slow-trunk", IBC_WHY_LIMIT },
	{ L, "width", "width", "port.width,topo.narrow", IBC_WHY_LIMIT },
	{ L, "down", "down", UNUSED ",phy.why-down", IBC_WHY_UNJUDGED },
	{ D | S, "rawber|effectiveber|symbolber|bercheck|berexceed", "bit errors",
	  "phy.ber-after-fec,phy.ber-since-clear,phy.fec-uncorrectable,phy.raw-ber", 0 },
	{ D, "cabletemperature|cablehigh|cablelow", "temperature", "cable.temperature", 0 },
	{ D, "temperature", "temperature", "device.temperature", 0 },
	{ D, "roundtriplatency", "cable length", "cable.length", 0 },
	{ D, "pkey", "partitions", "sm.pkey", 0 },
	{ D, "smfound|smnot|smunknown", "subnet manager",
	  "sm.none,sm.multiple,sm.priority,sm.stalled", 0 },
	{ D, "creditloop", "credit loops", "routes.credit-loop", 0 },
	{ D, "scopebuilder|pathdiscovery|unassignedlft|inmarkroute|findapath", "routes",
	  "routes.unreachable,routes.dead-end,routes.loop", 0 },
	{ D, "sharp", "SHARP", "sharp", 0 },
	{ D, "aport", "planes", "fattree.plane", 0 },
	{ D, "virtinfo", "virtual ports", "host.vport", 0 },
	{ S, "flapping", "flaps", "counters.flap,counters.downed,phy.flap", 0 },
	{ S, "unresponsive", "no answer", "port.silent", 0 },
	{ S, "seterr", "unhealthy", "sm.pending", 0 },
	{ S, "", "unhealthy", NULL, 0 }, /* reboots, traps, an operator's word */
};
/* clang-format on */
#define NUM_KINDS ARRAY_SIZE(kinds)

static const struct kind *kind_in(const struct ibc_opinion *o, const char *text)
{
	for (size_t i = 0; i < NUM_KINDS; i++)
		if (kinds[i].tools >> o->tool & 1 && str_any(text, kinds[i].needles, true))
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

/*
 * struct spoken - an end that a finding names; or a port by its own GUID
 * @port: 0: the node as a whole; @of: number of the finding, or of the port
 */
struct spoken {
	uint64_t guid;
	unsigned int port;
	size_t of;
};

/* struct index - by GUID */
struct index {
	struct spoken *all;
	size_t n, room;
};

/*
 * struct statement - one of theirs
 * @places: in the fabric; @where: as we call it; @key: equal for what two files say alike
 */
struct statement {
	const struct ibc_opinion *o;
	const struct kind *kind;
	struct places places;
	const char *where, *key;
};

/*
 * struct contrast_maker - @public comes first
 * @spoken: of findings; @ports: those of the fabric
 * @check: number of that of each finding, or NO_CHECK; @matched: they say it, too
 * @judges: the checks of each kind; @unused: those of UNUSED; @ran: those that ran
 */
struct contrast_maker {
	struct ibc_contrasts public;
	struct arena *arena;
	const struct ibc_opinions *opinions;
	const struct ibc_input *in;
	const struct ibc_report *rep;
	struct ibc_contrast *all;
	size_t room;
	struct index spoken, ports;
	struct name_index *names;
	size_t *check;
	bool *matched;
	struct ibc_check_set judges[NUM_KINDS], unused, ran;
};

static void add_contrast(struct contrast_maker *m, struct ibc_contrast c)
{
	arena_grow(m->arena, &m->all, m->public.num, &m->room, sizeof(*m->all));
	m->all[m->public.num++] = c;
}

static int by_guid(const void *left, const void *right)
{
	const struct spoken *a = left, *z = right;

	return order_u64(a->guid, z->guid) ?: order_u64(a->of, z->of);
}

static void index_add(struct contrast_maker *m, struct index *in, struct spoken one)
{
	arena_grow(m->arena, &in->all, in->n, &in->room, sizeof(*in->all));
	in->all[in->n++] = one;
}

/* The first of a GUID, or of a greater one. */
static size_t index_find(const struct index *in, uint64_t guid)
{
	return lower_bound(&(struct spoken){ .guid = guid }, in->all, in->n, sizeof(*in->all),
	                   by_guid);
}

/* A @victim is meant by its ports, and never as a whole. */
static void add_ends(struct contrast_maker *m, const struct ibc_subject *subject, size_t finding,
                     bool victim)
{
	const struct ibc_end *ends[] = { &subject->near, &subject->far };

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (ends[i]->has_guid && (ends[i]->has_port || !victim))
			index_add(m, &m->spoken,
			          (struct spoken){ ends[i]->guid,
			                           ends[i]->has_port ? ends[i]->port : 0,
			                           finding });
}

/* What was found by comparing says nothing of its own. */
static bool is_comparison(const struct ibc_finding *f)
{
	return !strncmp(f->check, "compare.", 8);
}

static void index_all(struct contrast_maker *m)
{
	const struct ibc_report *rep = m->rep;
	const struct ibc_check *check;
	const struct ibc_port *p;

	m->check = arena_array(m->arena, rep->num_findings + 1, sizeof(*m->check));
	m->matched = arena_array(m->arena, rep->num_findings + 1, sizeof(*m->matched));
	for (size_t i = 0; i < rep->num_findings; i++) {
		const struct ibc_finding *f = &rep->findings[i];

		check = is_comparison(f) ? NULL : ibc_check_find(f->check);
		m->check[i] = check ? check_number(check) : NO_CHECK;
		add_ends(m, &f->subject, i, false);
		for (size_t k = 0; k < f->num_related; k++)
			add_ends(m, &f->related[k].subject, i,
			         f->related[k].role == IBC_ROLE_VICTIM);
	}
	for (size_t i = 0; (p = ibc_fabric_port(m->in->fabric, i)); i++)
		index_add(m, &m->ports, (struct spoken){ p->guid, p->num, i });
	if (m->spoken.n)
		qsort(m->spoken.all, m->spoken.n, sizeof(struct spoken), by_guid);
	if (m->ports.n)
		qsort(m->ports.all, m->ports.n, sizeof(struct spoken), by_guid);
	for (const struct check_note *note = rep->ran; note; note = note->next)
		for (size_t i = 0; (check = ibc_check_at(i)); i++)
			ibc_check_set_add(&m->ran, check, note->name, NULL);
	for (size_t k = 0; k < NUM_KINDS; k++)
		if (kinds[k].checks)
			m->judges[k] = ibc_check_select(kinds[k].checks, NULL);
	m->unused = ibc_check_select(UNUSED, NULL);
}

/* ---- their places ------------------------------------------------------------------------- */

/* "0x0002c90300000010/19", "host01 mlx5_0/1": as people write it. */
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
	const struct ibc_node *node = ibc_fabric_node_by_guid(fab, end->guid);
	size_t at = index_find(&m->ports, end->guid);
	const char *slash = end->desc ? strrchr(end->desc, '/') : NULL;

	if (!node && end->has_guid && at < m->ports.n && m->ports.all[at].guid == end->guid)
		node = ibc_fabric_port(fab, m->ports.all[at].of)->node;
	if (end->has_guid && node)
		places_add(m->arena, &s->places, node, end);
	else if (!end->has_guid && end->desc &&
	         !name_find(m->arena, m->names, end->desc, end, &s->places) && slash)
		/* "leaf01/U1", "host01/mlx5_0": a device of a system that we call by the system */
		name_find(m->arena, m->names,
		          arena_strndup(m->arena, end->desc, (size_t)(slash - end->desc)), end,
		          &s->places);
}

static const struct ibc_port *port_there(const struct ibc_place *place)
{
	return place->port ? ibc_node_port(place->node, place->port) : NULL;
}

static bool lists_cable(const struct ibc_opinion *o)
{
	return o->tool == IBC_TOOL_UFM && o->place.kind == IBC_SUBJECT_CABLE;
}

static struct statement statement_of(struct contrast_maker *m, const struct ibc_opinion *o)
{
	struct statement s = { .o = o, .kind = kind_of(o) };
	char check[128], words[TEXT_MAX], where[TEXT_MAX];

	find_end(m, &o->place.near, &s);
	if (o->place.kind == IBC_SUBJECT_CABLE)
		find_end(m, &o->place.far, &s);
	name_of_end(&o->place.near, where);
	if (s.places.n)
		ibc_place_text(s.places.all[0], where, sizeof(where));
	s.where = *where ? arena_strdup(m->arena, where) : NULL;
	s.key = arena_printf(m->arena, "%d %s %s %s", o->tool,
	                     str_squeeze(check, sizeof(check), o->check), where,
	                     str_squeeze(words, sizeof(words), o->words));
	return s;
}

/* ---- do we say it? -------------------------------------------------------------------------- */

static bool judges(const struct contrast_maker *m, const struct ibc_check_set *set, size_t finding)
{
	return m->check[finding] != NO_CHECK && set->kinds[m->check[finding]];
}

/* Of totals only those of the counter that they name: the facts of the finding are its counters. */
static bool is_of_kind(const struct ibc_finding *f, const struct kind *kind)
{
	char name[64];

	if (!kind || strcmp(f->check, "counters.totals") != 0)
		return true;
	for (size_t i = 0; i < f->num_facts; i++)
		for (enum ibc_counter c = 0; c < IBC_COUNTERS; c++)
			if (!strcmp(f->facts[i].key, ibc_counter_word(c)->word) &&
			    strstr(str_squeeze(name, sizeof(name), ibc_counter_word(c)->name),
			           kind->needles))
				return true;
	return false;
}

/* Does a finding say what the statement does?  A hint is not what they call critical. */
static bool says_it(const struct contrast_maker *m, const struct statement *s,
                    const struct ibc_check_set *checks, size_t finding)
{
	const struct ibc_finding *f = &m->rep->findings[finding];

	return judges(m, checks, finding) && is_of_kind(f, s->kind) &&
	       (f->severity != IBC_INFO || s->o->severity != IBC_CRITICAL);
}

/* The first finding of one of the checks that names the place, better one that counts. */
static size_t find_at(const struct contrast_maker *m, const struct statement *by,
                      const struct ibc_check_set *checks, const struct ibc_place *place,
                      size_t best)
{
	const struct spoken *s = m->spoken.all, *end = s + m->spoken.n;

	for (s += index_find(&m->spoken, place->node->guid);
	     s < end && s->guid == place->node->guid; s++) {
		const struct ibc_finding *f = &m->rep->findings[s->of];

		if ((!place->port || !s->port || s->port == place->port) &&
		    says_it(m, by, checks, s->of) &&
		    (best == SIZE_MAX || f->severity > m->rep->findings[best].severity))
			best = s->of;
	}
	return best;
}

static size_t find_ours(const struct contrast_maker *m, const struct statement *s,
                        const struct ibc_check_set *checks)
{
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < s->places.n; i++) {
		const struct ibc_port *port = port_there(&s->places.all[i]);

		best = find_at(m, s, checks, &s->places.all[i], best);
		if (port && port->peer) /* the cable is one thing */
			best = find_at(m, s, checks,
			               &(struct ibc_place){ port->peer->node, port->peer->num },
			               best);
	}
	for (size_t i = 0; s->o->place.kind == IBC_SUBJECT_FABRIC && i < m->rep->num_findings; i++)
		if (best == SIZE_MAX && says_it(m, s, checks, i) &&
		    !m->rep->findings[i].subject.near.has_port)
			best = i;
	return best;
}

/* ---- why not? ------------------------------------------------------------------------------- */

/*
 * Did the place answer what the check needs?  Registers of the physical layer were read if one
 * was: what was asked of no port here is no answer.
 */
static bool was_read(const struct ibc_check *check, const struct ibc_place *place)
{
	const struct ibc_attrs links = IBC_ATTRS(IBC_ATTR_LINK, IBC_ATTR_PORT_STATE);
	struct ibc_attrs needs = check->needs, phy = ibc_attrs_of_group(IBC_ATTRS_PHYSICAL);
	const struct ibc_port *port = port_there(place);
	bool any = !port ||
	           (ibc_port_has(port, IBC_ATTR_PORT_INFO) && ibc_attrs_meet(check->needs, links));

	if (check->inputs & IBC_IN_PHYSICAL) {
		needs = ibc_attrs_minus(needs, ibc_attrs_minus(needs, phy));
		any = false;
	}
	for (enum ibc_attr a = 0; (a = ibc_attrs_next(needs, a));) {
		if (ibc_node_unanswered(place->node, a) || (port && ibc_port_unanswered(port, a)))
			return false;
		any |= ibc_node_has(place->node, a) || (port && ibc_port_has(port, a));
	}
	return any;
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

	if (!lists_cable(s->o) && (!kind || !kind->checks))
		return IBC_WHY_UNJUDGED;
	if (!s->places.n && s->o->place.kind != IBC_SUBJECT_FABRIC)
		return is_other_time(m, s->o->time) ? IBC_WHY_TIME : IBC_WHY_UNREAD;
	for (size_t i = 0; kind && (check = ibc_check_at(i)); i++) {
		if (!m->judges[kind - kinds].kinds[i] || !m->ran.kinds[i] ||
		    (s->places.n && !was_read(check, &s->places.all[0])))
			continue;
		read = true;
		limits |= check->limits.unit != NULL;
	}
	if (s->places.n && strstr(s->o->words, "VSGeneralInfo")) {
		answer = ibc_node_answer(s->places.all[0].node, IBC_ATTR_GENERAL_INFO);
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

/* What a tool whose file was read judges of what this finding is about; NULL: none does. */
static const struct kind *judged_by_them(const struct contrast_maker *m, size_t finding)
{
	for (size_t k = 0; k < NUM_KINDS; k++)
		if (kinds[k].tools & m->opinions->tools && judges(m, &m->judges[k], finding))
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
	/* one of them may be of the time of the fabric */
	if (is_other_time(m, m->opinions->first) && is_other_time(m, m->opinions->last))
		return IBC_WHY_TIME;
	return check->limits.unit || kind->why == IBC_WHY_LIMIT ? IBC_WHY_LIMIT : IBC_WHY_UNKNOWN;
}

/* ---- all of them ------------------------------------------------------------------------------
 */

/* Of a list of cables: is one of the first end's ports cabled to one of the other's? */
static bool is_cabled(const struct statement *s)
{
	for (size_t i = 0; i < s->places.n; i++)
		for (size_t k = 0; k < s->places.n; k++) {
			const struct ibc_port *port = port_there(&s->places.all[i]);

			if (port && port->peer && port->peer->node == s->places.all[k].node &&
			    port->peer->num == s->places.all[k].port)
				return true;
		}
	return false;
}

static void contrast_theirs(struct contrast_maker *m, const struct statement *s)
{
	size_t ours = s->kind ? find_ours(m, s, &m->judges[s->kind - kinds]) : SIZE_MAX;
	bool cables = lists_cable(s->o);
	struct ibc_contrast c = {
		.theirs = s->o,
		.kind = s->kind  ? s->kind->name
		        : cables ? "cables"
		                 : s->o->check,
		.who = IBC_AGREE,
		.where = s->where,
	};

	if (s->places.n)
		c.place = s->places.all[0];
	if (ours == SIZE_MAX && s->o->tool == IBC_TOOL_OPENSM)
		ours = find_ours(m, s, &m->unused);
	/* UFM says how bad a port is, and not what it has */
	if (s->o->tool == IBC_TOOL_UFM && !cables)
		ours = find_ours(m, s, &m->ran);
	if (ours != SIZE_MAX) {
		c.ours = &m->rep->findings[ours];
		m->matched[ours] = true;
	} else if (!cables || !is_cabled(s)) {
		c.who = IBC_ONLY_THEY;
		c.why = why_not_ours(m, s);
	}
	add_contrast(m, c);
}

static void contrast_ours(struct contrast_maker *m)
{
	for (size_t i = 0; i < m->rep->num_findings; i++) {
		const struct ibc_finding *f = &m->rep->findings[i];
		const struct kind *kind = judged_by_them(m, i);
		struct ibc_contrast c = { .who = IBC_ONLY_WE, .ours = f };
		char where[IBC_SUBJECT_TEXT];

		if (m->matched[i] || f->severity == IBC_INFO || is_comparison(f))
			continue;
		c.kind = kind ? kind->name : f->check;
		c.why = why_not_theirs(m, kind, ibc_check_find(f->check));
		ibc_subject_text(&f->subject, where, sizeof(where));
		c.where = arena_strdup(m->arena, where);
		c.place.node = ibc_fabric_node_by_guid(m->in->fabric, f->subject.near.guid);
		c.place.port = f->subject.near.port;
		add_contrast(m, c);
	}
}

static int by_statement(const void *left, const void *right)
{
	const struct statement *a = left, *z = right;

	return strcmp(a->key, z->key) ?: order_u64(z->o->severity, a->o->severity)
	    ?: order_u64((uintptr_t)a->o, (uintptr_t)z->o);
}

/* A log and a db_csv of one run say the same; only the latter has events. */
static bool is_repeated(const struct statement *a, const struct statement *z)
{
	return !strcmp(a->key, z->key) &&
	       (!*a->o->event || !*z->o->event || !strcmp(a->o->event, z->o->event));
}

static int by_weight(const void *left, const void *right)
{
	const struct ibc_contrast *a = left, *z = right;
	enum ibc_severity of_a = a->theirs ? a->theirs->severity : a->ours->severity;
	enum ibc_severity of_z = z->theirs ? z->theirs->severity : z->ours->severity;

	return order_u64(a->who, z->who) ?: order_u64(of_z, of_a) ?: order_u64(z->why, a->why)
	    ?: strcmp(a->kind, z->kind)
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
	index_all(m);
	m->names = name_index_new(arena, in->fabric);
	all = arena_array(arena, opinions->num + 1, sizeof(*all));
	for (size_t i = 0; i < opinions->num; i++)
		all[i] = statement_of(m, &opinions->all[i]);
	qsort(all, opinions->num, sizeof(*all), by_statement);
	for (size_t i = 0; i < opinions->num; i++)
		if (!i || !is_repeated(&all[i - 1], &all[i]))
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
