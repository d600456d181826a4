/* SPDX-License-Identifier: BSD-2-Clause */
/* What the memory expects and this sweep did not find (lib/analysis/gone). */
#include "check/gone/gone.h"
#include "check/groups.h"
#include "report/report.h"

void ibc_check_expect(struct ibc_report *rep, const struct ibc_gone *gone)
{
	rep->expected = gone;
	rep->members = gone ? gone->members : NULL;
}

/* clang-format off */
#define GONE(id, text, level, function, ...) \
	CHECK(id, text, level, function, .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO), \
	      .inputs = IBC_IN_GONE, __VA_ARGS__)
#define BY_GONE_DEVICE \
	EXPLAINED_BY(BY("gone.cut", NAMED), BY("gone.switch", NAMED), BY("gone.host", NAMED), \
	             BY("gone.hca", NAMED))
/* clang-format on */

const struct ibc_check ibc_checks_gone[] = {
	GONE("gone.cut", "a part of the fabric that nothing leads to any more", IBC_CRITICAL,
	     gone_check_cut),
	GONE("gone.switch", "switches that were there and are gone", IBC_CRITICAL,
	     gone_check_switch, .many = "switches|are gone"),
	GONE("gone.host", "hosts that were there and are gone", IBC_WARNING, gone_check_host,
	     .many = "hosts|are gone",
	     EXPLAINED_BY(BY("gone.cut", NAMED), BY("gone.switch", NAMED)),
	     .limits = { .warning = GONE_HOST_MINUTES, .critical = NEVER, .unit = "of minutes" }),
	GONE("gone.hca", "HCAs that are gone from a host that is there", IBC_WARNING,
	     gone_check_hca, .many = "HCAs|are gone",
	     EXPLAINED_BY(BY("gone.cut", NAMED), BY("gone.switch", NAMED), BY("gone.host", NAMED))),
	GONE("gone.cable", "cables that are gone or were moved", IBC_CRITICAL, gone_check_cable,
	     .many = "cables|{kind}", BY_GONE_DEVICE),
	GONE("gone.manager", "subnet managers that are gone", IBC_WARNING, gone_check_manager,
	     BY_GONE_DEVICE),
	GONE("gone.unseen", "expected devices where a run could not look", IBC_UNKNOWN,
	     gone_check_unseen),
	GONE("gone.earlier", "what was missing before it was expected", IBC_WARNING,
	     gone_check_earlier),
	{ 0 },
};
