#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC2154 # set by what is loaded
# What a run may do that it needs not: capabilities it gives up, and what units forbid.  Whether
# the program still works in a unit is seen in tests/vm/units, where systemd runs it.

load helper
load serve.bash

# said TEXT: of capabilities, by -v, in report.err
said()
{
	diff <(grep '^capabilities: ' report.err) <(echo "capabilities: $1")
}
export -f said
export FILES="kept dac_override (files that options name), fsetid (directories that a group shares)"

as_root()
{
	[ "$(id -u)" = 0 ] || skip "needs root"
}

# ---- the program -----------------------------------------------------------------------------------

# status_of_threads KEY: what differs of it, over all threads of the server
status_of_threads()
{
	sed -n "s/^$1:[[:space:]]*//p" "/proc/$server/task"/*/status | sort -u
}
export -f status_of_threads

serve_live()
{
	# one that only root may listen at
	serve_as_asked --listen "127.0.0.1:$((512 + RANDOM % 500))" --interval 0.3 -v "$@"
	comes '[ "$(status_of metrics 2>/dev/null)" = 200 ]'
	cp serve.log report.err
}
export -f serve_live

serve_without_state()
{
	serve_live
	said "dropped all"
	[ "$(status_of_threads CapPrm)$(status_of_threads CapEff)" = 00000000000000000000000000000000 ]
	[ "$(status_of_threads NoNewPrivs)" = 1 ]
	[ "$(find "/proc/$server/task" -mindepth 1 -maxdepth 1 | wc -l)" -gt 1 ]
	end_server
}
export -f serve_without_state

@test "no thread of serve has a capability, and none gets one" {
	as_root
	sim two-level-small serve_without_state
}

serve_with_state()
{
	serve_live --state state
	said "$FILES, dropped all others"
	[ "$(status_of_threads CapEff)" = 0000000000000012 ]
	end_server
}
export -f serve_with_state

@test "serve keeps what a state directory of another user needs" {
	as_root
	sim two-level-small serve_with_state
}

sweeps()
{
	sweep ports -v
	said "dropped all"
	setpriv --bounding-set=-all --inh-caps=-all "$IBCHECK" ports -v >report 2>report.err
	said "there were none"
	sweep ports
	[ ! -s report.err ]
	# a place of another user
	mkdir --mode=700 theirs
	chown 65534 theirs
	sweep ports -v -o theirs/report
	said "$FILES, dropped all others"
	[ -s theirs/report ]
	"$IBCHECK" snapshot -o theirs/snap
	sweep diff -v theirs/snap
	said "$FILES, dropped all others"
	sweep ports -v --source umad --known /dev/null
	said "$FILES, dropped all others"
}
export -f sweeps

@test "a sweep needs no capability, but for files of others" {
	as_root
	sim two-level-small sweeps
}

hooks()
{
	printf '#!/bin/sh\ngrep -E "^(CapEff|NoNewPrivs):" /proc/self/status >>%s\n' "$PWD/has" >hook
	chmod +x hook
	sweep all --state state --hook "$PWD/hook" -v
	said "$FILES, kill (the hook), dropped all others; the hook starts with those of its user"
	diff has <(grep -E '^(CapEff|NoNewPrivs):' /proc/self/status)
}
export -f hooks

# What hands mail over is often set-group-ID: it would not be, had ibcheck given that up.
@test "a hook has the privilege that its user has" {
	as_root
	sim two-level-small hooks
}

# becomes nobody, as what delivers mail does
outlives()
{
	local begin=$SECONDS

	printf '#!/bin/sh\nexec setpriv --reuid=65534 --regid=65534 --clear-groups sleep 300\n' >hook
	chmod +x hook
	printf '[common]\nhook-timeout = 2\n' >conf
	sweep all --config conf --state state --hook "$PWD/hook"
	grep -q "has not ended within 2 s" report.err
	[ $((SECONDS - begin)) -lt 200 ]
}
export -f outlives

@test "a hook that became another user has a time limit, too" {
	as_root
	sim two-level-small outlives
}

shares()
{
	mkdir shared
	chgrp 65534 shared
	chmod 2770 shared
	umask 022
	sweep all --state shared
	[ -z "$(find shared ! -group 65534)" ]
	[ -z "$(find shared -type d ! -perm -2070)" ]
	[ -z "$(find shared -type f ! -perm -0060)" ]
}
export -f shares

@test "what root writes in a state that a group shares is the group's" {
	as_root
	sim two-level-small shares
}

@test "what reads this host keeps what reads the processes of others" {
	as_root
	sweep host -v
	said "kept dac_read_search (processes of other users), sys_ptrace (processes of other users), sys_admin (network namespaces and PCI configuration), net_admin (modules, TCP sockets and RDMA resources), dropped all others"
}

@test "what reads files alone opens no device, and says nothing" {
	sweep all -v --source synth:fattree:leaves=2,spines=2,hosts=2
	[ ! -s report.err ]
	mkdir -p root/{sys,proc,etc}
	sweep host -v --root root
	run ! grep '^capabilities' report.err
}

# A filter of system calls without capset(): nothing is changed silently.
@test "what cannot be dropped is said" {
	as_root
	printf '%s\n' 'import ctypes, os, sys' 'c = ctypes.CDLL("libseccomp.so.2")' \
		'c.seccomp_init.restype = ctypes.c_void_p' 'f = ctypes.c_void_p(c.seccomp_init(0x7fff0000))' \
		'c.seccomp_rule_add_array(f, 0x00050001, c.seccomp_syscall_resolve_name(b"capset"), 0, None)' \
		'assert c.seccomp_load(f) == 0' 'os.execv(sys.argv[1], sys.argv[1:])' >without.py
	python3 -c 'import ctypes; ctypes.CDLL("libseccomp.so.2")' || skip "needs libseccomp2"
	run -3 --separate-stderr python3 without.py "$IBCHECK" host
	[[ $stderr == *"capabilities could not be dropped: Operation not permitted"* ]]
}

# ---- the units --------------------------------------------------------------------------------------

# unit, and the most that "systemd-analyze security" may find it exposed, in tenths; a unit that starts
# nothing has nothing to confine
exposures='
ibcheck-serve.service     15
ibcheck-counters.service  20
ibcheck-serve.socket      -
ibcheck-counters.timer    -'

@test "every unit is confined" {
	command -v systemd-analyze >/dev/null || skip "install systemd"
	while read -r unit most; do
		[ -n "$unit" ] || continue
		if [ "$most" = - ]; then
			run ! grep -E '^(Exec|User=)' "$TOP/examples/$unit"
			continue
		fi
		systemd-analyze security --offline=true --threshold="$most" "$TOP/examples/$unit" >exposure ||
			{ grep ✗ exposure && false; }
	done <<<"$exposures"
	# and those are all that there are
	diff <(awk 'NF { print $1 }' <<<"$exposures" | sort) \
		<(find "$TOP/examples" "$TOP/debian" -regextype egrep \
			-regex '.*\.(service|socket|timer|path|mount)' -printf '%f\n' | sort)
}
