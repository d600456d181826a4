/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_HOSTLIST_H
#define IBCHECK_HOSTLIST_H

#include <stddef.h>

#include <ibcheck/error.h>

#pragma GCC visibility push(default)

/*
 * Lists of hosts, "node[0001-0016],login1", as Slurm, ClusterShell and pdsh read them.  All
 * three read what is folded here: of the numbers in a name only one that ends it is folded.
 */

/* struct ibc_hostlist - each name once, in the order in which they are folded */
struct ibc_hostlist {
	const char *const *names;
	size_t num;
};

/**
 * ibc_hostlist_parse() - the names of a list
 * @text: "n[1-3,5]", "n[01-10/2]", "n[1-2]-ib[0-1]"; blanks around names are skipped.  What
 *	  the three tools read in different ways, and groups and operators, are errors
 * @out: to be freed with ibc_hostlist_free()
 *
 * Return: 0; -EINVAL, @err has the column; -ENOMEM.
 */
int ibc_hostlist_parse(const char *text, struct ibc_hostlist **out, struct ibc_error *err);
/**
 * ibc_hostlist_read() - the names of several lists
 * @lists: each as above, or "@FILE": a file that has one a line, and comments behind a "#"
 *
 * Return: as above, of a file with its line; -EINVAL if there is no name; what the system said.
 */
int ibc_hostlist_read(const char *const *lists, size_t n, struct ibc_hostlist **out,
                      struct ibc_error *err);
/* The same of names, in any order, also more than once.  0, or -ENOMEM. */
int ibc_hostlist_of(const char *const *names, size_t n, struct ibc_hostlist **out,
                    struct ibc_error *err);
/* NULL has no effect. */
void ibc_hostlist_free(struct ibc_hostlist *list);

/**
 * ibc_hostlist_fold() - names as one list
 * @names: in any order, also more than once
 *
 * Return: to be freed with free(); NULL when out of memory.
 */
char *ibc_hostlist_fold(const char *const *names, size_t n);

#pragma GCC visibility pop

#endif
