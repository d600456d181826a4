# SPDX-License-Identifier: BSD-2-Clause
# What opensm makes of a QoS policy, and of the routing engines that vary lanes by port.

load helper.bash

# policy: one that gives SL 3 to what goes to one host
policy()
{
	cat >policy.conf <<-EOF
	qos-ulps
	    default : 0
	    any, target-port-guid 0x0200000000000081 : 3
	end-qos-ulps
	EOF
}

# configured LINES...: opensm.conf, with what tests/sim/fabric has in its own
configured()
{
	printf '%s\n' 'sm_priority 10' 'sminfo_polling_timeout 1000' "$@" >opensm.conf
}

judged()
{
	sweep routes --checks qos --bisections 0 "$@"
}

clean()
{
	judged
	expect '.tables.routes[0] | .pairs > 0 and .pairs == .routed'
	expect '.coverage.complete'
	expect '.findings' '[]'
	expect '[.coverage.attributes[] | select(.attribute == "VLArbitrationTable")
		| .asked == .answered and .answered > 0] == [true]'
	expect '[.coverage.attributes[] | select(.attribute == "HCA.SLtoVLMappingTable")
		| .asked == .answered and .answered > 0] == [true]'
}
export -f judged clean

@test "devices as they came, and what opensm -Q writes of its own accord, raise no alarm" {
	sim --sm=keep two-level-small clean
	sim --sm=keep --sm-args=-Q two-level-small clean
}

@test "a policy with a service level of its own raises no alarm" {
	policy
	sim --sm=keep --sm-args="-Q -Y $PWD/policy.conf" two-level-small clean
}

starved()
{
	judged
	expect '[.findings[] | [.check, .severity, .facts.vls, .facts.ports]]' \
		'[["qos.arbitration","warning","3",48]]'
	# the same from a snapshot
	"$IBCHECK" snapshot --routes -o fabric.snap
	judged --source fabric.snap
	expect '[.findings[] | [.check, .severity, .facts.vls, .facts.ports]]' \
		'[["qos.arbitration","warning","3",48]]'
}
export -f starved

@test "a lane in use that no table of opensm gives a weight starves" {
	policy
	configured 'qos_vlarb_high 0:4,1:0,2:0' 'qos_vlarb_low 0:0,1:4,2:4,3:0,4:4,5:4,6:4,7:4'
	sim --sm=keep --sm-args="-F $PWD/opensm.conf -Q -Y $PWD/policy.conf" two-level-small starved
}

apart()
{
	judged
	expect '[.findings[] | [.check, .severity]]' '[["qos.sl-spread","info"]]'
}
export -f apart

@test "shares of lanes that no path uses are a note" {
	configured 'qos_vlarb_low 0:0,1:64,2:4,3:128,4:4,5:4,6:4,7:4'
	sim --sm=keep --sm-args="-F $PWD/opensm.conf -Q" two-level-small apart
}

# Without -Q tables are as devices came: SL 9 is on VL 9, which no link has.
lost()
{
	local from to

	from=$(smpquery nodeinfo 8 | sed -n 's/^Guid:\.*//p')
	to=$(smpquery portinfo 9 1 | sed -n 's/^Lid:\.*//p')
	echo "$from $to 9" >sl.paths
	judged --paths sl.paths
	expect '[.findings[] | [.check, .severity, .facts.sl, .facts.vl]]
		| unique' '[["qos.sl2vl","critical",9,9]]'
}
export -f lost

@test "a path on a lane that its links have not is lost" {
	sim --sm=keep two-level-small lost
}

# torus X Y: a netlist of switches with a host each
torus()
{
	local x y

	for ((x = 0; x < $1; x++)); do
		for ((y = 0; y < $2; y++)); do
			printf 'Switch 8 "S%d%d"\n[1] "H%d%d"[1]\n' "$x" "$y" "$x" "$y"
			printf '[2] "S%d%d"[3]\n' $(((x + 1) % $1)) "$y"
			printf '[3] "S%d%d"[2]\n' $(((x + $1 - 1) % $1)) "$y"
			printf '[4] "S%d%d"[5]\n' "$x" $(((y + 1) % $2))
			printf '[5] "S%d%d"[4]\n\n' "$x" $(((y + $2 - 1) % $2))
		done
	done
	for ((x = 0; x < $1; x++)); do
		for ((y = 0; y < $2; y++)); do
			printf 'Hca 1 "H%d%d"\n[1] "S%d%d"[1]\n\n' "$x" "$y" "$x" "$y"
		done
	done
}

twisted()
{
	clean
	# it is not judged because it is all the same
	"$IBCHECK" snapshot --routes -o fabric.snap
	[ "$(jq -r '.. | objects | select(.table? == "sl2vl") | .rows[]' fabric.snap |
		awk 'length > 16 { print $0 }' | sort -u | wc -l)" -gt 2 ]
}
export -f twisted

@test "torus-2QoS varies lanes by port on purpose" {
	torus 5 5 >torus.net
	# ibsim numbers switches from 0x200000 in the order of the netlist
	printf '%s\n' 'torus 5 5 1' 'xp_link 0x0000000000200000 0x0000000000200005' \
		'yp_link 0x0000000000200000 0x0000000000200001' >torus.conf
	sim --sm=keep --sm-args="-Q -R torus-2QoS,no_fallback --torus_config $PWD/torus.conf" \
		torus.net twisted
}

@test "lash, with lanes against deadlock, raises no alarm" {
	torus 4 4 >torus.net
	sim --sm=keep --sm-args='-Q -R lash' torus.net clean
}
