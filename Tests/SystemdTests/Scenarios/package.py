"""The life of the Debian package: installed, used, configured, upgraded with clients connected, removed, installed
again, purged. Then nothing is left."""
import grp
import pwd
import re
import threading

from packages import *
from rig import *

# What a package manager and a login write down for themselves.
NOT_OURS = "/var/lib/dpkg", "/var/log", "/var/cache", "/var/lib/systemd/linger", "/var/mail"
UNITS = "notifyd.socket", "notifyd.service"
EDITED = '{ log_level: "debug" } // mine'


def files():
    """Everything where a package or its programs may write; of /run, where others come and go, what is ours."""
    found = set()
    for top in ("/etc", "/usr", "/var", "/opt", "/run"):
        for directory, names, others in os.walk(top):
            names[:] = [name for name in names if os.path.join(directory, name) not in NOT_OURS]
            found |= {os.path.join(directory, name) for name in names + others if top != "/run" or "notify" in name}
    return {path for path in found if not path.endswith(("passwd-", "group-", "shadow-", ".pwd.lock"))}


def states():
    return [show(name, unit) for unit in UNITS for name in ("UnitFileState", "ActiveState")]


def last_kept():
    return run("notifyctl", "listen", "kept.>", "--replay", "1", "--until-live", "--output", "payload")[1]


def edited():
    return open(CONFIGURATION).read()


class Poster(threading.Thread):
    """Posts numbers from 0 on, one program for each, until it is ended."""

    def __init__(self):
        super().__init__()
        self.enough, self.outcomes = threading.Event(), []
        self.start()

    def run(self):
        while not self.enough.is_set():
            number = str(len(self.outcomes))
            self.outcomes.append(run("notifyctl", "post", "kept.number", number, "--dedup", number))

    def ten_more(self):
        count = len(self.outcomes)
        expect("ten posts were made", bool(until(lambda: len(self.outcomes) > count + 10)))

    def end(self):
        self.enough.set()
        self.join()
        return len(self.outcomes)


bare_system()
# Logins, so that there are users' daemons, too.
run("systemctl", "unmask", "systemd-logind.service")
run("systemctl", "start", "systemd-logind.service")
run("useradd", "--create-home", "ada")
uid = pwd.getpwnam("ada").pw_uid
run("loginctl", "enable-linger", "ada")
expect("a user is there", bool(until(lambda: os.path.exists(f"/run/user/{uid}/bus"))))
as_ada = ("setpriv", "--reuid=ada", "--regid=ada", "--init-groups", "env", "-C", "/", "HOME=/home/ada",
          f"XDG_RUNTIME_DIR=/run/user/{uid}")
files_before, accounts_before = files(), accounts()

# With an older one, programs as `make build` links them crash when they start.
libc = re.search(r"libc6 \(>= ([\d.]+)", run("dpkg-deb", "--field", FIRST, "Depends")[1])
expect("it asks for a C library that can load it", [int(part) for part in libc[1].split(".")], lambda v: v >= [2, 36])

# Installed.
expect("the package installs", dpkg("--install", FIRST), lambda outcome: outcome[0] == 0)
expect("the user is there, who cannot log in", pwd.getpwnam("notifyd").pw_shell, "/usr/sbin/nologin")
expect("in the group", grp.getgrnam("notify").gr_mem, ["notifyd"])
expect("the socket is open, the daemon waits for somebody", states(), ["enabled", "active", "indirect", "inactive"])
works("as installed")
expect("from the package", os.readlink(f"/proc/{main_pid()}/exe"), "/usr/bin/notifyd")
expect("files are as they were packed", run("dpkg", "--verify", "notifyd"), (0, "", ""))
expect("somebody is not let in", run(*as_ada, "notifyctl", "post", "works.not", "1")[0], 77)
run("usermod", "-aG", "notify", "ada")
expect("a member of the group is", run(*as_ada, "notifyctl", "post", "works.too", "1"), (0, "", ""))
expect("a user has a daemon at a word", run(*as_ada, "systemctl", "--user", "enable", "--now", "notifyd.socket")[0], 0)
expect("and gets to it", run(*as_ada, "notifyctl", "post", "-v", "my.own", "1")[2],
       lambda text: f"/run/user/{uid}/notifyd/socket" in text)

# Configured.
write(CONFIGURATION, EDITED)
write("/etc/notifyd/notifyd.conf.d/kept.json5",
      '{ channels: [{ pattern: "kept.>", persist: true, history: { messages: 100000, bytes: 100000000 } }] }')
expect("a restart takes what is configured", systemctl("restart", "notifyd.service"), (0, ""))

# Upgraded, while somebody listens and somebody posts.
listener = Listener("kept.>")
socket, pid = os.stat(SOCKET).st_ino, main_pid()
poster = Poster()
poster.ten_more()
expect("the package is upgraded", dpkg("--install", SECOND), lambda outcome: outcome[0] == 0)
poster.ten_more()
count = poster.end()
expect("the socket has not been closed", os.stat(SOCKET).st_ino, socket)
expect("the daemon is a new one", main_pid(), lambda new: new not in (0, pid))
expect("no post was refused meanwhile", [outcome for outcome in poster.outcomes if outcome != (0, "", "")], [])
expect("a listener has missed nothing", [m["payload"] for m in listener.take(count)], list(range(count)))
listener.end()
works("upgraded")
expect("what the administrator wrote is there", edited(), EDITED)
expect("and counts", run("notifyd", "--print-config")[1], lambda text: '"debug"' in text)
expect("a user's daemon has gone on", run(*as_ada, "systemctl", "--user", "is-active", "notifyd.service")[1], "active")

