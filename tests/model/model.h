/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

/*
 * A fabric that answers: SMPs by directed, LID and combined routes, from a
 * struct ibc_fabric; for counters and firmware by LID.  What the fabric does not know of a port (a
 * text file tells no PortInfo) is answered as a healthy one would.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/fabric.h>

#include "model/line.h"
#include "model/pma.h"
#include "model/registers.h"
#include "model/sa.h"
#include "model/tables.h"

enum model_count {
	MODEL_NODE_INFO,
	MODEL_NODE_DESC,
	MODEL_SWITCH_INFO,
	MODEL_PORT_INFO,
	MODEL_EXT_PORT_INFO,
	MODEL_SMP_GENERAL_INFO,
	MODEL_SM_INFO,
	MODEL_PKEYS,
	MODEL_LFT,
	MODEL_MFT,
	MODEL_SL2VL,
	MODEL_PRIVATE_LFT,
	MODEL_AR_INFO,
	MODEL_VIRTUALIZATION,
	MODEL_VPORTS,
	MODEL_ROUTER_INFO,
	MODEL_EXT_NODE_INFO,
	MODEL_AR_GROUPS,
	MODEL_AR_LFT,
	MODEL_ARBITRATION,
	MODEL_CLASS_INFO, /* and these of performance management */
	MODEL_SAMPLES,
	MODEL_COUNTERS,
	MODEL_COUNTERS_EXT,
	MODEL_RCV_ERRORS,
	MODEL_XMIT_DISCARDS,
	MODEL_VL_WAIT,
	MODEL_GENERAL_INFO,
	MODEL_ACCESS_REGISTER,
	MODEL_SA_CLASS_INFO, /* and these of subnet administration */
	MODEL_PATHS,
	MODEL_MEMBERS,
	MODEL_SERVICES,
	MODEL_OTHER,
	MODEL_COUNTS,
};

struct model;

/*
 * from: the port the queries leave by, one of a CA or port 0 of a switch; NULL:
 * the first CA's first port with a cable, else the first switch's port 0.
 */
struct model *model_new(const struct ibc_fabric *fab, const struct ibc_port *from);
void model_free(struct model *m);

const struct ibc_port *model_from(const struct model *m);
/* Does not answer, and if it is a switch, lets no directed SMP through. */
void model_silence(struct model *m, const struct ibc_node *node);
/*
 * Shows speeds from FDR on only to who says by the modifier that he knows them, or has this status
 * for him (TABLES_SAY_NOTHING: none).
 */
void model_hide_speeds(struct model *m, const struct ibc_node *node, const int *status);
/* Silences n CAs, spread evenly, but not the one the queries come from. */
void model_silence_cas(struct model *m, size_t n);
void model_refuse_combined(struct model *m);
/*
 * Keys of one port, port 0 of a switch or one of a CA; 0: none.  From m_key_protect 2 on a
 * Get with another M_Key falls, below it PortInfo shows, or hides, the key (IBA 14.2.4.3).
 * Without the V_Key the vendor's class is silent.
 */
struct model_keys {
	uint64_t m_key, v_key;
};
struct model_keys *model_keys(struct model *m, const struct ibc_port *port);
/* How a device answers for its counters, to be changed. */
struct model_pma *model_pma(struct model *m, const struct ibc_node *node);
/* How it answers for its tables, likewise. */
struct model_tables *model_tables(struct model *m, const struct ibc_node *node);

/* How subnet administration answers, at the port that subnet->sa is at, or anywhere. */
struct model_sa *model_sa(struct model *m);
/*
 * Its registers, likewise: those of its device id from the first call on, no cable plugged in.
 * Before it knows none.  Capabilities that the fabric has of the node go before those of its kind.
 */
struct model_registers *model_registers(struct model *m, const struct ibc_node *node);
struct model_phy *model_phy(struct model *m, const struct ibc_port *port);
/* Counters of registers run by the clock of a line from here on; NULL: they stand. */
void model_clock(struct model *m, struct line *line);
/* So much time goes by without a question. */
void model_pass(struct model *m, uint64_t ns);
/* For struct line_opts. */
const uint8_t *model_whole(void *model, size_t *length);
struct line_fate model_fate(void *model);

/* For line_new(), with the model as its ctx: devices are numbered as the fabric's nodes. */
int model_answer(void *model, const struct mad_addr *to, uint8_t mad[MAD_SIZE]);

/* Queries that reached a device, silent ones included. */
uint64_t model_asked(const struct model *m, enum model_count what);
uint64_t model_asked_total(const struct model *m);

#endif
