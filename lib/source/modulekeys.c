/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What ibdiagnet prints of a module, "Temperature: 58C", as ibdiagnet 2.10 does.  Its traps:
 *
 *	powers are whole dBm with a sign, printed without one: 65496.000 dBm is -40, and the mW
 *	in front of it are then "inf"; before 0.000 dBm they are -999.999;
 *	bias is in mA, its limits in units of 2 uA, as the register has them;
 *	passive copper measures nothing, and prints zeros, limits of zero, and flags.
 *
 * Which bits of the alarm words stand for what is in no public source: they are not taken.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/phywords.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/words.h"
#include "fabric/build.h"
#include "source/phyfile.h"

#define BLANKS       " \t"
#define BIAS_UNIT_UA 2 /* of its limits; a module may multiply it, but prints not by what */

struct key {
	const char *key;
	int (*put)(struct module_text *t, const struct key *key, const char *value); /* or NULL */
	size_t to;    /* where a text goes */
	uint8_t what; /* enum ibc_ddm, or enum ibc_latch of Tx */
	enum { HIGH, LOW } limit;
};

/* ---- values ------------------------------------------------------------------------- */

static bool is_none(const char *value)
{
	return !*value || strcasecmp(value, "N/A") == 0 || strcasecmp(value, "NA") == 0;
}

/*
 * A number with a sign and its unit: -ERANGE it has none, where one is needed.  An empty unit
 * is that of a bare number.
 */
static int get_number(const struct module_text *t, const char *value, const char *unit, double *out)
{
	bool negative = *value == '-';
	size_t n = strspn(value += negative, "0123456789.");
	char digits[32];

	if (!str_cut(digits, sizeof(digits), value, n) || str_real(digits, out))
		return -EINVAL;
	value += n;
	value += strspn(value, BLANKS);
	if (!*value && !(t->bare && !*unit))
		return -ERANGE;
	if (strcasecmp(value, unit) != 0)
		return -EINVAL;
	*out = negative ? -*out : *out;
	return 0;
}

/* Whole dBm are of 16 bits: they have a sign. */
static double microwatts(double dbm)
{
	if (dbm > INT16_MAX)
		dbm -= UINT16_MAX + 1;
	return 1000 * pow(10, dbm / 10);
}

#define DBM_MAX 100 /* 10 MW: no number */

static bool is_dbm(double dbm)
{
	return fabs(dbm) <= DBM_MAX || (dbm <= UINT16_MAX && dbm >= UINT16_MAX + 1 - DBM_MAX);
}

/* "1.585 mW, 2.000 dBm"; where dBm are no number, as in "0.000 mW, -inf dBm", mW are one. */
static int get_power(const struct module_text *t, const char *value, double *out)
{
	const char *comma = strchr(value, ',');
	const char *dbm = comma ? comma + 1 + strspn(comma + 1, BLANKS) : value;
	char mw[32];
	int rc = get_number(t, dbm, "dBm", out);

	if (rc == 0 && is_dbm(*out)) {
		*out = microwatts(*out);
		return 0;
	}
	if (!str_cut(mw, sizeof(mw), value, comma ? (size_t)(comma - value) : strlen(value)) ||
	    get_number(t, mw, "mW", out) || *out < 0)
		return rc ? rc : -EINVAL;
	*out *= 1000;
	return 0;
}

/* ---- identity ------------------------------------------------------------------------- */

static int put_text(struct module_text *t, const struct key *key, const char *value)
{
	const char *text = utf8_clean(t->arena, value, strlen(value));

	*(const char **)((char *)&t->module + key->to) = text;
	return text ? 0 : -ENOMEM;
}

static int put_oui(struct module_text *t, const struct key *key, const char *value)
{
	uint64_t oui;

	(void)key;
	if (str_u64(value, 0, 0xffffff, &oui))
		return -EINVAL;
	t->module.oui = (uint32_t)oui;
	return 0;
}

