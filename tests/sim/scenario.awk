# SPDX-License-Identifier: BSD-2-Clause
# Reads a netlist and a scenario, verifies each line of it, and prints what is to be done:
# milliseconds, line number, text, kind, argument, with tabs between.  ibcheck-sim(1) describes
# the lines.  Complaints go to stderr, all of them; then the exit status is 1.
#
#	awk -f scenario.awk -v sm=SM [-v now=1] NETFILE SCENARIO
#
# sm: "none", "once", "keep".  now: a fault of this moment; what was unplugged before is not known.

BEGIN {
	FS = "\n" # a line is taken apart here
	# the faults: how many words follow, after the name of a port or node
	words["unlink"] = words["relink"] = words["quit"] = words["sm-down"] = 0
	words["lose"] = words["width"] = words["speed"] = 1
	words["errors"] = 2
	form["unlink"] = form["relink"] = "PORT or NODE"
	form["lose"] = "NODE PERCENT"
	form["width"] = "PORT WIDTH"
	form["speed"] = "PORT SPEED"
	form["errors"] = "PORT COUNTER VALUE"

	# what ibsim counts, in which attribute, and the bits each has there (IBA 16.1.3, 16.1.4)
	counters("PortCounters", 4, "LocalLinkIntegrityErrors ExcessiveBufferOverrunErrors")
	counters("PortCounters", 8, "LinkErrorRecoveryCounter LinkDownedCounter " \
		"PortXmitConstraintErrors PortRcvConstraintErrors")
	counters("PortCounters", 16, "SymbolErrorCounter PortRcvErrors " \
		"PortRcvRemotePhysicalErrors PortRcvSwitchRelayErrors PortXmitDiscards VL15Dropped")
	counters("PortCounters", 32, "PortXmitWait")
	counters("PortRcvErrorDetails", 16, "PortLocalPhysicalErrors PortMalformedPacketErrors " \
		"PortBufferOverrunErrors PortDLIDMappingErrors PortVLMappingErrors PortLoopingErrors")
	counters("PortXmitDiscardDetails", 16, "PortInactiveDiscards PortNeighborMTUDiscards " \
		"PortSwLifetimeLimitDiscards PortSwHOQLifetimeLimitDiscards")
	# 64 bits, of which awk counts 53
	counters("PortCountersExtended", 53, "PortXmitData PortRcvData PortXmitPkts PortRcvPkts")

	# what is enabled to hold a port there, by ibportstate: this one and those below it
	hold["width 1x"] = "width 1"
	hold["width 4x"] = "width 3"
	hold["width 12x"] = "width 11"
	hold["speed SDR"] = "speed 1"
	hold["speed DDR"] = "speed 3"
	hold["speed QDR"] = "speed 7"
	hold["speed FDR"] = "espeed 1"
	hold["speed EDR"] = "espeed 3"

	netfile = ARGV[1]
	read(netfile)
	ARGV[1] = ""
}

function counters(attribute, width, names,    n, i, list)
{
	n = split(names, list, " ")
	for (i = 1; i <= n; i++) {
		attribute_of[list[i]] = attribute
		bits[list[i]] = width
	}
}

# how ibcheck calls it: of "MF0;leaf01:MQM8700/U1" leaf01, of a director's ASIC "core1 L05/U1"
function plain(desc,    model)
{
	if (desc !~ /^MF0;.*:.*\/U[0-9]+$/)
		return desc
	desc = substr(desc, 5)
	model = desc
	sub(/^.*:/, "", model)
	sub(/:[^:]*$/, "", desc)
	return model ~ /\/.*\// ? desc " " substr(model, index(model, "/") + 1) : desc
}

function called(name, id)
{
	if (name == "" || (name in id_of && id_of[name] == id))
		return
	if (name in id_of)
		id = "" # two of one name: none
	id_of[name] = id
}

