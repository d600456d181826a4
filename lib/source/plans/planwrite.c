/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writers of what plan.c reads: a list of cables in CSV, and .topo.  Both go by names,
 * so that the file is a plan: what is replaced keeps its place in it.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "fabric/fabric.h"
#include "source/plans/plan.h"

/* As text they must come back, so each node needs a label of its own. */
static int verify_fits(const struct ibc_fabric *fab, const char *format, struct ibc_error *err)
{
	const struct ibc_node *node;

	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++) {
		if (node->duplicate)
			return fail(err, -EINVAL,
			            "two nodes %s have the same GUID, which %s cannot represent: "
			            "write a snapshot",
			            node->label, format);
		if (strlen(node->label) > PLAN_TEXT_MAX)
			return fail(err, -EINVAL, "the name %.60s... is too long for %s",
			            node->label, format);
	}
	return 0;
}

/* What is known of a cable, from either end. */
static struct plan_rate rate_of_cable(const struct ibc_port *port)
{
	struct plan_rate rate = { 0 };

	for (int i = 0; i < 2; i++, port = port->peer) {
		if (ibc_port_has(port, IBC_ATTR_PORT_INFO) && !ibc_port_is_up(port))
			continue;
		rate.width = rate.width ? rate.width : port->width_active;
		rate.speed = rate.speed ? rate.speed : port->speed_active;
	}
	return rate;
}

/* ---- CSV ------------------------------------------------------------------- */

static void put_cell(const char *text, FILE *out)
{
	size_t length = text ? strlen(text) : 0;
	const char *guard;

	if (length == 0)
		return;
	guard = str_is_formula(text) ? "'" : ""; /* csv.c takes it away again */
	if (!strpbrk(text, "\",") && !strchr(" #", text[0]) && text[length - 1] != ' ') {
		fprintf(out, "%s%s", guard, text);
		return;
	}
	fprintf(out, "\"%s", guard);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

/* Would a reader without the types guess all of them? */
static bool types_are_plain(const struct ibc_fabric *fab)
{
	const struct ibc_node *node;
	unsigned int highest;

	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++) {
		for (highest = node->num_ports; highest > 0; highest--)
			if (node->ports[highest].peer)
				break;
		if (highest > 0 && plan_type_guess(node->label, highest) != node->type)
			return false;
	}
	return true;
}

int write_cable_list(const struct ibc_fabric *fab, FILE *out, struct ibc_error *err)
{
	int rc = verify_fits(fab, "a list of cables", err);
	const struct ibc_port *port;
	size_t i = 0;
	bool types;

	if (rc)
		return rc;
	types = !types_are_plain(fab);
	fprintf(out, "node_a,port_a,node_b,port_b,width,speed,label,length,rack_a,rack_b%s\n",
	        types ? ",type_a,type_b" : "");
	while ((port = fabric_next_cable(fab, &i))) {
		const struct ibc_node *a = port->node, *z = port->peer->node;
		struct plan_rate rate = rate_of_cable(port);

		put_cell(a->label, out);
		fprintf(out, ",%u,", port->num);
		put_cell(z->label, out);
		fprintf(out, ",%u,%s,%s,", port->peer->num,
		        rate.width ? ibc_width_word(rate.width)->name : "",
		        rate.speed ? ibc_speed_word(rate.speed)->name : "");
		put_cell(port->extra->cable ? port->extra->cable->label : NULL, out);
		fputc(',', out);
		put_cell(port->extra->cable ? port->extra->cable->length : NULL, out);
		fputc(',', out);
		put_cell(a->rack, out);
		fputc(',', out);
		put_cell(z->rack, out);
		if (types)
			fprintf(out, ",%s,%s", ibc_node_type_word(a->type)->word,
			        ibc_node_type_word(z->type)->word);
		fputc('\n', out);
	}
	return 0;
}

/* ---- .topo -------------------------------------------------------------------- */

/* A node as a system, or as an HCA in one: "host01" and "mlx5_0".  Each cable is written once. */
struct plan_system {
	const char *type, *name, *hca;
	int length; /* of the name */
};

static struct plan_system system_of(const struct ibc_node *node)
{
	static const char *const types[] = {
		[IBC_NODE_UNKNOWN] = "NODE",
		[IBC_NODE_CA] = "HCA",
		[IBC_NODE_SWITCH] = "SWITCH",
		[IBC_NODE_ROUTER] = "ROUTER",
	};
	struct plan_system s = { types[node->type], node->label, "", (int)strlen(node->label) };
	size_t n = node->host_name ? strlen(node->host_name) : 0;

	if (n > 0 && strncmp(node->label, node->host_name, n) == 0 && node->label[n] == ' ') {
		s.length = (int)n;
		s.hca = node->label + n + 1;
	}
	return s;
}

static void put_port_name(const struct ibc_port *port, const struct plan_system *s, FILE *out)
{
	fprintf(out, "%s%sP%u", s->hca, *s->hca ? "/" : "", port->num);
}

static void put_cable(const struct ibc_port *port, FILE *out)
{
	struct plan_system here = system_of(port->node), there = system_of(port->peer->node);
	struct plan_rate rate = rate_of_cable(port);

	fputc('\t', out);
	put_port_name(port, &here, out);
	fputs(" -", out);
	if (rate.width)
		fprintf(out, "%s-", ibc_width_word(rate.width)->name);
	if (rate.speed)
		fprintf(out, "%s-", plan_lane_word(rate.speed));
	fprintf(out, "> %s %.*s ", there.type, there.length, there.name);
	put_port_name(port->peer, &there, out);
	fputc('\n', out);
}

/* The nodes of one system, if they have cables to write. */
static void put_system(const struct ibc_node *const *nodes, size_t num, FILE *out)
{
	struct plan_system s = system_of(nodes[0]);
	bool begun = false;

	for (size_t i = 0; i < num; i++)
		for (unsigned int n = 1; n <= nodes[i]->num_ports; n++) {
			const struct ibc_port *port = &nodes[i]->ports[n], *peer = port->peer;
			bool is_switch = nodes[i]->type == IBC_NODE_SWITCH;

			/* by its switch; by its near end if both are switches or none is */
			if (!peer || (is_switch == (peer->node->type == IBC_NODE_SWITCH)
			                  ? !ibc_port_is_near_end(port)
			                  : !is_switch))
				continue;
			if (!begun)
				fprintf(out, "\n%s %.*s\n", s.type, s.length, s.name);
			begun = true;
			put_cable(port, out);
		}
}

int write_topo(const struct ibc_fabric *fab, FILE *out, struct ibc_error *err)
{
	int rc = verify_fits(fab, "a .topo", err);
	const struct ibc_fabric_host *host;
	const struct ibc_node *node;

	if (rc)
		return rc;
	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++) {
		struct plan_system s = system_of(node);

		if (memchr(s.name, ' ', (size_t)s.length) || strchr(s.hca, ' ') ||
		    strchr("#-", s.name[0]))
			return fail(err, -EINVAL,
			            "a .topo cannot hold a name such as \"%s\": write a .csv",
			            node->label);
	}
	fprintf(out, "# written by ibcheck %s\n", IBC_VERSION);
	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++)
		if (!node->host_name)
			put_system(&node, 1, out);
	for (size_t i = 0; (host = ibc_fabric_host(fab, i)); i++)
		put_system(host->nodes, host->num_nodes, out);
	return 0;
}