/* "OSFP (0x08)": the number is that of PDDR, of the module's own memory 0x19: the name tells. */
static int put_form(struct module_text *t, const struct key *key, const char *value)
{
	static const uint8_t forms[] = { IBC_FORM_QSFP_CMIS, IBC_FORM_QSFP28, IBC_FORM_QSFP_PLUS,
		                         IBC_FORM_QSFP_DD, IBC_FORM_OSFP };

	(void)key;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		const char *name = ibc_module_form_word(forms[i])->name;

		if (strncasecmp(value, name, strlen(name)) == 0) {
			t->module.form = forms[i];
			return 0;
		}
	}
	return -EINVAL;
}

static int put_type(struct module_text *t, const struct key *key, const char *value)
{
	(void)key;
	if (t->module.technology)
		return 0;
	if (strcasecmp(value, "Copper cable- unequalized") == 0)
		t->module.technology = IBC_TECHNOLOGY_COPPER;
	for (unsigned int i = 1; i <= IBC_TECHNOLOGY_COPPER_LINEAR; i++)
		if (strcasecmp(value, ibc_module_technology_word(i)->name) == 0)
			t->module.technology = (uint8_t)i;
	return 0;
}

/* SFF-8636 has it in the upper half of its byte; ibdiagnet 2.10 prints that half alone. */
static int put_technology(struct module_text *t, const struct key *key, const char *value)
{
	uint64_t code;

	(void)key;
	if (str_u64(value, 0, UINT8_MAX, &code))
		return -EINVAL;
	t->module.technology = (uint8_t)((code > 0xf ? code >> 4 : code) + 1);
	return 0;
}

static int put_length(struct module_text *t, const struct key *key, const char *value)
{
	double metres;
	int rc = get_number(t, value, "m", &metres);

	(void)key;
	if (rc || metres < 0)
		return rc ? rc : -EINVAL;
	t->module.length_m = metres > 0 ? metres : NAN;
	return 0;
}

/* "SDR/EDR/HDR/NDR" */
static int put_rates(struct module_text *t, const struct key *key, const char *value)
{
	char word[16];
	unsigned int rates = 0;

	(void)key;
	while (*value) {
		size_t n = strcspn(value, "/");
		enum ibc_speed speed = IBC_SPEED_UNKNOWN;

		if (str_cut(word, sizeof(word), value, n))
			speed = speed_of(word);
		if (!speed)
			return -EINVAL;
		rates |= speed;
		value += n + (value[n] == '/');
	}
	t->module.rates = (uint16_t)rates;
	return 0;
}

static int put_average(struct module_text *t, const struct key *key, const char *value)
{
	(void)key;
	t->module.rx_average = strncasecmp(value, "Average", 7) == 0;
	return 0;
}

/* "24-01-18", as the module's memory has it: 240118 */
static int put_date(struct module_text *t, const struct key *key, const char *value)
{
	(void)key;
	if (strlen(value) != 8 || value[2] != '-' || value[5] != '-')
		return -EINVAL;
	t->date = arena_printf(t->arena, "%.2s%.2s%.2s", value, value + 3, value + 6);
	return t->date ? 0 : -ENOMEM;
}

static int put_lot(struct module_text *t, const struct key *key, const char *value)
{
	uint64_t lot;

	(void)key;
	if (str_u64(value, 0, UINT16_MAX, &lot))
		return -EINVAL;
	t->lot = (uint16_t)lot;
	return 0;
}

/* ---- what it measures ------------------------------------------------------------------- */

static int put_limit(struct module_text *t, const struct key *key, double value)
{
	struct ibc_ddm_reading *ddm = &t->module.ddm[key->what];

	*(key->limit == HIGH ? &ddm->high : &ddm->low) = value;
	return 0;
}

static int put_temperature(struct module_text *t, const struct key *key, const char *value)
{
	double celsius;
	int rc = get_number(t, value, "C", &celsius);

	(void)key;
	if (rc == 0)
		t->module.ddm[IBC_DDM_TEMPERATURE].now[0] = celsius;
	return rc;
}

static int put_temperature_limit(struct module_text *t, const struct key *key, const char *value)
{
	double celsius;
	int rc = get_number(t, value, "C", &celsius);

	return rc ? rc : put_limit(t, key, celsius);
}

