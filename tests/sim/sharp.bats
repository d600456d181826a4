# SPDX-License-Identifier: BSD-2-Clause
# SHARP's aggregation manager, by the service record that opensm keeps for it.

load helper.bash

setup()
{
	cd "$BATS_TEST_TMPDIR" || return 1
	cat >sharp.net <<-'END'
	Switch 8 "S1" # "leaf01"
	[1] "H1"[1]
	[2] "H2"[1]
	[3] "H3"[1]
	[8] "A1"[1]

	Hca 1 "H1" # "sm01 mlx5_0"
	[1] "S1"[1]

	Hca 1 "A1" # "Mellanox Technologies Aggregation Node"
	[1] "S1"[8]

	Hca 1 "H2" # "node01 mlx5_0"
	[1] "S1"[2]

	Hca 1 "H3" # "node02 mlx5_0"
	[1] "S1"[3]
	END
	SERVICE=${IBCHECK%/*}/tests/sim/service
	export SERVICE
}

# registers NODE LEASE [ID]
registers()
{
	SIM_HOST=$1 "$SERVICE" "${@:2}"
}

# finds FINDINGS [OPTION...]: "check severity subject" of each
finds()
{
	sweep sm --checks sharp,sm.sa-silent -t 5000 "${@:2}"
	jq -r '.findings[] | "\(.check) \(.severity) \(.subject.node_desc // "fabric")"' \
		report.json >found
	[ "$(cat found)" = "$1" ] && return
	cat found
	return 1
}
export -f registers finds

comes_and_goes()
{
	finds 'sharp.manager info fabric'
	expect_status 0
	expect '.coverage.attributes[] | select(.attribute == "ServiceRecord") | .answered' 1
	finds 'sharp.manager warning fabric' --expect-sharp
	expect_status 1
	registers 'sm01 mlx5_0' 6
	finds '' --expect-sharp
	expect_status 0
	# until the lease has ended
	timeout 300 bash -c 'until finds "sharp.manager info fabric"; do sleep 0.5; done'
}
export -f comes_and_goes

@test "a manager that is registered is found, until its lease ends" {
	sim --sm=keep sharp.net comes_and_goes
}

is_elsewhere()
{
	registers 'node01 mlx5_0' 0xffffffff
	finds 'sharp.manager warning node01 mlx5_0'
	expect '.findings[0].facts.lease_seconds' null
	# one manager may have several records: ibsim carries the first
	registers 'node01 mlx5_0' 0xffffffff 2
	finds $'sharp.manager unknown fabric\nsharp.manager warning node01 mlx5_0'
}
export -f is_elsewhere

@test "a manager apart from the subnet manager" {
	sim --sm=keep sharp.net is_elsewhere
}
