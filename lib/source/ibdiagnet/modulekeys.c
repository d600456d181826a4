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
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/phywords.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/words.h"
#include "fabric/build.h"
#include "source/ibdiagnet/phyfile.h"

#define BLANKS       " \t"
#define BIAS_UNIT_UA 2 /* of its limits; a module may multiply it, but prints not by what */

/*
 * struct key - what is behind a key
 * @kind: of the values below; what is NOT_KEPT is known, and has no place in the model
 * @to: of TEXT, REAL and DBM: where it goes in struct ibc_module
 * @unit, @per: of REAL: how it is written, and how many of those are one of the model's
 * @latch: of FLAGS: that of Tx
 */
struct key {
	const char *key;
	enum {
		NOT_KEPT,
		TEXT,
		REAL,
		DBM,
		AVERAGE,
		DATE,
		FLAGS,
		FORM,
		LENGTH,
		LOT,
		OUI,
		RATES,
		TECHNOLOGY,
		TYPE,
	} kind;
	uint16_t to;
	uint8_t latch;
	const char *unit;
	double per;
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

/* ---- what is behind a key -------------------------------------------------------------- */

/* "OSFP (0x08)": the number is that of PDDR, of the module's own memory 0x19: the name decides. */
static int put_form(struct ibc_module *m, const char *value)
{
	static const uint8_t forms[] = { IBC_FORM_QSFP_CMIS, IBC_FORM_QSFP28, IBC_FORM_QSFP_PLUS,
		                         IBC_FORM_QSFP_DD, IBC_FORM_OSFP };

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		const char *name = ibc_module_form_word(forms[i])->name;

		if (strncasecmp(value, name, strlen(name)) == 0) {
			m->form = forms[i];
			return 0;
		}
	}
	return -EINVAL;
}

static void put_type(struct ibc_module *m, const char *value)
{
	if (m->technology)
		return;
	if (strcasecmp(value, "Copper cable- unequalized") == 0)
		m->technology = IBC_TECHNOLOGY_COPPER;
	for (unsigned int i = 1; i <= IBC_TECHNOLOGY_COPPER_LINEAR; i++)
		if (strcasecmp(value, ibc_module_technology_word(i)->name) == 0)
			m->technology = (uint8_t)i;
}

/* "SDR/EDR/HDR/NDR" */
static int put_rates(struct ibc_module *m, const char *value)
{
	char word[16];
	unsigned int rates = 0;

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
	m->rates = (uint16_t)rates;
	return 0;
}

static int keep_real(struct module_text *t, const struct key *key, const char *value)
{
	double *to = (double *)((char *)&t->module + key->to), real;
	int rc = get_number(t, value, key->kind == LENGTH ? "m" : key->unit, &real);

	if (rc || (key->kind == LENGTH && real < 0) || (key->kind == DBM && !is_dbm(real)))
		return rc ? rc : -EINVAL;
	if (key->kind == LENGTH)
		*to = real > 0 ? real : NAN;
	else
		*to = key->kind == DBM ? microwatts(real) : real / key->per;
	return 0;
}

_Static_assert(IBC_LATCH_TX_LOL - IBC_LATCH_TX_LOS == IBC_LATCH_RX_LOL - IBC_LATCH_RX_LOS,
               "Rx is as far from Tx in both");

static int keep_value(struct module_text *t, const struct key *key, const char *value)
{
	static const uint64_t most[] = { [FLAGS] = UINT8_MAX,
		                         [LOT] = UINT16_MAX,
		                         [OUI] = 0xffffff,
		                         [TECHNOLOGY] = UINT8_MAX,
		                         [TYPE] = 0 };
	struct ibc_module *m = &t->module;
	uint64_t code = 0;

	if (most[key->kind] && str_u64(value, 0, most[key->kind], &code))
		return -EINVAL;
	switch (key->kind) {
	case NOT_KEPT:
		return 0;
	case TEXT:
		*(const char **)((char *)m + key->to) = utf8_clean(t->arena, value, strlen(value));
		return 0;
	case REAL:
	case DBM:
	case LENGTH:
		return keep_real(t, key, value);
	case AVERAGE:
		m->rx_average = strncasecmp(value, "Average", 7) == 0;
		return 0;
	case DATE: /* "24-01-18", as the module's memory has it: 240118 */
		if (strlen(value) != 8 || value[2] != '-' || value[5] != '-')
			return -EINVAL;
		t->date = arena_printf(t->arena, "%.2s%.2s%.2s", value, value + 3, value + 6);
		return 0;
	case FLAGS: /* four lanes of Tx in the upper half, of Rx in the lower (SFF-8636, 3 to 5) */
		m->has_latched = true;
		m->latched[key->latch] = (uint8_t)(code >> 4);
		m->latched[key->latch - IBC_LATCH_TX_LOS + IBC_LATCH_RX_LOS] = code & 0xf;
		return 0;
	case FORM:
		return put_form(m, value);
	case LOT:
		t->lot = (uint16_t)code;
		return 0;
	case OUI:
		m->oui = (uint32_t)code;
		return 0;
	case RATES:
		return put_rates(m, value);
	case TECHNOLOGY: /* SFF-8636 has it in the upper half; ibdiagnet 2.10 prints that alone */
		m->technology = (uint8_t)((code > 0xf ? code >> 4 : code) + 1);
		return 0;
	case TYPE:
		put_type(m, value);
		return 0;
	}
	return 0;
}

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

