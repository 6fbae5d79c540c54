# SPDX-License-Identifier: Apache-2.0
"""The log tree: what stands where, under which names, in which form."""

from __future__ import annotations

import csv
import json
import re

from workbench import Windrow

# Mini-batch 0 always raises, mini-batch 1 kills its first worker, the others are fine.
MIXED = """
import os, signal

def run(mini_batch, context):
    if context.minibatch_index == 0:
        raise ValueError("no zero")
    if context.minibatch_index == 1 and context.retry_count == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return [os.path.basename(path) for path in mini_batch]
"""

LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\|[A-Z]+\|\d+\|\d+\|.+")


def test_the_tree_of_a_job_with_failures(windrow: Windrow) -> None:
    job = windrow.run(MIXED, files=6, size=2, workers=1, retries=1)
    assert job.exit == 0, job
    logs = job.folder / "logs"

    # C292
    errors = [json.loads(line) for line in job.log("logs/job_error.txt").splitlines()]
    assert [
        (e["task_id"], e["dequeue_count"], e["status"]) for e in errors if e["task_id"] == 0
    ] == [
        (0, 1, "RUN_EXCEPTION"),
        (0, 2, "RUN_EXCEPTION"),
    ]
    death = next(e for e in errors if e["status"] == "PROCESS_DIED")
    assert (death["task_id"], death["method"], death["total"]) == (1, "run", 2)
    assert death["peak_memory"] > 1_000_000

    # C293: the death is there, the script's own exceptions are not.
    system = "".join(path.read_text() for path in (logs / "sys/errror/0").iterdir())
    assert "SIGKILL" in system
    assert "no zero" not in system
    assert (logs / "sys/errror").resolve() == (logs / "sys/error").resolve()

    # C294
    assert (logs / "sys/node/127.0.0.1/_main.txt").samefile(logs / "sys/node/0/_main.txt")

    # C291: one file of today behind the plain name.
    for stem in ("job_progress_overview", "job_error"):
        dated = [
            path for path in logs.iterdir() if re.fullmatch(stem + r"\.\d{10}\.txt", path.name)
        ]
        assert len(dated) == 1
        assert (logs / f"{stem}.txt").samefile(dated[0])

    # C295
    master = job.log("logs/sys/master_role.txt")
    stages = ["joins with 1 worker", "FIRST_TASK_SCHEDULED", "all 3 mini-batches", "merging"]
    for stage in [*stages, "finished: Completed"]:
        assert master.count(stage) == 1, stage

    # C923
    for line in job.log("logs/job_progress_overview.txt").splitlines():
        assert line.split("|", 4)[4] in master, line
    assert "|3 of 3 mini-batches processed, 1 failed\n" in master

    # C297
    for name in ("logs/sys/master_role.txt", "logs/job_progress_overview.txt"):
        for line in job.log(name).splitlines():
            assert LINE.fullmatch(line), line

    # C302
    metrics = json.loads(job.log("logs/metrics.json"))
    assert metrics["Total Mini Batches"] == metrics["Processed Mini Batches"] == 3
    assert (metrics["Failed Mini Batches"], metrics["Failed Items"]) == (1, 2)
    assert metrics["Attempts"] == 5

    # C296
    with (logs / "sys/job_report/process_summary.csv").open() as file:
        processes = list(csv.DictReader(file))
    assert [row["Process"] for row in processes] == ["process000", "process001"]
    assert sum(int(row["Done"]) for row in processes) == 2
    assert sum(int(row["Failed"]) for row in processes) == 3
    assert float(processes[0]["Retry Seconds"]) > 0
    with (logs / "sys/job_report/node_summary.csv").open() as file:
        (node,) = csv.DictReader(file)
    assert (node["Attempts"], node["Items"]) == ("5", "4")


# C290
def test_the_last_line_of_the_driver_log_says_why_a_job_failed(windrow: Windrow) -> None:
    job = windrow.run(MIXED, files=6, size=2, workers=1, retries=0, threshold=0)
    assert job.exit == 1
    last = job.log("azureml-logs/70_driver_log.txt").splitlines()[-1]
    assert "|ERROR|" in last
    assert "status: Failed: " in last
    assert "error_threshold" in last
    assert last.endswith("logs/user/error/0/process000.txt")


# C924
def test_the_logs_of_the_engine_follow_logging_level(windrow: Windrow) -> None:
    engine = ("azureml-logs/70_driver_log.txt", "logs/sys/master_role.txt")
    logged = {}
    for level in ("WARNING", "INFO", "DEBUG"):
        job = windrow.run(
            MIXED, "--logging-level", level, files=6, size=2, workers=1, retries=0, output=level
        )
        assert job.exit == 0, job
        text = "".join(
            (job.folder / name).read_text() for name in engine if (job.folder / name).exists()
        )
        logged[level] = [line.split("|")[1] for line in text.splitlines() if LINE.fullmatch(line)]
        # Progress, errors and the result do not depend on a level.
        assert "result: Completed" in job.log("logs/job_progress_overview.txt")
        assert "no zero" in job.log("logs/user/error.txt")
        assert (job.folder / "user_logs/std_log_0.txt").exists()
    assert logged["WARNING"].count("INFO") == 1  # where the job is
    assert logged["INFO"].count("INFO") > 10 and "DEBUG" not in logged["INFO"]
    assert logged["DEBUG"].count("DEBUG") == 3


# C296
def test_the_summaries_of_a_job_that_went_on_cover_all_of_it(windrow: Windrow) -> None:
    job = windrow.run(MIXED, files=6, size=2, workers=1, retries=0, threshold=0)
    assert job.exit == 1
    again = windrow.command("job", "resume", str(job.folder))
    assert again.exit == 1, again
    with (job.folder / "logs/sys/job_report/processed_mini-batches.csv").open() as file:
        attempts = [row for row in csv.DictReader(file) if row["Mini-batch Id"]]
    # C905: what was stopped inside run() is an attempt, what came back before is none
    worked = [row for row in attempts if row["Start Time"]]
    with (job.folder / "logs/sys/job_report/node_summary.csv").open() as file:
        (node,) = csv.DictReader(file)
    assert int(node["Attempts"]) == len(worked) > 1


# C898
def test_raw_output_has_a_limit_and_says_where_it_was_cut(windrow: Windrow) -> None:
    script = """
import os

def run(mini_batch):
    os.write(1, b"first\\n")
    for _ in range(300):
        os.write(1, b"x" * 999 + b"\\n")
    os.write(2, b"short\\n")
    return mini_batch
"""
    job = windrow.run(script, files=1, workers=1, keys={"user_log_max": "100KB"})
    assert job.exit == 0
    raw = job.log("logs/sys/node/0/process000.stdout.txt")
    assert raw.startswith("first\nxxx")
    assert len(raw) < 110_000
    assert raw.splitlines()[-1].startswith("windrow: cut off here: this file has reached")
    assert job.log("logs/sys/node/0/process000.stderr.txt") == "short\n"
