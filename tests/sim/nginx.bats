#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Conditions are evaluated where they are waited for, as often as that takes.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154
# "ibcheck serve" for users of other hosts: the example for nginx, as it is but for its names, in a
# real nginx.

bats_require_minimum_version 1.5.0

load serve.bash

setup()
{
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	IBCHECK=${IBCHECK:-$TOP/build/ibcheck}
	export TOP IBCHECK PATH=$PATH:/usr/sbin:/sbin
	command -v nginx >/dev/null || skip "nginx is missing: install nginx"
	cd "$BATS_TEST_TMPDIR" || return 1
	serve --source "$TOP/tests/golden/fixtures/counted.snap"
	comes '[ "$(status_of metrics)" = 200 ]'
	proxy
}

teardown()
{
	[ -z "${nginx:-}" ] || kill "$nginx" 2>/dev/null || true
	[ -z "${server:-}" ] || kill "$server" 2>/dev/null || true
	wait
}

free_port()
{
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# The example, at a port of its own: $front; the server behind it stays at $url.
proxy()
{
	local port

	port=$(free_port)
	openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost \
		-addext subjectAltName=DNS:localhost -keyout key.pem -out cert.pem 2>/dev/null
	printf 'ann:%s\n' "$(openssl passwd -apr1 secret)" >users
	sed -e "s|listen 443 ssl|listen 127.0.0.1:$port ssl|" -e '/listen \[::\]/d' \
		-e "s|/etc/ssl/certs/.*;|$PWD/cert.pem;|" -e "s|/etc/ssl/private/.*;|$PWD/key.pem;|" \
		-e "s|/etc/nginx/ibcheck.users|$PWD/users|" \
		-e "s|http://127.0.0.1:9917|${url%/}|" "$TOP/examples/ibcheck.nginx.conf" >site.conf
	[ "$(grep -c "${url%/};" site.conf)" = 2 ]
	cat >nginx.conf <<-END
		daemon off;
		master_process off;
		pid $PWD/nginx.pid;
		error_log $PWD/nginx.log;
		events {}
		http {
			access_log off;
			client_body_temp_path $PWD/body;
			proxy_temp_path $PWD/proxy;
			fastcgi_temp_path $PWD/fastcgi;
			uwsgi_temp_path $PWD/uwsgi;
			scgi_temp_path $PWD/scgi;
			include $PWD/site.conf;
		}
	END
	nginx -e "$PWD/nginx.log" -p "$PWD" -c "$PWD/nginx.conf" >nginx.out 2>&1 3>&- &
	nginx=$!
	front=https://localhost:$port/
	comes '[ "$(through healthz -o /dev/null -w "%{http_code}" 2>/dev/null)" = 200 ] ||
		! kill -0 $nginx 2>/dev/null'
	cat nginx.out
	kill -0 "$nginx"
}

# anyone PATH [CURL-OPTION...]: without a password; through ...: with it
anyone()
{
	curl -sS --noproxy '*' --cacert cert.pem --max-time 60 "${@:2}" "$front$1"
}
through()
{
	anyone "$1" -u ann:secret "${@:2}"
}
front_status()
{
	anyone "$1" -o /dev/null -w '%{http_code}' "${@:2}"
}

@test "nginx in front asks for a password, over TLS" {
	[ "$(front_status '')" = 401 ]
	[ "$(front_status events)" = 401 ]
	[ "$(front_status metrics -u ann:wrong)" = 401 ]
	[ "$(front_status metrics -u ann:secret)" = 200 ]
	[ "$(front_status metrics -u ann:secret -X POST -d x=1)" = 403 ]
	through report.json | jq -e '.meta.command' >/dev/null
	# plain HTTP at that port gets nothing, nor does a client of old TLS
	[ "$(curl -s -o /dev/null -w '%{http_code}' --noproxy '*' "http${front#https}metrics" -u ann:secret)" = 400 ]
	run ! anyone healthz -u ann:secret --tls-max 1.1
}

@test "nginx in front passes gzip and events on as they come" {
	through metrics -H 'Accept-Encoding: gzip' -D headers | gzip -dc | grep -q '^infiniband_switch_port_up'
	grep -qi '^content-encoding: gzip' headers
	through metrics -D headers | grep -q '^infiniband_switch_port_up'
	run ! grep -qi '^content-encoding' headers
	# the first is there while the stream goes on
	through events -N >stream &
	client=$!
	comes '[ "$(grep -c "^data: " stream)" -gt 2 ]'
	kill -0 "$client"
	kill "$client"
}
