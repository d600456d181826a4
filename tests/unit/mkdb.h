/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKDB_H
#define MKDB_H

/* Fabrics from ibdiagnet2.db_csv, and what is in them.  Include it after <cmocka.h>. */
#include "mkfile.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define NODES                                                                                      \
	"START_NODES\n"                                                                            \
	"NodeDesc,NumPorts,NodeType,SystemImageGUID,NodeGUID,PortGUID,DeviceID,revision,"          \
	"VendorID\n"                                                                               \
	"\"MF0;leaf01, left:MQM9700/U1\",4,2,0x10,0x10,0x11,54002,160,713\n"                       \
	"\"node1 mlx5_0\",1,1,0x2f,0x20,0x21,4129,0,713\n"                                         \
	"\"node2 mlx5_0\",1,1,0x30,0x30,0x31,4129,0,713\n"                                         \
	"END_NODES\n"

#define PORTS_HEADER                                                                               \
	"START_PORTS\n"                                                                            \
	"NodeGuid,PortGuid,PortNum,GIDPrfx,MSMLID,LID,CapMsk,LinkWidthActv,LinkWidthSup,"          \
	"LinkWidthEn,LinkSpeedEn,LinkSpeedActv,LMC,PortPhyState,PortState,LinkSpeedSup,VLCap,"     \
	"MSMSL,NMTU,OpVLs,MTUCap\n"
#define PORTS                                                                                      \
	PORTS_HEADER                                                                               \
	"0x10,0x11,1,0xfe80000000000001,1,0,2807162954,2,19,19,3841,2048,0,5,4,3841,3,0,5,2,5\n"   \
	"0x10,0x11,3,0xfe80000000000001,1,0,2807162954,2,19,19,3841,1,0,2,1,3841,3,0,5,2,5\n"      \
	"0x20,0x21,1,0xfe80000000000001,1,7,2807162954,2,19,19,3841,2048,0,5,4,3841,3,0,5,2,5\n"   \
	"END_PORTS\n"

#define LINKS_HEADER "START_LINKS\nNodeGuid1,PortNum1,NodeGuid2,PortNum2\n"
#define NO_LINKS     LINKS_HEADER "END_LINKS\n"
#define LINKS        LINKS_HEADER "0x10,1,0x20,1\n0x30,1,0x10,2\nEND_LINKS\n"

#define FIRMWARE                                                                                   \
	"START_NODES_INFO\nNodeGUID,FWInfo_Extended_Major,FWInfo_Extended_Minor,"                  \
	"FWInfo_Extended_SubMinor\n0x20,0x1c,0x27,0x800\nEND_NODES_INFO\n"

#define COUNTERS                                                                                   \
	"START_PM_INFO\nNodeGUID,PortGUID,PortNumber,SymbolErrorCounter,PortXmitData,"             \
	"PortXmitDataExtended,SymbolErrorCounterExt\n"                                             \
	"0x10,0x11,1,3,4294967295,0x200000000,70000\n0x20,0x21,1,65535,1000,N/A,N/A\n"             \
	"END_PM_INFO\n"

static inline struct ibc_fabric *load(const char *text)
{
	return fabric_of(read_dbcsv, text, strlen(text));
}

static inline void refused(const char *text, const char *why)
{
	expect_refusal(read_dbcsv, text, strlen(text), why);
}

/* What is not understood is skipped, and this is the first of it: "3: 2 values ..."; "": nothing.
 */
static inline struct ibc_fabric *load_in_part(const char *text, size_t size, const char *why)
{
	const struct ibc_subnet *subnet;
	struct fabric_build *b;
	struct ibc_fabric *fab;
	struct text_file *f;
	char first[256] = "";

	assert_int_equal(fabric_build_new(&b, NULL), 0);
	assert_int_equal(text_open_bytes("test", text, size, &f, NULL), 0);
	if (read_dbcsv(f, "test", b, NULL)) {
		text_close(f);
		fabric_build_free(b);
		return NULL;
	}
	text_end_read(f, 0, b, 0, IBC_ATTRS(IBC_ATTR_NODE_INFO), NULL);
	text_close(f);
	assert_int_equal(fabric_build_finish(b, &fab, NULL), 0);
	subnet = ibc_fabric_subnet(fab, 0);
	if (subnet->lines_lost)
		snprintf(first, sizeof(first), "%llu: %s", (unsigned long long)subnet->lost[0].line,
		         subnet->lost[0].why);
	if (why)
		assert_string_equal(first, why);
	return fab;
}

static inline void loses(const char *text, const char *why)
{
	struct ibc_fabric *fab = load_in_part(text, strlen(text), why);

	assert_non_null(fab);
	ibc_fabric_free(fab);
}

/* To be freed. */
static inline char *text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
static inline char *text_of(const char *format, ...)
{
	char *text;
	va_list ap;

	va_start(ap, format);
	assert_true(vasprintf(&text, format, ap) >= 0);
	va_end(ap);
	return text;
}

static inline const struct ibc_node *node_of(const struct ibc_fabric *fab, uint64_t guid)
{
	const struct ibc_node *node = ibc_fabric_node_by_guid(fab, guid);

	assert_non_null(node);
	return node;
}

static inline const struct ibc_port *port_of(const struct ibc_fabric *fab, uint64_t guid,
                                             unsigned int num)
{
	const struct ibc_port *port = ibc_node_port(node_of(fab, guid), num);

	assert_non_null(port);
	return port;
}

#endif
