"""Posts, good and spoilt, to a real daemon; what becomes of each is compared with what Python makes of it.

    posts.py SOCKET SEED COUNT LINE_BYTES

Of every line an independent reading (Python's json, made strict, and the few rules of the protocol's page) says whether
it is JSON and whether it is a post. The daemon must say the same, and a listener must get the payloads of the good ones,
byte for byte and in order.
"""
import json
import random
import re
import socket
import sys

import judge

FIELDS = {"op", "id", "channel", "payload", "type", "subject", "retain", "ttl_ms"}
CHANNEL = re.compile(r"[A-Za-z0-9_\-:@/+=]+(\.[A-Za-z0-9_\-:@/+=]+)*")
DECODER = json.JSONDecoder(parse_int=str, parse_float=str)


# What a line is.


def members(text):
    """The members of the object in text that is valid: key, and value as it stands there."""
    at = text.index("{") + 1
    found = []
    while True:
        at = skip(text, at)
        if text[at] == "}":
            return found
        key, at = json.decoder.scanstring(text, at + 1, True)
        at = skip(text, skip(text, at) + 1)
        end = DECODER.raw_decode(text, at)[1]
        found.append((key, text[at:end]))
        at = skip(text, end)
        if text[at] == ",":
            at += 1


def skip(text, at):
    while text[at] in " \t\r":
        at += 1
    return at


def is_label(raw):
    text = json.loads(raw)
    return isinstance(text, str) and 1 <= len(text.encode()) <= 255 and not re.search(r"[\x00-\x1f\x7f-\x9f]", text)


def is_id(raw):
    if raw[0] == '"':
        return len(raw.encode()) <= 66
    return re.fullmatch(r"[0-9]{1,16}", raw) is not None and int(raw) < 2**53


def reading(line, limit):
    """What must become of the line: `too long`, `no JSON`, `blank`, `refused`, or the payload that is delivered."""
    if len(line) + 1 > limit:
        return "too long"
    try:
        if not judge.is_object(line):
            return "no JSON"
    except (ValueError, RecursionError):
        return "no JSON"
    text = line.decode()
    if not text.strip(" \t\r"):
        return "blank"
    found = members(text)
    fields = dict(found)
    if len(fields) != len(found) or not set(fields) <= FIELDS or not {"op", "channel"} <= set(fields):
        return "refused"
    channel = json.loads(fields["channel"]) if fields["channel"][0] == '"' else ""
    good = (
        fields["op"][0] == '"' and json.loads(fields["op"]) == "post"
        and CHANNEL.fullmatch(channel) and len(channel) <= 255 and channel.count(".") < 32
        and all(is_label(fields[name]) for name in ("type", "subject") if name in fields)
        and fields.get("retain", "true") in ("true", "false")
        and re.fullmatch("[1-9][0-9]{0,11}", fields.get("ttl_ms", "1"))
        and is_id(fields.get("id", "0"))
    )
    return fields.get("payload", "null").encode() if good else "refused"


# Lines.

GOOD = [
    "0", "-0", "1", "-1.5", "1e400", "-1E+25", "0.30000000000000004", "18446744073709551616", "9" * 5000, "1e-999",
    "true", "false", "null", '""', r'"\u0000"', r'"\ud83d\ude00"', '"é€😀"', '"\u2028\u0085\x7f\ufeff\uffff"',
    r'"\" \\ \/ \b\f\n\r\t \u00e9"', "[]", "{}", "[ ]", "{\t}", '{"":{}}', '{"a":1,"a":2}', '{"\\u0061":1,"a":2}',
    '"' + "x" * 300 + '"', "[[[[[[[[]]]]]]]]",
]
BAD = [
    "01", "-01", "+1", ".5", "1.", "-", "1e", "1e+", "0x1", "1_0", "NaN", "Infinity", "-Infinity", "nan", "True",
    "nul", "truee", "'a'", r'"\ud83d"', r'"\ude00\ud83d"', r'"\ud83d\u0041"', r'"\ud83dx"', r'"\u12"', r'"\u+123"',
    r'"\x41"', '"\\', '"a\tb"', '"a\x00b"', '"\x1f"', "[1,]", "[,1]", '{"a":1,}', "{,}", '{"a"}', '{"a":}', "{1:2}",
    "{a:1}", '{"a" 1}', "[1 2]", "[1,,2]", "[", "]", "{", "}", "[}", "{]", "1 2", "// x", "/* x */ 1", "#", "",
    "\ufeff1", "\u00a01", "\x0b1", "\x0c1", "undefined",
]
BAD_BYTES = [
    b"\xff", b"\xc0\x80", b"\xc1\xbf", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xf0\x80\x80\x80",
    b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\x80", b"\xe2\x82", b"\xc3", b"\xf0\x9f\x98",
]
SPACES = ["", "", "", " ", "\t", "\r", " \t "]
ALPHABET = b'{}[]":,\\/u0123456789+-.eEtrfalsn dD8\x00\x09\x0d\x1f\x7f\x80\xc3\xed\xf0'


