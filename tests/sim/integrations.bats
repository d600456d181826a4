# SPDX-License-Identifier: BSD-2-Clause
# The files of integrations/ as they stand: in a real Slurm of fake nodes, by a real clush, pdsh and
# ansible-playbook, and by stubs of what node-problem-detector, NFD and NHC document.
# What they run as "ibcheck" is the program below the directory of the host that is meant.
# shellcheck disable=SC1091,SC2030,SC2031

load helper.bash

setup()
{
	cd "$BATS_TEST_TMPDIR" || return 1
	mkdir bin
	cat >bin/ibcheck <<-EOT
	#!/bin/sh
	case \$1 in
	host) exec "$IBCHECK" "\$@" --root "$PWD/host/\${SLURMD_NODENAME:-\${IBCHECK_HOST:-n001}}" ;;
	esac
	exec "$IBCHECK" "\$@"
	EOT
	chmod +x bin/ibcheck
	export PATH=$PWD/bin:$PATH IBCHECK_RUN=$PWD/run AS_IS=$TOP/integrations
}

# lay_out NAME: a host with two ports, at which only a PCIe link is a warning
lay_out()
{
	mkdir -p "host/$1"
	(
		cd "host/$1" || exit
		. "$TOP/tests/golden/fixtures/lay-out-gpu-host"
		put etc/hostname "$1"
		for i in 0 1; do
			put "sys/class/infiniband/mlx5_$i/node_desc" "$1 mlx5_$i"
		done
		mkdir -p dev/infiniband sys/module/ib_uverbs
		put sys/class/infiniband_verbs/abi_version 6
		for i in 0 1; do
			put "sys/class/infiniband_verbs/uverbs$i/ibdev" "mlx5_$i"
			: >"dev/infiniband/uverbs$i"
			chmod 666 "dev/infiniband/uverbs$i"
		done
	)
	plug "$1" 1
}

# plug and pull NAME ADAPTER: the cable of a port
plug()
{
	echo '4: ACTIVE' >"host/$1/sys/class/infiniband/mlx5_$2/ports/1/state"
	echo '5: LinkUp' >"host/$1/sys/class/infiniband/mlx5_$2/ports/1/phys_state"
}
pull()
{
	echo '1: DOWN' >"host/$1/sys/class/infiniband/mlx5_$2/ports/1/state"
	echo '2: Polling' >"host/$1/sys/class/infiniband/mlx5_$2/ports/1/phys_state"
}

# reason NAME: "STATE REASON" of the node; "idle none".  A star is a node that is slow to answer.
reason()
{
	sinfo -h -n "$1" -o '%T %E' | head -n 1 | sed 's/^\([a-z]*\)[*$#~]/\1/'
}

# wait_for NAME TEXT: until that is its reason
wait_for()
{
	for _ in {1..3000}; do
		[ "$(reason "$1")" != "$2" ] || return 0
		sleep 0.1
	done
	echo "expected: $2, found: $(reason "$1")"
	return 1
}

# expect_reason NAME TEXT, after one run of the wrapper there
expect_reason()
{
	SLURMD_NODENAME=$1 "$AS_IS/slurm-health"
	[ "$(reason "$1")" = "$2" ] || {
		echo "line ${BASH_LINENO[0]}: expected: $2, found: $(reason "$1")"
		return 1
	}
}

export -f plug pull reason wait_for expect_reason

# in_slurm NODES FUNCTION
in_slurm()
{
	export -f "${2?}"
	run "$TOP/tests/sim/slurm" "$1" bash -eu -c "$2"
	echo "$output"
	[ "$status" -ne 77 ] || skip "$output"
	[ "$status" -eq 0 ]
}

drained_and_resumed()
{
	wait_for n001 'drained ibcheck: host.port-state mlx5_1/1'
	[ "$(reason n002)" = 'idle none' ]
	plug n001 1
	wait_for n001 'idle none'
}

