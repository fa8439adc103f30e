"""A user's own systemd serves the user's own socket, as the README says; notifyctl finds it before the system's."""
import pwd
import stat

from rig import *

NOBODY_THERE, DENIED = 69, 77
# Logins, and with them users' managers. Nobody logs in here: users linger.
run("systemctl", "unmask", "systemd-logind.service")
run("systemctl", "start", "systemd-logind.service")
run("useradd", "--create-home", "ada")
ada = pwd.getpwnam("ada")
for name in ("ada", "root"):
    expect(f"{name} lingers", run("loginctl", "enable-linger", name)[0], 0)
runtime = f"/run/user/{ada.pw_uid}"
for directory in (runtime, "/run/user/0"):
    expect(f"there is a manager at {directory}", bool(until(lambda: os.path.exists(f"{directory}/bus"))))
without_runtime = ("setpriv", "--reuid=ada", "--regid=ada", "--init-groups", "env", "-C", "/", "-u", "XDG_RUNTIME_DIR",
                   "HOME=/home/ada")
as_ada = (*without_runtime, f"XDG_RUNTIME_DIR={runtime}")
as_root = ("env", "XDG_RUNTIME_DIR=/run/user/0", "HOME=/root")
ctl = (*as_ada, "notifyctl")
OWN, ROOTS = f"{runtime}/notifyd/socket", "/run/user/0/notifyd/socket"


def show_user(name, unit="notifyd.service"):
    return run(*as_ada, "systemctl", "--user", "show", "-P", name, unit)[1]


def reached(*command):
    """The socket that `notifyctl` uses, or the status that it ends with."""
    status, output, errors = run(*command, "post", "-v", "which.one", "1")
    return errors.split("connected to ")[1].split()[0] if status == 0 else status


status, output, errors = run(*as_ada, "systemctl", "--user", "enable", "--now", "notifyd.socket")
expect("the socket unit is enabled", status, 0)
expect("and will be there at each login", show_user("UnitFileState", "notifyd.socket"), "enabled")
mode = os.stat(OWN)
expect("the socket is there", stat.S_ISSOCK(mode.st_mode))
expect("for the user alone", (oct(mode.st_mode & 0o777), mode.st_uid), ("0o600", ada.pw_uid))
expect("in a directory for the user alone", oct(os.stat(os.path.dirname(OWN)).st_mode & 0o777), "0o700")
expect("the daemon does not run yet", show_user("ActiveState"), "inactive")

complete = lambda *words: run(*ctl, "__complete", "fish", *words, "get", "")
expect("completion has nothing to offer", complete(), (0, "", ""))
expect("and does not start the daemon", show_user("ActiveState"), "inactive")
expect("posting as the user finds the user's socket", run(*ctl, "post", "my.channel", "1"), (0, "", ""))
expect("and starts the daemon", (show_user("ActiveState"), show_user("SubState")), ("active", "running"))
# Nobody is connected; that the daemon runs is known from systemd.
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
expect("and leaves the socket", stat.S_ISSOCK(os.stat(OWN).st_mode))
expect("completion leaves it alone", (complete(), show_user("ActiveState")), ((0, "", ""), "inactive"))
expect("the next post starts it again", run(*ctl, "post", "my.channel", "3"), (0, "", ""))

# Which one is found. First without the system's.
expect("who has no XDG_RUNTIME_DIR has no daemon of their own", reached(*without_runtime, "notifyctl"), NOBODY_THERE)
expect("and is told", run(*without_runtime, "notifyctl", "--user", "ping")[2],
       lambda text: "XDG_RUNTIME_DIR is not set" in text)
expect("nor has root", reached(*as_root, "notifyctl"), NOBODY_THERE)
start_socket()
expect("with both the user's own is found", reached(*ctl), OWN)
expect("the system's when it is asked for, by those whom it lets in", reached(*ctl, "--system"), DENIED)
run("usermod", "-aG", "notify", "ada")
expect("a member of the group", reached(*ctl, "--system"), SOCKET)
expect("gets to the user's own without a word", reached(*ctl), OWN)
expect("without XDG_RUNTIME_DIR it is the system's", reached(*without_runtime, "notifyctl"), SOCKET)
expect("one daemon knows nothing of the other", run(*ctl, "--system", "get", "my.channel")[0], 1)
expect("not even the channel", run(*ctl, "--system", "channels", "my.>", "--json")[1], "[]")
expect("which is in the other", run(*ctl, "channels", "my.>", "--json")[1], lambda text: "my.channel" in text)

expect("completion knows it from the other", until(lambda: complete("--system")[1]), "words\nwhich.one\tchannel")
expect("the user's own stops", run(*as_ada, "systemctl", "--user", "stop", "notifyd.service")[0], 0)
expect("completion does not take the system's for it", complete(), (0, "", ""))

# root is a user as others are, whom nobody refuses.
expect("root finds the system's", reached("env", "-u", "XDG_RUNTIME_DIR", "notifyctl"), SOCKET)
expect("also when logged in", reached(*as_root, "notifyctl"), SOCKET)
expect("root may have one as well", run(*as_root, "systemctl", "--user", "enable", "--now", "notifyd.socket")[0], 0)
expect("which root finds then", reached(*as_root, "notifyctl"), ROOTS)
expect("but not without XDG_RUNTIME_DIR, as with sudo", reached("env", "-u", "XDG_RUNTIME_DIR", "notifyctl"), SOCKET)
expect("root with somebody's XDG_RUNTIME_DIR gets to theirs",
       reached("env", f"XDG_RUNTIME_DIR={runtime}", "notifyctl"), OWN)
# As su does without -l.
status, output, errors = run(*without_runtime, "XDG_RUNTIME_DIR=/run/user/0", "notifyctl", "post", "which.one", "1")
expect("somebody with root's is refused", (status, ROOTS in errors), (DENIED, True))

expect("it is disabled", run(*as_ada, "systemctl", "--user", "disable", "--now", "notifyd.socket")[0], 0)
expect("the daemon has ended with it", show_user("ActiveState"), "inactive")
expect("then the system's is found", reached(*ctl), SOCKET)
expect("but not when the user's own is asked for", reached(*ctl, "--user"), NOBODY_THERE)
expect("nothing is enabled any more", [files for _, _, files in os.walk("/home/ada/.config/systemd") if files], [])
