/* SPDX-License-Identifier: BSD-2-Clause */
/* What a count of errors after a repair shows, by tails of the Poisson distribution; O(errors). */
#include <math.h>

#include <ibcheck/repair.h>

#define FIRST 0.04   /* of 5 %, where no error was seen: most links that are mended */
#define REST  0.0155 /* by (n + 1)^2 from 1 on: a sum of 0.0155 * 0.645 = 1 % */
#define TINY  1e-17  /* a term that adds nothing any more */

static double part_of(uint64_t errors)
{
	double n = (double)errors + 1;

	return errors ? REST / (n * n) : FIRST;
}

/* Probability of so many where @mean are expected. */
static double term(double mean, double n)
{
	return exp(n * log(mean) - mean - lgamma(n + 1));
}

/* Of as few as that, from the top down. */
static double at_most(double mean, uint64_t errors)
{
	double n = (double)errors, t, sum = 0;

	if (mean <= n)
		return 1; /* at least a half, which is all that is asked */
	for (t = term(mean, n); n >= 0 && t > TINY; n--) {
		sum += t;
		t *= n / mean;
	}
	return sum;
}

/* Of as many as that, from there up. */
static double at_least(double mean, uint64_t errors)
{
	double n = (double)errors, sum = 0;

	if (!(mean > 0))
		return errors ? 0 : 1;
	if (n <= mean)
		return 1;
	for (double t = term(mean, n); t > TINY; t *= mean / ++n)
		sum += t;
	return sum;
}

/* How many have to be expected that so few exclude it. */
static double needed(uint64_t errors)
{
	double low = (double)errors, high = 2 * low + 100;

	while (high - low > 1e-3 * high) {
		double middle = (low + high) / 2;

		if (at_most(middle, errors) <= part_of(errors))
			high = middle;
		else
			low = middle;
	}
	return high;
}

enum ibc_repair_verdict ibc_repair_judge(const struct ibc_repair_count *c, double *missing)
{
	double mean = c->passed > 0 ? c->limit * c->passed : 0, needs = needed(c->errors);

	*missing = mean < needs ? (needs - mean) / c->limit : 0;
	if (mean >= needs)
		return IBC_REPAIR_MENDED;
	if (!c->errors || at_least(mean, c->errors) > part_of(c->errors - 1))
		return IBC_REPAIR_WAIT;
	return c->before > 0 && at_least(c->before * c->passed, c->errors) <= part_of(0)
	           ? IBC_REPAIR_WORSE
	           : IBC_REPAIR_SAME;
}
