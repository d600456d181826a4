/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MODEL_PMA_H
#define MODEL_PMA_H

/* The performance management of one device: what port->counters says, as attributes. */
#include <stdbool.h>
#include <stdint.h>

#include <ibcheck/fabric.h>

#include "wire/pma.h"

/*
 * struct model_pma - how a device answers; zeroed, it is one with 64-bit data
 * counters and 16-bit errors
 * @silent:	     not at all
 * @no_ext:	     has no PortCountersExtended
 * @ext_errors:	     has all errors in PortCountersExtended
 * @empty_promise:   says that it has PortCountersExtended, but it has not
 * @no_class_info:   has no ClassPortInfo
 * @no_details:	     has neither of the details
 * @silent_samples:  lets PortSamplesControl fall
 * @redirect:	     sends whoever asks elsewhere; dlid 0: nobody
 */
struct model_pma {
	bool silent, no_ext, ext_errors, empty_promise, no_class_info, no_details, silent_samples;
	struct mad_addr redirect;
};

struct pma_place {
	const struct ibc_node *node;
	const struct mad_addr *to;
};

#define PMA_SAYS_NOTHING (-1)
/* Writes the answer; returns its status, or PMA_SAYS_NOTHING. */
int model_pma_answer(const struct model_pma *pma, const struct pma_place *at, uint16_t attribute,
                     uint8_t data[PMA_DATA_SIZE]);

/* Where an attribute holds a counter, and its largest count; put by libibmad's table. */
void pma_counters_put(uint16_t attribute, bool with_errors, const struct ibc_counters *in,
                      uint8_t data[PMA_DATA_SIZE]);

#endif
