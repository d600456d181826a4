# SPDX-License-Identifier: BSD-2-Clause
# What a recorded run is not there for, in every format: the sentences of findings,
# and the lists of checks that ran or did not.  Severities, ids, subjects, facts,
# tables and sums stay.  tests/golden/run calls it, and tests/README.md explains it.
#
#	awk -v sentences="ID..." -v lists=1|0 -f mask.awk
#
# sentences: the checks whose sentences stay; lists: the lists of checks stay.

BEGIN {
	severity = "(CRITICAL|UNKNOWN|WARNING|INFO|known)"
	check = "[a-z]+[.][a-z-]+"
	string = "\"([^\"\\\\]|\\\\.)*\""
	field = "(\"([^\"]|\"\")*\"|[^,\"]*)"
	for (i = 0; i < 8; i++)
		fields8 = fields8 "," field
	blank10 = "          "
	n = split(sentences, ids)
	for (i = 1; i <= n; i++)
		is_kept[ids[i]] = 1
}

# The line up to the first SEPARATOR behind FROM, then dots, then the rest from TAIL on.
function cut(line, from, separator, tail,    at, rest)
{
	at = index(substr(line, from), separator)
	if (!at)
		return line
	at += from - 1 + length(separator)
	rest = substr(line, at)
	rest = tail && index(rest, tail) ? substr(rest, index(rest, tail)) : ""
	return substr(line, 1, at - 1) "..." rest
}

# The first check that LINE names behind the text before it.
function check_in(line, before,    id)
{
	if (!match(line, before check))
		return ""
	id = substr(line, RSTART, RLENGTH)
	match(id, check "$")
	return substr(id, RSTART)
}

function emit(line)
{
	if (line == previous && line == "  ...")
		return
	if (line == "not checked: ..." && previous ~ /not checked: [.][.][.]$/)
		return
	previous = line
	print line
}

# ---- lists of checks ----------------------------------------------------------

!lists {
	sub(/not checked: [a-z]+[.][a-z-]+(, [a-z]+[.][a-z-]+)*( and [0-9]+ more)? [(].*[)]$/, "not checked: ...")
	sub(/not checked: .*[(]--[a-z]+[)]/, "not checked: ...")
	sub(/[0-9]+ checks? passed/, "N checks passed")
	sub("\"ran\": \\[" string "(, " string ")*\\]", "\"ran\": [\"...\"]")
	one = "[{]\"check\": " string ", \"reason\": (" string "|null), \"option\": (" string "|null)[}]"
	sub("\"skipped\": \\[" one "(, " one ")*\\]", "\"skipped\": [\"...\"]")
}
!lists && /^ibcheck_check_findings[{].* 0$/ { next }
!lists && /^ibcheck_checks_(run|skipped)[{]/ { sub(/ [0-9]+$/, " N") }
# of help
!lists && /^  [a-z]+[.][a-z-]+( [a-z]+[.][a-z-]+)*$/ { $0 = "  ..." }

# ---- JUnit ---------------------------------------------------------------------

!lists && /^ *<testsuites? / {
	gsub(/ tests="[0-9]+"/, " tests=\"N\"")
	gsub(/ skipped="[0-9]+"/, " skipped=\"N\"")
}
# a test case of a check that found nothing: it ran, or it did not
/^ *<testcase / {
	id = check_in($0, " name=\"")
	held = $0
	next
}
held && !lists && id && (/^ *<\/testcase>/ || /^ *<skipped message="not checked: [^;]*"><\/skipped>/) {
	if (!/<skipped/)
		held = ""
	next
}
held {
	emit(held)
	held = ""
	in_case = 1
}
/^ *<\/testcase>/ { in_case = 0 }
in_case && id && !(id in is_kept) {
	if (match($0, / message="([0-9]+ findings, the first: )?/) &&
	    substr($0, RSTART + RLENGTH) !~ /^not checked/) {
		attribute = substr($0, 1, RSTART + RLENGTH - 1)
		rest = substr($0, RSTART + RLENGTH)
		end = index(rest, "\">")
		$0 = attribute cut(substr(rest, 1, end - 1), 1, ": ", "; known ") substr(rest, end)
	}
	if (match($0, "(^|>)" severity " "))
		$0 = cut($0, RSTART + RLENGTH, ": ", "; known ")
	sub(/^Fix: .*/, "Fix: ...")
}

# ---- JSON ----------------------------------------------------------------------

/^ *[{]("id": "[0-9a-f]+", )?"check": .*"subject": [{].*"message": / && !(check_in($0, "\"check\": \"") in is_kept) {
	sub("\"message\": " string, "\"message\": \"...\"")
	sub("\"advice\": " string, "\"advice\": \"...\"")
}

# ---- HTML ----------------------------------------------------------------------

/ class="(what|fix)">/ { sub(/ class="what">.*<\/p>$/, " class=\"what\">...</p>"); sub(/<\/b> .*<\/p>$/, "</b> ...</p>") }
/^<p>(follows: )?<code>/ { sub(/<\/bdi>: .*<\/p>$/, "</bdi>: ...</p>") }
/^<p class="change">/ { sub(/: [^<]*<\/p>$/, ": ...</p>") }

# ---- Nagios --------------------------------------------------------------------

/^IBCHECK [A-Z]+ - / && !(check_in($0, "; ") in is_kept) {
	if (match($0, "; " check " "))
		$0 = cut($0, RSTART + RLENGTH, ": ", " | criticals=")
}
$0 ~ "^" severity " ((until|since) [^:]*(:[^:]*)*: )?" check " .*: " && !/^known +[^us]/ ||
$0 ~ "^" severity "  +" check " [^ ].*: " {
	if (!((id = check_in($0, " ")) in is_kept))
		$0 = cut($0, index($0, id), ": ")
}

# ---- CSV -----------------------------------------------------------------------

# nine columns, then message and advice
$0 ~ "^([0-9a-f]+,)?" check ",(info|warning|unknown|critical)," && !(check_in($0, "") in is_kept) {
	if (match($0, "^([0-9a-f]+,)?" check fields8 ","))
		rest = substr($0, RLENGTH + 1)
	if (RSTART && match(rest, "^" field "," field))
		$0 = substr($0, 1, length($0) - length(rest)) "...,..." substr(rest, RLENGTH + 1)
}

# ---- text ----------------------------------------------------------------------

/^TIME UTC on HOST$/ { next }

$0 ~ "^" severity "  +" check "  " {
	in_finding = !($2 in is_kept)
	wants_message = in_finding
	emit($0)
	next
}
in_finding && substr($0, 1, 10) != blank10 { in_finding = 0 }
in_finding && wants_message {
	wants_message = 0
	emit(blank10 "...")
	next
}
in_finding && sub("^" blank10 "Fix: .*", blank10 "Fix: ...") {}

{ emit($0) }
