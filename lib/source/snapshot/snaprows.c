/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of the tables of a snapshot, written and read. */
#include "source/snapshot/snaprows.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "fabric/build.h"
#include "source/fields.h"

#define SLS        16 /* service levels 0 .. 15 */
#define SET_WORDS  4  /* of 64 bits: a bit for each of 256 ports */
#define SET_DIGITS 64 /* the same in hexadecimal digits */

/* ---- digits -------------------------------------------------------------- */

/* Returns the end. */
static char *put_digits(char *text, unsigned int n, uint64_t value)
{
	for (unsigned int i = n; i > 0; i--, value >>= 4)
		text[i - 1] = "0123456789abcdef"[value & 15];
	return text + n;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* At most 16 digits. */
static bool get_digits(const char *text, unsigned int n, uint64_t *value)
{
	*value = 0;
	for (unsigned int i = 0; i < n; i++) {
		int d = digit(text[i]);

		if (d < 0)
			return false;
		*value = *value << 4 | (unsigned int)d;
	}
	return true;
}

/* ---- sets of ports --------------------------------------------------------- */

/* Digits that the highest port of the set needs. */
static unsigned int set_digits(const uint64_t *set)
{
	unsigned int n = SET_DIGITS;

	while (n > 0 && !(set[(n - 1) / 16] >> (n - 1) % 16 * 4 & 15))
		n--;
	return n;
}

/* In as many digits, the highest first. */
static char *put_set(char *text, unsigned int digits, const uint64_t *set)
{
	for (unsigned int n = digits; n > 0; n--)
		text = put_digits(text, 1, set[(n - 1) / 16] >> (n - 1) % 16 * 4);
	return text;
}

static bool get_set(const char *text, size_t digits, uint64_t *set)
{
	if (digits > SET_DIGITS)
		return false;
	for (size_t at = digits; at > 0; at--, text++) {
		if (digit(*text) < 0)
			return false;
		set[(at - 1) / 16] |= (uint64_t)digit(*text) << (at - 1) % 16 * 4;
	}
	return true;
}

/* ---- forwarding ---------------------------------------------------------- */

static size_t lft_rows(const struct snap_owner *o)
{
	if (o->lft_column == SIZE_MAX)
		return 0;
	return (o->subnet->forwarding->num_lids + IBC_LFT_BLOCK - 1) / IBC_LFT_BLOCK;
}

static bool lft_put(const struct snap_owner *o, size_t row, char *text)
{
	const struct ibc_forwarding *f = o->subnet->forwarding;
	const uint8_t *out = f->out + row * IBC_LFT_BLOCK * f->stride + o->lft_column;

	if (!f->known[row * f->stride + o->lft_column])
		return false;
	for (unsigned int i = 0; i < IBC_LFT_BLOCK; i++)
		text = put_digits(text, 2, out[i * f->stride]);
	*text = '\0';
	return true;
}

static int lft_get(const struct snap_owner *o, size_t row, const char *text, size_t length)
{
	struct fabric_forwarding *f = o->to->lft;
	size_t stride = f->tables.stride;
	uint8_t *known = &f->known[row * stride + o->lft_column];

	if (*known || length != 2 * IBC_LFT_BLOCK)
		return -EINVAL;
	*known = 1;
	for (size_t i = 0; i < IBC_LFT_BLOCK; i++) {
		uint64_t port;

		if (!get_digits(text + 2 * i, 2, &port))
			return -EINVAL;
		f->out[(row * IBC_LFT_BLOCK + i) * stride + o->lft_column] = (uint8_t)port;
	}
	return 0;
}

/* ---- adaptive tables ------------------------------------------------------ */

static const struct ibc_ar_switch *ar_switch(const struct snap_owner *o)
{
	const struct ibc_forwarding *f = o->subnet->forwarding;

	return o->lft_column != SIZE_MAX && f->ar ? &f->ar->switches[o->lft_column] : NULL;
}

static bool entries_put(const struct snap_owner *o, size_t row, char *text)
{
	const struct ibc_forwarding *f = o->subnet->forwarding;
	const uint16_t *entries = f->ar ? f->ar->blocks[row * f->stride + o->lft_column] : NULL;

	for (size_t i = 0; entries && i < IBC_LFT_BLOCK; i++)
		text = put_digits(text, 4, entries[i]);
	*text = '\0';
	return entries;
}

static int entries_get(const struct snap_owner *o, size_t row, const char *text, size_t length)
{
	const struct ibc_ar_tables *ar = o->subnet->forwarding->ar;
	uint16_t entries[IBC_LFT_BLOCK];

	if (length != 4 * IBC_LFT_BLOCK ||
	    (ar && ar->blocks[row * o->subnet->forwarding->stride + o->lft_column]))
		return -EINVAL;
	for (size_t i = 0; i < IBC_LFT_BLOCK; i++) {
		uint64_t entry;

		if (!get_digits(text + 4 * i, 4, &entry))
			return -EINVAL;
		entries[i] = (uint16_t)entry;
	}
	fabric_ar_block(o->build, o->to->lft, o->lft_column, row, entries);
	return 0;
}

static size_t group_rows(const struct snap_owner *o)
{
	const struct ibc_ar_switch *sw = ar_switch(o);

	if (o->to)
		return o->lft_column == SIZE_MAX ? 0 : IBC_AR_GROUPS;
	return sw ? sw->num_groups : 0;
}

static bool group_put(const struct snap_owner *o, size_t row, char *text)
{
	const struct ibc_port_set *set = ar_switch(o)->groups[row];

	if (set)
		text = put_set(text, set_digits(set->words), set->words);
	*text = '\0';
	return set;
}

static int group_get(const struct snap_owner *o, size_t row, const char *text, size_t length)
{
	const struct ibc_ar_switch *sw = ar_switch(o);
	struct ibc_port_set set = { { 0 } };

	if (!get_set(text, length, set.words) || (sw && row < sw->num_groups && sw->groups[row]))
		return -EINVAL;
	fabric_ar_group(o->build, o->to->lft, o->lft_column, (unsigned int)row, &set);
	return 0;
}

static size_t private_rows(const struct snap_owner *o)
{
	return o->to ? o->lft_column != SIZE_MAX : ar_switch(o) != NULL;
}

static bool private_put(const struct snap_owner *o, size_t row, char *text)
{
	*text = '\0';
	return ar_switch(o)[row].private_tables;
}

static int private_get(const struct snap_owner *o, size_t row, const char *text, size_t length)
{
	(void)row, (void)text;
	if (length)
		return -EINVAL;
	fabric_ar_private(o->build, o->to->lft, o->lft_column);
	return 0;
}

static bool gap_put(const struct snap_owner *o, size_t row, char *text)
{
	enum ibc_ar_gap gap = ar_switch(o)[row].gap;

	*put_digits(text, 1, gap) = '\0';
	return gap;
}

static int gap_get(const struct snap_owner *o, size_t row, const char *text, size_t length)
{
	const struct ibc_ar_switch *sw = ar_switch(o);
	uint64_t gap;

	(void)row;
	if (length != 1 || !get_digits(text, 1, &gap) || !gap || gap >= IBC_AR_GAPS ||
	    (sw && (sw->num_groups || sw->gap)))
		return -EINVAL;
	fabric_ar_gap(o->build, o->to->lft, o->lft_column, (enum ibc_ar_gap)gap);
	return 0;
}

/* ---- multicast ----------------------------------------------------------- */

static size_t mft_rows(const struct snap_owner *o)
{
	if (o->mft_column == SIZE_MAX)
		return 0;
	return (o->subnet->multicast->num_mlids + IBC_MFT_BLOCK - 1) / IBC_MFT_BLOCK;
}

static bool mft_put(const struct snap_owner *o, size_t row, char *text)
{
	const struct ibc_multicast *m = o->subnet->multicast;
	const uint64_t *first =
	    &m->ports[(row * IBC_MFT_BLOCK * m->num_switches + o->mft_column) * SET_WORDS];
	unsigned int digits = 0;

	if (!m->known[row * m->num_switches + o->mft_column])
		return false;
	for (size_t i = 0; i < IBC_MFT_BLOCK; i++) {
		unsigned int n = set_digits(first + i * m->num_switches * SET_WORDS);

		digits = n > digits ? n : digits;
	}
	for (size_t i = 0; i < IBC_MFT_BLOCK; i++)
		text = put_set(text, digits, first + i * m->num_switches * SET_WORDS);
	*text = '\0';
	return true;
}

static int mft_get(const struct snap_owner *o, size_t row, const char *text, size_t length)
{
	struct fabric_multicast *m = o->to->mft;
	size_t n = m->tables.num_switches, digits = length / IBC_MFT_BLOCK;
	uint8_t *known = &m->known[row * n + o->mft_column];

	if (*known || length % IBC_MFT_BLOCK || digits > SET_DIGITS)
		return -EINVAL;
	*known = 1;
	for (size_t i = 0; i < IBC_MFT_BLOCK; i++) {
		uint64_t *set =
		    &m->ports[((row * IBC_MFT_BLOCK + i) * n + o->mft_column) * SET_WORDS];

		if (!get_set(text + i * digits, digits, set))
			return -EINVAL;
	}
	return 0;
}

/* ---- virtual lanes ------------------------------------------------------- */

static size_t sl2vl_rows(const struct snap_owner *o)
{
	return o->to || o->node->sl2vl ? o->node->num_ports + 1u : 0;
}

static bool sl2vl_put(const struct snap_owner *o, size_t row, char *text)
{
	const struct ibc_sl2vl *t = o->node->sl2vl;
	bool known = false;
	size_t n;

	if (!t || row >= t->width || (t->uniform && row > 0))
		return false;
	n = t->uniform ? SLS : (size_t)t->width * SLS;
	for (size_t i = 0; i < n; i++) {
		uint8_t vl = t->vl[row * n + i];

		known |= vl != IBC_VL_UNKNOWN;
		text[i] = '-';
		if (vl != IBC_VL_UNKNOWN)
			put_digits(text + i, 1, vl);
	}
	text[n] = '\0';
	return known;
}

static int sl2vl_get_row(const struct snap_owner *o, size_t row, const char *text, size_t length)
{
	const struct ibc_sl2vl *t = o->node->sl2vl;
	size_t width = o->node->num_ports + 1u;
	uint8_t *vl;

	if (!t) { /* the table of a node, in which nothing is known yet */
		struct ibc_sl2vl *new = arena_alloc(o->arena, sizeof(*new));
		size_t n = length == SLS ? SLS : width * width * SLS;

		vl = arena_alloc(o->arena, n);
		memset(vl, IBC_VL_UNKNOWN, n);
		*new = (struct ibc_sl2vl){ vl, (unsigned int)width, length == SLS };
		o->node->sl2vl = t = new;
	}
	if (length != (t->uniform ? SLS : width * SLS) || (t->uniform && row > 0))
		return -EINVAL;
	vl = (uint8_t *)t->vl + row * length;
	for (size_t i = 0; i < length; i++) {
		int d = digit(text[i]);

		if (vl[i] != IBC_VL_UNKNOWN || (d < 0 && text[i] != '-'))
			return -EINVAL;
		vl[i] = d < 0 ? IBC_VL_UNKNOWN : (uint8_t)d;
	}
	return 0;
}

/* ---- arbitration --------------------------------------------------------- */

#define SLOT_DIGITS     4   /* lane and weight */
#define ARBITRATION_END 128 /* slots: 64 of each of two tables (IBA 14.2.5.9) */

static size_t arbitration_rows(const struct snap_owner *o)
{
	return o->node->num_ports + 1u;
}

static bool arbitration_put(const struct snap_owner *o, size_t row, char *text)
{
	const struct ibc_port *port = ibc_node_port(o->node, (unsigned int)row);
	const struct ibc_arbitration *a = port ? port->extra->arbitration : NULL;

	if (!a)
		return false;
	for (unsigned int i = 0; i < a->num_high + a->num_low; i++) {
		if (i == a->num_high)
			*text++ = '/';
		text = put_digits(text, 2, a->slots[i].vl);
		text = put_digits(text, 2, a->slots[i].weight);
	}
	strcpy(text, a->num_low ? "" : "/");
	return true;
}

static int arbitration_get(const struct snap_owner *o, size_t row, const char *text, size_t length)
{
	const char *slash = memchr(text, '/', length);
	struct ibc_arbitration *a = arena_alloc(o->arena, sizeof(*a));
	struct ibc_vl_slot *slots = arena_array(o->arena, length / SLOT_DIGITS + 1, sizeof(*slots));
	struct ibc_port *port = fabric_build_port(o->node, (unsigned int)row);
	size_t high = slash ? (size_t)(slash - text) / SLOT_DIGITS : 0;
	size_t n = length / SLOT_DIGITS;

	if (!slash || !port || port->extra->arbitration || length % SLOT_DIGITS != 1 ||
	    n > ARBITRATION_END || (slash - text) % SLOT_DIGITS)
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		uint64_t slot;

		if (!get_digits(text + SLOT_DIGITS * i + (i >= high), SLOT_DIGITS, &slot))
			return -EINVAL;
		slots[i] = (struct ibc_vl_slot){ (uint8_t)(slot >> 8 & 15), (uint8_t)slot };
	}
	*a = (struct ibc_arbitration){ slots, (uint8_t)high, (uint8_t)(n - high) };
	port_extra(port)->arbitration = a;
	return 0;
}

