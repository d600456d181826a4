#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The packages build from a clean export, and lintian and we find in them what belongs there.

load helper.bash

obstacle()
{
	lacking lintian
}

prepare()
{
	:
}

# folders PACKAGE: those that have files in it, and where links lead
folders()
{
	dpkg-deb -c "$PACKAGES/$1"_[0-9]*.deb |
		sed -nE "s,\./usr/lib/(systemd|udev)/,./lib/\\1/,
			s/$(dpkg-architecture -q DEB_HOST_MULTIARCH)/TRIPLET/
			s/^-.* \.(.*)\/.*/\1/p
			s/^l.* \.(.* -> .*)/\1/p" | sort -u
}

@test "lintian finds nothing" {
	lintian --allow-root -EvIL +pedantic --fail-on error,warning,info,pedantic,experimental \
		"$PACKAGES"/*.changes
}

@test "every file is where its package has it" {
	[ "$(folders ibcheck)" = "/lib/systemd/system
/lib/udev/rules.d
/usr/bin
/usr/lib/sysusers.d
/usr/lib/tmpfiles.d
/usr/libexec/ibcheck
/usr/share/bash-completion/completions
/usr/share/doc/ibcheck
/usr/share/doc/ibcheck/doc
/usr/share/doc/ibcheck/doc/pictures
/usr/share/doc/ibcheck/examples
/usr/share/fish/vendor_completions.d
/usr/share/ibcheck
/usr/share/ibcheck/integrations
/usr/share/ibcheck/topologies
/usr/share/lintian/overrides
/usr/share/man/man5
/usr/share/man/man7
/usr/share/man/man8
/usr/share/zsh/vendor-completions" ]
	[ "$(folders ibcheck-sim)" = "/usr/bin
/usr/libexec/ibcheck-sim
/usr/share/doc/ibcheck-sim
/usr/share/man/man1" ]
	[ "$(folders libibcheck0)" = "/usr/lib/TRIPLET
/usr/lib/TRIPLET/libibcheck.so.0 -> libibcheck.so.$(version)
/usr/share/doc/libibcheck0
/usr/share/lintian/overrides" ]
	[ "$(folders libibcheck-dev)" = "/usr/include/ibcheck
/usr/lib/TRIPLET/libibcheck.so -> libibcheck.so.0
/usr/lib/TRIPLET/pkgconfig
/usr/share/doc/libibcheck-dev
/usr/share/doc/libibcheck-dev/examples
/usr/share/man/man3" ]
}

@test "the changelogs and the spec have the version of the program" {
	[[ "$(deb_version)" == "$(version)"-* ]]
	[ "$(sed -n 's/^Version: *//p' "$TOP/ibcheck.spec")" = "$(version)" ]
	[ "$(sed -n 's/^## //p;T;q' "$TOP/CHANGELOG.md")" = "$(version)" ]
	grep -A 1 '^%changelog' "$TOP/ibcheck.spec" | grep -q -- "- $(version)-1$"
}

@test "the packages need for their build what bootstrap installs for it" {
	diff <(sed -nE '/^Build-Depends/,/^[^ ]+:/s/^ ([^ ,]+),?$/\1/p' "$TOP/debian/control" | sort) \
		<(sed -nE 's/^build +([^ ]+) .*/\1/p' "$TOP/bootstrap" |
			grep -vxE 'gcc|libc6-dev|make' | sort)
}

@test "the spec needs for its build what pkg-config is asked for, and rpmlint accepts it" {
	local variable

	diff <(sed -n 's/^BuildRequires: *pkgconfig(\(.*\))/\1/p' "$TOP/ibcheck.spec" | grep -vx cmocka | sort) \
		<(for variable in LIB_PKGS CMD_PKGS LOADED_PKGS; do
			make -s -C "$TOP" print-$variable
		done | tr ' ' '\n' | sort -u)
	command -v rpmlint >/dev/null || skip "needs rpmlint"
	rpmlint -r "$TOP/tests/deb/rpmlintrc" "$TOP/ibcheck.spec"
}

# of two clones whose owners have nothing else in common
@test "make dist writes the same bytes anywhere" {
	local clone masks=(022 077) zones=(UTC Asia/Tokyo) locales=(C C.UTF-8)

	cd "$BATS_TEST_TMPDIR"
	for clone in 0 1; do
		umask "${masks[clone]}"
		git clone -q "$TOP" "$clone"
		find "$clone" -path "$clone/.git" -prune -o -exec touch -hd "201$clone-01-01" {} +
		TZ=${zones[clone]} LC_ALL=${locales[clone]} make -s -C "$clone" dist O="$PWD/out$clone"
	done
	cmp out[01]/*.tar.gz
	tar -tzf out0/*.tar.gz | grep -qx "ibcheck-$(version)/Makefile"
}

# dh_shlibdeps does not see it; the packages with 64 bits of time provide the older name
@test "the library that is loaded when it is used is recommended" {
	local library package

	library=$(sed -n 's/^#define LIBRARY "\([^"]*\)".*/\1/p' "$TOP/cmd/live/httpd.c")
	package=$(dpkg -S "*/$library" | sed 's/:.*//; s/t64$//' | sort -u)
	[ -n "$package" ]
	dpkg-deb -f "$PACKAGES"/ibcheck_[0-9]*.deb Recommends | grep -qw "$package"
	grep -qw "$package" "$TOP/cmd/live/httpd.c"
}
