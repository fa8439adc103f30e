"""A journal that takes no more does not stop the daemon; what was logged meanwhile comes out later."""
import socket

from rig import *

write("/etc/notifyd/notifyd.json5", '{ log_level: "debug" }')
start_socket()
works("before")
journald = int(show("MainPID", "systemd-journald.service"))
os.kill(journald, signal.SIGSTOP)


def connect():
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(20)
    client.connect(SOCKET)
    return client


# Two entries for each: more than the journal's socket holds.
for number in range(1500):
    with connect() as client:
        client.sendall(b'{"op":"ping","id":1}\n')
        if not (answer := client.makefile().readline()):
            break
expect("every client was answered", (number, answer), (1499, '{"op":"ok","id":1}\n'))
os.kill(journald, signal.SIGCONT)
pid = main_pid()
came = until(lambda: len([e for e in journal(f"_PID={pid}") if e["MESSAGE"].endswith("client connected")]) >= 1500)
expect("and is in the journal in the end", came)
works("after")
