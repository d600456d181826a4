/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of firmware and software of this host that do not go together. */
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "check/groups.h"
#include "check/host/view.h"

/* ---- firmware ----------------------------------------------------------------------------- */

/* Of two the older is reported: 28.9.2, not 28.39.1002. */
static void evaluate_equal(const struct ibc_input *in, struct ibc_sink *out,
                           const struct ibc_rdma_device *device)
{
	const struct ibc_rdma_device *other;

	for (size_t i = 0; (other = ibc_host_device(in->host, i)); i++)
		if (*other->board_id && *other->fw_ver && *device->fw_ver &&
		    !strcmp(other->board_id, device->board_id) &&
		    strcmp(other->fw_ver, device->fw_ver) != 0)
			break;
	if (!other || str_version_order(device->fw_ver, other->fw_ver) > 0)
		return;
	sink_host(out, device->name, "runs firmware %s, %s of the same board (%s) %s",
	          device->fw_ver, other->name, device->board_id, other->fw_ver);
	sink_advise(out,
	            "Install the same release on all HCAs of this board (mlxfwmanager, flint).");
	sink_fact(out, "firmware", ibc_str(device->fw_ver));
	sink_fact(out, "other_firmware", ibc_str(other->fw_ver));
	sink_fact(out, "psid", ibc_str(device->board_id));
}

#define REPORTER "health "

/* Adapters that should behave alike, and firmware that waits for a reset. */
static void check_firmware(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_rdma_device *device;
	const struct ibc_host_fact *fact;
	const char *running, *stored;

	for (size_t i = 0; (device = ibc_host_device(in->host, i)); i++) {
		if (is_virtual(in->host, device))
			continue;
		evaluate_equal(in, out, device);
		running = value_of(in->host, device->pci, "running fw.version");
		stored = value_of(in->host, device->pci, "stored fw.version");
		if (running && stored && strcmp(running, stored) != 0) {
			sink_host(
			    out, device->name,
			    "runs firmware %s, but %s is stored: it was flashed but not reset",
			    running, stored);
			sink_advise(out, "Run mlxfwreset -d %s reset, or restart the host.",
			            sink_word(out, device->pci));
			sink_fact(out, "running", ibc_str(running));
			sink_fact(out, "stored", ibc_str(stored));
		}
		for (size_t k = 0; (fact = ibc_host_fact(in->host, k)); k++) {
			if (!*device->pci || strcmp(fact->subject, device->pci) != 0 ||
			    strncmp(fact->key, REPORTER, strlen(REPORTER)) != 0 ||
			    strcmp(fact->value, "error") != 0)
				continue;
			sink_as(out, IBC_CRITICAL);
			sink_host(out, device->name, "its driver reports an error state of \"%s\"",
			          fact->key + strlen(REPORTER));
			sink_advise(
			    out,
			    "Save the firmware's report with devlink health diagnose and devlink "
			    "health dump show pci/%s reporter %s; then reset the HCA.",
			    device->pci, fact->key + strlen(REPORTER));
			sink_fact(out, "path", ibc_str(fact->path));
		}
	}
}

/* ---- where it comes from --------------------------------------------------------------------- */

enum origin { UNKNOWN, INBOX, OFED };

/* Constants of the kernel's own drivers, of the time when these had versions. */
static const char *const inbox_versions[] = { "5.0-0", "4.0-0", "3.0-1", "2.2-1" };

static const char *const drivers[] = { "mlx5_core", "mlx4_core" };

static enum origin origin_of_kernel(const struct ibc_input *in, struct ibc_sink *out)
{
	enum origin origin = UNKNOWN;

	for (size_t i = 0; i < ARRAY_SIZE(drivers); i++) {
		const char *subject = sink_text(out, "module %s", drivers[i]);
		const char *version = value_of(in->host, subject, "version");

		size_t k = 0;

		while (version && k < ARRAY_SIZE(inbox_versions) &&
		       strcmp(version, inbox_versions[k]) != 0)
			k++;
		if (version && k == ARRAY_SIZE(inbox_versions))
			return OFED;
		if (value_of(in->host, subject, "loaded"))
			origin = INBOX;
	}
	return origin && value_of(in->host, "module mlx_compat", "loaded") ? OFED : origin;
}

