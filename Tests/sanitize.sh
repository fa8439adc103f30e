#!/bin/bash
# All tests with the address and then the thread sanitizer, programs included; for every night rather than every change:
# it takes about an hour on two cores. With arguments: only these kinds (`address`, `thread`). What a sanitizer has to say
# of any process, also of daemons that tests start, is a failure and stays in .build/KIND/report.*
set -euo pipefail
cd "$(dirname "$0")/.."

failed=0
(($#)) || set -- address thread
for kind; do
    scratch=$PWD/.build/$kind
    mkdir -p "$scratch"
    rm -f "$scratch"/report.*
    options=(--sanitize="$kind" --scratch-path "$scratch")
    echo "== $kind: build"
    swift build --build-tests "${options[@]}"
    echo "== $kind: test"
    # Leaks are judged by the tests themselves, who know what is kept on purpose. Under systemd the unit forbids what a
    # sanitizer needs, and the interface tests only compile.
    ASAN_OPTIONS=detect_leaks=0:log_path="$scratch/report" TSAN_OPTIONS=log_path="$scratch/report" \
        SWIFT_BACKTRACE=enable=no \
        swift test --skip-build --no-parallel "${options[@]}" --skip SystemdTests --skip InterfaceTests || failed=1
    for report in "$scratch"/report.*; do
        [[ -e $report ]] || continue
        failed=1
        head -n 40 "$report"
    done
done
exit $failed
