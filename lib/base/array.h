/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stddef.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#endif