/* ---- records ------------------------------------------------------------- */

/* A number of a record, count of them one after the other; the last has count 0. */
struct row_part {
	size_t offset;
	enum field_type type;
	unsigned int count;
};

static const struct row_part path_parts[] = {
	{ offsetof(struct ibc_path_sl, slid), FIELD_U16, 1 },
	{ offsetof(struct ibc_path_sl, dlid), FIELD_U16, 1 },
	{ offsetof(struct ibc_path_sl, sl), FIELD_U8, 1 },
	{ 0, FIELD_U8, 0 },
};

static const struct row_part member_parts[] = {
	{ offsetof(struct ibc_mc_member, mgid), FIELD_U8, 16 },
	{ offsetof(struct ibc_mc_member, port_guid), FIELD_U64, 1 },
	{ offsetof(struct ibc_mc_member, qkey), FIELD_U32, 1 },
	{ offsetof(struct ibc_mc_member, mlid), FIELD_U16, 1 },
	{ offsetof(struct ibc_mc_member, pkey), FIELD_U16, 1 },
	{ offsetof(struct ibc_mc_member, mtu), FIELD_U8, 1 },
	{ offsetof(struct ibc_mc_member, rate), FIELD_U8, 1 },
	{ offsetof(struct ibc_mc_member, sl), FIELD_U8, 1 },
	{ offsetof(struct ibc_mc_member, join_state), FIELD_U8, 1 },
	{ 0, FIELD_U8, 0 },
};

