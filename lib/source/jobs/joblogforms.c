/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The forms of lines, each with the place where its words are from.  A pattern is text, in which a
 * blank stands for any number of them, none included, for a line may be wrapped at each; and
 *   %h %d %p %c %g %a   host, device, port, PCI address, GID, address of its own end
 *   %H %A %B %G %L      host, address, address with a port, GID, LID of the peer; %A may be a name
 *   %s %S %y            status as a number, as a word of ibv_wc_status, as a syndrome of mlx5
 *   %v %x               vendor error, decimal, hexadecimal
 *   %r                  link layer
 *   %e                  interface of its own end: those of InfiniBand begin with "ib"
 *   %n %w %i            a number, a word, an interface, none of which says anything
 *   *                   anything up to what follows
 *   {}                  may lack
 *   !                   what came so far is of no other line: without the rest, it is lost
 */
#include "source/jobs/joblog.h"

#include <arpa/inet.h>
#include <endian.h>

#include "base/array.h"
#include "base/str.h"

#define DIGITS        "0123456789"
#define STAR_MAX      200    /* bytes that a * skips: a guess, more than any line has there */
#define NUMBER_MAX    20     /* digits: those of 64 bits */
#define WC_STATUS_MAX 23     /* IBV_WC_TM_RNDV_INCOMPLETE */
#define TRIES         16     /* places where a line may begin so: bounds the work of one */
#define PORT_MAX      254    /* of a node: NodeInfo.NumPorts (IBA 14.2.5.3) */
#define LID_MAX       0xbfff /* of one port (IBA 4.1.3) */

const char *const log_anchors[LOG_ANCHORS] = { LOG_EACH_ANCHOR(LOG_ANCHOR_TEXT) };

/*
 * struct log_form - one of the forms
 * @status: that the words mean; 0: none, or the pattern has it
 */
struct log_form {
	enum log_anchor anchor;
	enum ibc_log_program program;
	enum ibc_log_kind kind;
	int status;
	const char *pattern;
};

