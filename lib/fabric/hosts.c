/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which CAs sit in one host.  In-band only the NodeDescription says it: by habit
 * it is the host's name and then the HCA's, "node17 mlx5_0".
 */
#include <string.h>

#include "base/array.h"
#include "base/nodename.h"
#include "fabric/fabric.h"

struct member {
	struct ibc_node *node;
	const char *host;
	size_t length;
};

/* How much of a text, from its start, is the name of a host; 0 if it has none. */
static size_t host_length(const char *text)
{
	const char *space = strrchr(text, ' ');
	size_t length;

	if (is_factory_text(text) || (space ? !is_hca_name(space + 1) : is_hca_name(text)))
		return 0;
	length = space ? (size_t)(space - text) : strlen(text);
	while (length > 0 && text[length - 1] == ' ')
		length--;
	return is_nameless(text, length) ? 0 : length;
}

/* The description first; a name map may know better where that is the factory's. */
static bool find_host(struct ibc_node *node, struct member *m)
{
	const char *const texts[] = { node->desc, node->name };

	if (node->type != IBC_NODE_CA || is_aggregation_node(node->desc))
		return false;
	for (size_t i = 0; i < 2; i++) {
		const char *text = texts[i] + strspn(texts[i], " ");
		size_t length = host_length(text);

		if (length > 0) {
			*m = (struct member){ node, text, length };
			return true;
		}
	}
	return false;
}

static int compare_hosts(const struct member *a, const struct member *z)
{
	int order = memcmp(a->host, z->host, a->length < z->length ? a->length : z->length);

	return order ? order : (a->length > z->length) - (a->length < z->length);
}

static int by_host_then_node(const void *va, const void *vz)
{
	const struct member *a = va, *z = vz;

	return compare_hosts(a, z) ?: order_u64(node_order(a->node), node_order(z->node));
}

/* Sorted members become hosts, each with its part of one array of nodes. */
static void make_hosts(struct ibc_fabric *fab, const struct member *m, size_t n)
{
	const struct ibc_node **nodes = arena_array(fab->arena, n, sizeof(struct ibc_node *));
	struct ibc_fabric_host *host;
	size_t hosts = 0;

	for (size_t i = 0; i < n; i++)
		hosts += i == 0 || compare_hosts(&m[i - 1], &m[i]) != 0;
	fab->hosts = host = arena_array(fab->arena, hosts, sizeof(*host));
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && compare_hosts(&m[i - 1], &m[i]) != 0)
			host++;
		if (host->num_nodes == 0) {
			host->name = arena_strndup(fab->arena, m[i].host, m[i].length);
			host->nodes = nodes + i;
			fab->num_hosts++;
		}
		nodes[i] = m[i].node;
		host->num_nodes++;
		m[i].node->host_name = host->name;
	}
}

void fabric_join_hosts(struct ibc_fabric *fab, struct arena *scratch)
{
	struct member *m = arena_array(scratch, fab->num_nodes + 1, sizeof(*m));
	size_t n = 0;

	for (size_t i = 0; i < fab->num_nodes; i++)
		n += find_host(&fab->nodes[i]->node, &m[n]);
	if (n > 0) {
		qsort(m, n, sizeof(*m), by_host_then_node);
		make_hosts(fab, m, n);
	}
	fab->counts.hosts = fab->num_hosts;
}
