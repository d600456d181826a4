/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The physical layer in a snapshot: what is not known is not written, but 0 is.  Lists of
 * readings are cut behind the last one that is known.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include <ibcheck/fabric.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/jsonread.h"
#include "base/jsonwrite.h"
#include "base/phywords.h"
#include "fabric/attributes.h"
#include "source/fields.h"

/* What an earlier sweep read has an age, as counters have: see countfields.c. */
struct phy_record {
	struct ibc_phy phy;
	double age_seconds;
};
static const struct field phy_fields[] = {
	{ "at_seconds", offsetof(struct ibc_phy, at_seconds), FIELD_REAL },
	{ "age_seconds", offsetof(struct phy_record, age_seconds), FIELD_REAL },
	{ "fec_active", offsetof(struct ibc_phy, fec_active), FIELD_U8 },
	{ "fec_requested", offsetof(struct ibc_phy, fec_requested), FIELD_U8 },
	{ "why_down", offsetof(struct ibc_phy, why_down), FIELD_TEXT },
	{ NULL, 0, 0 },
};

static const struct field histogram_fields[] = {
	{ "fec_type", offsetof(struct ibc_fec_histogram, fec_type), FIELD_U8 },
	{ "bins", offsetof(struct ibc_fec_histogram, num_bins), FIELD_U8 },
	{ NULL, 0, 0 },
};

static const struct field module_fields[] = {
	{ "vendor", offsetof(struct ibc_module, vendor), FIELD_TEXT },
	{ "part", offsetof(struct ibc_module, part), FIELD_TEXT },
	{ "revision", offsetof(struct ibc_module, revision), FIELD_TEXT },
	{ "serial", offsetof(struct ibc_module, serial), FIELD_TEXT },
	{ "date", offsetof(struct ibc_module, date), FIELD_TEXT },
	{ "firmware", offsetof(struct ibc_module, firmware), FIELD_TEXT },
	{ "oui", offsetof(struct ibc_module, oui), FIELD_U32 },
	{ "rates", offsetof(struct ibc_module, rates), FIELD_U16 },
	{ "kind", offsetof(struct ibc_module, kind), FIELD_U8 },
	{ "form", offsetof(struct ibc_module, form), FIELD_U8 },
	{ "technology", offsetof(struct ibc_module, technology), FIELD_U8 },
	{ "breakout", offsetof(struct ibc_module, breakout), FIELD_U8 },
	{ "monitored", offsetof(struct ibc_module, monitored), FIELD_U8 },
	{ "rx_average", offsetof(struct ibc_module, rx_average), FIELD_BOOL },
	{ "state", offsetof(struct ibc_module, state), FIELD_U8 },
	{ "config_error", offsetof(struct ibc_module, config_error), FIELD_U8 },
	{ NULL, 0, 0 },
};

static const struct field sensor_fields[] = {
	{ "name", offsetof(struct ibc_sensor, name), FIELD_TEXT },
	{ "index", offsetof(struct ibc_sensor, index), FIELD_U16 },
	{ "kind", offsetof(struct ibc_sensor, kind), FIELD_U8 },
	{ "alarm", offsetof(struct ibc_sensor, alarm), FIELD_U8 },
	{ NULL, 0, 0 },
};

/* ---- lists of numbers ------------------------------------------------------------- */

static void put_u8s(struct json_out *o, const char *key, const uint8_t *values, size_t n)
{
	json_key(o, key);
	json_open(o, '[');
	for (size_t i = 0; i < n; i++)
		json_put_number(o, values[i]);
	json_close(o, ']');
}

/* A list of exactly n. */
static bool get_u8s(const struct json_item *list, uint8_t *out, size_t n)
{
	uint64_t value;

	if (!json_is(list, JSON_LIST) || list->size != n)
		return false;
	/* numbers have nothing inside */
	for (size_t i = 0; i < n; i++) {
		if (!json_index(list + 1 + i, UINT8_MAX, &value))
			return false;
		out[i] = (uint8_t)value;
	}
	return true;
}

static void put_reals(struct json_out *o, const double *values, size_t n)
{
	while (n > 0 && isnan(values[n - 1]))
		n--;
	json_open(o, '[');
	for (size_t i = 0; i < n; i++)
		json_put_real(o, values[i]);
	json_close(o, ']');
}

