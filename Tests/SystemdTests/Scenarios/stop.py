"""A stopped daemon leaves its socket to systemd, and the next connection starts it again; whoever comes in between is neither
refused nor lost (trial T084)."""
import socket
import threading

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

# What comes first after a stop is no request: it gets its error from a daemon that lives on.
systemctl("stop", "notifyd.service")
with socket.socket(socket.AF_UNIX) as client:
    client.settimeout(20)
    client.connect(SOCKET)
    client.sendall(b"nonsense\n")
    expect("a first line that is refused is answered", json.loads(client.makefile().readline()).get("code"), "invalid_json")
works("after a first line that was refused")
expect("it has not ended by that", show("NRestarts"), "0")

# A hundred come while it stops. Who is told goodbye, or meets the end, comes again, as every client does.
systemctl("reset-failed", "notifyd.service")
outcomes = []


def come():
    answer = None
    while answer != "ok":
        try:
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(20)
                client.connect(SOCKET)
                client.sendall(b'{"op":"ping","id":1}\n')
                answer = json.loads(client.makefile().readline() or '{"op":"end"}').get("op")
        except (BrokenPipeError, ConnectionResetError):
            pass  # It had been taken by the one that went.
        except OSError as error:
            answer = str(error)
            break
        if answer != "ok":
            time.sleep(0.05)
    outcomes.append(answer)


comers = [threading.Thread(target=come) for _ in range(100)]
for number, comer in enumerate(comers):
    if number == 50:
        stopping = threading.Thread(target=systemctl, args=("stop", "notifyd.service"))
        stopping.start()
    comer.start()
for thread in [stopping, *comers]:
    thread.join()
expect("who comes while it stops is served by the next one", outcomes, ["ok"] * 100)
works("after that")

systemctl("reset-failed", "notifyd.service")
expect("everything stops", systemctl("stop", "notifyd.socket", "notifyd.service")[0], 0)
expect("then the file is gone", os.path.exists(SOCKET), False)
start_socket()
works("from the beginning")
