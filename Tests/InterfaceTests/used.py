#!/usr/bin/env python3
"""Whether the client package uses every public entry: used.py PRODUCTS

PRODUCTS is where `swift build` has put the modules. The compiler dumps what it made of the client's sources: each use of
a declaration with its name in the symbol graph. Ends with 1 and a list of what is never used."""
import glob
import os
import re
import subprocess
import sys

import symbols

HERE = os.path.dirname(os.path.abspath(__file__))
TYPES = {"swift.class", "swift.struct", "swift.enum"}
# Nobody writes these, or the dump does not show them: the language and the standard library use them, and what a
# protocol asks for is looked at by itself.
UNWRITTEN_KINDS = {"swift.typealias", "swift.associatedtype", "swift.protocol"}
UNWRITTEN_NAMES = {"init(from:)", "encode(to:)", "hash(into:)", "==(_:_:)"}


def dump(products):
    sources = sorted(glob.glob(f"{HERE}/Client/Sources/Client/*.swift"))
    done = subprocess.run(
        ["swiftc", "-dump-ast", "-dump-ast-format", "json", "-swift-version", "6", "-parse-as-library", "-module-name",
         "Client", "-I", f"{products}/Modules", "-I", symbols.SOURCES, *sources], capture_output=True, text=True)
    text = done.stdout + done.stderr
    if done.returncode != 0 or '"decl_usr"' not in text:
        sys.exit("\n".join(["the client does not compile", *re.findall(r"[^}]* error: .*", text)]))
    return text


def main():
    text = dump(sys.argv[1])
    used = set(re.findall(r'"decl_usr":"(s:[^"]+)"', text))
    # In a pattern a case has no name of its own: the type of what is matched, and the bare word.
    matched = re.findall(
        r'"_kind":"pattern_enum_element","type":"\$s([^"]+)".{1,80}?"element":\{[^{}]*\{[^{}]*"name":"(\w+)"', text)
    unused = []
    for module in symbols.MODULES:
        found = symbols.read(sys.argv[1], module)[0]
        usrs = {symbol.path: symbol.usr for symbol in found}
        for symbol in found:
            parent, _, name = symbol.path.rpartition(".")
            if symbol.usr in used or symbol.kind in UNWRITTEN_KINDS or name in UNWRITTEN_NAMES:
                continue
            if symbol.kind in TYPES and "$s" + symbol.usr[2:] in text:
                continue
            if symbol.kind == "swift.enum.case" and any(
                    case == name.partition("(")[0] and type.startswith(usrs[parent][2:]) for type, case in matched):
                continue
            unused.append(f"{symbol.path}: {symbol.declaration}")
    if unused:
        sys.exit("\n".join(["The client in Tests/InterfaceTests/Client does not use these:", *unused]))


main()
