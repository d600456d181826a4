/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/mad.h>

#include "model/sa.h"
#include "wire/sa.h"

#define STATUS_REDIRECT    0x02
#define STATUS_UNSUPPORTED 0x0c
#define STATUS_NO_RECORDS  0x300
#define RESPONSE_TIME      16
#define MEMBER_ROOM        56 /* a multiple of 8 */
#define RMPP_DATA_ACTIVE   1

static void put_class_info(const struct mad_addr *elsewhere, uint8_t *data)
{
	memset(data, 0, MAD_SIZE - SA_HEADER_SIZE);
	mad_set_field(data, 0, IB_CPI_BASEVER_F, 1);
	mad_set_field(data, 0, IB_CPI_CLASSVER_F, 2);
	mad_set_field(data, 0, IB_CPI_CAPMASK_F, 0x2602);
	mad_set_field(data, 0, IB_CPI_RESP_TIME_VALUE_F, RESPONSE_TIME);
	if (!elsewhere)
		return;
	mad_set_field(data, 0, IB_CPI_REDIRECT_LID_F, elsewhere->dlid);
	mad_set_field(data, 0, IB_CPI_REDIRECT_QP_F, elsewhere->qpn);
	mad_set_field(data, 0, IB_CPI_REDIRECT_QKEY_F, elsewhere->qkey);
}

/* ---- paths ------------------------------------------------------------------------- */

static int answer_path(const struct model_sa *sa, const struct ibc_subnet *subnet, uint8_t *data)
{
	uint16_t slid = (uint16_t)mad_get_field(data, 0, IB_SA_PR_SLID_F);
	uint16_t dlid = (uint16_t)mad_get_field(data, 0, IB_SA_PR_DLID_F);
	unsigned int sl = 0;

	if (!ibc_fabric_port_by_lid(subnet, slid) || !ibc_fabric_port_by_lid(subnet, dlid))
		return STATUS_NO_RECORDS;
	for (size_t i = 0; subnet->sa && i < subnet->sa->num_paths; i++)
		if (subnet->sa->paths[i].slid == slid && subnet->sa->paths[i].dlid == dlid)
			sl = subnet->sa->paths[i].sl;
	mad_set_field(data, 0, IB_SA_PR_SL_F, sl);
	if (sa->odd_path)
		mad_set_field(data, 0, IB_SA_PR_SLID_F, slid + 1u);
	return 0;
}

/* ---- members ----------------------------------------------------------------------- */

static void put_member(const struct ibc_mc_member *m, uint8_t *record)
{
	uint8_t gid[16] = { 0 };

	for (int i = 0; i < 8; i++)
		gid[15 - i] = (uint8_t)(m->port_guid >> 8 * i);
	mad_set_array(record, 0, IB_SA_MCM_MGID_F, (void *)m->mgid);
	mad_set_array(record, 0, IB_SA_MCM_PORTGID_F, gid);
	mad_set_field(record, 0, IB_SA_MCM_QKEY_F, m->qkey);
	mad_set_field(record, 0, IB_SA_MCM_MLID_F, m->mlid);
	mad_set_field(record, 0, IB_SA_MCM_MTU_F, m->mtu);
	mad_set_field(record, 0, IB_SA_MCM_PKEY_F, m->pkey);
	mad_set_field(record, 0, IB_SA_MCM_RATE_F, m->rate);
	mad_set_field(record, 0, IB_SA_MCM_SL_F, m->sl);
	mad_set_field(record, 0, IB_SA_MCM_JOIN_STATE_F, m->join_state);
}

static bool is_told(const struct model_sa *sa, const struct ibc_mc_member *m, bool is_first,
                    uint64_t sm_key)
{
	return !sa->trusted || sa->trusted == sm_key || is_first || !m->port_guid;
}

/* Room for n records of so many bytes, none of them put. */
static void begin_reply(struct model_sa *sa, size_t n, size_t size)
{
	size_t room = SA_HEADER_SIZE + n * size;

	free(sa->reply);
	sa->reply = calloc(1, room > MAD_SIZE ? room : MAD_SIZE);
	assert(sa->reply);
	sa->length = SA_HEADER_SIZE;
}

static int end_reply(struct model_sa *sa, size_t size, uint8_t *mad)
{
	mad_set_field(mad, 0, IB_SA_ATTROFFS_F, sa->length > SA_HEADER_SIZE ? size / 8 : 0);
	if (!sa->only_first)
		mad_set_field(mad, 0, IB_SA_RMPP_TYPE_F, RMPP_DATA_ACTIVE);
	else if (sa->length > MAD_SIZE)
		sa->length = MAD_SIZE;
	memcpy(mad + SA_HEADER_SIZE, sa->reply + SA_HEADER_SIZE, MAD_SIZE - SA_HEADER_SIZE);
	return 0;
}

