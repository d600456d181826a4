/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace --donate: a trace for the project, as a file that is only left where nothing of the site
 * is found in it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "columns.h"
#include "donate.h"

/* ---- tables --------------------------------------------------------------------------------- */

/* struct searched_row - what was looked for, of one kind */
struct searched_row {
	const char *kind;
	struct ibc_identity_count n;
};

static const struct ibc_column searched_columns[] = {
	FIELD("kind", "SEARCHED FOR", struct searched_row, kind),
	FIELD("known", "KNOWN", struct searched_row, n.known),
	FIELD("brief", "BRIEF", struct searched_row, n.brief,
	      .legend =
	          "so short or simple that they are searched for only where MADs have such things"),
	FIELD("found", "FOUND", struct searched_row, n.found),
	{ 0 },
};
const struct ibc_table_type donated_search_type = { "donated_search", searched_columns, NULL, NULL,
	                                            "what was searched for in the copy" };

/* struct model_row - devices of one model and firmware */
struct model_row {
	const struct ibc_node *first;
	size_t devices;
	struct ibc_attrs answered; /* by any of them */
};

static struct ibc_value model_answered(struct ibc_cell *cell)
{
	const struct model_row *row = cell->row;

	for (enum ibc_attr a = 0; (a = ibc_attrs_next(row->answered, a));)
		ibc_cell_text(cell, "%s%s", cell->length ? ", " : "", ibc_attr_name(a));
	return cell->length ? ibc_str(cell->text) : ibc_none();
}

GETTER(model_vendor, struct model_row, row, ibc_cell_text(cell, "0x%06x", row->first->vendor_id));
GETTER(model_device, struct model_row, row, ibc_cell_text(cell, "0x%04x", row->first->device_id));
GETTER(model_firmware, struct model_row, row, ibc_str(row->first->firmware));
GETTER(model_psid, struct model_row, row, ibc_str(row->first->psid));

static const struct ibc_column model_columns[] = {
	COLUMN("vendor_id", "VENDOR", model_vendor),
	COLUMN("device_id", "DEVICE", model_device),
	COLUMN("firmware", "FIRMWARE", model_firmware),
	COLUMN("psid", "PSID", model_psid),
	FIELD("devices", "DEVICES", struct model_row, devices),
	SENTENCE("answered", "ANSWERED", model_answered),
	{ 0 },
};
const struct ibc_table_type donated_models_type = { "donated_models", model_columns, NULL, NULL,
	                                            "devices by model and firmware" };

static int list_models(struct app *app, struct ibc_error *err)
{
	struct ibc_table *table = app_table(app, &donated_models_type);
	struct model_row *rows = calloc(ibc_fabric_count(app->fabric).nodes + 1, sizeof(*rows));
	const struct ibc_node *node;
	size_t num = 0, i;

	if (!rows)
		return cmd_fail(err, -ENOMEM, "out of memory");
	for (size_t k = 0; (node = ibc_fabric_node(app->fabric, k)); k++) {
		for (i = 0; i < num; i++)
			if (rows[i].first->vendor_id == node->vendor_id &&
			    rows[i].first->device_id == node->device_id &&
			    !strcmp(rows[i].first->firmware ?: "", node->firmware ?: "") &&
			    !strcmp(rows[i].first->psid ?: "", node->psid ?: ""))
				break;
		num += i == num;
		rows[i].first = rows[i].first ?: node;
		rows[i].devices++;
		rows[i].answered = ibc_attrs_or(rows[i].answered,
		                                ibc_node_attrs(node, IBC_ANSWERED));
		for (unsigned int p = 0; p <= node->num_ports; p++)
			if (ibc_node_port(node, p))
				rows[i].answered = ibc_attrs_or(
				    rows[i].answered,
				    ibc_port_attrs(ibc_node_port(node, p), IBC_ANSWERED));
	}
	for (i = 0; i < num; i++)
		ibc_table_row(table, &rows[i]);
	free(rows);
	return 0;
}

/* ---- the trace ------------------------------------------------------------------------------- */

static struct ibc_attrs all_attributes(void)
{
	struct ibc_attrs all = IBC_ATTRS();

	for (enum ibc_attr_group g = IBC_ATTRS_ALWAYS; g <= IBC_ATTRS_PHYSICAL; g++)
		all = ibc_attrs_or(all, ibc_attrs_of_group(g));
	return all;
}

/* What is recorded stays in memory: only the copy goes to a disk. */
static int record_sweep(struct app *app, struct ibc_capture **out, struct ibc_error *err)
{
	int fd = memfd_create("ibcheck-trace", MFD_CLOEXEC), rc;
	FILE *file = fd < 0 ? NULL : fdopen(dup(fd), "w");

	if (!file) {
		close(fd);
		return cmd_fail(err, -errno, "no memory for a trace: %s", strerror(errno));
	}
	rc = ibc_recording_new(file, "", &app->sweep.recording, err);
	if (!rc)
		rc = app_sweep(app, all_attributes(), err);
	if (rc)
		ibc_recording_end(app->sweep.recording, NULL);
	else
		rc = ibc_recording_end(app->sweep.recording, err);
	app->sweep.recording = NULL;
	if (fclose(file) && !rc)
		rc = cmd_fail(err, -EIO, "no memory for a trace");
	lseek(fd, 0, SEEK_SET);
	if (rc)
		close(fd);
	return rc ? rc : ibc_capture_load_fd(fd, "the sweep", out, err);
}

