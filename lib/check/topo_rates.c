/* SPDX-License-Identifier: BSD-2-Clause */
/* What is told of cables that are where they should be, and run below the plan. */
#include "check/topo.h"
#include "check/trait.h"

/* What keeps an end below the plan; NULL: not its settings. */
static const char *limit_text(const struct topo_report *t, const struct trait *trait,
                              const struct ibc_port *p, unsigned int planned)
{
	struct mode mode = trait->mode(p);
	const char *word = trait->word(planned)->name;

	if (!ibc_port_has(p, IBC_ATTR_PORT_INFO) || !mode.supported || !mode.enabled)
		return NULL;
	if (trait->rank(trait->best(mode.supported)) < trait->rank(planned))
		return sink_text(
		    t->out,
		    "%s does not support %s: correct the plan, or install a device that does",
		    port_text(t->out, p), word);
	if (trait->rank(trait->best(mode.enabled)) < trait->rank(planned))
		return sink_text(t->out, "Enable %s at %s again (ibportstate)", word,
		                 port_text(t->out, p));
	return NULL;
}

/* One end may tell what the other does not. */
static const struct ibc_port *topo_report_end(const struct ibc_port *p)
{
	return ibc_port_is_up(p) && (p->width_active || p->speed_active) ? p : p->peer;
}

static void add_modes(const struct topo_report *t, const struct trait *trait)
{
	const struct ibc_port *found = topo_report_end(t->d->found[0]);
	const struct ibc_port *planned = topo_report_end(t->d->planned[0]);

	sink_fact(t->out, "expected", ibc_str(mode_text(t->out, planned)));
	sink_fact(t->out, "found", ibc_str(mode_text(t->out, found)));
	sink_fact(t->out, trait->key_active, ibc_enum(trait->word(trait->mode(found).active)));
	sink_fact(t->out, trait->key_expected, ibc_enum(trait->word(trait->mode(planned).active)));
	sink_fact(t->out, "cables", ibc_u64(t->d->num_found));
}

/* So many at once do not all have bad contacts. */
static void report_many_below(const struct topo_report *t)
{
	sink_fabric(t->out, "%zu cables trained to %s, planned %s", t->d->num_found,
	            mode_text(t->out, topo_report_end(t->d->found[0])),
	            mode_text(t->out, topo_report_end(t->d->planned[0])));
	sink_advise(t->out, "So many equal differences have one cause: a plan of devices that were "
	                    "not bought, the devices at one end, or a configured limit");
}

static void report_one(const struct topo_report *t, const struct trait *trait)
{
	const struct ibc_port *found = topo_report_end(t->d->found[0]);
	const struct ibc_port *planned = topo_report_end(t->d->planned[0]);
	struct ibc_subject cable = found_cable(found);
	unsigned int wanted = trait->mode(planned).active;
	const char *limit = limit_text(t, trait, found, wanted);

	if (!limit)
		limit = limit_text(t, trait, found->peer, wanted);
	sink_add(t->out, &cable, "trained to %s, planned %s", mode_text(t->out, found),
	         mode_text(t->out, planned));
	sink_advise(t->out, "%s", limit ? limit : "Reseat the cable at both ends, then replace it");
}

static void report_trait(const struct topo_report *t, const struct trait *trait)
{
	if (t->d->num_found > 1)
		report_many_below(t);
	else
		report_one(t, trait);
	add_modes(t, trait);
}

/* ---- sources without rates -------------------------------------------------------- */

static bool has_rates(const struct ibc_fabric *fab)
{
	const struct ibc_port *p;

	for (size_t i = 0; (p = ibc_fabric_port(fab, i)); i++)
		if (p->peer && ibc_port_is_up(p) && (p->width_active || p->speed_active))
			return true;
	return false;
}

void skip_unread_rates(const struct topo_report *t)
{
	const struct match *m = comparison_match(t->cmp);
	const struct ibc_subnet *subnet;

	for (size_t i = 0; (subnet = ibc_fabric_subnet(m->found, i)); i++) {
		if (ibc_attrs_meet(subnet->provides,
		                   IBC_ATTRS(IBC_ATTR_LINK, IBC_ATTR_PORT_INFO)) ||
		    !has_rates(m->planned))
			continue;
		ibc_report_skip(t->out->report, t->out->check->id,
		                sink_text(t->out, "%s (%s) does not contain the speed of cables",
		                          subnet->source, subnet->kind));
	}
}

/* ---- findings ---------------------------------------------------------------------- */

void report_slow(const struct topo_report *t)
{
	report_trait(t, &speed_trait);
}

void report_narrow(const struct topo_report *t)
{
	report_trait(t, &width_trait);
}
