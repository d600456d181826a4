# SPDX-License-Identifier: BSD-2-Clause
# topo --slurm, --slurm-check: what is written a real slurmctld takes without complaint, and
# what is said of a file stands beside what slurmctld does with it.

bats_require_minimum_version 1.5.0

setup()
{
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	ibcheck=${IBCHECK:-$top/build/ibcheck}
	PATH=$PATH:/usr/sbin:/sbin
	cd "$BATS_TEST_TMPDIR" || exit 1
}

# conf NODES: a slurm.conf of its own, beside topology.conf
conf()
{
	local user host

	command -v slurmctld >/dev/null || skip 'slurmctld is not installed'
	user=$(id -un) host=$(hostname -s)
	mkdir -p state
	cat >slurm.conf <<EOT
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$((21000 + $$ % 20000))
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/none
CredType=cred/none
StateSaveLocation=$PWD/state
SlurmdSpoolDir=$PWD/spool
SlurmctldPidFile=$PWD/slurmctld.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
TopologyPlugin=topology/tree
MailProg=/bin/true
NodeName=$1 NodeAddr=127.0.0.1 CPUs=2 RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES
EOT
}

# It ends, or writes that it works: no time is waited for.
# What slurmctld does with topology.conf: "fatal" or "taken", and what it complains of.
slurmctld_says()
{
	local pid verdict='no answer' deadline=$((SECONDS + 30))

	rm -rf state/* slurmctld.log
	slurmctld -D -f "$PWD/slurm.conf" >slurmctld.log 2>&1 3>&- &
	pid=$!
	while [ $SECONDS -lt $deadline ]; do
		if ! kill -0 $pid 2>/dev/null; then
			verdict=fatal
			break
		elif grep -qs 'Running as primary controller' slurmctld.log; then
			verdict=taken
			break
		fi
		sleep 0.05
	done
	kill -KILL $pid 2>/dev/null
	wait $pid 2>/dev/null
	echo "$verdict"
	grep -oE 'fatal: .*|error: WARNING: .*|TOPOLOGY: .*|No switches configured|has (both|neither) .*' \
		slurmctld.log || :
}

# written SOURCE [OPTION...]: topology.conf of it, and a slurm.conf that has its nodes
written()
{
	local source=$1

	shift
	if ! "$ibcheck" topo --slurm --source "$source" -o topology.conf "$@" 2>err; then
		echo "$source: $(<err)"
		return 1
	fi
	conf "$(sed -n 's/.* Nodes=//p' topology.conf | paste -sd,)"
}

@test "slurmctld takes what is written of every topology" {
	local net

	for net in "$top"/topologies/*.net; do
		case $net in */back-to-back.net) continue ;; esac # without a switch there is no tree
		written "$net"
		[ "$(slurmctld_says)" = taken ] || { echo "$net"; slurmctld_says; false; }
		run -0 "$ibcheck" topo --slurm-check topology.conf --source "$net" -q
		[ -z "$output" ]
	done
}

@test "slurmctld takes what is written of rails, pods, four tiers, a torus and odd names" {
	local source

	for source in synth:fattree:leaves=8,spines=2,hosts=4,rails=2 \
		synth:fattree:levels=3,pods=3,leaves=4,spines=2,uplinks=2,hosts=4,rails=4 \
		"$top/tests/golden/fixtures/big.net" "$top/tests/golden/fixtures/managed.net"; do
		written "$source"
		[ "$(slurmctld_says)" = taken ] || { echo "$source"; slurmctld_says; false; }
	done
}

@test "a file that is written is read as the same by --slurm-check, with all it can hold" {
	local source=synth:fattree:levels=3,pods=3,leaves=4,spines=2,uplinks=2,hosts=4,rails=2

	"$ibcheck" topo --slurm --source $source >whole.conf 2>/dev/null
	{
		grep -v root whole.conf | sed 's/^SwitchName/switchNAME/; s/ Nodes=/ \\\n\tNODES = /'
		echo 'Include roots.conf # below'
	} >topology.conf
	grep root whole.conf >roots.conf
	run -0 "$ibcheck" topo --slurm-check topology.conf --source $source
	conf 'node[0001-0024]'
	[ "$(slurmctld_says)" = taken ]
}

