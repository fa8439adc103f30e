#!/usr/bin/env python3
"""Many clients of all kinds for as long as one likes, and at the end of each round the truth: every subscription got
each message once or was told that it is missing, nobody's memory, descriptors or clients were kept, and the daemon ends
in good order.

    soak.py BINARIES [SECONDS [CLIENTS [SEED]]]"""
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

from connection import Connection
from roles import Churner, Doomed, Listener, Poster

ROUNDS = 4
# What a round may leave behind compared with the first one, which fills pools and tables: a leak grows with each.
GROWTH_KIB = 6 << 10
# It looks after its house every 10 seconds.
HOUSEKEEPING = 12
CONFIGURATION = """{ limits: { queue_bytes: 2097152, client_queue_bytes: 4194304 } }"""


class Soak:
    def __init__(self, binaries, seconds, clients, seed):
        self.random = random.Random(seed)
        self.seconds, self.clients = seconds / ROUNDS, clients
        self.folder = tempfile.TemporaryDirectory(prefix="notifyd-soak.")
        self.path = f"{self.folder.name}/socket"
        self.notifyctl = f"{binaries}/notifyctl"
        with open(f"{self.folder.name}/notifyd.json5", "w") as file:
            file.write(CONFIGURATION)
        self.log = open(f"{self.folder.name}/log", "w+")
        self.daemon = subprocess.Popen(
            [f"{binaries}/notifyd", "--socket", self.path, "--config", f"{self.folder.name}/notifyd.json5"],
            stdin=subprocess.DEVNULL, stderr=self.log)
        while not os.path.exists(self.path):
            if self.daemon.poll() is not None:
                sys.exit(f"notifyd ended with {self.daemon.returncode}: {open(self.log.name).read()}")
            time.sleep(0.01)
        self.witness = Connection(self.path)
        self.last = {}
        self.faults = []

    def run(self):
        baseline = memory = None
        for number in range(1, ROUNDS + 1):
            told = self.round()
            self.check(self.ask("stats")["clients"] == 1, "clients were kept")
            descriptors = len(os.listdir(f"/proc/{self.daemon.pid}/fd"))
            memory = self.resident(baseline[1] + GROWTH_KIB if baseline else 0)
            baseline = baseline or (descriptors, memory)
            print(f"round {number}: {told}; {memory} KiB and {descriptors} descriptors after it", flush=True)
            self.check(descriptors == baseline[0], f"{descriptors} descriptors, {baseline[0]} after the first round")
            self.check(
                memory <= baseline[1] + GROWTH_KIB, f"{memory} KiB resident, {baseline[1]} after the first round")
        self.daemon.send_signal(signal.SIGTERM)
        self.witness.close()
        self.check(self.daemon.wait(timeout=60) == 0, "the daemon did not end in good order")
        log = open(self.log.name).read()
        self.check(": error: " not in log, log[-2000:])
        for fault in self.faults[:20]:
            print(f"soak: {fault}", file=sys.stderr)
        return 1 if self.faults else 0

    def round(self):
        posters = [Poster(self.path, self.last) for _ in range(max(1, self.clients // 20))]
        listeners = [Listener(self.path, self.random, self.last, slow=number % 3 == 0) for number in range(self.clients // 3)]
        churners = [Churner(self.path) for _ in range(self.clients // 2)]
        doomed = Doomed(self.path, self.notifyctl)
        everybody = [*posters, *listeners, *churners, doomed]
        # Everybody listens before the first post: then the end of each channel is everybody's end.
        for listener in listeners:
            self.settle(listener)
        end = time.monotonic() + self.seconds
        while time.monotonic() < end:
            for member in everybody:
                member.act(self.random, rest=False)
            if self.random.random() < 0.01:
                self.daemon.send_signal(signal.SIGHUP)
        self.until(lambda: all(member.is_done for member in everybody), everybody, "receipts and ends")
        self.until(lambda: not any(map(self.open_ends, listeners)), listeners, "the truth")
        for listener in listeners:
            self.faults += self.open_ends(listener)
        for member in everybody:
            self.faults += member.faults
            if getattr(member, "connection", None):
                member.connection.close()
        self.until(lambda: self.ask("stats")["clients"] == 1, [], "the end of all clients")
        truths = [truth for listener in listeners for truth in listener.truths.values()]
        return (
            f"{sum(poster.asked for poster in posters)} posts, {sum(truth.received for truth in truths)} messages and "
            f"{sum(truth.lost for truth in truths)} losses at {len(truths)} subscriptions, "
            f"{sum(churner.lives for churner in churners)} visits, {doomed.lives} kills")

    def open_ends(self, listener):
        return [fault for truth in listener.truths.values() for fault in truth.end(self.last)]

    def settle(self, listener):
        """The daemon has taken all that the listener has asked for."""
        listener.connection.say(op="ping", id="there")
        self.until(lambda: any(line["op"] == "ok" for line in listener.connection.read()), [listener], "a ping")

    def until(self, condition, members, what):
        end = time.monotonic() + 60
        while not condition():
            for member in members:
                if isinstance(member, Listener) and what == "a ping":
                    member.connection.write()
                else:
                    member.act(self.random, rest=True)
            if time.monotonic() > end:
                self.faults.append(f"waited in vain for {what}")
                return

    def ask(self, op):
        self.witness.say(op=op, id=op)
        while True:
            self.witness.write()
            for line in self.witness.read():
                return line[op]

    def resident(self, bound=0):
        """The least resident memory while the daemon has the time for its housekeeping, which gives pages back."""
        end = time.monotonic() + HOUSEKEEPING
        least = None
        while (least is None or least > bound) and time.monotonic() < end:
            with open(f"/proc/{self.daemon.pid}/status") as file:
                now = int(next(line for line in file if line.startswith("VmRSS")).split()[1])
            least = min(now, least or now)
            time.sleep(0.1)
        return least

    def check(self, holds, what):
        if not holds:
            self.faults.append(what)


if __name__ == "__main__":
    binaries, seconds, clients, seed = (sys.argv[1:] + ["60", "300", ""][len(sys.argv) - 2:])[:4]
    seed = int(seed or random.SystemRandom().randrange(1 << 32))
    print(f"soak: {seconds} seconds, {clients} clients, seed {seed}", flush=True)
    sys.exit(Soak(binaries, float(seconds), int(clients), seed).run())
