/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Performance management (IBA 16.1): queries out, attributes in. */
#include <stdbool.h>
#include <stdint.h>

#include <ibcheck/types.h>

#include "base/mad.h"

#define PMA_DATA_OFFSET 64  /* of PerformanceData in a MAD (IBA 16.1.1) */
#define PMA_DATA_SIZE   192 /* the rest of 256 bytes */
#define PMA_VLS         16  /* PortVLXmitWait0 .. 15 (IBA 16.1.4.8) */

enum pma_attribute {
	PMA_CLASS_PORT_INFO = 0x01,
	PMA_PORT_SAMPLES_CONTROL = 0x10,
	PMA_PORT_COUNTERS = 0x12,
	PMA_RCV_ERROR_DETAILS = 0x15,
	PMA_XMIT_DISCARD_DETAILS = 0x16,
	PMA_VL_XMIT_WAIT = 0x1c,
	PMA_PORT_COUNTERS_EXT = 0x1d,
};

/*
 * What a device says it can: ClassPortInfo.CapabilityMask, and above it
 * CapabilityMask2 (IBA 16.1.3.1).
 */
#define PMA_CAPS(mask, mask2) ((uint64_t)(mask2) << 16 | (mask))
#define PMA_CAP_EXT           ((uint64_t)1 << 9)  /* PortCountersExtended */
#define PMA_CAP_EXT_NO_IETF   ((uint64_t)1 << 10) /* ... without uni- and multicast */
#define PMA_CAP_XMIT_WAIT     ((uint64_t)1 << 12)
#define PMA_CAP_QP1_DROPPED   ((uint64_t)1 << 15)
#define PMA_CAP_EXT_ERRORS    ((uint64_t)1 << 17) /* ... with the error counters */
#define PMA_CAPS_EXT          (PMA_CAP_EXT | PMA_CAP_EXT_NO_IETF)

struct pma_query {
	uint16_t attribute; /* enum pma_attribute */
	uint8_t port;       /* PortSelect, where the attribute has it; else 0 */
};

/* Writes a whole Get, without a transaction id, and where it goes: QP1 of a LID. */
void pma_get(uint8_t mad[MAD_SIZE], struct mad_addr *to, const struct pma_query *q, uint16_t lid);

/* struct pma_clear - counters of a port, as CounterSelect and CounterSelect2 name them */
struct pma_clear {
	uint16_t attribute; /* one that has counters */
	uint8_t port;
	uint16_t select;
	uint32_t select2; /* of PortCounters and PortCountersExtended */
};

/* Writes a whole Set that makes them 0, without a transaction id, and where it goes. */
void pma_clear(uint8_t mad[MAD_SIZE], struct mad_addr *to, const struct pma_clear *c, uint16_t lid);

/* The 192 bytes of an attribute in such a MAD. */
static inline const uint8_t *pma_data(const uint8_t mad[MAD_SIZE])
{
	return mad + PMA_DATA_OFFSET;
}

/* Does the answer say that the question is to be asked elsewhere? (IBA 13.4.7) */
bool pma_is_redirect(const uint8_t mad[MAD_SIZE]);

/* ---- attributes: every decoder is total over any 192 bytes ------------------ */

struct pma_class_info {
	uint16_t cap_mask;
	uint32_t cap_mask2;
	struct mad_addr redirect; /* where to ask instead; dlid 0: nowhere else */
};

void pma_class_info_get(const uint8_t data[PMA_DATA_SIZE], struct pma_class_info *out);

/* PortSamplesControl.Tick */
uint8_t pma_tick_get(const uint8_t data[PMA_DATA_SIZE]);

/*
 * Adds the counters an attribute carries to those known already.  If @caps
 * have PortCountersExtended, the data of PortCounters are left out: they have 32 bits.
 */
void pma_counters_get(enum pma_attribute attribute, uint64_t caps,
                      const uint8_t data[PMA_DATA_SIZE], struct ibc_counters *out);

bool pma_has_counter(enum pma_attribute attribute, enum ibc_counter counter);
/*
 * The same of one counter, whose value, as the attribute has it, came otherwise.  False
 * if the attribute has no such counter, or fewer bits for it.
 */
bool pma_counter_put(enum pma_attribute attribute, enum ibc_counter counter, uint64_t value,
                     struct ibc_counters *out);

/* PortVLXmitWaitCounters; they clamp at 65535. */
void pma_vl_wait_get(const uint8_t data[PMA_DATA_SIZE], uint64_t out[PMA_VLS]);
