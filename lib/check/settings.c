/* SPDX-License-Identifier: BSD-2-Clause */
#include "check/settings.h"

struct setting *setting_of(const struct ibc_config *config, const struct ibc_check *check)
{
	struct setting *s = config->settings;

	while (s->check != check)
		s++;
	return s;
}

const char *config_allow(const struct ibc_config *config, const struct ibc_check *check)
{
	return config ? setting_of(config, check)->allow : NULL;
}

bool ibc_config_enabled(const struct ibc_config *config, const struct ibc_check *check)
{
	return !config || !setting_of(config, check)->disabled;
}

enum ibc_severity config_override(const struct ibc_config *config, const struct ibc_check *check)
{
	return config ? setting_of(config, check)->severity : IBC_OK;
}

double config_expects(const struct ibc_config *config, const struct ibc_check *check)
{
	return config ? setting_of(config, check)->expect : 0;
}

enum ibc_severity ibc_config_severity(const struct ibc_config *config,
                                      const struct ibc_check *check)
{
	enum ibc_severity set = config_override(config, check);

	return set ? set : check->severity;
}
