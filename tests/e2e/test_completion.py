# SPDX-License-Identifier: Apache-2.0
"""The Tab key, pressed in real shells.

The shell runs on a pseudo-terminal, `windrow` is a function that prints its words, and what was
typed shows by what it got.
"""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import time

import pytest
from workbench import BINARY, Windrow

SHELLS = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
}

# What is typed after `windrow `, and the words that it becomes.
TYPED = {
    "ru\t sco\t": ["run", "score.py"],
    "job res\t ni\t": ["job", "resume", "nightly"],
    "job li\t": ["job", "list"],
    "run --mini-batch-s\t5": ["run", "--mini-batch-size", "5"],
    "plan -o js\t": ["plan", "-o", "json"],
    "run --output fo\tx": ["run", "--output", "folder/x"],
    "validate --logging-level D\t": ["validate", "--logging-level", "DEBUG"],
    "run --set max_batches\t3": ["run", "--set", "max_batches_per_worker=3"],
    "completion z\t": ["completion", "zsh"],
}


class Shell:
    """An interactive shell that has loaded the completion."""

    def __init__(self, name: str, windrow: Windrow) -> None:
        script = windrow.folder / f"completion.{name}"
        made = subprocess.run([BINARY, "completion", name], capture_output=True, check=True)
        script.write_bytes(made.stdout)
        self._ours, theirs = pty.openpty()
        self._process = subprocess.Popen(
            SHELLS[name],
            cwd=windrow.folder,
            env={**windrow.environment, "TERM": "dumb", "HOME": str(windrow.folder)},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self._text = b""
        if name == "zsh":
            self.type("autoload -U compinit; compinit -u -D\n")
        self.type(f". {script}; windrow() {{ printf '<%s>' \"$@\"; echo '<end>'; }}\n")
        self.type("windrow ready\n")
        self.expect(b"<ready><end>")

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def expect(self, wanted: bytes) -> None:
        deadline = time.monotonic() + 60
        while wanted not in self._text:
            left = deadline - time.monotonic()
            assert left > 0, f"no {wanted!r} in {self._text!r}"
            if select.select([self._ours], [], [], left)[0]:
                self._text += os.read(self._ours, 4096)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._ours)


def prepare(windrow: Windrow) -> None:
    windrow.script("def run(mini_batch):\n    return mini_batch\n")
    (windrow.folder / "folder").mkdir()
    (windrow.home / "jobs/nightly").mkdir(parents=True)


# C414
@pytest.mark.parametrize("name", SHELLS)
def test_the_tab_key_completes(windrow: Windrow, name: str) -> None:
    if not shutil.which(name):
        pytest.skip(f"there is no {name} here")
    prepare(windrow)
    shell = Shell(name, windrow)
    try:
        for typed, words in TYPED.items():
            shell.type(f"windrow {typed}\n")
            shell.expect("".join(f"<{word}>" for word in words).encode() + b"<end>")
    finally:
        shell.close()


# C414
@pytest.mark.skipif(not shutil.which("fish"), reason="there is no fish here")
def test_fish_completes(windrow: Windrow) -> None:
    prepare(windrow)
    made = subprocess.run([BINARY, "completion", "fish"], capture_output=True, check=True)
    script = windrow.folder / "completion.fish"
    script.write_bytes(made.stdout)
    for typed, words in TYPED.items():
        line, _, rest = typed.rpartition("\t")
        line = line.replace("ru\t ", "run ").replace("res\t ", "resume ")
        done = subprocess.run(
            ["fish", "--no-config", "-c", f"source {script}; complete -C 'windrow {line}'"],
            cwd=windrow.folder,
            env={**windrow.environment, "HOME": str(windrow.folder)},
            capture_output=True,
            text=True,
            check=True,
        )
        offered = [offer.partition("\t")[0] for offer in done.stdout.splitlines()]
        wanted = words[-2] if rest and words[-1] == rest else words[-1].removesuffix(rest or "\n")
        assert wanted in offered, (typed, done.stdout, done.stderr)


# C414
@pytest.mark.parametrize("command", ["run", "plan", "validate", "job resume", "job merge", "retry"])
def test_every_flag_of_the_help_is_in_the_scripts(command: str) -> None:
    def said(*words: str) -> str:
        return subprocess.run([BINARY, *words], capture_output=True, text=True, check=True).stdout

    flags = re.findall(r"^  (?:-\w,)?--([a-z-]+)", said(*command.split(), "--help"), re.MULTILINE)
    assert len(flags) >= 2
    bash, zsh, fish = (said("completion", shell).splitlines() for shell in ("bash", "zsh", "fish"))
    for lines in (bash, zsh):
        place = lines.index(f"    'windrow {command}')")
        assert all(f"--{flag}" in lines[place + 1] for flag in flags)
    for flag in flags:
        option = f"-n '__windrow_at windrow {command}'.* -l {flag} "
        assert any(re.search(option, line) for line in fish)
