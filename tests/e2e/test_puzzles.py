# SPDX-License-Identifier: Apache-2.0
"""Failures that puzzle people: what the screen says about them."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from workbench import NAMES, Windrow, until

# For a script that is to wait for the test.
WAIT = """
import os, time

def wait_for_the_test():
    while not os.path.exists(os.environ["OF_TEST"] + "/go"):
        time.sleep(0.01)
"""

ONE_TRY: dict[str, Any] = {"files": 1, "workers": 1, "retries": 0}

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
    job = windrow.run(f"{head}\n{NAMES}", **ONE_TRY)
    assert job.exit == 1
    assert "the first with: ModuleNotFoundError: No module named 'no_such_module'" in job.text
    python = sys.executable
    assert f"{python} does not have it: activate the environment that has it" in job.text
    assert (
        f"--python PATH, or: {python} -m pip install no_such_module; a module of your own"
        in job.text
    )


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
    job = windrow.run(PARSES.format(options=options) + NAMES, **ONE_TRY)
    assert job.exit == 1
    assert "SystemExit: the script called sys.exit(2): score.py: error: " in job.text
    assert said in job.text
    assert "the last lines of its stderr:\nusage: score.py" in job.text


# C534
def test_an_exit_in_run_is_told_as_such(windrow: Windrow) -> None:
    script = "import sys\ndef run(mini_batch):\n    sys.exit(7)"
    job = windrow.run(script, **ONE_TRY)
    (item,) = job.failed_items()
    assert item["error_message"] == "the script called sys.exit(7)"


# C537
def test_a_breakpoint_in_a_job_says_where_it_works(windrow: Windrow) -> None:
    script = "def run(mini_batch):\n    breakpoint()\n    return mini_batch"
    job = windrow.run(script, **ONE_TRY)
    (item,) = job.failed_items()
    assert item["error_type"] == "BdbQuit"
    assert "try the script with `windrow run --local`" in item["error_message"]
    assert item["error_message"] in job.text


# C530
@pytest.mark.parametrize(
    ("failure", "line"),
    [
        ("raise ValueError('first line\\nsecond line')", "ValueError: first line"),
        ("import os; os.abort()", "process"),
    ],
    ids=["two lines", "death"],
)
def test_the_first_error_of_the_summary_is_type_and_message_or_a_death(
    windrow: Windrow, failure: str, line: str
) -> None:
    script = f"def run(mini_batch):\n    if mini_batch[0].endswith('1'):\n        {failure}\n"
    job = windrow.run(script + "    return mini_batch", files=2, size=1, workers=1, retries=0)
    assert job.exit == 0
    (said,) = re.findall("^  first error   (.*)$", job.text, re.MULTILINE)
    assert said.startswith(line)
    if line == "process":
        assert "was killed by SIGABRT in run()" in said
    else:
        assert said == line


# C531
def test_the_first_error_is_shown_once_and_while_the_job_runs(windrow: Windrow) -> None:
    script = """
def run(mini_batch):
    if "f0000" in mini_batch[0]:
        raise ValueError("broken")
    wait_for_the_test()
    raise KeyError("later")
"""
    running = windrow.start(WAIT + script, files=2, size=1, workers=1, retries=0)
    until(lambda: "first error, mini-batch 0: ValueError: broken\n" in running.text, "it is said")
    assert running.is_running()
    (windrow.folder / "go").touch()
    job = running.end()
    assert job.text.count("first error, ") == 1
    (trace,) = re.findall("^first error, .*\n  from (.*)$", job.text, re.MULTILINE)
    assert "ValueError: broken" in Path(trace).read_text()


# C585
def test_a_job_in_which_everything_fails_warns_once_and_goes_on(windrow: Windrow) -> None:
    script = """
def run(mini_batch):
    if mini_batch[0].endswith("f0010"):
        wait_for_the_test()
    raise ValueError("broken")
"""
    running = windrow.start(WAIT + script, files=40, size=1, workers=1, retries=0)
    said = (
        "warning: all of the first 10 mini-batches have failed, most often with ValueError: broken;"
    )
    until(lambda: said in running.text, "it is said")
    assert running.is_running()
    (windrow.folder / "go").touch()
    job = running.end()
    assert job.text.count("warning: ") == 1
    assert "--error-threshold" in job.text
    assert job.statuses() == ["RUN_EXCEPTION"] * 40
    assert "most often with ValueError" in job.log("azureml-logs/70_driver_log.txt")


# C532 C21
def test_short_returns_are_a_line_of_the_summary(windrow: Windrow) -> None:
    script = "def run(mini_batch):\n    return mini_batch[:1]"
    job = windrow.run(script, files=12, size=4, workers=1)
    assert job.exit == 0
    said = "9 items have no row: fewer were returned than there were items; --set retry_short"
    assert f"  missing       {said}" in job.text
    lines = job.failed_items()
    assert [(line["item"], line["missing"]) for line in lines] == [(None, 3)] * 3


# C532 C181
def test_items_that_the_script_called_failed_are_told_apart(windrow: Windrow) -> None:
    script = """
def run(mini_batch, context):
    context.report_failed(0, "too dark")
    return mini_batch[1:]
"""
    job = windrow.run(script, files=4, size=4, workers=1)
    assert "1 item has no row: fewer were returned than there were items, or" in job.text


# C20 C22
@pytest.mark.parametrize(
    ("result", "said"),
    [
        ("['two\\nlines'] * len(mini_batch)", "holds a line break"),
        ("mini_batch * 2", "has 1 item and returned 2 results"),
    ],
    ids=["line break", "too many"],
)
def test_a_warning_about_rows_is_shown_once(windrow: Windrow, result: str, said: str) -> None:
    job = windrow.run(f"def run(mini_batch):\n    return {result}", files=5, size=1)
    assert job.exit == 0
    assert job.text.count(said) == 1
    assert job.text.count("warning: ") == 1
