# SPDX-License-Identifier: BSD-2-Clause
# Makes C texts of page.css and page.js; -v hash: of the latter, SHA-256 in base64.
BEGIN {
	print "#include \"render/html.h\"\n"
	printf "const char page_script_hash[] = \"sha256-%s\";\n", hash
}
FNR == 1 {
	printf "%sconst char page_%s[] =\n", NR == 1 ? "" : ";\n", FILENAME ~ /css$/ ? "style" : "script"
}
{
	gsub(/[\\"]/, "\\\\&")
	gsub(/\t/, "\\t")
	printf "\t\"%s\\n\"\n", $0
}
END {
	print ";"
}
