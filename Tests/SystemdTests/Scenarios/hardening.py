"""The units are correct in systemd's eyes, and the daemon can do no more than it must."""
from rig import *

units = [f"/usr/local/lib/systemd/system/notifyd.{kind}" for kind in ("socket", "service")]
# Unknown keys do not change the status: any output is a failure.
expect("systemd-analyze verify has nothing to say", run("systemd-analyze", "verify", "--man=no", *units), (0, "", ""))
user = [f"/usr/local/lib/systemd/user/notifyd.{kind}" for kind in ("socket", "service")]
expect("nor about the user units", run(
    "systemd-analyze", "verify", "--man=no", "--user", *user, env={**os.environ, "XDG_RUNTIME_DIR": "/run"}), (0, "", ""))

start_socket()
works("hardened")
exposure = run("systemd-analyze", "security", "--no-pager", "notifyd.service")[1].splitlines()[-1]
expect("the exposure is at most 0.5", float(exposure.split("notifyd.service:")[1].split()[0]), lambda x: x <= 0.5)

pid = main_pid()
with open(f"/proc/{pid}/status") as file:
    status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
expect("no capability is left", {status[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")},
       {"0" * 16})
expect("system calls are filtered", status["Seccomp"], "2")
expect("no new privileges", status["NoNewPrivs"], "1")


def descriptors(process, column):
    with open(f"/proc/{process}/limits") as file:
        return int(next(line for line in file if line.startswith("Max open files")).split()[column])


# Where this runs, systemd itself may not be allowed as many as LimitNOFILE= asks for.
expect("there are descriptors for all clients", descriptors(pid, 3), min(65536, descriptors(1, 4)))
for name in ("net", "mnt", "ipc"):
    expect(f"a {name} namespace of its own",
           os.readlink(f"/proc/{pid}/ns/{name}") != os.readlink(f"/proc/self/ns/{name}"))
expect("but everybody's users, for `from.uid`", os.readlink(f"/proc/{pid}/ns/user"), os.readlink("/proc/self/ns/user"))
sockets = run("nsenter", f"--net=/proc/{pid}/ns/net", "ss", "-Htuln")[1]
expect("it listens on no network", sockets, "")
