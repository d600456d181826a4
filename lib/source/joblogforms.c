/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The forms of lines, each with the place where its words are from.  A pattern is text, in which a
 * blank stands for any number of them, none included, for a line may be wrapped at each; and
 *   %h %d %p %c %g %a   host, device, port, PCI address, GID, address of its own end
 *   %H %A %G %L         host, address, GID, LID of the peer; %A may be a name
 *   %s %S               status as a number, and as a word of ibv_wc_status
 *   %v %x               vendor error, decimal, hexadecimal
 *   %r                  link layer
 *   %n %w %i            a number, a word, an interface, none of which says anything
 *   *                   anything up to what follows
 *   {}                  may lack
 *   !                   from here on it is certain which form it is
 */
#include "source/joblog.h"

#include <arpa/inet.h>
#include <endian.h>

#include "base/array.h"
#include "base/str.h"

#define DIGITS    "0123456789"
#define HEX       DIGITS "abcdefABCDEF"
#define WORD      DIGITS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-"
#define STAR_MAX  200 /* bytes that a * skips: a guess, more than any line has there */
#define NUMBER_MAX 20 /* digits: those of 64 bits */
#define WC_STATUS_MAX 23 /* IBV_WC_TM_RNDV_INCOMPLETE */
#define PORT_MAX 254 /* of a node: NodeInfo.NumPorts (IBA 14.2.5.3) */
#define LID_MAX 0xbfff /* of one port (IBA 4.1.3) */

const char *const log_anchors[LOG_ANCHORS] = {
	[LOG_A_NET_IB] = "NET/IB",
	[LOG_A_NET_SOCKET] = "NET/Socket",
	[LOG_A_UCX] = "ib_mlx5_log.c",
	[LOG_A_OPENIB] = "btl_openib_component.c",
};

/*
 * struct log_form - one of the forms
 * @status: where the words mean one; 0: not
 */
struct log_form {
	enum log_anchor anchor;
	enum ibc_log_program program;
	enum ibc_log_kind kind;
	int status;
	const char *pattern;
};

/* clang-format off */
static const struct log_form forms[] = {
	/* NCCL 2.4 to 2.18, net_ib.cc ncclIbTest() */
	{ LOG_A_NET_IB, IBC_LOG_NCCL, IBC_LOG_COMPLETION, 0,
	  "NET/IB{/GIN} : !Got completion from peer %A<%n> with error %s, opcode %n, len %n, vendor err %v" },
	/* 2.19 to 2.26: "opcode=%d len=%d vendor err %d (%s)", GIDs only where the link is Ethernet */
	{ LOG_A_NET_IB, IBC_LOG_NCCL, IBC_LOG_COMPLETION, 0,
	  "NET/IB{/GIN} : !Got completion from peer %A<%n> with status=%s opcode=%n len=%n vendor err %v{ (%w}"
	  "{ localGid %g}{ remoteGids %G}{ hca %d}" },
	{ LOG_A_NET_IB, IBC_LOG_NCCL, IBC_LOG_USING, 0, "!NET/IB : Using [" },
	{ LOG_A_NET_SOCKET, IBC_LOG_NCCL, IBC_LOG_SOCKETS, 0,
	  "!NET/Socket : Using [%n]%i:%a<" },
};
/* clang-format on */

/* ---- patterns --------------------------------------------------------------------------------- */

#define PIECES 128 /* by letter: ASCII */

struct pieces {
	struct log_span of[PIECES];
	bool certain;
};

static size_t blanks(const char *text)
{
	return strspn(text, " \t\n");
}

static size_t piece_length(char letter, const char *text)
{
	switch (letter) {
	case 'h':
	case 'H':
	case 'i':
		return strspn(text, WORD ".");
	case 'a':
	case 'A':
		return strspn(text, WORD ".:%[]");
	case 'd':
	case 'S':
	case 'r':
		return strspn(text, WORD);
	case 'c':
	case 'g':
	case 'G':
		return strspn(text, HEX ":.");
	case 'x':
		return strspn(text, HEX "xX");
	case 'n':
		return strspn(text, HEX "xX-");
	case 'w':
		return strcspn(text, " \t\n");
	}
	return strspn(text, DIGITS);
}

/* Where the text ends that fits; NULL: none does. */
static const char *fit(const char *pattern, const char *text, struct pieces *p)
{
	for (; *pattern; pattern++) {
		size_t n = 0;

		if (*pattern == '!') {
			p->certain = true;
		} else if (*pattern == ' ') {
			text += blanks(text);
		} else if (*pattern == '*') {
			const char *end = NULL;

			for (; !end && n < STAR_MAX && text[n]; n++)
				end = fit(pattern + 1, text + n, p);
			return end;
		} else if (*pattern == '{') {
			struct pieces before = *p;
			const char *end = fit(pattern + 1, text, p);

			if (end)
				return end;
			*p = before;
			pattern = strchr(pattern, '}');
		} else if (*pattern == '%') {
			n = piece_length(*++pattern, text);
			if (!n)
				return NULL;
			p->of[(unsigned char)*pattern] = (struct log_span){ text, n };
			text += n;
		} else if (*pattern != '}' && *pattern != *text++) {
			return NULL;
		}
	}
	return text;
}

