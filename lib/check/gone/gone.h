/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Between the checks of what is gone. */
#include <time.h>

#include "analysis/gone/gone.h"
#include "base/called.h"
#include "base/str.h"
#include "check/limits.h"
#include "check/sink.h"

/* No reboot takes an hour, and who mends a host by then has seen it. */
#define GONE_HOST_MINUTES 60

/* What ends the advice of each. */
#define GONE_ON_PURPOSE                                                                            \
	"If it was taken away on purpose, say so: \"ibcheck known retire\" with this ID."

/* ---- devices.c ---- */

/* "2026-11-28 03:15 UTC" */
const char *gone_when(struct ibc_sink *out, time_t when);
struct ibc_end gone_end(const struct gone_end *end);
struct ibc_subject gone_node_subject(const struct gone_node *node);
void gone_relate(struct ibc_sink *out, enum ibc_role role, const struct gone_node *node);
/* Is it gone, and nothing before it? */
bool gone_leads(const struct ibc_gone *g, size_t i);
/* The device that all that lies behind it names: it may be one of a cut. */
size_t gone_leader(const struct ibc_gone *g, size_t node);

void gone_check_switch(const struct ibc_input *in, struct ibc_sink *out);
void gone_check_cut(const struct ibc_input *in, struct ibc_sink *out);
/* ---- links.c, managers.c, hosts.c ---- */
/* Of the cables between these two that are gone, one by its number; false: they are not so many. */
bool gone_between(const struct ibc_gone *g, const struct ibc_node *a, const struct ibc_node *z,
                  size_t number, struct ibc_subject *subject);
void gone_check_cable(const struct ibc_input *in, struct ibc_sink *out);
void gone_check_manager(const struct ibc_input *in, struct ibc_sink *out);
void gone_check_unseen(const struct ibc_input *in, struct ibc_sink *out);
void gone_check_earlier(const struct ibc_input *in, struct ibc_sink *out);
void gone_check_host(const struct ibc_input *in, struct ibc_sink *out);
void gone_check_hca(const struct ibc_input *in, struct ibc_sink *out);
