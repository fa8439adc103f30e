"""A stopped daemon leaves its socket to systemd, and the next connection starts it again."""
import socket

from rig import *

start_socket()
works("before")
pid = main_pid()
inode = os.stat(SOCKET).st_ino

client = socket.socket(socket.AF_UNIX)
client.settimeout(20)
client.connect(SOCKET)
client.sendall(b'{"op":"ping","id":1}\n')
lines = client.makefile()
expect("a client is served", json.loads(lines.readline()).get("op"), "ok")

expect("it stops", systemctl("stop", "notifyd.service")[0], 0)
expect("a client that was connected hears a reason", json.loads(lines.readline()).get("op"), "bye")
expect("then the end", lines.readline(), "")
expect("it stopped in good order", (show("ActiveState"), show("Result"), show("ExecMainStatus")),
       ("inactive", "success", "0"))
expect("systemd was told: stopping", show("NRestarts"), "0")
expect("the socket file is the same", os.stat(SOCKET).st_ino, inode)
expect("the socket unit listens", show("SubState", "notifyd.socket"), "listening")

works("the next connection starts it again")
expect("as another process", main_pid(), lambda found: found not in (0, pid))

pid = main_pid()
expect("a restart works", systemctl("restart", "notifyd.service"), (0, ""))
expect("is another process", main_pid(), lambda found: found not in (0, pid))
works("after a restart")

expect("everything stops", systemctl("stop", "notifyd.socket", "notifyd.service")[0], 0)
expect("then the file is gone", os.path.exists(SOCKET), False)
start_socket()
works("from the beginning")
