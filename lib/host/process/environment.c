/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process's environment as it was when its program began, its command line, and the files
 * that its libraries read.  A program can change its environment afterwards; that is
 * not seen.
 */
#include <stdio.h>
#include <string.h>

#include "host/process/process.h"

/* What all programs of a host read, and what Open MPI's files leave out of names. */
#define NCCL_CONF      "/etc/nccl.conf"
#define OPENMPI_CONF   "/etc/openmpi/openmpi-mca-params.conf"
#define UCX_CONF       "/etc/ucx/ucx.conf"
#define OPENMPI_PREFIX "OMPI_MCA_"

static const struct {
	const char *name;
	size_t offset, size;
} places[] = {
#define PLACE(name, member)                                                                        \
	{                                                                                          \
		name, offsetof(struct places, member), sizeof(((struct places *)0)->member)        \
	}
	PLACE("HOME", home),
	PLACE("NCCL_CONF_FILE", nccl_conf),
	PLACE("OPAL_PREFIX", opal_prefix),
	PLACE("UCX_CONFIG_DIR", ucx_config_dir),
};

void take_environment(struct proc_reader *r)
{
	const char *text = r->stream.item;
	size_t n = strcspn(text, "=");
	const struct variable *variable;

	if (!text[n])
		return;
	variable = variable_of(text, n);
	for (size_t i = 0; !variable && i < ARRAY_SIZE(places); i++)
		if (strlen(places[i].name) == n && !memcmp(places[i].name, text, n))
			snprintf((char *)&r->places + places[i].offset, places[i].size, "%s",
			         text + n + 1);
	if (!variable)
		return;
	r->rank |= variable->rank;
	if (variable->job)
		offer_job(r, variable->job, text + n + 1, strlen(text + n + 1));
	settings_add(&r->settings, variable, text + n + 1, "environ");
}

void take_argument(struct proc_reader *r)
{
	settings_argument(&r->settings, &r->command_line, r->stream.item);
}

/* ---- configuration ------------------------------------------------------------------ */

/* Below a directory that the process named; relative to nothing it is not looked for. */
static void read_below(struct proc_reader *r, const char *dir, const char *name, const char *prefix)
{
	char path[1024];

	if (*dir != '/')
		return;
	snprintf(path, sizeof(path), "%s%s", dir, name);
	settings_read_file(&r->settings, r->root, path, prefix);
}

void read_configuration(struct proc_reader *r)
{
	const uint32_t program = r->root < 0 ? 0 : r->process->program;
	const struct places *p = &r->places;

	/* its own file first: NCCL keeps what is set already (src/misc/param.cc) */
	if (program & IBC_PROGRAM_NCCL) {
		if (p->nccl_conf[0] == '~')
			read_below(r, p->home, p->nccl_conf + 1, "");
		else if (*p->nccl_conf)
			read_below(r, p->nccl_conf, "", "");
		else
			read_below(r, p->home, "/.nccl.conf", "");
		read_below(r, NCCL_CONF, "", "");
	}
	if (program & IBC_PROGRAM_MPI) {
		read_below(r, p->home, "/.openmpi/mca-params.conf", OPENMPI_PREFIX);
		read_below(r, p->opal_prefix, "/etc/openmpi-mca-params.conf", OPENMPI_PREFIX);
		read_below(r, p->mpi_prefix, "/etc/openmpi-mca-params.conf", OPENMPI_PREFIX);
		read_below(r, OPENMPI_CONF, "", OPENMPI_PREFIX);
	}
	if (program & IBC_PROGRAM_UCX) {
		read_below(r, p->home, "/ucx.conf", "");
		read_below(r, p->ucx_config_dir, "/ucx.conf", "");
		read_below(r, p->ucx_prefix, "/etc/ucx/ucx.conf", "");
		read_below(r, UCX_CONF, "", "");
	}
}

/* ---- of the host ---------------------------------------------------------------------- */

void host_read_settings(struct ibc_host *host)
{
	struct dir root = open_path(host, "/", false);
	struct settings settings = { .host = host };

	if (root.fd >= 0) {
		settings_read_file(&settings, root.fd, NCCL_CONF, "");
		settings_read_file(&settings, root.fd, OPENMPI_CONF, OPENMPI_PREFIX);
		settings_read_file(&settings, root.fd, UCX_CONF, "");
	}
	close_dir(&root);
	host->settings = settings_settle(&settings);
	host->num_settings = settings.n;
}
