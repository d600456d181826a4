/* SPDX-License-Identifier: BSD-2-Clause */
/* From a fabric to a file, in one of the formats of the table. */
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "source/pack.h"
#include "source/source.h"

/*
 * struct format - how a fabric is written
 * @suffix: of the file names that ask for it; the first that fits counts
 * @pack: compresses, or NULL
 */
static const struct format {
	const char *name, *suffix;
	int (*write)(const struct ibc_fabric *fab, FILE *out, struct ibc_error *err);
	FILE *(*pack)(FILE *under);
} formats[] = {
	{ "netdiscover", ".net", write_netdiscover, NULL },
	{ "netdiscover.gz", ".net.gz", write_netdiscover, pack_gzip },
	{ "netdiscover.zst", ".net.zst", write_netdiscover, pack_zstd },
	{ "cables", ".csv", write_cable_list, NULL },
	{ "cables.gz", ".csv.gz", write_cable_list, pack_gzip },
	{ "cables.zst", ".csv.zst", write_cable_list, pack_zstd },
	{ "topo", ".topo", write_topo, NULL },
	{ "topo.gz", ".topo.gz", write_topo, pack_gzip },
	{ "topo.zst", ".topo.zst", write_topo, pack_zstd },
	{ "snapshot.gz", ".gz", write_snapshot, pack_gzip },
	{ "snapshot.zst", ".zst", write_snapshot, pack_zstd },
	{ "snapshot", "", write_snapshot, NULL },
};

static bool ends(const char *text, const char *suffix)
{
	size_t length = strlen(text), n = strlen(suffix);

	return length >= n && !strcmp(text + length - n, suffix);
}

const char *ibc_fabric_format(const char *path)
{
	const struct format *format = formats;

	while (!ends(path, format->suffix))
		format++;
	return format->name;
}

static int write_packed(const struct ibc_fabric *fab, const struct format *format, FILE *out,
                        struct ibc_error *err)
{
	FILE *packed = format->pack(out);
	int rc, failed;

	if (!packed)
		return fail_nomem(err);
	rc = format->write(fab, packed, err);
	failed = ferror(packed);
	failed |= fclose(packed);
	if (rc || !failed)
		return rc;
	return fail(err, -EIO, "cannot write the %s: the output failed", format->name);
}

int ibc_fabric_write(const struct ibc_fabric *fab, const char *format, FILE *out,
                     struct ibc_error *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		if (strcmp(formats[i].name, format) != 0)
			continue;
		if (formats[i].pack)
			return write_packed(fab, &formats[i], out, err);
		return formats[i].write(fab, out, err);
	}
	return fail(err, -EINVAL, "a fabric cannot be written as \"%s\"", format);
}
