# SPDX-License-Identifier: Apache-2.0
"""What a script finds around it: arguments, paths, environment, streams."""

from __future__ import annotations

import csv
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from workbench import NAMES, Windrow

LOOKS_AROUND = """
import json, os, sys

AT_IMPORT = list(sys.argv)

def run(mini_batch):
    seen = {
        "argv": AT_IMPORT,
        "file": __file__,
        "name": __name__,
        "cwd": os.getcwd(),
        "environ": dict(os.environ),
        "items": mini_batch,
    }
    return [json.dumps(seen)] * len(mini_batch)
"""


def look_around(windrow: Windrow, *flags: str, **settings: Any) -> dict[str, Any]:
    job = windrow.run(LOOKS_AROUND, *flags, files=1, **settings)
    assert job.exit == 0, job
    (row,) = job.rows()
    seen: dict[str, Any] = json.loads(row)
    return seen


# C1 C3
def test_run_alone_is_a_script_and_gets_absolute_paths(windrow: Windrow) -> None:
    assert look_around(windrow)["items"] == [str(windrow.folder / "in/f0000")]


# C6
def test_arguments_are_there_at_import_word_for_word(windrow: Windrow) -> None:
    words = ["--a", "b c", "", "'", '"', "--", "-x=${HOME}", "é", "--timeout"]
    argv = look_around(windrow, "--", *words)["argv"]
    assert argv == [str(windrow.folder / "score.py"), *words, "--logging_level", "INFO"]


# C6
def test_a_logging_level_that_the_user_gives_is_not_given_twice(windrow: Windrow) -> None:
    argv = look_around(windrow, "--", "--logging_level", "DEBUG")["argv"]
    assert argv[1:] == ["--logging_level", "DEBUG"]


# C7
def test_file_is_the_real_path_and_the_module_is_not_main(windrow: Windrow) -> None:
    seen = look_around(windrow)
    assert seen["file"] == str(windrow.folder / "score.py")
    assert seen["name"] != "__main__"


# C7
def test_modules_beside_the_script_can_be_imported(windrow: Windrow) -> None:
    windrow.script("ANSWER = 42", "beside.py")
    windrow.script("ANSWER = 43", "package/inner.py")
    job = windrow.run(
        "import beside\nimport package.inner\n"
        "def run(mini_batch):\n    return [beside.ANSWER, package.inner.ANSWER]",
        files=2,
    )
    assert job.rows() == ["42", "43"]


# C8
def test_relative_names_of_two_workers_do_not_collide(windrow: Windrow) -> None:
    script = """
import os, time

def run(mini_batch):
    with open("scratch", "x") as file:
        time.sleep(0.1)
    os.remove("scratch")
    return [os.getcwd()] * len(mini_batch)
"""
    job = windrow.run(script, files=6, size=1)
    assert job.exit == 0
    assert len(set(job.rows())) == 2


# C9
def test_a_worker_knows_its_job_from_the_environment(windrow: Windrow) -> None:
    seen = look_around(windrow, name="my-job")["environ"]
    assert seen["AZUREML_BI_OUTPUT_PATH"] == str(windrow.folder / "out")
    assert seen["AZUREML_RUN_ID"] == seen["WINDROW_JOB_ID"] == "my-job"
    assert seen["WINDROW_NODE_ID"] == "0"
    assert re.fullmatch(r"process00[01]", seen["WINDROW_PROCESS"])
    assert int(seen["OMP_NUM_THREADS"]) >= 1


# C9
def test_thread_counts_that_the_user_has_set_stay(windrow: Windrow) -> None:
    windrow.environment["OMP_NUM_THREADS"] = "17"
    assert look_around(windrow)["environ"]["OMP_NUM_THREADS"] == "17"


# C2
def test_init_runs_once_per_process_before_its_first_run(windrow: Windrow) -> None:
    script = """
import os

calls = []

def init():
    calls.append("init")

def run(mini_batch, context):
    if context.minibatch_index == 5 and context.retry_count == 0:
        os._exit(1)
    calls.append("run")
    assert calls[0] == "init" and calls.count("init") == 1
    return mini_batch
"""
    job = windrow.run(script, files=20, size=1)
    assert job.exit == 0
    assert job.statuses().count("RUN_EXCEPTION") == 0


