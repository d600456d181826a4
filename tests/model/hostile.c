/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "model/encode.h"
#include "model/hostile.h"
#include "wire/mad.h"
#include "wire/smp.h"

#define DATA           64 /* of a MAD: before it, only subnet administration has some */
#define NODE_GUID      12 /* in NodeInfo (IBA 14.2.5.3) ... */
#define NUM_PORTS      2
#define GUID_SIZE      8
#define STATES         32 /* and in PortInfo: PortState and PortPhysicalState (IBA 14.2.5.6) */
#define FRESH          0xbad0000000000000
#define MS             1000000ull
#define STATUS_BUSY    0x01
#define STATUS_UNKNOWN 0x0c
#define STATUS_ODD     0x14 /* reserved: no (IBA 13.4.7) */

/* ---- what decides -------------------------------------------------------------------- */

static uint64_t by_chance(struct hostile *h)
{
	uint64_t z = h->seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static bool has_tape(const struct hostile *h)
{
	return h->tape && (h->at < h->length || (h->endless && h->length));
}

/* Below n, which is at most 256. */
static unsigned int draw(struct hostile *h, unsigned int n)
{
	if (!h->tape)
		return (unsigned int)(by_chance(h) % n);
	return has_tape(h) ? h->tape[h->at++ % h->length] % n : 0;
}

/* Half of the bytes of a tape ask for the truth. */
static bool is_true(struct hostile *h, unsigned int kinds)
{
	if (!(h->kinds & kinds))
		return true;
	if (h->tape)
		return draw(h, 256) < 0x80;
	return (double)(by_chance(h) >> 11) * 0x1p-53 >= h->part;
}

static enum hostile_kind kind_of_next(struct hostile *h)
{
	unsigned int kind = draw(h, HOSTILE_INVENTED);

	while (!(h->kinds & HOSTILE_KIND(kind)))
		kind = (kind + 1) % HOSTILE_INVENTED;
	return kind;
}

/* ---- what is done to an answer ------------------------------------------------------- */

static void put_status(uint8_t *mad, uint16_t status)
{
	struct mad_header header;

	mad_header_get(mad, &header);
	header.status = status;
	mad_header_put(mad, &header);
}

static void make_busy(struct hostile *h, uint8_t *mad)
{
	(void)h;
	put_status(mad, STATUS_BUSY);
}

static void refuse(struct hostile *h, uint8_t *mad)
{
	(void)h;
	put_status(mad, STATUS_ODD);
}

static void know_nothing(struct hostile *h, uint8_t *mad)
{
	(void)h;
	put_status(mad, STATUS_UNKNOWN);
}

/* Class, method, the generation of the transaction id, attribute, modifier. */
static void answer_another(struct hostile *h, uint8_t *mad)
{
	static const struct {
		uint8_t byte, bit;
	} places[] = { { 1, 0x04 }, { 3, 0x10 }, { 12, 0x80 }, { 17, 0x01 }, { 23, 0x01 } };
	unsigned int i = draw(h, sizeof(places) / sizeof(places[0]));

	mad[places[i].byte] ^= places[i].bit;
}

/* Before its query is given up, between two tries, or long afterwards. */
static void be_late(struct hostile *h, uint8_t *mad)
{
	static const uint64_t ms[] = { 1, 25, 90, 400, 3000 };

	(void)mad;
	h->fate.late_ns = ms[draw(h, sizeof(ms) / sizeof(ms[0]))] * MS;
}

static void say_twice(struct hostile *h, uint8_t *mad)
{
	(void)mad;
	h->fate.times = 2 + draw(h, 3);
}

static void be_short(struct hostile *h, uint8_t *mad)
{
	(void)mad;
	h->answer_length = draw(h, 56);
}

static void be_long(struct hostile *h, uint8_t *mad)
{
	(void)mad;
	h->answer_length = MAD_SIZE + 3 * draw(h, 256);
	for (size_t i = 0; i < sizeof(h->whole); i++)
		h->whole[i] = (uint8_t)draw(h, 256);
}

static void change_byte(struct hostile *h, uint8_t *mad)
{
	unsigned int i = draw(h, MAD_SIZE - DATA);

	mad[DATA + i] = (uint8_t)draw(h, 256);
}

static void fill(struct hostile *h, uint8_t *mad)
{
	for (unsigned int i = DATA; i < DATA + SMP_DATA_SIZE; i++)
		mad[i] = (uint8_t)draw(h, 256);
}

static uint8_t *stale_of(struct hostile *h, const uint8_t *mad)
{
	struct mad_header header;

	mad_header_get(mad, &header);
	return h->stale[header.attribute % 16];
}

static void repeat_another(struct hostile *h, uint8_t *mad)
{
	memcpy(mad + DATA, stale_of(h, mad) + DATA, MAD_SIZE - DATA);
}

static bool is_about(const uint8_t *mad, uint16_t attribute)
{
	struct mad_header header;

	mad_header_get(mad, &header);
	return header.attribute == attribute;
}

static void change_guid(struct hostile *h, uint8_t *mad)
{
	if (!is_about(mad, SMP_NODE_INFO))
		return;
	bytes_put(mad + DATA + NODE_GUID, GUID_SIZE, FRESH + ++h->guids);
}

static void change_ports(struct hostile *h, uint8_t *mad)
{
	static const uint8_t nums[] = { 0, 1, 36, 254, 255 };

	if (is_about(mad, SMP_NODE_INFO))
		mad[DATA + NUM_PORTS] = nums[draw(h, sizeof(nums))];
}

static void be_linked(struct hostile *h, uint8_t *mad)
{
	(void)h;
	if (!is_about(mad, SMP_PORT_INFO))
		return;
	mad[DATA + STATES] = (uint8_t)((mad[DATA + STATES] & 0xf0) | IBC_STATE_ACTIVE);
	mad[DATA + STATES + 1] = (uint8_t)(IBC_PHYS_LINKUP << 4 | (mad[DATA + STATES + 1] & 0x0f));
}

/* NULL: nothing comes. */
static void (*const ways[])(struct hostile *h, uint8_t *mad) = {
	[HOSTILE_BUSY] = make_busy,           [HOSTILE_REFUSED] = refuse,
	[HOSTILE_HEADER] = answer_another,    [HOSTILE_LATE] = be_late,
	[HOSTILE_TWICE] = say_twice,          [HOSTILE_SHORT] = be_short,
	[HOSTILE_BYTE] = change_byte,         [HOSTILE_FILL] = fill,
	[HOSTILE_STALE] = repeat_another,     [HOSTILE_GUID] = change_guid,
	[HOSTILE_PORTS] = change_ports,       [HOSTILE_LINKED] = be_linked,
	[HOSTILE_UNSUPPORTED] = know_nothing, [HOSTILE_LONG] = be_long,
};

/* ---- liars --------------------------------------------------------------------------- */

static void note_liar(struct hostile *h, const struct ibc_node *node)
{
	for (size_t i = 0; node && i < ibc_fabric_count(h->real).nodes; i++)
		if (ibc_fabric_node(h->real, i) == node)
			h->liars[i] = true;
}

/* Who spoke, and in whose name. */
static void note_lie(struct hostile *h, int device, const uint8_t *mad)
{
	struct mad_header header;
	struct node_info ni;

	if (!h->liars)
		return;
	h->liars[device] = true;
	mad_header_get(mad, &header);
	node_info_get(mad + DATA, &ni);
	if (header.attribute == SMP_NODE_INFO)
		note_liar(h, ibc_fabric_node_by_guid(h->real, ni.node_guid));
}

/* ---- what is made up ------------------------------------------------------------------- */

static void invent_node(struct hostile *h, uint8_t *data)
{
	unsigned int ports = h->inventions ? h->inventions : 1 + draw(h, 255);
	uint64_t guid = FRESH + (h->same_guid ? 0 : ++h->guids);
	const struct node_info ni = {
		.type = IBC_NODE_SWITCH,
		.num_ports = (uint8_t)ports,
		.local_port = 1,
		.system_guid = guid,
		.node_guid = guid,
		.port_guid = guid,
	};

	node_info_put(data, &ni);
}

static void invent_port(struct hostile *h, uint8_t *data)
{
	const struct port_info pi = {
		.state = IBC_STATE_ACTIVE,
		.phys_state = IBC_PHYS_LINKUP,
		.width_active = IBC_WIDTH_4X,
		.width_enabled = IBC_WIDTH_4X,
		.width_supported = IBC_WIDTH_4X,
		.lmc = (uint8_t)draw(h, 8),
		.lid = (uint16_t)(draw(h, 192) << 8 | draw(h, 256)),
		.vl_active = 1,
	};

	port_info_put(data, &pi);
}

static int invent(struct hostile *h, uint8_t *mad)
{
	struct mad_header header;

	mad_header_get(mad, &header);
	header.method = MAD_METHOD_GET_RESP;
	mad_header_put(mad, &header);
	memset(mad + DATA, 0, MAD_SIZE - DATA);
	if (header.attribute == SMP_NODE_INFO)
		invent_node(h, mad + DATA);
	else if (header.attribute == SMP_PORT_INFO)
		invent_port(h, mad + DATA);
	h->done[HOSTILE_INVENTED]++;
	return 0;
}

/* ---- answers --------------------------------------------------------------------------- */

static void distort(struct hostile *h, enum hostile_kind kind, int device, uint8_t *mad)
{
	h->done[kind]++;
	if (ways[kind])
		ways[kind](h, mad);
	if (!(HOSTILE_KIND(kind) & HOSTILE_DAMAGE))
		note_lie(h, device, mad);
}

int hostile_answer(void *hostile, const struct mad_addr *to, uint8_t mad[MAD_SIZE])
{
	struct hostile *h = hostile;
	int device = model_answer(h->model, to, mad);
	enum hostile_kind kind;
	uint8_t truth[MAD_SIZE];

	h->fate = model_fate(h->model);
	h->answer_length = 0;
	if (device == LINE_NOBODY)
		return is_true(h, HOSTILE_KIND(HOSTILE_INVENTED)) ? LINE_NOBODY : invent(h, mad);
	memcpy(truth, mad, MAD_SIZE);
	if (!is_true(h, ~HOSTILE_KIND(HOSTILE_INVENTED))) {
		kind = kind_of_next(h);
		distort(h, kind, device, mad);
		if (!ways[kind])
			device = LINE_NOBODY;
	}
	memcpy(stale_of(h, truth), truth, MAD_SIZE);
	return device;
}

struct line_fate hostile_fate(void *hostile)
{
	return ((struct hostile *)hostile)->fate;
}

const uint8_t *hostile_whole(void *hostile, size_t *length)
{
	struct hostile *h = hostile;

	if (!h->answer_length)
		return model_whole(h->model, length);
	*length = h->answer_length;
	return h->whole;
}
