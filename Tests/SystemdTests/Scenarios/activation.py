"""The first connection starts the daemon, and messages go through it."""
import grp
import os
import pwd
import stat

from rig import *

start_socket()
mode = os.stat(SOCKET)
expect("the socket is there before the daemon", stat.S_ISSOCK(mode.st_mode))
expect("its mode", oct(mode.st_mode & 0o777), "0o660")
expect("its group", mode.st_gid, grp.getgrnam("notify").gr_gid)
expect("everybody may look into its directory", oct(os.stat("/run/notifyd").st_mode & 0o777), "0o755")
expect("the daemon does not run yet", show("ActiveState"), "inactive")

# Somebody presses Tab: there is nobody to ask, and nobody is woken for that.
complete = lambda: run("notifyctl", "__complete", "fish", "get", "")
expect("completion has nothing to offer", complete(), (0, "", ""))
expect("and does not start the daemon", show("ActiveState"), "inactive")

# A first message from a client that knows nothing of systemd: posted before the daemon lives, answered by it.
status, output, errors = run("notifyctl", "post", "--json", "first.message", '{"n":1}')
expect("the first post starts the daemon", (status, errors), (0, ""))
expect("the receipt is of the first message", json.loads(output).get("seq"), 1)
expect("the daemon runs", show("ActiveState"), "active")
expect("systemd was told: ready", show("SubState"), "running")
expect("the status says something", show("StatusText"), lambda text: text != "")

pid = main_pid()
expect("the daemon runs as notifyd", os.stat(f"/proc/{pid}").st_uid, pwd.getpwnam("notifyd").pw_uid)
with open(f"/proc/{pid}/environ") as file:
    environment = file.read().split("\0")
expect("systemd gave it its variables", [v for v in environment if v.startswith("LISTEN_FDNAMES=")],
       ["LISTEN_FDNAMES=notifyd"])
# Nobody is connected; that the daemon runs is known from systemd.
expect("completion offers the channel", until(lambda: complete()[1]), "words\nfirst.message\tchannel")
works("after activation")
expect("it is still the same process", main_pid(), pid)
expect("systemd counts no restart", show("NRestarts"), "0")

# What is logged arrives with its priority and under the daemon's name.
entries = journal(f"_PID={pid}")
expect("the daemon writes to the journal", len(entries), lambda count: count > 0)
expect("under its name", {e.get("SYSLOG_IDENTIFIER") for e in entries}, {"notifyd"})
expect("with priorities", {e.get("PRIORITY") for e in entries}, lambda found: found <= set("01234567"))
expect("by the journal's own protocol", {e.get("_TRANSPORT") for e in entries}, {"journal"})

# Another user may connect as a member of the group only; the sender is the one that the kernel saw.
run("useradd", "--system", "--no-create-home", "stranger")
run("useradd", "--system", "--no-create-home", "--groups", "notify", "member")
as_user = lambda name: ("setpriv", f"--reuid={name}", f"--regid={name}", "--init-groups", "notifyctl")
status, _, errors = run(*as_user("stranger"), "post", "some.channel", "1")
expect("a stranger is refused by the socket", status, 77)
expect("and told which group it takes", errors, lambda text: "group 'notify'" in text or "group notify" in text)
listener = Listener("some.>")
expect("a member may post", run(*as_user("member"), "post", "some.channel", '"hello"'), (0, "", ""))
expect("without a word in the system's log", run("journalctl", "--quiet", "-o", "cat", "_COMM=notifyctl")[1], "")
sender = listener.take(1)[0]["from"]
expect("the message says who sent it", sender["uid"], pwd.getpwnam("member").pw_uid)
listener.end()
