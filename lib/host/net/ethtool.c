/* SPDX-License-Identifier: BSD-2-Clause */
/* Linux include/uapi/linux/ethtool.h; the strings and the values come in two calls. */
#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/arena.h"
#include "host/net/ethtool.h"

#define STATISTICS_MAX   16384 /* of one interface; drivers have a few thousand at the most */
#define STATISTICS_SPARE 1024  /* the kernel writes as many as there are by then */

bool ethtool_ask(int inet, const char *name, void *command)
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

	if (!ethtool_ask(inet, name, &pause))
		return false;
	*rx = pause.rx_pause != 0;
	*tx = pause.tx_pause != 0;
	return true;
}

size_t ethtool_take(struct ibc_host *host, const struct ethtool_gstrings *names,
                    const struct ethtool_stats *values, bool (*wanted)(const char *statistic),
                    struct ibc_named *out)
{
	char name[ETH_GSTRING_LEN + 1];
	size_t n = 0, length;

	for (uint32_t i = 0; i < names->len && i < values->n_stats; i++) {
		memcpy(name, names->data + (size_t)i * ETH_GSTRING_LEN, ETH_GSTRING_LEN);
		name[ETH_GSTRING_LEN] = '\0';
		length = strlen(name);
		/* some versions of mlx5 end a name with a space */
		while (length && name[length - 1] == ' ')
			length--;
		name[length] = '\0';
		if (!wanted(name))
			continue;
		out[n].name = text_clean(host, name, length);
		out[n++].value = values->data[i];
	}
	return n;
}

const struct ibc_named *ethtool_statistics(struct ibc_host *host, int inet, const char *name,
                                           bool (*wanted)(const char *statistic), size_t *n)
{
	uint64_t space[(sizeof(struct ethtool_sset_info) + sizeof(uint32_t)) / sizeof(uint64_t) +
	               1] = { 0 };
	struct ethtool_sset_info *set = (struct ethtool_sset_info *)space;
	struct ethtool_gstrings *names;
	struct ethtool_stats *values;
	struct ibc_named *out = NULL;
	size_t room;

	*n = 0;
	set->cmd = ETHTOOL_GSSET_INFO;
	set->sset_mask = 1U << ETH_SS_STATS;
	if (!ethtool_ask(inet, name, set) || !set->sset_mask || !set->data[0] ||
	    set->data[0] > STATISTICS_MAX)
		return NULL;
	room = set->data[0] + STATISTICS_SPARE;
	names = xalloc(sizeof(*names) + room * ETH_GSTRING_LEN);
	values = xalloc(sizeof(*values) + room * sizeof(values->data[0]));
	host->out_of_memory |= !names || !values;
	if (names && values) {
		names->cmd = ETHTOOL_GSTRINGS;
		names->string_set = ETH_SS_STATS;
		values->cmd = ETHTOOL_GSTATS;
		names->len = values->n_stats = set->data[0];
		/* with queues added or removed meanwhile, names and values do not belong together
		 */
		if (ethtool_ask(inet, name, names) && ethtool_ask(inet, name, values) &&
		    names->len == values->n_stats)
			out = host_array(host, names->len, sizeof(*out));
		if (out)
			*n = ethtool_take(host, names, values, wanted, out);
	}
	free(names);
	free(values);
	return out;
}
