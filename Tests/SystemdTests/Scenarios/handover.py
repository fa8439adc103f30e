"""What systemd hands over, played by this script without a systemd: handover.py DIRECTORY-OF-PROGRAMS
Good and bad notify sockets, a whole life as the manager hears it, good and bad passed sockets."""
import contextlib
import socket
import sys
import tempfile

from rig import *

NOTIFYD = os.path.join(sys.argv[1], "notifyd")
DIRECTORY = tempfile.TemporaryDirectory(prefix="notify-handover.")
os.chdir(DIRECTORY.name)
PATH = os.path.join(DIRECTORY.name, "s")
with open("empty.json5", "w", encoding="utf-8") as file:
    file.write("{}")
OPTIONS = ("--config", os.path.join(DIRECTORY.name, "empty.json5"), "--socket", PATH)


def receiver(address):
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind("\0" + address[1:] if address.startswith("@") else address)
    manager.settimeout(20)
    return manager


def answers(path=PATH):
    """A client is served there."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(20)
        try:
            client.connect(path)
            client.sendall(b'{"op":"ping","id":1}\n')
            return b'"ok"' in client.recv(65536)
        except OSError:
            return False


@contextlib.contextmanager
def daemon(**variables):
    """notifyd, serving at PATH when `yield` comes; stopped afterwards. Its log is in `.log`."""
    with open("log", "w+", encoding="utf-8") as log:
        process = subprocess.Popen([NOTIFYD, *OPTIONS], stderr=log, env={**os.environ, **variables})
        process.log = lambda: open("log", encoding="utf-8").read()
        try:
            yield process
        finally:
            process.terminate()
            process.wait(timeout=20)


def expect_end(what, process):
    process.terminate()
    expect(f"{what}: ends with 0", process.wait(timeout=20), 0)


def kinds(manager, until_line, patience=20):
    """What the manager hears, up to a datagram that begins with `until_line`: first lines, repetitions left out."""
    heard, end = [], time.monotonic() + patience
    while time.monotonic() < end:
        try:
            first = manager.recv(65536).decode().split("\n")[0]
        except TimeoutError:
            break
        heard.append(first)
        if first.startswith(until_line):
            break
    return heard


# A whole life (trial T080). Unsetting NOTIFY_SOCKET after the first message would silence all that follows.
long = os.path.join(DIRECTORY.name, "n" * (107 - len(DIRECTORY.name) - 1))
for address in (os.path.join(DIRECTORY.name, "n"), f"@notify-handover-{os.getpid()}", long):
    manager = receiver(address)
    with daemon(NOTIFY_SOCKET=address, WATCHDOG_USEC="200000") as process:
        name = f"{len(address)} bytes of {address[0]}"
        expect(f"{name}: ready", "READY=1" in kinds(manager, "READY=1"))
        expect(f"{name}: whoever hears it is served at once", answers())
        pings = [kinds(manager, "WATCHDOG=1")[-1] for _ in range(5)]
        expect(f"{name}: five pings", pings, ["WATCHDOG=1"] * 5)
        process.send_signal(signal.SIGHUP)
        expect(f"{name}: reloading", "RELOADING=1" in kinds(manager, "RELOADING=1"))
        expect(f"{name}: ready again", "READY=1" in kinds(manager, "READY=1"))
        process.terminate()
        expect(f"{name}: stopping", "STOPPING=1" in kinds(manager, "STOPPING=1"))
        expect(f"{name}: ends with 0", process.wait(timeout=20), 0)
    manager.close()

# RELOADING and its time have to be in one datagram.
manager = receiver("@notify-handover-reload")
with daemon(NOTIFY_SOCKET="@notify-handover-reload") as process:
    kinds(manager, "READY=1")
    before = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
    process.send_signal(signal.SIGHUP)
    while not (message := manager.recv(65536).decode()).startswith("RELOADING=1"):
        pass
    stamp = dict(line.split("=", 1) for line in message.split("\n")).get("MONOTONIC_USEC", "0")
    expect("the reload's time is the monotonic one", before <= int(stamp) <= before + 60_000_000)
manager.close()

# Addresses that lead nowhere: the daemon serves all the same, and says so once.
for address in ("", "relative", "/nonexistent/x", "/" + "l" * 200, "vsock:2:1234", "12", "@", os.path.abspath("log")):
    with daemon(NOTIFY_SOCKET=address, WATCHDOG_USEC="100000") as process:
        expect(f"NOTIFY_SOCKET={address[:20]!r}: serves", bool(until(answers)))
        until(lambda: "NOTIFY_SOCKET" in process.log())
        expect_end(f"NOTIFY_SOCKET={address[:20]!r}", process)
        expect(f"NOTIFY_SOCKET={address[:20]!r}: one warning", process.log().count("NOTIFY_SOCKET"), 1)

# A manager that does not read, its queue full: the daemon must not wait for it.
manager = receiver("full")
filler = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
filler.setblocking(False)
with contextlib.suppress(BlockingIOError):
    while True:
        filler.sendto(b"x", "full")
with daemon(NOTIFY_SOCKET=os.path.abspath("full"), WATCHDOG_USEC="100000") as process:
    expect("a full queue: serves", bool(until(answers)))
    manager.settimeout(1)
    heard = kinds(manager, "READY=1")
    expect("a full queue: ready comes when there is room", "READY=1" in heard)
    expect_end("a full queue", process)
manager.close()


def passed(variables, redirection=""):
    """notifyd started with LISTEN_* and descriptors as a shell lays them out; its status (None: it serves), its log."""
    settings = " ".join(f"{name}={value}" for name, value in variables.items())
    with contextlib.suppress(FileNotFoundError):
        os.unlink(PATH)
    with open("log", "w+", encoding="utf-8") as log:
        process = subprocess.Popen(
            ["bash", "-c", f'export {settings}; exec "$0" "$@" {redirection}', NOTIFYD, *OPTIONS], stderr=log)
        until(lambda: process.poll() is not None or answers())
        status = process.poll()
        if status is None:
            process.terminate()
            process.wait(timeout=20)
        log.seek(0)
        return status, log.read().strip()


# Foreign or malformed: ignored, as if nothing had been passed (trial T074).
for variables in ({"LISTEN_PID": 1, "LISTEN_FDS": 2}, {"LISTEN_FDS": 1}, {"LISTEN_PID": "abc", "LISTEN_FDS": 1},
                  {"LISTEN_PID": 99999999999, "LISTEN_FDS": 1}, {"LISTEN_PID": "", "LISTEN_FDS": ""},
                  {"LISTEN_PID": 1, "LISTEN_FDS": "1x"}):
    expect(f"{variables} is ignored", passed(variables)[0], None)

# Ours and wrong: one clear line, not 0, and no socket anywhere else.
for what, count, redirection in (("closed", "1", "3<&-"), ("a file", "1", "3</etc/passwd"), ("a pipe", "1", "3< <(:)"),
                                 ("too many", "99999", ""), ("negative", "-1", ""), ("junk", "1x", "")):
    status, log = passed({"LISTEN_PID": "$$", "LISTEN_FDS": count}, redirection)
    expect(f"{what}: refuses to start, by itself", status, lambda status: status is not None and 0 < status < 128)
    expect(f"{what}: one line that says why", log,
           lambda log: len(log.splitlines()) == 1 and ("LISTEN_FDS" in log or "descriptor 3" in log))
    expect(f"{what}: does not listen elsewhere", os.path.exists(PATH), False)

# Two sockets, with names that are missing, swapped, partly empty or unknown: every socket is served, whatever it is called, and
# the log calls it so. One name for two is an error, not a guess (trial T076).
listeners = []
for name in "ab":
    listeners.append(socket.socket(socket.AF_UNIX))
    listeners[-1].bind(name)
    listeners[-1].listen()
layout = " ".join(f"{3 + index}<&{listener.fileno()}" for index, listener in enumerate(listeners))
for fdnames, told in ((None, ("unknown", "unknown")), ("b:a", ("b", "a")), (":x", ("", "x")), ("what:ever", ("what", "ever")),
                      ("one", None), ("one:two:three", None)):
    settings = "LISTEN_PID=$$ LISTEN_FDS=2" + ("" if fdnames is None else f" LISTEN_FDNAMES={fdnames}")
    with open("log", "w+", encoding="utf-8") as log:
        process = subprocess.Popen(
            ["bash", "-c", f'export {settings}; exec "$0" "$@" {layout}', NOTIFYD, *OPTIONS],
            stderr=log, pass_fds=[listener.fileno() for listener in listeners])
        read = lambda: open("log", encoding="utf-8").read()
        if told:
            expect(f"names {fdnames}: both are served", bool(until(lambda: answers("a") and answers("b"))))
            expect(f"names {fdnames}: the log has them", read(),
                   lambda text: " serves " + ", ".join(f"socket '{name}' of systemd" for name in told) in text)
            expect_end(f"names {fdnames}", process)
        else:
            expect(f"names {fdnames}: refuses to start", process.wait(timeout=20), 73)
            expect(f"names {fdnames}: says why", read(), lambda text: "LISTEN_FDNAMES does not name as many" in text)
for listener in listeners:
    listener.close()

# Somebody removes the file of a socket that was passed. Binding it anew is systemd's business: the daemon says so, in
# the log and once, and goes on serving those inside.
with contextlib.suppress(FileNotFoundError):
    os.unlink(PATH)
listener = socket.socket(socket.AF_UNIX)
listener.bind(PATH)
listener.listen()
for fdname, unit in (("notifyd", "notifyd.socket"), ("other.socket", "other.socket")):
    settings = f"LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES={fdname}"
    with open("log", "w+", encoding="utf-8") as log:
        process = subprocess.Popen(
            ["bash", "-c", f'export {settings}; exec "$0" "$@" 3<&{listener.fileno()}', NOTIFYD, *OPTIONS],
            stderr=log, pass_fds=[listener.fileno()])
        read = lambda: open("log", encoding="utf-8").read()
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(20)
            client.connect(PATH)
            client.sendall(b'{"op":"ping","id":1}\n')
            expect(f"{fdname}: a passed socket is served", client.recv(65536), lambda answer: b'"ok"' in answer)
            os.rename(PATH, PATH + ".away")
            until(lambda: "is gone" in read(), seconds=40)
            complaint = f"error: the socket file {PATH} is gone, nobody can connect until {unit} is restarted"
            expect(f"{fdname}: a lost file is told", read().count(complaint), 1)
            expect(f"{fdname}: nothing is put in its place", os.path.exists(PATH), False)
            client.sendall(b'{"op":"ping","id":2}\n')
            expect(f"{fdname}: those inside are served", client.recv(65536), lambda answer: b'"ok"' in answer)
        os.rename(PATH + ".away", PATH)
        expect_end(fdname, process)
        expect(f"{fdname}: the file is left to who made it", os.path.exists(PATH))
listener.close()
