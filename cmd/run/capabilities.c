/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What root may and a run does not need is given up before anything is read of a fabric, a host
 * or a file, whose bytes others wrote.  Devices need no capability where root owns them.
 */
#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cmd.h"

#define WORDS _LINUX_CAPABILITY_U32S_3 /* of a set, 32 capabilities each: capset(2) */

/* ---- what a run needs -------------------------------------------------------------- */

/* Is any of these values a file or a directory ("@FILE" has a list)?  NULL-terminated, or NULL. */
static bool any_file(enum opt_hint hint, const char *const *values)
{
	bool found = false;

	for (; values && *values; values++)
		found |= hint == HINT_FILE || hint == HINT_DIR || **values == '@' ||
		         (hint == HINT_SOURCE && !asks_live(*values));
	return found;
}

/* On the command line, or in the configuration. */
static bool any_option(const struct opt *opts, const void *into)
{
	bool found = false;

	for (; opts && opts->name; opts++) {
		const void *value = (const char *)into + opts->offset;
		const char *text[2] = { NULL };

		if (opts->kind == OPT_KIND_STR)
			*text = *(const char *const *)value;
		found |= any_file(opts->hint, opts->kind == OPT_KIND_LIST
		                                  ? ((const struct str_list *)value)->items
		                                  : text);
	}
	return found;
}

/* Who is not root, and has a capability, may have it to open devices. */
static bool names_files(const struct app *app)
{
	return geteuid() != 0 || any_option(common_opts, &app->common) ||
	       any_option(app->cmd->opts, app->cfg) ||
	       any_file(app->cmd->arg_hint, (const char *const *)app->args);
}

/* Those that sweep as well read nothing of it but its ports. */
static bool reads_host(const struct app *app)
{
	return app->cmd->takes & TAKES_ROOT && !(app->cmd->takes & TAKES_SWEEP) &&
	       !app->common.root;
}

static bool sweeps(const struct app *app)
{
	return app->cmd->takes & TAKES_SWEEP && asks_sweep(app) &&
	       (app->common.sources.n || !app->cmd->sweeps_by_source);
}

static bool runs_hook(const struct app *app)
{
	return app->common.hook && has_state(app);
}

static bool simulates(const struct app *app)
{
	return app->cmd->simulates && app->cmd->simulates(app);
}

/*
 * struct need - a capability that some runs keep
 * @is: does this one?
 */
static const struct need {
	unsigned int capability;
	const char *name, *what_for;
	bool (*is)(const struct app *app);
} needs[] = {
	/* plans in a home directory, a state that a group shares, the directory of an exporter */
	{ CAP_DAC_OVERRIDE, "dac_override", "files that options name", names_files },
	/* chmod(2) of who is not in the group of a directory takes its set-group-ID bit */
	{ CAP_FSETID, "fsetid", "directories that a group shares", names_files },
	/* a hook that became another user has a time limit, too */
	{ CAP_KILL, "kill", "the hook", runs_hook },
	/* to become a user without rights, as whom it runs */
	{ CAP_SETUID, "setuid", "the simulator", simulates },
	{ CAP_SETGID, "setgid", "the simulator", simulates },
	/* /proc/PID/fd is its user's alone */
	{ CAP_DAC_READ_SEARCH, "dac_read_search", "processes of other users", reads_host },
	/* the kernel's ptrace_may_access(): environ, root, ns */
	{ CAP_SYS_PTRACE, "sys_ptrace", "processes of other users", reads_host },
	/* setns(2); what of a PCI device lies behind its first 64 bytes, pci_read_config() */
	{ CAP_SYS_ADMIN, "sys_admin", "network namespaces and PCI configuration", reads_host },
	/* ETHTOOL_MSG_MODULE_EEPROM_GET; details of TCP sockets and RDMA resources */
	{ CAP_NET_ADMIN, "net_admin", "modules, TCP sockets and RDMA resources", reads_host },
};

/* ---- giving up the others ------------------------------------------------------------ */

struct sets {
	struct __user_cap_data_struct of[WORDS];
};

static uint64_t permitted(const struct sets *sets)
{
	return (uint64_t)sets->of[1].permitted << 32 | sets->of[0].permitted;
}

/* Fills both, of before and of after. */
static int reduce(const struct app *app, struct sets *had, struct sets *kept)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	uint64_t keep = 0;
	int rc = 0;

	if (syscall(SYS_capget, &head, had->of))
		return -errno;
	*kept = *had;
	for (size_t i = 0; i < ARRAY_SIZE(needs); i++)
		if (needs[i].is(app))
			keep |= UINT64_C(1) << needs[i].capability;
	for (size_t i = 0; i < WORDS; i++) {
		uint32_t word = (uint32_t)(keep >> 32 * i);

		kept->of[i].permitted &= word;
		kept->of[i].effective &= word;
		kept->of[i].inheritable &= word;
	}
	/* a unit that leaves nothing to drop may forbid this call as well */
	if (memcmp(kept, had, sizeof(*had)) != 0 && syscall(SYS_capset, &head, kept->of))
		rc = -errno;
	/* what sends mail is often set-user-ID or set-group-ID */
	if (!rc && !runs_hook(app) && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		rc = -errno;
	return rc;
}

/* Of the process, whatever the run: what the first call did. */
static struct {
	struct sets had, kept;
	bool dropped, is_said;
} given_up;

void capabilities_drop(const struct app *app)
{
	static const struct rlimit none = { 0, 0 };
	const struct common *c = &app->common;
	int rc;

	/* a core would have the keys, too; one that goes to a program does not heed the limit */
	if (sweeps(app) && (c->m_key || c->vs_key || app->how.sm_key || c->key_files)) {
		setrlimit(RLIMIT_CORE, &none);
		prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	}
	if (given_up.dropped)
		return;
	given_up.dropped = true;
	rc = reduce(app, &given_up.had, &given_up.kept);
	if (!rc)
		return;
	given_up.is_said = true;
	say_error("capabilities could not be dropped: %s", strerror(-rc));
}

/* "kept dac_override (files that options name), dropped all others" */
void capabilities_drop_live(const struct app *app)
{
	const struct common *c = &app->common;
	struct ibc_error text = { "" };
	const char *between = "kept ";
	uint64_t had, kept;
	FILE *out;

	capabilities_drop(app);
	if (given_up.is_said || (!sweeps(app) && !reads_host(app)))
		return;
	given_up.is_said = true;
	had = permitted(&given_up.had);
	kept = permitted(&given_up.kept);
	out = c->verbose && !c->quiet && !c->changes ? fmemopen(text.text, sizeof(text.text), "w")
	                                             : NULL;
	if (!out)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(needs); i++) {
		if (!(kept >> needs[i].capability & 1))
			continue;
		fprintf(out, "%s%s (%s)", between, needs[i].name, needs[i].what_for);
		between = ", ";
	}
	if (kept != had)
		fputs(kept ? ", dropped all others" : "dropped all", out);
	else if (!had)
		fputs("there were none", out);
	if (runs_hook(app))
		fputs("; the hook starts with those of its user", out);
	if (!fclose(out))
		say_line("capabilities", text.text);
}
