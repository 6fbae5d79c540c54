# SPDX-License-Identifier: Apache-2.0
"""Failures that puzzle people: what the screen says about them."""

from __future__ import annotations

import sys

import pytest
from workbench import NAMES, Windrow

PARSES = """
import argparse

parser = argparse.ArgumentParser(prog="score.py")
{options}
parser.parse_args()
"""


# C533
@pytest.mark.parametrize("where", ["import", "init"])
def test_a_missing_module_is_told_with_the_interpreter_and_what_to_do(
    windrow: Windrow, where: str
) -> None:
    line = "import no_such_module.part"
    head = line if where == "import" else f"def init():\n    {line}"
    job = windrow.run(f"{head}\n{NAMES}", files=1, workers=1)
    assert job.exit == 1
    assert "the first with: ModuleNotFoundError: No module named 'no_such_module'" in job.text
    python = sys.executable
    assert f"{python} does not have it: activate the environment that has it" in job.text
    assert f"--python PATH, or: {python} -m pip install no_such_module\n" in job.text


# C534
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("parser.add_argument('--model', required=True)", "are required: --model"),
        ("", "unrecognized arguments: --logging_level INFO; Windrow adds --logging_level"),
    ],
    ids=["missing", "unknown"],
)
def test_an_exit_before_the_first_run_is_told_with_the_words_of_the_script(
    windrow: Windrow, options: str, said: str
) -> None:
    job = windrow.run(PARSES.format(options=options) + NAMES, files=1, workers=1)
    assert job.exit == 1
    assert "SystemExit: the script called sys.exit(2): score.py: error: " in job.text
    assert said in job.text
    assert "the last lines of its stderr:\nusage: score.py" in job.text


# C534
def test_an_exit_in_run_is_told_as_such(windrow: Windrow) -> None:
    script = "import sys\ndef run(mini_batch):\n    sys.exit(7)"
    job = windrow.run(script, files=1, workers=1, retries=0)
    (item,) = job.failed_items()
    assert item["error_message"] == "the script called sys.exit(7)"


# C537
def test_a_breakpoint_in_a_job_says_where_it_works(windrow: Windrow) -> None:
    script = "def run(mini_batch):\n    breakpoint()\n    return mini_batch"
    job = windrow.run(script, files=1, workers=1, retries=0)
    (item,) = job.failed_items()
    assert item["error_type"] == "BdbQuit"
    assert "try the script with `windrow run --local`" in item["error_message"]
    assert item["error_message"] in job.text
