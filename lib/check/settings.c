/* SPDX-License-Identifier: BSD-2-Clause */
#include "check/settings.h"

#include "check/groups.h"

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
	return config_kinds(config, check);
}

unsigned int config_kinds(const struct ibc_config *config, const struct ibc_check *check)
{
	const struct setting *s = config ? setting_of(config, check) : NULL;
	unsigned int kinds = s && s->disabled ? 0 : all_kinds(check);

	for (size_t k = 0; s && s->kinds && check->words[k].word; k++)
		if (s->kinds[k].enabled)
			kinds |= 1u << k;
		else if (s->kinds[k].disabled)
			kinds &= ~(1u << k);
	return kinds;
}

enum ibc_severity config_override(const struct ibc_config *config, const struct ibc_check *check,
                                  unsigned int kind)
{
	const struct setting *s = config ? setting_of(config, check) : NULL;

	for (size_t k = 0; s && s->kinds && check->words[k].word; k++)
		if (kind >> k & 1 && s->kinds[k].severity)
			return s->kinds[k].severity;
	return s ? s->severity : IBC_OK;
}

double config_expects(const struct ibc_config *config, const struct ibc_check *check)
{
	return config ? setting_of(config, check)->expect : 0;
}

enum ibc_severity ibc_config_severity(const struct ibc_config *config,
                                      const struct ibc_check *check)
{
	enum ibc_severity set = config_override(config, check, 0);

	return set ? set : check->severity;
}
