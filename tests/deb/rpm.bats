#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The packages of RPM are built from the source package that COPR gets.  rpmlint reads the spec alone,
# in packages.bats: packages that were built on Debian are neither stripped nor compressed nor signed.

bats_require_minimum_version 1.5.0

TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)

# build SOURCE: rpm of Debian has no systemd-rpm-macros
build()
{
	rpmbuild --rebuild --nodeps --nocheck --define "_topdir $PWD/rpm" \
		--define "_unitdir /usr/lib/systemd/system" \
		--define "_udevrulesdir /usr/lib/udev/rules.d" \
		--define "_sysusersdir /usr/lib/sysusers.d" \
		--define "_tmpfilesdir /usr/lib/tmpfiles.d" "$1"
}

@test "the spec builds, and every file is in one of its packages" {
	for tool in git rpmbuild; do
		command -v $tool >/dev/null || skip "needs $tool"
	done
	cd "$BATS_TEST_TMPDIR"
	git clone -q "$TOP" clone
	make -s -f clone/.copr/Makefile srpm outdir=out >&2
	# files that no package has are an error of rpmbuild
	run -0 build out/ibcheck-*.src.rpm
	rpm -qlp rpm/RPMS/*/ibcheck-[0-9]*.rpm >files
	for file in /usr/bin/ibcheck /usr/lib/sysusers.d/ibcheck.conf /usr/lib/tmpfiles.d/ibcheck.conf \
		/usr/lib/udev/rules.d/70-ibcheck.rules /usr/lib/systemd/system/ibcheck-serve.service; do
		grep -qx "$file" files
	done
	rpm -qp --requires rpm/RPMS/*/ibcheck-[0-9]*.rpm | grep -q '^ibcheck-libs'
	# the Open Build Service refuses a folder that no package has; these are of the package filesystem
	comm -23 <(grep -vxFf <(rpm -qlp rpm/RPMS/*/*.rpm) <(rpm -qlp rpm/RPMS/*/*.rpm | sed 's|/[^/]*$||') | sort -u) \
		<(printf '%s\n' /usr/{bin,include,lib64,lib,libexec} /usr/lib64/pkgconfig /usr/lib/{sysusers.d,tmpfiles.d} \
			/usr/lib/{systemd/system,udev/rules.d} /usr/share/man/man{1,3,5,7,8} /usr/share/doc \
			/usr/share/licenses /usr/share /etc '' | sort) >strange
	diff /dev/null strange
}

# the spec's tarball has to be what this recipe makes, and the spec what it takes out of the tree
@test "the recipe for the Open Build Service names what is there" {
	local service=$TOP/.obs/_service

	grep -q '<param name="extract">ibcheck.spec</param>' "$service"
	grep -q '<param name="compression">gz</param>' "$service"
	grep -qx 'Source0: *%{name}-%{version}.tar.gz' "$TOP/ibcheck.spec"
	python3 -c 'import sys, xml.etree.ElementTree as e; e.parse(sys.argv[1])' "$service"
}
