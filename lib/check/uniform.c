/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of devices that should be like others of their kind: firmware, and its PSID. */
#include <stdlib.h>
#include <string.h>

#include "base/folded.h"
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
 * @model, @psid: its class; @psid: "" where it is not known, or not what tells classes apart
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

/* ---- classes -------------------------------------------------------------------------------- */

typedef const char *value_of(const struct ibc_node *node);

static const char *firmware_of(const struct ibc_node *node)
{
	return node->firmware;
}

static const char *psid_of(const struct ibc_node *node)
{
	return node->psid;
}

static size_t collect_members(const struct ibc_input *in, struct ibc_sink *out, value_of *value,
                              struct member *members)
{
	const char *allow = config_allow(in->config, out->check);
	const struct ibc_node *node;
	size_t n = 0;

	for (size_t i = 0; (node = ibc_fabric_node(in->fabric, i)); i++) {
		const char *text = ibc_node_has(node, IBC_ATTR_GENERAL_INFO) ? value(node) : NULL;

		if (!text || !*text || allow_names(allow, NULL, text) ||
		    (node->psid && allow_names(allow, node->psid, text)))
			continue;
		members[n++] = (struct member){
			.model = (uint64_t)node->vendor_id << 16 | node->device_id,
			.psid = value == firmware_of && node->psid ? node->psid : "",
			.value = text,
			.device = node->system_guid ? node->system_guid : node->guid,
			.node = node,
		};
	}
	if (n)
		qsort(members, n, sizeof(*members), by_class_then_value);
	return n;
}

/* The first of each device that has a value stands for it; how many that are. */
static size_t count_devices(struct member *m, size_t n)
{
	struct member *first = m;
	size_t devices = 0;

	for (size_t i = 0; i < n; i++) {
		if (!i || m[i].device != first->device || strcmp(m[i].value, first->value) != 0) {
			first = &m[i];
			devices++;
		}
		first->boards++;
	}
	return devices;
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
	struct norm norm = { .devices = count_devices(m, n) };

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

/* "10 have 28.36.1010 (node[01-10])": all of one value; who has the usual one goes unnamed. */
static const char *holders_text(struct ibc_sink *out, const struct member *m, size_t n,
                                const struct norm *norm)
{
	const char **names = sink_array(out, n, sizeof(*names)), *list, *have;

	have = sink_text(out, "%zu %s %s", devices_in(m, n), devices_in(m, n) == 1 ? "has" : "have",
	                 m->value);
	if (norm->value && !strcmp(m->value, norm->value))
		return have;
	for (size_t i = 0; names && i < n; i++)
		names[i] = m[i].node->host_name ? m[i].node->host_name : m[i].node->label;
	list = names ? folded_names(out->scratch, names, n) : NULL;
	out->failed |= !list;
	return sink_text(out, "%s (%s)", have, list ? list : "");
}

/* All values of a class, as information: it is no fault, or not known which is. */
static void list_values(struct ibc_sink *out, const struct member *m, size_t n,
                        const struct norm *norm, const char *what)
{
	const char *class = class_text(out, m), *text = "";
	const struct ibc_subject subject = { .near.desc = class };
	size_t values = 0;

	for (size_t i = 0, same; i < n; i += same, values++) {
		same = same_value(&m[i], n - i);
		if (values < VALUES_SHOWN)
			text = sink_text(out, "%s%s%s", text, values ? "; " : "",
			                 holders_text(out, &m[i], same, norm));
	}
	sink_as(out, IBC_INFO);
	sink_add(out, &subject, "%zu devices of type %s %s: %s%s", norm->devices, class, what, text,
	         values > VALUES_SHOWN ? "; and more" : "");
	sink_fact(out, "type", ibc_str(class));
	sink_fact(out, "devices", ibc_u64(norm->devices));
	sink_fact(out, "values", ibc_u64(values));
}

/* ---- firmware ------------------------------------------------------------------------------- */

static void evaluate_firmware(struct ibc_sink *out, struct member *m, size_t n)
{
	struct norm norm = norm_of(m, n);

	if (same_value(m, n) == n)
		return;
	if (!norm.value) {
		list_values(out, m, n, &norm, "run different firmware");
		return;
	}
	for (size_t i = 0; i < n; i++)
		if (m[i].boards && strcmp(m[i].value, norm.value) != 0) {
			const char *class = class_text(out, &m[i]);

			sink_node(
			    out, m[i].node,
			    "runs firmware %s%s; %zu of %zu devices of type %s run %s", m[i].value,
			    m[i].boards > 1 ? sink_text(out, " on %zu of its boards", m[i].boards)
					    : "",
			    norm.alike, norm.devices, class, norm.value);
			sink_advise(
			    out,
			    "Update to %s, and reset the device, so that it runs that version. If "
			    "the others are those to be updated, finish that first.",
			    norm.value);
			sink_fact(out, "type", ibc_str(class));
			sink_fact(out, "psid", ibc_str(m[i].node->psid));
			sink_fact(out, "firmware", ibc_str(m[i].value));
			sink_fact(out, "usual_firmware", ibc_str(norm.value));
			sink_fact(out, "boards", ibc_u64(m[i].boards));
			sink_fact(out, "alike", ibc_u64(norm.devices));
			sink_fact(out, "alike_with_usual", ibc_u64(norm.alike));
		}
}

static void evaluate_psid(struct ibc_sink *out, struct member *m, size_t n)
{
	struct norm norm = norm_of(m, n);

	if (same_value(m, n) != n)
		list_values(out, m, n, &norm, "have different PSIDs");
}

static void each_class(const struct ibc_input *in, struct ibc_sink *out, value_of *value,
                       void (*evaluate)(struct ibc_sink *out, struct member *m, size_t n))
{
	struct member *m = sink_array(out, ibc_fabric_count(in->fabric).nodes, sizeof(*m));
	size_t n = m ? collect_members(in, out, value, m) : 0;

	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && !by_class(&m[i], &m[end]);)
			end++;
		evaluate(out, &m[i], end - i);
	}
}

/*
 * A device that missed an update has the faults that the update repaired, and is the one that
 * behaves otherwise for no reason that anybody can see.
 */
static void check_firmware(const struct ibc_input *in, struct ibc_sink *out)
{
	each_class(in, out, firmware_of, evaluate_firmware);
}

/*
 * Different PSIDs of one device id are different products: managed and unmanaged switches,
 * cards of a server's vendor.  They never run the same image, and are no fault.
 */
static void check_psid(const struct ibc_input *in, struct ibc_sink *out)
{
	each_class(in, out, psid_of, evaluate_psid);
}

/* ---- the table ------------------------------------------------------------------------------ */

const struct ibc_check ibc_checks_uniform[] = {
	CHECK("fabric.firmware", "devices with other firmware than most of their type", IBC_WARNING,
	      check_firmware, .needs = IBC_ATTRS(IBC_ATTR_GENERAL_INFO), .allows = true,
	      .many = "devices|of type {type} run other firmware than most", .together = ""),
	CHECK("fabric.psid", "devices of one type with different PSIDs", IBC_INFO, check_psid,
	      .needs = IBC_ATTRS(IBC_ATTR_GENERAL_INFO), .allows = true),
	{ 0 },
};
