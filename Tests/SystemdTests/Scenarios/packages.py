"""What the scenarios of the Debian package share."""
import glob
import os
import re
import subprocess

from rig import run

# The same content twice, the second of a higher version.
FIRST, SECOND = sorted(glob.glob("/usr/local/lib/notifyd-packages/*.deb"))
CONFIGURATION = "/etc/notifyd/notifyd.json5"
ACCOUNTS = "passwd", "group", "shadow", "gshadow"


def bare_system():
    """It is no matter what this machine has installed, or forbids to start."""
    run("make", "-C", "/usr/local/src/notifyd", "uninstall")
    run("userdel", "notifyd")
    run("groupdel", "notify")
    run("rm", "-rf", "/etc/notifyd", "/var/lib/notifyd")
    # The latter: the index of all manual pages, which would be written anew at each step.
    for path in ("/usr/sbin/policy-rc.d", "/var/lib/man-db/auto-update"):
        if os.path.exists(path):
            os.remove(path)


def with_configuration(text, number):
    """The second package again, as a higher version that brings another configuration file."""
    tree = f"/srv/notifyd-{number}"
    run("dpkg-deb", "--raw-extract", SECOND, tree)
    with open(tree + CONFIGURATION, "w") as file:
        file.write(text)
    control = open(f"{tree}/DEBIAN/control").read()
    with open(f"{tree}/DEBIAN/control", "w") as file:
        file.write(re.sub("^Version: .*$", rf"\g<0>.{number}", control, flags=re.M))
    run("dpkg-deb", "--build", "-z1", tree, f"{tree}.deb")
    return f"{tree}.deb"


def accounts(root=""):
    """The lines of all users and groups."""
    return {f"{name}: {line}" for name in ACCOUNTS for line in open(f"{root}/etc/{name}")}


def dpkg(*arguments):
    """Nobody is there to answer questions."""
    status, output, errors = run("dpkg", *arguments, stdin=subprocess.DEVNULL)
    return status, output, "\n".join(line for line in errors.splitlines() if "man-db/auto-update" not in line)