# Of topology.conf: what slurmctld does, a part of what it says, and our findings.
expect()
{
	local says found

	printf '%b' "$4" >topology.conf
	says=$(slurmctld_says)
	found=$("$ibcheck" topo --slurm-check topology.conf --source "$top/topologies/two-level-small.net" \
		--nodes 'node[0001-0016]' -f json | jq -r '[.findings[] | .check] | unique | join(" ")')
	if [[ ${says%%$'\n'*} != "$1" || $says != *"$2"* || $found != "$3" ]]; then
		printf 'topology.conf:\n%s\nslurmctld: %s\nfound: %s\nexpected: %s\n' \
			"$(<topology.conf)" "$says" "$found" "$*"
		return 1
	fi
}

leaves='SwitchName=leaf01 Nodes=node[0001-0004]\nSwitchName=leaf02 Nodes=node[0005-0008]\n'
leaves+='SwitchName=leaf03 Nodes=node[0009-0012]\n'
last='SwitchName=leaf04 Nodes=node[0013-0016]\n'
root='SwitchName=root Switches=leaf[01-04]\n'

@test "what is no tree" {
	conf 'node[0001-0016]'
	expect fatal 'not a tree' slurm.file \
		"$leaves${last}SwitchName=a Switches=leaf[01-04],b\nSwitchName=b Switches=a\n"
	expect fatal 'not a tree' slurm.file \
		"$leaves${last}SwitchName=s1 Switches=leaf[01-04],c\nSwitchName=s2 Switches=leaf[01-04],c\nSwitchName=c Switches=s[1-2]\n"
	expect fatal 'invalid child (root)' slurm.file \
		"$leaves${last}SwitchName=root Switches=leaf[01-04],root\n"
	# a switch below two is taken, and is a warning of ours
	expect taken '' slurm.file \
		"$leaves${last}SwitchName=s1 Switches=leaf[01-04]\nSwitchName=s2 Switches=leaf[01-04]\n"
}

@test "what ends slurmctld while it reads" {
	conf 'node[0001-0016]'
	expect fatal 'already been defined' slurm.file "$leaves$last${last}$root"
	expect fatal 'invalid child (leaf04)' 'slurm.file slurm.hosts' "$leaves$root"
	expect fatal 'both child switches and nodes' slurm.file \
		"${leaves}SwitchName=root Switches=leaf[01-03] Nodes=node[0013-0016]\n"
	expect fatal 'neither child' slurm.file "$leaves$last${root}SwitchName=spine\n"
	expect fatal 'neither child' slurm.file "$leaves${last}SwitchName=the root Switches=leaf[01-04]\n"
	expect fatal 'neither child' slurm.file "$leaves${last}SwitchName=root#1 Switches=leaf[01-04]\n"
	expect fatal 'Invalid node name' slurm.file \
		"$leaves${root}SwitchName=leaf04 Nodes=node[0013-0016]-ib0\n"
	expect fatal 'Invalid node name' slurm.file \
		"$leaves${root}SwitchName=leaf04 Nodes=node[0013-0016].site\n"
	expect fatal 'Invalid node name' slurm.file "$leaves${root}SwitchName=leaf04 Nodes=node[16-13]\n"
	expect fatal '' slurm.file "$leaves${root}SwitchName=leaf04 Nodes=node[0013-0015], node0016\n"
	expect fatal '' slurm.file "$leaves$last${root}Colour=red\n"
	expect fatal '' slurm.file "$leaves${last}SwitchName=root Switches=leaf[01-04] Colour=red\n"
	expect fatal '' slurm.file "$leaves$last${root}Nodes=node0001\n"
	expect fatal '' slurm.file "$leaves$last${root}hello world\n"
	expect fatal 'invalid child (LEAF01)' slurm.file \
		"$leaves${last}SwitchName=root Switches=LEAF01,leaf[02-04]\n"
}

