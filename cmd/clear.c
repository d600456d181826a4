/* SPDX-License-Identifier: BSD-2-Clause */
/* counters --clear: read, clear, verify, and say what was lost. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters.h"

#define CLEARED_ID "counters.cleared"
/* The verification looks for gaps only: what was counted is gone. */
#define CHECKS_AFTER "counters.silent"

/* ---- what to clear ---------------------------------------------------------------- */

static const struct {
	const char *word;
	unsigned int what;
} choices[] = {
	{ "errors", IBC_CLEAR_ERRORS },
	{ "data", IBC_CLEAR_DATA },
	{ "all", IBC_CLEAR_ERRORS | IBC_CLEAR_DATA },
};

static int parse_choice(const char *word, unsigned int *what, struct ibc_error *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(choices); i++)
		if (!strcmp(choices[i].word, word)) {
			*what = choices[i].what;
			return 0;
		}
	return cmd_fail(err, -EINVAL, "--clear: \"%s\" is none of errors, data and all", word);
}

/* PortXmitWait goes with the errors, as other tools have it; details with their parents. */
static bool is_data(enum ibc_counter counter)
{
	return counter >= IBC_XMIT_DATA && counter <= IBC_MULTICAST_RCV_PKTS;
}

static bool is_chosen(enum ibc_counter counter, unsigned int what)
{
	return what & (is_data(counter) ? IBC_CLEAR_DATA : IBC_CLEAR_ERRORS);
}

/* ---- what became of it ----------------------------------------------------------- */

/* struct sums - over all ports */
struct sums {
	uint64_t lost[IBC_COUNTERS];
	uint32_t counters; /* that some port kept */
	uint32_t at_least; /* of @lost: some port was at its end */
	size_t ports, kept;
};

/* Set of the counters of a port that did not fall; all it had, if it is silent now. */
static uint32_t kept_by(const struct ibc_port *port, const struct ibc_fabric *after,
                        unsigned int what)
{
	const struct ibc_node *node = ibc_fabric_node_by_guid(after, port->node->guid);
	const struct ibc_port *now = node ? ibc_node_port(node, port->num) : NULL;
	const struct ibc_counters *was = port->counters, *is = now ? now->counters : NULL;
	uint32_t kept = 0;

	for (unsigned int i = 0; i < IBC_COUNTERS; i++) {
		if (!(was->known & 1u << i) || !was->value[i] || !is_chosen(i, what))
			continue;
		if (!is || (is->known & 1u << i && is->value[i] >= was->value[i]))
			kept |= 1u << i;
	}
	return kept;
}

/* "PortRcvErrors, SymbolErrorCounter"; to be freed, NULL when out of memory */
static char *names_of(uint32_t counters)
{
	const char *separator = "";
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (unsigned int i = 0; i < IBC_COUNTERS; i++) {
		if (!(counters & 1u << i))
			continue;
		fprintf(out, "%s%s", separator, ibc_counter_word(i)->name);
		separator = ", ";
	}
	return fclose(out) ? NULL : text;
}

static struct ibc_subject subject_of(const struct ibc_port *port)
{
	return (struct ibc_subject){
		.kind = IBC_SUBJECT_PORT,
		.near = {
			.guid = port->node->guid,
			.desc = port->node->desc,
			.label = port->node->label,
			.port = port->num,
			.has_guid = true,
			.has_port = true,
		},
	};
}

static void verify_port(const struct ibc_port *port, const struct ibc_fabric *after,
                        unsigned int what, struct sums *sums)
{
	uint32_t kept = kept_by(port, after, what);

	for (unsigned int i = 0; i < IBC_COUNTERS; i++)
		if (port->counters->known & ~kept & 1u << i && is_chosen(i, what))
			sums->lost[i] += port->counters->value[i];
	sums->at_least |= port->counters->saturated & ~kept;
	sums->ports++;
	sums->kept += kept != 0;
	sums->counters |= kept;
}

