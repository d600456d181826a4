/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The two traits of a link that make its rate. */
#include <ibcheck/fabric.h>

/* What a port says of its width, or of its speed: one value, and two sets. */
struct mode {
	unsigned int active, enabled, supported;
};

/* Width and speed obey the same rules. */
struct trait {
	const char *name, *key_active, *key_expected;
	struct mode (*mode)(const struct ibc_port *port);
	unsigned int (*best)(unsigned int set);
	unsigned int (*rank)(unsigned int value); /* rises with the rate */
	const struct ibc_word *(*word)(unsigned int value);
	unsigned int last;  /* of the values, one bit each */
	unsigned int split; /* the value of one half of a split cable */
};
extern const struct trait width_trait, speed_trait;
