"""A reload takes a good configuration and refuses a bad one."""
from rig import *

DROP_IN = "/etc/notifyd/notifyd.conf.d/test.json5"

start_socket()
works("before")
pid = main_pid()
listener = Listener("kept.>")


def longest_line():
    """What a new client is told."""
    import socket
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(10)
    client.connect(SOCKET)
    client.sendall(b'{"op":"hello","id":1,"version":1}\n')
    return json.loads(client.makefile().readline()).get("limits", {}).get("line_bytes")


expect("the default limit", longest_line(), 1048576)
write(DROP_IN, '{ limits: { line_bytes: 65536, }, } // smaller')
expect("a good file reloads", systemctl("reload", "notifyd.service"), (0, ""))
expect("new clients see the new limit", until(lambda: longest_line() == 65536))
expect("the service is ready again", until(lambda: show("SubState") == "running"))
expect("the journal says what happened", until(lambda: any("reload" in e["MESSAGE"].lower() for e in journal(f"_PID={pid}"))))

write(DROP_IN, '{ limits: { line_bites: 1 } }')
status, output = systemctl("reload", "notifyd.service")
expect("a bad file fails the reload", status != 0)
expect("the journal names the file and the key",
       [e["MESSAGE"] for e in journal() if "line_bites" in e["MESSAGE"]],
       lambda found: found != [] and all(DROP_IN in message for message in found))
expect("the daemon runs on", (show("ActiveState"), main_pid()), ("active", pid))
expect("with the old limit", longest_line(), 65536)

# The same bad file straight to the daemon, as anybody may send SIGHUP: it keeps what it has.
os.kill(pid, signal.SIGHUP)
expect("the daemon itself refuses it, too",
       until(lambda: any("line_bites" in e["MESSAGE"] for e in journal(f"_PID={pid}"))))
expect("it runs on", (show("ActiveState"), show("SubState"), main_pid()), ("active", "running", pid))
expect("with the old limit still", longest_line(), 65536)

expect("a listener from before all this", post("kept.one", "1")[0], 0)
expect("still listens", [m["payload"] for m in listener.take(1)], [1])
listener.end()
