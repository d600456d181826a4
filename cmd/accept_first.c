/* SPDX-License-Identifier: BSD-2-Clause */
/* The sweep that an acceptance begins with: its last one is compared with it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "accept.h"
#include "ports.h"

/* As the memory has it: a fabric of which half is dark is the same. */
static int verify_same(const struct acceptance *a, const struct ibc_fabric *first,
                       const struct ibc_fabric *now, struct ibc_error *err)
{
	const struct ibc_node *node;
	size_t n = 0, there = 0;

	for (; (node = ibc_fabric_node(first, n)); n++)
		there += ibc_fabric_node_by_guid(now, node->guid) != NULL;
	return there * 2 >= n ? 0
	                      : cmd_fail(err, -EINVAL,
	                                 "%s is of another fabric, or most of it is down: %zu of "
	                                 "its %zu nodes are here; --restart begins again",
	                                 a->file, there, n);
}

int acceptance_load(const struct app *app, struct ibc_fabric **first, struct ibc_error *err)
{
	const struct acceptance *a = app->acceptance;
	struct ibc_error why = { "" }, reason = { "" };
	char opened[32];
	const char *path = opened;
	int dir, fd, rc;

	/* members of a group may share the state: no link of theirs is read */
	dir = openat(a->held, strrchr(a->dir, '/') + 1,
	             O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	fd = dir < 0 ? cmd_fail(&reason, -errno, "%s", strerror(errno))
	             : ibc_file_open(dir, strrchr(a->first, '/') + 1, O_RDONLY, 0, &reason);
	snprintf(opened, sizeof(opened), "/proc/self/fd/%d", fd);
	rc = fd < 0 ? cmd_fail(&why, fd, "cannot open %s: %s", a->first, reason.text)
	            : app_load(app, &path, 1, first, &why);
	if (fd >= 0)
		close(fd);
	if (dir >= 0)
		close(dir);
	return rc ? cmd_fail(err, rc, "%s cannot go on, --restart begins again: %s", a->dir,
	                     why.text)
	          : 0;
}

int acceptance_sweep(struct app *app, struct ibc_error *err)
{
	struct acceptance *a = app->acceptance;
	struct ibc_attrs attrs = ibc_attrs_or(IBC_ATTRS(IBC_ATTR_PORT_COUNTERS),
	                                      ibc_attrs_of_group(IBC_ATTRS_PHYSICAL));
	struct ibc_fabric *first = NULL;
	int rc;

	app->physical = true;
	rc = app_sample(app, attrs, err);
	app->physical = app->common.physical;
	if (!rc && a->resumed) {
		rc = acceptance_load(app, &first, err);
		if (!rc)
			rc = verify_same(a, first, app->fabric, err);
	} else if (!rc) {
		a->physical = cables_known(app->fabric);
		rc = acceptance_begin(a, err);
		if (!rc)
			rc = app_save(app, a->first, err);
	}
	ibc_fabric_free(first);
	ibc_fabric_free(app->fabric);
	app->fabric = NULL;
	return rc;
}
