# SPDX-License-Identifier: BSD-2-Clause
# Makes a C text of each file: index.html becomes page_index_html.
BEGIN {
	print "#include \"serve.h\""
}
FNR == 1 {
	name = FILENAME
	sub(/.*\//, "", name)
	gsub(/[^a-z]/, "_", name)
	printf "%s\nconst char page_%s[] =\n", NR == 1 ? "" : ";\n", name
}
{
	gsub(/[\\"]/, "\\\\&")
	gsub(/\t/, "\\t")
	printf "\t\"%s\\n\"\n", $0
}
END {
	print ";"
}
