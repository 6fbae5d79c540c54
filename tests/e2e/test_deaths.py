# SPDX-License-Identifier: Apache-2.0
"""Workers that die, in every way a process can, and init() that fails."""

from __future__ import annotations

import time

import pytest
from workbench import NAMES, Windrow, numbered

DEATHS = {
    "os._exit(0)": "ended with exit code 0 in run()",
    "os._exit(1)": "ended with exit code 1 in run()",
    "os.kill(os.getpid(), signal.SIGSEGV)": "killed by SIGSEGV in run()",
    "os.kill(os.getpid(), signal.SIGABRT)": "killed by SIGABRT in run()",
    "os.kill(os.getpid(), signal.SIGKILL)": "killed by SIGKILL in run()",
    "os.kill(os.getpid(), signal.SIGTERM)": "killed by SIGTERM in run()",
    "os.abort()": "killed by SIGABRT in run()",
    "ctypes.string_at(0)": "killed by SIGSEGV in run()",
    "overflow()": "killed by SIGSEGV in run()",
    "os.killpg(0, signal.SIGKILL)": "killed by SIGKILL in run()",
    "os.kill(os.getppid(), signal.SIGKILL); time.sleep(1000)": "in run()",
    "os.closerange(0, 1000)": "ended with exit code 70",
}

DIES_ON_ONE = """
import ctypes, os, signal, sys, time

def overflow():
    # Below Python's own check: the repr of a deep list recurses in C.
    sys.setrecursionlimit(10**9)
    deep = None
    for _ in range(10**5):
        deep = [deep]
    repr(deep)

def run(mini_batch):
    names = [os.path.basename(path) for path in mini_batch]
    if "f0003" in names:
        {death}
    return names
"""


# C32 C24 C29 C41
@pytest.mark.parametrize("death", DEATHS)
def test_a_death_is_charged_to_the_mini_batch_that_ran_and_to_no_other(
    windrow: Windrow, death: str
) -> None:
    job = windrow.run(DIES_ON_ONE.format(death=death), files=12, size=1, retries=1)
    assert job.exit == 0
    assert job.rows() == [name for name in numbered(12) if name != "f0003"]
    assert job.statuses(3) == ["PROCESS_DIED", "PROCESS_DIED"]
    for batch in set(range(12)) - {3}:
        charged = [status for status in job.statuses(batch) if status != "RETURNED"]
        assert charged == ["RUN_DONE"]
    (item,) = job.failed_items()
    assert item["item"].endswith("/in/f0003")
    assert item["error_type"] == "ProcessDied"
    assert DEATHS[death] in item["error_message"]


# C32
def test_a_native_crash_leaves_the_python_stack_in_the_raw_log(windrow: Windrow) -> None:
    job = windrow.run(DIES_ON_ONE.format(death="ctypes.string_at(0)"), files=4, size=1, retries=0)
    raw = job.logs("logs/sys/node/0/*.stderr.txt")
    assert "Segmentation fault" in raw
    assert "in run" in raw


# C32 C23
def test_a_job_whose_every_second_mini_batch_kills_its_worker_once_is_right(
    windrow: Windrow,
) -> None:
    script = """
import os

def run(mini_batch, context):
    if context.minibatch_index % 2 and context.retry_count == 0:
        os._exit(9)
    return [os.path.basename(path) for path in mini_batch]
"""
    job = windrow.run(script, files=60, size=2)
    assert job.exit == 0
    assert job.rows() == numbered(60)
    assert job.failed_items() == []
    assert job.statuses().count("PROCESS_DIED") == 15


# C37 C41 C50
def test_init_that_always_raises_is_tried_three_times_per_worker_and_never_more(
    windrow: Windrow,
) -> None:
    script = (
        f"""
def init():
    with open({str(windrow.folder / "starts")!r}, "a") as file:
        file.write("x\\n")
    raise RuntimeError("no model here")
"""
        + NAMES
    )
    job = windrow.run(script, files=5, workers=4)
    assert job.exit == 1
    assert windrow.count("starts") == 12
    assert [load["Status"] for load in job.loads()] == ["LOAD_EXCEPTION"] * 12
    assert sorted(load["Process"] for load in job.loads()) == [f"process{n:03}" for n in range(12)]
    assert "RuntimeError: no model here" in job.text
    assert "Traceback" in job.log("logs/user/error/0/process000.txt")
    assert set(job.statuses()) <= {"RETURNED"}
    windrow.expect_no_orphans()