function node(line,    part, id)
{
	split(line, part, "\"")
	id = part[2]
	match(line, /[0-9]+/)
	ports[id] = substr(line, RSTART, RLENGTH) + 0
	is_switch[id] = line ~ /^Switch/
	called(id, id)
	called(part[4], id)
	called(plain(part[4]), id)
	return id
}

# [1](GUID) "PEER"[2](GUID) # "name" lid 4 4xEDR
function cable(id, line,    port, part, other)
{
	port = substr(line, 2) + 0
	split(line, part, "\"")
	if (part[2] == "")
		return
	other = substr(part[3], 2) + 0
	peer[id, port] = part[2] SUBSEP other
	peer[part[2], other] = id SUBSEP port
	if (match(line, /[0-9]+x(SDR|DDR|QDR|FDR10|FDR|EDR|HDR|NDR|XDR)[ \t\r]*$/)) {
		part[1] = substr(line, RSTART)
		sub(/[ \t\r]+$/, "", part[1])
		rate[id, port] = part[1]
		rate[part[2], other] = part[1]
	}
}

function read(file,    line, part, id)
{
	while ((getline line < file) > 0) {
		if (line ~ /^include/) {
			split(line, part, "\"")
			read(part[2])
		} else if (line ~ /^(Switch|Hca|Ca|Rt)[^a-z]/)
			id = node(line)
		else if (line ~ /^\[[0-9]+\]/)
			cable(id, line)
	}
	close(file)
}

function complain(text)
{
	print (now ? "" : FILENAME ":" FNR ": ") text | "cat >&2"
	wrong = 1
	return 0
}

# "1m30s" as milliseconds; -1: none
function time(text,    sum, unit)
{
	if (text !~ /^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$/)
		return -1
	while (match(text, /^[0-9.]+[a-z]+/)) {
		unit = substr(text, 1, RLENGTH)
		text = substr(text, RLENGTH + 1)
		sum += unit * (unit ~ /ms$/ ? 1 : unit ~ /s$/ ? 1000 : unit ~ /m$/ ? 60000 : 3600000)
	}
	return sum
}

# The node and port of a name: $id and $port; 0 if there is none, 1 for a node, 2 for a port.
function find(name,    slash)
{
	port = ""
	slash = match(name, /\/[0-9]+$/)
	if (slash && !(name in id_of)) {
		port = substr(name, slash + 1) + 0
		name = substr(name, 1, slash - 1)
	}
	if (!(name in id_of))
		return complain("no node of " netfile " is called \"" name "\"")
	id = id_of[name]
	if (id == "")
		return complain("several nodes are called \"" name "\": write the identifier of one, as in " netfile)
	if (port == "")
		return 1
	if (port < 1 || port > ports[id])
		return complain(name " has ports 1 to " ports[id] ", no " port)
	return 2
}

function need_port(name,    found)
{
	found = find(name)
	if (found == 1)
		complain("\"" name "\" is a node; a port is NODE/NUMBER, such as leaf01/3")
	return found == 2
}

function end(at)
{
	return "\"" id "\"" (at ? "[" at "]" : "")
}

function whole(text, least, most)
{
	return text ~ /^[0-9]+$/ && text + 0 >= least && text + 0 <= most
}

# unlink, relink: whether a cable is plugged in or not, before and after
function plug(name, out,    p, moved, found)
{
	found = find(name)
	if (!found)
		return
	if (found == 2 && !((id, port) in peer))
		return complain(name " has no cable")
	for (p = 1; p <= ports[id]; p++) {
		if (port != "" && p != port || !((id, p) in peer) || pulled[id, p] + 0 == out)
			continue
		pulled[id, p] = pulled[peer[id, p]] = out
		moved++
	}
	if (!moved && !now)
		return complain(name (out ? " is unlinked already" : ": no line above unlinks it"))
	act("console", (out ? "Unlink " : "ReLink ") end(port))
}

