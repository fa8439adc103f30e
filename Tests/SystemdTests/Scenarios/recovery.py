"""A daemon that crashed or hangs is started anew, and nobody is refused meanwhile."""
from rig import *

# The same unit, with a watchdog that a test can wait for.
write("/etc/systemd/system/notifyd.service.d/test.conf", "[Service]\nWatchdogSec=2s\n")
systemctl("daemon-reload")
start_socket()
works("before")


def another(pid):
    """A new process serves, and systemd knows it."""
    return until(lambda: show("ActiveState") == "active" and show("SubState") == "running"
                 and main_pid() not in (0, pid) and main_pid())


# The watchdog is fed: it would have struck several times by now otherwise.
pid = main_pid()
until(lambda: False, seconds=5)
expect("a healthy daemon is left alone by the watchdog", (main_pid(), show("NRestarts")), (pid, "0"))

listener = Listener("over.>")
os.kill(pid, signal.SIGKILL)
# They connect while nobody serves: the socket is systemd's, so the connections wait instead of being refused.
posters = [subprocess.Popen(["notifyctl", "post", "over.one", "1"]) for _ in range(20)]
expect("posts during the restart are served", {poster.wait(timeout=60) for poster in posters}, {0})
pid = another(pid)
expect("a killed daemon is started anew", bool(pid))
expect("by Restart=", show("NRestarts"), "1")
works("after the crash")


def back():
    listed = json.loads(run("notifyctl", "subscriptions", "--json")[1])
    return listener.process.pid in [s["pid"] for s in listed]


expect("the listener found the new daemon", until(back))
expect("and gets what comes now", post("over.two", "2")[0], 0)
expect("messages", listener.take(1)[-1]["payload"], lambda payload: payload in (1, 2))
listener.end()

os.kill(pid, signal.SIGSEGV)
pid = another(pid)
expect("a daemon that crashed is started anew", bool(pid))
works("after the second crash")

os.kill(pid, signal.SIGSTOP)
stopped = pid
pid = another(stopped)
expect("a daemon that hangs is killed and started anew", bool(pid))
expect("by the watchdog", [e["MESSAGE"] for e in journal() if "atchdog timeout" in e["MESSAGE"]],
       lambda found: len(found) == 1)
expect("which it does not survive", [e["MESSAGE"] for e in journal() if "timed out. Killing" in e["MESSAGE"]], [])
expect("restarts", show("NRestarts"), "3")
works("after the watchdog")
expect("the socket unit never failed", show("ActiveState", "notifyd.socket"), "active")
