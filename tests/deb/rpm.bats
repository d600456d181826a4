#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The packages of RPM are built from what "make dist" writes.  rpmlint reads the spec alone, in
# packages.bats: packages that were built on Debian are neither stripped nor compressed nor signed.

bats_require_minimum_version 1.5.0

TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)

# rpm of Debian has no systemd-rpm-macros
build()
{
	rpmbuild -bb --nodeps --nocheck --define "_topdir $PWD/rpm" --define "_sourcedir $PWD" \
		--define "_unitdir /usr/lib/systemd/system" \
		--define "_udevrulesdir /usr/lib/udev/rules.d" \
		--define "_sysusersdir /usr/lib/sysusers.d" \
		--define "_tmpfilesdir /usr/lib/tmpfiles.d" "$TOP/ibcheck.spec"
}

@test "the spec builds, and every file is in one of its packages" {
	for tool in git rpmbuild; do
		command -v $tool >/dev/null || skip "needs $tool"
	done
	cd "$BATS_TEST_TMPDIR"
	make -s -C "$TOP" dist O="$PWD"
	# files that no package has are an error of rpmbuild
	run -0 build
	rpm -qlp rpm/RPMS/*/ibcheck-[0-9]*.rpm >files
	for file in /usr/bin/ibcheck /usr/lib/sysusers.d/ibcheck.conf /usr/lib/tmpfiles.d/ibcheck.conf \
		/usr/lib/udev/rules.d/70-ibcheck.rules /usr/lib/systemd/system/ibcheck-serve.service; do
		grep -qx "$file" files
	done
	rpm -qp --requires rpm/RPMS/*/ibcheck-[0-9]*.rpm | grep -q '^ibcheck-libs'
}
