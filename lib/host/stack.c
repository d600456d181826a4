/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The software below a job, as facts: the kernel and where its drivers come from, the
 * libraries of rdma-core, what GPUDirect needs, and how the machine is tuned.  What is not
 * there is no fact; nothing here is missing on every host.
 */
#include <string.h>

#include "host/host.h"

/* ---- files of one line ------------------------------------------------------------- */

static const struct {
	const char *dir, *file, *subject, *key;
} lines[] = {
	{ "/proc/sys/kernel", "osrelease", "kernel", "release" },
	{ "/proc/sys/kernel", "tainted", "kernel", "tainted" },
	{ "/sys/class/dmi/id", "sys_vendor", "machine", "vendor" },
	{ "/sys/class/dmi/id", "product_name", "machine", "product" },
	{ "/sys/class/infiniband_verbs", "abi_version", "verbs", "abi_version" },
	{ "/sys/class/infiniband_mad", "abi_version", "mad", "abi_version" },
	{ "/sys/kernel/mm/memory_peers/nv_mem", "version", "peermem", "nv_mem" },
	{ "/sys/kernel/mm/memory_peers/nv_mem_nc", "version", "peermem", "nv_mem_nc" },
	{ "/proc/driver/nvidia", "version", "nvidia", "version" },
	{ "/proc/sys/kernel", "numa_balancing", "tuning", "numa_balancing" },
	{ "/proc/sys/vm", "zone_reclaim_mode", "tuning", "zone_reclaim_mode" },
	{ "/sys/kernel/mm/transparent_hugepage", "enabled", "tuning", "transparent_hugepage" },
	{ "/sys/devices/system/cpu/intel_pstate", "no_turbo", "tuning", "no_turbo" },
	{ "/sys/devices/system/node", "online", "machine", "numa_nodes" },
};

static bool has_fact(const struct ibc_host *host, const char *subject, const char *key)
{
	for (size_t i = 0; i < host->facts.n; i++) {
		const struct ibc_host_fact *fact = host->facts.items[i];

		if (!strcmp(fact->subject, subject) && !strcmp(fact->key, key))
			return true;
	}
	return false;
}

/* ---- modules ------------------------------------------------------------------------ */

static const char *const modules[] = {
	"mlx_compat",  "mlx4_core", "mlx4_ib",  "mlx5_core", "mlx5_ib", "hfi1",
	"ib_qib",      "bnxt_re",   "irdma",    "rdma_rxe",  "ib_core", "ib_uverbs",
	"ib_umad",     "ib_ipoib",  "rdma_cm",  "rdma_ucm",  "nvidia",  "nvidia_peermem",
	"nv_peer_mem", "amdgpu",    "vfio_pci", "ib_iser",   "rpcrdma", "nvme_rdma",
};

static const char *const module_files[] = { "version", "srcversion", "taint" };

/* ---- longer files -------------------------------------------------------------------- */

static void take_distribution(struct ibc_host *host, const char *line, const char *path)
{
	const char *name = text_after(line, "PRETTY_NAME=");

	if (!name)
		return;
	name += strspn(name, "\"'");
	note_fact(host, "kernel", "distribution", text_clean(host, name, strcspn(name, "\"'")),
	          path);
}

/* A script that prints which release was installed: "MLNX_OFED_LINUX-24.04-0.6.6.0". */
static void take_ofed(struct ibc_host *host, const char *line, const char *path)
{
	const char *name = strstr(line, "OFED-"), *linux_name = strstr(line, "MLNX_OFED_LINUX-");

	name = linux_name ? linux_name : name;
	if (name && !has_fact(host, "ofed", "version"))
		note_fact(host, "ofed", "version", text_clean(host, name, strcspn(name, " ):\"'")),
		          path);
}

/* The processor says so of itself, x86 only. */
static void take_hypervisor(struct ibc_host *host, const char *line, const char *path)
{
	if (text_after(line, "flags") && strstr(line, " hypervisor") &&
	    !has_fact(host, "machine", "hypervisor"))
		note_fact(host, "machine", "hypervisor", "yes", path);
}

