/* SPDX-License-Identifier: BSD-2-Clause */
/* Where subnet managers run: on the hosts a site means them to, and not among the jobs. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "check/allow.h"
#include "check/groups.h"
#include "check/settings.h"
#include "check/sm/sm.h"

#define AGGREGATE_MIN 8 /* fewer hosts of like names are no compute nodes */

/* ---- without one: compute hosts are those that are named like most ---------------------- */

/* The name with each number as one '#': "node0123" is "node#". */
static const char *name_shape(struct ibc_sink *out, const struct ibc_node *node)
{
	const char *name = node->host_name ? node->host_name : node->name;
	char *shape = sink_array(out, strlen(name) + 1, 1);
	size_t n = 0;

	for (const char *c = name; *c; c++) {
		if (!isdigit((unsigned char)*c))
			shape[n++] = *c;
		else if (!n || shape[n - 1] != '#')
			shape[n++] = '#';
	}
	return shape;
}

static int by_text(const void *a, const void *z)
{
	return strcmp(*(const char *const *)a, *(const char *const *)z);
}

static bool is_compute(struct ibc_sink *out, const struct ibc_port *p, const char *usual)
{
	return p->node->type == IBC_NODE_CA && !strcmp(name_shape(out, p->node), usual);
}

/* A manager among the jobs loses its time, its memory and its host to them. */
static void check_placement(const struct ibc_input *in, struct ibc_sink *out)
{
	const char *list = config_allow(in->config, out->check);
	const char **shapes = sink_array(out, ibc_fabric_count(in->fabric).cas, sizeof(*shapes));
	const struct ibc_node *node;
	struct managers m = { 0 };

	while (next_managers(in, out, &m)) {
		if (list && *list) {
			for (size_t i = 0; i < m.num; i++) {
				const struct ibc_port *p = m.all[i];
				enum ibc_sm_state state = ibc_sm_state_now(p->extra->sm);

				if (allow_names(list, NULL, p->node->label) ||
				    allow_names(list, NULL, p->node->name) ||
				    (p->node->host_name &&
				     allow_names(list, NULL, p->node->host_name)))
					continue;
				sink_port(out, p,
				          "has a subnet manager (%s), but is not in the list of "
				          "hosts allowed to run one",
				          ibc_sm_state_word(state)->word);
				sink_advise(
				    out, "Stop it, or add the host to \"allow\" of sm.placement.");
				sink_fact(out, "state", ibc_enum(ibc_sm_state_word(state)));
				sink_fact(out, "allow", ibc_str(list));
			}
		} else {
			const struct ibc_port *elsewhere = NULL;
			const char *usual = NULL;
			size_t n = 0, same = 0;

			if (m.masters != 1 || !m.standbys)
				continue;
			for (size_t i = 0; (node = ibc_fabric_node(in->fabric, i)); i++)
				if (node->subnet == m.subnet && node->type == IBC_NODE_CA)
					shapes[n++] = name_shape(out, node);
			qsort(shapes, n, sizeof(*shapes), by_text);
			/* what more than half of the hosts are called like is in the middle */
			for (size_t i = 0; i < n; i++)
				same += !strcmp(shapes[i], shapes[n / 2]);
			if (same * 2 > n && same >= AGGREGATE_MIN)
				usual = shapes[n / 2];
			if (!usual || !is_compute(out, m.master, usual))
				continue;
			for (size_t i = 0; i < m.num && !elsewhere; i++)
				if (ibc_sm_state_now(m.all[i]->extra->sm) == IBC_SM_STANDBY &&
				    !is_compute(out, m.all[i], usual))
					elsewhere = m.all[i];
			if (!elsewhere)
				continue;
			sink_as(out, IBC_INFO);
			sink_port(out, m.master,
			          "is master on a probable compute host, while %s/%u is standby",
			          elsewhere->node->label, elsewhere->num);
			sink_advise(out, "Give the one that does not share its host with jobs the "
			                 "higher priority.");
			sink_fact(out, "compute_hosts", ibc_str(usual));
			sink_relate(out, IBC_ROLE_FOUND, elsewhere);
		}
	}
}

const struct ibc_check ibc_checks_sm_placement[] = {
	CHECK("sm.placement", "subnet managers on hosts that should not run one", IBC_WARNING,
	      check_placement, .absence = IBC_ABSENT_HERE,
	      .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_NODE_DESC, IBC_ATTR_PORT_INFO,
	                         IBC_ATTR_SM_INFO),
	      .allows = true),
	{ 0 },
};
