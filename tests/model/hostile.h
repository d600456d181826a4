/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MODEL_HOSTILE_H
#define MODEL_HOSTILE_H

/*
 * A model that does not tell the truth: of each answer something decides whether it is the
 * true one, and if not, what is done to it.  That is chance, with a seed; or a tape of bytes,
 * of which a fuzzer can learn.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/line.h"
#include "model/model.h"

enum hostile_kind {
	/* what whoever receives it can tell */
	HOSTILE_SILENT,
	HOSTILE_BUSY,
	HOSTILE_HEADER, /* it is the answer to something else */
	HOSTILE_LATE,
	HOSTILE_TWICE,
	HOSTILE_SHORT,
	/* and what not */
	HOSTILE_BYTE,  /* one is another */
	HOSTILE_FILL,  /* all of the attribute is another */
	HOSTILE_STALE, /* it is what another device said */
	HOSTILE_GUID,  /* never seen before */
	HOSTILE_PORTS, /* as many as there can be, or none */
	HOSTILE_LINKED,
	HOSTILE_UNSUPPORTED,
	HOSTILE_REFUSED,
	HOSTILE_LONG,
	HOSTILE_INVENTED, /* a switch, where nobody is */
	HOSTILE_KINDS,
};
#define HOSTILE_KIND(kind) (1u << (kind))
#define HOSTILE_DAMAGE     (HOSTILE_KIND(HOSTILE_BYTE) - 1)
#define HOSTILE_ALL        (HOSTILE_KIND(HOSTILE_KINDS) - 1)

/*
 * struct hostile - for line_new(), with &hostile as its ctx
 * @kinds: set of HOSTILE_KIND()
 * @part: of the answers; without a tape
 * @tape, @length: bytes, after which all is true; with @endless they begin again
 * @inventions: have so many ports; 0: by tape or chance
 * @same_guid: and all the same GUID
 * @liars: a byte for each of the model's devices: has something untrue been said by it, or in
 *	   its name?  NULL: nobody asks
 */
struct hostile {
	struct model *model;
	const struct ibc_fabric *real;
	unsigned int kinds, inventions;
	double part;
	uint64_t seed;
	const uint8_t *tape;
	size_t length;
	bool endless, same_guid;
	uint8_t *liars;
	uint64_t done[HOSTILE_KINDS];
	/* its own */
	size_t at;
	uint64_t guids;
	size_t answer_length;
	uint8_t stale[16][MAD_SIZE], whole[1024]; /* stale: by attribute */
	struct line_fate fate;
};

int hostile_answer(void *hostile, const struct mad_addr *to, uint8_t mad[MAD_SIZE]);
/* For struct line_opts. */
struct line_fate hostile_fate(void *hostile);
const uint8_t *hostile_whole(void *hostile, size_t *length);

#endif
