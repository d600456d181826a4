/* SPDX-License-Identifier: BSD-2-Clause */
/* Levenshtein's distance, row by row. */
#include <ibcheck/error.h>

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t ibc_text_distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t row[IBC_TEXT_DISTANCE_MAX + 1];

	na = least(na, IBC_TEXT_DISTANCE_MAX);
	nb = least(nb, IBC_TEXT_DISTANCE_MAX);
	for (size_t j = 0; j <= nb; j++)
		row[j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			size_t above = row[j];

			row[j] = least(diagonal + (a[i - 1] != b[j - 1]),
			               1 + least(above, row[j - 1]));
			diagonal = above;
		}
	}
	return row[nb];
}
