"""A daemon that cannot start says why, is not tried for ever, and works after the repair
(trial T084)."""
from rig import *

CONFIGURATION = "/etc/notifyd/notifyd.json5"

write(CONFIGURATION, '{ limits: { clients: "many" } }')
start_socket()
status, _, errors = post("some.channel", "1")
expect("a client is refused, not left waiting", status, 69)
expect("the service failed", until(lambda: show("ActiveState") == "failed"))
expect("systemd gave up, the socket unit too", until(lambda: show("ActiveState", "notifyd.socket") == "failed"))
expect("the daemon said which configuration error it was", show("ExecMainStatus"), "78")
messages = [e["MESSAGE"] for e in journal("SYSLOG_IDENTIFIER=notifyd")]
expect("the journal names file and key", messages,
       lambda found: found != [] and all(CONFIGURATION in m and "limits.clients" in m for m in found))
expect("a few times at most", len(messages), lambda count: count <= 5)

os.unlink(CONFIGURATION)
systemctl("reset-failed", "notifyd.service", "notifyd.socket")
start_socket()
works("after the repair")
