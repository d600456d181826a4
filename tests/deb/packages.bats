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
		sed -nE "s/$(dpkg-architecture -q DEB_HOST_MULTIARCH)/TRIPLET/
			s/^-.* \.(.*)\/.*/\1/p
			s/^l.* \.(.* -> .*)/\1/p" | sort -u
}

@test "lintian finds no error, and nothing that is not hardened" {
	local verdict=$BATS_TEST_TMPDIR/verdict

	lintian --allow-root --display-info --fail-on error "$PACKAGES"/*.changes >"$verdict" 2>&1 || {
		cat "$verdict"
		return 1
	}
	grep '^W:' "$verdict" | sed 's/^/# /' >&3 || true
	run ! grep hardening "$verdict"
}

@test "every file is where its package has it" {
	[ "$(folders ibcheck)" = "/lib/systemd/system
/usr/bin
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
/usr/share/man/man5
/usr/share/man/man7
/usr/share/man/man8
/usr/share/zsh/vendor-completions" ]
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

@test "the changelog has the version of the program" {
	[ "$(cd "$TOP" && dpkg-parsechangelog -S Version)" = "$(version)" ]
}

@test "the packages need for their build what bootstrap installs for it" {
	diff <(sed -nE '/^Build-Depends/,/^[^ ]+:/s/^ ([^ ,]+),?$/\1/p' "$TOP/debian/control" | sort) \
		<(sed -nE 's/^build +([^ ]+) .*/\1/p' "$TOP/bootstrap" |
			grep -vxE 'gcc|libc6-dev|make' | sort)
}

# dh_shlibdeps does not see it; the packages with 64 bits of time provide the older name
@test "the library that is loaded when it is used is recommended" {
	local library package

	library=$(sed -n 's/^#define LIBRARY "\([^"]*\)".*/\1/p' "$TOP/cmd/httpd.c")
	package=$(dpkg -S "*/$library" | sed 's/:.*//; s/t64$//' | sort -u)
	[ -n "$package" ]
	dpkg-deb -f "$PACKAGES"/ibcheck_[0-9]*.deb Recommends | grep -qw "$package"
	grep -qw "$package" "$TOP/cmd/httpd.c"
}
