# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC2030,SC2031,SC2154 # each test is a shell of its own
# RoCE ports on interfaces of the real kernel, which is asked by netlink and ethtool.

load helper.bash

# port STATUS [--away] DEVICE COMMAND...: where the kernel shows such a port
port()
{
	command -v ip >/dev/null || skip "needs ip(8)"
	run -"$1" unshare --mount --net --pid --fork --kill-child --mount-proc \
		"$BATS_TEST_DIRNAME/roce-port" "${@:2}"
}

# found: checks and severities, of the report in $output
found()
{
	jq -r '.findings[] | "\(.severity) \(.check)"' <<<"$output" | sort
}

@test "a driver that knows nothing of flow control is unknown, not ok" {
	port 3 mlx5_0 "$IBCHECK" roce -f json
	[ "$(jq -r '.tables.roce_ports[0] | "\(.interface) \(.gid_index) \(.mtu_bytes) \(.rdma_mtu_bytes) \(.pfc_priorities) \(.pause)"' <<<"$output")" = \
		"ens1f0 3 9000 4096 null null" ]
	[ "$(found)" = "info roce.pause-storm
unknown roce.ecn
unknown roce.global-pause
unknown roce.pfc" ]
	jq -e '.findings[] | select(.check == "roce.pfc") | .message | test("has no DCB")' <<<"$output"
}

@test "RoCE in software is a note" {
	port 0 rxe0 "$IBCHECK" roce --interval 0.1 -f json
	[ "$(found)" = "info roce.lossy" ]
}

@test "a port whose interface is in a container is asked there" {
	port 3 --away mlx5_0 "$IBCHECK" roce -f json
	jq -e '.tables.roce_ports[0] | .interface == "ens1f0" and .mtu_bytes == 9000 and
		(.namespace | test("^/proc/[0-9]+/ns/net$"))' <<<"$output"
	jq -e '.findings[] | select(.check == "roce.pfc") | .message | test("has no DCB")' <<<"$output"
}

@test "a counter that rises within the window is judged" {
	# shellcheck disable=SC2016 # for the inner shell
	port 1 rxe0 bash -c '
		while :; do
			echo "$((++n))" >/sys/class/infiniband/rxe0/ports/1/hw_counters/new
			mv /sys/class/infiniband/rxe0/ports/1/hw_counters/{new,packet_seq_err}
			sleep 0.01
		done &
		"$1" roce --interval 2 -f json' sh "$IBCHECK"
	[ "$(found)" = "info roce.lossy
warning roce.loss" ]
	jq -e '.tables.roce_counts[] | select(.counter == "packet_seq_err") | .added > 0' <<<"$output"
}

@test "of the ports others see what root sees" {
	local ours

	port 3 mlx5_0 "$IBCHECK" roce -f json
	ours=$(found)
	port 3 mlx5_0 "${NOBODY[@]}" "$IBCHECK" roce -f json
	[ "$(found)" = "$ours" ]
}
