/* SPDX-License-Identifier: BSD-2-Clause */
/* A configuration file: read, or refused in one sentence that names it. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../cmd/cmd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct app app = { 0 };
	struct ibc_error err = { "" };
	char path[32];
	int fd = memfd_create("ibcheck.conf", MFD_CLOEXEC), rc;

	assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	app.common.config = path;
	assert(ibc_config_new(&app.config, NULL) == 0);
	rc = config_read(&app, 0, &err);
	assert(rc ? strstr(err.text, path) != NULL : *err.text == '\0');
	for (size_t i = 0; i < app.strings.n; i++)
		free((char *)app.strings.items[i]);
	free(app.strings.items);
	ibc_config_free(app.config);
	close(fd);
	return 0;
}
