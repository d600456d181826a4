#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# What Prometheus' own tools say of our metrics and of our rules, and systemd of our units.

bats_require_minimum_version 1.5.0

setup()
{
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	IBCHECK=${IBCHECK:-$TOP/build/ibcheck}
	fixtures=$TOP/tests/golden/fixtures
	cd "$BATS_TEST_TMPDIR" || return 1
}

need()
{
	command -v "$1" >/dev/null || skip "$1 is missing: install $2"
}

# metrics ARGS...: what promtool says of the metrics of a run, whatever the verdict
metrics()
{
	"$IBCHECK" "$@" -f prometheus >metrics.prom 2>errors || [ $? -le 3 ]
	[ -s metrics.prom ] || {
		cat errors
		return 1
	}
	promtool check metrics <metrics.prom || {
		echo "ibcheck $*"
		return 1
	}
}

# no line twice, and the samples of a metric together
well_formed()
{
	[ -z "$(grep -v '^#' metrics.prom | sed 's/ [^ ]*$//' | sort | uniq -d)" ]
	[ -z "$(sed -n 's/^# TYPE \([^ ]*\) .*/\1/p' metrics.prom | sort | uniq -d)" ]
	awk '/^# TYPE/ { name = $3; next } /^#/ { next }
		{ sub(/\{.*/, ""); if ($0 != name) { print "stray: " $0; exit 1 } }' metrics.prom
}

@test "metrics of every command and of every fixture please promtool" {
	need promtool prometheus
	for file in "$fixtures"/*.snap; do
		"$IBCHECK" ports --source "$file" -q >/dev/null 2>&1 || [ $? -le 2 ] || continue
		for command in ports all counters; do
			metrics "$command" --source "$file"
			well_formed
		done
	done
	metrics checks
	metrics explain port.width
	metrics ports --source synth:fattree:leaves=4,spines=2,hosts=4
	well_formed
}

@test "metrics of two sweeps please promtool" {
	need promtool prometheus
	metrics counters --source "$fixtures/counted-later.snap" --since "$fixtures/counted.snap"
	well_formed
	grep -q '^infiniband_switch_port_transmit_wait_ratio{' metrics.prom
}

@test "metrics of the physical layer please promtool, and a hot module and a dark lane are told" {
	need promtool prometheus
	metrics cables --source "$fixtures/phy-later.snap"
	well_formed
	grep -qxF 'infiniband_module_alarms{guid="0x0200000000000010",port="5"} 1' metrics.prom
	grep -qxF 'infiniband_lane_receive_power_dbm{guid="0x0200000000000020",port="5",lane="1"} -40' metrics.prom
	grep '^infiniband_' metrics.prom | sed 's/} .*/}/' | sort >of-cables
	metrics phy --source "$fixtures/phy-later.snap"
	well_formed
	grep -q '^infiniband_phy_link_downs_total{' metrics.prom
	grep -q '^infiniband_phy_raw_bit_error_ratio{' metrics.prom
	# those of cables are among them
	grep '^infiniband_' metrics.prom | sed 's/} .*/}/' | sort >of-phy
	[ -z "$(comm -23 of-cables of-phy)" ]
}

@test "every port has a sample, down ones as well" {
	"$IBCHECK" counters --source "$fixtures/faults.snap" -f json >report.json || [ $? -le 3 ]
	"$IBCHECK" counters --source "$fixtures/faults.snap" -f prometheus >metrics.prom ||
		[ $? -le 3 ]
	known=$(jq '[.tables.counters[] | select(.node_type == "ca" or .node_type == "switch")
		| select(.up != null) | [.node_guid, .port]] | unique | length' report.json)
	[ "$(grep -cE '^infiniband_(switch|hca)_port_up\{' metrics.prom)" = "$known" ]
	grep -qE '^infiniband_(switch|hca)_port_up\{.*\} 0' metrics.prom
}

@test "a name cannot break out of its label" {
	need promtool prometheus
	sed 's/"desc":"leaf01"/"desc":"le\\"af\\\\\\n01} 1"/' "$fixtures/counted.snap" >evil.snap
	run ! cmp -s evil.snap "$fixtures/counted.snap"
	metrics counters --source evil.snap
	well_formed
	grep -qF 'switch="le\"af' metrics.prom
}

@test "the example rules are rules, and fire on what they should" {
	need promtool prometheus
	promtool check rules "$TOP/examples/ibcheck.rules.yml"
	promtool test rules "$TOP/tests/prometheus/rules_test.yml"
}

@test "the sums by switch and fabric are those of their ports" {
	need promtool prometheus
	promtool check rules "$TOP/examples/ibcheck.scale.yml"
	promtool test rules "$TOP/tests/prometheus/scale_test.yml"
	"$IBCHECK" counters --source "$fixtures/counted.snap" --metrics errors --ports switch \
		-f prometheus >metrics.prom || [ $? -le 3 ]
	names=$(grep -oE "\binfiniband_switch_[a-z_]+" "$TOP/examples/ibcheck.scale.yml" | sort -u)
	for name in $names; do
		grep -q "^$name{" metrics.prom || {
			echo "no $name"
			return 1
		}
	done
}

