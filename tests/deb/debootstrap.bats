#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The packages in a Debian of their own: installed, used, purged.  Its packages come from where
# apt of this machine has its own from.

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
	lacking debootstrap
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

files()
{
	find "$TREE" -xdev -printf '%P %M %U:%G %l\n' | sort
}

inside()
{
	chroot "$TREE" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 PIECE="${PIECE:-}" "$@"
}

@test "installed, the program runs on the topologies beside it" {
	mkdir "$TREE/packages"
	cp "$PACKAGES"/*.deb "$TREE/packages"
	inside sh -c 'dpkg -i /packages/*.deb'
	rm -r "$TREE/packages"

	[ "$(inside ibcheck --version)" = "ibcheck $(version)" ]
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
		"$TREE/var/lib/prometheus/node-exporter/ibcheck-counters.prom")
	local theirs=$TREE/var/lib/ibcheck/monday.snap

	# as "systemctl enable" does
	ln -s /lib/systemd/system/ibcheck-counters.timer \
		"$TREE/etc/systemd/system/timers.target.wants"
	mkdir -p "${written[@]%/*}"
	touch "${written[@]}" "$theirs"

	inside dpkg --remove ibcheck libibcheck-dev libibcheck0
	[ -e "${written[0]}" ]
	inside dpkg --purge ibcheck libibcheck-dev libibcheck0
	[ ! -e "${written[0]}" ] && [ ! -e "${written[1]}" ]
	[ -e "$theirs" ]
	rm -r "$TREE/var/lib/ibcheck" "$TREE/var/lib/prometheus"
	diff "$BATS_FILE_TMPDIR/before" <(files)
}
