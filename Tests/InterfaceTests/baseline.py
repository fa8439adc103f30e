#!/usr/bin/env python3
"""The public interface, one declaration on a line, compared with what is written down: baseline.py PRODUCTS [--update]

PRODUCTS is where `swift build` has put the modules, .build/debug for example. With --update the files in Baseline are
written anew. Ends with 1 when something is missing or different, which breaks somebody's program, or new, which nobody
has looked at yet."""
import os
import sys

import symbols

# Said of everything that is not said to be otherwise.
IMPLIED = {"Copyable", "Escapable", "SendableMetatype"}
DIRECTORY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Baseline")


def interface(products, module):
    found, conformances = symbols.read(products, module)
    lines = [f"{symbol.path.rpartition('.')[0] or module}: {symbol.declaration}" for symbol in found]
    lines += [f"{path}: is {protocol}" for path, protocol in conformances if protocol not in IMPLIED]
    return sorted(set(lines))


def main():
    products, update = sys.argv[1], "--update" in sys.argv
    complaints = []
    for module in symbols.MODULES:
        built, path = interface(products, module), os.path.join(DIRECTORY, f"{module}.txt")
        if update:
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(built) + "\n")
            print(f"{len(built)} lines in {os.path.relpath(path)}")
            continue
        with open(path, encoding="utf-8") as file:
            written = file.read().splitlines()
        complaints += [f"BREAKS  {line}" for line in written if line not in built]
        complaints += [f"is new  {line}" for line in built if line not in written]
    if complaints:
        sys.exit("\n".join(["The public interface is not what is written down. If that is meant: make api", *complaints]))


main()
