# SPDX-License-Identifier: BSD-2-Clause
# Makes a C table of the texts that explain checks: <id>.txt is the text of the check <id>.
# Lines of a paragraph flow together, but an indented one begins a line of its own.
BEGIN {
	print "#include \"check/groups.h\"\n\nconst struct explanation explanations[] = {"
}
FNR == 1 {
	id = FILENAME
	sub(/.*\//, "", id)
	sub(/\.txt$/, "", id)
	printf "%s\t{ \"%s\",\n", NR == 1 ? "" : "\" },\n", id
	open = text = 0
}
/^[ \t]*$/ {
	open = 0
	next
}
{
	indented = sub(/^[ \t]+/, "")
	gsub(/[\\"]/, "\\\\&")
	if (text)
		print (open ? (indented ? "\\n" : " ") : "\\n\\n") "\""
	printf "\t  \"%s", $0
	open = text = 1
}
END {
	print (NR ? "\" },\n" : "") "\t{ 0 }\n};"
}
