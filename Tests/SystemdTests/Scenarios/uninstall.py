"""`make install`, the life of a system with it, and `make uninstall` while everything runs: nothing is left."""
import shutil

from rig import *

CHECKOUT = "/usr/local/src/notifyd"
PLACES = ("/usr/local/bin", "/usr/local/lib/systemd", "/usr/local/lib/sysusers.d", "/usr/local/share", "/etc/systemd",
          "/run/systemd/system", "/run/notifyd")


def found():
    """Whatever is named after us, in the places where it could be."""
    return run("find", *[place for place in PLACES if os.path.exists(place)], "-name", "*notifyd*", "-o",
               "-name", "notifyctl", "-o", "-path", "/run/notifyd/*")[1].split()


def tree():
    """All files and directories below /usr/local, but for what the scenarios brought."""
    return {path for path in run("find", "/usr/local")[1].split("\n") if "/notifyd-scenarios" not in path}


def make(target):
    return run("make", "-C", CHECKOUT, target)


# This machine may have it installed.
make("uninstall")
expect("a bare system knows nothing of us", found(), [])
before = tree()
status, output, errors = make("install")
expect("make install", (status, errors), (0, ""))
for line in ("systemd-sysusers && systemctl daemon-reload && systemctl enable --now notifyd.socket",):
    expect("it says how to go on", line in output)
    expect("which works", run("bash", "-c", line)[0], 0)
works("as installed")
pid = main_pid()
expect("the daemon runs from there", os.path.realpath(f"/proc/{pid}/exe"), "/usr/local/bin/notifyd")

status, output, errors = make("uninstall")
expect("make uninstall", status, 0)
expect("the daemon has ended", os.path.exists(f"/proc/{pid}"), False)
expect("its socket is gone", os.path.exists(SOCKET), False)
expect("no file is left", found(), [])
expect("no directory either", sorted(tree() ^ before), [])
for unit in ("notifyd.socket", "notifyd.service"):
    expect(f"systemd does not know {unit} any more", show("LoadState", unit), "not-found")
expect("and has no complaint", run("systemctl", "--failed", "--no-legend", "--plain", "list-units", "notifyd*")[1], "")

# A second time there is nothing to do, and another system's tree is no business of the units that run.
expect("make uninstall again", make("uninstall")[0], 0)
expect("make install again", make("install")[0], 0)
expect("it starts again", run("bash", "-c", "systemctl daemon-reload && systemctl enable --now notifyd.socket")[0], 0)
works("once more")
expect("with DESTDIR", run("make", "-C", CHECKOUT, "uninstall", "DESTDIR=/tmp/tree")[0], 0)
expect("with another PREFIX", run("make", "-C", CHECKOUT, "uninstall", "PREFIX=/opt/other")[0], 0)
expect("nothing is stopped", show("ActiveState"), "active")
works("after those")
