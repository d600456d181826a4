#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The packages in a Debian of their own: upgraded, used, purged, and tested by autopkgtest.  Its
# packages come from where apt of this machine has its own from.

load helper.bash

release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)

# where apt has the packages of this release from
mirror()
{
	apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
		awk -v release="$release" '$1 == release && $2 == "main" { print $3; exit }'
}

obstacle()
{
	local from

	[ "$(id -u)" = 0 ] || echo "needs root"
	lacking debootstrap autopkgtest
	from=$(mirror)
	[ -n "$from" ] && timeout 60 /usr/lib/apt/apt-helper download-file \
		"${from}dists/$release/InRelease" "$BATS_FILE_TMPDIR/InRelease" >/dev/null 2>&1 ||
		echo "the packages of $release cannot be had"
}

prepare()
{
	local needed

	# what the packages depend on is there before, so that only they make a difference
	needed=$(for p in "$PACKAGES"/*.deb; do dpkg-deb -f "$p" Depends; done |
		tr , '\n' | awk '$1 !~ /ibcheck/ { print $1 }' | sort -u | paste -sd ,)
	export TREE=$BATS_FILE_TMPDIR/tree
	# in a namespace: what it mounts is gone with it
	unshare --mount debootstrap --variant=minbase --include="gcc,libc6-dev,pkg-config,$needed" \
		"$release" "$TREE" "$(mirror)" >"$BATS_FILE_TMPDIR/log" 2>&1 || {
		tail -n 20 "$BATS_FILE_TMPDIR/log"
		return 1
	}
	rm -f "$TREE"/var/cache/apt/archives/*.deb
	files >"$BATS_FILE_TMPDIR/before"
}

teardown_file()
{
	[ -z "${TREE:-}" ] || rm -rf --one-file-system "$TREE"
}

# the version after this one: 0.3.1-1
NEXT=$(deb_version | awk -F '[.-]' '{ print $1 "." $2 "." $3 + 1 "-1" }')

# but for what useradd and userdel keep of before
files()
{
	find "$TREE" -xdev ! -path "$TREE/etc/*-" -printf '%P %M %U:%G %l\n' | sort
}

# what it mounts is gone with it; systemd-tmpfiles works nowhere else
with_proc()
{
	unshare --mount sh -c 'mount -t proc proc "$TREE/proc" && exec "$@"' sh "$@"
}

inside()
{
	with_proc chroot "$TREE" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
		PIECE="${PIECE:-}" "$@"
}

# next_version DIR: the packages, as if built of the version after this one
next_version()
{
	local package

	for package in "$PACKAGES"/*.deb; do
		dpkg-deb -R "$package" "$BATS_TEST_TMPDIR/next"
		sed -i -e "s/^Version: $(deb_version)$/Version: $NEXT/" -e "s/(= $(deb_version))/(= $NEXT)/" \
			"$BATS_TEST_TMPDIR/next/DEBIAN/control"
		dpkg-deb -b "$BATS_TEST_TMPDIR/next" "$1" >/dev/null
		rm -r "$BATS_TEST_TMPDIR/next"
	done
}

# as USER: a run that remembers
remember()
{
	inside runuser -u "$1" -- ibcheck all --state /var/lib/ibcheck \
		--source synth:fattree:leaves=2,spines=2,hosts=2,cables=1
}

# all below the state directory, with its rights and bytes
state()
{
	(cd "$TREE/var/lib/ibcheck" && find . -printf '%P %M %U:%G\n' -type f -exec sha256sum {} + | sort)
}

@test "an upgrade keeps configuration and state, which root and the group share" {
	mkdir -p "$TREE/packages/next"
	cp "$PACKAGES"/*.deb "$TREE/packages"
	next_version "$TREE/packages/next"
	# of a cron job from before there was a group
	mkdir "$TREE/var/lib/ibcheck"

	inside sh -c 'dpkg -i /packages/*.deb'
	[ "$(inside dpkg-query -W -f '${Version}' ibcheck)" = "$(deb_version)" ]
	[ "$(inside stat -c '%A %U:%G' /var/lib/ibcheck)" = "drwxrws--- root:ibcheck" ]
	inside useradd -M -G ibcheck oncall
	inside useradd -M visitor
	for user in oncall root oncall; do
		run -0 remember "$user"
	done
	run -3 remember visitor
	[[ $output == *'/var/lib/ibcheck'*'Permission denied'* ]]
	printf '[common]\nstate = /var/lib/ibcheck\n' >"$TREE/etc/ibcheck/ibcheck.conf"
	state >"$BATS_TEST_TMPDIR/state"
	cp -p "$TREE/etc/ibcheck/ibcheck.conf" "$BATS_TEST_TMPDIR"

	run -0 inside sh -c 'dpkg -i /packages/next/*.deb'
	[[ $output == *"ibcheck ($NEXT) over ($(deb_version))"* ]]
	rm -r "$TREE/packages"
	[ "$(inside dpkg-query -W -f '${Version}' ibcheck)" = "$NEXT" ]
	diff "$BATS_TEST_TMPDIR/state" <(state)
	cmp "$BATS_TEST_TMPDIR/ibcheck.conf" "$TREE/etc/ibcheck/ibcheck.conf"
	run -0 remember oncall
	inside userdel oncall
	inside userdel visitor
}

# configured VERSION: what is said after an upgrade from there
configured()
{
	run -0 inside env DPKG_MAINTSCRIPT_PACKAGE=ibcheck DPKG_MAINTSCRIPT_NAME=postinst \
		/var/lib/dpkg/info/ibcheck.postinst configure "$1"
}

@test "serve is a user of its own, and one that was root is told once where it remembered" {
	local wants=$TREE/etc/systemd/system/timers.target.wants

	run -0 inside id -nG ibcheck-serve
	[ "$output" = "ibcheck-serve ibcheck" ]
	[ ! -e "$TREE/var/lib/ibcheck-serve" ]
	configured 0.2.0-1
	[[ $output != *ibcheck-serve.service* ]]
	ln -s /lib/systemd/system/ibcheck-serve.service "$wants"
	configured 0.2.0-1
	[[ $output == *'now, and remembers in /var/lib/ibcheck-serve'* ]]
	configured "$(deb_version)"
	[[ $output != *ibcheck-serve.service* ]]
	rm "$wants/ibcheck-serve.service"
}

@test "the program runs on the topologies beside it" {
	run -0 inside ibcheck --version
	[ "${lines[0]}" = "ibcheck $(version)" ]
	[[ $output == *"libibcheck "*"/libibcheck.so.$(version)"* ]]
	run -2 inside sh -c 'cd /usr/share/ibcheck/topologies &&
		ibcheck topo two-level-small.csv --source two-level-small+swapped.net'
	[[ $output == *'leaf01/5 belongs on spine01/1, leaf03/6 on spine02/3'* ]]
}

@test "the example builds against the library, and runs" {
	inside sh -c 'cc -Wall -Wextra -Werror -o /tmp/nodes \
		/usr/share/doc/libibcheck-dev/examples/nodes.c $(pkg-config --cflags --libs libibcheck)'
	run -0 inside /tmp/nodes synth:fattree:leaves=2,spines=2,hosts=2,cables=1
	[ ${#lines[@]} = 8 ]
	rm "$TREE/tmp/nodes"
}

@test "purged, nothing is left of a timer that has run, and all of what others wrote" {
	local written=("$TREE/var/lib/ibcheck/fe80000000000000-0200000000000010/history.db"
		"$TREE/var/lib/ibcheck-serve/fe80000000000000-0200000000000010/history.db"
		"$TREE/var/lib/prometheus/node-exporter/ibcheck-counters.prom")
	local theirs=$TREE/var/lib/ibcheck/monday.snap

	# as "systemctl enable" does
	ln -s /lib/systemd/system/ibcheck-counters.timer \
		"$TREE/etc/systemd/system/timers.target.wants"
	mkdir -p "${written[@]%/*}"
	touch "${written[@]}" "$theirs"

	inside dpkg --remove ibcheck ibcheck-sim libibcheck-dev libibcheck0
	[ -e "${written[0]}" ]
	inside dpkg --purge ibcheck ibcheck-sim libibcheck-dev libibcheck0
	[ ! -e "${written[0]}" ] && [ ! -e "$TREE/var/lib/ibcheck-serve" ] && [ ! -e "${written[2]}" ]
	[ -e "$theirs" ]
	[ -e "$TREE/etc/ibcheck/ibcheck.conf" ]
	rm -r "$TREE/var/lib/ibcheck" "$TREE/var/lib/prometheus" "$TREE/etc/ibcheck"
	diff "$BATS_FILE_TMPDIR/before" <(files)
}

# the last one: it leaves in the tree what it has installed
@test "autopkgtest, which has the packages from apt, runs a simulated fabric" {
	# opensm would start
	printf '#!/bin/sh\nexit 101\n' >"$TREE/usr/sbin/policy-rc.d"
	chmod +x "$TREE/usr/sbin/policy-rc.d"
	mkdir "$BATS_TEST_TMPDIR/source"
	cp -r "$TOP/debian" "$BATS_TEST_TMPDIR/source"
	run with_proc autopkgtest -B "$PACKAGES"/*.deb "$BATS_TEST_TMPDIR/source/" \
		--setup-commands "apt-get update" -- chroot "$TREE"
	echo "$output"
	[ "$status" = 0 ]
	[[ $output =~ fabric\ +PASS ]]
	[[ $output =~ library\ +PASS ]]
}
