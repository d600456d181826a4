/* SPDX-License-Identifier: BSD-2-Clause */
#include <ibcheck/ibcheck.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	const char *spec = argc > 1 ? argv[1] : "umad";
	const struct ibc_node *node;
	struct ibc_fabric *fab;
	struct ibc_error err;

	if (ibc_fabric_load(&spec, 1, NULL, &fab, &err) < 0)
		return fprintf(stderr, "%s\n", err.text), 3;
	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++)
		puts(node->label);
	ibc_fabric_free(fab);
	return 0;
}
