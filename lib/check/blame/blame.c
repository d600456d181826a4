/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why connections of a job broke.  What is blamed was seen; of the rest it is said what was looked
 * at, and what would settle it.
 */
#include <inttypes.h>

#include <ibcheck/blame.h>

#include "base/error.h"
#include "base/str.h"
#include "check/groups.h"
#include "check/sink.h"

enum { FABRIC, HOST, SOFTWARE, UNSEEN };
/* What blame.unseen can be about: connections, or lines. */
#define KIND_BROKEN "connections"
#define KIND_LOST   "lost-lines"
#define KIND_CUT    "cut"
#define KIND_NONE   "nothing"
#define KIND_DOUBT  "pci-function"

struct blame_report {
	const struct ibc_blame *blame;
	const struct ibc_blame_input *in;
};

/* ---- what statuses mean ------------------------------------------------------------- */

#define REGISTRATION                                                                               \
	"Look at the program, and at GPUDirect on these hosts: nvidia_peermem, IOMMU and ACS "     \
	"(ibcheck host)."

static const struct {
	int status;
	const char *why, *advice;
} statuses[] = {
	{ IBC_WC_RNR_RETRY_EXC, "the peer's process had no receive buffer ready in time",
	  "Look for what kept the process at the peer from receiving: it hangs, or it is slow." },
	{ IBC_WC_LOC_PROT, "the program used memory that is not registered for that",
	  REGISTRATION },
	{ IBC_WC_REM_ACCESS, "the peer's memory is not registered for what was asked of it",
	  REGISTRATION },
	{ IBC_WC_REM_INV_REQ,
	  "the peer's HCA refused a request that does not fit its receive buffer, "
	  "or the queue pair",
	  REGISTRATION },
	{ IBC_WC_LOC_LEN, "a message does not fit the buffer that the program gave",
	  "Look at the program, and that all of its processes have the same version." },
};

static const char *advice_of(int status, const char **why)
{
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++)
		if (statuses[i].status == status) {
			*why = statuses[i].why;
			return statuses[i].advice;
		}
	*why = "the program asked its own HCA for what it does not do";
	return "Look at the program, and the libraries that it uses.";
}

/* ---- facts -------------------------------------------------------------------------- */

/* Of the fabric at the time, else of what there is. */
static time_t time_of(const struct ibc_blame_input *in)
{
	const struct ibc_fabric *fab = in->then ? in->then : in->now;
	const struct ibc_subnet *subnet = fab ? ibc_fabric_subnet(fab, 0) : NULL;

	return subnet ? (time_t)subnet->time : 0;
}

static void add_facts(struct ibc_sink *out, const struct blame_report *r,
                      const struct ibc_blame_cause *c)
{
	const char *status = ibc_wc_status_name(c->status);

	sink_fact(out, "lines", ibc_u64(c->lines));
	sink_fact(out, "pairs", ibc_u64(c->pairs));
	sink_fact(out, "share_percent", ibc_u64(c->share_percent));
	sink_fact(out, "status", ibc_str(status));
	sink_fact(out, "evidence", ibc_str(c->evidence));
	sink_fact(out, "case", ibc_str(c->case_id));
	sink_fact(out, "sweep_time",
	          time_of(r->in) ? ibc_u64((uint64_t)time_of(r->in)) : ibc_none());
	if (c->example) {
		sink_fact(out, "file", ibc_str(c->example->file));
		sink_fact(out, "line", ibc_u64(c->example->line));
	}
}

/* "12 of 40 lines, 3 pairs" */
static const char *share(struct ibc_sink *out, const struct blame_report *r,
                         const struct ibc_blame_cause *c)
{
	char pairs[AMOUNT_TEXT];

	return sink_text(out, "%" PRIu64 " of %" PRIu64 " lines, %s", c->lines, r->blame->lines,
	                 str_amount(pairs, c->pairs, "pair"));
}

/* ---- with evidence ------------------------------------------------------------------ */

