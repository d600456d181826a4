/* SPDX-License-Identifier: BSD-2-Clause */
/* What libraries and devices a process has mapped: lines of /proc/PID/maps (proc(5)). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/process/process.h"

#define VERBS_DEVICE "/dev/infiniband/uverbs"
#define DELETED      " (deleted)"

enum {
	PROGRAM_GPU = 1U << 31,  /* a GPU's driver */
	PROGRAM_CUDA = 1U << 30, /* PyTorch for GPUs has NCCL in it */
};

static const struct {
	const char *begin; /* of the file's name */
	uint32_t program;
} libraries[] = {
	{ "libmpi.so", IBC_PROGRAM_MPI },       { "libmpi_", IBC_PROGRAM_MPI },
	{ "libmpich", IBC_PROGRAM_MPI },        { "libmpifort", IBC_PROGRAM_MPI },
	{ "libnccl", IBC_PROGRAM_NCCL },        { "librccl", IBC_PROGRAM_NCCL },
	{ "libtorch_cuda", PROGRAM_CUDA },      { "libtorch_hip", PROGRAM_CUDA },
	{ "libucp.so", IBC_PROGRAM_UCX },       { "libuct_ib", IBC_PROGRAM_UCX },
	{ "libfabric.so", IBC_PROGRAM_OFI },    { "libibverbs.so", IBC_PROGRAM_VERBS },
	{ "libvma", IBC_PROGRAM_BYPASS },       { "libxlio", IBC_PROGRAM_BYPASS },
	{ "librspreload", IBC_PROGRAM_BYPASS }, { "libcuda.so", PROGRAM_GPU },
	{ "libamdhip64.so", PROGRAM_GPU },      { "librdmacm.so", IBC_PROGRAM_RDMACM },
};

/* A library is mapped several times, and another copy of it seldom. */
static void take_verbs_library(struct proc_reader *r, const char *path)
{
	const char *deleted = strstr(path, DELETED);
	size_t n = deleted ? (size_t)(deleted - path) : strlen(path);
	const char **first = &r->process->verbs_library, **other = &r->process->verbs_other;
	const char **to = **first ? other : first;

	r->verbs_deleted |= deleted != NULL;
	if (**to || (to == other && strlen(*first) == n && !strncmp(*first, path, n)))
		return;
	*to = text_clean(r->host, path, n);
}

/* "/opt/openmpi" of "/opt/openmpi/lib64/libmpi.so.40"; a system's own has no prefix. */
static void take_prefix(char *out, size_t size, const char *path)
{
	const char *lib = strstr(path, "/lib");
	const char *next;

	while (lib && (next = strstr(lib + 1, "/lib")) && strchr(next + 1, '/'))
		lib = next;
	if (lib)
		snprintf(out, size, "%.*s", (int)(lib - path), path);
}

void take_mapping(struct proc_reader *r)
{
	/* address, permissions, offset, device and inode have no slash */
	const char *path = strchr(r->stream.item, '/'), *name;
	uint32_t program = 0;

	if (!path)
		return;
	name = text_after(path, VERBS_DEVICE);
	if (name) {
		unsigned long device = strtoul(name, NULL, 10);

		r->mapped |= 1ULL << (device < 63 ? device : 63);
		return;
	}
	name = strrchr(path, '/') + 1;
	if (!text_after(name, "lib"))
		return;
	for (size_t i = 0; !program && i < ARRAY_SIZE(libraries); i++)
		if (text_after(name, libraries[i].begin))
			program = libraries[i].program;
	r->gpu |= program & (PROGRAM_GPU | PROGRAM_CUDA);
	if (program & PROGRAM_CUDA && r->rank == RANK_WHOLE)
		program |= IBC_PROGRAM_NCCL;
	r->process->program |= program & ~(PROGRAM_GPU | PROGRAM_CUDA);
	if (program & IBC_PROGRAM_VERBS)
		take_verbs_library(r, path);
	if (program & IBC_PROGRAM_MPI)
		take_prefix(r->places.mpi_prefix, sizeof(r->places.mpi_prefix), path);
	if (program & IBC_PROGRAM_UCX)
		take_prefix(r->places.ucx_prefix, sizeof(r->places.ucx_prefix), path);
}