class Writer:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, choices):
        return self.random.choice(choices)

    def value(self, depth=0):
        kind = self.random.randrange(8)
        if depth > 4 or kind < 5:
            return self.pick(GOOD)
        values = [self.value(depth + 1) for _ in range(self.random.randrange(4))]
        space = self.pick(SPACES)
        if kind == 5:
            return "[" + space + (space + "," + space).join(values) + space + "]"
        return "{" + space + ("," + space).join(f'"{self.pick("abé")}"{space}:{value}' for value in values) + "}"

    def deep(self):
        """Nested about as deep as may be."""
        levels = self.random.randrange(124, 132)
        opened = [self.pick(["[", '{"a":', "[1,", '{"a":[],"b":']) for _ in range(levels)]
        return "".join(opened) + "0" + "".join("]" if o[0] == "[" else "}" for o in reversed(opened))

    def payload(self):
        kind = self.random.randrange(20)
        if kind == 0:
            return self.deep().encode()
        if kind < 4:
            return self.pick(BAD).encode()
        if kind == 4:
            return b'"' + self.pick(BAD_BYTES) + b'"'
        if kind == 5:
            return f"[{self.pick(BAD)},{self.value()}]".encode()
        return self.value().encode()

    def envelope(self):
        """The fields of a post but for its payload, in the usual order, mostly."""
        channel = self.pick(["s.a", "s.a", "s.b.c", "x", "a" * 255, "a" * 256, ".".join("a" * 32), ".".join("a" * 33),
                             "", "a..b", "$s", "a.*", "é", r"s\u002ea", r"a\u0000", "ü"])
        common = self.random.random() < 0.6
        fields = [('"op"', '"post"'), ('"channel"', f'"{"s.a" if common else channel}"')]
        if self.random.random() < 0.5:
            fields.insert(1, ('"id"', self.pick(["0", "7", "9007199254740991", "9007199254740992", '"x"', "01", "1.0",
                                                 '"' + "i" * 64 + '"', '"' + "i" * 65 + '"', "-1", "null"])))
        if self.random.random() < 0.3:
            fields.append(('"type"', self.pick(['"T"', '"T"', '"é"', '""', r'"\u0041"', r'"\u0007"', '"\x7f"', '"\u0085"',
                                                '"' + "t" * 255 + '"', '"' + "t" * 256 + '"', "5"])))
        if self.random.random() < 0.3:
            fields.append(('"subject"', self.pick(['"s"', '"s t"', "null", r'"\ud83d\ude00"'])))
        if self.random.random() < 0.1:
            fields.append(self.pick([('"retain"', "true"), ('"retain"', "1"), ('"ttl_ms"', "600000"), ('"ttl_ms"', "0"), ('"delay"', "5"), ('"other"', "1"),
                                     ('"channel"', '"s.b"'), (r'"\u0063hannel"', '"s.b"'), ('"op"', '"post"')]))
        if self.random.random() < 0.1:
            fields[0] = (r'"\u006fp"', '"post"')
        if self.random.random() < 0.15:
            self.random.shuffle(fields)
        return fields

    def line(self, limit):
        space = self.pick(SPACES) if self.random.random() < 0.2 else ""
        fields = [f"{space}{key}{space}:{space}{value}".encode() for key, value in self.envelope()]
        fields.append(f'{space}"payload"{space}:{space}'.encode() + self.payload())
        if self.random.random() < 0.02:
            fields.append(fields[-1])
        line = b"{" + b",".join(fields) + space.encode() + b"}" + space.encode()
        kind = self.random.randrange(60)
        if kind < 8:
            line = self.mutated(line)
        elif kind == 8:
            line = self.pick([b"\xef\xbb\xbf", b"//", b"\x00", b"[", b" ", b"\r"]) + line
        elif kind == 9:
            line += self.pick([b",", b"}", b"{}", b"//", b"\x00", b" ", b"\r", b"0", b"\xef\xbb\xbf"])
        elif kind == 10:
            line = line[: self.random.randrange(len(line))]
        elif kind == 11:
            line = self.pick([b"", b" ", b"\r", b"\t \r", b"[]", b"{}", b'"a"', b"0", b"null"])
        elif kind == 12:
            room = limit - self.random.randrange(3) - len(line)
            line = line[:1] + b" " * max(0, room) + line[1:]
        return line.replace(b"\n", b" ")

    def mutated(self, line):
        line = bytearray(line)
        for _ in range(self.random.randrange(1, 3)):
            at = self.random.randrange(len(line))
            kind = self.random.randrange(4)
            if kind == 0:
                line[at] = self.pick(ALPHABET)
            elif kind == 1 and len(line) > 1:
                del line[at]
            elif kind == 2:
                line.insert(at, self.pick(ALPHABET))
            else:
                line[at:at] = line[at : at + 8]
        return bytes(line)


