/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Temperatures of adapters, and of the modules in them, as their driver has them (Linux
 * Documentation/hwmon/sysfs-interface.rst, drivers/net/ethernet/mellanox/mlx5/core/hwmon.c).
 */
#include <math.h>
#include <stdio.h>

#include "host/host.h"

#define SENSORS_MAX 32 /* of a device: the ASIC's, and one for each module */

/* Thousandths of a degree; NaN: the driver has no such file, or it is no number. */
static double read_celsius(struct ibc_host *host, const struct dir *dir, unsigned int n,
                           const char *what)
{
	const char *text = read_text(host, dir, host_text(host, "temp%u_%s", n, what), true);
	int thousandths;

	return text && sscanf(text, "%9d", &thousandths) == 1 ? thousandths / 1000.0 : NAN;
}

static void read_sensors(struct ibc_host *host, const struct dir *chips, const char *chip,
                         struct ibc_rdma_device *device)
{
	struct ibc_sensor *all = (struct ibc_sensor *)device->sensors;
	struct dir dir = open_dir(host, chips, chip);
	struct dir_names names;

	list_dir(host, &dir, &names);
	if (!all)
		device->sensors = all = host_array(host, SENSORS_MAX, sizeof(*all));
	for (size_t i = 0; all && i < names.n && device->num_sensors < SENSORS_MAX; i++) {
		const char *name = names.items[i];
		double now = NAN;
		unsigned int n;
		int end = 0;

		if (sscanf(name, "temp%3u_input%n", &n, &end) == 1 && n && end && !name[end])
			now = read_celsius(host, &dir, n, "input");
		if (isnan(now))
			continue;
		all[device->num_sensors++] = (struct ibc_sensor){
			.name = read_text(host, &dir, host_text(host, "temp%u_label", n), true),
			.now = now,
			.max = read_celsius(host, &dir, n, "highest"),
			.low = NAN,
			.high = read_celsius(host, &dir, n, "crit"),
			.index = (uint16_t)n,
			.kind = IBC_SENSOR_TEMPERATURE,
		};
	}
	close_dir(&dir);
}

void host_read_sensors(struct ibc_host *host)
{
	each_beside(host, "hwmon", read_sensors);
}
