#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rules of this code base that a program can check. An ordinary test: ./dev test tidy

A rule is a function from the tree to its findings, listed in RULES. To add one: write it, list it,
and plant a violation in tests/tidy_selftest.py. Standard library only.
"""

from __future__ import annotations

import ast
import hashlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))
from tidy_source import File, Tree, blank, cpp_functions, python_functions, read_tree

ROOT = Path(__file__).resolve().parent.parent

# ------------------------------------------------------------------------------------- the tables

CORE = (
    "core/spec core/plan core/table core/schedule core/supervise core/output core/progress "
    "core/prune "
)

# Who may include whom, lowest first. A folder may always include itself.
INCLUDES = {
    "base": "",
    "core/spec": "base",
    "core/plan": "base core/spec",
    "core/table": "base core/spec",
    "core/schedule": "base core/spec",
    "core/supervise": "base core/spec core/schedule",
    "core/output": "base core/spec core/plan core/schedule",
    "core/progress": "base core/spec core/schedule",
    "core/prune": "base",
    "os": "base",
    "monitor": "base os",
    # Converts facts and plans to bytes and back.
    "journal": "base os core/spec core/plan core/schedule",
    "data/tables": "base core/spec core/plan core/table os",
    "data/files": "base core/spec core/plan core/table os data/tables",
    "wire/worker": CORE + "base os",
    "wire/agent": CORE + "base os wire/worker",
    "wire/control": "base core/progress core/schedule",
    "agent": CORE + "base os data/files journal wire/worker wire/agent",
    "master": CORE + "base os data/files journal wire/worker wire/agent",
    "worker": "base core/spec os",
    "workspace/logs": CORE + "base os journal agent master",
    "workspace/worker": CORE + "base os wire/worker wire/agent",
    "workspace/jobs": CORE + "base os journal wire/control workspace/worker",
    "workspace/prepare": CORE + "base os data/files data/tables journal worker master "
    "workspace/worker workspace/jobs",
    "workspace/run": CORE + "base os monitor data/files journal wire/worker wire/agent "
    "wire/control master agent workspace/logs workspace/worker workspace/jobs workspace/prepare",
    "workspace/trial": CORE + "base os data/files journal master wire/worker wire/agent "
    "workspace/worker workspace/jobs workspace/prepare",
    "cli": "base core/spec core/progress os journal wire/control agent "
    "workspace/worker workspace/jobs workspace/prepare workspace/run workspace/trial",
    "bin": "base os worker cli",
}

# <header> pattern, the files of src/ that may include it, what to do elsewhere. First match counts.
DOORS = [
    (r"fmt/", r"", ""),
    (r"nlohmann/", r"base/json\.(h|cc)$", "JSON is read and written by base/json.h"),
    (r"yaml-cpp/", r"core/spec/yaml\.cc$", "YAML is read by core/spec/yaml.cc"),
    (r"CLI/", r"cli/", "CLI11 belongs to cli/"),
    (r"gtest/", r".*_test\.cc$", "GoogleTest belongs to *_test.cc"),
    (r"windrow/", r"worker/|.*_test\.cc$", "the header of native workers is for workers"),
    (r"\w+intrin\.h$|arm_acle\.h$", r"base/", "CPU instructions belong to base/"),
    (
        r"(thread|mutex|shared_mutex|condition_variable|future|fstream|iostream|filesystem)$",
        r"(?!base/|core/)",
        "base/ and core/ decide: no thread, no file, no output",
    ),
    (
        r"(sys|linux|net|netinet|arpa|asm)/|(unistd|poll|fcntl|signal|pthread|dirent|spawn|sched"
        r"|dlfcn|termios|pwd|grp|errno|time|syscall|ucontext|execinfo|getopt|glob|fnmatch)\.h$",
        r"os/",
        "the operating system is reached through os/",
    ),
    (r"[a-z_0-9]+$", r"", ""),
    (r"", r"(?!)", "unknown header: give the dependency a door in tests/tidy.py, or use <cname>"),
]

HEADER_ROOTS = ("src/", "include/", "tests/")  # where #include "..." looks
LINES_MAX = 400
TEST_LINES_MAX = 600
MAIN_LINES_MAX = 100  # src/bin only builds objects and runs them
COLUMNS_MAX = 100
FUNCTION_LINES_MAX = 70

FORBIDDEN_NAMES = {"utils", "helpers", "common", "misc", "manager"}

# These hold the forbidden words as patterns or plants.
OWN_FILES = {"tests/tidy.py", "tests/tidy_selftest.py"}

# -------------------------------------------------------------------------------------- the rules


class Finding(NamedTuple):
    path: str
    line: int
    message: str


def folder_of(path: str) -> str:
    parts = path.split("/")[:-1]
    for length in range(len(parts), 0, -1):
        if "/".join(parts[:length]) in INCLUDES:
            return "/".join(parts[:length])
    return "/".join(parts)


def row_of(file: File) -> str:
    """For src/core/plan/cut.cc: core/plan, the row of INCLUDES."""
    return folder_of(file.path.removeprefix("src/"))


def include_table(tree: Tree) -> Iterator[Finding]:
    for file in tree:
        if not file.is_cpp or not file.path.startswith("src/"):
            continue
        row = row_of(file)
        if row not in INCLUDES:
            yield Finding(file.path, 1, f"src/{row} has no row in INCLUDES")
            continue
        for line, match in file.search(r'^\s*#\s*include\s*"([^"]+)"'):
            target = folder_of(match[1])
            if not match[1].endswith(".h"):
                yield Finding(file.path, line, f'"{match[1]}": include headers only')
            if target != row and target not in INCLUDES[row].split():
                yield Finding(
                    file.path,
                    line,
                    f'"{match[1]}": {row} may include {INCLUDES[row] or "nothing"}',
                )


def one_door(tree: Tree) -> Iterator[Finding]:
    for file in tree:
        if not file.is_cpp or not file.path.startswith("src/"):
            continue
        for line, match in file.search(r"^\s*#\s*include\s*<([^>]+)>"):
            door, advice = next((d, a) for header, d, a in DOORS if re.match(header, match[1]))
            if not re.match(door, file.path.removeprefix("src/")):
                yield Finding(file.path, line, f"<{match[1]}>: {advice}")


def file_length(tree: Tree) -> Iterator[Finding]:
    for file in tree:
        limit = TEST_LINES_MAX if file.is_test else LINES_MAX
        if file.path.startswith("src/bin/"):
            limit = MAIN_LINES_MAX
        if file.is_source and len(file.lines) > limit:
            message = f"{len(file.lines)} lines, {limit} are allowed: split it by idea"
            yield Finding(file.path, limit + 1, message)


def line_length(tree: Tree) -> Iterator[Finding]:
    for file in tree:
        for number, line in enumerate(file.lines, 1):
            if file.is_source and not file.is_cmake and len(line) > COLUMNS_MAX:
                message = f"{len(line)} columns, {COLUMNS_MAX} are allowed: break the line"
                yield Finding(file.path, number, message)


def function_length(tree: Tree) -> Iterator[Finding]:
    for file in tree:
        if file.is_cpp:
            functions = cpp_functions(file.code)
        elif file.is_python:
            functions = python_functions(file.text)
        else:
            continue
        for line, length in functions:
            if length > FUNCTION_LINES_MAX:
                message = f"function of {length} lines, {FUNCTION_LINES_MAX} are allowed: split it"
                yield Finding(file.path, line, message)


def file_names(tree: Tree) -> Iterator[Finding]:
    for file in tree:
        words = set(re.split(r"[/_.\-]", file.path.lower()))
        for word in sorted(words & FORBIDDEN_NAMES):
            yield Finding(file.path, 1, f'"{word}" says nothing: name the file for its one idea')


def licence(tree: Tree) -> Iterator[Finding]:
    for file in tree:
        mark = "//" if file.is_cpp else "#"
        first = next((line for line in file.lines if not line.startswith("#!")), "")
        if file.is_source and first != f"{mark} SPDX-License-Identifier: Apache-2.0":
            message = f"first line must be: {mark} SPDX-License-Identifier: Apache-2.0"
            yield Finding(file.path, 1, message)


def clock(tree: Tree) -> Iterator[Finding]:
    pattern = r"clock::now\b|\b(clock_gettime|gettimeofday|timespec_get)\b|\bstd::time\s*\("
    for file in tree:
        if file.is_cpp and file.path.startswith("src/") and row_of(file) != "os":
            for line, _ in file.search(pattern, file.code):
                yield Finding(file.path, line, "time is an argument: only os/ reads a clock")


def sleep(tree: Tree) -> Iterator[Finding]:
    pattern = r"\b(sleep_for|sleep_until|nanosleep|usleep|sleep)\s*\("
    for file in tree:
        if file.name.endswith("_test.cc"):
            for line, _ in file.search(pattern, file.code):
                yield Finding(file.path, line, "unit tests do not sleep: use a fake clock")


def throw(tree: Tree) -> Iterator[Finding]:
    for file in tree:
        # What a worker's functions throw is how they fail: include/windrow/worker.h.
        ours = file.is_cpp and file.path.startswith("src/") and not file.is_test
        if ours and row_of(file) != "worker":
            for line, _ in file.search(r"\bthrow\b", file.code):
                yield Finding(file.path, line, "return a Result, or CHECK what cannot happen")


def links(tree: Tree) -> Iterator[Finding]:
    for file in tree:
        if not file.is_markdown:
            continue
        prose = re.sub(r"^```.*?^```|`[^`\n]*`", blank, file.text, flags=re.DOTALL | re.MULTILINE)
        for line, match in file.search(r"\]\(([^)\s]+)\)", prose):
            path, _, anchor = match[1].partition("#")
            if re.match(r"[a-z]+:", path):
                continue
            target = os.path.normpath(f"{PurePosixPath(file.path).parent}/{path}")
            if not path:
                target = file.path
            if target not in tree.files and not (tree.root / target).exists():
                yield Finding(file.path, line, f"{match[1]}: there is no {target}")
            elif anchor and target in tree.files and anchor not in anchors(tree.files[target]):
                yield Finding(file.path, line, f"{match[1]}: {target} has no such heading")


def anchors(file: File) -> set[str]:
    found = set()
    for line in file.lines:
        if match := re.match(r"#+\s+(.*)", line):
            words = re.sub(r"[^\w\- ]", "", match[1].strip().lower())
            found.add(words.replace(" ", "-"))
    return found


def unfinished(tree: Tree) -> Iterator[Finding]:
    for file in tree:
        if file.is_source and file.path not in OWN_FILES:
            for line, _ in file.search(r"\b(TODO|FIXME)\b(?!\(#\d+\))"):
                message = "name the issue, as in TODO(#12), or do it"
                yield Finding(file.path, line, message)


def machine_paths(tree: Tree) -> Iterator[Finding]:
    for file in tree:
        if file.path not in OWN_FILES:
            for line, match in file.search(r"\.\./shared\b|(?<![\w.}$*])/(work|root)/"):
                message = f"{match.group()}: nothing here may depend on one machine's folders"
                yield Finding(file.path, line, message)


CONTRACT = "docs/contract.md"
RULE = r"^(?:- \*\*(C\d+)\.\*\*|\|\s*(C\d+)\s*\|)"


def contract(tree: Tree) -> Iterator[Finding]:
    """Every rule of docs/contract.md is cited by a test, and every citation has its rule."""
    page = CONTRACT
    rules: dict[str, int] = {}
    if page in tree.files:
        for line, match in tree.files[page].search(RULE):
            number = match[1] or match[2]
            if number in rules:
                yield Finding(page, line, f"{number} is taken by line {rules[number]}")
            rules[number] = line
    cited = set()
    for file in tree:
        if file.is_test and file.path not in OWN_FILES and not file.is_markdown:
            for line, match in file.search(r"\bC\d+\b", file.comments):
                cited.add(match.group())
                if match.group() not in rules:
                    yield Finding(file.path, line, f"{match.group()} is not a rule of {page}")
    for number, line in rules.items():
        if number not in cited:
            yield Finding(page, line, f"{number}: no test cites it; write `{number}` beside one")


def citations(tree: Tree) -> Iterator[Finding]:
    """A page that names a rule of the contract (C12) or a test (test_a.py::test_b,
    a_test.cc::Suite.Name) names one that is there."""
    rules = set()
    if CONTRACT in tree.files:
        rules = {match[1] or match[2] for _, match in tree.files[CONTRACT].search(RULE)}
    for file in tree:
        if not file.is_markdown or not file.path.startswith("docs/") or file.path == CONTRACT:
            continue
        for line, match in file.search(r"\bC\d+\b"):
            if match.group() not in rules:
                yield Finding(file.path, line, f"{match.group()} is not a rule of {CONTRACT}")
        for line, match in file.search(r"([\w/]+\.(?:py|cc))::(\w+)(?:\.(\w+))?"):
            path, first, second = match.groups()
            test = rf"\bdef {first}\(" if not second else rf"^TEST\w*\({first},\s*{second}\)"
            text = tree.files[path].text if path in tree.files else ""
            if not re.search(test, text, re.MULTILINE):
                yield Finding(file.path, line, f"{match.group()}: there is no such test")


def worker_imports(tree: Tree) -> Iterator[Finding]:
    for file in tree:
        if not file.is_python or not file.path.startswith("python/src/windrow/worker/"):
            continue
        for node in ast.walk(ast.parse(file.text)):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module or ""]
            else:
                continue
            for name in names:
                ours = name.startswith(("windrow.worker", "windrow.tables"))
                if not ours and name.split(".")[0] not in sys.stdlib_module_names:
                    message = f"{name}: the worker may use the standard library only"
                    yield Finding(file.path, node.lineno, message)


def headers_alone(tree: Tree) -> Iterator[Finding]:
    """Each header compiles by itself. What passed is remembered by content under build/."""
    cache = tree.root / "build" / "headers"
    cache.mkdir(parents=True, exist_ok=True)
    todo = []
    for file in tree:
        if file.name.endswith(".h") and file.path.startswith(HEADER_ROOTS):
            stamp = cache / closure_hash(tree, file)
            if not stamp.exists():
                todo.append((file, stamp))

    def compiles(file: File) -> str:
        folders = [f"-I{folder}" for folder in HEADER_ROOTS]
        command = ["g++", "-fsyntax-only", "-std=c++23", *folders, "-xc++", "-"]
        source = f'#include "{tree.root / file.path}"\n'
        run = subprocess.run(command, cwd=tree.root, input=source, capture_output=True, text=True)
        return "" if run.returncode == 0 else run.stderr

    with ThreadPoolExecutor(2) as pool:
        for (file, stamp), errors in zip(todo, pool.map(compiles, [file for file, _ in todo])):
            if not errors:
                stamp.touch()
                continue
            first = next((line for line in errors.splitlines() if "error:" in line), errors)
            yield Finding(file.path, 1, f"does not compile alone: {first}")


def closure_hash(tree: Tree, file: File) -> str:
    """Hash of a header with all of ours that it includes."""
    seen = {file.path: file}
    queue = [file]
    while queue:
        for _, match in queue.pop().search(r'^\s*#\s*include\s*"([^"]+)"'):
            for path in (folder + match[1] for folder in HEADER_ROOTS):
                if path in tree.files and path not in seen:
                    seen[path] = tree.files[path]
                    queue.append(tree.files[path])
    content = "\0".join(f"{path}\0{seen[path].text}" for path in sorted(seen))
    return hashlib.sha256(content.encode()).hexdigest()


Rule = Callable[[Tree], Iterator[Finding]]

RULES: list[Rule] = [
    include_table,
    one_door,
    file_length,
    line_length,
    function_length,
    file_names,
    licence,
    clock,
    sleep,
    throw,
    links,
    unfinished,
    machine_paths,
    contract,
    citations,
    worker_imports,
    headers_alone,
]


def main() -> int:
    start = time.monotonic()
    tree = read_tree(ROOT)
    count = 0
    for rule in RULES:
        for finding in rule(tree):
            print(f"{finding.path}:{finding.line}: {finding.message} [{rule.__name__}]")
            count += 1
    seconds = time.monotonic() - start
    print(f"tidy: {len(tree.files)} files, {len(RULES)} rules, {count} findings, {seconds:.1f} s")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