static int put_voltage(struct module_text *t, const struct key *key, const char *value)
{
	double microvolts;
	int rc = get_number(t, value, "uV", &microvolts);

	(void)key;
	if (rc == 0)
		t->module.ddm[IBC_DDM_VOLTAGE].now[0] = microvolts / 1e6;
	return rc;
}

static int put_voltage_limit(struct module_text *t, const struct key *key, const char *value)
{
	double microvolts;
	int rc = get_number(t, value, "uV", &microvolts);

	return rc ? rc : put_limit(t, key, microvolts / 1e6);
}

/* "65530": -6 dBm */
static int put_power_limit(struct module_text *t, const struct key *key, const char *value)
{
	double dbm;
	int rc = get_number(t, value, "", &dbm);

	if (rc || !is_dbm(dbm))
		return rc ? rc : -EINVAL;
	return put_limit(t, key, microwatts(dbm));
}

static int put_bias_limit(struct module_text *t, const struct key *key, const char *value)
{
	double units;
	int rc = get_number(t, value, "", &units);

	return rc ? rc : put_limit(t, key, units * BIAS_UNIT_UA);
}

/* Four lanes of Tx in the upper half, of Rx in the lower (SFF-8636, bytes 3 to 5). */
static int put_flags(struct module_text *t, const struct key *key, const char *value)
{
	uint64_t flags;

	if (str_u64(value, 0, UINT8_MAX, &flags))
		return -EINVAL;
	t->module.has_latched = true;
	t->module.latched[key->what] = (uint8_t)(flags >> 4);
	t->module.latched[key->what - IBC_LATCH_TX_LOS + IBC_LATCH_RX_LOS] = flags & 0xf;
	return 0;
}
_Static_assert(IBC_LATCH_TX_LOL - IBC_LATCH_TX_LOS == IBC_LATCH_RX_LOL - IBC_LATCH_RX_LOS,
               "Rx is as far from Tx in both");

/* "RX1 Power", "TX8Bias" */
static bool get_lane_key(const char *key, enum ibc_ddm *ddm, unsigned int *lane)
{
	bool rx = strncasecmp(key, "RX", 2) == 0;
	const char *name = key + 3;

	if ((!rx && strncasecmp(key, "TX", 2) != 0) || key[2] < '1' || key[2] > '0' + IBC_PHY_LANES)
		return false;
	*lane = (unsigned int)(key[2] - '1');
	name += *name == ' ';
	if (!rx && strcasecmp(name, "Bias") == 0)
		*ddm = IBC_DDM_BIAS;
	else if (strcasecmp(name, "Power") == 0)
		*ddm = rx ? IBC_DDM_RX_POWER : IBC_DDM_TX_POWER;
	else
		return false;
	return true;
}

static int put_lane(struct module_text *t, enum ibc_ddm ddm, unsigned int lane, const char *value)
{
	double now = NAN;
	int rc = ddm == IBC_DDM_BIAS ? get_number(t, value, "mA", &now) : get_power(t, value, &now);

	if (rc == 0)
		t->module.ddm[ddm].now[lane] = ddm == IBC_DDM_BIAS ? now * 1000 : now;
	return rc;
}

/* ---- keys --------------------------------------------------------------------------------- */

#define TEXT(key, field)                                                                           \
	{                                                                                          \
		key, put_text, offsetof(struct ibc_module, field), 0, 0                            \
	}
#define VALUE(key, put)                                                                            \
	{                                                                                          \
		key, put, 0, 0, 0                                                                  \
	}
#define LIMITS(key, put, ddm)                                                                      \
	{ key "HighThresh", put, 0, ddm, HIGH },                                                   \
	{                                                                                          \
		key "LowThresh", put, 0, ddm, LOW                                                  \
	}
#define FLAGS(key, latch)                                                                          \
	{                                                                                          \
		key, put_flags, 0, latch, 0                                                        \
	}
#define NOT_KEPT(key)                                                                              \
	{                                                                                          \
		key, NULL, 0, 0, 0                                                                 \
	}

