#!/usr/bin/env python3
"""Counts the daemon's instructions per message, and fails when they have become more than the committed figures say.

A slowdown shows here without a clock: valgrind counts, and whatever could make the count depend on chance is held still.
Messages come in pieces of a fixed number, the next piece when the last one has come out at the other end; hashing is
not seeded; the daemon does not ask twice before it sleeps (`spin_us`). What is done once, at the start, at the end or
with the first message, is in a run with half as many messages, too: the difference between the two is what counts. Chance
that is left only adds (Swift's runtime looks types up a time more or less often): the least of some runs is taken.

    .ci/instructions.py .build/release/notifyd             compare
    .ci/instructions.py .build/release/notifyd --update    write the figures down, after a change that is worth them
"""
import json, os, re, socket, subprocess, sys, tempfile, time

FIGURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "instructions.json")
TOLERANCE = 0.05
RUNS = 4
# What is counted: how many messages, and how many of them at a time.
SHAPES = {"message of a stream": (80_000, 50), "message that comes alone": (24_000, 1)}


def post(number):
    return b'{"op":"post","channel":"bench.c0","type":"Bench","payload":{"n":%d,"pad":"%s"}}\n' % (
        1_000_000_000 + number, b"x" * 74)


def connect(path, process):
    deadline = time.monotonic() + 60
    while True:
        client = socket.socket(socket.AF_UNIX)
        try:
            client.connect(path)
            client.settimeout(60)
            return client
        except OSError:
            client.close()
            if process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit("instructions: the daemon does not answer under valgrind")
            time.sleep(0.05)


def wait_for_lines(client, count):
    while count > 0:
        data = client.recv(1 << 18)
        if not data:
            raise SystemExit("instructions: the daemon closed the connection")
        count -= data.count(b"\n")


def instructions(daemon, count, piece):
    """All instructions of a daemon that passes on `count` messages, `piece` at a time."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "s")
        configuration = os.path.join(directory, "c.json5")
        with open(configuration, "w") as file:
            file.write("{spin_us: 0}")
        environment = {**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1"}
        environment.pop("NOTIFY_SOCKET", None)
        process = subprocess.Popen(
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", daemon,
             "--config", configuration, "--socket", path],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment)
        try:
            listener, poster = connect(path, process), connect(path, process)
            listener.sendall(b'{"op":"subscribe","id":1,"channel":"bench.c0"}\n')
            wait_for_lines(listener, 1)
            for start in range(0, count, piece):
                poster.sendall(b"".join(map(post, range(start, start + piece))))
                wait_for_lines(listener, piece)
        finally:
            process.terminate()
            errors = process.communicate()[1]
    found = re.search(r"Collected : (\d+)", errors)
    if not found:
        raise SystemExit(f"instructions: valgrind did not count:\n{errors}")
    return int(found[1])


def least(daemon, count, piece):
    return min(instructions(daemon, count, piece) for _ in range(RUNS))


def main():
    daemon, update = sys.argv[1], "--update" in sys.argv[2:]
    counted = {}
    for name, (count, piece) in SHAPES.items():
        more = least(daemon, count, piece) - least(daemon, count // 2, piece)
        counted[name] = round(more / (count - count // 2))
    if update:
        with open(FIGURES, "w") as file:
            json.dump(counted, file, indent=4)
            file.write("\n")
    with open(FIGURES) as file:
        committed = json.load(file)
    slower = False
    for name, count in counted.items():
        change = count / committed[name] - 1
        print(f"instructions per {name}: {count} (committed: {committed[name]}, {change:+.1%})")
        slower = slower or change > TOLERANCE
        if change < -TOLERANCE:
            print(f"  fewer than committed: {sys.argv[0]} {daemon} --update keeps it so")
    if slower:
        raise SystemExit(
            "instructions: the hot path has become longer. If that is worth it, say why in the commit and run\n"
            f"  {sys.argv[0]} {daemon} --update")


main()
