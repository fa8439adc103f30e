"""The recipes of the page Recipes with units of systemd, as they stand there."""
import re

from rig import *

PAGE = "/usr/local/src/notifyd/Recipes.md"

with open(PAGE, encoding="utf-8") as file:
    page = file.read()
files = dict(re.findall(r"^<!-- file (\S+) -->\n```\w+\n(.*?)^```\n", page, re.M | re.S))
units = dict(re.findall(r"^<!-- unit (\S+) -->\n```ini\n(.*?)^```\n", page, re.M | re.S))
expect("the page shows these units", sorted(units), ["tell-failure@.service", "web.service"])
for name, text in units.items():
    write(f"/etc/systemd/system/{name}", text)
write("/etc/notifyd/notifyd.conf.d/recipes.json5", files["recipes.json5"])
write("/usr/local/bin/wait-for", files["wait-for"])
# A service that says that it is ready, and runs on.
write("/usr/local/bin/web", """#!/usr/bin/env python3
import os, signal, socket
socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"READY=1", os.environ["NOTIFY_SOCKET"])
signal.pause()
""")
os.chmod("/usr/local/bin/wait-for", 0o755)
os.chmod("/usr/local/bin/web", 0o755)
expect("systemd finds nothing wrong with them",
       run("systemd-analyze", "verify", "/etc/systemd/system/web.service", "/etc/systemd/system/tell-failure@x.service"),
       (0, "", ""))
systemctl("daemon-reload")
start_socket()


def wait_for(seconds):
    return run("wait-for", "web", seconds)[0]


def listening():
    return len(json.loads(run("notifyctl", "subscriptions", "--json")[1]))


expect("nobody is ready", wait_for("0.5"), 124)
waiting = subprocess.Popen(["wait-for", "web", "60"], stdout=subprocess.DEVNULL)
expect("somebody waits", until(lambda: listening() == 1))
expect("the service starts", systemctl("start", "web.service"), (0, ""))
expect("who waits is told", waiting.wait(20), 0)
expect("who comes later, too", wait_for("10"), 0)

os.kill(main_pid(), signal.SIGKILL)
expect("and the next daemon knows it", wait_for("10"), 0)

failures = Listener("unit.failed")
web = int(show("MainPID", "web.service"))
os.kill(web, signal.SIGKILL)
told = failures.take(1)[0]
expect("its failure is told", (told["type"], told["subject"], told["payload"]),
       ("UnitFailed", "web.service", {"unit": "web.service", "result": "signal"}))
stopped = json.loads(run("notifyctl", "get", "service.web")[1])
expect("and that it has ended, and how", (stopped["type"], stopped["payload"]), ("Stopped", {"result": "signal"}))
expect("so nobody takes it for ready", wait_for("0.5"), 124)

expect("the daemon stops", systemctl("stop", "notifyd.service")[0], 0)
expect("a service that starts then", systemctl("start", "web.service"), (0, ""))
expect("starts the daemon, which is told", wait_for("10"), 0)
expect("a stop in good order", systemctl("stop", "web.service"), (0, ""))
stopped = json.loads(run("notifyctl", "get", "service.web")[1])
expect("is told as one", (stopped["type"], stopped["payload"]), ("Stopped", {"result": "success"}))
failures.end()

# What was said in another boot does not count in this one.
run("notifyctl", "post", "service.web", "--type", "Ready", "--subject", "0" * 32, "--retain")
expect("readiness in another boot is none", wait_for("0.5"), 124)

expect("without any daemon", systemctl("stop", "notifyd.socket", "notifyd.service")[0], 0)
systemctl("mask", "--runtime", "notifyd.socket")
expect("the service starts all the same", systemctl("start", "web.service")[0], 0)
expect("and runs", show("SubState", "web.service"), "running")
