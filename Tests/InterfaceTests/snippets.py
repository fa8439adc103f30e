#!/usr/bin/env python3
"""Compiles the Swift examples of our documentation: snippets.py PRODUCTS FILE…

A file is an article (.md) or a source whose doc comments have examples (.swift). The fenced swift blocks of a file become
one source file: declarations stand there as they are, so that later blocks see them; statements become the body of a
function each. `center` is a NotifyCenter everywhere. What a doc comment does not declare is taken from Shop.swift beside
this script; an article has to declare what it uses. A manifest is given to the package manager.

Warnings are errors, but for those about values that an example does not use any more."""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.normpath(os.path.join(HERE, "../../Sources"))
DECLARATION = re.compile(
    r"(@\w+(\([^)]*\))?\s+|(public|package|private|fileprivate|final|nonisolated|indirect)\s+)*"
    r"(struct|class|actor|enum|extension|protocol|func|typealias|@\w+(\([^)]*\))?$)")
UNUSED = re.compile(r"warning: (initialization of )?(immutable value|variable|constant) .*(never (used|read|mutated))")


def fenced(lines):
    """(number of the first line, lines) of each swift block."""
    block, start = None, 0
    for number, line in enumerate(lines, 1):
        if block is None and line.strip() == "```swift":
            block, start = [], number + 1
        elif block is not None and line.strip() == "```":
            yield start, block
            block = None
        elif block is not None:
            block.append(line)


def blocks(path):
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    if path.endswith(".swift"):
        lines = [re.sub(r"^/// ?", "", line.strip()) if line.strip().startswith("///") else "" for line in lines]
    return list(fenced(lines))


def split(block):
    """The imports, declarations and statements of a block, each as [(offset, line)]."""
    imports, declarations, statements, depth, inside = [], [], [], 0, False
    for offset, line in enumerate(block):
        if depth == 0 and not inside:
            if line.startswith("import "):
                imports.append((offset, line))
                continue
            inside = bool(DECLARATION.match(line))
        (declarations if inside else statements).append((offset, line))
        code = re.sub(r'"(\\.|[^"\\])*"|//.*', "", line)
        opened = depth > 0 or "{" in code
        depth += code.count("{") - code.count("}")
        if inside and depth == 0 and opened:
            inside = False
    return imports, declarations, statements


def unit(path):
    """The Swift file for the examples of a file."""
    imports, body = {"import Notify"}, []
    if path.endswith(".swift"):
        imports |= {"@testable import Shop", "import Foundation", "import NotifyTesting", "import Testing"}
    for number, (start, block) in enumerate(blocks(path)):
        if is_manifest(block):
            continue
        imported, declarations, statements = split(block)
        imports.update(line for _, line in imported)
        if any(line.strip() for _, line in statements):
            statements = [(-1, f"func example{number}() async throws {{"), *statements, (-1, "}")]
            declarations += statements
        expected = None
        for offset, line in declarations:
            # Where a new run of lines begins; within one it would cut statements in two.
            if offset != expected:
                body.append(f'#sourceLocation(file: "{os.path.relpath(path)}", line: {start + offset})')
            body.append(line)
            expected = offset + 1
    return "\n".join([*sorted(imports), "fileprivate let center = NotifyCenter.default", *body]) + "\n"


def is_manifest(block):
    return bool(block) and block[0].startswith("// swift-tools-version")


def swiftc(products, *arguments):
    # What may not be sent to another thread is found after the types are checked: only -emit-sil finds all.
    return subprocess.run(
        ["swiftc", "-swift-version", "6", "-parse-as-library", "-I", f"{products}/Modules", "-I", SOURCES, *arguments],
        capture_output=True, text=True)


def compile_examples(products, path, directory):
    source = os.path.join(directory, os.path.basename(path).replace(".", "_") + ".swift")
    with open(source, "w", encoding="utf-8") as file:
        file.write(unit(path))
    done = swiftc(
        products, "-emit-sil", "-o", "/dev/null", "-module-name", "Examples", "-I", directory,
        "-plugin-path", os.path.join(toolchain(), "lib/swift/host/plugins"), source)
    complaints = [line for line in done.stderr.splitlines()
                  if re.search(r"(error|warning): ", line) and not UNUSED.search(line)]
    return done.stderr if complaints or done.returncode != 0 else ""


def toolchain():
    """Where usr of the toolchain is: macros are found there."""
    return os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("swiftc"))))


def check_manifest(block, directory):
    with open(os.path.join(directory, "Package.swift"), "w", encoding="utf-8") as file:
        file.write("\n".join(block))
    done = subprocess.run(["swift", "package", "--package-path", directory, "dump-package"], capture_output=True, text=True)
    return done.stderr if done.returncode != 0 else ""


def main():
    products, *paths = sys.argv[1:]
    found = {path: blocks(path) for path in paths}
    with tempfile.TemporaryDirectory(prefix="notify-snippets.") as directory, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        shop = swiftc(
            products, "-emit-module", "-module-name", "Shop", "-enable-testing", "-o", f"{directory}/Shop.swiftmodule",
            os.path.join(HERE, "Shop.swift"))
        if shop.returncode != 0:
            sys.exit(shop.stderr)
        work = [pool.submit(compile_examples, products, path, directory) for path in paths if found[path]]
        work += [pool.submit(check_manifest, block, tempfile.mkdtemp(dir=directory))
                 for path in paths for _, block in found[path] if is_manifest(block)]
        complaints = [job.result() for job in work]
    print(f"{sum(map(len, found.values()))} examples in {sum(map(bool, found.values()))} files")
    if any(complaints):
        sys.exit("".join(complaints))


main()
