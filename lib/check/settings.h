/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What a site decided about each check; config.c fills it in. */
#include <ibcheck/check.h>

struct setting {
	const struct ibc_check *check;
	bool disabled;
	enum ibc_severity severity; /* IBC_OK: the check's own */
	double expect;              /* 0: nothing */
	const char *allow;          /* NULL: nothing */
};

struct ibc_config {
	struct arena *arena;      /* holds all of it */
	struct setting *settings; /* one for each check, ended by one without */
	struct limit_setting *limits;
	const struct typed **important;
	size_t num_important, room_important;
};

struct setting *setting_of(const struct ibc_config *config, const struct ibc_check *check);

/* What the allow list of a check names, or NULL. */
const char *config_allow(const struct ibc_config *config, const struct ibc_check *check);
/* The severity that was set for a check; IBC_OK: none. */
enum ibc_severity config_override(const struct ibc_config *config, const struct ibc_check *check);
/* What a site expects a check to find (its .expects); 0: it did not say. */
double config_expects(const struct ibc_config *config, const struct ibc_check *check);