/* Of a file: its devices are those that a replay finds. */
static int replay_file(struct app *app, struct ibc_capture **out, struct ibc_error *err)
{
	const char *file = app->args[0];
	struct ibc_source_opts opts = IBC_SOURCE_OPTS_INIT;
	int rc = ibc_capture_load(file, out, err);

	opts.needs = all_attributes();
	opts.physical = true;
	if (!rc && ibc_capture_sweeps(*out))
		rc = ibc_fabric_load(&file, 1, &opts, &app->fabric, err);
	return rc;
}

/* ---- the copy ---------------------------------------------------------------------------------
 */

static const char *const kinds[IBC_IDENTITIES] = {
	[IBC_IDENTITY_GUID] = "GUIDs",
	[IBC_IDENTITY_NAME] = "names",
	[IBC_IDENTITY_SERIAL] = "serial numbers of modules",
	[IBC_IDENTITY_KEY] = "keys",
	[IBC_IDENTITY_ADDRESS] = "prefixes and multicast groups",
};

/* An error where anything was found. */
static int judge(struct app *app, const struct ibc_capture_search *s, struct ibc_error *err)
{
	struct ibc_table *table = app_table(app, &donated_search_type);
	const char *path = ((const struct trace_cfg *)app->cfg)->donate;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		ibc_table_row(table, &(struct searched_row){ kinds[i], s->of[i] });
		if (s->of[i].found)
			return cmd_fail(err, -EPERM,
			                "%s is not left: of %zu %s of the original %zu are in the "
			                "copy; please report that without the trace",
			                path, s->of[i].known, kinds[i], s->of[i].found);
	}
	return 0;
}

/* Written, read again, searched; *copy: to be freed whatever is returned. */
static int write_copy(struct app *app, const struct ibc_capture *cap, struct out *out,
                      struct ibc_capture **copy, struct ibc_error *err)
{
	const struct common *c = &app->common;
	const uint64_t keys[] = { c->m_key, c->vs_key };
	const char *path = ((const struct trace_cfg *)app->cfg)->donate;
	struct ibc_capture_search search;
	struct stat opened, written;
	int rc, fd;

	if (!out->temp)
		return cmd_fail(err, -EINVAL, "--donate needs a file: %s is none", path);
	rc = ibc_capture_anonymize(cap, out->file, path, err);
	if (!rc && fflush(out->file))
		rc = cmd_fail(err, -EIO, "cannot write %s", path);
	if (rc)
		return rc;
	fd = openat(out->dir, out->temp, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return cmd_fail(err, -errno, "cannot read %s again: %s", path, strerror(errno));
	if (fstat(fd, &opened) || fstat(out->fd, &written) || opened.st_ino != written.st_ino ||
	    opened.st_dev != written.st_dev) {
		close(fd);
		return cmd_fail(err, -EPERM, "%s: another file was put in its place", path);
	}
	rc = ibc_capture_load_fd(fd, path, copy, err);
	if (!rc)
		rc = ibc_capture_search(cap, *copy, keys, ARRAY_SIZE(keys), &search, err);
	if (!rc)
		rc = judge(app, &search, err);
	return rc;
}

int donate_run(struct app *app, struct ibc_capture **copy, struct ibc_error *err)
{
	const char *path = ((const struct trace_cfg *)app->cfg)->donate;
	struct ibc_capture *cap = NULL;
	struct out out;
	int rc;

	if (app->common.record || app->common.key_files)
		return cmd_fail(err, -EINVAL,
		                "--donate and %s exclude each other: record with \"ibcheck all "
		                "--physical --record\", then donate that trace",
		                app->common.record ? "--record" : "--key-files");
	for (size_t i = 0; i < app->common.sources.n; i++)
		if (app->args[0] || !asks_live(app->common.sources.items[i]))
			return cmd_fail(err, -EINVAL,
			                "--donate sweeps, or reads one trace: --source %s is "
			                "neither; a trace follows without --source",
			                app->common.sources.items[i]);
	app->how.physical = true;
	rc = out_open(&out, path, err);
	if (rc)
		return rc;
	rc = app->args[0] ? replay_file(app, &cap, err) : record_sweep(app, &cap, err);
	if (!rc)
		rc = write_copy(app, cap, &out, copy, err);
	if (!rc && app->fabric)
		rc = list_models(app, err);
	rc = out_end(&out, rc, err);
	ibc_capture_free(cap);
	if (rc)
		return rc;
	say_line(path,
	         "none of the GUIDs, names, serial numbers, keys and addresses that MADs of the "
	         "original have was found in it; those that are brief were searched for only "
	         "where MADs have such things. LIDs, P_Keys, times, cabling, firmware and "
	         "models of modules stay in it. Read what it holds, then attach it to an issue "
	         "of the project: \"Trace of a fabric\"");
	return 0;
}
