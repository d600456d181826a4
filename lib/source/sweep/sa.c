/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * What a sweep learns of subnet administration: how long it takes to answer, who is a
 * member of which multicast group, and (paths.c) the service levels of paths.  It is asked
 * where the PortInfo of the origin says (MasterSMLID, MasterSMSL), or where it redirects to.
 *
 * How long ClassPortInfo takes is measured while nothing else is under way, or all else is
 * silent.  Where that is not answered nothing else is asked.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "fabric/attributes.h"
#include "source/sweep/sa_client.h"
#include "wire/pma.h"

/* struct sa_table - records that are asked for all at once; @size: bytes of one, or more */
struct sa_table {
	enum ibc_attr attr;
	uint16_t attribute; /* enum sa_attribute */
	size_t size;
	enum answer (*learn)(struct sa_client *sa, const struct sa_records *records);
};

/* A query that is not one of many. */
struct sa_ask {
	struct engine_ask ask;
	struct sa_client *sa;
	struct sa_query what;
	const struct sa_table *table; /* NULL: ClassPortInfo */
	uint64_t sent_ns;
	bool redirected, again;
};

void sa_route(struct sa_client *sa, struct sa_query *q, struct mad_addr *to, uint8_t mad[MAD_SIZE])
{
	q->sm_key = sa->sweep->opts->sm_key;
	q->lid = sa->known->lid;
	q->sl = sa->origin->sm_sl;
	sa_ask(mad, to, q);
	if (sa->moved_to.dlid)
		*to = sa->moved_to;
}

static bool ask_route(struct engine_ask *ask_, unsigned int try, struct mad_addr *to,
                      uint8_t mad[MAD_SIZE])
{
	struct sa_ask *q = (struct sa_ask *)ask_;

	(void)try;
	sa_route(q->sa, &q->what, to, mad);
	q->sent_ns = sweep_now_ns(q->sa->sweep);
	return true;
}

/* Of a table, or with NULL of ClassPortInfo.  A table may take the server long. */
static void ask_sa(struct sa_client *sa, const struct sa_table *table,
                   void (*done)(struct engine_ask *ask, enum engine_outcome outcome,
                                const uint8_t mad[MAD_SIZE]))
{
	struct sa_ask *q = sweep_alloc(sa->sweep, 1, sizeof(*q));

	q->sa = sa;
	q->table = table;
	q->what = table ? (struct sa_query){ .method = MAD_METHOD_GET_TABLE,
		                             .attribute = table->attribute }
	                : (struct sa_query){ .method = MAD_METHOD_GET,
		                             .attribute = SA_CLASS_PORT_INFO };
	q->ask.device = &sa->device;
	q->ask.slow = table;
	q->ask.route = ask_route;
	q->ask.done = done;
	engine_ask(sa->sweep->engine, &q->ask);
}

/* ---- ClassPortInfo ---------------------------------------------------------------- */

static void class_done(struct engine_ask *ask_, enum engine_outcome outcome,
                       const uint8_t mad[MAD_SIZE])
{
	struct sa_ask *q = (struct sa_ask *)ask_;
	struct sa_client *sa = q->sa;
	struct sa_class_info info;

	if (outcome == ENGINE_NOT_ASKED) {
		sa->sweep->subnet->not_asked++;
		return;
	}
	if (mad)
		sa_class_info_get(mad, &info);
	/* once, and somewhere else than where it was asked */
	if (mad && (outcome == ENGINE_ANSWERED || pma_is_redirect(mad)) && !q->redirected) {
		const struct mad_addr *to = &info.redirect;

		if (to->dlid > 0 && to->dlid <= UNICAST_LID_MAX &&
		    (to->dlid != sa->known->lid || to->qpn > 1)) {
			q->redirected = true;
			sa->moved_to = *to;
			engine_ask(sa->sweep->engine, &q->ask);
			return;
		}
	}
	if (outcome == ENGINE_ANSWERED && q->ask.length < MAD_SIZE)
		outcome = ENGINE_REFUSED;
	if (outcome == ENGINE_ANSWERED) {
		uint64_t us = (sweep_now_ns(sa->sweep) - q->sent_ns) / 1000;

		sa->known->latency_us = us > UINT32_MAX ? UINT32_MAX : (uint32_t)us;
		sa->known->response_us = info.response_us;
		sa->known->cap_mask = info.cap_mask;
	}
	/* without a ClassPortInfo it may have all else */
	sa->answers = outcome == ENGINE_ANSWERED || outcome == ENGINE_UNSUPPORTED;
	answers_put(sa->origin, IBC_ATTR_SA_CLASS_PORT_INFO, answer_of(outcome));
}

void sa_ask_class_info(struct sweep *s)
{
	const struct ibc_port *origin = s->subnet->origin;
	struct ibc_sa *known;

	if (!origin || s->sa)
		return;
	known = sweep_keep(s, 1, sizeof(*known));
	known->lid = origin->sm_lid;
	s->subnet->sa = known;
	s->sa = sweep_alloc(s, 1, sizeof(*s->sa));
	s->sa->sweep = s;
	s->sa->origin = fabric_build_port(origin->node, origin->num);
	s->sa->known = known;
	if (origin->lid && origin->state == IBC_STATE_ACTIVE && known->lid &&
	    known->lid <= UNICAST_LID_MAX)
		ask_sa(s->sa, NULL, class_done);
}

/* ---- MCMemberRecord --------------------------------------------------------------- */

