/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What values mean to those who read them: NCCL (src/transport/net_ib, docs: Environment
 * Variables), UCX (ucx_info -c), Open MPI (ompi_info --all), libfabric (fi_provider(7)),
 * Intel MPI's reference.
 */
#include "host/process/variables.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "host/tree.h"

#define WORD_BYTES 64 /* longer than any value that means something */

/* ---- lists of names --------------------------------------------------------- */

/* struct words - what a list of transports can name, "" last */
struct words {
	const char *separators;
	const char *const *rdma, *const *tcp;
	/* without all of these there is no RDMA; each may stand for all */
	const char *const *needed, *const *needed_whole;
	const char *all;
};

/* The next word of a list, without what follows a ":"; false at its end. */
static bool next_list_word(const char **list, const char *separators, char word[WORD_BYTES])
{
	size_t n, kept;

	*list += strspn(*list, separators);
	n = strcspn(*list, separators);
	kept = strcspn(*list, ":");
	kept = kept < n ? kept : n;
	kept = kept < WORD_BYTES - 1 ? kept : WORD_BYTES - 1;
	memcpy(word, *list, kept);
	word[kept] = '\0';
	*list += n;
	return n != 0;
}

static bool is_among(const char *word, const char *const *words)
{
	for (size_t i = 0; words[i]; i++)
		if (!strcasecmp(word, words[i]))
			return true;
	return false;
}

static bool names_any(const char *list, const struct words *w, const char *const *words)
{
	char word[WORD_BYTES];

	while (next_list_word(&list, w->separators, word))
		if (is_among(word, words))
			return true;
	return false;
}

static uint8_t effect_of_list(const char *list, const struct words *w)
{
	const char *one[] = { w->all, NULL };
	bool excludes = *list == '^', rdma, tcp;

	if (!*list || (!excludes && w->all && names_any(list, w, one)))
		return IBC_EFFECT_ALLOWS_TCP;
	list += excludes;
	tcp = names_any(list, w, w->tcp) != excludes;
	rdma = names_any(list, w, excludes ? w->needed_whole : w->rdma) != excludes;
	if (excludes && rdma) {
		size_t i = 0;

		while ((one[0] = w->needed[i]) && names_any(list, w, one))
			i++;
		rdma = w->needed[i] != NULL;
	}
	if (rdma)
		return tcp ? IBC_EFFECT_ALLOWS_TCP : IBC_EFFECT_REQUIRES_RDMA;
	return tcp ? IBC_EFFECT_FORCES_TCP : IBC_EFFECT_NONE;
}

static uint8_t ucx_tls(const char *value)
{
	static const char *const rdma[] = { "ib",       "rc",       "rc_x",    "rc_v", "rc_mlx5",
		                            "rc_verbs", "dc",       "dc_x",    "ud",   "dc_mlx5",
		                            "ud_x",     "ud_v",     "ud_mlx5", "gga",  "gga_mlx5",
		                            "srd",      "ud_verbs", NULL };
	static const char *const tcp[] = { "tcp", NULL };
	static const char *const needed[] = { "rc", "dc", "ud", NULL }, *const whole[] = { "ib",
		                                                                           NULL };
	static const struct words words = { ",", rdma, tcp, needed, whole, "all" };

	return effect_of_list(value, &words);
}

static uint8_t ofi_provider(const char *value)
{
	static const char *const rdma[] = { "verbs", "psm2", "psm3", "opx",   "efa",
		                            "cxi",   "ucx",  "mlx",  "usnic", NULL };
	static const char *const tcp[] = { "tcp", "sockets", "udp", "net", NULL };
	static const char *const whole[] = { "verbs", NULL };
	static const struct words words = { ",;", rdma, tcp, rdma, whole, NULL };

	return effect_of_list(value, &words);
}

static uint8_t impi_fabrics(const char *value)
{
	static const char *const rdma[] = { "dapl", "ofa", "tmi", NULL };
	const char *colon = strrchr(value, ':');

	/* "shm:tcp": within the host, then between hosts; "ofi" leaves it to the provider */
	value = colon ? colon + 1 : value;
	if (!strcasecmp(value, "tcp"))
		return IBC_EFFECT_FORCES_TCP;
	return is_among(value, rdma) ? IBC_EFFECT_REQUIRES_RDMA : IBC_EFFECT_NONE;
}

