# SPDX-License-Identifier: BSD-2-Clause
# Subnet administration, as OpenSM answers for it.

load helper.bash

setup()
{
	cd "$BATS_TEST_TMPDIR" || return 1
	ASK=$(dirname "$IBCHECK")/tests/sim/sa_client
	export ASK
}

# ring SWITCHES: two hosts each
ring()
{
	local i n=$1

	for ((i = 0; i < n; i++)); do
		printf 'Switch 8 "S%02d"\n' "$i"
		printf '[1] "S%02d"[2]\n' $(((i + 1) % n))
		printf '[2] "S%02d"[1]\n' $(((i + n - 1) % n))
		printf '[3] "H%02da"[1]\n[4] "H%02db"[1]\n\n' "$i" "$i"
		printf 'Hca 1 "H%02da"\n[1] "S%02d"[3]\n\n' "$i" "$i"
		printf 'Hca 1 "H%02db"\n[1] "S%02d"[4]\n\n' "$i" "$i"
	done >ring.net
}

answers_all()
{
	"$ASK" >told
	[ "$(grep -c ^answered told)" = 3 ]
	[ "$(awk '/^lid/ { print $2 }' told)" = "$(sminfo | sed 's/.*sm lid \([0-9]*\) .*/\1/')" ]
	awk '/^latency/ { exit !($2 > 0) }' told
	grep -qx 'response 268435' told
	grep -q '^member 0xC000 pkey 0xFFFF' told
	! grep -q ^cut told || return 1
}
export -f answers_all

# Of every fifth pair.
agrees_with_saquery()
{
	awk '/^path/ && n++ % 5 == 0 { print $2, $3, $4 }' told >pairs
	[ -s pairs ]
	while read -r slid dlid sl; do
		[ "$(saquery PR --slid "$slid" --dlid "$dlid" |
			sed -n 's/^[ \t]*sl\.*\(0x[0-9a-f]*\)$/\1/p')" = "$(printf '0x%x' "$sl")" ]
	done <pairs
}
export -f agrees_with_saquery

has_one_level()
{
	answers_all
	[ "$(awk '/^path/ { print $4 }' told | sort -u)" = 0 ]
	agrees_with_saquery
}
export -f has_one_level

@test "minhop: it answers, and a sample of paths has one service level" {
	sim --sm=keep two-level-small has_one_level
}

has_levels()
{
	answers_all
	[ "$(grep -c ^path told)" = 132 ]
	[ "$(awk '/^path/ { print $4 }' told | sort -u | wc -l)" -gt 1 ]
}
export -f has_levels

# it draws one of several levels anew for every question, so nobody else is told the same
@test "dfsssp on a ring: service levels of all pairs" {
	ring 6
	sim --sm=keep --sm-args='-R dfsssp --qos' ring.net has_levels
}

has_fixed_levels()
{
	has_levels
	agrees_with_saquery
}
export -f has_fixed_levels

@test "lash on a ring: the service levels of all pairs, as saquery has them" {
	ring 6
	sim --sm=keep --sm-args='-R lash --qos' ring.net has_fixed_levels
}

is_cut_short()
{
	"$ASK" >told
	grep -qx 'cut MCMemberRecord' told
	grep -qx 'asked MCMemberRecord' told
	! grep -qx 'answered MCMemberRecord' told || return 1
	[ "$(grep -c ^member told)" = 3 ]
}
export -f is_cut_short

@test "more groups than the simulator carries are no answer" {
	for key in 7fff 8001 8002 8003 8004 8005; do
		echo "p$key=0x$key,ipoib:ALL=full;"
	done >partitions.conf
	sim --sm=keep --sm-args="-P $PWD/partitions.conf" two-level-small is_cut_short
}

is_silent()
{
	"$ASK" >told
	[ "$(grep -c ^asked told)" = 3 ]
	! grep -q ^answered told || return 1
	! grep -q ^path told || return 1
}
export -f is_silent

@test "a manager that has ended answers nothing" {
	sim two-level-small is_silent
}
