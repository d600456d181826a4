# SPDX-License-Identifier: BSD-2-Clause
# For both files of tests, whose obstacle() prints why they cannot run here, or nothing.

bats_require_minimum_version 1.5.0

TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
O=${O:-build}
[[ $O == /* ]] || O=$TOP/$O
PACKAGES=$O/deb

setup_file()
{
	OBSTACLE=$(obstacle | paste -sd ,)
	export OBSTACLE
	[ -z "$OBSTACLE" ] || return 0
	"$BATS_TEST_DIRNAME/build" "$PACKAGES"
	prepare
}

setup()
{
	[ -z "$OBSTACLE" ] || skip "$OBSTACLE"
}

# lacking TOOL...: prints what of it, or of what builds packages, is not here
lacking()
{
	local tool

	for tool in git dh dpkg-buildpackage "$@"; do
		command -v "$tool" >/dev/null || echo "needs $tool"
	done
	git -C "$TOP" rev-parse --quiet --verify HEAD >/dev/null 2>&1 || echo "needs a git checkout"
}

# of the packages, the number of their build with it
deb_version()
{
	(cd "$TOP" && dpkg-parsechangelog -S Version)
}

version()
{
	make -s -C "$TOP" print-VERSION
}
