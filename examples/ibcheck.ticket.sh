#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A hook of ibcheck that opens a ticket for a case, and closes it when the case is gone; see
# ibcheck-hook(5).  Needs jq and curl.
#
#	install -m 700 ibcheck.ticket.sh /usr/local/sbin/ibcheck-ticket
#
# and in ibcheck.conf, below [common]: hook = /usr/local/sbin/ibcheck-ticket
# The ID of a case is the same in every run, so it names the ticket.  The same change can come
# twice: PUT makes no second ticket of it.  Adapt the address and the fields to your system.
set -eu
url=https://tickets.example.com/api/ibcheck

cases=$(jq -c '.reports[].cases[] | select(.state)')
printf '%s\n' "$cases" | while read -r case; do
	[ -n "$case" ] || continue
	id=$(printf '%s\n' "$case" | jq -r .id)
	case $id in *[!0-9a-f]*) exit 1 ;; esac # it becomes a part of the address
	printf '%s\n' "$case" | jq '{
		status: (if .state == "gone" then "closed" else "open" end),
		title: "\(.check) \(.subject.node_desc // "fabric"): \(.message)",
		priority: .severity, text: .advice, since: .since, times: .times }' |
		curl --fail --silent --show-error --max-time 20 --output /dev/null --request PUT \
			--header 'Content-Type: application/json' --data @- "$url/$id"
done
