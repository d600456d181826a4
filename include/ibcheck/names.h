/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_NAMES_H
#define IBCHECK_NAMES_H

/* Nodes and ports by what people call them: the section NAMES of ibcheck(8). */
#include <ibcheck/error.h>
#include <ibcheck/fabric.h>

#pragma GCC visibility push(default)

/**
 * ibc_fabric_find() - what a text names
 * @text: a description, short name, name of the node-name map, host, GUID (node, port or
 *	  system image) or LID; "NAME/PORT", "NAME/22/2" and "NAME 22/2" by the label of a
 *	  cage; each NAME and PORT with the wildcards of fnmatch(3)
 * @places: at least one, in the order of ibc_fabric_node(), then of port numbers; several
 *	    are the HCAs of a host, one node in several subnets, or what wildcards fit.
 *	    To be freed with free(); they borrow from @fab
 *
 * Return: 0; -ENOENT: nothing is so called; -EEXIST: several things are; -ENOMEM.
 */
int ibc_fabric_find(const struct ibc_fabric *fab, const char *text, struct ibc_place **places,
                    size_t *n, struct ibc_error *err);

#pragma GCC visibility pop

#endif
