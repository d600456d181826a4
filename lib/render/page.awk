# SPDX-License-Identifier: BSD-2-Clause
# Makes C texts of page.css and page.js, without their indents; -v hash: of the latter, which is
# then without them too, SHA-256 in base64.
BEGIN {
	print "#include \"render/html.h\"\n"
	printf "const char page_script_hash[] = \"sha256-%s\";\n", hash
}
FNR == 1 {
	printf "%sconst char page_%s[] =\n", NR == 1 ? "" : ";\n", FILENAME ~ /css$/ ? "style" : "script"
}
{
	sub(/^\t+/, "")
	gsub(/[\\"]/, "\\\\&")
	printf "\t\"%s\\n\"\n", $0
}
END {
	print ";"
}
