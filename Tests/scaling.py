#!/usr/bin/env python3
"""What one request costs the daemon when there is much of everything, and how much memory much of everything takes.

    Tests/scaling.py .build/release/notifyd

Prints the tables of Scaling.md. Costs are the daemon's own CPU time, so that the clients here and others on the machine
do not count; each is the least of three rounds. Compare columns: what does not grow stays near 1x.
"""
import json
import os
import resource
import socket
import subprocess
import sys
import tempfile
import time

LEVELS = (10, 1_000, 100_000)
ROUNDS = 3
# More than the default configuration allows one client and one user to have. No spinning: it would count as work.
CONFIGURATION = """{spin_us: 0, limits: {clients: 60000, clients_per_uid: 60000, subscriptions_per_client: 200000,
    channels: 1000000}}"""


class Daemon:
    def __init__(self, program):
        self.directory = tempfile.TemporaryDirectory()
        self.path = self.directory.name + "/socket"
        with open(self.directory.name + "/notifyd.json5", "w") as file:
            file.write(CONFIGURATION)
        self.process = subprocess.Popen(
            [program, "--config", self.directory.name + "/notifyd.json5", "--socket", self.path],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while True:
            try:
                self.client().close()
                return
            except OSError:
                if self.process.poll() is not None:
                    sys.exit("notifyd ended")
                time.sleep(0.01)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.directory.cleanup()

    def client(self):
        return Client(self.path)

    def cpu(self):
        """Nanoseconds on a processor so far, of all threads, which are asleep again: a running one's are not up to date."""
        tasks = f"/proc/{self.process.pid}/task"
        while any(") R " in open(f"{tasks}/{task}/stat").read() for task in os.listdir(tasks)):
            time.sleep(0.002)
        return sum(int(open(f"{tasks}/{task}/schedstat").read().split()[0]) for task in os.listdir(tasks))

    def memory(self):
        """Resident bytes."""
        return int(open(f"/proc/{self.process.pid}/statm").read().split()[1]) * resource.getpagesize()


class Client:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.file = None

    def close(self):
        if self.file:
            self.file.close()
        self.socket.close()

    def ask(self, lines):
        """Sends the lines and waits until they have been done."""
        for start in range(0, max(1, len(lines)), 500):
            self.socket.sendall(b"".join(lines[start : start + 500]) + b'{"op":"ping","id":1}\n')
            self.read(1)

    def clients(self):
        """How many clients the daemon has."""
        self.socket.sendall(b'{"op":"stats","id":1}\n')
        self.file = self.file or self.socket.makefile("rb")
        return json.loads(self.file.readline())["stats"]["clients"]

    def read(self, count):
        self.file = self.file or self.socket.makefile("rb")
        for _ in range(count):
            if b'"op":"error"' in self.file.readline():
                sys.exit("a request was refused")


def subscribe(channel, sub):
    return b'{"op":"subscribe","channel":"%s","sub":%d}\n' % (channel.encode(), sub)


def post(channel, more=b""):
    return b'{"op":"post","channel":"%s","payload":{"n":1}%s}\n' % (channel.encode(), more)


# What there is much of.


def exact(daemon, count):
    return subscriptions(daemon, [f"much.c{number}.x" for number in range(count)])


def patterns(daemon, count):
    return subscriptions(daemon, [f"much.c{number}.*" for number in range(count)])


def one_pattern_each(daemon, count):
    """Patterns of many shapes that all begin with a star."""
    return subscriptions(daemon, [f"*.c{number % 300}.{'*' if number % 2 else 'x'}.c{number}" for number in range(count)])


def channels(daemon, count):
    """With a retained message, so that nobody forgets them."""
    client = daemon.client()
    client.ask([post(f"much.c{number}.x", b',"retain":true') for number in range(count)])
    return [client]


def subscriptions(daemon, names):
    clients = []
    for start in range(0, len(names), 1000):
        clients.append(daemon.client())
        clients[-1].ask([subscribe(name, number + 1) for number, name in enumerate(names[start : start + 1000])])
    return clients


# What is done beside it. Each yields the nanoseconds of one operation.


def measured(daemon, count, work):
    before = daemon.cpu()
    work()
    return (daemon.cpu() - before) / count


def churn(daemon, name):
    client = daemon.client()
    unsubscribes = [b'{"op":"unsubscribe","sub":%d}\n' % number for number in range(1, 2001)]
    yield "subscribe", measured(
        daemon, 2000, lambda: client.ask([subscribe(name(number), number) for number in range(1, 2001)]))
    yield "unsubscribe", measured(daemon, 2000, lambda: client.ask(unsubscribes))
    client.close()


def visits(daemon):
    clients = []

    def come():
        for _ in range(500):
            clients.append(daemon.client())
            clients[-1].socket.sendall(subscribe("visit.a", 1) + b'{"op":"ping","id":1}\n')
        for client in clients:
            client.read(1)

    def go():
        for client in clients:
            client.close()
        while witness.clients() > before:
            time.sleep(0.05)

    witness = daemon.client()
    before = witness.clients()
    yield "connect, with a subscription", measured(daemon, 500, come)
    yield "disconnect", measured(daemon, 500, go)
    witness.close()


def posts(daemon, generation):
    poster, listener = daemon.client(), daemon.client()
    listener.ask([subscribe("hot.a", 1), subscribe("hot.*.a", 2)])

    def stream(channel):
        for _ in range(50):
            poster.ask([post(channel)] * 200)
            listener.read(200)

    yield "post to one exact subscription", measured(daemon, 10_000, lambda: stream("hot.a"))
    yield "post to one pattern", measured(daemon, 10_000, lambda: stream("hot.b.a"))
    names = [f"new.g{generation}.c{number}" for number in range(2000)]
    yield "post to a new channel", measured(daemon, 2000, lambda: poster.ask([post(name) for name in names]))
    changes = [
        line for number in range(1000)
        for line in (subscribe("other.*", 9), post(f"new.g{generation}.c{number}"), b'{"op":"unsubscribe","sub":9}\n')]
    yield "pattern subscribed, post, unsubscribed", measured(daemon, 1000, lambda: poster.ask(changes))
    poster.close()
    listener.close()


def costs(program, setting, name):
    """For each level the least cost of each operation."""
    columns = []
    for level in LEVELS:
        with Daemon(program) as daemon:
            clients = setting(daemon, level)
            column = {}
            for generation in range(ROUNDS):
                for steps in (churn(daemon, name), visits(daemon), posts(daemon, generation)):
                    for step, cost in steps:
                        column[step] = min(cost, column.get(step, cost))
            columns.append(column)
            for client in clients:
                client.close()
    return columns


def table(title, columns):
    print(f"| {title} | " + " | ".join(f"{level:,}" for level in LEVELS) + " | 100,000 against 10 |")
    print("|---|" + "---:|" * (len(LEVELS) + 1))
    for step in columns[0]:
        cells = " | ".join(f"{column[step] / 1000:.2f}" for column in columns)
        print(f"| {step}, µs | {cells} | {columns[-1][step] / columns[0][step]:.1f}x |")
    print(flush=True)


# Memory.


def growth(program, count, fill):
    """Bytes for each of `count` things; bytes that are left of all of them when their clients have gone."""
    with Daemon(program) as daemon:
        before = daemon.memory()
        clients = fill(daemon, count)
        each = (daemon.memory() - before) / count
        for client in clients:
            client.close()
        # Channels are forgotten when they have been idle for ten seconds, and memory is given back a little later.
        time.sleep(30)
        return each, (daemon.memory() - before) / count


def connections(daemon, count):
    clients = [daemon.client() for _ in range(count)]
    for number, client in enumerate(clients):
        client.socket.sendall(subscribe(f"much.c{number}.x", 1))
    clients[-1].ask([])
    return clients


def to_one_channel(daemon, count):
    return subscriptions(daemon, ["much.same"] * count)


def long_patterns(daemon, count):
    return subscriptions(daemon, [".".join(f"{number:x}{token:x}" for token in range(31)) + ".*" for number in range(count)])


def idle_channels(daemon, count):
    client = daemon.client()
    client.ask([post(f"much.c{number}.x") for number in range(count)])
    return [client]


def memory(program):
    print("| memory, bytes for each of 100,000 (connections: 10,000) | while it is there | when all have gone |")
    print("|---|---:|---:|")
    for title, count, fill in (
        ("channel (its name has 13 to 17 bytes)", 100_000, idle_channels),
        ("channel with a small retained message", 100_000, channels),
        ("exact subscription, and its channel", 100_000, exact),
        ("exact subscription, all to one channel", 100_000, to_one_channel),
        ("pattern of 3 tokens", 100_000, patterns),
        ("pattern of 32 tokens, nothing in common, 120 bytes", 100_000, long_patterns),
        ("connection with one exact subscription, and its channel", 10_000, connections),
    ):
        each, left = growth(program, count, fill)
        print(f"| {title} | {each:.0f} | {left:.0f} |", flush=True)


def main():
    program = sys.argv[1]
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard if hard == resource.RLIM_INFINITY else min(hard, 60000), hard))
    for title, setting, name in (
        ("exact subscriptions there are", exact, lambda number: f"churn.c{number}"),
        ("patterns there are", patterns, lambda number: f"churn.c{number}.*"),
        ("patterns that begin with a star", one_pattern_each, lambda number: f"*.churn.c{number}"),
        ("channels there are, each with a retained message", channels, lambda number: f"churn.c{number}"),
    ):
        table(title, costs(program, setting, name))
    memory(program)


main()
