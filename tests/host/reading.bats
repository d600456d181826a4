# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # each test is a shell of its own
# What the library reads of a live host: interfaces, sockets, who owns them.

load helper.bash

@test "interfaces of every namespace that a process is in, and their addresses" {
	wire 2044
	serve 5001
	send 10.99.0.2 5001
	look
	saw "netns $(inode_of "$here") path /proc/$sender/ns/net own 0 error 0"
	saw "netns $(inode_of "$there") path /proc/$server/ns/net own 0 error 0"
	saw "netdev ib0 netns $(inode_of "$here") ipoib 1 up 1 mtu 2044 driver tun .*"
	saw "address 10.99.0.1/24 netdev ib0 netns $(inode_of "$here")"
	saw "address 10.99.0.2/24 netdev ib0 netns $(inode_of "$there")"
}

@test "a namespace that is only mounted is found as well" {
	local inode

	wire
	inode=$(inode_of "$here")
	touch mounted
	# shellcheck disable=SC2016 # for the inner shell
	unshare --mount sh -c 'mount --bind "$1" mounted && exec "$2"' sh \
		"$here" "$HOST_TOOLS/look" >seen
	saw "netns $inode path $PWD/mounted own 0 error 0"
	saw "netdev ib0 netns $inode ipoib 1 .*"
}

@test "a socket has its bytes exactly, and its owner" {
	wire
	serve 5001
	send -i 1 10.99.0.2 5001
	look
	saw "socket 10.99.0.1:[0-9]+ 10.99.0.2:5001 pid $sender uid 0 sent 1024 received 1 .*"
	saw "socket 10.99.0.2:5001 10.99.0.1:[0-9]+ pid $server uid 0 sent [01] received 1024 .*"
	saw "socket .* pmtu 2044 unread 0" 2
	saw "process $sender comm .*"
	saw "process $server comm .*"
}

@test "sockets of the namespace one is in" {
	wire
	serve 5001
	send -i 3 10.99.0.2 5001
	look nsenter --net="$here"
	saw "netns $(inode_of "$here") path /proc/self/ns/net own 1 error 0"
	saw "socket 10.99.0.1:[0-9]+ 10.99.0.2:5001 pid $sender .*" 3
}

# received: by the socket of the server, when it is looked at now
received()
{
	look
	sed -nE "s/^socket .* pid $server .* received ([0-9]+) .*/\1/p" seen
}

@test "traffic is in the counts of sockets and of interfaces" {
	local before after end=$((SECONDS + 300))

	wire
	serve 5001
	send -r 20 10.99.0.2 5001
	before=$(received)
	until after=$(received) && [ "$after" -gt "$before" ]; do
		[ $SECONDS -lt $end ]
	done
	after=$(sed -nE "s/^netdev ib0 netns $(inode_of "$there") .* received ([0-9]+)/\1/p" seen)
	[ "$after" -gt "$before" ]
}

@test "a socket on another interface is none on IPoIB" {
	wire
	there=$here
	serve 5001
	send -i 2 127.0.0.1 5001
	look
	saw "netdev ib0 netns $(inode_of "$here") .*"
	saw "socket .*:5001 .*" 0
}

# at END COMMAND...: ip(8) in a namespace
at()
{
	nsenter --net="$1" ip "${@:2}"
}

@test "sockets of IPv6, and of IPv4 in an IPv6 socket" {
	wire
	at "$here" -6 address add fd99::1/64 dev ib0 nodad
	at "$there" -6 address add fd99::2/64 dev ib0 nodad
	serve 5001
	send -i 2 fd99::2 5001
	six=$sender
	send -i 1 ::ffff:10.99.0.2 5001
	look
	saw "address fd99::1/64 netdev ib0 netns $(inode_of "$here")"
	saw "socket fd99::1:[0-9]+ fd99::2:5001 pid $six uid 0 sent 1024 received 1 .*" 2
	saw "socket fd99::2:5001 fd99::1:[0-9]+ pid $server uid 0 sent [01] received 1024 .*" 2
	saw "socket 10.99.0.1:[0-9]+ 10.99.0.2:5001 pid $sender uid 0 sent 1024 .*"
}

