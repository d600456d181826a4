/* SPDX-License-Identifier: BSD-2-Clause */
/* Each form of a line, and what it gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/array.h"
#include "mkjoblog.h"

#define RANK "gpu07:5776:5902 [0] transport/net_ib.cc:1296 NCCL WARN "
#define UCX  "[gpu07:6807:0:6807] ib_mlx5_log.c:177  "

static const struct {
	const char *line, *said;
} forms[] = {
	/* NCCL */
	{ RANK "NET/IB : Got completion with error 12, opcode 0, len 0, vendor err 129",
	  "nccl completion 12 vendor 129 gpu07 by gpu07:5776" },
	{ RANK "NET/IB : Got completion from peer 10.2.0.5<33092> with error 12, opcode 0, len 0, "
	       "vendor "
	       "err 129 (Recv)",
	  "nccl completion 12 vendor 129 gpu07 > 10.2.0.5 by gpu07:5776" },
	{ RANK "NET/IB : Got completion from peer ::ffff:10.2.0.5<33092> with error 12, opcode 2, "
	       "len 1, vendor err 129",
	  "nccl completion 12 vendor 129 gpu07 > 10.2.0.5 by gpu07:5776" },
	{ RANK "NET/IB : Got completion from peer gpu09<33092> with error 5, opcode 2, len 1, "
	       "vendor err "
	       "249",
	  "nccl completion 5 vendor 249 gpu07 > gpu09 by gpu07:5776" },
	{ RANK
	  "NET/IB: Got completion from peer 10.2.0.5<53908> with status=12 opcode=129 len=1048576 "
	  "vendor err 129 (Recv) localGid ::ffff:10.6.6.3 remoteGids::ffff:10.6.6.5 hca mlx5_10",
	  "nccl completion 12 vendor 129 roce gpu07 mlx5_10 0:ffff0a060603 > 10.2.0.5 "
	  "0:ffff0a060605 by "
	  "gpu07:5776" },
	{ RANK
	  "NET/IB: Got completion from peer 10.2.0.5<53908> with status=12 opcode=129 len=1 vendor "
	  "err 129 (Recv) localGid fe80::1:2:3:4 remoteGidsfec0::5:6:7:8 hca mlx5_3",
	  "nccl completion 12 vendor 129 gpu07 mlx5_3 fe80000000000000:1000200030004 > 10.2.0.5 "
	  "fec0000000000000:5000600070008 by gpu07:5776" },
	{ RANK "NET/IB: Got completion from peer 10.2.0.5<53908> with status=4 opcode=0 len=0 "
	       "vendor err "
	       "83 (Send) hca mlx5_ib0",
	  "nccl completion 4 vendor 83 gpu07 mlx5_ib0 > 10.2.0.5 by gpu07:5776" },
	/* link-local by a MAC, IEEE EUI-64; a name that rdma-core gives to Ethernet */
	{ RANK "NET/IB: Got completion from peer 10.2.0.5<53908> with status=12 opcode=0 len=0 "
	       "vendor err 129 (Send) localGid fe80::a:bff:fe00:1 remoteGids fe80::a:bff:fe00:2 "
	       "hca mlx5_0",
	  "nccl completion 12 vendor 129 roce gpu07 mlx5_0 fe80000000000000:a0bfffe000001 > "
	  "10.2.0.5 fe80000000000000:a0bfffe000002 by gpu07:5776" },
	{ RANK "NET/IB : rocep3s0:1 Got async error event: port error",
	  "nccl port_event roce gpu07 rocep3s0/1 by gpu07:5776" },
	{ RANK "NET/IB/GIN: Got completion from peer 10.2.0.5<53908> with status=12 opcode=1 len=0 "
	       "vendor "
	       "err 129 (Put) hca mlx5_0",
	  "nccl completion 12 vendor 129 gpu07 mlx5_0 > 10.2.0.5 by gpu07:5776" },
	{ "gpu07:1:2 [3] [p2p.cc:648] NCCL WARN NET/IB: Got completion from peer "
	  "fe80::7%ib0<40554> with "
	  "status=IBV_WC_RETRY_EXC_ERR(12) opcode=IBV_WC_RECV_RDMA_WITH_IMM(129) vendor_err=129  "
	  "hca "
	  "mlx5_1",
	  "nccl completion 12 vendor 129 gpu07 mlx5_1 > fe80::7 by gpu07:1" },
	{ "gpu07:1:2 [3] [p2p.cc:648] NCCL WARN NET/IB: Got completion from peer 10.1.1.4<40554> "
	  "with "
	  "status=IBV_WC_RNR_RETRY_EXC_ERR(13) opcode=IBV_WC_SEND(0) reqSize=8 vendor_err=135 "
	  "req_type=Send localGid ::ffff:1.1.2.2 remoteGids::ffff:1.1.1.4 hca mlx5_1",
	  "nccl completion 13 vendor 135 roce gpu07 mlx5_1 0:ffff01010202 > 10.1.1.4 "
	  "0:ffff01010104 by "
	  "gpu07:1" },
	{ "gpu07:1:2 [3] [p2p.cc:640] NCCL WARN NET/IB: ncclIbTest: Got CQE with error "
	  "(devIndex=0, "
	  "req=0x7, comm=0x8 (send), wr_id=1, qp_num=26257)",
	  "" },
	{ RANK "NET/IB : Got async event : port error", "nccl port_event gpu07 by gpu07:5776" },
	{ RANK "NET/IB : mlx5_0:1 Got async event : port error",
	  "nccl port_event gpu07 mlx5_0/1 by gpu07:5776" },
	{ RANK "NET/IB : mlx5_3:1 Got async error event: port error",
	  "nccl port_event gpu07 mlx5_3/1 by gpu07:5776" },
	{ RANK "NET/IB : mlx5_3:1 Got async error event: client reregistration", "" },
	{ RANK "NET/IB : Got async event : local catastrophic error",
	  "nccl device gpu07 by gpu07:5776" },
	{ RANK "NET/IB : mlx5_1:1 async fatal event: local catastrophic error",
	  "nccl device gpu07 mlx5_1/1 by gpu07:5776" },
	{ RANK "NET/IB : mlx5_1:1 async fatal event on QP (0x7): local access violation work queue "
	       "error",
	  "" },
	{ "gpu07:1:2 [3] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_2:1/RoCE [RO]; OOB "
	  "eth0:10.2.0.4<0>",
	  "nccl using gpu07 mlx5_0/1 10.2.0.4 by gpu07:1\n"
	  "nccl using roce gpu07 mlx5_2/1 10.2.0.4 by gpu07:1" },
	{ "gpu07:1:2 [3] NCCL INFO NET/IB : Using [0]={[0] mlx5_0:1/IB, [1] mlx5_1:1/IB/SHARP} "
	  "[1]mlx5_4:2/IB ; OOB ib0:fe80::4%ib0<0>",
	  "nccl using gpu07 mlx5_0/1 fe80::4 by gpu07:1\n"
	  "nccl using gpu07 mlx5_1/1 fe80::4 by gpu07:1\n"
	  "nccl using gpu07 mlx5_4/2 fe80::4 by gpu07:1" },
	{ "gpu07:1:2 [3] NCCL INFO NET/Socket : Using [0]eth0:10.2.0.4<0> [1]eth1:10.3.0.4<0>",
	  "nccl sockets gpu07 10.2.0.4 by gpu07:1" },
	{ "gpu07:1:2 [0] /src/extlibs/rccl/build/hipify/src/transport/net_ib.cc:1296 NCCL WARN "
	  "NET/IB : "
	  "Got completion from peer 10.2.0.5<33092> with error 12, opcode 0, len 0, vendor err 129",
	  "rccl completion 12 vendor 129 gpu07 > 10.2.0.5 by gpu07:1" },
	{ "gpu07:1:2 [3] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB NET/IB : Using [0]mlx5_1:1/IB",
	  "nccl using gpu07 mlx5_0/1 by gpu07:1\nnccl using gpu07 mlx5_1/1 by gpu07:1" },
	{ RANK "NET/IB : Using interface eth0 for sideband communication", "" },
	{ RANK "NET/IB : Using [0]mlx5_0 OOB", "lost 1" },
	/* UCX */
	{ "[gpu07:6807 :0:6807] ib_mlx5_log.c:115  FATAL: Error on mlx5_3:1 QP 0xe6d7 wqe[7821]: "
	  "Transport retry count exceeded (synd 0x15 vend 0x81) opcode SEND",
	  "ucx completion 12 vendor 129 gpu07 mlx5_3/1 by gpu07:6807" },
	{ UCX "Error on QP 0xe6d7 wqe[7]: Local protection (synd 0x4 vend 0x33) opcode SEND",
	  "ucx completion 4 vendor 51 gpu07 by gpu07:6807" },
	{ UCX "Transport retry count exceeded on mlx5_0:1/IB (synd 0x15 vend 0x81 hw_synd 0/0)",
	  "ucx completion 12 vendor 129 gpu07 mlx5_0/1 by gpu07:6807" },
	{ UCX "Receive-no-ready retry count exceeded on mlx5_0:1/RoCE (synd 0x16 vend 0x87 hw_synd "
	      "0/0)",
	  "ucx completion 13 vendor 135 roce gpu07 mlx5_0/1 by gpu07:6807" },
	{ UCX "Remote access error on mlx5_0:1/IB (synd 0x13 vend 0x88 hw_synd 0/0)",
	  "ucx completion 10 vendor 136 gpu07 mlx5_0/1 by gpu07:6807" },
	{ UCX "Generic on mlx5_0:1/IB (synd 0x99 vend 0x1 hw_synd 0/0)",
	  "ucx completion vendor 1 gpu07 mlx5_0/1 by gpu07:6807" },
	{ "[1772539898.2] [gpu07:7:0] ib_device.c:514 UCX  DIAG  IB Async event on mlx5_0: port "
	  "error on "
	  "port 1",
	  "ucx port_event gpu07 mlx5_0/1 by gpu07:7 at 1772539898" },
	{ "IB Async event on mlx5_0: local catastrophic error on port 0", "ucx device mlx5_0" },
	{ "IB Async event on mlx5_0: SRQ-attached QP 0xa9 was flushed", "" },
	/* MPI */
	{ "[[31705,1],77][btl_openib_component.c:2951:handle_wc] from gpu07 to: gpu09-ib error "
	  "polling "
	  "LP CQ with status RETRY EXCEEDED ERROR status number 12 for wr_id 29423a0 opcode 1  "
	  "vendor "
	  "error 129 qp_idx 1",
	  "openmpi completion 12 vendor 129 gpu07 > gpu09-ib" },
	{ "[[31705,1],77][btl_openib_component.c:2951:handle_wc] from gpu07 to: 192.0.2.9 error "
	  "polling "
	  "HP CQ with status WORK REQUEST FLUSHED ERROR status number 5 for wr_id 2 opcode 1 "
	  "qp_idx 1",
	  "openmpi completion 5 gpu07 > 192.0.2.9" },
	{ "[[31705,1],77][btl_openib_component.c:2951:handle_wc] from gpu07 to: 14 error polling "
	  "LP CQ "
	  "with status RETRY EXCEEDED ERROR status number 12 for wr_id 2 opcode 1 qp_idx 1",
	  "openmpi completion 12 gpu07" },
	{ "[gpu07:mpi_rank_3][handle_cqe] "
	  "src/mpid/ch3/channels/mrail/src/gen2/ibv_channel_manager.c:587: "
	  "[] Got completion with error 12, vendor code=0x81, dest rank=33",
	  "mvapich completion 12 vendor 129 gpu07 by gpu07:mpi_rank_3" },
	{ "[gpu07:mpi_rank_3][handle_cqe] Send desc error in msg to 33, wc_opcode=0", "" },
	{ "libfabric:12:17::ofi_rxm:cq:rxm_handle_comp_error():819<warn> fi_cq_readerr: err: "
	  "Input/output "
	  "error (5), prov_err: transport retry counter exceeded (12)",
	  "libfabric completion 12" },
	{ "libfabric:12:17::ofi_rxm:cq:rxm_handle_comp_error():819<warn> fi_cq_readerr: err: "
	  "Input/output "
	  "error (5), prov_err: Input/output error (5)",
	  "" },
	/* file systems */
	{ "LNetError: 12345:0:(o2iblnd_cb.c:3337:kiblnd_check_conns()) Timed out RDMA with "
	  "10.2.0.5@o2ib "
	  "(5): c: 8, oc: 0, rc: 8",
	  "lustre lost > 10.2.0.5" },
	{ "LNet: 12345:0:(o2iblnd_cb.c:1014:kiblnd_tx_complete()) Tx -> 10.2.0.5@o2ib1 cookie 0x7 "
	  "sending "
	  "1 waiting 1: failed 12",
	  "lustre completion 12 > 10.2.0.5" },
	{ "LNet: 12345:0:(o2iblnd_cb.c:2134:kiblnd_peer_connect_failed()) Deleting messages for "
	  "10.2.0.5@o2ib: connection failed",
	  "lustre lost > 10.2.0.5" },
	{ "2026-03-03_12:11:38.448+0100: [E] VERBS RDMA closed connection to 10.2.0.9 (nsd9) on "
	  "mlx5_0 "
	  "port 1 fabnum 0 index 21 cookie 529 error 233",
	  "gpfs lost mlx5_0/1 > nsd9 10.2.0.9 at 1772536298" },
	{ "2026-03-03_12:11:38.448+0100: [E] VERBS RDMA closed connection to 10.2.0.9 (nsd9) on "
	  "mlx5_0 "
	  "port 1 fabnum 0 index 21",
	  "" },
	{ "[E] VERBS RDMA rdma write error IBV_WC_RETRY_EXC_ERR to 10.2.0.9 (nsd9) on mlx5_0 port "
	  "1 "
	  "fabnum 0 vendor_err 129",
	  "gpfs completion 12 vendor 129 mlx5_0/1 > nsd9 10.2.0.9" },
	{ "[W] VERBS RDMA async event IBV_EVENT_PORT_ERR on mlx5_0 port 1.",
	  "gpfs port_event mlx5_0/1" },
	{ "[W] VERBS RDMA async event IBV_EVENT_DEVICE_FATAL on mlx5_0.", "gpfs device mlx5_0" },
	{ "[W] VERBS RDMA async event IBV_EVENT_QP_ACCESS_ERR on mlx5_0 qp 0x7.", "" },
	{ "rpcrdma: connection to 10.2.0.5:20049 closed (-100)", "nfs lost > 10.2.0.5" },
	{ "rpcrdma: connection to [fd00::5]:20049 closed (-107)", "nfs lost > fd00::5" },
	{ "rpcrdma: connection to fd00::5:20049 closed (-107)", "nfs lost > fd00::5" },
	{ "rpcrdma: connection to 10.2.0.5:20049 closed (-103)", "" },
	{ "rpcrdma: frwr: transport retry counter exceeded (12/0x81)",
	  "nfs completion 12 vendor 129" },
	{ "svcrdma: Send: transport retry counter exceeded (12/0x81)",
	  "nfs completion 12 vendor 129" },
	/* the kernel */
	{ "mlx5_core 0000:08:00.0 mlx5_0: Port: 1 Link DOWN",
	  "kernel port_event mlx5_0/1 0000:08:00.0" },
	{ "mlx5_core 0000:08:00.0 mlx5_0: Port: 1 Link ACTIVE", "" },
	{ "mlx4_core 0000:08:00.0 mlx4_0: Port: 2 Link DOWN",
	  "kernel port_event mlx4_0/2 0000:08:00.0" },
	{ "mlx5_core 0000:08:00.0 ens1f0np0: Link down", "kernel port_event roce 0000:08:00.0" },
	{ "mlx5_core 0000:08:00.0 ibp8s0: Link down", "kernel port_event 0000:08:00.0" },
	{ "mlx5_core 0000:08:00.0: Link down", "kernel port_event 0000:08:00.0" },
	{ "mlx5_core 0000:3b:00.0: Port module event[error]: module 0, Cable error, Power budget "
	  "exceeded",
	  "kernel device 0000:3b:00.0" },
	{ "mlx5_core 0000:3b:00.0: mlx5_port_module_event:1131:(pid 0): Port module event[error]: "
	  "module "
	  "0, Cable error, High Temperature",
	  "kernel device 0000:3b:00.0" },
	{ "mlx5_core 0000:3b:00.0: Port module event: module 0, Cable unplugged",
	  "kernel port_event 0000:3b:00.0" },
	{ "mlx5_core 0000:3b:00.0: Port module event: module 0, Cable plugged", "" },
	{ "mlx5_core 0000:3b:00.0: poll_health:174: device's health compromised - reached miss "
	  "count.",
	  "kernel device 0000:3b:00.0" },
	{ "mlx5_core 0000:3b:00.0: poll_health:800:(pid 0): Fatal error 1 detected",
	  "kernel device 0000:3b:00.0" },
	{ "mlx5_core 0000:3b:00.0: temp_warn:171:(pid 0): High temperature on sensors with bit set "
	  "0 1",
	  "kernel device 0000:3b:00.0" },
	{ "mlx4_core 0000:3b:00.0: Internal error detected:", "kernel device 0000:3b:00.0" },
	{ "ib0: failed send event (status=12, wrid=3 vend_err 0x81)",
	  "kernel completion 12 vendor 129" },
	{ "ib0: ipoib_cm_handle_tx_wc: failed cm send event (status=12, wrid=3 vend_err 81)",
	  "kernel completion 12 vendor 129" },
	{ "ib0: transmit timeout: latency 1999 msecs", "kernel port_event" },
};

