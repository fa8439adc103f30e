"""What is JSON according to Python's json module, made strict; compared with what NotifyWire's parsers said.

Input: lines of `1` or `0` (a JSON object or a blank line, or not) and the bytes of the line in hexadecimal digits.
"""
import json
import re
import sys

DEPTH = 128  # levels of a line, the envelope counted


def refuse(name):
    raise ValueError(name)


def is_object(line):
    """Whether the line is a strict JSON object, or blank; raises ValueError or RecursionError if it is no JSON."""
    text = line.decode("utf-8")
    if not text.strip(" \t\r"):
        return True
    # Numbers stay text: Python would refuse some for their length.
    value = json.loads(text, parse_constant=refuse, parse_int=str, parse_float=str, object_pairs_hook=tuple)
    json.dumps(value, ensure_ascii=False).encode("utf-8")  # fails on lone surrogates
    if not isinstance(value, tuple):
        return False
    depth = deepest = 0
    for bracket in re.findall(r"[\[\]{}]", re.sub(r'"(?:[^"\\]|\\.)*"', "", text)):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    return deepest <= DEPTH


def main():
    counts = [0, 0]
    for verdict, digits in (entry.rstrip("\n").split(" ") for entry in open(sys.argv[1])):
        line = bytes.fromhex(digits)
        try:
            expected = is_object(line)
        except (ValueError, RecursionError):
            expected = False
        counts[expected] += 1
        if expected != (verdict == "1"):
            sys.exit(f"the parsers say {verdict}, Python says {int(expected)}: {line!r}")
    print(f"Python's json agrees on {counts[1]} whole and {counts[0]} broken lines")


if __name__ == "__main__":
    main()