static void report_seen(struct ibc_sink *out, const struct blame_report *r,
                        const struct ibc_blame_cause *c)
{
	const char *it = c->kind == IBC_BLAME_HOST && c->port ? "it, or its cable," : "it";
	const char *text = r->blame->broken
	                       ? sink_text(out, "%s broke connections of the job (%s): %s", it,
	                                   share(out, r, c), c->evidence)
	                       : sink_text(
				     out,
				     "no line is about a broken connection, but this is (%s): %s",
				     share(out, r, c), c->evidence);

	if (c->is_cable)
		sink_cable(out, c->port, "%s", text);
	else if (c->port)
		sink_port(out, c->port, "%s", text);
	else if (c->node)
		sink_node(out, c->node, "%s", text);
	else
		sink_named(out, IBC_SUBJECT_HOST, c->host, "%s", text);
	if (c->is_cable && c->port->peer->node->type != c->port->node->type)
		sink_advise(
		    out,
		    "Was %s restarted then, or its driver? That looks the same. If not, clean "
		    "and reseat the plugs at %s and %s; if it goes on, replace the cable.",
		    (c->port->node->type == IBC_NODE_SWITCH ? c->port->peer : c->port)->node->label,
		    port_text(out, c->port), port_text(out, c->port->peer));
	else if (c->is_cable)
		sink_advise(
		    out,
		    "Clean and reseat the plugs at %s and %s. If it goes on, replace the cable.",
		    port_text(out, c->port), port_text(out, c->port->peer));
	else if (c->kind == IBC_BLAME_HOST)
		sink_advise(
		    out,
		    "Look at %s first: is it up, and what do its kernel's log and \"ibcheck "
		    "host\" there say? Then at the cable of its HCA.",
		    c->host ? c->host : c->node->label);
	else
		sink_advise(
		    out, "Look at its power, its log and its cables: it went down, or restarted.");
}

static void report_software(struct ibc_sink *out, const struct blame_report *r,
                            const struct ibc_blame_cause *c)
{
	const char *why, *advice = advice_of(c->status, &why);
	const char *status = ibc_wc_status_name(c->status);
	/* in half of the cases that people solved in public it was the IOMMU or ACS of the host */
	bool is_host = c->status == IBC_WC_LOC_PROT;
	const char *text = sink_text(out, "%s, not the fabric: %s (%s; %s)",
	                             is_host ? "the host or its software" : "the software", why,
	                             status ? status : "?", share(out, r, c));

	if (is_host)
		sink_as(out, IBC_WARNING);
	if (*c->host)
		sink_named(out, IBC_SUBJECT_HOST, c->host, "%s", text);
	else
		sink_fabric(out, "%s", text);
	sink_advise(out, "%s", advice);
}

/* ---- without ------------------------------------------------------------------------ */

#define WHEN_TEXT 40 /* "the sweep of 2026-03-03 12:11 UTC", of any year */
static const char *when_text(const char *what, time_t when, char text[WHEN_TEXT])
{
	struct tm tm;
	size_t n = (size_t)snprintf(text, WHEN_TEXT, "the %s of ", what);

	if (!when || !gmtime_r(&when, &tm) ||
	    !strftime(text + n, WHEN_TEXT - n, "%F %H:%M UTC", &tm))
		snprintf(text, WHEN_TEXT, "the %s, whose time is not known", what);
	return text;
}

/* And when: of what no run looked at after the lines nothing can have been seen. */
static const char *looked_at(struct ibc_sink *out, const struct blame_report *r)
{
	const struct ibc_blame_input *in = r->in;
	char sweep[WHEN_TEXT], run[WHEN_TEXT];
	time_t after = 0;

	for (size_t i = in->num_runs; in->remembers && i-- > 0;)
		if (in->runs[i] >= r->blame->last && in->runs[i] <= r->blame->last + IBC_BLAME_SPAN)
			after = in->runs[i];
	return sink_text(out, "%s, %s%s", when_text("sweep", time_of(in), sweep),
	                 !in->remembers ? "and without --state nothing else is known of that hour"
	                 : after        ? "nor by "
	                                : "and no run that looked after it is remembered",
	                 after ? when_text("run", after, run) : "");
}