static void each_form_gives_what_it_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		print_message("%s\n", forms[i].line);
		assert_string_equal(said(forms[i].line), forms[i].said);
	}
}

/* A wrong port, LID, GID or status is worse than none. */
static void what_cannot_be_is_lost_and_never_taken_for_something_else(void **state)
{
	static const char *const lines[] = {
		RANK "NET/IB : Got completion from peer 10.2.0.5<1> with error 99, opcode 0, len "
		     "0, vendor "
		     "err 129",
		RANK "NET/IB : Got completion from peer 10.2.0.5<1> with error 12, opcode 0, len "
		     "0, vendor "
		     "err 99999999999",
		RANK "NET/IB : Got completion from peer 10.2.0.5<1> with error 12, opc",
		RANK "NET/IB: Got completion from peer 10.2.0.5<1> with status=12 opcode=1 len=1 "
		     "vendor err "
		     "129 (Recv) localGid fe80:::1 remoteGidsfe80::2 hca mlx5_1",
		RANK
		"NET/IB: Got completion from peer 10.2.0.5<1> with status=IBV_WC_RETRY_EXC_ERR(13) "
		"opcode=IBV_WC_SEND(0) vendor_err=129 hca mlx5_1",
		RANK "NET/IB : mlx5_3:255 Got async error event: port error",
		UCX
		"Transport retry count exceeded on mlx5_0:0/IB (synd 0x15 vend 0x81 hw_synd 0/0)",
		UCX "Transport retry count exceeded on mlx5_0:1/IB (synd zz vend 0x81 hw_synd 0/0)",
		UCX
		"DCI QP 0xd16 wqe[6]: SEND s-e [rqpn 0x17de rlid 65536] [va 0x7 len 5 lkey 0x1]",
		UCX
		"DCI QP 0xd16 wqe[6]: SEND s-e [rqpn 0x17de rlid 49152] [va 0x7 len 5 lkey 0x1]",
		"VERBS RDMA rdma read error IBV_WC_NO_ERR to n9 on mlx5_0 port 1 vendor_err 1",
		"svcrdma: Send: success (0/0x81)",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		print_message("%s\n", lines[i]);
		assert_string_equal(said(lines[i]), "lost 1");
	}
}