static void evaluate_origins(const struct ibc_input *in, struct ibc_sink *out)
{
	enum origin kernel = origin_of_kernel(in, out), libraries = UNKNOWN;
	const char *version = value_of(in->host, "package", "libibverbs1");
	const char *release = value_of(in->host, "ofed", "version");

	if (version)
		libraries = strstr(version, "mlnx") ? OFED : INBOX;
	else if (release)
		libraries = OFED;
	/* the lists of rpm are no text, and what installs OFED's libraries leaves ofed_info */
	if (kernel == OFED && !libraries && value_of(in->host, "rdma-core", "libibverbs")) {
		sink_as(out, IBC_UNKNOWN);
		sink_host(out, host_name(in),
		          "runs NVIDIA's drivers (OFED), but the origin of its libraries is not "
		          "known: there is neither dpkg's list nor ofed_info");
		sink_advise(
		    out, "Run rpm -q libibverbs rdma-core: NVIDIA's have \"mlnx\" in the release. "
			 "Then install ofed-scripts of the same release, or its libraries.");
		sink_fact(out, "libibverbs",
		          ibc_str(path_of_fact(in->host, "rdma-core", "libibverbs")));
	}
	if (!kernel || !libraries || kernel == libraries)
		return;
	sink_host(out, host_name(in),
	          kernel == OFED
	              ? "runs NVIDIA's drivers (OFED) with the distribution's libraries%s%s"
	              : "runs the kernel's own drivers with NVIDIA's libraries%s%s",
	          version || release ? ": " : "",
	          version   ? sink_text(out, "libibverbs1 %s", version)
	          : release ? release
	                    : "");
	sink_advise(out,
	            kernel == OFED
	                ? "Install the libraries of the same OFED release, or remove its drivers."
	                : "Usually the kernel was updated and OFED's drivers were not built for "
	                  "it. Install them again, or remove OFED.");
	sink_fact(out, "kernel", ibc_str(value_of(in->host, "kernel", "release")));
	sink_fact(out, "driver", ibc_str(value_of(in->host, "module mlx5_core", "version")));
	sink_fact(out, "libraries", ibc_str(version));
	sink_fact(out, "ofed", ibc_str(release));
}

/* Drivers and libraries are tested together by who ships them, and not with those of others. */
static void check_mix(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_host_fact *fact, *first = NULL;

	evaluate_origins(in, out);
	/* providers are bound to one libibverbs by the number in their names */
	for (size_t i = 0; (fact = ibc_host_fact(in->host, i)); i++) {
		if (strncmp(fact->subject, "provider ", 9) != 0 ||
		    strncmp(fact->key, "rdmav", 5) != 0)
			continue;
		if (!first)
			first = fact;
		if (!strcmp(fact->key, first->key))
			continue;
		sink_host(out, host_name(in),
		          "has provider libraries for two libibverbs: %s and %s", first->path,
		          fact->path);
		sink_advise(out, "Remove the files that an upgrade left behind: only those of the "
		                 "installed libibverbs are loaded.");
		sink_fact(out, "libibverbs",
		          ibc_str(value_of(in->host, "rdma-core", "libibverbs")));
		return;
	}
}

/* ---- virtual functions -------------------------------------------------------------------- */

static bool is_bound(const struct ibc_host *host, const struct ibc_vf *vf)
{
	const struct ibc_pci *pf = ibc_host_pci_by_name(host, vf->pf);

	return !pf || vf->index < pf->vfs;
}

