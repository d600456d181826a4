# SPDX-License-Identifier: BSD-2-Clause
# Every command of the README runs: the shell blocks (sh), the commands of the recorded screens
# (console), of the lines for cron (cron) and of the Icinga object (icinga).

load helper.bash
shopt -s extglob

# What is not exit status 0 in the prepared directory and a healthy fabric: status or "-" for "not
# run here"; block and command as a pattern; why.  The first line that fits counts.
exceptions="
-	sh: ./bootstrap*	installs packages; then builds and runs everything
-	sh: sudo apt-get *	tests/deb/debootstrap.bats installs the packages
-	sh: dpkg-buildpackage *	tests/deb/build
-	sh: make dist*	tests/deb/rpm.bats
-	sh: rpmbuild *	the same
-	console: ibcheck all	demo.bats compares this screen
-	console: echo*	the same
2	console: ibcheck topo *	two cables are exchanged
[0-3]	sh: ibcheck ports --local*	the ports of this machine
[0-3]	sh: ibcheck host *	the hardware of this machine
[0-3]	sh: ibcheck ipoib *	the jobs of this machine
[0-3]	sh: ibcheck roce *	the hardware of this machine
3	sh: ibcheck show 7f3a9c10*	a healthy fabric has no such case
3	sh: ibcheck known add 7f3a9c10*	the same
3	sh: ibcheck all *--hook *	this machine has no such program
-	sh: ibcheck cables --interval*	a quarter of an hour
3	sh: ibcheck repair start*	ibsim has no bit errors, light and serial numbers
3	sh: ibcheck repair check*	too early: it takes 3.2 hours
3	sh: ibcheck cables*	ibsim has no such registers
1	sh: ibcheck fleet --source *	the reports are of hosts with other GUIDs
-	sh: squeue *	Slurm is not here: a recorded file stands for its output
-	sh: srun *	perf.bats runs ibcheck-perf-run under Slurm
3	sh: ibcheck perf judge *	nothing was measured: perf.bats judges
-	sh: ibcheck watch*	it stays until somebody ends it: watch.bats
-	sh: ibcheck serve*	the same: serve.bats
-	sh: ibcheck accept*	it takes as long as it is told: accept.bats
3	sh: ibcheck all --physical*	ibsim has no such registers
1	sh: ibcheck sm --expect-sharp*	ibsim has no aggregation manager
3	sh: ibcheck show *	no subnet manager is kept where counters are read: its queries have no answer
3	sh: ibcheck ports --source fabric.net*	ibnetdiscover output contains no PortInfo
3	sh: tests/sim/fabric *lose spine02*	a spine does not answer
2	sh: ibcheck compare ibdiagnet2.db_csv*	the file is of another fabric, with faults
3	sh: ibcheck blame *	the job has no line that says why
2	sh: ibcheck whatif *	both uplinks of a leaf: its hosts are cut off
1	sh: ibcheck all --unhealthy*	the list has ports of this fabric
"