@test "a choice of metrics leaves out what it says, and changes nothing else" {
	"$IBCHECK" counters --source "$fixtures/counted-later.snap" --since "$fixtures/counted.snap" \
		-f prometheus >all || [ $? -le 3 ]
	metrics counters --source "$fixtures/counted-later.snap" --since "$fixtures/counted.snap" \
		--metrics errors --ports switch
	well_formed
	run ! grep -E '^infiniband_(hca_|.*(_bytes|_packets|_ratio))' metrics.prom
	grep -q '^infiniband_switch_port_symbol_error_total{' metrics.prom
	diff <(grep '^infiniband_switch_port_.*\(error\|_up{\)' all) \
		<(grep '^infiniband_switch_port_.*\(error\|_up{\)' metrics.prom)
	"$IBCHECK" counters --source "$fixtures/counted.snap" --metrics all --ports all \
		-f prometheus >metrics.prom || [ $? -le 3 ]
	"$IBCHECK" counters --source "$fixtures/counted.snap" -f prometheus >all || [ $? -le 3 ]
	diff <(grep ^infiniband_ all) <(grep ^infiniband_ metrics.prom)

	# not what would make values of a table unknown
	run -3 "$IBCHECK" counters --source "$fixtures/counted.snap" --ports switch -f json
	run -3 "$IBCHECK" counters --source "$fixtures/counted.snap" --metrics some -f prometheus
}

@test "a host has no findings of 0, and a fabric has" {
	mkdir host
	# shellcheck disable=SC1091
	(cd host && . "$TOP/tests/golden/fixtures/lay-out-gpu-host")
	metrics host --root host
	run ! grep '^ibcheck_check_findings{.* 0$' metrics.prom
	grep -q '^ibcheck_check_findings{.*check="host.port-state",severity="critical"} 1$' metrics.prom
	grep -q '^ibcheck_findings{.* 0$' metrics.prom
	metrics ports --source "$fixtures/counted.snap"
	grep -q '^ibcheck_check_findings{.* 0$' metrics.prom
}

@test "every metric that the example rules name is there" {
	"$IBCHECK" counters --source "$fixtures/counted-later.snap" --since "$fixtures/counted.snap" \
		-f prometheus >metrics.prom || [ $? -le 3 ]
	"$IBCHECK" all --source "$fixtures/faults.snap" --state state -f prometheus >>metrics.prom || [ $? -le 3 ]
	names=$(grep -oE "\b(ibcheck|infiniband)_[a-z_]+" "$TOP/examples/ibcheck.rules.yml" | grep -v ^ibcheck_serve_ | sort -u)
	[ "$(wc -w <<<"$names")" -gt 8 ]
	for name in $names; do
		grep -q "^$name{" metrics.prom || {
			echo "no $name"
			return 1
		}
	done
}

# run_line LINE: the command of an example, in a place of its own, on a fixture
run_line()
{
	local program="$IBCHECK --source $fixtures/counted.snap"

	mkdir -p prometheus/node-exporter ibcheck
	eval "$(sed -E -e "s|/var/lib/|$PWD/|g" -e "s#(^| )ibcheck #\1$program #" <<<"$1")" >output 2>&1 || [ $? -le 3 ]
}

@test "the example unit writes where it says, and systemd takes it" {
	run_line "$(sed -n 's/^ExecStart=//p' "$TOP/examples/ibcheck-counters.service")"
	[ -s prometheus/node-exporter/ibcheck-counters.prom ]
	find ibcheck -name history.db -size +0 | grep -q .

	need systemd-analyze systemd
	cp "$TOP"/examples/ibcheck-counters.* .
	sed -i -e "s|^ExecStart=ibcheck |ExecStart=$IBCHECK |" -e '/^Documentation=/d' \
		ibcheck-counters.service ibcheck-counters.timer
	# it may have something to say of other units as well
	systemd-analyze verify ./ibcheck-counters.timer ./ibcheck-counters.service >verdict 2>&1 ||
		true
	run ! grep ibcheck-counters verdict
}

@test "the example lines for cron are commands" {
	mapfile -t lines < <(sed -nE 's/^[0-9*/]+ [^\t]*\tibcheck\t//p' "$TOP/examples/ibcheck.cron")
	[ ${#lines[@]} = 2 ]
	mkdir ibcheck
	touch ibcheck/accepted
	for line in "${lines[@]}"; do
		run_line "$line"
	done
	[ -s prometheus/node-exporter/ibcheck-counters.prom ]
}

noisy_sweep()
{
	local leaf='S-0200000000000010'

	"$TOP/tests/sim/console" "PerformanceSet \"$leaf\"[1] PortCounters.SymbolErrorCounter=77"
	"$TOP/tests/sim/console" "Unlink \"$leaf\"[2]"
	metrics counters --totals
}

@test "metrics of a real sweep please promtool, and tell the noisy port and the dead one" {
	need promtool prometheus
	need ibsim ibsim-utils
	export -f noisy_sweep metrics
	export TOP IBCHECK
	"$TOP/tests/sim/fabric" --timeout 1000 "$TOP/topologies/two-level-small.net" -- \
		bash -eu -c noisy_sweep 3>&-
	well_formed
	port='{guid="0x0200000000000010",port='
	grep -qxF "infiniband_switch_port_symbol_error_total$port\"1\"} 77" metrics.prom
	grep -qxF "infiniband_switch_port_up$port\"2\"} 0" metrics.prom
	ports=$(awk '/^Switch/ { n += $2 } END { print n }' "$TOP/topologies/two-level-small.net")
	[ "$(grep -c ^infiniband_switch_port_up metrics.prom)" = "$ports" ]
}
