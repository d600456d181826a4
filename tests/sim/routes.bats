# SPDX-License-Identifier: BSD-2-Clause
# What opensm's engines write into the switches, and what is made of it.

load helper.bash

# Every pair arrives, and nobody is accused.
clean()
{
	sweep routes --bisections 10
	expect '.tables.routes[0] | .pairs > 0 and .pairs == .routed'
	expect '.tables.routes[0].unknown' 0
	expect_faults '[]'
}
export -f clean

@test "tables of minhop in a tree of 702 nodes raise no alarm" {
	sim --sm-args='-R minhop' ft-36x18 clean
}

@test "tables of updn in a tree of 702 nodes raise no alarm" {
	sim --sm-args='-R updn' ft-36x18 clean
}

@test "tables of ftree in a tree of 702 nodes raise no alarm" {
	sim --sm-args='-R ftree' ft-36x18 clean
}

@test "tables of dfsssp in a tree of 702 nodes raise no alarm" {
	sim --sm-args='-R dfsssp' ft-36x18 clean
}

# lash sends all that leaves a leaf by its first uplink
uneven()
{
	sweep routes --bisections 10
	expect '.tables.routes[0] | .pairs > 0 and .pairs == .routed'
	expect_faults '["routes.imbalance"]'
}
export -f uneven

@test "tables of lash in a tree are uneven, and nothing else" {
	sim --sm-args='-R lash' two-level-small uneven
}

# Four switches in a ring, two hosts on each.
ring()
{
	for i in 0 1 2 3; do
		printf 'switchguid=0x%x\nSwitch 4 "s%d"\n[1] "h%d"[1]\n[2] "h%d"[1]\n' \
			$((0x1000 + i)) $i $((2 * i)) $((2 * i + 1))
		printf '[3] "s%d"[4]\n[4] "s%d"[3]\n\n' $(((i + 1) % 4)) $(((i + 3) % 4))
	done
	for i in 0 1 2 3 4 5 6 7; do
		printf 'Hca 1 "h%d"\n[1] "s%d"[%d]\n\n' "$i" $((i / 2)) $((i % 2 + 1))
	done
}

deadlocks()
{
	sweep routes
	expect_faults '["routes.credit-loop"]'
	expect '.findings[] | select(.check == "routes.credit-loop" and .severity == "critical") |
		.facts.hops' 4
}
does_not()
{
	sweep routes
	expect_faults '[]'
}
export -f deadlocks does_not

@test "a ring of four switches can deadlock with minhop, and not with updn" {
	ring >ring.net
	echo 0x1000 >roots
	sim --sm-args='-R minhop' "$PWD/ring.net" deadlocks
	sim --sm-args="-R updn -a $PWD/roots" "$PWD/ring.net" does_not
}

# Every table sends on by port 3 what is not its own, whatever the shorter way.
one_way()
{
	sweep routes
	expect_faults '["routes.credit-loop"]'
	expect '.findings[] | select(.check == "routes.credit-loop" and .severity == "critical") |
		.facts | [.cause, (to_entries[] | select(.key | startswith("hop_")) | .value[0:4])]' \
		'["hosts","s0/3","s1/3","s2/3","s3/3"]'
	expect '.findings[] | select(.check == "routes.longer") | .facts | [.pairs, .hops, .shortest]' \
		'[16,4,2]'
}
dump()
{
	cp "$OSM_TMP_DIR/opensm-lfts.dump" "$1"
}
export -f one_way dump

@test "a ring whose tables all go one way can deadlock, and is told hop by hop" {
	ring >ring.net
	sim --sm-args='-R minhop -D 0x43' ring.net dump ring.lfts
	sed -E "s/^(0x.... )00[34]/\1003/" ring.lfts >one_way.lfts
	sim --sm-args="-R file -U $PWD/one_way.lfts" ring.net one_way
}