/* ---- keys --------------------------------------------------------------------------------- */

#define MEMBER(field)              offsetof(struct ibc_module, field)
#define NUMBER(unit_, per_, field) .kind = REAL, .unit = unit_, .per = per_, .to = MEMBER(field)

/* Blanks do not matter, nor what is no letter or digit. */
static const struct key keys[] = {
	{ "Source", .kind = NOT_KEPT },
	{ "Identifier", .kind = FORM },
	{ "Vendor", .kind = TEXT, .to = MEMBER(vendor) },
	{ "OUI", .kind = OUI },
	{ "PN", .kind = TEXT, .to = MEMBER(part) },
	{ "SN", .kind = TEXT, .to = MEMBER(serial) },
	{ "Rev", .kind = TEXT, .to = MEMBER(revision) },
	{ "Length", .kind = LENGTH, .to = MEMBER(length_m) },
	{ "Type", .kind = TYPE },
	{ "SupportedSpeed", .kind = RATES },
	{ "Temperature", NUMBER("C", 1, ddm[IBC_DDM_TEMPERATURE].now[0]) },
	{ "PowerClass", .kind = NOT_KEPT },
	{ "NominalBitrate", .kind = NOT_KEPT },
	{ "CDREnableTxRx", .kind = NOT_KEPT },
	{ "InputEq", .kind = NOT_KEPT },
	{ "OutputAmp", .kind = NOT_KEPT },
	{ "OutputEmp", .kind = NOT_KEPT },
	{ "FW Version", .kind = TEXT, .to = MEMBER(firmware) },
	{ "Attenuation(5,7,12,25)", .kind = NOT_KEPT },
	{ "RX power type", .kind = AVERAGE },
	{ "CDR Latched TX/RX Loss Indicator", .kind = FLAGS, .latch = IBC_LATCH_TX_LOS },
	{ "Latched Adaptive Equalization Fault", .kind = NOT_KEPT },
	{ "Latched TX/RX LOL Indicator", .kind = FLAGS, .latch = IBC_LATCH_TX_LOL },
	{ "Latched Temperature Alarm and Warning", .kind = NOT_KEPT },
	{ "Latched Voltage Alarm and Warning", .kind = NOT_KEPT },
	{ "RX Power Alarm and Warning", .kind = NOT_KEPT },
	{ "TX Bias Alarm and Warning", .kind = NOT_KEPT },
	{ "TX Power Alarm and Warning", .kind = NOT_KEPT },
	{ "Supply Voltage Reporting", NUMBER("uV", 1e6, ddm[IBC_DDM_VOLTAGE].now[0]) },
	{ "Transmitter Technology", .kind = TECHNOLOGY },
	{ "Extended Specification Compliance Codes", .kind = NOT_KEPT },
	{ "AlarmTemperatureHighThresh", NUMBER("C", 1, ddm[IBC_DDM_TEMPERATURE].high) },
	{ "AlarmTemperatureLowThresh", NUMBER("C", 1, ddm[IBC_DDM_TEMPERATURE].low) },
	{ "WarnTemperatureHighThresh", .kind = NOT_KEPT },
	{ "WarnTemperatureLowThresh", .kind = NOT_KEPT },
	{ "AlarmVoltageHighThresh", NUMBER("uV", 1e6, ddm[IBC_DDM_VOLTAGE].high) },
	{ "AlarmVoltageLowThresh", NUMBER("uV", 1e6, ddm[IBC_DDM_VOLTAGE].low) },
	{ "WarnVoltageHighThresh", .kind = NOT_KEPT },
	{ "WarnVoltageLowThresh", .kind = NOT_KEPT },
	{ "RXPowerHighThresh", .kind = DBM, .unit = "", .to = MEMBER(ddm[IBC_DDM_RX_POWER].high) },
	{ "RXPowerLowThresh", .kind = DBM, .unit = "", .to = MEMBER(ddm[IBC_DDM_RX_POWER].low) },
	{ "TXPowerHighThresh", .kind = DBM, .unit = "", .to = MEMBER(ddm[IBC_DDM_TX_POWER].high) },
	{ "TXPowerLowThresh", .kind = DBM, .unit = "", .to = MEMBER(ddm[IBC_DDM_TX_POWER].low) },
	{ "TXBiasHighThresh", NUMBER("", 1.0 / BIAS_UNIT_UA, ddm[IBC_DDM_BIAS].high) },
	{ "TXBiasLowThresh", NUMBER("", 1.0 / BIAS_UNIT_UA, ddm[IBC_DDM_BIAS].low) },
	{ "DateCode", .kind = DATE },
	{ "Lot", .kind = LOT },
	{ "TX Adaptive Equalization Freeze", .kind = NOT_KEPT },
	{ "RX Output Disable", .kind = NOT_KEPT },
	{ "TX Adaptive Equalization Enable", .kind = NOT_KEPT },
	{ "OutputPreEmp", .kind = NOT_KEPT },
	{ "OutputPostEmp", .kind = NOT_KEPT },
	/* as CABLE_INFO of db_csv has them */
	{ "LengthDesc", .kind = LENGTH, .to = MEMBER(length_m) },
	{ "TypeDesc", .kind = TYPE },
	{ "SupportedSpeedDesc", .kind = RATES },
	{ "IdentifierStr", .kind = FORM },
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

void phy_module_key(struct phy_file *pf, struct module_text *t, const char *key, const char *value)
{
	const struct key *found = NULL;
	enum phy_skip why;
	enum ibc_ddm ddm;
	unsigned int lane;
	double now;
	int rc = -ENOENT;
	char what[64];

	if (get_lane_key(key, &ddm, &lane)) {
		if (is_none(value))
			return;
		rc = ddm == IBC_DDM_BIAS ? get_number(t, value, "mA", &now)
		                         : get_power(t, value, &now);
		if (rc == 0)
			t->module.ddm[ddm].now[lane] = ddm == IBC_DDM_BIAS ? now * 1000 : now;
	} else {
		found = find_key(t, key);
		if (found && (found->kind == NOT_KEPT || is_none(value)))
			return;
		if (found)
			rc = keep_value(t, found, value);
	}
	if (rc == 0) {
		t->known++;
		return;
	}
	why = rc == -ERANGE ? PHY_UNIT : PHY_BAD_VALUE;
	snprintf(what, sizeof(what), "%.30s: \"%.28s\"", key, value);
	phy_skip(pf, rc == -ENOENT ? PHY_UNKNOWN_KEY : why, what);
}

/* ---- what follows ---------------------------------------------------------------------------- */

#define NO_DBM 1000 /* uW: 0 dBm, which is what a device without a reading prints */

void phy_module_end(struct phy_file *pf, struct module_text *t, struct ibc_port *port)
{
	/* the lot is two characters behind the date; blanks are none */
	const char lot[] = { (char)(t->lot >> 8), (char)t->lot, '\0' };
	bool has_lot = t->lot >> 8 > ' ' && t->lot >> 8 < 0x7f;
	struct ibc_module *module;
	char what[64];

	snprintf(what, sizeof(what), "port %u of 0x%016llx", port->num,
	         (unsigned long long)port->node->guid);
	if (port->extra->module || !t->known) {
		phy_skip(pf, port->extra->module ? PHY_KNOWN : PHY_NO_FACTS, what);
		return;
	}
	if (t->date)
		t->module.date = arena_printf(t->arena, "%s%s", t->date, has_lot ? lot : "");
	for (unsigned int i = 0; i < IBC_DDMS; i++) {
		struct ibc_ddm_reading *ddm = &t->module.ddm[i];
		const double zero = i == IBC_DDM_RX_POWER || i == IBC_DDM_TX_POWER ? NO_DBM : 0;

		/* Limits that are equal are none, and 0 is no measurement where there are none. */
		if (!(ddm->high != ddm->low))
			ddm->high = ddm->low = NAN;
		/* a temperature of "0C" stands for none wherever it is: no module in use is so cold
		 */
		if (i == IBC_DDM_TEMPERATURE && ddm->now[0] == 0)
			ddm->now[0] = NAN;
		if (i == IBC_DDM_TEMPERATURE ? !isnan(ddm->now[0])
		                             : !isnan(ddm->high) && !isnan(ddm->low))
			t->module.monitored |= (uint8_t)(1u << i);
		for (unsigned int lane = 0; lane < IBC_PHY_LANES; lane++)
			if (!(t->module.monitored >> i & 1) && ddm->now[lane] == zero)
				ddm->now[lane] = NAN;
	}
	t->module.kind = module_kind_of(&t->module); /* ibdiagnet does not print it */
	module = arena_alloc(t->arena, sizeof(*module));
	*module = t->module;
	port_extra(port)->module = module;
	pf->modules++;
	phy_answered(port, IBC_ATTR_PHY_MODULE);
	if (module->has_latched)
		phy_answered(port, IBC_ATTR_PHY_MODULE_LATCHES);
}
