/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_IBCHECK_H
#define IBCHECK_IBCHECK_H

/* All of libibcheck: include this one. */
#include <ibcheck/adaptive.h>
#include <ibcheck/blame.h>
#include <ibcheck/cabling.h>
#include <ibcheck/capture.h>
#include <ibcheck/case.h>
#include <ibcheck/changes.h>
#include <ibcheck/check.h>
#include <ibcheck/congestion.h>
#include <ibcheck/counters.h>
#include <ibcheck/draw.h>
#include <ibcheck/error.h>
#include <ibcheck/events.h>
#include <ibcheck/fabric.h>
#include <ibcheck/fattree.h>
#include <ibcheck/files.h>
#include <ibcheck/fleet.h>
#include <ibcheck/host.h>
#include <ibcheck/hostlist.h>
#include <ibcheck/joblog.h>
#include <ibcheck/jobs.h>
#include <ibcheck/names.h>
#include <ibcheck/opinions.h>
#include <ibcheck/perf.h>
#include <ibcheck/perfresult.h>
#include <ibcheck/phy.h>
#include <ibcheck/repair.h>
#include <ibcheck/report.h>
#include <ibcheck/routes.h>
#include <ibcheck/slurm.h>
#include <ibcheck/source.h>
#include <ibcheck/store.h>
#include <ibcheck/topo.h>
#include <ibcheck/trace.h>
#include <ibcheck/types.h>

#pragma GCC visibility push(default)

/* such as "0.3.0" */
const char *ibc_version(void);

#pragma GCC visibility pop

#endif
