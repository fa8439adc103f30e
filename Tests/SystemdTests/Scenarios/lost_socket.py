"""Somebody removes the socket's file: the journal says what to do, and doing it helps."""
import re

from rig import *

start_socket()
works("before")
os.unlink(SOCKET)


def complaint():
    texts = [e["MESSAGE"] for e in journal("PRIORITY=3") if "is gone" in e.get("MESSAGE", "")]
    return texts[0] if texts else ""


# The daemon looks after its file every ten seconds.
text = until(complaint, seconds=40)
expect("the journal tells which file", text, lambda text: SOCKET in text)
unit = re.search(r"until (\S+) is restarted", text)
expect("and which unit to restart", unit and unit[1], "notifyd.socket")
expect("which works", systemctl("restart", "notifyd.socket"), (0, ""))
works("after the restart")