/* ob1 sends by BTLs, of which only that of TCP is left on InfiniBand. */
static uint8_t openmpi_pml(const char *value)
{
	static const char *const rdma[] = { "ucx", "cm", "yalla", NULL };

	if (*value == '^')
		return !strcasecmp(value, "^ucx") ? IBC_EFFECT_FORCES_TCP : IBC_EFFECT_NONE;
	if (!strcasecmp(value, "ob1"))
		return IBC_EFFECT_FORCES_TCP;
	return is_among(value, rdma) ? IBC_EFFECT_REQUIRES_RDMA : IBC_EFFECT_NONE;
}

static uint8_t openmpi_btl(const char *value)
{
	static const char *const rdma[] = { "openib", "uct", "ofi", "usnic", NULL };
	static const char *const tcp[] = { "tcp", NULL };
	static const struct words words = { ",", rdma, tcp, NULL, NULL, NULL };

	/* "^openib" is what most sites have, for UCX takes its place */
	if (*value == '^' || names_any(value, &words, rdma))
		return IBC_EFFECT_NONE;
	return names_any(value, &words, tcp) ? IBC_EFFECT_FORCES_TCP : IBC_EFFECT_NONE;
}

static uint8_t any_allows(const char *value)
{
	return !strcasecmp(value, "any") ? IBC_EFFECT_ALLOWS_TCP : IBC_EFFECT_NONE;
}

/* ---- single values ------------------------------------------------------------ */

static bool is_on(const char *value)
{
	static const char *const on[] = { "y", "yes", "on", "true", "enable", NULL };

	return is_among(value, on) || strtol(value, NULL, 0) != 0;
}

static uint8_t on_forces(const char *value)
{
	return is_on(value) ? IBC_EFFECT_FORCES_TCP : IBC_EFFECT_NONE;
}

static uint8_t on_allows(const char *value)
{
	return is_on(value) ? IBC_EFFECT_ALLOWS_TCP : IBC_EFFECT_NONE;
}

static uint8_t set_allows(const char *value)
{
	static const char *const internal[] = { "none", "", NULL };

	return is_among(value, internal) ? IBC_EFFECT_NONE : IBC_EFFECT_ALLOWS_TCP;
}

static uint8_t nccl_net(const char *value)
{
	if (!strcasecmp(value, "Socket"))
		return IBC_EFFECT_FORCES_TCP;
	return !strcasecmp(value, "IB") ? IBC_EFFECT_REQUIRES_RDMA : IBC_EFFECT_NONE;
}

static uint8_t impi_device(const char *value)
{
	return !strncasecmp(value, "sock", 4) ? IBC_EFFECT_FORCES_TCP : IBC_EFFECT_NONE;
}

/* ---- names of devices ---------------------------------------------------------- */

static bool is_named(const char *list, const char *device, bool exact)
{
	char word[WORD_BYTES];

	while (next_list_word(&list, ",", word))
		if (exact ? !strcmp(word, device) : !strncmp(word, device, strlen(word)))
			return true;
	return false;
}

/* "mlx5_0:1,mlx5_1"; "^" leaves out what follows, "=" takes it by the letter */
static bool nccl_takes(const char *value, const char *device)
{
	bool exclude = *value == '^', exact;

	value += exclude;
	exact = *value == '=';
	value += exact;
	return !*value || is_named(value, device, exact) != exclude;
}

static uint8_t nccl_ib_hca(const struct ibc_host *host, const char *value)
{
	const struct ibc_rdma_device *device;

	for (size_t i = 0; (device = ibc_host_device(host, i)); i++)
		if (nccl_takes(value, device->name))
			return IBC_EFFECT_NONE;
	return ibc_host_device(host, 0) ? IBC_EFFECT_FORCES_TCP : IBC_EFFECT_NONE;
}

static bool ucx_takes(const char *value, const char *device)
{
	if (*value == '^')
		return !is_named(value + 1, device, true);
	return !*value || !strncmp(value, "all", 3) || is_named(value, device, true);
}

bool variable_takes_device(const char *name, const char *value, const char *device)
{
	if (!strcmp(name, "NCCL_IB_HCA"))
		return nccl_takes(value, device);
	return strcmp(name, "UCX_NET_DEVICES") || ucx_takes(value, device);
}

/* Names of interfaces are for TCP, names of devices for RDMA. */
static uint8_t ucx_net_devices(const struct ibc_host *host, const char *value)
{
	const struct ibc_rdma_device *device;

	if (!*value || !strncmp(value, "all", 3))
		return IBC_EFFECT_ALLOWS_TCP;
	if (*value == '^' || !ibc_host_device(host, 0))
		return IBC_EFFECT_NONE;
	for (size_t i = 0; (device = ibc_host_device(host, i)); i++)
		if (is_named(value, device->name, true))
			return IBC_EFFECT_REQUIRES_RDMA;
	return IBC_EFFECT_FORCES_TCP;
}

