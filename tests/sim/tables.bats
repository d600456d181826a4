# SPDX-License-Identifier: BSD-2-Clause
# What a subnet manager writes into devices: the same as infiniband-diags read.

load helper.bash

JOIN=${IBCHECK%/*}/tests/sim/join
export JOIN

# The rows of one table of tables.snap: GUID of the switch, number of the row, its text.
rows_of()
{
	jq -nr --arg table "$1" '[inputs]
		| [.[] | select(has("guid")) | .guid] as $guids
		| .[] | select(.table == $table)
		| . as $t | .rows | to_entries[]
		| [$guids[$t.node], $t.from + .key, .value] | @tsv' tables.snap
}

lft_seen()
{
	rows_of lft | awk '
	function value(c) { return index("0123456789abcdef", c) - 1 }
	{
		for (i = 0; i < 64; i++) {
			port = 16 * value(substr($3, 2 * i + 1, 1)) + value(substr($3, 2 * i + 2, 1))
			if (port != 255)
				printf "%s 0x%04x %03d\n", $1, 64 * $2 + i, port
		}
	}' | sort
}

lft_of_diags()
{
	dump_lfts | awk '
	/^Unicast/ { match($0, /guid 0x[0-9a-f]*/); guid = substr($0, RSTART + 5, RLENGTH - 5) }
	/^0x/ { print guid, $1, $2 }' | sort
}

mft_seen()
{
	rows_of mft | awk '
	function value(c) { return index("0123456789abcdef", c) - 1 }
	{
		digits = length($3) / 32
		for (i = 0; i < 32 * digits; i++) {
			set = value(substr($3, i + 1, 1))
			first = 4 * (digits - 1 - i % digits)
			for (port = first; set > 0; port++) {
				if (set % 2)
					printf "%s 0x%04x %d\n", $1, 49152 + 32 * $2 + int(i / digits), port
				set = int(set / 2)
			}
		}
	}' | sort
}

# A cross below each port, two columns a port.
mft_of_diags()
{
	dump_mfts | awk '
	/^Multicast/ { match($0, /guid 0x[0-9a-f]*/); guid = substr($0, RSTART + 5, RLENGTH - 5) }
	/Ports:/ { first = index($0, "Ports:") + 7 }
	/^0x/ {
		for (i = first; i <= length($0); i += 2)
			if (substr($0, i, 1) == "x")
				print guid, $1, (i - first) / 2
	}' | sort
}

# After what others read: a question for counters to its own port, which ibsim hands on
# to it, is the end of opensm.
snapshot()
{
	"$IBCHECK" snapshot --routes -o tables.snap >snapshot.out 2>&1 || cat snapshot.out
}
export -f rows_of lft_seen lft_of_diags mft_seen mft_of_diags snapshot

same_as_diags()
{
	lft_of_diags >lft.diags
	[ -s lft.diags ]
	snapshot
	lft_seen | diff lft.diags -
}
export -f same_as_diags

@test "two-level-small: forwarding tables are as infiniband-diags see them" {
	sim --sm=keep two-level-small same_as_diags
}

@test "ft-36x18: likewise" {
	sim --sm=keep ft-36x18 same_as_diags
}

@test "three-level: likewise, in the order of a fat-tree" {
	sim --sm=keep --sm-args='-R ftree' three-level same_as_diags
}

# mft_grown PORTS: the subnet manager takes its time over trees, until so many ports are in them
mft_grown()
{
	local end=$((SECONDS + 300))

	until mft_of_diags >mft.diags && [ "$(wc -l <mft.diags)" = "$1" ]; do
		[ $SECONDS -lt $end ] || {
			cat mft.diags
			return 1
		}
		sleep 0.2
	done
}

two_groups()
{
	local hosts

	mapfile -t hosts < <(awk -F'"' '/^(Ca|Hca)/ { print $2 }' "$NETFILE")
	for host in "${hosts[@]:0:6}"; do
		SIM_HOST=$host "$JOIN" 1
	done
	SIM_HOST=${hosts[1]} "$JOIN" 2
	SIM_HOST=${hosts[7]} "$JOIN" 2
	# of hosts, and at both ends of the two cables between their leaves and a spine
	mft_grown $((6 + 4 + 2 + 4))
	snapshot
	mft_seen | diff mft.diags -
	[ "$(cut -d' ' -f2 mft.diags | sort -u | wc -l)" = 2 ]
}
export -f mft_grown two_groups

@test "multicast tables are as infiniband-diags see them" {
	sim --sm=keep two-level-small two_groups
}

# One table a device: that of every way through it.
lanes_and_keys()
{
	local lid

	{
		ibswitches | sed -n 's/.*\(0x[0-9a-f]*\) ports.* lid \([0-9]*\) .*/\1 \2/p'
		ibnetdiscover | sed -n '/^caguid=/h; /^\[1\].*# lid/{ H; x; s/caguid=\([^\n]*\).*# lid \([0-9]*\) .*/\1 \2/p }'
	} | while read -r guid lid; do
		smpquery sl2vl "$lid" 1 | sed -n 's/^ports:.*: *|//p' | sort -u |
			tr -d ' \n' | awk -v guid="$(printf '0x%016x' "$guid")" -F'|' '{
				printf "%s\t", guid
				for (i = 1; i <= 16; i++)
					printf "%x", $i
				print ""
			}'
	done | sort >lanes.diags
	[ -s lanes.diags ]
	snapshot
	# of an HCA the first in-port is 0, which it has not
	rows_of sl2vl | cut -f1,3 | sed 's/\t-\{16\}/\t/' | sort | diff lanes.diags -
	jq -r '.ports[]? | .pkeys // empty' tables.snap | sort | uniq -c >keys.seen
	[ "$(awk '{ print $2 }' keys.seen)" = ffff ]
	[ "$(awk '{ print $1 }' keys.seen)" = "$(grep -cE '^(Ca|Hca)' "$NETFILE")" ]
}
export -f lanes_and_keys

@test "virtual lanes are as infiniband-diags see them, and every host has its keys" {
	sim --sm=keep two-level-small lanes_and_keys
}
