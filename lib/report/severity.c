/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of the report, and the exit status of a verdict. */
#include <ibcheck/report.h>

static const struct {
	struct ibc_word word;
	int status;
} severities[] = {
	[IBC_OK] = { { "ok", "OK" }, 0 },
	[IBC_INFO] = { { "info", "INFO" }, 0 },
	[IBC_WARNING] = { { "warning", "WARNING" }, 1 },
	[IBC_UNKNOWN] = { { "unknown", "UNKNOWN" }, 3 },
	[IBC_CRITICAL] = { { "critical", "CRITICAL" }, 2 },
};

static const struct ibc_word subject_kinds[] = {
	[IBC_SUBJECT_FABRIC] = { "fabric", "fabric" },
	[IBC_SUBJECT_NODE] = { "node", "node" },
	[IBC_SUBJECT_PORT] = { "port", "port" },
	[IBC_SUBJECT_CABLE] = { "cable", "cable" },
	[IBC_SUBJECT_HOST] = { "host", "host" },
	[IBC_SUBJECT_PROCESS] = { "process", "process" },
};

static const struct ibc_word roles[] = {
	[IBC_ROLE_FOUND] = { "found", "found" },
	[IBC_ROLE_PLANNED] = { "planned", "planned" },
	[IBC_ROLE_VICTIM] = { "victim", "victim" },
	[IBC_ROLE_CAUSE] = { "cause", "cause" },
};

static const struct ibc_word case_states[] = {
	[IBC_CASE_NEW] = { "new", "new" },
	[IBC_CASE_OPEN] = { "open", "open" },
	[IBC_CASE_WORSE] = { "worse", "worse" },
	[IBC_CASE_BACK] = { "back", "back" },
	[IBC_CASE_GONE] = { "gone", "ended" },
	[IBC_CASE_UNSETTLED] = { "unsettled", "not settled" },
};

const struct ibc_word *ibc_case_state_word(enum ibc_case_state state)
{
	return state ? &case_states[state] : NULL;
}

const struct ibc_word *ibc_severity_word(enum ibc_severity severity)
{
	return &severities[severity].word;
}

int ibc_severity_exit(enum ibc_severity verdict)
{
	return severities[verdict].status;
}

const struct ibc_word *ibc_subject_kind_word(enum ibc_subject_kind kind)
{
	return &subject_kinds[kind];
}

const struct ibc_word *ibc_role_word(enum ibc_role role)
{
	return &roles[role];
}