static const struct row_part service_parts[] = {
	{ offsetof(struct ibc_service, gid), FIELD_U8, 16 },
	{ offsetof(struct ibc_service, id), FIELD_U64, 1 },
	{ offsetof(struct ibc_service, lease_seconds), FIELD_U32, 1 },
	{ offsetof(struct ibc_service, pkey), FIELD_U16, 1 },
	{ 0, FIELD_U8, 0 },
};

/* The lists of struct ibc_sa: where each is, and how long. */
static const struct record_list {
	const struct row_part *parts;
	size_t size, items, num, read;
} lists[] = {
	{ path_parts, sizeof(struct ibc_path_sl), offsetof(struct ibc_sa, paths),
	  offsetof(struct ibc_sa, num_paths), offsetof(struct snap_subnet, paths) },
	{ member_parts, sizeof(struct ibc_mc_member), offsetof(struct ibc_sa, members),
	  offsetof(struct ibc_sa, num_members), offsetof(struct snap_subnet, members) },
	{ service_parts, sizeof(struct ibc_service), offsetof(struct ibc_sa, services),
	  offsetof(struct ibc_sa, num_services), offsetof(struct snap_subnet, services) },
};

static size_t list_rows(const struct snap_owner *o)
{
	const char *sa = (const char *)o->subnet->sa;

	return sa ? *(const size_t *)(sa + lists[o->list].num) : 0;
}

