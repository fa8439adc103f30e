#!/usr/bin/env python3
"""Runs the examples of a Markdown file: run_examples.py FILE DIRECTORY-OF-PROGRAMS

Examples are fenced blocks with the line <!-- run --> just above them:

    ```console   lines that begin with "$ " are typed into a shell on a terminal ("> " continues one); the lines after a
                 command are what it shows, and the next one is typed when they have come
    ```python    a program; what it shows is the ```text block that follows directly, if there is one

With the line <!-- any order --> above that one, what a command of the block shows may come in any order: several programs
write to the terminal at once.

With <!-- run pasted --> the commands of a block come all at once: none waits for the one before to get going.

A fenced block of any language with the line <!-- file NAME --> just above it is written to that file before all else, and may
be executed if it begins with #!. One of the commands, or another file, has to name it.

All blocks of a file share one empty directory and one shell, in their order. Other lines may come between those shown
(a daemon's log). Numbers stand for any number, … for any text, spaces for any spaces.
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

PATIENCE = 20  # seconds for what one command shows to come
TYPING = 0.5   # seconds that a person takes for the next command, and a command in the background has to get going


def blocks(text):
    """(language, lines, lines of the text block that belongs to it, whether those may come in any order, seconds
    between its commands)"""
    marked = r"^(<!-- any order -->\n)?<!-- run( pasted)? -->\n```(\w+)\n(.*?)^```\n"
    for match in re.finditer(marked, text, re.M | re.S):
        shown = re.match(r"\n*```text\n(.*?)^```\n", text[match.end():], re.M | re.S)
        output = shown[1].splitlines() if shown else []
        yield match[3], match[4].splitlines(), output, match[1] is not None, 0 if match[2] else TYPING


def files(text):
    """(name, content) of the files that are shown."""
    return re.findall(r"^<!-- file (\S+) -->\n```\w+\n(.*?)^```\n", text, re.M | re.S)


def steps(text):
    """[command, lines that it shows, whether in any order, seconds until the next] for each."""
    found = []
    for language, lines, shown, in_any_order, pause in blocks(text):
        if language == "python":
            # Onto a terminal it writes whole lines; with -u what others say could come before their ends.
            found.append(["python3 -c " + shlex.quote("\n".join(lines)), shown, in_any_order, pause])
        elif language == "console":
            for line in lines:
                if line.startswith("$ "):
                    found.append([line[2:], [], in_any_order, pause])
                elif line.startswith("> "):
                    found[-1][0] += "\n" + line[2:]
                elif line:
                    found[-1][1].append(line)
        else:
            sys.exit(f"I can run console and python, not {language}")
    return found


def script(found):
    """After a command that shows something the shell waits for the file that says that it came; one that shows nothing
    has to succeed."""
    lines = []
    for number, (command, shown, _, pause) in enumerate(found):
        lines.append(command)
        if shown:
            lines.append(f"until [ -e .came.{number} ]; do sleep 0.02; done")
        else:
            lines.append(f"[ $? = 0 ] || exit 1; sleep {pause}")
    return "\n".join(lines) + "\n"


def pattern(line):
    known = {"…": ".*"}
    return re.compile("".join(
        known.get(part) or (r"\d+" if part.isdigit() else r"\s+" if part.isspace() else re.escape(part))
        for part in re.split(r"(…|\d+|\s+)", line.strip())) + r"\s*$")


class Terminal:
    def __init__(self, descriptor):
        self.descriptor, self.text, self.read_up_to = descriptor, "", 0

    def await_lines(self, shown, in_any_order):
        """Those that do not come, after what came before."""
        missing, end = list(shown), time.monotonic() + PATIENCE
        while missing:
            complete = self.text[:self.text.rfind("\n") + 1]
            position = self.read_up_to
            for line in complete[position:].splitlines(keepends=True):
                position += len(line)
                candidates = missing if in_any_order else missing[:1]
                come = next((one for one in candidates if pattern(one).match(line.strip())), None)
                if come is not None:
                    missing.remove(come)
                    self.read_up_to, end = position, time.monotonic() + PATIENCE
                    if not missing:
                        break
            if missing and (time.monotonic() > end or not self.receive()):
                break
        return missing

    def receive(self):
        """False when the session is over."""
        if select.select([self.descriptor], [], [], 0.1)[0]:
            try:
                data = os.read(self.descriptor, 65536)
            except OSError:
                return False
            self.text += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", data.decode(errors="replace"))
        return True


def main():
    path, programs = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    found = steps(text)
    if not found:
        sys.exit(f"{path} marks no example to run")
    for name, _ in files(text):
        users = [step[0] for step in found] + [content for other, content in files(text) if other != name]
        if not any(re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])", user) for user in users):
            sys.exit(f"{path} shows the file {name}, and runs nothing that names it")
    with tempfile.TemporaryDirectory(prefix="notify-examples.") as directory:
        with open(os.path.join(directory, ".session"), "w", encoding="utf-8") as file:
            file.write(script(found))
        for name, content in files(text):
            with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
                file.write(content)
            if content.startswith("#!"):
                os.chmod(os.path.join(directory, name), 0o755)
        pid, descriptor = pty.fork()
        if pid == 0:
            os.chdir(directory)
            environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "TERM": "dumb", "COLUMNS": "120",
                           "HOME": directory, "XDG_RUNTIME_DIR": directory}
            # What would make programs behave otherwise than for a reader.
            for name in ("NOTIFYD_SOCKET", "PYTHONUNBUFFERED"):
                environment.pop(name, None)
            os.execvpe("bash", ["bash", "--norc", ".session"], environment)
        terminal = Terminal(descriptor)
        for number, (command, shown, in_any_order, _) in enumerate(found):
            missing = terminal.await_lines(shown, in_any_order)
            if missing:
                os.killpg(pid, signal.SIGKILL)
                sys.exit(f"{path}: after\n    {command}\nit shows\n    {missing[0]}\nwhich did not come. "
                         f"What came:\n{terminal.text}")
            if shown:
                open(os.path.join(directory, f".came.{number}"), "w", encoding="utf-8").close()
        # Commands after the last that shows something run to their end; then the terminal goes, and with its hang-up
        # what is still in the background.
        end = time.monotonic() + PATIENCE
        while (ended := os.waitpid(pid, os.WNOHANG)) == (0, 0):
            terminal.receive()
            if time.monotonic() > end:
                os.killpg(pid, signal.SIGKILL)
                sys.exit(f"{path}: the last commands did not end. What came:\n{terminal.text}")
        try:
            os.killpg(pid, signal.SIGTERM)
        except ProcessLookupError:
            pass
        if ended[1] != 0:
            sys.exit(f"{path}: a command that shows nothing failed. What came:\n{terminal.text}")


main()
