# SPDX-License-Identifier: Apache-2.0
"""The index of a job that is over: the same answers as from its journal, or none."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from workbench import NAMES, SLOW_NAMES, Windrow, until

TROUBLED = """
import os

def run(mini_batch):
    for path in mini_batch:
        if path.endswith(("f0003", "f0017")):
            raise ValueError("no good")
        if path.endswith("f0009"):
            os.kill(os.getpid(), 9)
    return [os.path.basename(path) for path in mini_batch]
"""

MENDED = "import os\n\ndef run(mini_batch):\n    return [os.path.basename(p) for p in mini_batch]\n"


def answers(windrow: Windrow, name: str, batches: int) -> list[str]:
    """All that is said of a job."""
    words = [["explain", name], ["explain", name, "-o", "json"]]
    words += [["explain", name, str(batch)] for batch in range(batches)]
    words += [["report", name], ["report", name, "-o", "json"]]
    said = [windrow.command(*one).text for one in words]
    page = windrow.folder / "page.html"
    assert windrow.command("report", name, "--html", str(page)).exit == 0
    return [*said, page.read_text()]


def index_of(windrow: Windrow, name: str, epoch: int = 1) -> Path:
    return windrow.home / "jobs" / name / f"state/index.{epoch}"


def without(windrow: Windrow, name: str, epoch: int, batches: int) -> list[str]:
    """The same, from the journal."""
    index = index_of(windrow, name, epoch)
    aside = windrow.folder / "aside"
    index.rename(aside)
    said = answers(windrow, name, batches)
    aside.rename(index)
    return said


# C640 C641
@pytest.mark.parametrize(
    "flags",
    [
        [],
        ["--bisect"],
        ["--max-retries", "0", "--error-threshold", "0"],
        ["--speculate"],
    ],
    ids=["retries", "halved", "failed", "speculated"],
)
def test_a_job_says_the_same_with_and_without_its_index(windrow: Windrow, flags: list[str]) -> None:
    windrow.run(TROUBLED, *flags, files=30, size=4, name="one")
    said = answers(windrow, "one", 8)
    assert "ValueError: no good" in "".join(said) or "ProcessDied" in "".join(said)
    assert said == without(windrow, "one", 1, 8)


# C642
def test_a_job_that_has_gone_on_is_not_answered_from_its_old_index(windrow: Windrow) -> None:
    windrow.run(TROUBLED, "--error-threshold", "0", files=30, size=4, name="one", retries=0)
    old = index_of(windrow, "one").read_bytes()
    assert "failed" in windrow.command("explain", "one").text
    windrow.script(MENDED)
    assert windrow.command("job", "resume", "one", "--changed-code").exit == 0
    assert not index_of(windrow, "one").exists(), "that of an earlier epoch is of no use"
    said = answers(windrow, "one", 8)
    assert "Job one completed" in said[0]
    assert said == without(windrow, "one", 2, 8)
    # Neither under its own name nor under the new one.
    for epoch in (1, 2):
        index_of(windrow, "one", epoch).write_bytes(old)
        assert answers(windrow, "one", 8) == said


def other(_: bytes) -> bytes:
    return b"WRI1 and nothing that means anything"


def torn(bytes_: bytes) -> bytes:
    return bytes_[: len(bytes_) // 2]


def turned(bytes_: bytes) -> bytes:
    middle = len(bytes_) - 20
    return bytes_[:middle] + bytes([bytes_[middle] ^ 1]) + bytes_[middle + 1 :]


# C642
@pytest.mark.parametrize(
    "damage",
    [
        torn,
        turned,
        lambda _: b"",
        other,
        lambda b: b[:9],
    ],
    ids=["torn", "one bit", "empty", "other bytes", "no summary"],
)
def test_a_damaged_index_is_not_used(windrow: Windrow, damage: Callable[[bytes], bytes]) -> None:
    windrow.run(TROUBLED, files=30, size=4, name="one")
    said = answers(windrow, "one", 8)
    index = index_of(windrow, "one")
    index.write_bytes(damage(index.read_bytes()))
    assert answers(windrow, "one", 8) == said


# C642
def test_the_index_of_another_job_is_not_used(windrow: Windrow) -> None:
    for name in ("one", "two"):
        windrow.run(NAMES, files=6, size=2, workers=1, name=name, output=f"out-{name}")
    said = answers(windrow, "two", 3)
    shutil.copy(index_of(windrow, "one"), index_of(windrow, "two"))
    assert answers(windrow, "two", 3) == said


# C643
def test_an_answer_from_the_index_reads_no_more_of_the_journal_than_it_needs(
    windrow: Windrow,
) -> None:
    windrow.run(NAMES, files=400, size=1, name="many")
    said = answers(windrow, "many", 3)
    journal = windrow.home / "jobs/many/state/journal.1"
    content = bytearray(journal.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 200] = bytes(200)  # what a replay would refuse or stop at
    journal.write_bytes(content)
    assert answers(windrow, "many", 3) == said
    index_of(windrow, "many").unlink()
    assert answers(windrow, "many", 3) != said


# C640
def test_a_job_that_was_stopped_has_an_index_and_one_that_was_killed_has_none(
    windrow: Windrow,
) -> None:
    for name, number, there in (
        ("stopped", signal.SIGINT, True),
        ("killed", signal.SIGKILL, False),
    ):
        running = windrow.start(SLOW_NAMES, files=300, size=1, name=name, output=f"out-{name}")
        journal = windrow.home / f"jobs/{name}/state/journal.1"
        until(lambda file=journal: file.exists() and file.stat().st_size > 1000, "some are done")
        running.signal(number)
        running.end()
        assert index_of(windrow, name).exists() == there
    assert "Somebody stopped it" in windrow.command("explain", "stopped").text
    assert "is not over" in windrow.command("explain", "killed").text