static bool list_put(const struct snap_owner *o, size_t row, char *text)
{
	const struct record_list *l = &lists[o->list];
	const char *items = *(const char *const *)((const char *)o->subnet->sa + l->items);

	for (const struct row_part *part = l->parts; part->count; part++) {
		unsigned int size = fields_size(part->type);
		const char *at = items + row * l->size + part->offset;

		for (unsigned int i = 0; i < part->count; i++, at += size)
			text = put_digits(text, 2 * size, fields_number(at, part->type));
	}
	*text = '\0';
	return true;
}

/* Reads the record that is due next. */
static int list_get(const struct snap_owner *o, size_t row, const char *text, size_t length)
{
	const struct record_list *l = &lists[o->list];
	struct snap_list *list = (struct snap_list *)((char *)o->to + l->read);
	const char *end = text + length;
	char *record;

	if (row != list->num)
		return -EINVAL;
	arena_grow(o->scratch, &list->items, list->num, &list->room, l->size);
	record = (char *)list->items + row * l->size;
	memset(record, 0, l->size);
	for (const struct row_part *part = l->parts; part->count; part++) {
		unsigned int size = fields_size(part->type);

		for (unsigned int i = 0; i < part->count; i++, text += 2 * size) {
			uint64_t value;

			if (end - text < 2 * (long)size || !get_digits(text, 2 * size, &value))
				return -EINVAL;
			fields_set_number(record + part->offset + i * size, part->type, value);
		}
	}
	if (text != end)
		return -EINVAL;
	list->num++;
	return 0;
}

