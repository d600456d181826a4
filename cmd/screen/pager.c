/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is read on a terminal goes through $PAGER, as git has it.  The pager is a program that the
 * environment names, so a run with more rights than those of its user starts none.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"

#define PAGER_WORDS 32 /* a guess: no pager has as many options */

static pid_t pager; /* 0: none was started */

static void do_nothing(int sig)
{
	(void)sig;
}

/* sudo keeps PAGER on some systems, and AT_SECURE is set with set-user-ID and file capabilities. */
static bool has_more_rights(void)
{
	return geteuid() == 0 || getuid() != geteuid() || getgid() != getegid() ||
	       getauxval(AT_SECURE) || getenv("SUDO_UID");
}

bool pager_start(void)
{
	/* not SIG_IGN, which the programs started later would inherit */
	const struct sigaction nothing = { .sa_handler = do_nothing, .sa_flags = SA_RESTART };
	const char *name = getenv("PAGER"), *term = getenv("TERM");
	char *command, *argv[PAGER_WORDS + 1] = { 0 };
	int ends[2], rc = EINVAL;

	name = name ? name : "less";
	if (!isatty(STDOUT_FILENO) || !term || !strcmp(term, "dumb") || !*name ||
	    !strcmp(name, "cat") || has_more_rights() || pipe2(ends, O_CLOEXEC))
		return false;
	/* as git sets them: end if all fits one screen, keep colours and the screen */
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	/* without a shell: words are divided by blanks */
	command = strdup(name);
	for (size_t i = 0; command && i < PAGER_WORDS; i++)
		argv[i] = strtok(i ? NULL : command, " \t");
	if (argv[0]) {
		prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
		rc = start_program(argv, environ, (int[]){ ends[0], STDOUT_FILENO }, NULL, &pager);
	}
	free(command);
	if (!rc)
		rc = dup2(ends[1], STDOUT_FILENO) < 0 ? errno : 0;
	close(ends[0]);
	close(ends[1]);
	if (rc) {
		pager = 0;
		return false;
	}
	/* to the pager they mean something else than the end */
	sigaction(SIGINT, &nothing, NULL);
	sigaction(SIGQUIT, &nothing, NULL);
	return true;
}

bool pager_runs(void)
{
	return pager != 0;
}

void pager_wait(void)
{
	if (!pager)
		return;
	fclose(stdout);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
}
