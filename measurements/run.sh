#!/bin/sh
# run.sh BINARY_A BINARY_B [latency|feed|speed ...]: all measurements, in turns; results also in results.txt.
cd "$(dirname "$0")" || exit 1
a=$1 b=$2; shift 2
[ $# -gt 0 ] || set -- latency speed feed
for what; do python3 "$what.py" "$a" "$b" || exit 1; done
