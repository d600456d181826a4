/* SPDX-License-Identifier: BSD-2-Clause */
/* Linux include/uapi/linux/ethtool.h; the strings and the values come in two calls. */
#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/arena.h"
#include "host/ethtool.h"

#define STATISTICS_MAX 16384 /* of one interface; drivers have a few thousand at the most */

static bool ask(int inet, const char *name, void *command)
{
	struct ifreq request = { .ifr_data = command };

	if (inet < 0 || strlen(name) >= sizeof(request.ifr_name))
		return false;
	strcpy(request.ifr_name, name);
	return ioctl(inet, SIOCETHTOOL, &request) == 0;
}

bool ethtool_pause(int inet, const char *name, bool *rx, bool *tx)
{
	struct ethtool_pauseparam pause = { .cmd = ETHTOOL_GPAUSEPARAM };

	if (!ask(inet, name, &pause))
		return false;
	*rx = pause.rx_pause != 0;
	*tx = pause.tx_pause != 0;
	return true;
}

static uint32_t count_statistics(int inet, const char *name)
{
	uint64_t room[(sizeof(struct ethtool_sset_info) + sizeof(uint32_t)) / sizeof(uint64_t) + 1];
	struct ethtool_sset_info *set = memset(room, 0, sizeof(room));

	set->cmd = ETHTOOL_GSSET_INFO;
	set->sset_mask = 1U << ETH_SS_STATS;
	if (!ask(inet, name, set) || !set->sset_mask || set->data[0] > STATISTICS_MAX)
		return 0;
	return set->data[0];
}

static size_t take_wanted(struct ibc_host *host, const struct ethtool_gstrings *names,
                          const struct ethtool_stats *values, bool (*wanted)(const char *statistic),
                          struct ibc_named *out)
{
	char name[ETH_GSTRING_LEN + 1] = "";
	size_t n = 0;

	for (uint32_t i = 0; i < names->len && i < values->n_stats; i++) {
		memcpy(name, names->data + (size_t)i * ETH_GSTRING_LEN, ETH_GSTRING_LEN);
		if (!wanted(name))
			continue;
		out[n].name = host_text(host, "%s", name);
		out[n++].value = values->data[i];
	}
	return n;
}

const struct ibc_named *ethtool_statistics(struct ibc_host *host, int inet, const char *name,
                                           bool (*wanted)(const char *statistic), size_t *n)
{
	uint32_t count = count_statistics(inet, name);
	struct ethtool_gstrings *names;
	struct ethtool_stats *values;
	struct ibc_named *out;

	*n = 0;
	if (!count)
		return NULL;
	names = host_array(host, sizeof(*names) + (size_t)count * ETH_GSTRING_LEN, 1);
	values = host_array(host, sizeof(*values) + (size_t)count * sizeof(values->data[0]), 1);
	out = host_array(host, count, sizeof(*out));
	if (!names || !values || !out)
		return NULL;
	*names = (struct ethtool_gstrings){ .cmd = ETHTOOL_GSTRINGS,
		                            .string_set = ETH_SS_STATS,
		                            .len = count };
	*values = (struct ethtool_stats){ .cmd = ETHTOOL_GSTATS, .n_stats = count };
	if (!ask(inet, name, names) || !ask(inet, name, values))
		return NULL;
	*n = take_wanted(host, names, values, wanted, out);
	return out;
}
