"""Who may do what at the system's daemon: members of the group, others whom rules let in, and units."""
import pwd

from rig import *

DROP_IN = "/etc/notifyd/notifyd.conf.d/access.json5"
write("/etc/systemd/system/notifyd.socket.d/open.conf", "[Socket]\nSocketMode=0666\n")
systemctl("daemon-reload")
for name, more in (("stranger", ()), ("member", ("--groups", "notify"))):
    run("useradd", "--system", "--no-create-home", *more, name)
stranger = pwd.getpwnam("stranger").pw_uid
start_socket()


def ctl(name, *words):
    return run("setpriv", f"--reuid={name}", f"--regid={name}", "--init-groups", "notifyctl", *words)


def in_unit(unit, name, *words):
    return run("systemd-run", "--quiet", "--collect", "--wait", "--pipe", f"--unit={unit}", f"--uid={name}", "notifyctl", *words)


expect("a member posts", ctl("member", "post", "some.x", "1"), (0, "", ""))
expect("and sees who is there", ctl("member", "clients", "--json")[0], 0)
expect("but administers nothing", ctl("member", "explain", "admin", "some.x")[0], 77)
status, _, errors = ctl("stranger", "post", "some.x", "1")
expect("a stranger comes in and may not", (status, "'post'" in errors), (77, True))
expect("but has a place of their own", ctl("stranger", "post", f"user.{stranger}.x", "1"), (0, "", ""))
expect("where a member may not", ctl("member", "post", f"user.{stranger}.x", "1")[0], 77)
expect("the rule is explained", ctl("member", "explain", "post", "some.x")[1],
       'allowed: { allow: ["post", "listen", "block", "observe"], group: "notify" } (built in)')

write(DROP_IN, """{ access: [
    { deny: "post", channels: "unit.closed.>", unit: "shop.service" },
    { allow: ["post", "listen"], channels: ["unit.>", "shared.x"], unit: "shop.service" },
    { allow: "listen", channels: "shared.>", user: "stranger" },
] }""")
expect("the rules come into force", systemctl("reload", "notifyd.service"), (0, ""))
expect("a unit may what its rule says", until(lambda: in_unit("shop", "stranger", "post", "unit.x", "1")[0] == 0))
expect("and no more", in_unit("shop", "stranger", "post", "unit.closed.x", "1")[0], 77)
expect("outside of it the same user may not", ctl("stranger", "post", "unit.x", "1")[0], 77)
expect("nor in another unit", in_unit("other", "stranger", "post", "unit.x", "1")[0], 77)
denials = [e for e in journal("NOTIFYD_RIGHT=post") if e.get("NOTIFYD_CLIENT_UNIT") == "other.service"]
expect("the journal names the unit, the user and the channel",
       [(e["NOTIFYD_CLIENT_UID"], e["NOTIFYD_CHANNEL"]) for e in denials], [(str(stranger), "unit.x")])

listener = subprocess.Popen(["setpriv", "--reuid=stranger", "--regid=stranger", "--init-groups", "notifyctl", "listen", "shared.x"],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
expect("a stranger listens", bool(until(lambda: str(listener.pid) in run("notifyctl", "subscriptions", "--json")[1])))
write(DROP_IN, '{ access: [ { allow: "listen", user: "nobody at all" } ] }')
status, output = systemctl("reload", "notifyd.service")
expect("rules for a user who is not there fail the reload", status != 0)
expect("the journal says why", until(lambda: any("access[0].user" in e["MESSAGE"] for e in journal())))
expect("and what was allowed still is", in_unit("shop", "stranger", "post", "shared.x", '"still"')[0], 0)
expect("and comes", json.loads(listener.stdout.readline())["payload"], "still")

os.unlink(DROP_IN)
expect("without the rules", systemctl("reload", "notifyd.service"), (0, ""))
expect("the listener ends as denied", listener.wait(20), 77)
expect("and says why", listener.stderr.read(), lambda text: "the access rules were changed" in text)
expect("the unit may no longer", in_unit("shop", "stranger", "post", "unit.x", "1")[0], 77)
expect("the journal shows what was removed", until(lambda: any(
    'access: removed { allow: "listen", channels: "shared.>", user: "stranger" }' in e["MESSAGE"] for e in journal())))
