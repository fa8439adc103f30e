#!/usr/bin/env python3
"""Builds the documentation: documentation.py PRODUCTS OUTPUT

PRODUCTS is where `swift build` has put the modules, .build/debug for example. The catalog of Notify has the articles.
Warnings are errors: links that lead nowhere, parameters that
are not there or not explained. And every public symbol has to say what it is.

What NotifyTesting has is shown in the same place, so that each may lead to the other."""
import json
import os
import subprocess
import sys
import tempfile

import symbols

CATALOG = os.path.join(symbols.SOURCES, "Notify/Notify.docc")


def main():
    products, output = sys.argv[1:]
    silent = [f"{symbol.path}: {symbol.declaration}" for module in symbols.MODULES
              for symbol in symbols.read(products, module)[0] if not symbol.is_documented and not symbol.is_derived]
    if silent:
        sys.exit("\n".join(["Without a word about what they are:", *silent]))
    with tempfile.TemporaryDirectory(prefix="notify-graphs.") as graphs:
        for number, graph in enumerate(graph for module in symbols.MODULES for graph in symbols.graphs(products, module)):
            graph["module"]["name"] = "Notify"
            with open(os.path.join(graphs, f"{number}.symbols.json"), "w", encoding="utf-8") as file:
                json.dump(graph, file)
        done = subprocess.run(
            ["docc", "convert", CATALOG, "--additional-symbol-graph-dir", graphs, "--output-path", output,
             "--fallback-display-name", "Notify", "--fallback-bundle-identifier", "notifyd.Notify", "--warnings-as-errors"],
            stderr=subprocess.STDOUT, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(done.stdout)
    print(f"The documentation is in {output}")


main()