static void advise_unseen(struct ibc_sink *out, const struct ibc_blame_cause *c)
{
	const struct ibc_blame_pair *p = c->ends;

	if (c->host && *c->host)
		sink_advise(
		    out,
		    "Look at %s: its process, then its kernel's log, then \"ibcheck counters "
		    "--interval 60 --node %s\".",
		    c->host, sink_word(out, c->host));
	else if (p && p->own_ports && p->peer_ports)
		sink_advise(
		    out,
		    "To settle it: \"ibcheck counters --interval 60\" while the job runs again, "
		    "and \"ibcheck perf plan\" between these hosts; \"ibcheck routes --path\" "
		    "lists the cables.");
	else if (c->maybe && !(p && *p->own && *p->peer))
		sink_advise(
		    out,
		    "To settle it: \"ibcheck counters --interval 60 --node %s\", while the job "
		    "runs again.",
		    sink_word(out, c->maybe->node->label));
	else
		sink_advise(
		    out, "Say who the ends are: --hosts FILE has the hosts of addresses, --fleet "
			 "FILE... the reports of \"ibcheck host -f json\".");
}

/* What was seen of a cable is no evidence where it is not known that they crossed it. */
static const char *seen_text(struct ibc_sink *out, const struct blame_report *r,
                             const struct ibc_blame_cause *c)
{
	if (!c->evidence)
		return sink_text(out, "nothing was seen in %s", looked_at(out, r));
	return sink_text(out, "only this was seen, which may have nothing to do with it: %s",
	                 c->evidence);
}

static void report_unseen(struct ibc_sink *out, const struct blame_report *r,
                          const struct ibc_blame_cause *c)
{
	const struct ibc_blame_pair *p = c->ends;
	const char *seen = seen_text(out, r, c);
	char links[AMOUNT_TEXT];

	if (c->status == IBC_WC_REM_OP)
		sink_named(out, IBC_SUBJECT_HOST, *c->host ? c->host : "?",
		           "it answered that it could not do what was asked (%s; %s), so that the "
		           "fabric brought that answer: its process, its memory or its HCA",
		           ibc_wc_status_name(c->status), share(out, r, c));
	else if (c->host)
		sink_named(out, IBC_SUBJECT_HOST, c->host,
		           "%s have it in common: its process, the host or its HCA; %s",
		           share(out, r, c), seen);
	else if (p && p->own_ports && p->peer_ports)
		sink_fabric(
		    out,
		    "not seen from here: %s and %s do not reach each other (%s): one of the "
		    "two, or one of the %s that %s between them; %s",
		    p->own, p->peer, share(out, r, c), str_amount(links, c->links, "cable"),
		    p->guessed ? "may lie" : "lie", seen);
	else if (p && *p->own && *p->peer)
		sink_fabric(
		    out,
		    "not seen from here (%s): %s and %s do not reach each other, and \"%s\" "
		    "is not known here; %s",
		    share(out, r, c), p->own, p->peer, p->own_ports ? p->peer : p->own, seen);
	else if (p && (*p->own || *p->peer))
		sink_fabric(
		    out, "not seen from here (%s): %s does not reach a peer that is not named; %s",
		    share(out, r, c), *p->own ? p->own : p->peer, seen);
	else
		sink_fabric(out, "not seen from here (%s): %s", share(out, r, c), seen);
	advise_unseen(out, c);
	if (p && p->own_port && p->peer_port) {
		sink_relate(out, IBC_ROLE_FOUND, p->own_port);
		sink_relate(out, IBC_ROLE_FOUND, p->peer_port);
	}
	if (c->maybe && c->evidence)
		sink_relate(out, IBC_ROLE_FOUND, c->maybe);
	sink_fact(out, "kind", ibc_str(KIND_BROKEN));
	sink_fact(out, "cables", ibc_u64(c->links));
}