@test "a socket with another address whose peer is routed over IPoIB is one on IPoIB" {
	wire
	at "$here" address add 10.98.0.1/32 dev lo
	at "$there" route add 10.98.0.1/32 dev ib0
	serve 5001
	send -b 10.98.0.1 -i 1 -r 20 10.99.0.2 5001
	look
	saw "socket 10.98.0.1:[0-9]+ 10.99.0.2:5001 pid $sender .*" # the quiet one is not asked for
	saw "socket 10.99.0.2:5001 10.98.0.1:[0-9]+ pid $server .*" 2
}

@test "a socket of IPv6 is followed to its route as well" {
	wire
	at "$here" -6 address add fd98::1/128 dev lo
	at "$here" -6 address add fd99::1/64 dev ib0 nodad
	at "$there" -6 address add fd99::2/64 dev ib0 nodad
	at "$there" -6 route add fd98::1/128 dev ib0
	serve 5001
	send -b fd98::1 -r 20 fd99::2 5001
	look
	saw "socket fd98::1:[0-9]+ fd99::2:5001 pid $sender .*"
}

@test "a socket with an address of IPoIB whose peer is routed elsewhere is none" {
	wire
	serve 5001
	at "$here" link add v0 type veth peer name v1 netns "$server" ||
		skip "this kernel has no veth"
	at "$here" address add 10.97.0.1/24 dev v0
	at "$there" address add 10.97.0.2/24 dev v1
	at "$here" link set v0 up
	at "$there" link set v1 up
	at "$here" route add 10.99.0.2/32 via 10.97.0.2 dev v0
	send -b 10.99.0.1 -i 1 -r 20 10.99.0.2 5001
	look
	saw "socket 10.99.0.1:[0-9]+ 10.99.0.2:5001 pid $sender .*" # the quiet one
}

@test "a socket that several processes hold is of the lowest PID" {
	wire
	serve 5001
	start parent nsenter --net="$here" bash -c \
		'exec 9<>/dev/tcp/10.99.0.2/5001; sleep 60 & echo ready; wait'
	look
	saw "socket 10.99.0.1:[0-9]+ 10.99.0.2:5001 pid $pid .*"
}

@test "sockets that are nobody's yet, or no more, are not the kernel's" {
	wire
	serve 5001
	kill -STOP "$server" # accepts nothing, closes nothing
	send -n -i 2 10.99.0.2 5001
	look
	saw "socket 10.99.0.1:[0-9]+ 10.99.0.2:5001 pid $sender .*" 2
	saw "socket 10.99.0.2:.*" 0
	kill "$sender"
	wait "$sender" || :
	look nsenter --net="$here"
	saw "socket .*" 0
}

@test "without privilege other people's sockets have no owner, and that is said" {
	"${NOBODY[@]}" "$HOST_TOOLS/look" >/dev/null || skip "nobody may not run the program here"
	wire
	serve 5001
	as=("${NOBODY[@]}")
	send -i 1 10.99.0.2 5001
	# in the namespace of both, as a user on a cluster is
	look nsenter --net="$there" "${NOBODY[@]}"
	saw "socket 10.99.0.2:5001 .* pid 0 uid 0 sent [01] received 1024 .* unread 1"
	saw "unread /proc/\*/fd: Permission denied"
	saw "unread /proc/\*/ns/net: Permission denied"
}

@test "a namespace that cannot be entered is told, and what is in it is not seen" {
	wire
	serve 5001
	send -i 1 10.99.0.2 5001
	look setpriv --bounding-set -sys_admin --inh-caps -sys_admin
	saw "netns $(inode_of "$here") path /proc/$sender/ns/net own 0 error 1"
	saw "unread /proc/$sender/ns/net: Operation not permitted"
	saw "socket .*" 0
}

@test "processes that end while they are read cost only themselves" {
	local i

	wire
	serve 5001
	send -i 3 10.99.0.2 5001
	# shellcheck disable=SC2016 # for the inner shell
	start churn nsenter --net="$here" bash -c 'echo ready
		while :; do (exec 9<>/dev/tcp/10.99.0.2/5001); done 2>/dev/null'
	for ((i = 0; i < 20; i++)); do
		look
		saw "socket 10.99.0.1:[0-9]+ 10.99.0.2:5001 pid $sender .*" 3
		saw "process $sender comm .*"
	done
}

@test "thousands of sockets are counted, each once" {
	wire
	serve 5001
	send -i 3000 10.99.0.2 5001
	look
	saw "socket 10.99.0.1:[0-9]+ 10.99.0.2:5001 pid $sender .* sent 1024 received 1 .*" 3000
	saw "process $sender comm .*"
}