static bool get_reals(const struct json_item *list, double *out, size_t n)
{
	if (!json_is(list, JSON_LIST) || list->size > n)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct json_item *item = list + 1 + i;

		out[i] = NAN;
		if (i >= list->size || item->kind == JSON_NOTHING)
			continue;
		if (item->kind != JSON_NUMBER && item->kind != JSON_REAL_NUMBER)
			return false;
		out[i] = item->kind == JSON_NUMBER ? (double)item->number : item->real;
	}
	return true;
}

static int fail_key(struct ibc_error *err, const char *key)
{
	return fail(err, -EINVAL, "invalid value of \"%s\"", key);
}

/* ---- the link --------------------------------------------------------------------------- */

static void put_histogram(struct json_out *o, const struct ibc_fec_histogram *h)
{
	json_key(o, "histogram");
	json_open(o, '{');
	fields_put(o, histogram_fields, h);
	put_u8s(o, "low", h->low, h->num_bins);
	put_u8s(o, "high", h->high, h->num_bins);
	json_key(o, "blocks");
	json_open(o, '[');
	for (unsigned int i = 0; i < h->num_blocks; i++)
		count_put(o, h->blocks[i]);
	json_close(o, ']');
	json_close(o, '}');
}

static void put_phy(struct json_out *o, const struct ibc_phy *phy)
{
	struct phy_record told = { *phy, phy->at_seconds < 0 ? -phy->at_seconds : 0 };

	told.phy.at_seconds += told.age_seconds;
	json_key(o, "phy");
	json_open(o, '{');
	fields_put(o, phy_fields, &told);
	json_key(o, "values");
	json_open(o, '{');
	for (unsigned int i = 0; i < IBC_PHY_VALUES; i++) {
		if (!ibc_phy_knows(phy, i))
			continue;
		json_key(o, ibc_phy_value_word(i)->word);
		count_put(o, phy->value[i]);
	}
	json_close(o, '}');
	if (phy->known_bers) {
		json_key(o, "known_bers");
		json_put_number(o, phy->known_bers);
		put_u8s(o, "bers", (uint8_t *)phy->ber, sizeof(phy->ber));
	}
	if (phy->histogram)
		put_histogram(o, phy->histogram);
	json_close(o, '}');
}

/* They are written in order, so that the first look finds it. */
static unsigned int phy_value_of(const char *key, unsigned int first)
{
	for (unsigned int n = 0; n < IBC_PHY_VALUES; n++) {
		unsigned int i = (first + n) % IBC_PHY_VALUES;

		if (strcmp(ibc_phy_value_word(i)->word, key) == 0)
			return i;
	}
	return IBC_PHY_VALUES;
}

static int get_values(const struct json_item *values, struct ibc_phy *phy, struct ibc_error *err)
{
	unsigned int next = 0;

	if (!json_is(values, JSON_MEMBERS))
		return fail_key(err, "values");
	for (const struct json_item *key = values + 1; key != json_behind(values);
	     key = json_behind(key + 1)) {
		unsigned int i = phy_value_of(key->text, next);

		if (i == IBC_PHY_VALUES)
			return fail(err, -EINVAL, "unknown value \"%s\"", key->text);
		if (ibc_phy_knows(phy, i) || !count_get(key + 1, &phy->value[i]))
			return fail_key(err, key->text);
		phy->known |= UINT64_C(1) << i;
		next = i + 1;
	}
	return 0;
}

static int get_histogram(const struct json_item *from, struct ibc_phy *phy, struct arena *a,
                         struct ibc_error *err)
{
	struct field_other other[] = {
		{ "low", NULL }, { "high", NULL }, { "blocks", NULL }, { NULL, NULL }
	};
	struct ibc_fec_histogram *h = arena_alloc(a, sizeof(*h));
	size_t n;
	int rc;

