"""What the scenarios share. Each runs as root in a freshly booted systemd (see Rig.swift) and says line by line
what it found; a line that begins with "not ok" is a failure."""
import json
import os
import signal
import subprocess
import time

SOCKET = "/run/notifyd/socket"


def expect(what, found, wanted=True):
    """`wanted` is the value, or a function that judges it."""
    good = wanted(found) if callable(wanted) else found == wanted
    print(f"ok - {what}" if good else f"not ok - {what}: {found!r}", flush=True)
    return good


def until(condition, seconds=20):
    """Waits until `condition()` holds; its last value."""
    end = time.monotonic() + seconds
    while not (value := condition()) and time.monotonic() < end:
        time.sleep(0.02)
    return value


def run(*command, **options):
    """Status, standard output, standard error."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, **options)
    return done.returncode, done.stdout.strip(), done.stderr.strip()


def systemctl(*arguments):
    status, output, errors = run("systemctl", "--no-pager", *arguments)
    return status, output + errors


def show(name, unit="notifyd.service"):
    return run("systemctl", "show", "-P", name, unit)[1]


def main_pid():
    return int(show("MainPID"))


def start_socket():
    expect("the socket unit starts", systemctl("start", "notifyd.socket"), (0, ""))


def post(channel, payload):
    return run("notifyctl", "post", channel, payload)


def works(what):
    """A message goes from one process to another."""
    listener = Listener("works.>")
    status = post("works.now", '"yes"')
    expect(f"{what}: posting", status, (0, "", ""))
    expect(f"{what}: listening", [m["payload"] for m in listener.take(1)], ["yes"])
    listener.end()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def journal(*matches):
    """The entries of notifyd's journal that match, oldest first."""
    run("journalctl", "--sync")
    lines = run("journalctl", "--no-pager", "-o", "json", "-u", "notifyd.service", *matches)[1].splitlines()
    return [json.loads(line) for line in lines]


class Listener:
    """notifyctl listen, registered when the constructor returns."""

    def __init__(self, pattern, command=("notifyctl",)):
        self.process = subprocess.Popen(
            [*command, "listen", "--output", "json", pattern], stdout=subprocess.PIPE, text=True)
        pid = self.process.pid

        def registered():
            listed = run(*command, "subscriptions", "--json")[1]
            return listed.startswith("[") and pid in [s["pid"] for s in json.loads(listed)]
        expect(f"the listener on {pattern} is registered", bool(until(registered)))

    def take(self, count):
        return [json.loads(self.process.stdout.readline()) for _ in range(count)]

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate()
