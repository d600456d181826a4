/* SPDX-License-Identifier: BSD-2-Clause */
/* What a subject is, whatever it is called: the same text in every run. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/report.h"

/* "0x0002c90300000010", or the name of what has no GUID: what is planned, and hosts. */
static const char *node_identity(const struct ibc_end *end, char buf[IBC_IDENTITY_MAX])
{
	const char *name = end->desc ? end->desc : end->label;

	if (end->has_guid)
		snprintf(buf, IBC_IDENTITY_MAX, "0x%016" PRIx64, end->guid);
	else
		snprintf(buf, IBC_IDENTITY_MAX, "%s", name ? name : "?");
	return buf;
}

/* The same with "/19" behind it; a label is all there is of some planned ports. */
static const char *end_identity(const struct ibc_end *end, char buf[IBC_IDENTITY_MAX])
{
	size_t n = strlen(node_identity(end, buf));

	if (end->has_port)
		snprintf(buf + n, IBC_IDENTITY_MAX - n, "/%u", end->port);
	else if (end->port_label)
		snprintf(buf + n, IBC_IDENTITY_MAX - n, "/%s", end->port_label);
	return buf;
}

/* The ends in one order, whichever is the near one of a finding. */
static const char *cable_identity(const struct ibc_subject *s, char buf[IBC_IDENTITY_MAX])
{
	char near[IBC_IDENTITY_MAX], far[IBC_IDENTITY_MAX];
	bool turned = strcmp(end_identity(&s->near, near), end_identity(&s->far, far)) > 0;

	snprintf(buf, IBC_IDENTITY_MAX, "%.*s - %.*s", IBC_IDENTITY_MAX / 2 - 2,
	         turned ? far : near, IBC_IDENTITY_MAX / 2 - 2, turned ? near : far);
	return buf;
}

const char *ibc_subject_identity(const struct ibc_subject *s, char buf[IBC_IDENTITY_MAX])
{
	switch (s->kind) {
	case IBC_SUBJECT_CABLE:
		return cable_identity(s, buf);
	case IBC_SUBJECT_PORT:
		return end_identity(&s->near, buf);
	case IBC_SUBJECT_FABRIC:
		snprintf(buf, IBC_IDENTITY_MAX, "fabric%s%s", s->near.desc ? " " : "",
		         s->near.desc ? s->near.desc : "");
		return buf;
	default:
		return node_identity(&s->near, buf);
	}
}
