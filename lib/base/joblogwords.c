/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of what logs of jobs report. */
#include <ibcheck/joblog.h>

#include "base/array.h"
#include "base/words.h"

static const struct word_entry programs[] = {
	{ IBC_LOG_NCCL, { "nccl", "NCCL" } },
	{ IBC_LOG_RCCL, { "rccl", "RCCL" } },
	{ IBC_LOG_UCX, { "ucx", "UCX" } },
	{ IBC_LOG_OPENMPI, { "openmpi", "Open MPI" } },
	{ IBC_LOG_MVAPICH, { "mvapich", "MVAPICH" } },
	{ IBC_LOG_LIBFABRIC, { "libfabric", "libfabric" } },
	{ IBC_LOG_LUSTRE, { "lustre", "Lustre" } },
	{ IBC_LOG_GPFS, { "gpfs", "GPFS" } },
	{ IBC_LOG_NFS, { "nfs", "NFS" } },
	{ IBC_LOG_KERNEL, { "kernel", "kernel" } },
	WORDS_END,
};

const struct ibc_word *ibc_log_program_word(enum ibc_log_program program)
{
	return words_find(programs, program);
}

static const struct word_entry kinds[] = {
	{ IBC_LOG_COMPLETION, { "completion", "completion with an error" } },
	{ IBC_LOG_LOST, { "lost", "connection lost" } },
	{ IBC_LOG_PORT_EVENT, { "port_event", "event of a port" } },
	{ IBC_LOG_DEVICE, { "device", "failure of an HCA" } },
	{ IBC_LOG_USING, { "using", "ports in use" } },
	{ IBC_LOG_SOCKETS, { "sockets", "TCP sockets in use" } },
	WORDS_END,
};

const struct ibc_word *ibc_log_kind_word(enum ibc_log_kind kind)
{
	return words_find(kinds, kind);
}

const char *ibc_wc_status_name(int status)
{
	/* clang-format off */
	static const char *const names[] = {
		"IBV_WC_SUCCESS", "IBV_WC_LOC_LEN_ERR", "IBV_WC_LOC_QP_OP_ERR",
		"IBV_WC_LOC_EEC_OP_ERR", "IBV_WC_LOC_PROT_ERR", "IBV_WC_WR_FLUSH_ERR",
		"IBV_WC_MW_BIND_ERR", "IBV_WC_BAD_RESP_ERR", "IBV_WC_LOC_ACCESS_ERR",
		"IBV_WC_REM_INV_REQ_ERR", "IBV_WC_REM_ACCESS_ERR", "IBV_WC_REM_OP_ERR",
		"IBV_WC_RETRY_EXC_ERR", "IBV_WC_RNR_RETRY_EXC_ERR", "IBV_WC_LOC_RDD_VIOL_ERR",
		"IBV_WC_REM_INV_RD_REQ_ERR", "IBV_WC_REM_ABORT_ERR", "IBV_WC_INV_EECN_ERR",
		"IBV_WC_INV_EEC_STATE_ERR", "IBV_WC_FATAL_ERR", "IBV_WC_RESP_TIMEOUT_ERR",
		"IBV_WC_GENERAL_ERR", "IBV_WC_TM_ERR", "IBV_WC_TM_RNDV_INCOMPLETE",
	};
	/* clang-format on */

	return status >= 0 && status < (int)ARRAY_SIZE(names) ? names[status] : NULL;
}