# slurmd gives the program its node name, and neither a PATH nor SLURM_CONF
@test "HealthCheckProgram drains what is critical, and resumes it" {
	lay_out n001
	lay_out n002
	pull n001 1
	cat >site-health <<-EOT
	#!/bin/sh
	export PATH="$PATH" IBCHECK_RUN="$IBCHECK_RUN" SLURM_CONF="\$(echo "$PWD"/slurm.*/slurm.conf)"
	exec "$AS_IS/slurm-health"
	EOT
	chmod +x site-health
	export SLURM_LINES="HealthCheckProgram=$PWD/site-health
	HealthCheckInterval=1
	HealthCheckNodeState=ANY"
	in_slurm 2 drained_and_resumed
}

only_its_own()
{
	expect_reason n001 'idle none'
	# what an administrator drained stays, broken or not
	scontrol update NodeName=n001 State=DRAIN Reason='by hand'
	expect_reason n001 'drained by hand'
	pull n001 1
	expect_reason n001 'drained by hand'
	plug n001 1
	expect_reason n001 'drained by hand'
	pull n001 1
	scontrol update NodeName=n001 State=RESUME
	expect_reason n001 'drained ibcheck: host.port-state mlx5_1/1'

	# resumed in spite of it: drained again only for another finding
	scontrol update NodeName=n001 State=RESUME
	expect_reason n001 'idle none'
	expect_reason n001 'idle none'
	pull n001 0
	expect_reason n001 'drained ibcheck: host.port-state mlx5_0/1'
	scontrol update NodeName=n001 State=RESUME
	plug n001 0
	expect_reason n001 'idle none'

	# all well: forgotten
	plug n001 1
	expect_reason n001 'idle none'
	pull n001 1
	expect_reason n001 'drained ibcheck: host.port-state mlx5_1/1'

	# drained by the wrapper, and then by an administrator for a reason of his own
	scontrol update NodeName=n001 State=DRAIN Reason='ticket 7'
	plug n001 1
	expect_reason n001 'drained ticket 7'
	scontrol update NodeName=n001 State=RESUME

	# a boot forgets the marks, not the node
	pull n001 1
	expect_reason n001 'drained ibcheck: host.port-state mlx5_1/1'
	rm -r run
	plug n001 1
	expect_reason n001 'idle none'
}

@test "what an administrator decides stays, and a node is drained again only for another finding" {
	lay_out n001
	in_slurm 1 only_its_own
}

quiet_or_unknown()
{
	expect_reason n001 'idle none'
	# with a mark nobody asks slurmctld
	mkdir -p away
	printf '#!/bin/sh\necho asked; exit 1\n' >away/scontrol
	chmod +x away/scontrol
	PATH=$PWD/away:$PATH expect_reason n001 'idle none'
	# where it does not answer, the next run tries again
	pull n001 1
	status=0
	SLURMD_NODENAME=n001 PATH=$PWD/away:$PATH "$AS_IS/slurm-health" || status=$?
	[ "$status" = 3 ]
	expect_reason n001 'drained ibcheck: host.port-state mlx5_1/1'
	# unknown leaves it as it is, and is an error in the log of slurmd
	printf '#!/bin/sh\necho "IBCHECK UNKNOWN - nothing"; exit 3\n' >away/ibcheck
	chmod +x away/ibcheck
	rm away/scontrol
	status=0
	SLURMD_NODENAME=n001 PATH=$PWD/away:$PATH "$AS_IS/slurm-health" 2>err || status=$?
	[ "$status" = 3 ]
	grep -q 'unknown, status 3: IBCHECK UNKNOWN' err
	[ "$(reason n001)" = 'drained ibcheck: host.port-state mlx5_1/1' ]
}

@test "a healthy node asks slurmctld once, and what is unknown changes nothing" {
	lay_out n001
	in_slurm 1 quiet_or_unknown
}

