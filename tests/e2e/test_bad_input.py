# SPDX-License-Identifier: Apache-2.0
"""What is wrong is said in words that tell what to change. The whole list: docs/bad-input.md."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from workbench import NAMES, Windrow, numbered

# Nobody, not even root, can make a file here.
READ_ONLY = "/sys"


# C42 C460
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere.py", "--input", "in"], "there is no script '{here}/nowhere.py'"),
        (
            ["folder.py", "--input", "in"],
            "the script '{here}/folder.py' is not a file; name the one with run(mini_batch)",
        ),
        (["score.py", "--input", "inn"], "there is no input '{here}/inn'"),
        (["score.py", "--input", "in/*.png"], "matches no file"),
        (["score.py"], "--input"),
        (
            ["score.py", "--input", "in", "--python", "/no/python"],
            "no Python interpreter at '/no/python' (from --python); name one with --python PATH",
        ),
        (
            ["score.py", "--input", "in", "--python", "folder.py"],
            "no Python interpreter at 'folder.py' (from --python); name one with --python PATH",
        ),
        (
            ["score.py", "--input", "in", "--output", READ_ONLY],
            f"nothing can be written to the output folder '{READ_ONLY}'",
        ),
        (
            ["score.py", "--input", "in", "--append-row-to", f"{READ_ONLY}/rows.txt"],
            "Permission denied; choose another with --output",
        ),
        (
            ["score.py", "--input", "in", "--output", "score.py"],
            "nothing can be written to the output folder '{here}/score.py'",
        ),
        (["--score.py", "--input", "in"], "windrow run has no flag --score.py"),
    ],
)
def test_what_is_not_there_is_refused_with_what_to_change(
    windrow: Windrow, words: list[str], said: str
) -> None:
    windrow.script(NAMES)
    windrow.files(1)
    (windrow.folder / "folder.py").mkdir()
    job = windrow.command("run", *words)
    assert job.exit == 2, job
    assert said.format(here=windrow.folder) in job.text
    assert windrow.job_folders() == [], "no job was made"


# C460
def test_a_job_goes_on_only_where_its_result_can_be_written(windrow: Windrow) -> None:
    job = windrow.run("def run(mini_batch):\n    raise OSError('later')", files=1, retries=0)
    assert job.exit == 1
    (windrow.folder / "out").rmdir()
    (windrow.folder / "out").symlink_to(READ_ONLY)
    again = windrow.command("job", "resume", str(job.folder))
    assert again.exit == 2, again
    assert "choose another with --output" in again.text


# C12 C42
def test_names_that_look_like_flags_are_names(windrow: Windrow) -> None:
    names = sorted(["--help", "--output", "-", "-x", "@list"])
    windrow.files(names, folder="--in")
    job = windrow.run(NAMES, input="--in")
    assert job.exit == 0, job
    assert job.rows() == names


# C5 C37 C41 C461
@pytest.mark.parametrize(
    ("script", "code", "said"),
    [
        (
            "def run(mini_batch)\n    return []",
            2,
            ["Refused: expected ':' (score.py, line 1)", "    def run(mini_batch)", "SyntaxError"],
        ),
        ("from os.path import *", 2, ["score.py has no function run(mini_batch)"]),
        (
            "def run():\n    return []",
            2,
            ["Refused: score.py has a run() that takes no argument; define run(mini_batch)"],
        ),
        (
            f"raise ValueError('no licence')\n{NAMES}",
            1,
            [
                "3 worker starts failed in a row, the first with: ValueError: no licence",
                'score.py", line 1, in <module>',
                "logs/user/error/0/process000.txt",
            ],
        ),
        (
            f"def init():\n    open('no/model')\n{NAMES}",
            1,
            [
                "the first with: FileNotFoundError: [Errno 2] No such file",
                'score.py", line 2, in init',
                "logs/user/error/0/process000.txt",
            ],
        ),
    ],
    ids=["syntax", "no run", "no argument", "import", "init"],
)
def test_a_script_that_cannot_start_is_told_with_the_line_to_change(
    windrow: Windrow, script: str, code: int, said: list[str]
) -> None:
    job = windrow.run(script, files=1, workers=1)
    assert job.exit == code, job
    for words in said:
        assert words in job.text
    last = job.text.rstrip().splitlines()[-1]
    assert last.startswith("  from ") and Path(last.removeprefix("  from ")).is_file(), last


# C25 C461
def test_empty_results_are_named_as_the_reason_for_no_result(windrow: Windrow) -> None:
    job = windrow.run("def run(mini_batch):\n    return []", files=2)
    assert job.exit == 1
    assert (
        "not one item succeeded; run() called its items failed, or returned fewer results"
        in job.text
    )
    assert job.failed_items()[0]["error_message"] == "run() returned 0 results for 2 items"


# C188 C49
def test_floods_on_every_stream_leave_engine_and_result_alone(windrow: Windrow) -> None:
    script = """
import os, sys

def run(mini_batch):
    block = "x" * 1023 + "\\n"
    for _ in range(4096):
        print(block, end="")
        sys.stderr.write(block)
    os.write(1, block.encode() * 4096)
    return [os.path.basename(path) for path in mini_batch]
"""
    job = windrow.run(script, keys={"user_log_max": "1MB"}, files=2, size=1)
    assert job.exit == 0, job
    assert job.rows() == numbered(2)
    for stream in ("stdout", "stderr"):
        files = list(job.folder.glob(f"logs/user/{stream}/0/*.txt"))
        assert files
        assert max(os.path.getsize(path) for path in files) <= 2 << 20
