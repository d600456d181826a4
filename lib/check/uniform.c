/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of devices that should be like others of their kind: firmware, and its PSID. */
#include <stdlib.h>
#include <string.h>

#include "base/folded.h"
#include "base/str.h"
#include "check/allow.h"
#include "check/collect.h"
#include "check/groups.h"
#include "check/settings.h"
#include "fabric/fabric.h"

/* So many, and such a share, are a norm that others deviate from; both are estimates. */
#define NORM_MIN     4
#define NORM_PERCENT 60 /* fewer may be halfway through an update */

#define VALUES_SHOWN 4  /* of a class without a norm; the rest is in the facts of devices */
#define DEVICE_TEXT  32 /* "device 0x1234" */

/*
 * struct member - a device, and what it is compared in
 * @model, @psid: its class; @psid: "" where it is not known, or is itself what is compared
 * @value: a version, or a PSID
 * @device: equal for the boards of a chassis and the functions of an adapter
 * @boards: of the first of a device with this value: how many it has; of others 0
 */
struct member {
	uint64_t model, device;
	const char *psid, *value;
	const struct ibc_node *node;
	size_t boards;
};

static int by_class(const struct member *a, const struct member *z)
{
	return order_u64(a->model, z->model) ?: strcmp(a->psid, z->psid);
}

static int by_class_then_value(const void *va, const void *vz)
{
	const struct member *a = va, *z = vz;

	return by_class(a, z) ?: strcmp(a->value, z->value) ?: order_u64(a->device, z->device)
	    ?: order_u64(a->node->guid, z->node->guid);
}

static size_t same_value(const struct member *m, size_t n)
{
	size_t same = 1;

	while (same < n && !strcmp(m[same].value, m->value))
		same++;
	return same;
}

static size_t devices_in(const struct member *m, size_t n)
{
	size_t devices = 0;

	for (size_t i = 0; i < n; i++)
		devices += m[i].boards > 0;
	return devices;
}

/*
 * struct norm - what most of a class have
 * @value: NULL: there is no such value
 * @alike: how many have it, of all @devices
 */
struct norm {
	const char *value;
	size_t alike, devices;
};

static struct norm norm_of(struct member *m, size_t n)
{
	struct norm norm = { .value = NULL };
	struct member *first = m;

	/* the first of each device that has a value stands for it */
	for (size_t i = 0; i < n; i++) {
		if (!i || m[i].device != first->device || strcmp(m[i].value, first->value) != 0) {
			first = &m[i];
			norm.devices++;
		}
		first->boards++;
	}
	for (size_t i = 0, same; i < n; i += same) {
		size_t alike;

		same = same_value(&m[i], n - i);
		alike = devices_in(&m[i], same);
		if (norm.devices >= NORM_MIN && alike * 100 >= norm.devices * NORM_PERCENT) {
			norm.value = m[i].value;
			norm.alike = alike;
		}
	}
	return norm;
}

/* "MT4129 (MT_0000000838)" */
static const char *class_text(struct ibc_sink *out, const struct member *m)
{
	char model[DEVICE_TEXT];

	node_device_text(m->node, model, sizeof(model));
	return *m->psid ? sink_text(out, "%s (%s)", model, m->psid) : sink_text(out, "%s", model);
}

/* All values of a class, as information: it is no fault, or not known which is. */
static void list_values(struct ibc_sink *out, const struct member *m, size_t n,
                        const struct norm *norm, const char *what)
{
	const char *class = class_text(out, m), *text = "";
	const char **names = sink_array(out, n, sizeof(*names));
	const struct ibc_subject subject = { .near.desc = class };
	size_t values = 0;

	for (size_t i = 0, same; i < n; i += same, values++) {
		size_t devices;

		same = same_value(&m[i], n - i);
		if (values >= VALUES_SHOWN)
			continue;
		/* "10 have 28.36.1010 (node[01-10])"; who has the usual one goes unnamed */
		devices = devices_in(&m[i], same);
		text = sink_text(out, "%s%s%zu %s %s", text, values ? "; " : "", devices,
		                 devices == 1 ? "has" : "have", m[i].value);
		if (norm->value && !strcmp(m[i].value, norm->value))
			continue;
		for (size_t k = 0; k < same; k++)
			names[k] = m[i + k].node->host_name ? m[i + k].node->host_name
			                                    : m[i + k].node->label;
		text = sink_text(out, "%s (%s)", text, sink_folded(out, names, same));
	}
	sink_as(out, IBC_INFO);
	sink_add(out, &subject, "%zu devices of type %s %s: %s%s", norm->devices, class, what, text,
	         values > VALUES_SHOWN ? "; and more" : "");
	sink_fact(out, "type", ibc_str(class));
	sink_fact(out, "devices", ibc_u64(norm->devices));
	sink_fact(out, "values", ibc_u64(values));
}