/* Blanks do not matter, nor what is no letter or digit. */
static const struct key keys[] = {
	NOT_KEPT("Source"),
	VALUE("Identifier", put_form),
	TEXT("Vendor", vendor),
	VALUE("OUI", put_oui),
	TEXT("PN", part),
	TEXT("SN", serial),
	TEXT("Rev", revision),
	VALUE("Length", put_length),
	VALUE("Type", put_type),
	VALUE("SupportedSpeed", put_rates),
	VALUE("Temperature", put_temperature),
	NOT_KEPT("PowerClass"),
	NOT_KEPT("NominalBitrate"),
	NOT_KEPT("CDREnableTxRx"),
	NOT_KEPT("InputEq"),
	NOT_KEPT("OutputAmp"),
	NOT_KEPT("OutputEmp"),
	TEXT("FW Version", firmware),
	NOT_KEPT("Attenuation(5,7,12,25)"),
	VALUE("RX power type", put_average),
	FLAGS("CDR Latched TX/RX Loss Indicator", IBC_LATCH_TX_LOS),
	NOT_KEPT("Latched Adaptive Equalization Fault"),
	FLAGS("Latched TX/RX LOL Indicator", IBC_LATCH_TX_LOL),
	NOT_KEPT("Latched Temperature Alarm and Warning"),
	NOT_KEPT("Latched Voltage Alarm and Warning"),
	NOT_KEPT("RX Power Alarm and Warning"),
	NOT_KEPT("TX Bias Alarm and Warning"),
	NOT_KEPT("TX Power Alarm and Warning"),
	VALUE("Supply Voltage Reporting", put_voltage),
	VALUE("Transmitter Technology", put_technology),
	NOT_KEPT("Extended Specification Compliance Codes"),
	LIMITS("AlarmTemperature", put_temperature_limit, IBC_DDM_TEMPERATURE),
	NOT_KEPT("WarnTemperatureHighThresh"),
	NOT_KEPT("WarnTemperatureLowThresh"),
	LIMITS("AlarmVoltage", put_voltage_limit, IBC_DDM_VOLTAGE),
	NOT_KEPT("WarnVoltageHighThresh"),
	NOT_KEPT("WarnVoltageLowThresh"),
	LIMITS("RXPower", put_power_limit, IBC_DDM_RX_POWER),
	LIMITS("TXPower", put_power_limit, IBC_DDM_TX_POWER),
	LIMITS("TXBias", put_bias_limit, IBC_DDM_BIAS),
	VALUE("DateCode", put_date),
	VALUE("Lot", put_lot),
	NOT_KEPT("TX Adaptive Equalization Freeze"),
	NOT_KEPT("RX Output Disable"),
	NOT_KEPT("TX Adaptive Equalization Enable"),
	NOT_KEPT("OutputPreEmp"),
	NOT_KEPT("OutputPostEmp"),
	/* as CABLE_INFO of db_csv has them */
	VALUE("LengthDesc", put_length),
	VALUE("TypeDesc", put_type),
	VALUE("SupportedSpeedDesc", put_rates),
	VALUE("IdentifierStr", put_form),
};