/* ---- what is in them -------------------------------------------------------------------------- */

static bool number(struct log_span span, uint64_t min, uint64_t max, uint64_t *out)
{
	char text[NUMBER_MAX + 1];

	return str_cut(text, sizeof(text), span.at, span.n) && !str_u64(text, min, max, out);
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
	*roce |= IN6_IS_ADDR_V4MAPPED(&gid);
	return true;
}

/* An address is that without brackets and zone; what has a letter and no colon is a name. */
static void take_address(struct log_span span, struct log_span *address, struct log_span *host)
{
	const char *zone = memchr(span.at, '%', span.n);

	if (zone)
		span.n = (size_t)(zone - span.at);
	if (*span.at == '[')
		span = (struct log_span){ span.at + 1, span.n - 1 - (span.at[span.n - 1] == ']') };
	if (host && !memchr(span.at, ':', span.n) && strspn(span.at, DIGITS ".") < span.n)
		*host = span;
	else
		*address = span;
}

static bool take_numbers(const struct pieces *p, struct ibc_log_event *e)
{
	const struct log_span *of = p->of;
	uint64_t n = 0;

	if (of['s'].n && !number(of['s'], 1, WC_STATUS_MAX, &n))
		return false;
	e->status = of['s'].n ? (int)n : e->status;
	if (of['S'].n && of['s'].n && !memcmp(of['S'].at, "IBV_WC_", 7) &&
	    !log_is(of['S'], ibc_wc_status_name(e->status) ?: ""))
		return false;
	if ((of['v'].n || of['x'].n) && !number(of['v'].n ? of['v'] : of['x'], 0, INT32_MAX, &n))
		return false;
	e->vendor_error = of['v'].n || of['x'].n ? (int)n : -1;
	if (of['p'].n && !number(of['p'], 1, PORT_MAX, &n))
		return false;
	e->own.port = of['p'].n ? (unsigned int)n : 0;
	if (of['L'].n && !number(of['L'], 1, LID_MAX, &n))
		return false;
	e->peer.lid = of['L'].n ? (unsigned int)n : 0;
	e->roce = log_is(of['r'], "RoCE");
	return (!of['g'].n || take_gid(of['g'], &e->own, &e->roce)) &&
	       (!of['G'].n || take_gid(of['G'], &e->peer, &e->roce));
}

static bool take_pieces(const struct log_form *form, const struct pieces *p, struct log_fact *fact)
{
	fact->event = (struct ibc_log_event){ .program = form->program,
		                              .kind = form->kind,
		                              .status = form->status ?: IBC_WC_UNKNOWN };
	fact->text[LOG_OWN_HOST] = p->of['h'];
	fact->text[LOG_OWN_DEVICE] = p->of['d'];
	fact->text[LOG_OWN_PCI] = p->of['c'];
	fact->text[LOG_PEER_HOST] = p->of['H'];
	if (p->of['A'].n)
		take_address(p->of['A'], &fact->text[LOG_PEER_ADDRESS], &fact->text[LOG_PEER_HOST]);
	if (p->of['a'].n)
		take_address(p->of['a'], &fact->text[LOG_OWN_ADDRESS], NULL);
	for (size_t i = 0; i < LOG_TEXTS; i++)
		if (fact->text[i].n > LOG_NAME_MAX)
			return false;
	return take_numbers(p, &fact->event);
}

/* The next port that a line of NCCL names: " [0]mlx5_0:1/IB [1]={[1] mlx5_1:1/RoCE, ...}". */
static const char *next_port(const char *text, struct pieces *p)
{
	const char *end = text + strcspn(text, ";");

	for (text = memchr(text, '[', (size_t)(end - text)); text;
	     text = memchr(text + 1, '[', (size_t)(end - text - 1))) {
		const char *behind = fit("[%n] %d:%p/%r", text, p);

		if (behind)
			fit("; OOB %i:%a<", end, p);
		if (behind)
			return behind;
	}
	return NULL;
}

enum log_outcome log_form(enum log_anchor anchor, const char *line, size_t n, const char **rest,
                          struct log_fact *fact)
{
	enum log_outcome outcome = LOG_NOT_OURS;

	for (const struct log_form *f = forms; f < forms + ARRAY_SIZE(forms); f++) {
		const char *at = line;
		char first = f->pattern[*f->pattern == '!']; /* which is always a letter */

		if (f->anchor != anchor || (*rest && f->kind != IBC_LOG_USING))
			continue;
		for (; (at = memchr(at, first, n - (size_t)(at - line))) != NULL; at++) {
			struct pieces p = { .certain = false };
			const char *end = fit(f->pattern, at, &p);

			if (end && f->kind == IBC_LOG_USING)
				end = *rest = next_port(*rest ?: end - 1, &p);
			if (p.certain)
				fact->begins = at;
			if (end && take_pieces(f, &p, fact))
				return LOG_PARSED;
			outcome = p.certain ? LOG_UNPARSED : outcome;
		}
	}
	return outcome;
}