static int answer_members(struct model_sa *sa, const struct ibc_subnet *subnet, uint8_t *mad)
{
	uint64_t key = mad_get_field64(mad, 0, IB_SA_MKEY_F);
	size_t n = subnet->sa ? subnet->sa->num_members : 0;

	begin_reply(sa, n, MEMBER_ROOM);
	for (size_t i = 0; i < n; i++) {
		struct ibc_mc_member m = subnet->sa->members[i];
		bool is_first = i == 0 || m.mlid != subnet->sa->members[i - 1].mlid;

		if (!is_told(sa, &m, is_first, key))
			continue;
		if (sa->trusted && sa->trusted != key)
			m.port_guid = 0;
		put_member(&m, sa->reply + sa->length);
		sa->length += MEMBER_ROOM;
	}
	return end_reply(sa, MEMBER_ROOM, mad);
}

/* ---- services ---------------------------------------------------------------------- */

#define SERVICE_ROOM    176 /* of a ServiceRecord (IBA 15.2.5.14) */
#define SERVICE_NAME_AT 48
#define BY_NAME         (1ull << 6)

static void put_bytes(uint8_t *at, int size, uint64_t value)
{
	for (; size--; value >>= 8)
		at[size] = (uint8_t)value;
}

/* Who asks by name gets that of his question; it is what is registered, and nothing else. */
static int answer_services(struct model_sa *sa, const struct ibc_subnet *subnet, uint8_t *mad)
{
	static const char name[] = "SHArP.AggregationManager";
	const char *asked = (const char *)mad + SA_HEADER_SIZE + SERVICE_NAME_AT;
	bool by_name = mad_get_field64(mad, 0, IB_SA_COMPMASK_F) == BY_NAME;
	size_t n = subnet->sa ? subnet->sa->num_services : 0;

	sa->services_asked++;
	if ((by_name && strcmp(asked, name)) || sa->services_asked <= sa->services_after)
		n = 0;
	if (!n && !sa->stranger)
		return STATUS_NO_RECORDS;
	begin_reply(sa, n + 1, SERVICE_ROOM);
	for (size_t i = 0; i < n + sa->stranger; i++, sa->length += SERVICE_ROOM) {
		uint8_t *record = sa->reply + sa->length;
		struct ibc_service s = i < n ? subnet->sa->services[i] : (struct ibc_service){ 0 };

		put_bytes(record, 8, s.id);
		memcpy(record + 8, s.gid, sizeof(s.gid));
		put_bytes(record + 24, 2, s.pkey);
		put_bytes(record + 28, 4, s.lease_seconds);
		strcpy((char *)record + SERVICE_NAME_AT,
		       i < n ? name : "SHArP.AggregationManager2");
	}
	return end_reply(sa, sa->narrow ? SERVICE_ROOM / 2 : SERVICE_ROOM, mad);
}

/* ---- all --------------------------------------------------------------------------- */

static int answer(struct model_sa *sa, const struct sa_place *at, uint16_t attribute, uint8_t *mad)
{
	if (attribute == SA_CLASS_PORT_INFO) {
		put_class_info(NULL, mad + SA_HEADER_SIZE);
		return 0;
	}
	if (sa->status)
		return sa->status;
	if (attribute == SA_PATH_RECORD && at->method == MAD_METHOD_GET)
		return answer_path(sa, at->subnet, mad + SA_HEADER_SIZE);
	if (attribute == SA_MC_MEMBER_RECORD && at->method == MAD_METHOD_GET_TABLE)
		return answer_members(sa, at->subnet, mad);
	if (attribute == SA_SERVICE_RECORD && at->method == MAD_METHOD_GET_TABLE)
		return answer_services(sa, at->subnet, mad);
	return STATUS_UNSUPPORTED;
}

int model_sa_answer(struct model_sa *sa, const struct sa_place *at, uint16_t attribute,
                    uint8_t mad[MAD_SIZE])
{
	const struct mad_addr *elsewhere = sa->redirect.dlid ? &sa->redirect : NULL;

	sa->length = 0;
	if (sa->silent || (sa->silent_after && ++sa->asked > sa->silent_after))
		return SA_SAYS_NOTHING;
	if (!elsewhere || at->to->qpn == elsewhere->qpn)
		return answer(sa, at, attribute, mad);
	put_class_info(elsewhere, mad + SA_HEADER_SIZE);
	return STATUS_REDIRECT;
}
