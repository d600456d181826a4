/* SPDX-License-Identifier: BSD-2-Clause */
/* A policy: read, and then it allows or forbids any value; or refused in one sentence with its
 * line. */
#include <assert.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../cmd/cmd.h"
#include "fleet/policy.h"

static int set_line(void *policy, const char *section, const char *key, const char *value, int line,
                    struct ibc_error *err)
{
	(void)line;
	return ibc_policy_set(policy, section, key, value, err);
}

static void use(const struct ibc_policy *policy)
{
	for (size_t i = 0; i < policy->num; i++) {
		const struct policy_rule *rule = &policy->rules[i];

		assert(policy->rows >> rule->row & 1 && fleet_fact_at((size_t)rule->row));
		assert(*rule->values && rule->pattern);
		if (!strpbrk(rule->values, ",[\\"))
			assert(policy_allows(rule, rule->values));
		policy_allows(rule, "");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ibc_error err = { "" };
	struct ibc_policy *policy;
	char path[32];
	int fd = memfd_create("policy", MFD_CLOEXEC), rc;

	assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert(ibc_policy_new(&policy, NULL) == 0);
	rc = ini_read(path, set_line, policy, &err);
	assert(rc ? strstr(err.text, path) != NULL : *err.text == '\0');
	use(policy);
	ibc_policy_free(policy);
	close(fd);
	return 0;
}