# C47 C48 C49
def test_everything_that_a_script_says_has_its_file(windrow: Windrow) -> None:
    script = """
import logging, os, subprocess, sys

def run(mini_batch):
    print("p")
    logging.warning("w")
    logging.info("i")
    sys.stderr.write("e\\n")
    own = logging.getLogger("m")
    own.setLevel("INFO")
    own.info("shown")
    own.debug("hidden")
    subprocess.run(["echo", "c"])
    os.write(2, b"raw\\n")
    return mini_batch
"""
    job = windrow.run(script, files=1, workers=1)
    assert job.exit == 0
    process = job.attempts()[0]["Process"]
    stdout = job.log(f"logs/user/stdout/0/{process}.stdout.txt")
    assert stdout == "p\nWARNING:root:w\nINFO:m:shown\n"
    assert job.log(f"logs/user/stderr/0/{process}.stderr.txt") == "e\n"
    assert job.log(f"logs/sys/node/0/{process}.stdout.txt") == "c\n"
    assert job.log(f"logs/sys/node/0/{process}.stderr.txt") == "raw\n"


# C47 C32
def test_what_was_printed_before_a_death_is_kept(windrow: Windrow) -> None:
    script = "import os\ndef run(mini_batch):\n    print('last words')\n    os._exit(1)"
    job = windrow.run(script, files=1, retries=0)
    assert "last words" in job.logs("logs/user/stdout/0/*")


# C47
def test_odd_output_does_no_harm(windrow: Windrow) -> None:
    script = r"""
import os, sys

def run(mini_batch):
    print("nul \0 lone \udce9 long " + "x" * 2_000_000)
    os.write(1, b"\xff\xfe\0" * 1000)
    return mini_batch
"""
    job = windrow.run(script, files=1)
    assert job.exit == 0
    assert "x" * 2_000_000 in job.logs("logs/user/stdout/0/*")


# C50
def test_an_exception_is_there_in_full_and_in_one_line(windrow: Windrow) -> None:
    script = """
import subprocess

def run(mini_batch):
    try:
        subprocess.run(["sh", "-c", "echo broken pipe organ >&2; exit 3"],
                       check=True, capture_output=True)
    except OSError:
        pass
"""
    job = windrow.run(script, files=1, retries=1, workers=1)
    assert job.exit == 1
    process = job.attempts()[0]["Process"]
    trace = job.log(f"logs/user/error/0/{process}.txt")
    assert trace.count("Traceback (most recent call last)") == 2
    assert "subprocess.CalledProcessError" in trace
    assert "broken pipe organ" in trace
    summary = job.log("logs/user/error.txt").splitlines()
    assert len(summary) == 2
    assert "mini-batch 0" in summary[0]
    assert "CalledProcessError" in summary[0]


# C51
def test_the_report_has_these_columns_and_one_line_per_attempt_and_start(
    windrow: Windrow,
) -> None:
    script = """
def run(mini_batch, context):
    if context.minibatch_index == 1 and context.retry_count == 0:
        raise ValueError('with "quotes", commas\\nand lines')
    return mini_batch
"""
    job = windrow.run(script, files=3, size=1, workers=1)
    path = job.folder / "logs/sys/job_report/processed_mini-batches.csv"
    with path.open(newline="") as lines:
        header = next(csv.reader(lines))
    assert header == [
        *("Mini-batch Id", "Picked Count", "Node Id", "Ip Address", "Process", "Start Time"),
        *("Total", "Succeeded", "Failed", "Elapsed Seconds", "Process Seconds"),
        *("Run Method Seconds", "Status", "Error Category", "Error Message", "Mini-batch Detail"),
    ]
    assert [load["Status"] for load in job.loads()] == ["LOAD_DONE"]
    assert len(job.attempts()) == 4
    (bad,) = [a for a in job.attempts() if a["Status"] == "RUN_EXCEPTION"]
    assert bad["Error Message"] == 'ValueError: with "quotes", commas\nand lines'
    assert bad["Error Category"] == "user"
    for attempt in job.attempts():
        assert attempt["Node Id"] == "0"
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", attempt["Start Time"])
        elapsed, run = float(attempt["Elapsed Seconds"]), float(attempt["Run Method Seconds"])
        assert 0 <= run <= elapsed < 10


