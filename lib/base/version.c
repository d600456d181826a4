/* SPDX-License-Identifier: BSD-2-Clause */
#include <ibcheck/ibcheck.h>

const char *ibc_version(void)
{
	return IBC_VERSION;
}
