"""A user's own systemd serves the user's own socket."""
import pwd
import stat

from rig import *

run("useradd", "--create-home", "ada")
ada = pwd.getpwnam("ada")
runtime = f"/run/user/{ada.pw_uid}"
os.makedirs(runtime)
os.chown(runtime, ada.pw_uid, ada.pw_gid)
os.chmod(runtime, 0o700)
# What user@.service does at login; there are no logins here.
expect("the user's systemd starts", run(
    "systemd-run", "--quiet", "--unit=ada", "--uid=ada", "--property=Delegate=yes", "--property=Type=notify",
    f"--setenv=XDG_RUNTIME_DIR={runtime}", "/lib/systemd/systemd", "--user"), (0, "", ""))
as_ada = ("setpriv", "--reuid=ada", "--regid=ada", "--init-groups", "env", "-C", "/", f"XDG_RUNTIME_DIR={runtime}",
          "HOME=/home/ada")


def show_user(name, unit="notifyd.service"):
    return run(*as_ada, "systemctl", "--user", "show", "-P", name, unit)[1]


expect("the socket unit starts", run(*as_ada, "systemctl", "--user", "start", "notifyd.socket"), (0, "", ""))
path = f"{runtime}/notifyd/socket"
mode = os.stat(path)
expect("the socket is there", stat.S_ISSOCK(mode.st_mode))
expect("for the user alone", (oct(mode.st_mode & 0o777), mode.st_uid), ("0o600", ada.pw_uid))
expect("in a directory for the user alone", oct(os.stat(os.path.dirname(path)).st_mode & 0o777), "0o700")
expect("the daemon does not run yet", show_user("ActiveState"), "inactive")

ctl = (*as_ada, "notifyctl")
complete = lambda: run(*ctl, "__complete", "fish", "get", "")
expect("completion has nothing to offer", complete(), (0, "", ""))
expect("and does not start the daemon", show_user("ActiveState"), "inactive")
expect("posting as the user finds the user's socket", run(*ctl, "post", "my.channel", "1"), (0, "", ""))
expect("and starts the daemon", (show_user("ActiveState"), show_user("SubState")), ("active", "running"))
expect("completion offers the channel", until(lambda: complete()[1]), "words\nmy.channel\tchannel")
pid = int(show_user("MainPID"))
expect("as the user", os.stat(f"/proc/{pid}").st_uid, ada.pw_uid)
expect("the status says something", show_user("StatusText"), lambda text: text != "")
listener = Listener("my.>", ctl)
expect("another post", run(*ctl, "post", "my.channel", "2"), (0, "", ""))
expect("arrives", [m["payload"] for m in listener.take(1)], [2])
listener.end()

expect("a reload works", run(*as_ada, "systemctl", "--user", "reload", "notifyd.service"), (0, "", ""))
expect("in the same process", (show_user("ActiveState"), int(show_user("MainPID"))), ("active", pid))
expect("it stops", run(*as_ada, "systemctl", "--user", "stop", "notifyd.service")[0], 0)
expect("and leaves the socket", stat.S_ISSOCK(os.stat(path).st_mode))
expect("completion leaves it alone", complete(), (0, "", ""))
expect("it is still stopped", show_user("ActiveState"), "inactive")
expect("the next post starts it again", run(*ctl, "post", "my.channel", "3"), (0, "", ""))