static void the_first_that_is_lost_is_shown_with_its_place(void **state)
{
	const char text[] = "a\nb\n" RANK
			    "NET/IB : Got completion from peer 1<1> with \x1b[31merr\x07 99\n" RANK
			    "NET/IB : Got completion from peer 1<1> with er\n";
	struct ibc_joblog *log = joblog_of(text, strlen(text), NULL);

	(void)state;
	assert_int_equal(log->lost, 2);
	assert_int_equal(log->recognised, 2);
	assert_non_null(
	    strstr(log->first_lost, ":3: NET/IB : Got completion from peer 1<1> with err? 99"));
	ibc_joblog_free(log);
}

/* ---- UCX's second line ---- */

#define FIRST(host)                                                                                \
	"[" host                                                                                   \
	":7:0:7] ib_mlx5_log.c:177  Transport retry count exceeded on mlx5_0:1/IB (synd 0x15 "     \
	"vend 0x81 hw_synd 0/0)\n"
#define DCI(host, lid)                                                                             \
	"[" host                                                                                   \
	":7:0:7] ib_mlx5_log.c:177  DCI QP 0xd16 wqe[6168]: SEND s-e [rqpn 0x17de rlid " lid       \
	"] [va 0x7 len 5770 lkey 0x1]\n"

static void a_second_line_names_the_peer_of_its_own_process(void **state)
{
	(void)state;
	assert_string_equal(said(FIRST("n1") FIRST("n2") DCI("n1", "1037") DCI("n2", "88")),
	                    "ucx completion 12 vendor 129 n1 mlx5_0/1 > lid 1037 by n1:7\n"
	                    "ucx completion 12 vendor 129 n2 mlx5_0/1 > lid 88 by n2:7");
}

