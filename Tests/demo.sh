#!/bin/bash
# The demonstration of `make demo`: a daemon, a listener and a poster in a directory of their own, which is gone
# afterwards. notifyd and notifyctl are taken from PATH.
set -euo pipefail

directory=$(mktemp -d)
export NOTIFYD_SOCKET=$directory/socket
daemon='' listener=''
finish() {
    [[ -z $listener ]] || kill "$listener" 2>/dev/null || true
    [[ -z $daemon ]] || kill "$daemon" 2>/dev/null || true
    wait
    rm -rf "$directory"
}
trap finish EXIT
trap 'exit 130' INT TERM

say() { printf '\n$ %s\n' "$*"; }
# Tries until it works; after ten seconds that is a failure.
await() {
    local what=$1 tries
    shift
    for ((tries = 0; tries < 200; tries++)); do
        if "$@" >/dev/null 2>&1; then return; fi
        sleep 0.05
    done
    echo "demo: $what" >&2
    exit 1
}
listens() { notifyctl subscriptions --json | grep -q demo; }
heard() { grep -q "$1" "$directory/heard"; }

say "notifyd --socket $NOTIFYD_SOCKET &"
notifyd --socket "$NOTIFYD_SOCKET" &
daemon=$!
await "the daemon does not answer" notifyctl ping -n 1

say "notifyctl listen 'demo.>' --count 3 --output pretty &"
notifyctl listen 'demo.>' --count 3 --output pretty > >(tee "$directory/heard") &
listener=$!
await "the listener is not registered" listens

say "notifyctl post demo.greeting '{\"hello\": \"world\"}'"
notifyctl post demo.greeting '{"hello": "world"}'
await "the first message did not arrive" heard demo.greeting
say "notifyctl post demo.cart -t CartDidChange -s cart-42 itemCount:=2 owner=ada"
notifyctl post demo.cart -t CartDidChange -s cart-42 itemCount:=2 owner=ada
await "the second message did not arrive" heard demo.cart
say "notifyctl post demo.note --text 'from one process to another'"
notifyctl post demo.note --text 'from one process to another'
await "the third message did not arrive" heard demo.note
wait "$listener"
listener=''

say "notifyctl stats"
notifyctl stats
printf '\nThat was it: messages went from one process to another. The daemon stops now.\n'
