#!/usr/bin/env python3
"""Runs the examples of a Markdown file: run_examples.py FILE DIRECTORY-OF-PROGRAMS

Examples are fenced blocks with the line <!-- run --> just above them:

    ```console   lines that begin with "$ " are typed, one after the other, into one shell on a terminal; the lines
                 between them are what it shows
    ```python    a program; what it shows is the ```text block that follows directly, if there is one

All blocks of a file share one empty directory and one shell environment, in their order. The lines shown have to come
in their order; others may come between them (a daemon's log). Numbers stand for any number, … for any text.
Ends with 0 when all came, and there was at least one example."""
import os
import pty
import re
import select
import shlex
import signal
import sys
import tempfile
import time

PATIENCE = 20  # seconds for all that a file shows to come
TYPING = 0.5   # seconds that a person takes after a command that stays in the background


def blocks(text):
    """(language, lines) of the marked blocks; `shown` blocks ride on the program before them."""
    fence = r"^```(\w+)\n(.*?)^```\n"
    for match in re.finditer(r"^<!-- run -->\n" + fence, text, re.M | re.S):
        shown = re.match(r"\n*```text\n(.*?)^```\n", text[match.end():], re.M | re.S)
        yield match[1], match[2].splitlines(), shown[1].splitlines() if shown else []


def session(text):
    """The shell script, and the lines that have to come."""
    script, wanted = [], []
    for number, (language, lines, shown) in enumerate(blocks(text)):
        if language == "python":
            program = "\n".join(lines)
            script.append(f"python3 -u -c {shlex.quote(program)}")
            wanted += shown
        elif language == "console":
            for line in lines:
                if line.startswith("$ "):
                    script.append(line[2:])
                    if line.endswith("&"):
                        script.append(f"sleep {TYPING}")
                elif line.startswith("> "):
                    script[-1] += "\n" + line[2:]
                elif line:
                    wanted.append(line)
        else:
            sys.exit(f"block {number + 1}: I can run console and python, not {language}")
    return script, wanted


def pattern(line):
    """Spaces are a matter of column widths, numbers of the moment."""
    parts = re.split(r"(…|\d+|\s+)", line.strip())
    known = {"…": ".*"}
    return re.compile("".join(
        known.get(p) or (r"\d+" if p.isdigit() else r"\s+" if p.isspace() else re.escape(p)) for p in parts) + r"\s*$")


def missing(output, wanted):
    """The first wanted line that did not come in its place; None when all did."""
    lines = iter(re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", output).splitlines())
    for want in wanted:
        if not any(pattern(want).match(line.strip()) for line in lines):
            return want
    return None


def main():
    path, programs = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        script, wanted = session(file.read())
    if not script:
        sys.exit(f"{path} marks no example to run")
    with tempfile.TemporaryDirectory(prefix="notify-examples.") as directory:
        with open(os.path.join(directory, ".session"), "w", encoding="utf-8") as file:
            file.write("\n".join(script) + "\nwait\n")
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(directory)
            environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "TERM": "dumb", "COLUMNS": "120",
                           "HOME": directory, "XDG_RUNTIME_DIR": directory}
            environment.pop("NOTIFYD_SOCKET", None)
            os.execvpe("bash", ["bash", "--norc", ".session"], environment)
        output, end = b"", time.monotonic() + PATIENCE
        while missing(output.decode(errors="replace"), wanted) is not None and time.monotonic() < end:
            if select.select([terminal], [], [], 0.1)[0]:
                try:
                    output += os.read(terminal, 65536)
                except OSError:  # the session is over
                    break
        # The session leads a process group of its own: daemon and listeners go with it.
        os.killpg(pid, signal.SIGTERM)
        os.close(terminal)
        os.waitpid(pid, 0)
    text = output.decode(errors="replace")
    lost = missing(text, wanted)
    if lost is not None:
        sys.exit(f"{path} shows a line that did not come:\n    {lost}\nWhat came:\n{text}")


main()
