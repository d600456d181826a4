/* SPDX-License-Identifier: BSD-2-Clause */
/* What rows of ibdiagnet2.db_csv speak of. */
#include "fabric/build.h"
#include "source/dbcsv.h"
#include "source/source.h"

int db_node(const struct db_reader *r, uint64_t guid, struct ibc_node **out)
{
	*out = fabric_build_find(r->build, r->subnet, guid);
	if (*out)
		return 0;
	return text_fail(r->text, r->err, "the block NODES has no node 0x%016llx",
	                 (unsigned long long)guid);
}

int db_port(const struct db_reader *r, uint64_t guid, unsigned int num, struct ibc_port **out)
{
	struct ibc_node *node;
	int rc = db_node(r, guid, &node);

	if (rc)
		return rc;
	*out = fabric_build_port(node, num);
	if (*out && (num > 0 || node->type == IBC_NODE_SWITCH))
		return 0;
	return text_fail(r->text, r->err, "node 0x%016llx has no port %u, its last is %u",
	                 (unsigned long long)guid, num, node->num_ports);
}

void db_unanswered(const struct db_reader *r, struct ibc_node *node, enum ibc_attr attr)
{
	if (ibc_attrs_has(r->provides, attr) && !ibc_node_has(node, attr))
		answers_put(node, attr, ANSWER_NONE);
}
