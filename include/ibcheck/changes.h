/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_CHANGES_H
#define IBCHECK_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/error.h>
#include <ibcheck/fabric.h>
#include <ibcheck/topo.h>

#pragma GCC visibility push(default)

/**
 * DOC: what has changed
 *
 * Two sweeps are compared as a plan is with a fabric.  Beyond what deviates there are
 * the changes of what stayed where it was: of states, rates, LIDs, firmware.  What a
 * replaced node has otherwise than the one before is no change of its own; nor is what
 * only one of the two sweeps could see.
 */

enum ibc_change_kind {
	IBC_CHANGE_NODE_GONE,
	IBC_CHANGE_NODE_NEW,
	IBC_CHANGE_NODE_REPLACED, /* another device in the same place */
	IBC_CHANGE_NODE_RENAMED,
	IBC_CHANGE_NODE_EXCHANGED, /* it stands where another of the two stood */
	IBC_CHANGE_CABLE_GONE,
	IBC_CHANGE_CABLE_NEW,
	IBC_CHANGE_CABLE_MOVED,
	IBC_CHANGE_STATE, /* of a port, its cable as before */
	IBC_CHANGE_RATE,  /* the width, or speed, that a cable trained to */
	IBC_CHANGE_LID,   /* or LMC */
	IBC_CHANGE_SM,    /* the node that the subnet manager is on */
	IBC_CHANGE_FIRMWARE,
	IBC_CHANGE_REVISION, /* of the hardware */
	IBC_CHANGE_DEVICE,   /* its device id */
};
#define IBC_CHANGE_COUNT 15
const struct ibc_word *ibc_change_word(enum ibc_change_kind kind);

/**
 * struct ibc_change - one thing that is not as it was
 * @was, @is: the node it is about, in the earlier sweep and in the later one; NULL: it
 *	      was, or is, not there
 * @port_was, @port_is: of a port or a cable: one end of it; else NULL
 */
struct ibc_change {
	enum ibc_change_kind kind;
	const struct ibc_node *was, *is;
	const struct ibc_port *port_was, *port_is;
};

struct ibc_changes;

/**
 * ibc_changes_fit() - are they two sweeps of one fabric?
 * @cmp: of the earlier sweep (as the plan) with the later one
 *
 * Return: 0; -EXDEV they have no node in common, or next to none, or are of two subnets
 * that have no more in common than adapters with a port in each.
 */
int ibc_changes_fit(const struct ibc_comparison *cmp, struct ibc_error *err);

/**
 * ibc_changes_find() - list what a comparison with an earlier sweep shows
 * @cmp: of the earlier sweep (as the plan) with the later one
 * @kinds: set of 1 << enum ibc_change_kind
 * @out: borrows from both fabrics; to be freed with ibc_changes_free()
 *
 * Return: 0, or -ENOMEM.
 */
int ibc_changes_find(const struct ibc_comparison *cmp, uint32_t kinds, struct ibc_changes **out,
                     struct ibc_error *err);
/* NULL has no effect. */
void ibc_changes_free(struct ibc_changes *changes);

/* Walk, by kind, then by GUID and port; NULL past the last one. */
const struct ibc_change *ibc_changes_at(const struct ibc_changes *changes, size_t i);

/**
 * struct ibc_changes_count - how much was compared, of a kind of what stayed where it was
 * @pairs: nodes, cables or ports that are in both sweeps
 * @unread: of these, those that one of the sweeps, or both, did not read
 */
struct ibc_changes_count {
	size_t pairs, unread;
};
struct ibc_changes_count ibc_changes_count(const struct ibc_changes *changes,
                                           enum ibc_change_kind kind);

/**
 * ibc_change_text() - what it was, or is, in words
 * @before: as it was
 *
 * "host01", "leaf03/19 - spine01/3", "Active", "4x EDR (100 Gb/s)", "17"; "" where
 * there was none.
 *
 * Return: @text.
 */
char *ibc_change_text(const struct ibc_change *change, bool before, char *text, size_t size);

#pragma GCC visibility pop

#endif
