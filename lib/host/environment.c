/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process's environment as it was when its program began, its command line, and the files
 * that its libraries read.  A program can change its environment afterwards; that is
 * not seen.
 */
#include <stdio.h>
#include <string.h>

#include "host/process.h"

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

static void take_place(struct proc_reader *r, const char *text, size_t name_length)
{
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (strlen(places[i].name) == name_length &&
		    !memcmp(places[i].name, text, name_length))
			snprintf((char *)&r->places + places[i].offset, places[i].size, "%s",
			         text + name_length + 1);
}

void take_environment(struct proc_reader *r)
{
	const char *text = r->stream.item;
	size_t n = strcspn(text, "=");
	const struct variable *variable;

	if (!text[n])
		return;
	variable = variable_of(text, n);
	if (!variable) {
		take_place(r, text, n);
		return;
	}
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

/* Its own file first: NCCL keeps what is set already (src/misc/param.cc). */
static void read_nccl(struct proc_reader *r)
{
	const struct places *p = &r->places;

	if (p->nccl_conf[0] == '~')
		read_below(r, p->home, p->nccl_conf + 1, "");
	else if (*p->nccl_conf)
		read_below(r, p->nccl_conf, "", "");
	else
		read_below(r, p->home, "/.nccl.conf", "");
	read_below(r, "/etc/nccl.conf", "", "");
}

static void read_openmpi(struct proc_reader *r)
{
	static const char prefix[] = "OMPI_MCA_", file[] = "/etc/openmpi-mca-params.conf";
	const struct places *p = &r->places;

	read_below(r, p->home, "/.openmpi/mca-params.conf", prefix);
	read_below(r, p->opal_prefix, file, prefix);
	read_below(r, p->mpi_prefix, file, prefix);
	read_below(r, "/etc/openmpi/openmpi-mca-params.conf", "", prefix);
}

static void read_ucx(struct proc_reader *r)
{
	const struct places *p = &r->places;

	read_below(r, p->home, "/ucx.conf", "");
	read_below(r, p->ucx_config_dir, "/ucx.conf", "");
	read_below(r, p->ucx_prefix, "/etc/ucx/ucx.conf", "");
	read_below(r, "/etc/ucx/ucx.conf", "", "");
}

void read_configuration(struct proc_reader *r)
{
	static const struct {
		uint32_t program;
		void (*read)(struct proc_reader *r);
	} files[] = {
		{ IBC_PROGRAM_NCCL, read_nccl },
		{ IBC_PROGRAM_MPI, read_openmpi },
		{ IBC_PROGRAM_UCX, read_ucx },
	};

	for (size_t i = 0; r->root >= 0 && i < ARRAY_SIZE(files); i++)
		if (r->process->program & files[i].program)
			files[i].read(r);
}

/* ---- of the host ---------------------------------------------------------------------- */

void host_read_settings(struct ibc_host *host)
{
	static const struct {
		const char *path, *prefix;
	} files_of_all[] = {
		{ "/etc/nccl.conf", "" },
		{ "/etc/openmpi/openmpi-mca-params.conf", "OMPI_MCA_" },
		{ "/etc/ucx/ucx.conf", "" },
	};
	struct dir root = open_path(host, "/", false);
	struct settings settings = { .host = host };

	for (size_t i = 0; root.fd >= 0 && i < ARRAY_SIZE(files_of_all); i++)
		settings_read_file(&settings, root.fd, files_of_all[i].path,
		                   files_of_all[i].prefix);
	close_dir(&root);
	host->settings = settings_settle(&settings);
	host->num_settings = settings.n;
}