function set_counter(name, counter, value)
{
	if (!(counter in bits))
		return complain("ibsim has no counter \"" counter "\"; ibcheck-sim(1) lists those it has")
	if (!whole(value, 0, 2 ^ bits[counter] - 1))
		return complain(counter " is a number of 0 to " sprintf("%.0f", 2 ^ bits[counter] - 1) ", not \"" value "\"")
	if (need_port(name))
		act("console", sprintf("PerformanceSet %s %s.%s=%s", end(port), attribute_of[counter], counter, value))
}

# A rate of base speeds cannot be held to an extended one, and the reverse has no effect.
function limit(what, name, value,    had, order)
{
	if (!((what " " value) in hold))
		return complain(what " is one of " (what == "width" ? "1x 4x 12x" : "SDR DDR QDR FDR EDR") ", not \"" value "\"")
	if (sm == "none")
		return complain(what " needs ports that a subnet manager has configured, if only once")
	if (!need_port(name))
		return
	if (!((id, port) in peer))
		return complain(name " has no cable")
	# a program runs on a CA whose port 1 is cabled, and that is how it is done
	if (!is_switch[id] && port != 1)
		return complain("only port 1 of an HCA can be held: name the other end of the cable")
	had = rate[id, port]
	if (had == "")
		return complain(netfile " does not give the rate of " name ", such as 4xEDR at the end of its line")
	if (what == "width" && value + 0 > had + 0)
		return complain(name " has " had + 0 "x, which can be held to no more")
	sub(/^[0-9]+x/, "", had)
	order = had ~ /^(SDR|DDR|QDR)$/ ? " SDR DDR QDR" : had ~ /^(FDR|EDR)$/ ? " FDR EDR" : ""
	if (what == "speed" && (!index(order, value) || index(order, value) > index(order, had)))
		return complain(name " runs at " had ": ibsim " (order == "" ? "does not simulate that speed" : \
			"can hold it to" substr(order, 1, index(order, had) + 2) " only"))
	act("hold", port " " hold[what " " value] " " id)
}

function act(kind, argument)
{
	# what its console takes
	if (kind == "console" && length(argument) > 126)
		return complain("the identifier " id " is too long for the console of ibsim")
	printf "%.0f\t%d\t%s\t%s\t%s\n", at, FNR, text, kind, argument
}

{
	sub(/\r$/, "")
	sub(/(^|[ \t]+)#.*/, "")
	gsub(/[ \t]+/, " ")
	sub(/^ /, "")
	sub(/ $/, "")
}

$0 == "" { next }

{
	text = last_line = $0
	n = split(text, word, " ")
	last = at
	at = time(word[1])
	if (at < 0) {
		complain("\"" word[1] "\" is not a time, such as 30s, 1m30s or 500ms")
		at = last
		next
	}
	if (at < last) {
		complain(word[1] " is before the line above: times count from the start of COMMAND, in order")
		at = last
		next
	}
	what = word[2]
	if (!(what in words)) {
		complain("\"" what "\" is no fault; those are unlink, relink, errors, lose, width, speed, sm-down, quit")
		next
	}
	if (quitted)
		complain("a line above ends COMMAND: nothing comes after it")
	if (!(what in form)) {
		if (n > 2)
			complain(what " takes nothing after it")
		else if (what == "sm-down" && sm != "keep")
			complain("sm-down needs a subnet manager that is kept: --sm=keep, or --standby")
		else
			act(what, "")
		quitted = what == "quit"
		next
	}
	if (n < 3 + words[what]) {
		complain(what " takes " form[what])
		next
	}
	name = word[3]
	for (i = 4; i <= n - words[what]; i++)
		name = name " " word[i]
	if (what == "unlink" || what == "relink")
		plug(name, what == "unlink")
	else if (what == "errors")
		set_counter(name, word[n - 1], word[n])
	else if (what == "lose") {
		if (!whole(word[n], 0, 100))
			complain("lose takes a percentage of 0 to 100, not \"" word[n] "\"")
		else if (find(name))
			act("console", "Error " end(port) " " word[n])
	} else
		limit(what, name, word[n])
}

END {
	if (last_line == "")
		complain("no fault in it")
	close("cat >&2")
	exit wrong
}
