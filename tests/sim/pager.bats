#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC2154 # set by what is loaded
# What is read on a terminal goes through $PAGER: all cases, in colour, and the status stays that of
# ibcheck.  Root starts no program that the environment names, nor does who came by sudo.

load helper

USER_ID=54321 # nobody has it

setup()
{
	top=$(mktemp -d /tmp/pager.XXXXXX)
	cd "$top" || return 1
	cp "$TOP"/tests/golden/fixtures/{faults,phy}.snap .
	# where the checkout is, that user may not read
	cp -L "$IBCHECK" "$(dirname "$IBCHECK")/libibcheck.so.0" .
	cat >pager <<-'END'
		#!/bin/bash
		{
			echo "LESS=$LESS, arguments: $*"
			grep -E '^(CapInh|CapPrm|CapEff|CapAmb):' /proc/self/status
			find "/proc/$$/fd" -type l -printf 'open %l\n' | grep -v "$PWD/" | sed 's/[0-9][0-9]*/N/g' | sort -u
			(kill -s PIPE $BASHPID; echo "SIGPIPE is ignored")
		} >about
		cat >seen
		echo quit
		exit 7
	END
	printf '#!/bin/sh\nread -r line\necho "$line" >seen\n' >one-line
	cat >terminal <<-'END'
		import os, pty, sys
		sized = ["sh", "-c", 'stty cols 80 rows 24; exec "$@"', "sh"]
		sys.exit(os.waitstatus_to_exitcode(pty.spawn(sized + sys.argv[1:])))
	END
	chmod 755 . pager one-line
	[ "$(id -u)" != 0 ] || chown -R $USER_ID:$USER_ID .
}

teardown()
{
	[ -z "${top:-}" ] || rm -rf "$top"
}

# on_terminal [NAME=VALUE...] ARGS...: what the screen has, what the pager has seen, and $status
on_terminal()
{
	local as=() env=(-u SUDO_UID -u LESS -u NO_COLOR -u COLUMNS TERM=xterm PAGER=./pager)

	[ "$(id -u)" != 0 ] || as=(setpriv "--reuid=${user:-$USER_ID}" "--regid=${user:-$USER_ID}" --clear-groups)
	while [[ $1 == *=* ]]; do
		env+=("$1")
		shift
	done
	rm -f about seen
	status=0
	"${as[@]}" env "${env[@]}" python3 terminal ./ibcheck "$@" </dev/null >screen || status=$?
}

paged()
{
	grep -q "^quit" screen
	run ! grep -q "$1" screen
	grep -q "$1" seen
}

direct()
{
	[ ! -e seen ]
	grep -q "$1" screen
}

@test "a pager gets all cases, and without one the rest is counted" {
	on_terminal all --source faults.snap --source phy.snap
	[ "$status" = 2 ]
	paged 'incomplete'
	run ! grep 'v shows all' seen
	grep -q $'\033' seen
	# a file has the same, without colours and folds
	diff <(sed 's/\x1b\[[0-9;]*m//g' seen | grep -o '\[[0-9a-f]\{8\}\]' | sort -u) \
		<(./ibcheck all --source faults.snap --source phy.snap | grep -o '\[[0-9a-f]\{8\}\]' | sort -u)
	sed 's/\x1b\[[0-9;]*m//g' seen | awk 'length > 90 { exit 1 }'
	on_terminal all --source faults.snap --source phy.snap --no-pager
	[ "$status" = 2 ]
	direct 'v shows all'
	grep -q $'\033' screen
}

@test "the pager has nothing of ours but its input" {
	on_terminal "PAGER=./pager -x  -y" ports --source faults.snap
	diff - about <<-'END'
		LESS=FRX, arguments: -x -y
		CapInh:	0000000000000000
		CapPrm:	0000000000000000
		CapEff:	0000000000000000
		CapAmb:	0000000000000000
		open /dev/pts/N
		open pipe:[N]
	END
	on_terminal LESS=iM ports --source faults.snap
	grep '^LESS=iM,' about
}

@test "who quits the pager early ends nothing" {
	"$IBCHECK" ports --source synth:fattree:leaves=36,spines=18,hosts=18 | awk 'END { exit NR < 500 }'
	on_terminal PAGER=./one-line ports -v --source synth:fattree:leaves=36,spines=18,hosts=18 --state state
	[ "$status" = 0 ]
	[ ! -s screen ]
	[ -s seen ]
	# the run counts
	ls state/*
	on_terminal all --source synth:fattree:leaves=2,spines=2,hosts=2 --help
	[ "$status" = 0 ]
	paged 'no-pager'
	on_terminal PAGER=./one-line help all
	[ "$status" = 0 ]
	[ ! -s screen ]
	on_terminal --help --no-pager
	direct 'no-pager'
}

@test "no pager: no terminal, a dumb one, another format, none is wanted or to be had" {
	for none in "" cat ./missing /etc/passwd; do
		on_terminal "PAGER=$none" ports --source faults.snap
		[ "$status" = 2 ]
		direct 'not answered'
	done
	on_terminal TERM=dumb ports --source faults.snap
	direct 'not answered'
	on_terminal ports --source faults.snap -f json
	direct '"schema"'
	on_terminal ports -h
	direct usage
	printf '[common]\nno-pager = yes\n' >conf
	on_terminal --config conf ports --source faults.snap
	direct 'not answered'
	on_terminal ports --source faults.snap -o report
	[ ! -e seen ]
	PAGER=./pager ./ibcheck ports --source faults.snap >screen || true
	direct 'not answered'
}

@test "no pager for root, nor by sudo" {
	on_terminal SUDO_UID=1000 ports --source faults.snap
	direct 'not answered'
	[ "$(id -u)" = 0 ] || skip "the rest needs root"
	user=0 on_terminal ports --source faults.snap
	direct 'not answered'
	# set-user-ID or set-group-ID, of a user who is none
	cp ibcheck set
	for mode in 4755 2755; do
		chown 54322:54322 set
		chmod $mode set
		rm -f seen
		setpriv --reuid=$USER_ID --regid=$USER_ID --clear-groups env TERM=xterm PAGER=./pager \
			LD_LIBRARY_PATH=. python3 terminal ./set --help </dev/null >screen || true
		[ ! -e seen ]
	done
}