# The daemon.


class Client:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(path)
        self.file = self.socket.makefile("rb")

    def send(self, lines):
        self.socket.sendall(b"".join(line + b"\n" for line in lines))

    def until(self, mark):
        """The lines that come before the answer with this id."""
        lines = []
        while True:
            line = self.file.readline()
            if not line.endswith(b"\n"):
                sys.exit("the daemon closed the connection")
            if line == b'{"op":"ok","id":"%s"}\n' % mark:
                return lines
            if not judge.is_object(line[:-1]):
                sys.exit(f"the daemon says what is no JSON: {line!r}")
            lines.append(line)


def said(answers):
    """What became of a line, from what the daemon answered to it."""
    if not answers:
        return None
    answer = json.loads(answers[0])
    if len(answers) > 1 or answer["op"] not in ("ok", "error"):
        sys.exit(f"one answer is enough: {answers}")
    return answer.get("code", "ok")


def check(line, expected, answer):
    codes = {"too long": ["line_too_long"], "no JSON": ["invalid_json"], "blank": [None]}
    if expected == "refused":
        good = answer not in (None, "ok", "invalid_json", "line_too_long")
    else:
        good = answer in codes.get(expected, [None, "ok"])
    if not good:
        sys.exit(f"expected {expected!r}, the daemon says {answer!r}: {line!r}")


def main():
    path, seed, count, limit = sys.argv[1], *map(int, sys.argv[2:])
    writer, poster, listener = Writer(seed), Client(path), Client(path)
    listener.send([b'{"op":"subscribe","channel":">"}', b'{"op":"ping","id":"ready"}'])
    listener.until(b"ready")
    counts = {}
    for start in range(0, count, 100):
        lines = [writer.line(limit) for _ in range(min(100, count - start))]
        # Posts of one kind behind each other are read in a way of their own.
        lines = [line for line in lines for _ in range(writer.pick([1, 1, 2]))]
        poster.send(part for number, line in enumerate(lines) for part in (line, b'{"op":"ping","id":"p%d"}' % number))
        payloads = []
        for number, line in enumerate(lines):
            expected = reading(line, limit)
            check(line, expected, said(poster.until(b"p%d" % number)))
            kind = "delivered" if isinstance(expected, bytes) else expected
            counts[kind] = counts.get(kind, 0) + 1
            if isinstance(expected, bytes):
                payloads.append(expected)
        listener.send([b'{"op":"ping","id":"end"}'])
        messages = listener.until(b"end")
        if len(messages) != len(payloads):
            sys.exit(f"{len(payloads)} posts were good, {len(messages)} messages came")
        for message, payload in zip(messages, payloads):
            if not message.endswith(b',"payload":' + payload + b"}\n"):
                sys.exit(f"the payload {payload!r} became {message!r}")
    for kind in ("delivered", "no JSON", "refused", "too long", "blank"):
        if counts.get(kind, 0) < count // 1000:
            sys.exit(f"{count} lines are no trial: {counts}")
    print(counts)


main()