	if (!h)
		return fail_nomem(err);
	rc = fields_get(from, histogram_fields, h, other, a, err);
	if (rc)
		return rc;
	if (h->num_bins > IBC_FEC_BINS || !get_u8s(other[0].value, h->low, h->num_bins) ||
	    !get_u8s(other[1].value, h->high, h->num_bins))
		return fail_key(err, "bins");
	n = json_size(other[2].value);
	if (!json_is(other[2].value, JSON_LIST) || n > IBC_FEC_BINS)
		return fail_key(err, "blocks");
	for (size_t i = 0; i < n; i++)
		if (!count_get(other[2].value + 1 + i, &h->blocks[i]))
			return fail_key(err, "blocks");
	h->num_blocks = (uint8_t)n;
	phy->histogram = h;
	return 0;
}

static int get_phy(const struct json_item *from, struct ibc_port *port, struct arena *a,
                   struct ibc_error *err)
{
	struct field_other other[] = { { "values", NULL },
		                       { "known_bers", NULL },
		                       { "bers", NULL },
		                       { "histogram", NULL },
		                       { NULL, NULL } };
	struct phy_record *told = arena_alloc(a, sizeof(*told));
	struct ibc_phy *phy = told ? &told->phy : NULL;
	uint64_t bers = 0;
	int rc;

	if (!told)
		return fail_nomem(err);
	port->phy = phy;
	rc = fields_get(from, phy_fields, told, other, a, err);
	phy->at_seconds -= told->age_seconds;
	if (rc == 0)
		rc = get_values(other[0].value, phy, err);
	if (rc)
		return rc;
	if (other[1].value && (!json_index(other[1].value, (1 << IBC_BERS) - 1, &bers) ||
	                       !get_u8s(other[2].value, (uint8_t *)phy->ber, sizeof(phy->ber))))
		return fail_key(err, "bers");
	phy->known_bers = (uint8_t)bers;
	return other[3].value ? get_histogram(other[3].value, phy, a, err) : 0;
}
_Static_assert(sizeof(struct ibc_ber) == 2, "bit error rates are lists of bytes");

/* ---- the module ------------------------------------------------------------------------- */

#define READINGS (IBC_PHY_LANES + 2) /* both limits, then the lanes */
_Static_assert(sizeof(struct ibc_ddm_reading) == READINGS * sizeof(double), "a list of reals");

static bool is_known(const struct ibc_ddm_reading *ddm)
{
	bool known = !isnan(ddm->low) || !isnan(ddm->high);

	for (unsigned int lane = 0; lane < IBC_PHY_LANES; lane++)
		known |= !isnan(ddm->now[lane]);
	return known;
}

static bool any_set(const uint8_t *bytes, size_t n)
{
	while (n > 0 && !bytes[n - 1])
		n--;
	return n > 0;
}

static void put_module(struct json_out *o, const struct ibc_module *m)
{
	json_key(o, "module");
	json_open(o, '{');
	fields_put(o, module_fields, m);
	if (!isnan(m->length_m)) {
		json_key(o, "length_m");
		json_put_real(o, m->length_m);
	}
	for (unsigned int i = 0; i < IBC_DDMS; i++) {
		if (!is_known(&m->ddm[i]))
			continue;
		json_key(o, ibc_ddm_word(i)->word);
		put_reals(o, (const double *)&m->ddm[i], READINGS);
	}
	if (any_set(m->data_path, sizeof(m->data_path)))
		put_u8s(o, "data_path", m->data_path, sizeof(m->data_path));
	if (m->has_latched)
		put_u8s(o, "latched", m->latched, sizeof(m->latched));
	json_close(o, '}');
}

static bool get_length(const struct json_item *value, double *out)
{
	if (value->kind != JSON_NUMBER && value->kind != JSON_REAL_NUMBER)
		return false;
	*out = value->kind == JSON_NUMBER ? (double)value->number : value->real;
	return *out >= 0;
}

static int get_module(const struct json_item *from, struct ibc_port *port, struct arena *a,
                      struct ibc_error *err)
{
	struct field_other other[IBC_DDMS + 4] = { [IBC_DDMS] = { "length_m", NULL },
		                                   { "data_path", NULL },
		                                   { "latched", NULL } };
	struct ibc_module *m = arena_alloc(a, sizeof(*m));
	int rc;