# C38 C2
def test_init_that_fails_now_and_then_costs_nothing(windrow: Windrow) -> None:
    script = f"""
import fcntl, os

def init():
    with open({str(windrow.folder / "starts")!r}, "a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # each start has a number of its own
        file.write("x\\n")
        file.flush()
        file.seek(0)
        starts = len(file.readlines())
    if starts % 3:
        raise RuntimeError("come back later")

def run(mini_batch, context):
    if context.minibatch_index % 4 == 0 and context.retry_count == 0:
        os._exit(1)
    return [os.path.basename(path) for path in mini_batch]
"""
    job = windrow.run(script, files=24, size=1)
    assert job.exit == 0, job.text
    assert job.rows() == numbered(24)
    starts = [load["Status"] for load in job.loads()]
    assert starts.count("LOAD_EXCEPTION") > 6, "more than one row of 3 × workers in all"


# C39 C37
@pytest.mark.parametrize(
    ("failure", "shown"),
    [
        ("import no_such_module_at_all", "ModuleNotFoundError"),
        ("import os; os._exit(5)", "exit code 5"),
        ("import os; os.kill(os.getpid(), 11)", "SIGSEGV"),
        ("import sys; sys.exit('enough')", "enough"),
    ],
)
@pytest.mark.parametrize("where", ["import", "init"])
def test_whatever_ends_a_worker_before_its_first_run_counts_as_a_failure_of_init(
    windrow: Windrow, failure: str, shown: str, where: str
) -> None:
    head = failure if where == "import" else f"def init():\n    {failure}"
    job = windrow.run(f"{head}\n{NAMES}", files=2, workers=1)
    assert job.exit == 1
    assert len(job.loads()) == 3
    assert shown in job.text
    assert "3 worker starts failed in a row" in job.text


# C5 C42
@pytest.mark.parametrize(
    ("script", "shown"),
    [
        ("def run(mini_batch)\n    return []", "expected ':' (score.py, line 1)"),
        ("from os.path import *", "has no function run(mini_batch)"),
        ("run = 7", "has a run that is not a function but int"),
        ("x = '\0'", "null bytes"),
    ],
    ids=["syntax", "missing", "no function", "null byte"],
)
def test_a_script_that_can_never_work_is_refused(windrow: Windrow, script: str, shown: str) -> None:
    job = windrow.run(script, files=3, workers=2)
    assert job.exit == 2
    assert shown in job.text
    assert set(job.statuses()) <= {"RETURNED"}
    assert not job.result.exists()


# C4
def test_shutdown_is_called_once_in_each_worker_and_may_raise(windrow: Windrow) -> None:
    script = f"""
import os, time

def run(mini_batch):
    time.sleep(0.1)
    return [os.path.basename(path) for path in mini_batch]

def shutdown():
    with open({str(windrow.folder / "ends")!r}, "a") as file:
        file.write("x\\n")
    raise RuntimeError("not today")
"""
    job = windrow.run(script, files=8, size=1)
    assert job.exit == 0
    assert job.rows() == numbered(8)
    assert windrow.count("ends") == 2
    assert "shutdown() raised RuntimeError: not today" in job.log("azureml-logs/70_driver_log.txt")


# C894
def test_a_thread_that_never_ends_is_named_and_is_no_slow_shutdown(windrow: Windrow) -> None:
    script = """
import threading, time

def init():
    threading.Thread(target=time.sleep, args=(600,), name="uploader").start()

def run(mini_batch):
    return mini_batch
"""
    began = time.monotonic()
    job = windrow.run(script, files=1, workers=1)
    assert job.exit == 0
    assert time.monotonic() - began < 25
    log = job.log("azureml-logs/70_driver_log.txt")
    assert "process000: the thread 'uploader'" in log
    assert "shutdown() took longer" not in log
    windrow.expect_no_orphans()


# C32 C4
@pytest.mark.parametrize("death", ["os._exit(7)", "os.kill(os.getpid(), 11)"])
def test_a_death_in_shutdown_fails_nothing(windrow: Windrow, death: str) -> None:
    job = windrow.run(f"{NAMES}\ndef shutdown():\n    {death}", files=6, size=1)
    assert job.exit == 0
    assert job.rows() == numbered(6)
