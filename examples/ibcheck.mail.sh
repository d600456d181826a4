#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A hook of ibcheck that sends a mail with what changed; see ibcheck-hook(5).  Needs jq and mail.
#
#	install -m 755 ibcheck.mail.sh /usr/local/sbin/ibcheck-mail
#
# and in ibcheck.conf, below [common]: hook = /usr/local/sbin/ibcheck-mail
# If jq or mail fails, ibcheck keeps the changes and gives them to the next run's hook.
set -eu
to=root

text=$(jq -r '
	def place(name; port): name + if port then "/\(port)" else "" end;
	def subject: if .kind == "fabric" then "fabric" else
		place(.node_desc // .node_guid; .port) + if .kind == "cable" then
			" - " + place(.peer_desc // .peer_guid; .peer_port) else "" end end;
	.reports[] | "\(.meta.time) \(.meta.command): \(.verdict)" +
		if .coverage.complete then "" else ", incomplete" end,
	(.cases[] | "  \(.state // "now") \(.severity) \(.check) \(.subject | subject) [\(.id)]: \(.message)",
		if .advice and .state != "gone" then "    Fix: \(.advice)" else empty end)')

printf '%s\n' "$text" | mail -s "InfiniBand: what changed" "$to"