/* clang-format off */
#define UCX  "ib_mlx5_log.c:%n"
#define MLX5 "mlx5_core %c: *"
#define F(anchor, program, kind, pattern) \
	{ LOG_A_##anchor, IBC_LOG_##program, IBC_LOG_##kind, 0, pattern }
#define FI(status, words) \
	{ LOG_A_FI, IBC_LOG_LIBFABRIC, IBC_LOG_COMPLETION, status, "fi_cq_readerr: err: *prov_err: " words }
#define SECOND(pattern) { LOG_A_UCX, 0, 0, 0, pattern }

static const struct log_form forms[] = {
	/* NCCL, src/transport/net_ib.cc, ncclIbTest(): 2.4 to 2.12 without a peer, to 2.18 with it;
	   RCCL has the same, and the plugin nccl-rdma-sharp-plugins, src/ib_plugin.c, as NET/IBP */
	F(NET_IB, NCCL, COMPLETION, "NET/IB{P} : Got completion !{from peer %A<%n> }with error %s, opcode %n, len %n, vendor err %v"),
	/* 2.19 to 2.26; GIDs only where the link is Ethernet; also src/transport/gin.cc */
	F(NET_IB, NCCL, COMPLETION, "NET/IB{P}{/GIN} : Got completion !from peer %A<%n> with status=%s opcode=%n len=%n"
	  " vendor err %v{ (%i)}{ localGid %g}{ remoteGids %G}{ hca %d}"),
	/* since 2.27, src/transport/net_ib/p2p.cc, ncclIbLogCompletionWithError(); what stands before
	   it, "Got CQE with error", is the same */
	F(NET_IB, NCCL, COMPLETION, "NET/IB{P}{/GIN} : Got completion !from peer %A<%n> with status=%S(%s) opcode=%i(%n){ len=%n}"
	  "{ reqSize=%n} vendor_err=%v{ req_type=%i}{ localGid %g}{ remoteGids %G}{ hca %d}"),
	/* ncclIbAsyncThreadMain(), since 2.19 with the port; words of ibv_event_type_str() */
	F(NET_IB, NCCL, PORT_EVENT, "NET/IB{P} : {%d:%p }Got async {error }event : port error"),
	F(NET_IB, NCCL, DEVICE, "NET/IB{P} : {%d:%p }Got async {error }event : local catastrophic error"),
	F(NET_IB, NCCL, DEVICE, "NET/IB : %d:%p async fatal event : local catastrophic error"),
	/* ncclIbInit(), net_socket.cc ncclNetSocketInit() */
	F(NET_IB, NCCL, USING, "NET/IB : Using [!"),
	F(NET_SOCKET, NCCL, SOCKETS, "NET/Socket : Using [!%n]%i:%a<"),

	/* UCX, src/uct/ib/mlx5/ib_mlx5_log.c, uct_ib_mlx5_completion_with_err(): to 1.7, since 1.8 */
	F(UCX, UCX, COMPLETION, UCX "*Error on {%d:%p }QP %n wqe[%n]: * (synd !%y vend %x"),
	F(UCX, UCX, COMPLETION, UCX "* on %d:%p/%r (synd !%y vend %x"),
	/* its second line: uct_ib_mlx5_av_dump() of DC, uct_ib_ah_attr_str() of RC in later ones */
	SECOND(UCX "* QP %n wqe[%n]: * [rqpn %n rlid !%L{ sgix %n dgid %G}"),
	SECOND(UCX "* QP %n wqe[%n]: * [rqpn %n rmac %w sgix %n dgid !%G"),
	SECOND(UCX "* QP %n wqe[%n]: * [rqpn %n dlid=!%L sl=%n port=%n src_path_bits=%n{ dgid=%G}"),
	/* src/uct/ib/base/ib_device.c, uct_ib_handle_async_event() */
	F(UCX_EVENT, UCX, PORT_EVENT, "IB Async event on %d: port error on port %p"),
	F(UCX_EVENT, UCX, DEVICE, "IB Async event on %d: local catastrophic error on port"),

	/* Open MPI, opal/mca/btl/openib/btl_openib_component.c, handle_wc(), behind BTL_PEER_ERROR() */
	F(OPENIB, OPENMPI, COMPLETION, "btl_openib_component.c:%n:%i] from !%h to:{ %A} error polling %i CQ with status *"
	  " status number %s for wr_id %n opcode %n{ vendor error %v}"),
	/* MVAPICH2, mpid/ch3/channels/mrail/src/gen2/ibv_channel_manager.c, handle_cqe() */
	F(MVAPICH, MVAPICH, COMPLETION, "Got completion with error !%s, vendor code=%x, dest"),
	/* libfabric, prov/rxm/src/rxm_cq.c over prov/verbs/src/verbs_cq.c, vrb_report_wc(): the number is
	   the status, where the words are those of ibv_wc_status_str(); over TCP it is another */
	FI(12, "transport retry counter exceeded (12)"),
	FI(13, "RNR retry counter exceeded (13)"),
	FI(11, "remote operation error (11)"),
	FI(10, "remote access error (10)"),
	FI(9, "remote invalid request error (9)"),
	FI(4, "local protection error (4)"),

	/* Lustre, lnet/klnds/o2iblnd/o2iblnd_cb.c: kiblnd_check_conns(), kiblnd_tx_complete(),
	   kiblnd_peer_connect_failed() */
	F(LUSTRE, LUSTRE, LOST, "Timed out RDMA with !%A@"),
	F(LUSTRE, LUSTRE, COMPLETION, "Tx -> !%A@%i cookie %n sending %n waiting %n: failed %s"),
	F(LUSTRE, LUSTRE, LOST, "Deleting messages for !%A@%i: connection failed"),
	/* GPFS: IBM APAR IJ01910, and logs that people show; the first is not verified */
	F(GPFS, GPFS, COMPLETION, "VERBS RDMA rdma %i error !%S to %A{ (%H)} on %d port %p{ fabnum %n} vendor_err %v"),
	F(GPFS, GPFS, LOST, "VERBS RDMA closed connection to %A (%H) on %d port %p*error !%n"),
	F(GPFS, GPFS, PORT_EVENT, "VERBS RDMA async event IBV_EVENT_PORT_ERR on %d{ port %p}"),
	F(GPFS, GPFS, DEVICE, "VERBS RDMA async event IBV_EVENT_DEVICE_FATAL on %d"),
	/* Linux 4.x, net/sunrpc/xprtrdma: verbs.c rpcrdma_conn_upcall(), unreachable (ENETDOWN) and no
	   answer (ENOTCONN); frwr_ops.c __frwr_sendcompletion_flush(); svc_rdma_sendto.c */
	F(RPCRDMA, NFS, LOST, "rpcrdma: connection to %B closed (-100)"),
	F(RPCRDMA, NFS, LOST, "rpcrdma: connection to %B closed (-107)"),
	F(RPCRDMA, NFS, COMPLETION, "rpcrdma: %i: * (%s/0x!%x)"),
	F(SVCRDMA, NFS, COMPLETION, "svcrdma: %i: * (%s/0x!%x)"),

	/* Linux, drivers/infiniband/core/cache.c, of 2024 */
	F(MLX5, KERNEL, PORT_EVENT, "mlx5_core %c %d: Port: %p Link DOWN"),
	F(MLX4, KERNEL, PORT_EVENT, "mlx4_core %c %d: Port: %p Link DOWN"),
	/* drivers/net/ethernet/mellanox/mlx5/core: en_main.c, events.c, health.c */
	F(MLX5, KERNEL, PORT_EVENT, "mlx5_core %c{ %e}: Link down"),
	F(MLX5, KERNEL, DEVICE, MLX5 "Port module event[error]: module"),
	F(MLX5, KERNEL, PORT_EVENT, MLX5 "Port module event: module %n, Cable unplugged"),
	F(MLX5, KERNEL, DEVICE, MLX5 "device's health compromised"),
	F(MLX5, KERNEL, DEVICE, MLX5 "Fatal error %n detected"),
	F(MLX5, KERNEL, DEVICE, MLX5 "High temperature on sensors"),
	/* drivers/infiniband/hw/mlx5/cq.c, mlx5_handle_error_cqe() */
	F(WC_ERROR, KERNEL, COMPLETION, "infiniband %d: *WC error: !%s, Message:"),
	/* mlx4/catas.c dump_err_buf() */
	F(MLX4, KERNEL, DEVICE, "mlx4_core %c: Internal error detected"),
	/* drivers/infiniband/ulp/ipoib: ipoib_ib.c, ipoib_cm.c, ipoib_main.c */
	F(IPOIB, KERNEL, COMPLETION, "failed {cm }send event (status=!%s, wrid=%n vend_err %x)"),
	F(IPOIB_QUEUE, KERNEL, PORT_EVENT, "transmit timeout: latency"),
};
/* clang-format on */

/* Statuses by the syndromes of mlx5 (mlx5dv.h, MLX5_CQE_SYNDROME_*), which UCX prints. */
static const unsigned char syndromes[][2] = {
	{ 0x01, 1 },  { 0x02, 2 },  { 0x04, 4 },  { 0x05, 5 },  { 0x06, 6 },
	{ 0x10, 7 },  { 0x11, 8 },  { 0x12, 9 },  { 0x13, 10 }, { 0x14, 11 },
	{ 0x15, 12 }, { 0x16, 13 }, { 0x22, 16 },
};

/* ---- patterns ---------------------------------------------------------------------------------
 */

#define PIECES 16 /* of one form, and some */

/*
 * struct pieces - what a pattern takes from a line
 * @cut: the file ends with it: names that do so too may have been longer
 * @certain: its "!" was reached
 * @short_of: the line ended first: it may be wrapped
 */
struct pieces {
	struct log_piece {
		char letter;
		struct log_span span;
	} all[PIECES];
	size_t num;
	bool cut, certain, short_of;
};

static struct log_span piece(const struct pieces *p, char letter)
{
	for (size_t i = 0; i < p->num; i++)
		if (p->all[i].letter == letter)
			return p->all[i].span;
	return (struct log_span){ NULL, 0 };
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static bool is_of(char letter, unsigned char c)
{
	switch (letter) {
	case 'w':
		return c && !is_blank((char)c);
	case 'd':
	case 'S':
	case 'r':
		return log_is_name(c) && c != '.';
	case 'h':
	case 'H':
	case 'e':
	case 'i':
		return log_is_name(c);
	case 'a':
	case 'A':
	case 'B':
		return log_is_name(c) || (c && strchr(":%[]", c));
	case 'c':
	case 'g':
	case 'G':
		return isxdigit(c) || c == ':' || c == '.';
	case 'x':
	case 'y':
		return isxdigit(c) || c == 'x';
	case 'n':
		return isxdigit(c) || c == 'x' || c == '-';
	}
	return isdigit(c);
}

static size_t piece_length(char letter, const char *text)
{
	size_t n = 0;

	while (is_of(letter, (unsigned char)text[n]))
		n++;
	if (letter == 'd' &&
	    text[n] == ':') { /* "mlx5_3node07:5776:5902": another line is glued to it */
		size_t pid = strspn(text + n + 1, DIGITS);

		return pid && text[n + 1 + pid] == ':' ? 0 : n;
	}
	return letter == 'c' && n && text[n - 1] == ':' ? n - 1
	                                                : n; /* it belongs to what follows */
}

/* Where the text ends that fits; NULL: none does. */
static const char *fit(const char *pattern, const char *text, struct pieces *p)
{
	for (; *pattern; pattern++) {
		size_t n = 0;

		if (*pattern == '!') {
			p->certain = true;
		} else if (*pattern == ' ') {
			while (is_blank(*text))
				text++;
		} else if (*pattern == '*') {
			const char *end = NULL;

			for (size_t before = p->num; !end && n < STAR_MAX && text[n]; n++) {
				p->num = before;
				end = fit(pattern + 1, text + n, p);
			}
			p->short_of |= !end && !text[n];
			return end;
		} else if (*pattern == '{') {
			size_t before = p->num;
			const char *end = fit(pattern + 1, text, p);

			if (end)
				return end;
			p->num = before;
			pattern = strchr(pattern, '}');
		} else if (*pattern == '%') {
			n = piece_length(*++pattern, text);
			p->short_of |= !*text;
			if (!n || p->num == PIECES ||
			    (p->cut && !text[n] && strchr("adgGhH", *pattern)))
				return NULL;
			if (!strchr("niw", *pattern))
				p->all[p->num++] = (struct log_piece){ *pattern, { text, n } };
			text += n;
		} else if (*pattern != '}' && *pattern != *text++) {
			p->short_of |= !text[-1];
			return NULL;
		}
	}
	return text;
}

/* ---- what is in them --------------------------------------------------------------------------
 */

/* False: there is such a piece, but no such number. */
static bool take_number(const struct pieces *p, char letter, uint64_t min, uint64_t max,
                        uint64_t *out)
{
	struct log_span span = piece(p, letter);
	char text[NUMBER_MAX + 1];

	if (!span.n)
		return true;
	if (!str_cut(text, sizeof(text), span.at, span.n) ||
	    (strchr("xy", letter) ? str_guid(text, out) : str_u64(text, min, max, out)))
		return false;
	return *out >= min && *out <= max;
}

/* False: it is none. */
static bool take_gid(struct log_span span, struct ibc_log_end *end, bool *roce)
{
	char text[INET6_ADDRSTRLEN];
	struct in6_addr gid;
	uint64_t halves[2];

	if (!str_cut(text, sizeof(text), span.at, span.n) || inet_pton(AF_INET6, text, &gid) != 1)
		return false;
	memcpy(halves, &gid, sizeof(halves));
	end->gid_prefix = be64toh(halves[0]);
	end->gid_guid = be64toh(halves[1]);
	/* link-local by a MAC (RFC 4291, A): the port GUIDs of InfiniBand are not made so */
	*roce |= IN6_IS_ADDR_V4MAPPED(&gid) ||
	         (IN6_IS_ADDR_LINKLOCAL(&gid) && (end->gid_guid >> 24 & 0xffff) == 0xfffe);
	return true;
}

/* An address without brackets and zone, or a name; a rank is neither. */
static void take_address(struct log_span span, struct log_span *address, struct log_span *host)
{
	const char *zone = memchr(span.at, '%', span.n);

	if (zone)
		span.n = (size_t)(zone - span.at);
	if (*span.at == '[')
		span = (struct log_span){ span.at + 1, span.n - 1 - (span.at[span.n - 1] == ']') };
	if (span.n > 7 && !memcmp(span.at, "::ffff:", 7) && memchr(span.at, '.', span.n))
		span = (struct log_span){ span.at + 7, span.n - 7 };
	if (memchr(span.at, ':', span.n) ||
	    (strspn(span.at, DIGITS ".") >= span.n && memchr(span.at, '.', span.n)))
		*address = span;
	else if (host && strspn(span.at, DIGITS) < span.n)
		*host = span;
}

/* Of a number, a word, or a syndrome; false: there is no such status. */
static bool take_status(const struct pieces *p, int *status)
{
	struct log_span word = piece(p, 'S');
	uint64_t n = 0, syndrome = 0;

	if (!take_number(p, 's', 1, WC_STATUS_MAX, &n) ||
	    !take_number(p, 'y', 0, UINT64_MAX, &syndrome))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(syndromes); i++)
		if (syndromes[i][0] == syndrome)
			n = syndromes[i][1];
	for (int i = 1; word.n && !n && i <= WC_STATUS_MAX; i++)
		if (log_is(word, ibc_wc_status_name(i)))
			n = (unsigned int)i;
	*status = n ? (int)n : *status;
	/* the words, where both are there, are those of the number */
	return !word.n || (piece(p, 's').n && memcmp(word.at, "IBV_WC_", 7)) ||
	       log_is(word, ibc_wc_status_name(*status) ?: "");
}

static bool take_numbers(const struct pieces *p, struct ibc_log_event *e)
{
	uint64_t vendor = UINT64_MAX, port = 0, lid = 0;

	if (!take_status(p, &e->status) || !take_number(p, 'v', 0, INT32_MAX, &vendor) ||
	    !take_number(p, 'x', 0, INT32_MAX, &vendor) ||
	    !take_number(p, 'p', 1, PORT_MAX, &port) ||
	    /* UCX gives a UDP port instead on Ethernet (RoCE v2, A17.9.2), and a GID */
	    !take_number(p, 'L', 0, piece(p, 'G').n ? UINT16_MAX : LID_MAX, &lid))
		return false;
	e->vendor_error = vendor == UINT64_MAX ? -1 : (int)vendor;
	e->own.port = (unsigned int)port;
	e->peer.lid = lid > LID_MAX ? 0 : (unsigned int)lid;
	e->roce = piece(p, 'e').n && memcmp(piece(p, 'e').at, "ib", 2) != 0;
	/* rdma-core (kernel-boot, rdma_rename) calls those of Ethernet so */
	e->roce |= log_is(piece(p, 'r'), "RoCE") ||
	           (piece(p, 'd').n > 4 && !memcmp(piece(p, 'd').at, "roce", 4));
	return (!piece(p, 'g').n || take_gid(piece(p, 'g'), &e->own, &e->roce)) &&
	       (!piece(p, 'G').n || take_gid(piece(p, 'G'), &e->peer, &e->roce));
}

static bool take_pieces(const struct log_form *form, const struct pieces *p, struct log_fact *fact)
{
	struct log_span peer = piece(p, 'B');

	fact->event = (struct ibc_log_event){ .program = form->program,
		                              .kind = form->kind,
		                              .status = form->status ?: IBC_WC_UNKNOWN };
	fact->second = !form->program;
	fact->text[LOG_OWN_HOST] = piece(p, 'h');
	fact->text[LOG_OWN_DEVICE] = piece(p, 'd');
	fact->text[LOG_OWN_PCI] = piece(p, 'c');
	fact->text[LOG_PEER_HOST] = piece(p, 'H');
	while (peer.n && peer.at[--peer.n] != ':') /* its port */
		;
	peer = piece(p, 'A').n ? piece(p, 'A') : peer;
	if (peer.n)
		take_address(peer, &fact->text[LOG_PEER_ADDRESS], &fact->text[LOG_PEER_HOST]);
	if (piece(p, 'a').n)
		take_address(piece(p, 'a'), &fact->text[LOG_OWN_ADDRESS], NULL);
	for (size_t i = 0; i < LOG_TEXTS; i++)
		if (fact->text[i].n > LOG_NAME_MAX)
			return false;
	return take_numbers(p, &fact->event);
}

bool log_next_port(const char **rest, struct log_fact *fact)
{
	const char *at = *rest, *end = at + strcspn(at, ";"), *behind = NULL;
	struct pieces p = { .num = 0 };

	while (!behind && (at = memchr(at, '[', (size_t)(end - at))) != NULL)
		behind = fit("[%n] %d:%p/%r", at++, &p);
	if (behind) {
		fit("; OOB %i:%a<", end, &p);
		fact->ends = behind;
	}
	*rest = behind;
	return behind && take_pieces(fact->form, &p, fact);
}

/*
 * The first place before @before that has the form, or begins so and is of no other; returns
 * whether the line ended where it goes on.
 */
static bool try_form(const struct log_form *f, const char *line, const char *before, bool cut,
                     struct log_fact *fact, enum log_outcome *outcome)
{
	const char *at = line;
	bool short_of = false;

	for (int tries = TRIES;
	     tries && at < before && (at = memchr(at, *f->pattern, (size_t)(before - at))); at++) {
		struct pieces p;
		const char *end;

		if (at[1] != f->pattern[1])
			continue;
		tries--;
		p.num = 0;
		p.cut = cut;
		p.certain = p.short_of = false;
		end = fit(f->pattern, at, &p);
		short_of |= p.short_of;
		if (!end && (!p.certain || (*outcome != LOG_NOT_OURS && at == fact->begins)))
			continue;
		*fact = (struct log_fact){ .form = f,
			                   .begins = at,
			                   .ends = end,
			                   .rest = end && f->kind == IBC_LOG_USING ? end - 1
			                                                           : NULL };
		*outcome = (fact->rest ? log_next_port(&fact->rest, fact)
		                       : end && take_pieces(f, &p, fact))
		               ? LOG_PARSED
		               : LOG_UNPARSED;
		break;
	}
	return short_of;
}

enum log_outcome log_form(enum log_anchor anchor, const char *line, size_t n, bool cut,
                          struct log_fact *fact)
{
	enum log_outcome outcome = LOG_NOT_OURS;
	const char *before = line + n;
	bool short_of = false;

	for (const struct log_form *f = forms; f < forms + ARRAY_SIZE(forms); f++) {
		if (f->anchor != anchor)
			continue;
		short_of |= try_form(f, line, before, cut, fact, &outcome);
		/* another may begin earlier, or there, if this one could not be parsed */
		if (outcome != LOG_NOT_OURS)
			before = fact->begins + (outcome == LOG_UNPARSED);
	}
	fact->short_of = short_of;
	return outcome;
}
