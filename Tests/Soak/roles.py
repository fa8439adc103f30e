"""Who takes part: each role is a client, or a series of them, that is asked to do something again and again."""
import signal
import subprocess

from connection import Connection
from truth import Truth

CHANNELS = [f"soak.{kind}.{number}" for kind in ("a", "b") for number in range(8)]
PATTERNS = ["soak.>", "soak.a.*", "soak.b.*", "soak.*.3", *CHANNELS[:4]]


def matches(pattern, channel):
    pattern, channel = pattern.split("."), channel.split(".")
    if pattern[-1] == ">":
        return channel[:len(pattern) - 1] == pattern[:-1] and len(channel) >= len(pattern)
    return len(pattern) == len(channel) and all(one in ("*", other) for one, other in zip(pattern, channel))


class Poster:
    """Posts as fast as its receipts come back, and knows the last number of each channel."""

    def __init__(self, path, last):
        self.connection = Connection(path)
        self.last = last
        self.open = {}
        self.asked = 0
        self.faults = []

    def act(self, random, rest):
        if not rest:
            while len(self.open) < 16:
                self.asked += 1
                self.open[self.asked] = channel = random.choice(CHANNELS)
                payload = "x" * random.choice((0, 10, 100, 1000, 5000))
                self.connection.say(
                    op="post", id=self.asked, channel=channel, payload=payload, retain=random.random() < 0.01)
        self.connection.write()
        for line in self.connection.read():
            channel = self.open.pop(line.get("id"), None)
            if line["op"] != "ok" or channel is None:
                self.faults.append(f"a good post was answered {line}")
                continue
            self.last[channel] = max(self.last.get(channel, 0), line["seq"])

    @property
    def is_done(self):
        return not self.open


class Listener:
    """Reads, fast or slowly, and judges what it sees."""

    def __init__(self, path, random, last, slow):
        self.connection = Connection(path)
        self.slow = slow
        self.faults = []
        self.truths = {}
        for number in range(1, 1 + random.randint(1, 4)):
            pattern = random.choice(PATTERNS)
            matching = {channel: last.get(channel, 0) for channel in CHANNELS if matches(pattern, channel)}
            self.truths[number] = Truth(f"{'slow' if slow else 'fast'} reader of {pattern}", matching)
            buffer = {"policy": random.choice(("newest", "oldest")), "messages": random.randint(1, 2000)}
            self.connection.say(op="subscribe", sub=number, channel=pattern, **({"buffer": buffer} if slow else {}))

    def act(self, random, rest):
        self.connection.write()
        if self.slow and not rest and random.random() < 0.97:
            return
        for line in self.connection.read(4096 if self.slow and not rest else 1 << 16):
            if line["op"] not in ("message", "gap"):
                self.faults.append(f"a listener was told {line}")
            elif fault := self.truths[line["sub"]].see(line):
                self.faults.append(fault)
        if self.connection.ended:
            self.faults.append("a listener's connection was ended")

    is_done = True


class Churner:
    """Comes, subscribes, asks, sends nonsense, and goes in the middle of it."""

    NONSENSE = [
        b"\n", b"nonsense\n", b"{}\n", b"[" * 5000 + b"\n", b'{"op":"post"}\n', b'{"op":"post","channel":"a..b"}\n',
        b'{"op":"subscribe","channel":"soak.>","replay":{"last":5}}\n', b'{"op":"unsubscribe","sub":99}\n',
        b'{"op":"post","channel":"churn.\xff"}\n', b"\x00\x01\x02\n", b'{"op":"hello","version":1,"name":"churn"}\n',
        b'{"op":"will","channel":"churn.will","payload":1}\n', b'{"op":"bye"}\n', b'{"op":"stats","id":1}\n',
        b'{"op":"post","channel":"churn.later","delay_ms":50}\n', b'{"op":"subscribe","channel":"churn.>"',
        b'{"op":"batch","id":1,"posts":[{"channel":"churn.x"},{"channel":"churn.y"}]}\n', b"y" * 300_000,
        b'{"op":"subscribe","channel":"soak.>","group":"churn"}\n', b'{"op":"get","id":2,"channel":"soak.a.1"}\n',
    ]

    def __init__(self, path):
        self.path = path
        self.connection = None
        self.faults = []
        self.lives = 0

    def act(self, random, rest):
        if self.connection is None or self.connection.ended:
            if rest:
                return
            self.connection = Connection(self.path)
            self.lives += 1
        self.connection.output += random.choice(self.NONSENSE)
        self.connection.write()
        if random.random() < 0.5:
            self.connection.read()
        if rest or random.random() < 0.2:
            self.connection.close()

    is_done = True


class Doomed:
    """notifyctl, killed at any moment."""

    def __init__(self, path, notifyctl):
        self.notifyctl = [notifyctl, "--socket", path]
        self.processes = []
        self.faults = []
        self.lives = 0

    def act(self, random, rest):
        for process in self.processes:
            if rest or random.random() < 0.1:
                process.send_signal(signal.SIGKILL)
        self.processes = [process for process in self.processes if process.poll() is None]
        if rest or len(self.processes) >= 3 or random.random() > 0.05:
            return
        command = random.choice((["listen", "soak.>"], ["post", "churn.ctl", "1"], ["listen", "--replay", "5", "soak.>"]))
        self.processes.append(subprocess.Popen(
            self.notifyctl + command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        self.lives += 1

    @property
    def is_done(self):
        return not self.processes
