/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * With what GIDs and traffic classes programs send, as far as variables say, and on which
 * priority that leaves a port.
 */
#include <stdlib.h>
#include <string.h>

#include "check/roce/roce.h"
#include "host/process/variables.h"

#define DSCP_OF(class) ((class) >> 2) /* the two bits below are those of ECN (RFC 3168) */

/* ---- gathering -------------------------------------------------------------------------- */

struct uses {
	struct use *items;
	size_t n;
};

/* struct traffic_habit - a variable, and what a program of this kind takes without it; -1: no
 * number */
struct traffic_habit {
	const char *variable;
	uint32_t program, unless;
	int otherwise;
};

static const char *process_name(struct ibc_sink *out, const struct ibc_process *p)
{
	return sink_text(out, "%s, PID %d", *p->comm ? p->comm : "a process", p->pid);
}

static bool is_setting_number(const char *value, unsigned int *number)
{
	char *end;
	unsigned long n = strtoul(value, &end, 0);

	*number = (unsigned int)n;
	/* "auto" and -1 leave it to the library */
	return *value >= '0' && *value <= '9' && !*end && n <= UINT16_MAX;
}

static void add_use(struct ibc_sink *out, struct uses *all, const char *variable,
                    unsigned int number, const char *where, const struct ibc_process *process)
{
	struct use *use = all->items;

	while (use < all->items + all->n && (strcmp(use->variable, variable) != 0 ||
	                                     use->number != number || !*use->where != !*where))
		use++;
	if (use == all->items + all->n) {
		*use = (struct use){ .variable = variable, .number = number, .where = where };
		all->n++;
	}
	if (!process)
		return;
	if (!use->process) {
		use->process = process;
		use->where = where;
	}
	use->users++;
	use->user = process_name(out, use->process);
	if (use->users > 1)
		use->user = sink_text(out, "%s and %zu more", use->user, use->users - 1);
}

static const struct ibc_setting *process_setting(const struct ibc_process *p, const char *name)
{
	for (size_t i = 0; i < p->num_settings; i++)
		if (!strcmp(p->settings[i].name, name))
			return &p->settings[i];
	return NULL;
}

static struct use *collect_uses(const struct ibc_input *in, struct ibc_sink *out,
                                const struct traffic_habit *habits, size_t num_habits, size_t *n)
{
	struct uses all = { 0 };
	const struct ibc_process *p;
	const struct ibc_setting *s;
	unsigned int number;
	size_t room = 0;

	while (ibc_host_process(in->host, room))
		room++;
	while (ibc_host_setting(in->host, all.n))
		all.n++;
	all.items = sink_array(out, num_habits * (room + all.n), sizeof(*all.items));
	all.n = 0;
	for (const struct traffic_habit *h = habits; h < habits + num_habits; h++) {
		for (size_t i = 0; (s = ibc_host_setting(in->host, i)); i++)
			if (!strcmp(s->name, h->variable) && is_setting_number(s->value, &number))
				add_use(out, &all, s->name, number, s->where, NULL);
		for (size_t i = 0; (p = ibc_host_process(in->host, i)); i++) {
			bool takes = h->otherwise >= 0 && (p->qps || p->verbs_files) &&
			             p->program & h->program && !(p->program & h->unless);

			s = process_setting(p, h->variable);
			if (p->program & IBC_PROGRAM_DAEMON)
				continue;
			if (s && is_setting_number(s->value, &number))
				add_use(out, &all, h->variable, number, s->where, p);
			else if (takes && !(p->unread & IBC_PROCESS_ENVIRON))
				add_use(out, &all, h->variable, (unsigned int)h->otherwise, "", p);
		}
	}
	*n = all.n;
	return all.items;
}

struct use *uses_of_gids(const struct ibc_input *in, struct ibc_sink *out, size_t *n)
{
	static const struct traffic_habit habits[] = {
		{ "NCCL_IB_GID_INDEX", 0, 0, -1 },
		{ "UCX_IB_GID_INDEX", 0, 0, -1 },
	};

	return collect_uses(in, out, habits, ARRAY_SIZE(habits), n);
}

static struct use *uses_of_classes(const struct ibc_input *in, struct ibc_sink *out, size_t *n)
{
	static const struct traffic_habit habits[] = {
		{ "NCCL_IB_TC", IBC_PROGRAM_NCCL, 0, 0 },
		/* UCX src/uct/ib/base/ib_iface.h, UCT_IB_DEFAULT_ROCEV2_DSCP */
		{ "UCX_IB_TRAFFIC_CLASS", IBC_PROGRAM_UCX, IBC_PROGRAM_NCCL, 106 },
	};

	return collect_uses(in, out, habits, ARRAY_SIZE(habits), n);
}

/* ---- about one ---------------------------------------------------------------------------- */

