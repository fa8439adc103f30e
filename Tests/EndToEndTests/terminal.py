"""A terminal for a test: runs a program on a pty, shows what it has drawn, and does what lines of its input say.

    terminal.py COLUMNS ROWS PROGRAM ARGUMENT…

Commands, a line each: `keys TEXT`, `size COLUMNS ROWS`, `signal NAME`, `await TEXT` (until the screen shows it), `gone
TEXT` (until it does not), `seen TEXT` (until it was written, however shortly it was shown), `screen` (prints it), `raw`
(whether keys come one by one), `alternate` (whether the other screen is shown), `hidden` (whether the cursor is),
`colours` (whether any came), `everything` (what was written), `taken` (until it is again), `stopped` and `running` (until it is), `end` (until the program
has ended; prints its status).
Each answers with a line of JSON. The first that takes too long is an error that shows the screen, and the end."""
import fcntl, json, os, pty, select, signal, struct, sys, termios, time

import pyte

PATIENCE = 30


class Screen(pyte.Screen):
    alternate = False

    def set_mode(self, *modes, **options):
        if 1049 in modes and options.get("private"):
            self.alternate = True
        return super().set_mode(*modes, **options)

    def reset_mode(self, *modes, **options):
        if 1049 in modes and options.get("private"):
            self.alternate = False
        return super().reset_mode(*modes, **options)


columns, rows = int(sys.argv[1]), int(sys.argv[2])
screen = Screen(columns, rows)
stream = pyte.ByteStream(screen)
# The other side stays open here: so one can see in which state it was left.
master, slave = pty.openpty()
fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
child = os.fork()
if child == 0:
    os.login_tty(slave)
    os.execv(sys.argv[3], sys.argv[3:])
everything = b""


def feed(timeout):
    """Draws what has come; False at the end."""
    global everything
    if not select.select([master], [], [], timeout)[0]:
        return True
    try:
        data = os.read(master, 65536)
    except OSError:
        return False
    everything += data
    stream.feed(data)
    return bool(data)


def until(what, condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            print(json.dumps({"error": f"{what}: in vain", "screen": screen.display}), flush=True)
            os.kill(child, signal.SIGKILL)
            sys.exit(1)
        feed(0.02)
    return True


def state():
    with open(f"/proc/{child}/stat") as file:
        return file.read().rsplit(")", 1)[1].split()[0]


def ended():
    global status
    if status is None:
        pid, code = os.waitpid(child, os.WNOHANG)
        status = os.waitstatus_to_exitcode(code) if pid else None
    return status is not None


status = None
for line in sys.stdin:
    command, _, rest = line.rstrip("\n").partition(" ")
    answer = True
    if command == "keys":
        os.write(master, rest.encode().decode("unicode_escape").encode())
    elif command == "size":
        columns, rows = map(int, rest.split())
        screen.resize(rows, columns)
        fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    elif command == "signal":
        os.kill(child, getattr(signal, rest))
    elif command == "await":
        until(line, lambda: any(rest in shown for shown in screen.display))
    elif command == "seen":
        until(line, lambda: rest.encode() in everything)
    elif command == "gone":
        until(line, lambda: not any(rest in shown for shown in screen.display))
    elif command == "screen":
        answer = screen.display
    elif command == "raw":
        answer = not termios.tcgetattr(master)[3] & (termios.ICANON | termios.ECHO)
    elif command == "alternate":
        answer = screen.alternate
    elif command == "taken":
        until(line, lambda: screen.alternate and not termios.tcgetattr(master)[3] & termios.ECHO)
    elif command == "hidden":
        answer = screen.cursor.hidden
    elif command == "stopped":
        until(line, lambda: state() == "T")
        feed(0.05)
    elif command == "running":
        until(line, lambda: state() != "T")
    elif command == "colours":
        answer = b"\x1b[1m" in everything
    elif command == "everything":
        answer = everything.decode()
    elif command == "end":
        until(line, ended)
        while feed(0.05) and select.select([master], [], [], 0)[0]:
            pass
        answer = status
    print(json.dumps(answer), flush=True)
