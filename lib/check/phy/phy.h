/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What the checks of the physical layer and of cables share. */
#include <ibcheck/host.h>

#include "check/counters/rates.h"
#include "check/sink.h"

/* ---- links: a judgement of each end -------------------------------------------------- */

/*
 * struct said - what is wrong at one end of a link
 * @severity: IBC_OK: nothing
 * @text: "3.1e-12 errors per bit are left after FEC at leaf01/3 (37 in 15 min)"
 * @value: the fact of the rule
 * @count: what was counted, if anything was
 * @suspect: the port whose plug comes first; NULL: the other end of the cable, which sends
 * @advice: NULL: that of the rule
 */
struct said {
	enum ibc_severity severity;
	const char *text;
	struct ibc_value value;
	struct count count;
	const struct ibc_port *suspect;
	const char *advice;
};

/*
 * struct link_rule - how the ends of a link are judged
 * @fact: the key of said.value, of the near end; that of the far one is "peer_" and this
 * @advice: NULL: whose plug to clean first; else a sentence
 */
struct link_rule {
	const char *fact, *advice;
	struct said (*judge)(const struct ibc_input *in, struct ibc_sink *out,
	                     const struct ibc_port *port);
};

/* One finding for each link of which an end, or both, is not well. */
void evaluate_links(const struct ibc_input *in, struct ibc_sink *out, const struct link_rule *rule);

/* "leaf01/3", "leaf01/3 (MCP1600-C003, SN MT2012VS00123)" */
const char *plug_text(struct ibc_sink *out, const struct ibc_port *port);
/* Reseat and clean, the suspect first; or this plug, then that at the other end. */
void advise_plug(struct ibc_sink *out, const struct ibc_port *receiver,
                 const struct ibc_port *suspect);
void advise_ends(struct ibc_sink *out, const char *plug);
/* vendor, part, serial, as far as they are known; of a NULL module nothing */
void module_facts(struct ibc_sink *out, const struct ibc_module *module);

/*
 * A shorter interval shows no low rate: UFM's PDR plugin wants 12 min, in which NDR at a BER of
 * 1e-14 has 2.9 errors.
 */
#define SHORT_SECONDS 720
/* " in 15 min", " in 3 days since the last clear" */
const char *span_text(struct ibc_sink *out, const struct ibc_phy_delta *d);
/* One value of a delta. */
struct count phy_count(const struct ibc_phy_delta *d, enum ibc_phy_value value);
/* What a port reads now; NaN: not known. */
double phy_reading(const struct ibc_port *port, enum ibc_phy_value value);
/* IBC_OK below the warning.  @port: NULL for one of this host */
enum ibc_severity reached(struct ibc_sink *out, const struct ibc_input *in,
                          const struct ibc_port *port, double value);
/* Lanes of the link; of one that is down those it could have. */
unsigned int phy_lanes(const struct ibc_port *port);

/* ---- links that should be alike ------------------------------------------------------- */

/* Below this the middle of a class moves with its outliers: of 8, three may be bad. */
#define CLASS_MIN 8
/* As cases have it: where a fifth does otherwise, there is no rule. */
#define MOST_PERCENT 80

/*
 * struct member - a port, and the middle of its class
 * @class: same speed, width, FEC and kind of cable
 * @value: what is compared
 * @median: of the class
 * @num: members of the class; @alike: of them, those that have the median; @usual: the last one
 */
struct member {
	uint64_t class;
	const struct ibc_port *port;
	double value, median;
	size_t num, alike;
	const struct ibc_port *usual;
};

/*
 * The ports of classes with enough members, by class and value.
 * @fec: links of one class have the same FEC;  @value: NaN: not a member
 */
struct member *collect_classes(const struct ibc_input *in, struct ibc_sink *out, bool fec,
                               double (*value)(const struct ibc_input *in,
                                               const struct ibc_port *port),
                               size_t *n);

/* ---- modules ---------------------------------------------------------------------------- */

/* Copper without electronics measures nothing, and what others do not monitor is no reading. */
bool has_reading(const struct ibc_module *module, enum ibc_ddm ddm, unsigned int lane);

/*
 * struct plug - a port with what is plugged in there, of the fabric or, without one, of this
 *	host; zero before the first
 * @module: NULL: none was read
 * @port: of the fabric, else NULL; then it is @own, which had @was in it so many @seconds before
 * @subject: of findings: sink_add()
 */
struct plug {
	const struct ibc_module *module, *was;
	const struct ibc_port *port;
	const struct ibc_rdma_port *own;
	struct ibc_subject subject;
	double seconds;
	size_t next;
};
struct plug plug_at(const struct ibc_port *port);
/* The next port, but for the others of a plug with several; the same with a module. */
bool next_place(const struct ibc_input *in, struct ibc_sink *out, struct plug *plug);
bool next_plug(const struct ibc_input *in, struct ibc_sink *out, struct plug *plug);
/* "leaf01/3 (MCP1600-C003, SN MT2012VS00123)", "mlx5_0/1" */
const char *plugged_text(struct ibc_sink *out, const struct plug *plug);
bool plug_is_up(const struct plug *plug);
/* Lanes of a module that are in use: of the port, and those beyond that have light. */
unsigned int used_lanes(const struct plug *plug);
/* Alarms that the module itself states: ibc_module_alarm(). */
bool has_limits(const struct ibc_ddm_reading *reading);
#define NO_LIGHT_UW 1 /* -30 dBm: no receiver works below that; dark ones report -40 */

/* What these checks read, in a run that asks for the physical layer. */
#define REGISTERS(...) .needs = IBC_ATTRS(__VA_ARGS__), .inputs = IBC_IN_PHYSICAL
/* The row that is that of the check, of rules in the order of the checks. */
#define RULE_OF(rules, out, checks) (&(rules)[(out)->check - (checks)])
