/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Where a MAD holds keys, and where it names hosts and devices. */
#include <stddef.h>
#include <stdint.h>

/*
 * SECRET_OTHER: an attribute, or a part of one, that is not known, so that it is not known what it
 * holds, and what is cut off
 */
enum secret {
	SECRET_KEY,
	SECRET_GUID,
	SECRET_PREFIX, /* of a subnet: 8 bytes */
	SECRET_MGID,   /* of a group */
	SECRET_GID,    /* visited as its prefix and its GUID, or as that of a group */
	SECRET_NAME,
	SECRET_SERIAL, /* of a module or cable */
	SECRET_OTHER,
	SECRET_UNUSED, /* behind what a MAD uses: what was in the memory of the sender */
};

/*
 * Visits each of them; total over any bytes from a header on.  An answer that many MADs bring
 * is to be visited whole: of a segment that is not the first all is SECRET_OTHER.
 */
void mad_secrets(uint8_t *mad, size_t length,
                 void (*visit)(void *ctx, enum secret what, uint8_t *bytes, size_t n), void *ctx);

/* Sets every key to 0: M_Key, SM_Key, service keys, and those of vendors' classes. */
void mad_hide_keys(uint8_t *mad, size_t length);
