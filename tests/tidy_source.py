# SPDX-License-Identifier: Apache-2.0
"""The tree as the rules of tidy.py see it: files, their code and comments apart, functions."""

from __future__ import annotations

import ast
import os
import re
import subprocess
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path, PurePosixPath

SCRIPTS = {"dev", "windrow", ".ci/run"}
NOT_OURS = {".git", "build", ".venv", ".setup", "node_modules", "__pycache__"}


def blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match.group())


CPP_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/
    |R"(?P<mark>[^()\s]*)\(.*?\)(?P=mark)"
    |"(?:\\.|[^"\\\n])*"
    |(?<!\w)'(?:\\.|[^'\\\n])+'  # not the one in 1'000""",
    re.DOTALL | re.VERBOSE,
)


class File:
    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.name = PurePosixPath(path).name
        suffix = PurePosixPath(path).suffix
        self.is_cpp = suffix in (".cc", ".h")
        self.is_python = suffix == ".py"
        self.is_shell = suffix == ".sh" or path in SCRIPTS
        self.is_cmake = suffix == ".cmake" or self.name == "CMakeLists.txt"
        self.is_markdown = suffix == ".md"
        self.is_source = self.is_cpp or self.is_python or self.is_shell or self.is_cmake
        self.is_test = path.startswith(("tests/", "python/tests/")) or self.name.endswith(
            "_test.cc"
        )

    @cached_property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    @cached_property
    def code(self) -> str:
        """C++ with comments, strings and characters blanked; other text as it is."""
        return CPP_TOKEN.sub(blank, self.text) if self.is_cpp else self.text

    @cached_property
    def comments(self) -> str:
        """The rest: comments, and in Python docstrings; everything else blanked."""
        if self.is_cpp:
            pattern = r"//[^\n]*|/\*.*?\*/"
        else:
            pattern = r'#[^\n]*|""".*?"""'
        kept = [" " if c != "\n" else c for c in self.text]
        for match in re.finditer(pattern, self.text, re.DOTALL):
            kept[match.start() : match.end()] = match.group()
        return "".join(kept)

    def search(self, pattern: str, text: str | None = None) -> Iterator[tuple[int, re.Match[str]]]:
        text = self.text if text is None else text
        for match in re.finditer(pattern, text, re.MULTILINE):
            yield text.count("\n", 0, match.start()) + 1, match


class Tree:
    def __init__(self, files: dict[str, str], root: Path) -> None:
        self.files = {path: File(path, text) for path, text in files.items()}
        self.root = root

    def __iter__(self) -> Iterator[File]:
        return iter(self.files.values())


def read_tree(root: Path) -> Tree:
    """Every text file that git tracks or would track; all but NOT_OURS where there is no git."""
    if (root / ".git").exists():
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=root, check=True, capture_output=True)
        paths = sorted(set(filter(None, os.fsdecode(listed.stdout).split("\0"))))
    else:
        paths = []
        for folder, folders, names in os.walk(root):
            folders[:] = sorted(set(folders) - NOT_OURS)
            paths += [(Path(folder) / name).relative_to(root).as_posix() for name in sorted(names)]
    files = {}
    for path in paths:
        if not (root / path).is_file():
            continue  # deleted but still tracked
        content = (root / path).read_bytes()
        if b"\0" not in content[:4096]:
            files[path] = content.decode("utf-8", "replace")
    return Tree(files, root)


def python_functions(text: str) -> Iterator[tuple[int, int]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, (node.end_lineno or node.lineno) - node.lineno + 1


def cpp_functions(code: str) -> Iterator[tuple[int, int]]:
    """First line and length of each function, told from other braces by the text before them."""
    code = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, code, flags=re.MULTILINE)
    head = 0  # where the present declaration began
    position = 0
    while position < len(code):
        char = code[position]
        if char == "{":
            before = re.sub(r"\balignas\([^)]*\)", "", code[head:position])
            end = matching_brace(code, position)
            is_scope = "(" not in before and re.search(
                r"\b(namespace|class|struct|union|extern)\b", before
            )
            is_initialiser = re.search(r"[\w>]$|[=(,]\s*$", before) is not None
            if is_scope:
                head = position + 1
            elif is_initialiser:
                position = end
            else:
                begin = head + len(code[head:position]) - len(code[head:position].lstrip())
                if "(" in before:
                    yield code.count("\n", 0, begin) + 1, code.count("\n", begin, end) + 1
                position = end
                head = end + 1
        elif char in ";}":
            head = position + 1
        position += 1


def matching_brace(code: str, position: int) -> int:
    depth = 0
    for match in re.finditer(r"[{}]", code[position:]):
        depth += 1 if match.group() == "{" else -1
        if depth == 0:
            return position + match.start()
    return len(code) - 1