# C53 C54
def test_the_result_file_and_the_overview_say_how_it_ended(windrow: Windrow) -> None:
    job = windrow.run(NAMES, files=23, size=5)
    lines = dict(line.split(": ", 1) for line in job.outcome().splitlines())
    assert lines["status"] == "Completed"
    assert lines["output"] == str(job.result)
    assert "mini-batches 5" in lines["counts"]
    assert "items 23, succeeded 23, failed 0" in lines["counts"]
    overview = job.log("logs/job_progress_overview.txt")
    assert "5 of 5 mini-batches processed, 0 failed" in overview
    assert overview.rstrip().endswith("result: Completed")
    driver = job.log("azureml-logs/70_driver_log.txt")
    assert driver.rstrip().endswith("status: Completed")
    assert job.log("user_logs/std_log_0.txt") == driver
    assert (job.folder / "logs/readme.txt").exists()


# C53 C41
def test_a_failed_job_says_the_cause_the_first_error_and_where_to_read_on(
    windrow: Windrow,
) -> None:
    job = windrow.run(
        "def run(mini_batch):\n    raise ValueError('rotten')", files=1, retries=0, threshold=0
    )
    assert job.exit == 1
    text = job.outcome()
    assert text.startswith("status: Failed\ncause: 1 failed item is more than error_threshold 0")
    assert "    raise ValueError('rotten')" in text
    where = re.search(r"^where: (.*)$", text, re.MULTILINE)
    assert where
    assert "rotten" in Path(where[1]).read_text()
    assert where[1] in job.log("logs/job_progress_overview.txt")


# C76
def test_the_interpreter_is_chosen_in_order_and_printed(windrow: Windrow) -> None:
    def python(name: str) -> str:
        path = windrow.folder / name / "bin/python3"
        path.parent.mkdir(parents=True)
        path.write_text(f'#!/bin/sh\nexport SEEN={name}\nexec "{real}" "$@"\n')
        path.chmod(0o755)
        return str(path)

    real = windrow.environment.pop("WINDROW_PYTHON")
    script = "import os\ndef run(mini_batch):\n    return [os.environ.get('SEEN')]"
    windrow.files(1)
    expected = {
        "path": ("PATH", os.path.dirname(python("path")) + ":" + windrow.environment["PATH"]),
        "conda": ("CONDA_PREFIX", os.path.dirname(os.path.dirname(python("conda")))),
        "venv": ("VIRTUAL_ENV", os.path.dirname(os.path.dirname(python("venv")))),
        "named": ("WINDROW_PYTHON", python("named")),
    }
    for name, (variable, value) in expected.items():
        windrow.environment[variable] = value
        job = windrow.run(script, output=name)
        assert job.rows() == [name]
        assert f"python {windrow.folder}/{name}/bin/python3" in job.text
    job = windrow.run(script, "--python", python("flag"), output="by flag")
    assert job.rows() == ["flag"]


# C76 C42
def test_an_interpreter_that_is_not_there_is_refused(windrow: Windrow) -> None:
    job = windrow.run(NAMES, "--python", "/no/such/python", files=1)
    assert job.exit == 2
    assert "/no/such/python" in job.text


# C42
@pytest.mark.parametrize(
    ("flags", "shown"),
    [
        (["--mini-batch-size", "0"], "--mini-batch-size"),
        (["--workers", "0"], "--workers"),
        (["--timeout", "-1"], "--timeout"),
        (["--timeout", "soon"], "--timeout"),
        (["--max-retries", "-1"], "--max-retries"),
        (["--error-threshold", "-2"], "--error-threshold"),
        (["--name", "no/slash"], "--name"),
        (["--no-such-flag"], "--no-such-flag"),
        (["--mini-batch-siz", "3"], "--mini-batch-siz"),
    ],
)
def test_a_flag_that_is_wrong_is_refused_by_name(
    windrow: Windrow, flags: list[str], shown: str
) -> None:
    job = windrow.run(NAMES, *flags, files=1, workers=None)
    assert job.exit == 2
    assert shown in job.text
    assert windrow.job_folders() == []
