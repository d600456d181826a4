/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Streams that compress what is written to them into another, which stays open. */
#include <stdio.h>

/*
 * NULL when out of memory.  fclose() ends the compressed stream; like every
 * write it fails where @under fails.
 */
FILE *pack_gzip(FILE *under);
FILE *pack_zstd(FILE *under);