# commands FILE: those of the README, or of a part of it, as BLOCK: COMMAND
commands()
{
	local block='' line text=''

	all=()
	while IFS= read -r line; do
		case $block:$line in
		*:'```') block='' ;;
		:'```'?*) block=${line#'```'} ;;
		sh:*)
			text+=${text:+$'\n'}$line
			# a command may go on in the next line
			[[ $line == *\\ ]] || ! bash -n <<<"$text" 2>/dev/null || {
				[ -z "$text" ] || all+=("sh: $text")
				text=''
			}
			;;
		console:'$ '*) all+=("console: ${line#'$ '}") ;;
		cron:*) all+=("cron: ${line#*ibcheck  }") ;;
		icinga:*' command = ['*)
			line=${line#*\[}
			all+=("icinga: $(tr -d '",' <<<"${line%\]*}")")
			;;
		esac
	done <"$1"
	[ -z "$text" ]
}

# expected COMMAND: its exit status
expected()
{
	local status pattern

	while IFS=$'\t' read -r status pattern _; do
		# shellcheck disable=SC2053
		if [ -n "$status" ] && [[ $1 == $pattern ]]; then
			echo "$status"
			return
		fi
	done <<<"$exceptions"
	echo 0
}

# try COMMAND [AS]: whether it, or what stands for it here, ends as expected; below this directory
# instead of /var, with the device that ibsim has, and a second for a minute
try()
{
	local wanted text=${2:-${1#*: }} status=0

	wanted=$(expected "$1")
	[ "$wanted" != - ] || return 0
	text=${text//\/var\//$PWD/var/}
	text=${text//mlx5_1/ibsim0}
	text=${text//\/usr\/bin\//}
	text=${text#*sudo }
	text=${text//interval 1m/interval 1s}
	bash -c "$text" >out 2>&1 </dev/null || status=$?
	# shellcheck disable=SC2053
	[[ $status == $wanted ]] && return
	echo "$1: exit status $status, expected $wanted"
	tail -n 20 out
	return 1
}

# live COMMAND...: inside a fabric, from a host on which no subnet manager runs, nor on its leaf:
# in ibsim that one would get the queries for counters, and opensm does not survive them
live()
{
	local command failed=0

	export SIM_HOST='node0009 mlx5_0'
	ibnetdiscover >fabric.net
	dump_fts >opensm-lfts.dump
	for command; do
		try "$command" || failed=1
	done
	return $failed
}

# counting COMMAND...: the same, after a snapshot of this fabric
counting()
{
	ibcheck snapshot -o monday.snap.zst
	live "$@"
}

export exceptions
export -f expected try live counting

# chosen PATTERN: commands that fit it, each once
chosen()
{
	local command
	local -A seen=()

	mine=()
	for command in "${all[@]}"; do
		# shellcheck disable=SC2053
		[[ $command == $1 && -z ${seen[$command]:-} ]] || continue
		mine+=("$command")
		seen[$command]=1
	done
	[ "${#mine[@]}" -gt 0 ]
}

# Everything of the checkout, and what the commands read.
prepare()
{
	ln -s "$TOP"/!(build) .
	mkdir -p bin var/lib/ibcheck var/lib/prometheus/node-exporter
	touch var/lib/ibcheck/accepted
	ln -s "$IBCHECK" bin
	export O=${IBCHECK%/*} PATH=$PWD/bin:$PATH
	cp "$TOP/topologies/two-level-small.csv" cables.csv
	cp "$TOP/tests/golden/show/json/jobs" jobs
	cp "$TOP/tests/golden/fixtures/opinions/pair.db_csv" ibdiagnet2.db_csv
	echo 'job 4711 ended' >job.log
	mkdir var/log reports
	cp "$TOP/tests/golden/fixtures/opinions/unhealthy.dump" var/log/opensm-unhealthy-ports.dump
	(
		# shellcheck disable=SC1091
		. "$TOP/tests/golden/fixtures/lay-out-fleet"
		for n in {001..100}; do report "n$n" ok "$n" >"reports/n$n.json"; done
	)
	# the fabric of two-level-small.net
	ibcheck snapshot --source synth:fattree:leaves=4,spines=2,hosts=4 -o monday.snap.zst
	commands README.md
}

@test "each command of the README is run here, or is an exception that the README has" {
	local command status pattern

	prepare
	for command in "${all[@]}"; do
		case $command in
		sh:\ ibcheck* | sh:\ make* | sh:\ cc* | sh:\ tests/sim/fabric*) ;;
		sh:\ squeue* | sh:\ srun* | sh:\ ./bootstrap* | console:* | cron:* | icinga:*) ;;
		sh:\ sudo\ apt-get* | sh:\ dpkg-buildpackage* | sh:\ rpmbuild*) ;;
		*) echo "$command: no test runs it" && return 1 ;;
		esac
	done
	while IFS=$'\t' read -r status pattern _; do
		[ -z "$status" ] || chosen "$pattern" || {
			echo "$pattern: not in the README"
			return 1
		}
	done <<<"$exceptions"
}

# In ibsim, opensm does not survive that others read counters.
counters='counters*|snapshot*|diff*|routes --path*|show*'

@test "commands on a live fabric" {
	prepare
	chosen "@(sh: ibcheck !($counters)|cron:*|icinga:*)"
	sim --standby=leaf02 two-level-small live "${mine[@]}"
}

@test "commands that read counters" {
	prepare
	chosen "sh: ibcheck @($counters)"
	sim two-level-small counting "${mine[@]}"
}

# screen COMMAND: what the README shows of it
screen()
{
	awk -v command="\$ $1" '/^```$/ { on = 0 } on; $0 == command { on = 1 }' README.md
}

# timeless: without when, where, and how long it took
timeless()
{
	sed -e 's/swept in [0-9.]* s/swept in N s/' -e 's/^[0-9-]* [0-9:]* UTC on .*/when and where/'
}

@test "the screen of a plan" {
	prepare
	chosen 'console: ibcheck topo topologies*'
	sim 'ft-36x18+swapped' try "${mine[@]}"
	diff <(screen "${mine[0]#*: }" | timeless) <(timeless <out)
}

@test "ibcheck(8), TASKS, has the commands of the five tasks" {
	local command manual

	prepare
	commands <(sed -n '/^## Five tasks/,/^## Reference/p' README.md)
	manual=$(sed -n '/^\.Sh TASKS/,/^\.Sh OPTIONS/p' man/ibcheck.8 |
		sed ':a; /\\e$/ { N; s/ *\\e\n */ /; ba }')
	[ "${#all[@]}" -gt 20 ]
	for command in "${all[@]}"; do
		[[ $command == @(sh|cron):* ]] || continue
		command=${command#*: }
		command=${command%%+( )#*}
		command=${command//+( )\\$'\n'+( )/ }
		grep -qF -- "$command" <<<"$manual" || {
			echo "ibcheck(8), TASKS, lacks: $command"
			return 1
		}
	done
}

@test "simulated fabrics" {
	local command

	prepare
	chosen 'sh: tests/sim/fabric *'
	for command in "${mine[@]}"; do
		try "$command" 3>&-
	done
}

@test "installation, and a client of the library" {
	local command

	prepare
	export DESTDIR=$PWD/root
	chosen 'sh: make*'
	for command in "${mine[@]}"; do
		try "$command"
	done
	[ -x root/usr/bin/ibcheck ]
	export PKG_CONFIG_PATH=$DESTDIR/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$DESTDIR
	chosen 'sh: cc *'
	try "${mine[@]}"
	[ "$(LD_LIBRARY_PATH=$DESTDIR/usr/lib ./nodes cables.csv | wc -l)" -eq 22 ]
}
