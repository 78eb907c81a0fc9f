#!/usr/bin/env bash
# By hand: proof that files of more than 4 GB and events larger than any window load, with time and
# peak memory: tests/bench/large_files.sh [LACUNA [FOLDER]]
#
# Makes its files in FOLDER (default: $TMPDIR or /tmp; needs 6 GB there) and removes them. Checks the
# number of events, the last event's time, and that nothing was lost or repaired.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
lacuna=${1:-$here/../../build/release/app/lacuna}
folder=$(mktemp -d "${2:-${TMPDIR:-/tmp}}/lacuna_large.XXXXXX")
trap 'rm -rf "$folder"' EXIT

python3 -B - "$folder" <<'PYTHON'
import sys
folder = sys.argv[1]

def event(i, args):
    return ('{"ph":"X","cat":"%s","name":"op %d","pid":%d,"tid":%d,"ts":%d.%03d,"dur":0.900,"args":{%s}}'
            % ("kernel" if i % 4 == 0 else "cpu_op", i % 500, i % 4 == 0, 1 + i % 8, 1000000 + i, i % 1000, args))

# 1. More than 4 GiB: 13 million events of about 350 bytes.
block, size = 100_000, 0
stack = '"Input Dims":[[32,128,768],[768,768],[]],"Call stack":"' + "model.py(12): forward; " * 9 + '"'
with open(folder + "/5GB.json", "w") as out:
    size += out.write('{"schemaVersion":1,"traceEvents":[\n')
    i = 0
    while size < 5 << 30:
        size += out.write(",\n".join(event(i + k, stack) for k in range(block)))
        i += block
        size += out.write(",\n")
    size += out.write(event(i, stack) + '],"traceName":"5GB"}')
    open(folder + "/5GB.json.expected", "w").write("%d" % (i + 1))

# 2. Events of 40 MB (beyond the largest window of the strict reader) and 100 MB among small ones.
with open(folder + "/large_events.json", "w") as out:
    out.write("[")
    for i in range(1000):
        text = 40_000_000 if i in (100, 101, 500) else 100_000_000 if i == 700 else 10
        out.write((",\n" if i else "") + event(i, '"text":"' + "x" * text + '","list":[' + "[1,2]," * (text // 200) + "0]"))
    out.write("]")
    open(folder + "/large_events.json.expected", "w").write("1000")
PYTHON

status=0
for file in "$folder"/*.json; do
  echo "== ${file##*/}: $(stat -c %s "$file") bytes, $(cat "$file.expected") events"
  /usr/bin/time -f "   %e s, %U s user, %M kB at most" "$lacuna" info "$file" --json >"$folder/info" || status=1
  python3 -B - "$folder/info" "$file.expected" <<'PYTHON' || status=1
import json, sys
info, events = json.load(open(sys.argv[1])), int(open(sys.argv[2]).read())
wrong = [line for line in info["report"] if line["severity"] != "info"]
last = 1000 * (1000000 + events - 1) + (events - 1) % 1000 + 900
assert info["events"] == info["slices"] == events, info["events"]
assert info["endNs"] == last, (info["endNs"], last)
assert not wrong, wrong
print("   every event is there; last end", last, "ns")
PYTHON
done
exit $status