bool use_takes(const struct use *use, const struct ibc_rdma_device *device)
{
	bool nccl = !strncmp(use->variable, "NCCL", 4);
	const struct ibc_setting *devices = use->process ? process_setting(use->process,
	                                                                   nccl ? "NCCL_IB_HCA"
	                                                                        : "UCX_NET_DEVICES")
	                                                 : NULL;

	return !devices || variable_takes_device(devices->name, devices->value, device->name);
}

const char *use_text(struct ibc_sink *out, const struct use *use)
{
	if (!*use->where)
		return sink_text(out, "no %s", use->variable);
	return sink_text(out, "%s=%u, %s", use->variable, use->number, use->where);
}

void use_report(const struct ibc_input *in, struct ibc_sink *out, const struct use *use,
                const char *message, ...)
{
	enum ibc_subject_kind kind = use->process ? IBC_SUBJECT_PROCESS : IBC_SUBJECT_HOST;
	const char *text;
	va_list ap;

	va_start(ap, message);
	text = sink_vtext(out, message, ap);
	va_end(ap);
	sink_named(out, kind, use->process ? use->user : host_name(in), "%s", text);
	sink_fact(out, "variable", ibc_str(use->variable));
	sink_fact(out, "value", ibc_u64(use->number));
	sink_fact(out, "where", *use->where ? ibc_str(use->where) : ibc_none());
	sink_fact(out, "pid", use->process ? ibc_u64((uint64_t)use->process->pid) : ibc_none());
}

void report_hidden(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_process *p, *first = NULL;
	size_t n = 0;

	for (size_t i = 0; (p = ibc_host_process(in->host, i)); i++) {
		if ((!p->qps && !p->verbs_files) || !(p->unread & IBC_PROCESS_ENVIRON))
			continue;
		first = first ? first : p;
		n++;
	}
	if (!n)
		return;
	sink_as(out, IBC_UNKNOWN);
	sink_process(out, process_name(out, first),
	             "uses RDMA%s, but its GID and traffic class are not known: its environment "
	             "cannot be read",
	             n > 1 ? sink_text(out, ", like %zu more", n - 1) : "");
	sink_advise(out, "Run it as root.");
}

/* ---- priorities ------------------------------------------------------------------------------ */

/* Of several entries for one thing the highest priority counts; -1: there is none. */
static int priority_in(const struct ibc_ethernet *e, uint8_t selector, unsigned int protocol)
{
	int priority = -1;

	for (size_t i = 0; i < e->num_apps; i++)
		if (e->apps[i].selector == selector && e->apps[i].protocol == protocol &&
		    e->apps[i].priority > priority)
			priority = e->apps[i].priority;
	return priority;
}

/* The priority that traffic of a class leaves the port on. */
static unsigned int priority_of(const struct ibc_ethernet *e, unsigned int traffic_class)
{
	int priority = -1;

	if (e->traffic_class >= 0)
		traffic_class = (unsigned int)e->traffic_class;
	if (e->trusts_dscp)
		priority = priority_in(e, IBC_DCB_DSCP, DSCP_OF(traffic_class & 0xff));
	if (priority < 0)
		priority = priority_in(e, IBC_DCB_ETHERTYPE, 0);
	return priority < 0 ? 0 : (unsigned int)priority & 7;
}

bool leads_to_pfc(const struct ibc_ethernet *e)
{
	for (size_t i = 0; e->trusts_dscp && i < e->num_apps; i++)
		if (e->apps[i].selector == IBC_DCB_DSCP && e->apps[i].priority < IBC_PRIORITIES &&
		    e->pfc >> e->apps[i].priority & 1)
			return true;
	return e->pfc >> priority_of(e, 0) & 1;
}

void report_strays(const struct ibc_input *in, struct ibc_sink *out, const struct roce_port *ports,
                   size_t n, bool lossy)
{
	size_t num_uses;
	const struct use *uses = uses_of_classes(in, out, &num_uses);

	for (const struct use *use = uses; use < uses + num_uses; use++) {
		struct port_list on = { 0 };
		uint8_t priority = 0, pfc = 0;
		bool dropped = false;

		for (size_t i = 0; i < n; i++) {
			const struct ibc_ethernet *e = ports[i].e;
			uint8_t to = (uint8_t)(1U << priority_of(e, use->number));

			if (!e->dcb_known || e->pfc & to || !leads_to_pfc(e) ||
			    !use_takes(use, e->device))
				continue;
			port_list_add(out, &on, ports[i].name);
			dropped |= ecn_of(&ports[i], to) == ECN_OFF;
			priority = to;
			pfc = e->pfc;
		}
		if (!on.n || dropped != lossy)
			continue;
		use_report(
		    in, out, use, "sends with traffic class %u (%s), which maps to %s on %s%s%s",
		    use->number, use_text(out, use), priorities_text(out, priority), on.list,
		    lossy ? ", without flow control and without ECN" : "; flow control is on ",
		    lossy ? "" : priorities_text(out, pfc));
		sink_advise(out,
		            "Set %s to the traffic class of the lossless priority, by convention "
		            "106, for all programs.",
		            use->variable);
	}
}
