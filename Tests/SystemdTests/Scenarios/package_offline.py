"""The Debian package where no systemd runs: in a container or a chroot, and into another root with DPKG_ROOT."""
import shutil

from packages import *
from rig import *

ENABLED = "etc/systemd/system/sockets.target.wants/notifyd.socket"
PLACES = "etc", "lib/", "usr/bin", "usr/lib", "usr/share", "var/lib/systemd", "var/lib/notifyd", "run"


def units():
    return run("systemctl", "list-units", "--all", "--no-legend", "--plain", "notifyd*")


def programs():
    """The names of all that run."""
    return run("sh", "-c", "cat /proc/[0-9]*/comm")[1].split("\n")


def names(file):
    return [line.split(":")[0] for line in open(file)]


def found(root=""):
    places = filter(os.path.exists, [f"{root}/{place}" for place in PLACES])
    return run("find", *places, "-name", "*notifyd*", "-o", "-name", "notifyctl*")[1].split("\n")


def life(where, dpkg, root=""):
    """`dpkg` is a function that runs it there."""
    files_before, accounts_before = found(root), accounts(root)
    for verb, file in ("install", FIRST), ("upgrade", SECOND):
        expect(f"{where}: {verb}", dpkg("--install", file), lambda outcome: outcome[0] == 0)
        expect(f"{where}: the user is there", "notifyd" in names(f"{root}/etc/passwd"))
        expect(f"{where}: the group is there", "notify" in names(f"{root}/etc/group"))
        expect(f"{where}: the next boot will have the socket",
               os.readlink(f"{root}/{ENABLED}"), "/lib/systemd/system/notifyd.socket")
        expect(f"{where}: nothing is started", programs().count("notifyd"), 0)
    write(f"{root}/etc/notifyd/notifyd.conf.d/mine.json5", "{}")
    expect(f"{where}: remove", dpkg("--remove", "notifyd"), lambda outcome: outcome[0] == 0)
    expect(f"{where}: the configuration stays", os.path.exists(f"{root}/etc/notifyd/notifyd.conf.d/mine.json5"))
    expect(f"{where}: purge", dpkg("--purge", "notifyd"), lambda outcome: outcome[0] == 0)
    expect(f"{where}: no file is left", found(root), files_before)
    expect(f"{where}: no user and no group", accounts(root) ^ accounts_before, set())


bare_system()
expect("it can be seen what runs", "systemd" in programs())
# Where there is no /run/systemd/system there is no systemd, as far as packages are concerned.
life("without systemd", lambda *arguments: run(
    "unshare", "--mount", "sh", "-c", 'mount -t tmpfs tmpfs /run && exec dpkg "$@"', "sh", *arguments,
    stdin=subprocess.DEVNULL))

root, units_before = "/srv/root", units()
for directory in ("etc", "usr/bin", "usr/lib", "var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers"):
    os.makedirs(f"{root}/{directory}")
os.symlink("usr/lib", f"{root}/lib")
for name in ACCOUNTS:
    shutil.copy(f"/etc/{name}", f"{root}/etc/{name}")
write(f"{root}/var/lib/dpkg/status", "")
life("with DPKG_ROOT", lambda *arguments: dpkg(
    f"--root={root}", "--force-script-chrootless", "--force-depends", *arguments), root)
expect("this system has not noticed: no user", "notifyd" not in names("/etc/passwd"))
expect("this system has not noticed: no unit", (units(), os.path.lexists(f"/{ENABLED}")), (units_before, False))