prolog_holds()
{
	[ "$(srun -w n002 -N1 --immediate=20 echo ran)" = ran ]
	! timeout 30 srun -w n001 -N1 --immediate=20 echo ran >out 2>&1 || return 1
	! grep -qx ran out || return 1
	wait_for n001 'drained ibcheck: host.port-state mlx5_1/1'
	# what the prolog drained, the health check resumes
	plug n001 1
	expect_reason n001 'idle none'
	[ "$(srun -w n001 -N1 --immediate=20 echo ran)" = ran ]
	# resumed by an administrator in spite of the finding: jobs run
	pull n001 1
	expect_reason n001 'drained ibcheck: host.port-state mlx5_1/1'
	scontrol update NodeName=n001 State=RESUME
	[ "$(srun -w n001 -N1 --immediate=20 echo ran)" = ran ]
}

@test "Prolog refuses jobs on a node with a dead port, with a reason" {
	lay_out n001
	lay_out n002
	pull n001 1
	cat >site-prolog <<-EOT
	#!/bin/sh
	export PATH="$PATH" IBCHECK_RUN="$IBCHECK_RUN" SLURM_CONF="\$(echo "$PWD"/slurm.*/slurm.conf)"
	exec "$AS_IS/slurm-prolog"
	EOT
	chmod +x site-prolog
	export SLURM_LINES="Prolog=$PWD/site-prolog"
	in_slurm 2 prolog_holds
}

# npd_says STATUS REGEX: of the plug-in as its JSON runs it
npd_says()
{
	local path=$AS_IS/npd

	run "$path"
	echo "$output"
	[ "$status" = "$1" ]
	[ "${#lines[@]}" = 1 ]
	[ "${#output}" -le "$(jq .pluginConfig.max_output_length "$AS_IS/npd.json")" ]
	[[ $output =~ $2 ]]
}

# https://github.com/kubernetes/node-problem-detector: 0 is ok, 1 a problem, else unknown
@test "node-problem-detector gets its own codes, and one line" {
	lay_out n001
	npd_says 0 '^IBCHECK WARNING - .*host.pcie mlx5_0'
	pull n001 1
	npd_says 1 '^IBCHECK CRITICAL .*host.port-state mlx5_1/1.*is Down'
	printf '#!/bin/sh\nexec "%s" host --no-such-option\n' "$IBCHECK" >bin/ibcheck
	npd_says 2 '^status 3: .*no-such-option'
	rm bin/ibcheck
	npd_says 2 '^status 127: '

	[ "$(jq -r '.rules[].path' "$AS_IS/npd.json")" = /usr/libexec/ibcheck/npd ]
	[ "$(jq -r '.rules[].condition' "$AS_IS/npd.json")" = "$(jq -r '.conditions[].type' "$AS_IS/npd.json")" ]
}

# nfd_has LINE...: in the feature file, after its expiry
nfd_has()
{
	mkdir -p features.d
	"$AS_IS/nfd" features.d/ibcheck
	cat features.d/ibcheck
	head -n 1 features.d/ibcheck | grep -qE '^# \+expiry-time=[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z$'
	[ "$(head -n 1 features.d/ibcheck)" \> "# +expiry-time=$(date -u +%Y-%m-%dT%H:%M:%SZ)" ]
	diff <(tail -n +2 features.d/ibcheck) <(printf '%s\n' "$@")
	[ "$(ls -A features.d)" = ibcheck ]
}

@test "a feature file of NFD has the verdict, and what is not known is no health" {
	lay_out n001
	nfd_has ibcheck.verdict=warning ibcheck.check=host.pcie
	pull n001 1
	nfd_has ibcheck.verdict=critical ibcheck.check=host.port-state
	rm bin/ibcheck
	nfd_has ibcheck.verdict=unknown
	run ! "$AS_IS/nfd" no-such-directory/ibcheck
}

# nhc STATUS [ARGS...]: check_ibcheck, with stubs of what NHC gives its checks
nhc()
{
	: >said
	run bash -c 'die() { echo "die $*" >>said; }
		log() { echo "log $*" >>said; }
		. "$AS_IS/ibcheck.nhc"
		check_ibcheck "$@"' nhc "${@:2}"
	cat said
	[ "$status" = "$1" ]
}

