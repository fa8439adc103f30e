#!/bin/bash
# `make bench`: measures the built daemon, first through the Swift library, then beside other brokers where that
# benchmark is at hand.
#
# usage: Tests/bench.sh PROGRAMS [DIRECTORY [OPTION…]]
#   PROGRAMS   where notifyd and notifyctl are
#   DIRECTORY  the side-by-side benchmark: it is copied, built and run with OPTIONs (--quick when there are none)
set -euo pipefail

programs=$(realpath "$1")
comparison=${2:-}
shift $(($# < 2 ? $# : 2))

work=$(mktemp -d)
daemon=
stop() {
    if [[ -n $daemon ]]; then kill "$daemon" && wait "$daemon" || true; fi
    rm -rf "$work"
}
trap stop EXIT

echo "== through the library (notifyctl bench)"
"$programs/notifyd" --socket "$work/socket" & daemon=$!
until "$programs/notifyctl" --socket "$work/socket" ping -n 1 >"$work/ping" 2>&1; do
    kill -0 "$daemon" || { cat "$work/ping"; exit 1; }
    sleep 0.1
done
"$programs/notifyctl" --socket "$work/socket" bench
kill "$daemon" && wait "$daemon" || true
daemon=

echo
if [[ -z $comparison || ! -x $comparison/bench ]]; then
    echo "== no comparison with other brokers: ${comparison:+$comparison has no }BENCH=DIR names where that benchmark is"
    exit 0
fi
echo "== beside other brokers ($comparison)"
# A copy: what is built and measured belongs to this checkout.
copy=$(dirname "$programs")/comparison
mkdir -p "$copy"
cp -R "$comparison/." "$copy/"
chmod -R u+w "$copy"
make -C "$copy"
for peer in redis-server nats-server mosquitto dbus-daemon dbus-broker; do
    command -v "$peer" >/dev/null || echo "$peer is not installed: left out"
done
if (($# == 0)); then set -- --quick; fi
"$copy/bench" --notifyd-cmd "$programs/notifyd --socket {socket}" --json "$copy/results.json" "$@"