# A configuration that is broken breaks no upgrade; it is told, and the repair brings all back.
write("/etc/notifyd/notifyd.conf.d/broken.json5", "{ nonsense: 1 }")
expect("the package is put back to its version of old", dpkg("--install", FIRST)[0], 0)
expect("the daemon has not started", show("ActiveState"), lambda state: state != "active")
expect("why is in the journal", any("nonsense" in entry["MESSAGE"] for entry in journal()))
os.remove("/etc/notifyd/notifyd.conf.d/broken.json5")
systemctl("reset-failed", *UNITS)
expect("and upgraded", dpkg("--install", SECOND)[0], 0)
works("repaired")

# A newer version brings another configuration file. Who has changed theirs keeps it, whether somebody is there to be asked or
# not, unless they say otherwise; who has not gets the new one.
systemctl("stop", "notifyd.service")
ours = [f'{{ log_level: "info" }} // of version {number}' for number in range(4)]
newer = [with_configuration(text, number) for number, text in enumerate(ours)]
status, output, errors = dpkg("--install", newer[0])
expect("dpkg asks, and nobody answers", status != 0 and f"Configuration file '{CONFIGURATION}'" in output + errors)
expect("meanwhile what the administrator wrote is there", edited(), EDITED)
for number, option in (0, "--force-confold"), (1, "--force-confdef"):
    action = ("--configure", "notifyd") if number == 0 else ("--install", newer[number])
    expect(f"{option}: a newer version is installed", dpkg(option, *action)[0], 0)
    expect(f"{option}: what the administrator wrote is there", edited(), EDITED)
    expect(f"{option}: and the new one beside it", open(CONFIGURATION + ".dpkg-dist").read(), ours[number])
expect("--force-confnew: a newer version is installed", dpkg("--force-confnew", "--install", newer[2])[0], 0)
expect("--force-confnew: its file has replaced what the administrator wrote", edited(), ours[2])
expect("--force-confnew: and that is beside it", open(CONFIGURATION + ".dpkg-old").read(), EDITED)
expect("nobody is asked who has changed nothing", dpkg("--install", newer[3])[0], 0)
expect("and the new file is there", edited(), ours[3])
works("with the new file")
expect("and it counts", run("notifyd", "--print-config")[1], lambda text: '"info"' in text)
expect("the package is put back", dpkg("--install", SECOND)[0], 0)
write(CONFIGURATION, EDITED)

# What is switched off stays off.
expect("it is disabled", systemctl("disable", "--now", "notifyd.socket")[0], 0)
expect("the package is put back to its version of old", dpkg("--install", FIRST)[0], 0)
expect("nobody has enabled or started it", states(), ["disabled", "inactive", "indirect", "inactive"])
expect("it is enabled again", systemctl("enable", "--now", "notifyd.socket")[0], 0)
expect("and upgraded", dpkg("--install", SECOND)[0], 0)
expect("which starts no daemon that does not run", states(), ["enabled", "active", "indirect", "inactive"])
expect("what was kept is there", last_kept(), str(count - 1))

# Removed, and installed again.
pids = [main_pid(), int(run(*as_ada, "systemctl", "--user", "show", "-P", "MainPID", "notifyd.service")[1])]
expect("the system's and a user's daemon run", 0 not in pids)
expect("the package is removed", dpkg("--remove", "notifyd")[0], 0)
expect("both have ended", [pid for pid in pids if os.path.exists(f"/proc/{pid}")], [])
expect("their sockets are gone", [path for path in files() - files_before if path.startswith("/run")], [])
expect("systemd does not know the units any more",
       [show("LoadState", unit) for unit in UNITS], ["not-found"] * 2)
expect("what the administrator wrote is there", edited(), EDITED)
expect("the package is installed again", dpkg("--install", SECOND)[0], 0)
expect("the socket is open again", states(), ["enabled", "active", "indirect", "inactive"])
expect("what was kept is there", last_kept(), str(count - 1))

# Purged.
status, output, errors = dpkg("--purge", "notifyd")
expect("the package is purged", (status, errors), (0, ""))
expect("a group that somebody was put in stays", grp.getgrnam("notify").gr_mem, ["ada"])
expect("and is told", "groupdel notify" in output)
run("gpasswd", "--delete", "ada", "notify")
expect("the package is installed once more", dpkg("--install", SECOND)[0], 0)
works("once more")
status, output, errors = dpkg("--purge", "notifyd")
expect("the package is purged again", (status, errors), (0, ""))
expect("no file is left, and none is missing", sorted(files() ^ files_before), [])
expect("no user and no group", accounts() ^ accounts_before, set())
expect("systemd has no complaint", run("systemctl", "--failed", "--no-legend", "list-units", "notifyd*")[1], "")