@test "what slurmctld reads otherwise than it is meant" {
	conf 'node[0001-0016]'
	expect taken 'Invalid hostnames' slurm.file \
		"$leaves${root}SwitchName=leaf04 Nodes=node[0013-0016\n"
	expect taken 'lack access' slurm.file \
		"$leaves${root}SwitchName=leaf04 Nodes=node[0013-0014] Nodes=node[0015-0016]\n"
	expect taken 'No switches configured' 'slurm.file slurm.hosts' ''
	expect taken 'No switches configured' 'slurm.file slurm.hosts' '# later\n'
}

@test "what slurmctld warns of" {
	conf 'node[0001-0016]'
	expect taken 'Multiple leaf switches' slurm.hosts \
		"$leaves${root}SwitchName=leaf04 Nodes=node[0012-0016]\n"
	expect taken 'lack access to 1 nodes: node0016' slurm.hosts \
		"$leaves${root}SwitchName=leaf04 Nodes=node[0013-0015]\n"
	expect taken 'Invalid hostnames' slurm.hosts \
		"$leaves${root}SwitchName=leaf04 Nodes=node[0013-0017]\n"
	expect taken 'no switch can reach all nodes' slurm.hosts "$leaves$last"
}

@test "what slurmctld cannot notice: a leaf that is not as it is cabled" {
	conf 'node[0001-0016]'
	expect taken '' slurm.leaf \
		"$root$last$(sed 's/0001-0004/0001-0003,0005/; s/0005-0008/0004,0006-0008/' <<<"$leaves")"
	[ "$(slurmctld_says)" = taken ]
}

@test "what is right, in all forms" {
	conf 'node[0001-0016]'
	expect taken '' '' "$leaves$last$root"
	[ "$(slurmctld_says)" = taken ]
	expect taken '' '' "$(sed 's/SwitchName/switchNAME/g; s/Nodes/nodes/g' <<<"$leaves")$last$root"
	expect taken '' '' "${leaves//\\n/\\r\\n}${last//\\n/\\r\\n}${root//\\n/\\r\\n}"
	expect taken '' '' "# by hand\n\n$leaves${last%\\n} # new\nSwitchName=top LinkSpeed=100 \\\\\n\t Switches=leaf[01-04]"
}

@test "slurm.conf and ibcheck fold and expand names alike" {
	command -v scontrol >/dev/null || skip 'scontrol is not installed'
	conf node1
	local list names

	while read -r list names; do
		[ "$(SLURM_CONF=$PWD/slurm.conf scontrol show hostnames "$list" | paste -sd,)" = "$names" ]
	done <<-'EOT'
		node[1-3] node1,node2,node3
		node[08-10,100] node08,node09,node10,node100
		n[9,08,010] n9,n08,n010
		r1n[1-2],r2n1 r1n1,r1n2,r2n1
	EOT
}

@test "an incomplete sweep writes nothing over a file that is there" {
	echo old >topology.conf
	run -3 "$ibcheck" topo --slurm --source "$top/tests/golden/fixtures/faults.snap" -o topology.conf
	[ "$(<topology.conf)" = old ]
	run -3 "$ibcheck" topo --slurm --partial --source "$top/tests/golden/fixtures/faults.snap" \
		-o topology.conf
	grep -q '^# INCOMPLETE' topology.conf
	conf 'node[0003-0004]'
	[ "$(slurmctld_says)" = taken ]
}

@test "labels name what the file has" {
	local source=$top/topologies/three-level.net

	"$ibcheck" topo --slurm --source "$source" >topology.conf 2>/dev/null
	"$ibcheck" fattree -f json --source "$source" |
		jq -r '.tables.labels[] | "\(.tier_1) \(.tier_0) \(.host)"' >labels
	[ "$(grep -c . labels)" -eq 16 ]
	grep -q '^pod2 leaf03 node0006$' labels
	run -0 "$ibcheck" fattree -f csv --table labels --source "$source"
	[ "${lines[6]}" = 'node0006,mlx5_0,leaf03,0x0200000000000030,leaf03,pod2,root,' ]
}
