# SPDX-License-Identifier: Apache-2.0
"""The manual tells the truth: every console block on its pages is run and compared.

A page is run from top to bottom in one empty folder:

    ```python score.py     is written to score.py (any language, any name)
    ```console             `$ ` lines are commands for sh, the lines below what they must print:
                           `...` is any text within a line, alone on a line any number of lines;
                           nothing below means anything goes; `[exit 2]` is the exit code, else 0
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from workbench import BINARY, ROOT

PAGES = sorted((ROOT / "docs/manual").glob("*.md"))

FENCE = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def pattern(lines: list[str]) -> re.Pattern[str]:
    parts = []
    for line in lines:
        if line == "...":
            parts.append(r"(?:[^\n]*\n)*?")
        else:
            parts.append(".*?".join(map(re.escape, line.split("..."))) + "\n")
    return re.compile("".join(parts))


def commands(block: str) -> Iterator[tuple[str, list[str], int]]:
    """Command, expected lines, expected exit code."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, *lines = part.rstrip("\n").split("\n")
        code = 0
        if lines and (match := re.fullmatch(r"\[exit (\d+)\]", lines[-1])):
            code = int(match[1])
            lines.pop()
        yield command, lines, code


def check(command: str, lines: list[str], code: int, folder: Path, env: dict[str, str]) -> None:
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
    )
    said = done.stdout.decode("utf-8", "replace")
    assert done.returncode == code, f"$ {command}\n{said}"
    if lines:
        wanted = "\n".join(lines)
        assert pattern(lines).fullmatch(said), f"$ {command}\n{said}\n-- is not --\n{wanted}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_of_the_manual_does_what_its_page_says(page: Path, tmp_path: Path) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    env = dict(os.environ, WINDROW_HOME=str(tmp_path / "home"))
    env["WINDROW_INCLUDE"] = str(ROOT / "include")
    env["PATH"] = f"{BINARY.parent}:{env['PATH']}"
    if page.stem in ("tables", "partition-keys"):  # those that need more than Python
        env["WINDROW_PYTHON"] = sys.executable
        env["PATH"] = f"{Path(sys.executable).parent}:{env['PATH']}"
    for language, name, content in FENCE.findall(page.read_text("utf-8")):
        if name:
            (folder / name).write_text(content, "utf-8")
        elif language == "console":
            for command, lines, code in commands(content):
                check(command, lines, code, folder, env)


def test_the_manual_has_commands_to_run() -> None:
    assert sum(page.read_text("utf-8").count("\n$ ") for page in PAGES) > 20


def test_a_page_that_lies_is_found(tmp_path: Path) -> None:
    env = dict(os.environ)
    check("printf 'a\\nb\\nc\\n'", ["a", "...", "c"], 0, tmp_path, env)
    check("printf 'said 12 s\\n'; exit 3", ["said ... s"], 3, tmp_path, env)
    with pytest.raises(AssertionError):
        check("echo a", ["b"], 0, tmp_path, env)
    with pytest.raises(AssertionError):
        check("exit 1", [], 0, tmp_path, env)
