/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What a site decided about each check; config.c fills it in. */
#include <ibcheck/check.h>

/* @kinds: likewise of each kind, which go before it; NULL: nothing */
struct setting {
	const struct ibc_check *check;
	struct setting *kinds;
	bool enabled, disabled;     /* neither: as what it is part of */
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

/* A bit for each kind that is enabled, as all_kinds() has them. */
unsigned int config_kinds(const struct ibc_config *config, const struct ibc_check *check);
/* What the allow list of a check names, or NULL. */
const char *config_allow(const struct ibc_config *config, const struct ibc_check *check);
/* The severity that was set for a check, or for one of its kinds, a bit; IBC_OK: none. */
enum ibc_severity config_override(const struct ibc_config *config, const struct ibc_check *check,
                                  unsigned int kind);
/* What a site expects a check to find (its .expects); 0: it did not say. */
double config_expects(const struct ibc_config *config, const struct ibc_check *check);