static const char *skip_marks(const char *s)
{
	while (*s &&
	       !((*s >= '0' && *s <= '9') || (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z')))
		s++;
	return s;
}

static bool is_same_key(const char *a, const char *z)
{
	for (;; a++, z++) {
		a = skip_marks(a);
		z = skip_marks(z);
		if (!*a || (*a | 0x20) != (*z | 0x20))
			return *a == *z;
	}
}

void module_begin(struct module_text *t, struct arena *a, bool bare)
{
	*t = (struct module_text){ .arena = a, .bare = bare };
	module_clear(&t->module);
}

/* In their order, so that the first look finds it. */
static const struct key *find_key(struct module_text *t, const char *key)
{
	for (unsigned int n = 0; n < ARRAY_SIZE(keys); n++) {
		unsigned int i = (t->next + n) % ARRAY_SIZE(keys);

		if (is_same_key(keys[i].key, key)) {
			t->next = i + 1;
			return &keys[i];
		}
	}
	return NULL;
}

bool module_has_key(struct module_text *t, const char *key)
{
	enum ibc_ddm ddm;
	unsigned int lane;

	return get_lane_key(key, &ddm, &lane) || find_key(t, key);
}

int module_key(struct module_text *t, const char *key, const char *value)
{
	const struct key *known;
	enum ibc_ddm ddm;
	unsigned int lane;
	int rc = 0;

	if (get_lane_key(key, &ddm, &lane)) {
		rc = is_none(value) ? 0 : put_lane(t, ddm, lane, value);
	} else {
		known = find_key(t, key);
		if (!known)
			return -ENOENT;
		if (!known->put || is_none(value))
			return 0;
		rc = known->put(t, known, value);
	}
	t->told += rc == 0 && !is_none(value);
	return rc;
}

int phy_module_key(struct phy_file *pf, struct module_text *t, const char *key, const char *value)
{
	int rc = module_key(t, key, value);
	char what[64];

	if (rc == 0 || rc == -ENOMEM)
		return rc;
	snprintf(what, sizeof(what), "%.30s: \"%.28s\"", key, value);
	phy_skip(pf,
	         rc == -ENOENT   ? PHY_UNKNOWN_KEY
	         : rc == -ERANGE ? PHY_UNIT
	                         : PHY_BAD_VALUE,
	         what);
	return 0;
}

/* ---- what follows ---------------------------------------------------------------------------- */

#define NO_DBM 1000 /* uW: 0 dBm, which is what a device without a reading prints */

/* Limits that are equal are none, and 0 is no measurement where there are none. */
static void end_ddm(struct ibc_module *m, enum ibc_ddm i)
{
	struct ibc_ddm_reading *ddm = &m->ddm[i];
	const double zero = i == IBC_DDM_RX_POWER || i == IBC_DDM_TX_POWER ? NO_DBM : 0;

	if (!(ddm->high != ddm->low))
		ddm->high = ddm->low = NAN;
	/* a temperature of "0C" stands for none wherever it is: no module in use is so cold */
	if (i == IBC_DDM_TEMPERATURE && ddm->now[0] == 0)
		ddm->now[0] = NAN;
	if (i == IBC_DDM_TEMPERATURE ? !isnan(ddm->now[0]) : !isnan(ddm->high) && !isnan(ddm->low))
		m->monitored |= (uint8_t)(1u << i);
	for (unsigned int lane = 0; lane < IBC_PHY_LANES; lane++)
		if (!(m->monitored >> i & 1) && ddm->now[lane] == zero)
			ddm->now[lane] = NAN;
}

/* The lot is two characters behind the date; blanks are none. */
static int end_date(struct module_text *t)
{
	const char lot[] = { (char)(t->lot >> 8), (char)t->lot, '\0' };
	bool has_lot = t->lot >> 8 > ' ' && t->lot >> 8 < 0x7f;

	if (!t->date)
		return 0;
	t->module.date = arena_printf(t->arena, "%s%s", t->date, has_lot ? lot : "");
	return t->module.date ? 0 : -ENOMEM;
}

static int end_module(struct module_text *t)
{
	int rc = end_date(t);

	for (unsigned int i = 0; i < IBC_DDMS; i++)
		end_ddm(&t->module, i);
	t->module.kind = module_kind_of(&t->module); /* ibdiagnet does not print it */
	return rc;
}

int phy_module_end(struct phy_file *pf, struct module_text *t, struct ibc_port *port)
{
	struct ibc_module *module;
	char what[64];

	snprintf(what, sizeof(what), "port %u of 0x%016llx", port->num,
	         (unsigned long long)port->node->guid);
	if (port->module || !t->told) {
		phy_skip(pf, port->module ? PHY_TOLD : PHY_NO_FACTS, what);
		return 0;
	}
	module = arena_alloc(t->arena, sizeof(*module));
	if (!module || end_module(t))
		return -ENOMEM;
	*module = t->module;
	port->module = module;
	pf->modules++;
	phy_told(port, IBC_ATTR_PHY_MODULE);
	if (module->has_latched)
		phy_told(port, IBC_ATTR_PHY_MODULE_LATCHES);
	return 0;
}