static int by_mlid(const void *va, const void *vz)
{
	const struct ibc_mc_member *a = va, *z = vz;
	int order = order_u64(a->mlid, z->mlid) ?: order_u64(a->port_guid, z->port_guid);

	return order ?: memcmp(a->mgid, z->mgid, sizeof(a->mgid));
}

static enum answer learn_members(struct sa_client *sa, const struct sa_records *records)
{
	struct ibc_mc_member *members = sweep_keep(sa->sweep, records->num + 1, sizeof(*members));

	for (size_t i = 0; i < records->num; i++)
		sa_member_get(records->first + i * records->size, &members[i]);
	qsort(members, records->num, sizeof(*members), by_mlid);
	sa->known->members = members;
	sa->known->num_members = records->num;
	if (!records->cut_short)
		return ANSWER_OK;
	ibc_attrs_add(&sa->known->cut_short, IBC_ATTR_MC_MEMBER_RECORD);
	return ANSWER_NONE;
}

static const struct sa_table members = {
	.attr = IBC_ATTR_MC_MEMBER_RECORD,
	.attribute = SA_MC_MEMBER_RECORD,
	.size = SA_MEMBER_SIZE,
	.learn = learn_members,
};

/* ---- ServiceRecord ---------------------------------------------------------------- */

static int by_gid(const void *va, const void *vz)
{
	const struct ibc_service *a = va, *z = vz;

	return memcmp(a->gid, z->gid, sizeof(a->gid)) ?: order_u64(a->id, z->id);
}

/* What came of an answer that was cut short is known; that there is more, too. */
static enum answer learn_services(struct sa_client *sa, const struct sa_records *records)
{
	struct ibc_service *list = sweep_keep(sa->sweep, records->num + 1, sizeof(*list));
	struct ibc_sa *known = sa->known;

	known->num_services = 0;
	for (size_t i = 0; i < records->num; i++)
		known->num_services += sa_service_get(records->first + i * records->size,
		                                      &list[known->num_services]);
	qsort(list, known->num_services, sizeof(*list), by_gid);
	known->services = list;
	known->cut_short = ibc_attrs_minus(known->cut_short, IBC_ATTRS(IBC_ATTR_SERVICE_RECORD));
	if (records->cut_short)
		ibc_attrs_add(&known->cut_short, IBC_ATTR_SERVICE_RECORD);
	return known->num_services || !records->cut_short ? ANSWER_OK : ANSWER_NONE;
}

static const struct sa_table services = {
	.attr = IBC_ATTR_SERVICE_RECORD,
	.attribute = SA_SERVICE_RECORD,
	.size = SA_SERVICE_SIZE,
	.learn = learn_services,
};

/* ---- the rest --------------------------------------------------------------------- */

static void table_done(struct engine_ask *ask_, enum engine_outcome outcome,
                       const uint8_t mad[MAD_SIZE])
{
	struct sa_ask *q = (struct sa_ask *)ask_;
	struct sa_client *sa = q->sa;
	struct sa_records records = { 0 };
	enum answer answer;

	if (outcome == ENGINE_NOT_ASKED) {
		sa->sweep->subnet->not_asked++;
		return;
	}
	if (outcome == ENGINE_SILENT && !q->again) {
		q->again = true;
		engine_ask(sa->sweep->engine, &q->ask);
		return;
	}
	answer = answer_of(outcome);
	if (mad && outcome == ENGINE_ANSWERED)
		answer = sa_records_get(mad, q->ask.length, q->table->size, &records)
		             ? q->table->learn(sa, &records)
		             : ANSWER_REFUSED;
	else if (mad && sa_has_no_records(mad))
		answer = q->table->learn(sa, &records);
	/* an earlier answer stays where there is none the second time */
	if (answer == ANSWER_OK || !ibc_port_has(sa->origin, q->table->attr))
		answers_put(sa->origin, q->table->attr, answer);
}

void sa_ask_records(struct sweep *s)
{
	if (!s->sa || !s->sa->answers)
		return;
	if (ibc_attrs_has(s->needs, IBC_ATTR_PATH_RECORD))
		paths_ask_sample(s->sa);
	if (ibc_attrs_has(s->needs, IBC_ATTR_MC_MEMBER_RECORD))
		ask_sa(s->sa, &members, table_done);
	if (ibc_attrs_has(s->needs, IBC_ATTR_SERVICE_RECORD))
		ask_sa(s->sa, &services, table_done);
}

/*
 * A manager renews its record before the lease ends, or just after; when another one has taken
 * over, the record of the last one stays for a while.  So who is not just one is looked for again.
 */
void sa_ask_services_again(struct sweep *s)
{
	if (s->sa && ibc_port_has(s->sa->origin, IBC_ATTR_SERVICE_RECORD) &&
	    s->sa->known->num_services != 1)
		ask_sa(s->sa, &services, table_done);
}

void sa_ask_paths(struct sweep *s)
{
	if (s->sa && s->sa->answers)
		paths_ask_rest(s->sa);
}

/* What could not be asked is a query without an answer. */
void sa_finish(struct sweep *s)
{
	const struct ibc_attrs due = ibc_attrs_and(s->needs, attrs_where(ATTR_CLASS, ATTR_SA));
	struct sa_client *sa = s->sa;

	if (!sa)
		return;
	paths_finish(sa);
	for (enum ibc_attr a = 0; (a = ibc_attrs_next(due, a));)
		if (!ibc_port_answer(sa->origin, a))
			answers_put(sa->origin, a, ANSWER_NONE);
}
