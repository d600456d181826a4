/* SPDX-License-Identifier: BSD-2-Clause */
/* A configuration file: read, or refused in one sentence that names it. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../cmd/fabric/all.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct other_cfg {
	struct all_cfg all;
	const char *text;
	double seconds;
};

static const struct opt all_opts[] = { ALL_OPTS(struct all_cfg, ), OPT_END };
static const struct opt other_opts[] = {
	OPT_STR(0, "listen", "TEXT", struct other_cfg, text, "", .section = "serve"),
	OPT_SECONDS(0, "interval", "S", struct other_cfg, seconds, 10, "", .section = "serve"),
	ALL_OPTS(struct other_cfg, all.),
	OPT_END,
};
const struct cmd cmd_all = { .name = "all", .opts = all_opts, .cfg_size = sizeof(struct all_cfg) };
static const struct cmd other = { .name = "serve",
	                          .opts = other_opts,
	                          .cfg_size = sizeof(struct other_cfg) };
static const struct cmd *const commands[] = { &cmd_all, &other, NULL };

/* Those of the program look at all of its commands. */
const struct cmd *cmd_find(const struct cmd *const *from, const char *name)
{
	while (*from && strcmp((*from)->name, name) != 0)
		from++;
	return *from;
}

bool cmd_takes(const struct cmd *cmd, const struct opt *opt)
{
	return cmd && opt;
}

/* The command that shows them is not run. */
struct ibc_table *app_table(struct app *app, const struct ibc_table_type *type)
{
	(void)app;
	(void)type;
	return NULL;
}

/* The first byte tells which command runs. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct cmd *cmd = size && *data % 2 ? &cmd_all : &other;
	union {
		struct all_cfg all;
		struct other_cfg other;
	} cfg = { .other.seconds = 0 };
	struct app app = { .commands = commands, .cmd = cmd, .cfg = &cfg };
	struct ibc_error err = { "" };
	char path[32];
	int fd = memfd_create("ibcheck.conf", MFD_CLOEXEC), rc;

	assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	app.common.config = path;
	assert(ibc_config_new(&app.config, NULL) == 0);
	rc = config_read(&app, &err);
	assert(rc ? strstr(err.text, path) != NULL : *err.text == '\0');
	for (size_t i = 0; i < app.file.strings.n; i++)
		free((char *)app.file.strings.items[i]);
	free(app.file.strings.items);
	free(app.file.lines);
	opts_free(common_opts, &app.common);
	opts_free(cmd->opts, &cfg);
	ibc_config_free(app.config);
	close(fd);
	return 0;
}