/* Only words that bear on DMA: others may be private. */
static void take_cmdline(struct ibc_host *host, const char *line, const char *path)
{
	static const char *const words[] = { "iommu=", "intel_iommu=", "amd_iommu=", "pci=" };

	for (const char *word = line; *word; word += strcspn(word, " ")) {
		word += strspn(word, " ");
		for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
			const char *value = text_after(word, words[i]);

			if (value)
				note_fact(host, "kernel",
				          host_text(host, "cmdline %.*s", (int)strlen(words[i]) - 1,
				                    words[i]),
				          text_clean(host, value, strcspn(value, " ")), path);
		}
	}
}

/* What who runs this program gives to programs; "Max locked memory   65536   65536   bytes" */
static void take_memlock(struct ibc_host *host, const char *line, const char *path)
{
	const char *soft = text_after(line, "Max locked memory");

	if (!soft)
		return;
	soft += strspn(soft, " ");
	note_fact(host, "limits", "memlock", text_clean(host, soft, strcspn(soft, " ")), path);
}

static const struct {
	const char *path;
	unsigned int lines; /* what is looked for is among the first of them */
	void (*take)(struct ibc_host *host, const char *line, const char *path);
} text_files[] = {
	{ "/etc/os-release", 64, take_distribution }, { "/usr/bin/ofed_info", 64, take_ofed },
	{ "/proc/cpuinfo", 64, take_hypervisor },     { "/proc/cmdline", 1, take_cmdline },
	{ "/proc/self/limits", 16, take_memlock }, /* one for each of RLIM_NLIMITS */
};

/* ---- processors ------------------------------------------------------------------------------ */

/* One governor for all, or "mixed". */
static void read_governors(struct ibc_host *host)
{
	struct dir dir = open_path(host, "/sys/devices/system/cpu/cpufreq", true);
	const char *governor = NULL, *text;
	struct dir_names names;

	list_dir(host, &dir, &names);
	for (size_t i = 0; i < names.n; i++) {
		text = read_text(host, &dir, host_text(host, "%s/scaling_governor", names.items[i]),
		                 true);
		if (text)
			governor = governor && strcmp(governor, text) ? "mixed" : text;
	}
	if (governor)
		note_fact(host, "tuning", "scaling_governor", governor, dir.path);
	close_dir(&dir);
}

static void read_modules(struct ibc_host *host)
{
	struct dir all = open_path(host, "/sys/module", true);

	if (all.fd < 0)
		return;
	note_fact(host, "kernel", "modules", "listed", all.path);
	for (size_t i = 0; i < ARRAY_SIZE(modules); i++) {
		const char *subject = host_text(host, "module %s", modules[i]), *text;
		struct dir dir;

		if (!has_entry(&all, modules[i]))
			continue;
		dir = open_dir(host, &all, modules[i]);
		if (dir.fd < 0)
			continue;
		note_fact(host, subject, "loaded", "yes", dir.path);
		for (size_t k = 0; k < ARRAY_SIZE(module_files); k++) {
			text = read_text(host, &dir, module_files[k], true);
			if (text && *text)
				note_fact(host, subject, module_files[k], text,
				          path_of(host, &dir, module_files[k]));
		}
		close_dir(&dir);
	}
	close_dir(&all);
}

void host_read_stack(struct ibc_host *host)
{
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		const char *text = read_lone(host, lines[i].dir, lines[i].file);

		if (text)
			note_fact(
			    host, lines[i].subject, lines[i].key, text,
			    host_text(host, "%s%s/%s", host->root, lines[i].dir, lines[i].file));
	}
	for (size_t i = 0; i < ARRAY_SIZE(text_files); i++) {
		struct stream s;
		const char *path = lines_open(host, &s, text_files[i].path);

		while (s.number < text_files[i].lines && stream_next(&s))
			text_files[i].take(host, s.item, path);
		lines_close(host, &s, path);
	}
	read_modules(host);
	read_governors(host);
}
