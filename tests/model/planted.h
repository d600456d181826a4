/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MODEL_PLANTED_H
#define MODEL_PLANTED_H

/*
 * A fabric of any size whose cables, modules and devices are well, and faults of its physical
 * layer at random places: the same for the same seed.
 *
 *	fab = model_planted_fabric("synth:fattree:leaves=128,spines=64,hosts=64,speed=NDR");
 *	m = model_new(fab, NULL);
 *	model_cables(m, fab, seed);
 *	model_plant(m, fab, MODEL_HOT_MODULE, &seed, &planted);
 */
#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"

enum model_fault {
	/* of a link, at the receiver */
	MODEL_DIRTY_LANE,
	MODEL_NOISE, /* all lanes: FEC is near its end */
	MODEL_DRIFT, /* tenfold in two days */
	MODEL_LOST_BLOCKS,
	MODEL_SLOW_TRAINING,
	MODEL_LOOPBACK,
	MODEL_FEC_MISMATCH,
	MODEL_FLAPS, /* both ends saw it; this one is to blame */
	MODEL_UNHEALTHY,
	/* of a module: both ports of its cage have it */
	MODEL_HOT_MODULE,
	MODEL_DARK_LANE,
	MODEL_MODULE_FAULT,
	MODEL_ODD_SERIAL,
	/* of a device */
	MODEL_HOT_ASIC,
	MODEL_STOPPED_FAN,
	MODEL_FAULTS,
};

/* struct model_planted - @lane: or fan; of a device, @port is any of it */
struct model_planted {
	enum model_fault what;
	const struct ibc_port *port;
	unsigned int lane;
};

/* Quantum-2 and ConnectX-7, by "synth:..."; all that a sweep for firmware and ports asks. */
struct ibc_fabric *model_planted_fabric(const char *spec);
/*
 * Plugs in all cables: copper or active ones to hosts, fibres between switches, two ports to a
 * cage; each link ran for one to 30 days.
 */
void model_cables(struct model *m, const struct ibc_fabric *fab, uint64_t seed);
/* One more, where nothing is yet, and seen for a day; false: no place was found. */
bool model_plant(struct model *m, const struct ibc_fabric *fab, enum model_fault what,
                 uint64_t *seed, struct model_planted *out);

#endif