/* ---- the checks ----------------------------------------------------------------------------- */

enum { FIRMWARE, PSID };

/*
 * A device that missed an update has the faults that the update repaired, and is the one that
 * behaves otherwise for no reason that anybody can see.
 */
static void report_deviants(struct ibc_sink *out, const struct member *m, size_t n,
                            const struct norm *norm)
{
	const char *newest = norm->value;

	for (size_t i = 0; i < n; i++)
		if (str_version_order(m[i].value, newest) > 0)
			newest = m[i].value;
	for (size_t i = 0; i < n; i++) {
		const char *class, *on = "";
		bool is_newer;

		if (!m[i].boards || !strcmp(m[i].value, norm->value))
			continue;
		class = class_text(out, &m[i]);
		if (m[i].boards > 1)
			on = sink_text(out, " on %zu of its boards", m[i].boards);
		is_newer = str_version_order(m[i].value, norm->value) > 0;
		sink_node(out, m[i].node,
		          "runs %sfirmware %s%s; %zu of %zu devices of type %s run %s",
		          is_newer ? "newer " : "", m[i].value, on, norm->alike, norm->devices,
		          class, norm->value);
		if (is_newer)
			sink_advise(out,
			            "Update the others to %s. If this site keeps %s for a reason, "
			            "allow %s in the configuration, or read in the release notes "
			            "whether this device may go back.",
			            newest, norm->value, m[i].value);
		else
			sink_advise(out,
			            "Update to %s, and reset the device, so that it runs that "
			            "version. If the others are those to be updated, finish that "
			            "first.",
			            norm->value);
		sink_fact(out, "age", ibc_str(is_newer ? "newer" : "older"));
		sink_fact(out, "type", ibc_str(class));
		sink_fact(out, "psid", ibc_str(m[i].node->psid));
		sink_fact(out, "firmware", ibc_str(m[i].value));
		sink_fact(out, "usual_firmware", ibc_str(norm->value));
		sink_fact(out, "boards", ibc_u64(m[i].boards));
		sink_fact(out, "alike", ibc_u64(norm->devices));
		sink_fact(out, "alike_with_usual", ibc_u64(norm->alike));
	}
}

/*
 * Different PSIDs of one device id are different products: managed and unmanaged switches, cards of
 * a server's vendor.  They never run the same image, and are no fault.
 */
static void check_uniform(const struct ibc_input *in, struct ibc_sink *out)
{
	bool of_psid = out->check == &ibc_checks_uniform[PSID];
	struct member *m = sink_array(out, ibc_fabric_count(in->fabric).nodes, sizeof(*m));
	const char *allow = config_allow(in->config, out->check);
	const struct ibc_node *node;
	size_t n = 0;

	for (size_t i = 0; (node = ibc_fabric_node(in->fabric, i)); i++) {
		const char *value = of_psid ? node->psid : node->firmware;

		/* what a site means to have is not compared with the others */
		if (!ibc_node_has(node, IBC_ATTR_GENERAL_INFO) || !value || !*value ||
		    allow_names(allow, NULL, value) ||
		    (node->psid && allow_names(allow, node->psid, value)))
			continue;
		m[n++] = (struct member){
			.model = (uint64_t)node->vendor_id << 16 | node->device_id,
			.psid = !of_psid && node->psid ? node->psid : "",
			.value = value,
			.device = node->system_guid ? node->system_guid : node->guid,
			.node = node,
		};
	}
	qsort(m, n, sizeof(*m), by_class_then_value);
	for (size_t i = 0, end; i < n; i = end) {
		struct norm norm;

		for (end = i + 1; end < n && !by_class(&m[i], &m[end]);)
			end++;
		norm = norm_of(&m[i], end - i);
		if (same_value(&m[i], end - i) == end - i)
			continue;
		if (of_psid || !norm.value)
			list_values(out, &m[i], end - i, &norm,
			            of_psid ? "have different PSIDs" : "run different firmware");
		else
			report_deviants(out, &m[i], end - i, &norm);
	}
}

/* ---- the table ------------------------------------------------------------------------------ */

const struct ibc_check ibc_checks_uniform[] = {
	[FIRMWARE] = CHECK("fabric.firmware", "devices with other firmware than most of their type",
	                   IBC_WARNING, check_uniform, .absence = IBC_ABSENT_HERE,
	                   .needs = IBC_ATTRS(IBC_ATTR_GENERAL_INFO), .allows = true,
	                   .many = "devices|of type {type} run {age} firmware than most",
	                   .together = ""),
	[PSID] = CHECK("fabric.psid", "devices of one type with different PSIDs", IBC_INFO,
	               check_uniform, .absence = IBC_ABSENT_HERE,
	               .needs = IBC_ATTRS(IBC_ATTR_GENERAL_INFO), .allows = true),
	{ 0 },
};
