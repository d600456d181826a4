/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Asks subnet administration, and nobody for counters, and prints what it told, a line
 * each.  Its argument is the SM_Key.
 */
#include <stdio.h>
#include <stdlib.h>

#include <ibcheck/source.h>

#define ASKED                                                                                      \
	IBC_ATTRS(IBC_ATTR_SA_CLASS_PORT_INFO, IBC_ATTR_PATH_RECORD, IBC_ATTR_MC_MEMBER_RECORD)

static void show_attributes(const char *word, struct ibc_attrs set)
{
	set = ibc_attrs_and(set, ASKED);
	for (enum ibc_attr a = 0; (a = ibc_attrs_next(set, a));)
		printf("%s %s\n", word, ibc_attr_name(a));
}

static void show(const struct ibc_subnet *subnet)
{
	const struct ibc_sa *sa = subnet->sa;

	printf("lid %u\nlatency %u\nresponse %u\n", sa->lid, sa->latency_us, sa->response_us);
	show_attributes("asked",
	                ibc_attrs_minus(ASKED, ibc_port_attrs(subnet->origin, IBC_NOT_ASKED)));
	show_attributes("answered", ibc_port_attrs(subnet->origin, IBC_ANSWERED));
	show_attributes("cut", sa->cut_short);
	for (size_t i = 0; i < sa->num_members; i++)
		printf("member 0x%04X pkey 0x%04X mtu %u rate %u\n", sa->members[i].mlid,
		       sa->members[i].pkey, sa->members[i].mtu, sa->members[i].rate);
	for (size_t i = 0; i < sa->num_paths; i++)
		printf("path %u %u %u\n", sa->paths[i].slid, sa->paths[i].dlid, sa->paths[i].sl);
}

int main(int argc, char **argv)
{
	static const char *const specs[] = { "umad" };
	struct ibc_source_opts opts = IBC_SOURCE_OPTS_INIT;
	struct ibc_error err = { "" };
	struct ibc_fabric *fab;

	opts.needs = ASKED;
	opts.sm_key = argc > 1 ? strtoull(argv[1], NULL, 0) : 0;
	if (ibc_fabric_load(specs, 1, &opts, &fab, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	if (ibc_fabric_subnet(fab, 0)->sa)
		show(ibc_fabric_subnet(fab, 0));
	ibc_fabric_free(fab);
	return 0;
}