/* What was not read is not known, and what was not recognised said nothing. */
static void report_reading(struct ibc_sink *out, const struct blame_report *r)
{
	const struct ibc_joblog *log = r->in->log;
	const struct ibc_blame *b = r->blame;
	char lines[AMOUNT_TEXT];

	if (log->lost || log->dropped) {
		sink_fabric(out, "%s of a known form could not be read%s%s",
		            str_amount(lines, log->lost + log->dropped, "line"),
		            log->first_lost ? ", the first of them: " : "",
		            log->first_lost ? log->first_lost : "");
		sink_advise(out, "Read these lines yourself: they are part of no cause.");
		sink_fact(out, "kind", ibc_str(KIND_LOST));
		sink_fact(out, "lines", ibc_u64(log->lost + log->dropped));
	}
	if (log->cut) {
		sink_fabric(out, "a compressed log ends within its stream: %s", log->cut);
		sink_advise(out, "Give the whole file: its last part is not known.");
		sink_fact(out, "kind", ibc_str(KIND_CUT));
	}
	if (b->doubtful) {
		sink_as(out, b->num_causes ? IBC_INFO : IBC_UNKNOWN);
		sink_named(
		    out, IBC_SUBJECT_HOST, *b->doubtful->own.host ? b->doubtful->own.host : "?",
		    "its kernel says \"%s\" of a PCI function that may be Ethernet, which is "
		    "no cause (%s like this)",
		    b->doubtful->text, str_amount(lines, b->doubts, "line"));
		sink_advise(out,
		            "Give --fleet FILE: a report of \"ibcheck host -f json\" of this host "
		            "says which of its PCI functions are InfiniBand.");
		sink_fact(out, "kind", ibc_str(KIND_DOUBT));
		sink_fact(out, "lines", ibc_u64(b->doubts));
	}
	if ((b->num_causes || b->doubtful) && !b->ethernet)
		return;
	if (b->ethernet) {
		sink_fabric(out, "%s of RoCE: these links are Ethernet, and no InfiniBand",
		            str_amount(lines, b->ethernet, "line"));
		sink_advise(out, "Run \"ibcheck roce\" on these hosts.");
	} else if (b->flushes) {
		sink_fabric(out,
		            "%s of flushed requests, which are consequences, and none of a cause",
		            str_amount(lines, b->flushes, "line"));
		sink_advise(out,
		            "Give the logs of the other processes: one of them was the first.");
	} else if (b->others) {
		sink_fabric(out, "%s, all of other hosts than the job's, or of another time",
		            str_amount(lines, b->others, "line"));
		sink_advise(out, "Is it the log of this job, and has it the job's names of hosts?");
	} else {
		sink_fabric(out, "%s, and none says why a connection broke",
		            str_amount(lines, log->lines, "line"));
		sink_advise(
		    out, "Give what the job's processes wrote to stderr, with NCCL_DEBUG=WARN or "
			 "UCX_LOG_LEVEL=warn, and the kernel's log of their hosts.");
	}
	sink_fact(out, "kind", ibc_str(KIND_NONE));
}

/* ---- all of it ---------------------------------------------------------------------- */

static void report_blame(const void *arg, struct ibc_sink *out)
{
	const struct blame_report *r = arg;

	for (size_t i = 0; i < r->blame->num_causes; i++) {
		const struct ibc_blame_cause *c = &r->blame->causes[i];

		out->check = &ibc_checks_blame[c->kind - IBC_BLAME_FABRIC];
		if (c->kind == IBC_BLAME_SOFTWARE)
			report_software(out, r, c);
		else if (c->kind == IBC_BLAME_UNSEEN)
			report_unseen(out, r, c);
		else
			report_seen(out, r, c);
		add_facts(out, r, c);
	}
	out->check = &ibc_checks_blame[UNSEEN];
	report_reading(out, r);
}

int ibc_check_blame(const struct ibc_blame *blame, const struct ibc_blame_input *in,
                    struct ibc_report *rep, struct ibc_error *err)
{
	const struct blame_report r = { blame, in };
	struct ibc_sink out = { .report = rep, .check = &ibc_checks_blame[UNSEEN] };

	if (sink_run(&out, report_blame, &r))
		return fail_nomem(err);
	for (int i = FABRIC; i <= UNSEEN; i++)
		ibc_report_ran(rep, ibc_checks_blame[i].id);
	return 0;
}

#define OF_A_JOB .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO)

const struct ibc_check ibc_checks_blame[] = {
	[FABRIC] = CHECK("blame.fabric", "cables and switches that broke connections of a job",
	                 IBC_CRITICAL, NULL, OF_A_JOB),
	[HOST] = CHECK("blame.host", "hosts and HCAs that broke connections of a job", IBC_CRITICAL,
	               NULL, OF_A_JOB),
	[SOFTWARE] = CHECK("blame.software", "connections of a job that its software broke",
	                   IBC_INFO, NULL, OF_A_JOB),
	[UNSEEN] = CHECK("blame.unseen", "broken connections of a job whose cause was not seen",
	                 IBC_UNKNOWN, NULL, OF_A_JOB,
	                 KINDS({ .word = KIND_BROKEN }, { .word = KIND_LOST }, { .word = KIND_CUT },
	                       { .word = KIND_NONE }, { .word = KIND_DOUBT })),
	{ 0 },
};
