/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What the checks of RoCE have in common: ports, priorities, and who sends how. */
#include "check/host/view.h"

#define ROCE_PARTS                                                                                 \
	(IBC_HOST_RDMA | IBC_HOST_COUNTERS | IBC_HOST_GIDS | IBC_HOST_NETDEVS |                    \
	 IBC_HOST_PROCESSES | IBC_HOST_ETHERNET)

/* ---- ports ---------------------------------------------------------------------- */

/*
 * struct roce_port - a port, or a member of the bond below it: "mlx5_0/1 (ens1f0)"
 * @first_of_port: the first member of its bond: what is of the port is said there only
 */
struct roce_port {
	const struct ibc_ethernet *e;
	const struct ibc_rdma_port *port;
	const char *name;
	bool first_of_port;
};

/* Those that are active, *n of them.  The first of the checks reports that there are none. */
const struct roce_port *roce_ports(const struct ibc_input *in, struct ibc_sink *out, size_t *n);
const char *roce_name(struct ibc_sink *out, const struct ibc_ethernet *e);

/* struct port_list - names of ports in a sentence, the first of them */
struct port_list {
	const char *list;
	size_t n;
};
void port_list_add(struct ibc_sink *out, struct port_list *ports, const char *name);

/* struct silence - what adapters ought to report, and these do not: said once for each reason */
#define REASONS_MAX 4 /* what comes after them is of the last */
struct silence {
	struct {
		const char *why;
		struct port_list ports;
	} reasons[REASONS_MAX];
	size_t n;
};
void silence_add(struct ibc_sink *out, struct silence *silence, const struct roce_port *p,
                 const char *why);
/* "WHAT of PORTS is not known: WHY"; nothing for none. */
void silence_report(const struct ibc_input *in, struct ibc_sink *out, const struct silence *silence,
                    const char *what, const char *advice);
/* Why a driver does not report it; @otherwise: it was asked. */
const char *why_silent(const struct ibc_ethernet *e, const char *otherwise);

/* ---- priorities ------------------------------------------------------------------- */

/* "priority 3", "priorities 0, 1 and 3", "no priority", "all priorities" */
const char *priorities_text(struct ibc_sink *out, uint8_t priorities);
/* As a fact; none of them is "". */
struct ibc_value priorities_value(struct ibc_sink *out, uint8_t priorities);

/* Do both points of ECN work?  Where the driver does not say, by what they have counted. */
enum ecn { ECN_UNKNOWN, ECN_OFF, ECN_ON };
enum ecn ecn_of(const struct roce_port *p, uint8_t priorities);

/* ---- over a window ----------------------------------------------------------------------- */

/*
 * struct roce_counts - statistics of the driver; hw_counters and counters of the port
 * @comparable: the port was there at the first reading, and so was its interface
 */
struct roce_counts {
	struct counted driver, transport, basic;
	double seconds;
	bool comparable;
};
#define NOT_COMPARABLE "it did not exist at the first reading"
/* A window needs in->host_before. */
struct roce_counts roce_counts_of(const struct ibc_input *in, const struct roce_port *p);

/* ---- who sends how -------------------------------------------------------------------- */

/*
 * struct use - a value of a variable, and who has it
 * @number: the value
 * @user: "python, PID 42 and 7 more", or the file that every program reads
 * @process: the first of them; NULL: it is from such a file
 * @where: "environ"; "": it is not set, and this is the library's default
 */
struct use {
	const char *variable, *where, *user;
	unsigned int number;
	size_t users;
	const struct ibc_process *process;
};
/* What programs say of the GIDs they send with. */
struct use *uses_of_gids(const struct ibc_input *in, struct ibc_sink *out, size_t *n);
/* May they send over this device? */
bool use_takes(const struct use *use, const struct ibc_rdma_device *device);
/* Starts a finding about those who have it. */
void use_report(const struct ibc_input *in, struct ibc_sink *out, const struct use *use,
                const char *message, ...) __attribute__((format(printf, 4, 5)));
/* "NCCL_IB_TC=106, environ", "no NCCL_IB_TC" */
const char *use_text(struct ibc_sink *out, const struct use *use);
/* Programs that use RDMA, and whose variables may not be read: unknown, once in a run. */
void report_hidden(const struct ibc_input *in, struct ibc_sink *out);

/* Does any traffic leave it on a priority with flow control? */
bool leads_to_pfc(const struct ibc_ethernet *e);

/*
 * Reports programs whose traffic class gets no priority with flow control on some ports, though
 * other traffic does.
 * @lossy: those without ECN on one of them, too, of which roce.lossy speaks; else all others
 */
void report_strays(const struct ibc_input *in, struct ibc_sink *out, const struct roce_port *ports,
                   size_t n, bool lossy);
