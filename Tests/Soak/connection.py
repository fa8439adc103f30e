"""A client of the daemon that never waits: lines out when the socket takes them, lines in when they are there."""
import json
import socket


class Connection:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.socket.setblocking(False)
        self.output = bytearray()
        self.input = bytearray()
        self.ended = False

    def say(self, **request):
        self.output += json.dumps(request).encode() + b"\n"

    def write(self):
        """Hands over what the socket takes."""
        while self.output:
            try:
                del self.output[:self.socket.send(self.output)]
            except BlockingIOError:
                return
            except OSError:
                self.output.clear()

    def read(self, most=1 << 16):
        """The lines that are complete now."""
        try:
            data = self.socket.recv(most)
        except BlockingIOError:
            return []
        except OSError:
            data = b""
        if not data:
            self.ended = True
        self.input += data
        *lines, rest = self.input.split(b"\n")
        self.input = bytearray(rest)
        return [json.loads(line) for line in lines]

    def close(self):
        self.socket.close()
        self.ended = True