static void a_second_line_alone_says_nothing(void **state)
{
	(void)state;
	assert_string_equal(said(DCI("n1", "1037")), "");
	assert_string_equal(said(FIRST("n2") DCI("n1", "1037") FIRST("n3")),
	                    "ucx completion 12 vendor 129 n2 mlx5_0/1 by n2:7\n"
	                    "ucx completion 12 vendor 129 n3 mlx5_0/1 by n3:7");
}

static void what_a_second_line_took_does_not_count_twice(void **state)
{
	(void)state;
	assert_string_equal(
	    said(FIRST("n1") DCI("n1", "9") FIRST("n1") DCI("n1", "9") DCI("n1", "9")),
	    "ucx completion 12 vendor 129 n1 mlx5_0/1 > lid 9 by n1:7 x2");
	assert_string_equal(said(FIRST("n1") FIRST("n1") DCI("n1", "9")),
	                    "ucx completion 12 vendor 129 n1 mlx5_0/1 by n1:7\n"
	                    "ucx completion 12 vendor 129 n1 mlx5_0/1 > lid 9 by n1:7");
}

static void a_second_line_of_rc_or_of_ethernet_has_a_lid_or_a_gid(void **state)
{
	(void)state;
	assert_string_equal(
	    said(FIRST("n1") "[n1:7:0:7] ib_mlx5_log.c:179  RC QP 0xc82d wqe[0]: RDMA_READ s-- "
	                     "[rva 0x5 rkey "
	                     "0x2] [va 0x4 len 65 lkey 0x2] [rqpn 0xc45e dlid=206 sl=0 port=1 "
	                     "src_path_bits=0]\n"),
	    "ucx completion 12 vendor 129 n1 mlx5_0/1 > lid 206 by n1:7");
	assert_string_equal(
	    said(FIRST("n1") "[n1:7:0:7] ib_mlx5_log.c:179  RC QP 0xc82d wqe[0]: SEND s-- [rqpn "
	                     "0xc45e dlid=49155 "
	                     "sl=0 port=1 src_path_bits=0 dgid=::ffff:10.9.0.2 sgid_index=3 "
	                     "traffic_class=106]\n"),
	    "ucx completion 12 vendor 129 roce n1 mlx5_0/1 > 0:ffff0a090002 by n1:7");
	assert_string_equal(
	    said(FIRST(
		"n1") "[n1:7:0:7] ib_mlx5_log.c:177  DCI QP 0xd wqe[6]: SEND s-e [rqpn 0x1 rmac "
	              "02:00:00:00:00:01 sgix 3 dgid ::ffff:10.9.0.3 tc 106] [inl len 20]\n"),
	    "ucx completion 12 vendor 129 roce n1 mlx5_0/1 > 0:ffff0a090003 by n1:7");
	assert_string_equal(
	    said(FIRST("n1") "[n1:7:0:7] ib_mlx5_log.c:177  RC QP 0x33945 wqe[386]: SEND s-e "
	                     "[va 0x7 len 474 lkey 0x1]\n"),
	    "ucx completion 12 vendor 129 n1 mlx5_0/1 by n1:7");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_form_gives_what_it_names),
		cmocka_unit_test(what_cannot_be_is_lost_and_never_taken_for_something_else),
		cmocka_unit_test(the_first_that_is_lost_is_shown_with_its_place),
		cmocka_unit_test(a_second_line_names_the_peer_of_its_own_process),
		cmocka_unit_test(a_second_line_alone_says_nothing),
		cmocka_unit_test(what_a_second_line_took_does_not_count_twice),
		cmocka_unit_test(a_second_line_of_rc_or_of_ethernet_has_a_lid_or_a_gid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