static void evaluate_vf(const struct ibc_input *in, struct ibc_sink *out, const struct ibc_vf *vf)
{
	const char *name = sink_text(out, "%s vf%u", vf->pf, vf->index);
	const struct ibc_vf *twin = NULL, *other;

	for (size_t i = 0; !twin && (other = ibc_host_vf(in->host, i)) && other != vf; i++)
		if (vf->guids_known && other->guids_known && other->port_guid &&
		    other->port_guid == vf->port_guid && is_bound(in->host, other))
			twin = other;
	if (vf->guids_known && (!vf->node_guid || !vf->port_guid)) {
		sink_host(out, name, "has a zero %s GUID", vf->node_guid ? "port" : "node");
		sink_advise(out,
		            "Set one: ip link set dev IB0 vf %u port_guid GUID (and node_guid), "
		            "then bind its driver again.",
		            vf->index);
	} else if (twin) {
		sink_host(out, name, "has the port GUID of %s vf%u", twin->pf, twin->index);
		sink_advise(out,
		            "Give each virtual function a GUID of its own: ip link set dev IB0 vf "
		            "%u port_guid GUID.",
		            vf->index);
	} else if (!strcasecmp(vf->policy, "down") || !strcmp(vf->policy, "disable")) {
		sink_as(out, IBC_WARNING);
		sink_host(out, name, "is held down by its link policy");
		sink_advise(
		    out,
		    "Run ip link set dev IB0 vf %u state auto, if a virtual machine shall use it.",
		    vf->index);
	} else {
		return;
	}
	sink_fact(out, "node_guid", vf->guids_known ? ibc_guid(vf->node_guid) : ibc_none());
	sink_fact(out, "port_guid", vf->guids_known ? ibc_guid(vf->port_guid) : ibc_none());
	sink_fact(out, "policy", ibc_str(*vf->policy ? vf->policy : NULL));
	sink_fact(out, "path", ibc_str(vf->path));
}

/* A virtual machine with a VF that the subnet manager does not know has no network. */
static void check_sriov(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_rdma_device *device, *pf;
	const struct ibc_vf *vf;

	for (size_t i = 0; (vf = ibc_host_vf(in->host, i)); i++)
		if (is_bound(in->host, vf))
			evaluate_vf(in, out, vf);
	/* one that is used on this host, and is down beside an active physical function */
	for (size_t i = 0; (device = ibc_host_device(in->host, i)); i++) {
		const struct ibc_pci *pci = ibc_host_pci_by_name(in->host, device->pci);
		const struct ibc_rdma_port *port = device->num_ports ? &device->ports[0] : NULL;

		if (!pci || !pci->vf_of || !port || !port->infiniband || !port->state ||
		    port->state == IBC_STATE_ACTIVE)
			continue;
		for (size_t k = 0; (pf = ibc_host_device(in->host, k)); k++) {
			if (strcmp(pf->pci, pci->vf_of->name) != 0 || !pf->num_ports ||
			    !is_active(&pf->ports[0]))
				continue;
			sink_as(out, IBC_WARNING);
			sink_own_port(
			    out, port_name(out, device, port),
			    "is a virtual function and %s, its physical function %s is active",
			    ibc_port_state_word(port->state)->name, pf->name);
			sink_advise(out, "Check its policy and GUIDs. The subnet manager must "
			                 "allow virtual ports (virt_enabled of opensm).");
		}
	}
}

/* ---- the table ------------------------------------------------------------------------------ */

const struct ibc_check ibc_checks_host_stack[] = {
	CHECK("host.firmware", "firmware that differs, waits for a reset, or reports errors",
	      IBC_WARNING, check_firmware, .parts = IBC_HOST_RDMA | IBC_HOST_PCI | IBC_HOST_STACK),
	CHECK("host.stack-mix", "drivers and libraries that were not made for each other",
	      IBC_WARNING, check_mix, .parts = IBC_HOST_RDMA | IBC_HOST_STACK),
	CHECK("host.sriov", "virtual functions that cannot join the fabric", IBC_CRITICAL,
	      check_sriov, .parts = IBC_HOST_RDMA | IBC_HOST_PCI),
	{ 0 },
};