/* ---- the table ------------------------------------------------------------------ */

/* In the order of strcmp(). */
static const struct variable table[] = {
	{ "FI_PROVIDER", .meaning = "providers libfabric may use", .effect = ofi_provider },
	{ "FI_SOCKETS_IFACE", .meaning = "interface of libfabric's sockets provider" },
	{ "FI_TCP_IFACE", .meaning = "interface of libfabric's tcp provider" },
	{ "FI_VERBS_DEVICE_NAME", .meaning = "RDMA device of libfabric's verbs provider" },
	{ "FI_VERBS_IFACE",
	  .meaning = "interface whose RDMA device libfabric's verbs provider uses" },
	{ "GLOO_SOCKET_IFNAME", .meaning = "interface of Gloo, which sends by TCP" },
	{ "IBV_DRIVERS", .meaning = "additional providers of libibverbs" },
	{ "IBV_FORK_SAFE", .meaning = "libibverbs survives fork()" },
	{ "IBV_SHOW_WARNINGS", .meaning = "libibverbs warns of devices without a provider" },
	{ "I_MPI_DEVICE", .meaning = "device of old versions of Intel MPI", .effect = impi_device },
	{ "I_MPI_FABRICS", .meaning = "fabrics of Intel MPI", .effect = impi_fabrics },
	{ "I_MPI_FALLBACK", .meaning = "Intel MPI may fall back to TCP", .effect = on_allows },
	{ "I_MPI_OFI_PROVIDER", .meaning = "libfabric provider of Intel MPI",
	  .effect = ofi_provider },
	{ "JOB_ID", .meaning = "job of Grid Engine", .job = "sge" },
	{ "LSB_JOBID", .meaning = "job of LSF", .job = "lsf" },
	{ "MASTER_ADDR", .meaning = "with RANK and WORLD_SIZE: a process of PyTorch", .rank = 1 },
	{ "MPI_UCX_NET_DEVICES", .meaning = "devices of UCX in Open MPI",
	  .host_effect = ucx_net_devices },
	{ "MPI_UCX_TLS", .meaning = "transports of UCX in Open MPI", .effect = ucx_tls },
	{ "MV2_COMM_WORLD_RANK", .meaning = "an MPI rank of MVAPICH2", .rank = RANK_WHOLE },
	{ "MV2_IBA_HCA", .meaning = "RDMA devices of MVAPICH2" },
	{ "MVP_IBA_HCA", .meaning = "RDMA devices of MVAPICH" },
	{ "NCCL_DEBUG", .meaning = "what NCCL writes to its log" },
	{ "NCCL_DMABUF_ENABLE", .meaning = "NCCL registers GPU memory by dma-buf" },
	{ "NCCL_IBEXT_DISABLE", .meaning = "turns off the InfiniBand plugin of HPC-X for NCCL",
	  .effect = on_allows },
	{ "NCCL_IBVERBS_LIB", .meaning = "library NCCL loads as libibverbs", .effect = set_allows },
	{ "NCCL_IB_DISABLE", .meaning = "turns off InfiniBand in NCCL", .effect = on_forces },
	{ "NCCL_IB_GID_INDEX", .meaning = "GID that NCCL sends from" },
	{ "NCCL_IB_HCA", .meaning = "RDMA devices of NCCL", .host_effect = nccl_ib_hca },
	{ "NCCL_IB_PCI_RELAXED_ORDERING", .meaning = "NCCL asks for relaxed ordering" },
	{ "NCCL_IB_TC", .meaning = "traffic class of NCCL" },
	{ "NCCL_NET", .meaning = "network of NCCL", .effect = nccl_net },
	{ "NCCL_NET_GDR_LEVEL", .meaning = "maximum distance of a GPU for GPUDirect" },
	{ "NCCL_NET_GDR_READ", .meaning = "NCCL sends out of GPU memory" },
	{ "NCCL_NET_PLUGIN",
	  .meaning = "network plugin of NCCL; another network if it does not load",
	  .effect = set_allows },
	{ "NCCL_OOB_NET_ENABLE", .meaning = "NCCL sets up connections over its network" },
	{ "NCCL_OOB_NET_IFNAME", .meaning = "interface over which NCCL sets up connections" },
	{ "NCCL_SET_THREAD_NAME", .meaning = "NCCL names its threads" },
	{ "NCCL_SOCKET_FAMILY", .meaning = "IP version of NCCL" },
	{ "NCCL_SOCKET_IFNAME",
	  .meaning = "interface of NCCL's set-up, and of its data without RDMA" },
	{ "OMPI_COMM_WORLD_RANK", .meaning = "an MPI rank of Open MPI", .rank = RANK_WHOLE },
	{ "OMPI_MCA_btl", .meaning = "transports of Open MPI below ob1", .effect = openmpi_btl },
	{ "OMPI_MCA_btl_openib_allow_ib", .meaning = "Open MPI's own transport for InfiniBand" },
	{ "OMPI_MCA_btl_tcp_if_exclude", .meaning = "interfaces Open MPI's TCP excludes" },
	{ "OMPI_MCA_btl_tcp_if_include", .meaning = "interfaces of Open MPI's TCP" },
	{ "OMPI_MCA_mtl", .meaning = "message transports of Open MPI" },
	{ "OMPI_MCA_mtl_ofi_provider_exclude", .meaning = "libfabric providers Open MPI excludes" },
	{ "OMPI_MCA_mtl_ofi_provider_include", .meaning = "libfabric providers of Open MPI",
	  .effect = ofi_provider },
	{ "OMPI_MCA_opal_common_ofi_provider_exclude",
	  .meaning = "libfabric providers Open MPI excludes" },
	{ "OMPI_MCA_opal_common_ofi_provider_include", .meaning = "libfabric providers of Open MPI",
	  .effect = ofi_provider },
	{ "OMPI_MCA_opal_common_ucx_devices", .meaning = "devices for which Open MPI uses UCX",
	  .effect = any_allows },
	{ "OMPI_MCA_opal_common_ucx_tls", .meaning = "transports for which Open MPI uses UCX",
	  .effect = any_allows },
	{ "OMPI_MCA_pml", .meaning = "how Open MPI sends messages", .effect = openmpi_pml },
	{ "OMPI_MCA_pml_ucx_devices", .meaning = "devices for which Open MPI uses UCX",
	  .effect = any_allows },
	{ "OMPI_MCA_pml_ucx_tls", .meaning = "transports for which Open MPI uses UCX",
	  .effect = any_allows },
	{ "PBS_JOBID", .meaning = "job of PBS", .job = "pbs" },
	{ "PMIX_NAMESPACE", .meaning = "job of a PMIx launcher", .job = "pmix" },
	{ "PMIX_RANK", .meaning = "an MPI rank, by PMIx", .rank = RANK_WHOLE },
	{ "PMI_RANK", .meaning = "an MPI rank, by PMI", .rank = RANK_WHOLE },
	{ "RANK", .meaning = "with WORLD_SIZE and MASTER_ADDR: a process of PyTorch", .rank = 2 },
	{ "RDMAV_DRIVERS", .meaning = "additional providers of libibverbs" },
	{ "RDMAV_FORK_SAFE", .meaning = "libibverbs survives fork()" },
	{ "RDMAV_HUGEPAGES_SAFE", .meaning = "libibverbs survives fork() with huge pages" },
	{ "SLURM_JOB_ID", .meaning = "job of Slurm", .job = "slurm" },
	{ "TP_SOCKET_IFNAME", .meaning = "interface of TensorPipe, which sends by TCP" },
	{ "UCX_IB_GID_INDEX", .meaning = "GID that UCX sends from" },
	{ "UCX_IB_TRAFFIC_CLASS", .meaning = "traffic class of UCX" },
	{ "UCX_NET_DEVICES", .meaning = "devices of UCX", .host_effect = ucx_net_devices },
	{ "UCX_TLS", .meaning = "transports of UCX", .effect = ucx_tls },
	{ "WORLD_SIZE", .meaning = "with RANK and MASTER_ADDR: a process of PyTorch", .rank = 4 },
};

struct variable_name {
	const char *name;
	size_t length;
};

static int by_variable_name(const void *wanted, const void *row)
{
	const struct variable_name *key = wanted;
	const struct variable *variable = row;
	int order = strncmp(key->name, variable->name, key->length);

	return order ? order : -(variable->name[key->length] != '\0');
}

const struct variable *variable_of(const char *name, size_t length)
{
	struct variable_name key = { name, length };

	return bsearch(&key, table, ARRAY_SIZE(table), sizeof(table[0]), by_variable_name);
}

const struct variable *variable_at(size_t i)
{
	return i < ARRAY_SIZE(table) ? &table[i] : NULL;
}
