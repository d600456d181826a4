/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MODEL_SWEPT_H
#define MODEL_SWEPT_H

/* What the program makes of what answers: swept, again where that is wanted, and judged. */
#include <ibcheck/report.h>
#include <ibcheck/source.h>

#include "model/line.h"

#define SWEPT_CHECKS "port,counters,fattree,sm,routes"

/* All that these checks need, or at most the topology. */
struct ibc_source_opts swept_opts(bool all);
/* A fabric whose ports answer all that, to be swept; spec: "synth:...". */
struct ibc_fabric *swept_real(const char *spec);
/* 0 and a fabric, or as discover_subnet(). */
int swept(struct line *line, const struct ibc_source_opts *opts, struct ibc_fabric **out,
          struct ibc_error *err);
/* A report that is finished. */
struct ibc_report *swept_report(const struct ibc_fabric *fab);

#endif
