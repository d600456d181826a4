/* SPDX-License-Identifier: BSD-2-Clause */
/* What a subject is, whatever it is called: the same text in every run; and what it is called. */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/str.h"
#include "base/utf8.h"
#include "report/report.h"

/* "0x0002c90300000010", or the name of what has no GUID: what is planned, and hosts. */
static const char *node_identity(const struct ibc_end *end, char buf[IBC_IDENTITY_MAX])
{
	const char *name = end->desc ? end->desc : end->label;

	if (end->has_guid)
		str_from_guid(buf, end->guid);
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

const char *ibc_subject_identity(const struct ibc_subject *s, char buf[IBC_IDENTITY_MAX])
{
	char near[IBC_IDENTITY_MAX], far[IBC_IDENTITY_MAX];
	bool turned;

	switch (s->kind) {
	case IBC_SUBJECT_CABLE: /* the ends in one order, whichever is the near one of a finding */
		turned = strcmp(end_identity(&s->near, near), end_identity(&s->far, far)) > 0;
		snprintf(buf, IBC_IDENTITY_MAX, "%.*s" SEPARATOR "%.*s", IBC_IDENTITY_MAX / 2 - 2,
		         turned ? far : near, IBC_IDENTITY_MAX / 2 - 2, turned ? near : far);
		return buf;
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

uint64_t hash_case(const char *check, const char *identity)
{
	return hash_more(hash_more(HASH_BEGIN, check), identity);
}

uint64_t hash_fact(uint64_t hash, const char *fact)
{
	return hash_more(hash_mix(hash), fact);
}

char *ibc_subject_text(const struct ibc_subject *s, char *text, size_t size)
{
	const struct ibc_end *ends[] = { &s->near, s->kind == IBC_SUBJECT_CABLE ? &s->far : NULL };
	char name[END_NAME_MAX];
	size_t n = 0;

	snprintf(text, size, "%s", s->kind == IBC_SUBJECT_FABRIC ? "fabric" : "");
	for (size_t i = 0; s->kind != IBC_SUBJECT_FABRIC && i < 2 && ends[i]; i++) {
		n += (size_t)snprintf(text + n, size - n, "%s%s", i ? SEPARATOR : "",
		                      end_name(ends[i], name));
		n = n < size ? n : size - 1;
		if (ends[i]->has_port)
			n += (size_t)snprintf(text + n, size - n, "/%u", ends[i]->port);
		else if (ends[i]->port_label)
			n += (size_t)snprintf(text + n, size - n, "/%s", ends[i]->port_label);
		n = n < size ? n : size - 1;
	}
	if (n + 1 == size)
		utf8_drop_cut(text);
	return text;
}

const char *subject_name(struct arena *a, const struct ibc_subject *s)
{
	char text[2 * (END_NAME_MAX + IBC_IDENTITY_MAX)];

	return arena_strdup(a, ibc_subject_text(s, text, sizeof(text)));
}

const char *identity_far(const char *identity, size_t *near)
{
	const char *dash = strstr(identity, SEPARATOR);

	*near = dash ? (size_t)(dash - identity) : strlen(identity);
	return dash ? dash + strlen(SEPARATOR) : NULL;
}

bool parse_end(const char *text, size_t n, struct ibc_end *end)
{
	const char *slash = memchr(text, '/', n);
	size_t length = slash ? (size_t)(slash - text) : n;
	char word[IBC_IDENTITY_MAX];
	uint64_t port;

	*end = (struct ibc_end){ .guid = 0 };
	end->has_guid = !strncmp(text, "0x", 2) && str_cut(word, sizeof(word), text, length) &&
	                !str_guid(word, &end->guid);
	if (!slash)
		return end->has_guid;
	end->has_port = str_cut(word, sizeof(word), slash + 1, n - length - 1) &&
	                !str_u64(word, 0, UINT8_MAX, &port);
	end->port = end->has_port ? (unsigned int)port : 0;
	return end->has_guid && end->has_port;
}
