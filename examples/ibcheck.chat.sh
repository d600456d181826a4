#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A hook of ibcheck that writes what changed into a chat, by a web hook that accepts
# {"text": "..."} (Mattermost, Slack, Rocket.Chat); see ibcheck-hook(5).  Needs jq and curl.
#
#	install -m 700 ibcheck.chat.sh /usr/local/sbin/ibcheck-chat
#
# and in ibcheck.conf, below [common]: hook = /usr/local/sbin/ibcheck-chat
# The address is a secret: write it into the copy, which only its owner can read.  For ibcheck-serve.service that is
#	install -m 500 -o ibcheck-serve ibcheck.chat.sh /usr/local/sbin/ibcheck-chat
# and IPAddressAllow= of the server (systemctl edit).
set -eu
url=https://chat.example.com/hooks/0123456789abcdef

message=$(jq '{ text: ([.reports[] | (.verdict | ascii_upcase),
	(.cases[] | "\(.state // "now"): \(.severity) \(.check) at \(.subject.node_desc // "the fabric")" +
		if .subject.port then "/\(.subject.port)" else "" end + ", \(.message) [\(.id)]")] | join("\n")) }')

printf '%s\n' "$message" |
	curl --fail --silent --show-error --max-time 20 --output /dev/null \
		--header 'Content-Type: application/json' --data @- "$url"
