/* SPDX-License-Identifier: BSD-2-Clause */
/* From a fabric to a file, in one of the formats of the table. */
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "fabric/fabric.h"
#include "source/pack.h"
#include "source/source.h"

/*
 * struct save_format - how a fabric is written
 * @suffix: of the file names that ask for it; the first that fits counts
 * @one_subnet: what holds one subnet only, as a sentence calls it; or NULL
 * @pack: compresses, or NULL
 */
static const struct save_format {
	const char *name, *suffix, *one_subnet;
	int (*write)(const struct ibc_fabric *fab, FILE *out, struct ibc_error *err);
	FILE *(*pack)(FILE *under);
} formats[] = {
	{ "netdiscover", ".net", "ibnetdiscover text", write_netdiscover, NULL },
	{ "netdiscover.gz", ".net.gz", "ibnetdiscover text", write_netdiscover, pack_gzip },
	{ "netdiscover.zst", ".net.zst", "ibnetdiscover text", write_netdiscover, pack_zstd },
	{ "cables", ".csv", "a list of cables", write_cable_list, NULL },
	{ "cables.gz", ".csv.gz", "a list of cables", write_cable_list, pack_gzip },
	{ "cables.zst", ".csv.zst", "a list of cables", write_cable_list, pack_zstd },
	{ "topo", ".topo", "a .topo", write_topo, NULL },
	{ "topo.gz", ".topo.gz", "a .topo", write_topo, pack_gzip },
	{ "topo.zst", ".topo.zst", "a .topo", write_topo, pack_zstd },
	{ "snapshot.gz", ".gz", NULL, write_snapshot, pack_gzip },
	{ "snapshot.zst", ".zst", NULL, write_snapshot, pack_zstd },
	{ "snapshot", "", NULL, write_snapshot, NULL },
};

const char *ibc_fabric_format(const char *path)
{
	const struct save_format *format = formats;
	size_t length = strlen(path), n;

	while ((n = strlen(format->suffix)) > length ||
	       strcmp(path + length - n, format->suffix) != 0)
		format++;
	return format->name;
}

int ibc_fabric_write(const struct ibc_fabric *fab, const char *name, FILE *out,
                     struct ibc_error *err)
{
	const struct save_format *format = formats, *end = formats + ARRAY_SIZE(formats);
	size_t subnets = ibc_fabric_count(fab).subnets;
	FILE *to;
	int rc;

	while (format < end && strcmp(format->name, name) != 0)
		format++;
	if (format == end)
		return fail(err, -EINVAL, "a fabric cannot be written as \"%s\"", name);
	to = format->pack ? format->pack(out) : out;
	if (format->pack && !to)
		return fail_nomem(err);
	if (format->one_subnet && subnets > 1)
		rc = fail(err, -EINVAL,
		          "%s holds one subnet and this fabric has %zu: write a snapshot",
		          format->one_subnet, subnets);
	else if (format->one_subnet && fabric_lacks_lines(fab))
		rc = fail(
		    err, -EINVAL,
		    "lines of this fabric's file were not understood, and %s cannot hold that "
		    "something is missing: write a snapshot, or correct the file",
		    format->one_subnet);
	else
		rc = format->write(fab, to, err);
	if (!rc && ferror(to))
		rc = fail(err, -EIO, "cannot write the fabric: the output failed");
	if (format->pack && fclose(to) && !rc)
		rc = fail(err, -EIO, "cannot write the %s: the output failed", name);
	return rc;
}