/* One finding, at the first of the ports; the others are related. */
static int tell_kept(struct app *app, unsigned int what, const struct sums *sums,
                     struct ibc_error *err)
{
	char *names = names_of(sums->counters);
	const struct ibc_port *port;
	struct ibc_subject subject;
	size_t told = 0;

	if (!names)
		return cmd_fail(err, -ENOMEM, "out of memory");
	for (size_t i = 0; told < sums->kept && (port = ibc_fabric_port(app->before, i)); i++) {
		if (!port->counters || !kept_by(port, app->fabric, what))
			continue;
		subject = subject_of(port);
		if (told++)
			ibc_report_relate(app->report, IBC_ROLE_FOUND, &subject);
		else
			ibc_report_add(app->report, CLEARED_ID, IBC_UNKNOWN, &subject,
			               "%zu of %zu ports, this one first, were to be cleared, and "
			               "still count from before, or do not tell: %s",
			               sums->kept, sums->ports, names);
	}
	ibc_report_advise(app->report,
	                  "Clear them once more; what never does so needs other firmware.");
	free(names);
	return 0;
}

/* All that is lost, as facts; the errors as a sentence, too. */
static int tell_lost(struct app *app, const struct sums *sums, struct ibc_error *err)
{
	const struct ibc_subject fabric = { .kind = IBC_SUBJECT_FABRIC };
	const char *separator = "lost are ";
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return cmd_fail(err, -ENOMEM, "out of memory");
	for (unsigned int i = 0; i < IBC_COUNTERS; i++) {
		if (!sums->lost[i])
			continue;
		fprintf(out, "%s%s %s%" PRIu64, separator, ibc_counter_word(i)->name,
		        sums->at_least & 1u << i ? ">=" : "", sums->lost[i]);
		separator = ", ";
	}
	if (fclose(out))
		return cmd_fail(err, -ENOMEM, "out of memory");
	ibc_report_add(app->report, CLEARED_ID, IBC_INFO, &fabric,
	               "counters of %zu of %zu ports were cleared; %s", sums->ports - sums->kept,
	               sums->ports, *text ? text : "all of them were 0");
	for (unsigned int i = 0; i < IBC_COUNTERS; i++)
		if (sums->lost[i])
			ibc_report_fact(app->report, ibc_counter_word(i)->word,
			                ibc_u64(sums->lost[i]));
	free(text);
	return 0;
}

static int verify(struct app *app, unsigned int what, struct ibc_error *err)
{
	const struct ibc_port *port;
	struct sums sums = { 0 };
	int rc;

	for (size_t i = 0; (port = ibc_fabric_port(app->before, i)); i++)
		if (port->counters)
			verify_port(port, app->fabric, what, &sums);
	rc = tell_lost(app, &sums, err);
	return rc || !sums.kept ? rc : tell_kept(app, what, &sums, err);
}

/* The checks see one sweep alone: that it counted less than before is no news. */
static int check_after(struct app *app, struct ibc_error *err)
{
	struct ibc_fabric *before = app->before;
	int rc;

	app->before = NULL;
	rc = app_check(app, app->fabric, err);
	app->before = before;
	return rc;
}

/* ---- the command ------------------------------------------------------------------ */

int clear_run(struct app *app, const struct counters_cfg *cfg, struct ibc_error *err)
{
	unsigned int what = 0;
	int rc;

	if (cfg->interval > 0 || cfg->state || cfg->since || cfg->totals || cfg->vl)
		return cmd_fail(err, -EINVAL,
		                "--clear is a run of its own: it takes no --interval, --state, "
		                "--since, --totals or --vl");
	rc = parse_choice(cfg->clear, &what, err);
	if (!rc)
		rc = app_select(app, CHECKS_AFTER, err);
	if (!rc)
		rc = app_clear(app, what, err);
	if (rc)
		return rc;
	app->before = app->fabric;
	app->fabric = NULL;
	rc = app_sweep(app, IBC_ATTRS(IBC_ATTR_PORT_COUNTERS), err);
	if (!rc)
		rc = verify(app, what, err);
	return rc ? rc : check_after(app, err);
}