@test "the check of NHC fails on what is critical only" {
	lay_out n001
	nhc 0 host
	[ ! -s said ]
	pull n001 1
	nhc 1 host
	grep -q '^die 1 check_ibcheck:  IBCHECK CRITICAL .*host.port-state mlx5_1/1.*is Down' said
	run ! grep '|' said
	nhc 0 host --no-such-option
	grep -q '^log check_ibcheck:  status 3: ' said
}

installed()
{
	for program; do
		command -v "$program" >/dev/null || skip "$program is not installed"
	done
}

# Three hosts that ssh reaches, of which one is critical and one does not answer.
lay_out_three()
{
	lay_out n001
	lay_out n002
	pull n002 1
	cat >bin/ssh <<-'EOT'
	#!/bin/sh
	# ssh [OPTIONS] HOST COMMAND...; options of one letter can have a value of their own
	while getopts 46AaCfGgKkMNnqsTtVvXxYyB:b:c:D:E:e:F:I:i:J:L:l:m:O:o:p:Q:R:S:W:w: letter; do
		:
	done
	shift $((OPTIND - 1))
	export IBCHECK_HOST="$1"
	shift
	if [ "$IBCHECK_HOST" = n003 ]; then
		echo "ssh: connect to host n003 port 22: No route to host" >&2
		exit 255
	fi
	exec sh -c "$*"
	EOT
	chmod +x bin/ssh
}

# one_report FILE: what is reported of the three
one_report()
{
	"$IBCHECK" fleet --expect-hosts 'n[001-003]' "$1" >out && status=0 || status=$?
	cat out
	[ "$status" = 2 ]
	grep -q '^2 of 3 expected hosts reported' out
	grep -qE '^CRITICAL +host.port-state +n002 mlx5_1/1' out
	grep -qE '^UNKNOWN +fleet.missing +n003' out
}

installed()
{
	for program; do
		command -v "$program" >/dev/null || skip "$program is not installed"
	done
}

# recipe TEXT: the command of ibcheck-recipes(7) that contains it, as it stands there
recipe()
{
	mandoc -T utf8 -O width=1000 "$TOP/man/ibcheck-recipes.7" | sed 's/.\x08//g' |
		sed -n 's/^ *[$#] //p' | grep -F -- "$1"
}

@test "the recipes of clush and pdsh are commands" {
	installed clush pdsh mandoc
	lay_out_three
	bash -c "$(recipe 'clush -w')" 3>&-
	one_report lines
	run bash -c "$(recipe --outdir) 3>&-"
	[ "$status" = 255 ]
	# a host that did not answer has an empty file
	find reports
	one_report reports || [ ! -s reports/n003 ]
	bash -c "$(recipe 'pdsh -R')" 3>&-
	one_report lines
	run bash -c "$(recipe 'ibcheck fleet')"
	[ "$status" = 2 ]
}

@test "the playbook collects the reports of hosts, and shows one of them all" {
	installed ansible-playbook
	lay_out_three
	cp "$AS_IS/site.yml" .
	printf '[hosts]\nn00[1:3]\n' >hosts.ini
	export ANSIBLE_NOCOLOR=1 ANSIBLE_LOCAL_TEMP=$PWD/tmp ANSIBLE_REMOTE_TEMP=$PWD/tmp
	export ANSIBLE_PIPELINING=1 ANSIBLE_SSH_EXECUTABLE=$PWD/bin/ssh HOME=$PWD
	run bash -c "$(recipe ansible-playbook) 3>&-"
	echo "$output"
	[ "$status" -ne 0 ]
	[[ $output == *unreachable=1* ]]
	[[ $output == *'fleet.missing'*n003* ]]
	[[ $output == *'host.port-state'*'n002 mlx5_1/1'* ]]
	one_report reports
}
