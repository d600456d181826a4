/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The subnet managers of a subnet, as its ports report them. */
#include "check/sink.h"

/*
 * struct managers - @all in the order in which they would be elected: by priority, then
 * the lowest GUID (IBA 14.4.1)
 * @master: the first of @all that says so, or NULL; @masters: how many do; @lost: how many
 *	did, and do not answer any more
 * @silent: ports that say they have one, which did not answer
 * @gone: the port whose LID the origin names as the master's, which neither answered nor says
 *	that it has one; or NULL
 */
struct managers {
	const struct ibc_subnet *subnet;
	const struct ibc_port **all, **silent;
	size_t num, num_silent;
	const struct ibc_port *master, *gone;
	size_t masters, standbys, lost;
};

/*
 * The managers of the next subnet that was asked for them, of the first where *m is zero.
 * False: there is none.
 */
bool next_managers(const struct ibc_input *in, struct ibc_sink *out, struct managers *m);

/* Does it answer for the LID that the origin of its subnet names as the master's? */
bool is_named_master(const struct ibc_port *port);

/* Are there ports that were not read?  One of them may be the one that is looked for. */
bool subnet_has_unread(const struct ibc_input *in, const struct ibc_subnet *subnet);

/* Is so much lost in this sweep that a silence may be chance? */
bool sweep_is_lossy(const struct ibc_subnet *subnet);
/* What a finding says of that: text to end a message with, or "". */
const char *sweep_loss_text(const struct ibc_subnet *subnet);
