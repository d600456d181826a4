/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of keys: partitions at the two ends of a cable, and nodes that want an M_Key. */
#include <stdio.h>

#include "check/collect.h"
#include "check/groups.h"

#define PKEY_BASE     0x7fff /* without the bit of full members (IBA 10.9.1) */
#define ENFORCE_IN    2      /* PartitionEnforcementInbound */
#define KEYS_NAMED    8      /* in a sentence */
#define PROTECTED_MIN 3      /* silent devices: fewer may just be dead */

/* ---- sm.pkey ------------------------------------------------------------------------- */

static bool has_partition(const struct ibc_pkeys *table, uint16_t key)
{
	for (size_t i = 0; i < table->num_keys; i++)
		if ((table->keys[i] & PKEY_BASE) == (key & PKEY_BASE))
			return true;
	return false;
}

/* "0x8001, 0x8002": the keys of one that the other has not; *n: how many. */
static const char *missing_text(struct ibc_sink *out, const struct ibc_pkeys *of,
                                const struct ibc_pkeys *in, size_t *n)
{
	const char *text = "";

	*n = 0;
	for (size_t i = 0; i < of->num_keys; i++) {
		if (has_partition(in, of->keys[i]))
			continue;
		if ((*n)++ < KEYS_NAMED)
			text = sink_text(out, "%s%s0x%04x", text, *n > 1 ? ", " : "", of->keys[i]);
	}
	return *n > KEYS_NAMED ? sink_text(out, "%s and %zu more", text, *n - KEYS_NAMED) : text;
}

static void report_dropped(struct ibc_sink *out, const struct ibc_port *sw, const char *keys,
                           size_t n)
{
	const struct ibc_port *host = sw->peer;

	sink_cable(out, sw, "%s enforces its partitions and lacks P_Key %s of %s",
	           port_text(out, sw), keys, port_text(out, host));
	sink_advise(out,
	            "Trigger a heavy sweep (SIGHUP to opensm). If it persists, see the partitions "
	            "file and the log of the subnet manager, which writes both tables.");
	sink_fact(out, "p_keys", ibc_str(keys));
	sink_fact(out, "missing", ibc_u64(n));
}

static void report_left_over(struct ibc_sink *out, const struct ibc_port *sw, const char *keys,
                             size_t n)
{
	const struct ibc_port *host = sw->peer;

	sink_as(out, IBC_INFO);
	sink_cable(out, sw, "%s passes P_Key %s, which %s does not have", port_text(out, sw), keys,
	           port_text(out, host));
	sink_fact(out, "p_keys", ibc_str(keys));
	sink_fact(out, "left_over", ibc_u64(n));
}

/* What a host may send, and its switch drops: IBA 10.9.8 calls it enforcement. */
static void check_pkey(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_port *p;
	const char *keys;
	size_t n;

	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++) {
		if (p->node->type != IBC_NODE_SWITCH || !(p->pkey_enforce & ENFORCE_IN) ||
		    !p->peer || !p->pkeys || !p->peer->pkeys)
			continue;
		keys = missing_text(out, p->peer->pkeys, p->pkeys, &n);
		if (n) {
			report_dropped(out, p, keys, n);
			continue;
		}
		keys = missing_text(out, p->pkeys, p->peer->pkeys, &n);
		if (n)
			report_left_over(out, p, keys, n);
	}
}

/* ---- sm.mkey ---------------------------------------------------------------------------- */

/*
 * Somebody else configured the link, both ends of it, and yet what is behind it is silent
 * to us: it is alive.
 */
static bool seems_protected(const struct ibc_port *p)
{
	return p->num && !p->peer && port_is_linkup(p) && p->state == IBC_STATE_ACTIVE &&
	       ibc_port_answer(p, IBC_ATTR_NODE_INFO) == IBC_SILENT;
}

static void evaluate_subnet(const struct ibc_input *in, struct ibc_sink *out,
                            const struct ibc_subnet *subnet)
{
	struct examples examples = { .count = 0 };
	const struct ibc_port *p;

	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++)
		if (p->node->subnet == subnet && seems_protected(p))
			examples_add(&examples, p);
	if (examples.count < PROTECTED_MIN)
		return;
	sink_fabric(out,
	            "%sno device answers behind %zu links that a subnet manager has made Active: "
	            "probably an M_Key protects them",
	            subnet_intro(out, subnet), examples.count);
	sink_advise(out,
	            "Give the key with -y; opensm keeps it in its configuration (m_key) and in "
	            "guid2mkey of its cache directory.");
	sink_fact(out, "links", ibc_u64(examples.count));
	examples_relate(out, &examples);
}

/* Somebody asked or wrote with a wrong key. */
static void evaluate_violations(struct ibc_sink *out, const struct ibc_port *p)
{
	bool of_switch = p->node->type == IBC_NODE_SWITCH;

	if (!ibc_port_has(p, IBC_ATTR_PORT_INFO) || of_switch != (p->num == 0) ||
	    !p->m_key_violations)
		return;
	sink_port(out, p, "reports %u%s queries with a wrong M_Key (M_KeyViolations)",
	          p->m_key_violations, p->m_key_violations == UINT16_MAX ? " or more" : "");
	sink_advise(out, "A second subnet manager or a tool without the key sent them: the log of "
	                 "the master names it with trap 256.");
	sink_fact(out, "m_key_violations", ibc_u64(p->m_key_violations));
}

static void check_mkey(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_subnet *subnet;
	const struct ibc_port *p;

	for (size_t i = 0; (subnet = ibc_fabric_subnet(in->fabric, i)); i++)
		evaluate_subnet(in, out, subnet);
	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++)
		evaluate_violations(out, p);
}

const struct ibc_check ibc_checks_sm_keys[] = {
	CHECK("sm.pkey", "cables whose ends disagree about partitions", IBC_CRITICAL, check_pkey,
	      .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_PORT_INFO, IBC_ATTR_PKEY_TABLE),
	      .many = "cables|have ends that disagree about partitions"),
	CHECK("sm.mkey", "silent nodes that are probably protected by an M_Key", IBC_INFO,
	      check_mkey, .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_PORT_INFO),
	      EXPLAINED_BY(BY("port.silent", AT))),
	{ 0 },
};
