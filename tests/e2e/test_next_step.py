# SPDX-License-Identifier: Apache-2.0
"""However a job ends, the command that it shows is one that works."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest
from workbench import NAMES, Job, Windrow, until

# One result less than there are items, for every mini-batch or for the named ones.
SHORT = NAMES.replace("    return", "    if {which}: mini_batch = mini_batch[1:]\n    return")
ALL_SHORT = SHORT.format(which="True")
SOME_SHORT = SHORT.format(which="mini_batch[0].endswith(('0', '6'))")
RAISES = "    assert 'f0005' not in mini_batch[1]\n"
RAISING = NAMES.replace("    return", RAISES + "    return")
BOTH = SOME_SHORT.replace("    return", RAISES + "    return")
NOTHING = "def run(mini_batch):\n    return []\n"

KINDS: list[tuple[str, list[str]]] = [
    (ALL_SHORT, ["--error-threshold", "0"]),
    (ALL_SHORT, ["--error-threshold", "3"]),
    (ALL_SHORT, ["--error-threshold", "50", "--mini-batch-error-threshold", "1"]),
    (ALL_SHORT, ["--error-threshold", "50", "--set", "allowed_failed_percent=20"]),
    (SOME_SHORT, ["--error-threshold", "1"]),
    (RAISING, ["--error-threshold", "0"]),
    (RAISING, ["--mini-batch-error-threshold", "0"]),
    (BOTH, ["--error-threshold", "0"]),
    (BOTH, ["--error-threshold", "2"]),
    (RAISING, []),  # completes, and a retry runs the rest
]


def shown(text: str) -> list[str]:
    """The commands that a text shows."""
    return re.findall(r"windrow (?:job resume|retry) [^`;,\n]*[^`;,\n ]", text)


def follow(windrow: Windrow, ended: Job, command: str) -> Job:
    """Does what the end of a job says."""
    if "Fix the cause" in ended.text:
        windrow.script(NAMES)
    return windrow.command(*shlex.split(command)[1:], result=ended.result)


# C965
@pytest.mark.parametrize(("script", "flags"), KINDS)
def test_the_command_at_the_end_completes_the_job(
    windrow: Windrow, script: str, flags: list[str]
) -> None:
    ended = windrow.run(script, *flags, files=10, size=2, workers=1, retries=0)
    commands = shown(ended.text)
    if "run the same command again" in ended.text:  # stopped before anything was committed
        assert commands == [], ended
        assert windrow.run(NAMES, *flags, size=2, workers=1, retries=0).exit == 0
        return
    assert len(commands) == 1, ended
    done = follow(windrow, ended, commands[0])
    assert done.exit == 0, (commands, ended, done)


# C965
@pytest.mark.parametrize(("script", "flags"), KINDS[:6])
def test_explain_and_retry_show_the_same_command(
    windrow: Windrow, script: str, flags: list[str]
) -> None:
    ended = windrow.run(script, *flags, files=10, size=2, workers=1, retries=0)
    command = shown(ended.text)
    assert shown(windrow.command("explain", ended.name).text) == command
    refused = windrow.command("retry", ended.name)
    if refused.exit == 2:
        assert shown(refused.text) == command, refused


# C966
def test_a_job_without_a_result_and_with_nothing_to_run_starts_over(windrow: Windrow) -> None:
    ended = windrow.run(NOTHING, files=4, size=2, workers=1, threshold=0, retries=0)
    assert ended.exit == 1
    assert shown(ended.text) == []
    assert "windrow job merge" not in ended.text  # it would publish nothing
    assert "Fix the cause, then run the same command again\n" in ended.text
    assert "fix the script, and start over" in windrow.command("explain", ended.name).text
    assert "start over" in windrow.command("retry", ended.name).text
    assert windrow.run(NAMES, size=2, workers=1, threshold=0).exit == 0


def half_done(windrow: Windrow) -> Job:
    """A job of ten mini-batches that failed in the middle and can be resumed."""
    script = NAMES.replace("    return", "    assert 'f0005' not in mini_batch[0]\n    return")
    job = windrow.run(script, files=10, size=1, workers=1, retries=0, threshold=0, name="hay")
    assert job.exit == 1
    windrow.script(NAMES)
    return job


def move_away_and_back(path: Path) -> None:
    path.rename(path.with_suffix(".away"))
    path.with_suffix(".away").rename(path)


def change_mode(path: Path) -> None:
    path.chmod(0o640)


def hard_link(path: Path) -> None:
    os.link(path, path.parent.parent / "backup")


# C968, C969, C970
@pytest.mark.parametrize("touch", [move_away_and_back, change_mode, hard_link])
def test_files_that_were_touched_are_accepted_knowingly(windrow: Windrow, touch: object) -> None:
    ended = half_done(windrow)
    touch(windrow.folder / "in/f0001")  # type: ignore[operator]
    stopped = windrow.command("job", "resume", "hay", "--changed-code")
    assert stopped.exit == 1
    assert "'f0001' is touched (touched: a newer ctime and no newer mtime" in stopped.text
    assert "put back" not in stopped.text
    (command,) = shown(stopped.text)
    assert command.endswith("--accept-input")
    done = follow(windrow, ended, command)
    assert done.exit == 0, done.text
    said = "1 file is newer than the plan and was accepted, the first: '"
    assert said in done.text
    assert f"accepted_input: {said}" in ended.log("logs/job_result.txt")
    assert f"input: {said}" in ended.log("logs/job_progress_overview.txt")


# C968, C970
def test_a_file_that_was_written_to_is_changed_and_accepted_once(windrow: Windrow) -> None:
    half_done(windrow)
    (windrow.folder / "in/f0001").write_text("other")
    stopped = windrow.command("job", "resume", "hay", "--changed-code")
    assert "'f0001' is changed\n" in stopped.text
    assert shown(stopped.text)[0].endswith("--accept-input")
    windrow.script("def run(mini_batch):\n    raise ValueError('still')\n")
    failed = windrow.command("job", "resume", "hay", "--changed-code", "--accept-input")
    assert "Failed: " in failed.text, failed
    windrow.script(NAMES)
    assert windrow.command("job", "resume", "hay", "--changed-code").exit == 0


# C969
def test_the_same_command_accepts_the_input_too(windrow: Windrow) -> None:
    calls, calm = windrow.folder / "calls", windrow.folder / "calm"
    held = (
        f"    while not os.path.exists({str(calm)!r}):\n        open({str(calls)!r}, 'w').close()\n"
    )
    running = windrow.start(
        "import os\n" + NAMES.replace("    return", held + "    return"), files=3, size=1, workers=1
    )
    until(calls.exists, "the first call of run()")
    running.kill()
    calm.touch()
    (windrow.folder / "in/f0001").chmod(0o640)
    stopped = windrow.run(size=1, workers=1)
    assert "is touched" in stopped.text
    done = windrow.run(None, "--accept-input", size=1, workers=1)
    assert done.exit == 0, done.text


# C969
def test_what_is_missing_cannot_be_accepted(windrow: Windrow) -> None:
    half_done(windrow)
    (windrow.folder / "in/f0001").unlink()
    (windrow.folder / "in/f0002").chmod(0o640)
    for _ in range(2):
        stopped = windrow.command("job", "resume", "hay", "--changed-code", "--accept-input")
        assert stopped.exit == 1
        assert "'f0001' is missing" in stopped.text
        assert "put back what is missing" in stopped.text


# C974
def test_the_end_names_the_first_failed_item(windrow: Windrow) -> None:
    script = NAMES.replace(
        "    return", "    assert 'f0003' not in mini_batch[0], 'bad'\n    return"
    )
    job = windrow.run(script, "--bisect", files=6, size=1, workers=1, retries=0)
    assert job.exit == 0
    assert "/in/f0003': AssertionError: bad\n" in job.text
    page = windrow.folder / "page.html"
    assert windrow.command("report", job.name, "--html", str(page)).exit == 0
    assert "The first failed item is " in page.read_text()
    assert "AssertionError: bad" in page.read_text()