	if (!m)
		return fail_nomem(err);
	module_clear(m);
	port->module = m;
	for (unsigned int i = 0; i < IBC_DDMS; i++)
		other[i].key = ibc_ddm_word(i)->word;
	rc = fields_get(from, module_fields, m, other, a, err);
	if (rc)
		return rc;
	for (unsigned int i = 0; i < IBC_DDMS; i++)
		if (other[i].value && !get_reals(other[i].value, (double *)&m->ddm[i], READINGS))
			return fail_key(err, other[i].key);
	if (other[IBC_DDMS].value && !get_length(other[IBC_DDMS].value, &m->length_m))
		return fail_key(err, "length_m");
	if (other[IBC_DDMS + 1].value &&
	    !get_u8s(other[IBC_DDMS + 1].value, m->data_path, sizeof(m->data_path)))
		return fail_key(err, "data_path");
	m->has_latched = other[IBC_DDMS + 2].value;
	if (m->has_latched && !get_u8s(other[IBC_DDMS + 2].value, m->latched, sizeof(m->latched)))
		return fail_key(err, "latched");
	return 0;
}

/* ---- of a port, of a node ----------------------------------------------------------------- */

void port_phy_put(struct json_out *o, const struct ibc_port *port)
{
	if (port->phy)
		put_phy(o, port->phy);
	if (port->module)
		put_module(o, port->module);
}

/* A check that finds an attribute answered looks at what it points to. */
static int fail_missing(const struct ibc_port *port, bool phy, bool module, struct ibc_error *err)
{
	const struct ibc_attrs of_module = IBC_ATTRS(IBC_ATTR_PHY_MODULE,
	                                             IBC_ATTR_PHY_MODULE_LATCHES);
	struct ibc_attrs all = ibc_attrs_and(ibc_port_attrs(port, IBC_ANSWERED),
	                                     ibc_attrs_of_group(IBC_ATTRS_PHYSICAL));

	if (!phy && !ibc_attrs_is_empty(ibc_attrs_minus(all, of_module)))
		return fail(err, -EINVAL, "\"phy\" was answered, but is missing here");
	if (!module && ibc_attrs_meet(all, of_module))
		return fail(err, -EINVAL, "\"module\" was answered, but is missing here");
	return 0;
}

int port_phy_get(const struct json_item *phy, const struct json_item *module, struct ibc_port *port,
                 struct arena *a, struct ibc_error *err)
{
	int rc = fail_missing(port, phy, module, err);

	if (rc == 0 && phy)
		rc = get_phy(phy, port, a, err);
	if (rc == 0 && module)
		rc = get_module(module, port, a, err);
	return rc;
}

#define SENSOR_READINGS 4 /* now, max, low, high */
_Static_assert(offsetof(struct ibc_sensor, high) - offsetof(struct ibc_sensor, now) ==
                   (SENSOR_READINGS - 1) * sizeof(double),
               "a list of reals");

void sensors_put(struct json_out *o, const struct ibc_node *node)
{
	if (!node->num_sensors)
		return;
	json_key(o, "sensors");
	json_open(o, '[');
	for (size_t i = 0; i < node->num_sensors; i++) {
		json_open(o, '{');
		fields_put(o, sensor_fields, &node->sensors[i]);
		json_key(o, "readings");
		put_reals(o, &node->sensors[i].now, SENSOR_READINGS);
		json_close(o, '}');
	}
	json_close(o, ']');
}

int sensors_get(const struct json_item *sensors, struct ibc_node *node, struct arena *a,
                struct ibc_error *err)
{
	struct field_other other[] = { { "readings", NULL }, { NULL, NULL } };
	struct ibc_sensor *s;
	int rc = 0;

	if (!sensors)
		return 0;
	if (!json_is(sensors, JSON_LIST))
		return fail_key(err, "sensors");
	s = arena_array(a, sensors->size + 1, sizeof(*s));
	if (!s)
		return fail_nomem(err);
	node->sensors = s;
	node->num_sensors = sensors->size;
	for (const struct json_item *item = sensors + 1; rc == 0 && item != json_behind(sensors);
	     item = json_behind(item), s++) {
		rc = fields_get(item, sensor_fields, s, other, a, err);
		if (rc == 0 && !get_reals(other[0].value, &s->now, SENSOR_READINGS))
			rc = fail_key(err, "readings");
	}
	return rc;
}
