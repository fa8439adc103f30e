"""What the compiler says that the library offers: the symbol graphs of the modules that `swift build` has made.

A graph has every public symbol with its declaration and its doc comment. Members that a type has only because the
standard library extends one of its protocols (`map`, `filter` of every sequence) are left out: they are not ours."""
import json
import os
import platform
import re
import subprocess
import sys
import tempfile

MODULES = ["Notify", "NotifyFoundation", "NotifyTesting"]
# Where the C headers are that the modules need.
SOURCES = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Sources"))


def extract(products, module, directory):
    """Writes the graph of a module, and those of what it adds to others. `products` is .build/debug or its like."""
    done = subprocess.run(
        ["swift-symbolgraph-extract", "-module-name", module, "-target", f"{platform.machine()}-unknown-linux-gnu",
         "-I", f"{products}/Modules", "-I", SOURCES, "-minimum-access-level", "public", "-skip-synthesized-members",
         "-output-dir", directory], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"no symbol graph of {module}: {done.stderr}")


def graphs(products, module):
    with tempfile.TemporaryDirectory(prefix="notify-symbols.") as directory:
        extract(products, module, directory)
        for name in sorted(os.listdir(directory)):
            with open(os.path.join(directory, name), encoding="utf-8") as file:
                yield json.load(file)


class Symbol:
    def __init__(self, symbol):
        self.usr = symbol["identifier"]["precise"]
        self.kind = symbol["kind"]["identifier"]
        self.path = ".".join(symbol["pathComponents"])
        self.declaration = re.sub(
            r"\s+", " ", "".join(part["spelling"] for part in symbol["declarationFragments"])).strip()
        constraints = symbol.get("swiftExtension", {}).get("constraints", [])
        if constraints and "where" not in self.declaration:
            words = {"conformance": ":", "superclass": ":", "sameType": "=="}
            self.declaration += " where " + ", ".join(
                f"{one['lhs']} {words.get(one['kind'], one['kind'])} {one['rhs']}" for one in constraints)
        # What the compiler derives stands nowhere, and what is inherited was documented elsewhere.
        self.is_derived = "location" not in symbol
        comment = symbol.get("docComment", {})
        self.is_documented = any(line["text"].strip() for line in comment.get("lines", [])) \
            and comment.get("module") in MODULES


def read(products, module):
    """Its symbols, and its conformances as [(path, protocol)]."""
    symbols, conformances = [], []
    for graph in graphs(products, module):
        found = {symbol.usr: symbol for symbol in map(Symbol, graph["symbols"])}
        symbols += found.values()
        for relation in graph["relationships"]:
            if relation["kind"] == "defaultImplementationOf":
                found[relation["source"]].declaration = "default " + found[relation["source"]].declaration
            if relation["kind"] == "conformsTo" and relation["source"] in found:
                target = found.get(relation["target"])
                protocol = target.path if target else relation["targetFallback"].removeprefix("Swift.")
                conformances.append((found[relation["source"]].path, protocol))
    return symbols, conformances