/* ---- all ----------------------------------------------------------------- */

const struct snap_table snap_tables[] = {
	{ "lft", true, lft_rows, lft_put, .get = lft_get },
	{ "ar", true, lft_rows, entries_put, .get = entries_get },
	{ "ar_groups", true, group_rows, group_put, .get = group_get },
	{ "ar_private", true, private_rows, private_put, .get = private_get },
	{ "ar_gap", true, private_rows, gap_put, .get = gap_get },
	{ "mft", true, mft_rows, mft_put, .get = mft_get },
	{ "sl2vl", true, sl2vl_rows, sl2vl_put, .get = sl2vl_get_row },
	{ "vlarb", true, arbitration_rows, arbitration_put, .get = arbitration_get },
	{ "paths", false, list_rows, list_put, list_get, 0 },
	{ "members", false, list_rows, list_put, list_get, 1 },
	{ "services", false, list_rows, list_put, list_get, 2 },
	{ .name = NULL },
};

struct snap_owner snap_owner(const struct ibc_subnet *subnet, const struct ibc_node *node)
{
	const struct ibc_forwarding *f = subnet->forwarding;
	const struct ibc_multicast *m = subnet->multicast;

	return (struct snap_owner){
		.subnet = subnet,
		.node = (struct ibc_node *)node,
		.lft_column = node && f ? fabric_column(f->switches, f->num_switches, node)
		                        : SIZE_MAX,
		.mft_column = node && m ? fabric_column(m->switches, m->num_switches, node)
		                        : SIZE_MAX,
	};
}
