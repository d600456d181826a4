/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What the driver of an interface says by ethtool's ioctl; it only reads. */
#include "host/host.h"

/* By a structure of linux/ethtool.h, which gets the answer; false: there is none. */
bool ethtool_ask(int inet, const char *name, void *command);
/* Global pause; false: not known. */
bool ethtool_pause(int inet, const char *name, bool *rx, bool *tx);
/*
 * The statistics whose names are wanted, in the driver's order; NULL and *n = 0: there are
 * none, or memory ran out, which the host remembers.
 */
const struct ibc_named *ethtool_statistics(struct ibc_host *host, int inet, const char *name,
                                           bool (*wanted)(const char *statistic), size_t *n);

/* Takes what is wanted of an answer into @out, which has room for all; for tests as well. */
struct ethtool_gstrings;
struct ethtool_stats;
size_t ethtool_take(struct ibc_host *host, const struct ethtool_gstrings *names,
                    const struct ethtool_stats *values, bool (*wanted)(const char *statistic),
                    struct ibc_named *out);
