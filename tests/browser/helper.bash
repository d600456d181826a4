# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# What tests with a browser share.

# slow_uplinks N SPEC: slow.snap, a synthetic fabric; of each leaf whose number can be divided by N one uplink
# is slow, and has counted errors.
slow_uplinks()
{
	"$IBCHECK" snapshot --source "synth:fattree:$2" -o whole.snap >/dev/null
	python3 - "$1" >slow.snap <<-'END'
		import json, sys
		for line in open("whole.snap"):
		    at = json.loads(line)
		    if at.get("desc", "").startswith("leaf") and int(at["desc"][4:]) % int(sys.argv[1]) == 0:
		        at["ports"][-1]["width_active"] = 1
		        at["ports"][-1]["counters"]["values"]["symbol_error"] = 5000
		    if "end" in at:
		        del at["end"]["crc32"]
		    print(json.dumps(at))
	END
}
