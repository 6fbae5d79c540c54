# SPDX-License-Identifier: Apache-2.0
"""Attempts that fail: exceptions, time limits, thresholds."""

from __future__ import annotations

import json
import os
import signal
import time

import pytest
from workbench import Windrow, is_alive, numbered, until

# Fails as often as the file says, per mini-batch; then returns.
FAILS_AT_FIRST = """
import os

def run(mini_batch, context):
    if context.retry_count < {times}:
        raise ValueError(f"not yet, {{context.minibatch_index}}")
    return [os.path.basename(path) for path in mini_batch]
"""

FAILS_ON = """
import os

def run(mini_batch):
    names = [os.path.basename(path) for path in mini_batch]
    if {name!r} in names:
        raise ValueError("this one is bad")
    return names
"""


# C27 C29 C26
def test_a_mini_batch_that_always_raises_is_tried_three_times(windrow: Windrow) -> None:
    job = windrow.run(
        "def run(mini_batch):\n    raise ValueError('no')",
        files=4,
        size=None,
        output=None,
        summary_only=True,
    )
    assert job.exit == 0
    assert job.statuses() == ["RUN_EXCEPTION"] * 3
    assert len(job.failed_items()) == 4
    assert all(item["tries"] == 3 for item in job.failed_items())


# C27 C28 C34 C3
def test_one_that_raises_twice_and_then_returns_has_succeeded(windrow: Windrow) -> None:
    job = windrow.run(FAILS_AT_FIRST.format(times=2), files=4, size=2)
    assert job.exit == 0
    assert job.rows() == numbered(4)
    for batch in (0, 1):
        assert job.statuses(batch) == ["RUN_EXCEPTION", "RUN_EXCEPTION", "RUN_DONE"]
        assert [a["Picked Count"] for a in job.attempts(batch)] == ["1", "2", "3"]
    assert job.failed_items() == []
    assert "0 failed" in job.text


# C27
@pytest.mark.parametrize("retries", [0, 1, 4])
def test_tries_are_retries_and_one(windrow: Windrow, retries: int) -> None:
    job = windrow.run(FAILS_ON.format(name="f0001"), files=4, size=1, retries=retries)
    assert job.exit == 0
    assert job.statuses(1) == ["RUN_EXCEPTION"] * (retries + 1)
    assert job.rows() == ["f0000", "f0002", "f0003"]


# C24 C29 C52
def test_a_failed_item_has_a_line_with_its_path_and_the_reason(windrow: Windrow) -> None:
    job = windrow.run(FAILS_ON.format(name="f0001"), files=5, size=2, retries=1)
    assert job.exit == 0
    assert job.rows() == ["f0002", "f0003", "f0004"]
    items = job.failed_items()
    assert [item["item"] for item in items] == [
        str(windrow.folder / "in" / name) for name in ("f0000", "f0001")
    ]
    for item in items:
        assert item["mini_batch"] == 0
        assert item["tries"] == 2
        assert item["status"] == "RUN_EXCEPTION"
        assert (item["error_type"], item["error_message"]) == ("ValueError", "this one is bad")
        assert "raise ValueError" in item["traceback"]
        assert item["node"] == 0
        assert item["process"].startswith("process")
        assert item["seconds"] >= 0


# C27
@pytest.mark.parametrize("how", ["sys.exit(3)", "raise KeyboardInterrupt", "raise GeneratorExit"])
def test_exceptions_that_would_end_a_program_fail_only_the_attempt(
    windrow: Windrow, how: str
) -> None:
    job = windrow.run(f"import sys\ndef run(mini_batch):\n    {how}", files=2, retries=0)
    assert job.exit == 1
    assert job.statuses() == ["RUN_EXCEPTION"]
    assert len(job.failed_items()) == 2


# C35
@pytest.mark.parametrize(("threshold", "code"), [(3, 1), (4, 0), (-1, 0)])
def test_more_failed_items_than_allowed_over_the_whole_input_fail_the_job(
    windrow: Windrow, threshold: int, code: int
) -> None:
    job = windrow.run(
        "def run(mini_batch):\n    return mini_batch[:3]", files=10, size=5, threshold=threshold
    )
    assert job.exit == code
    assert job.result.exists() == (code == 0)
    if code:
        assert "4 failed items" in job.text
        assert "error_threshold 3" in job.text


# C35 C41
def test_with_threshold_zero_one_bad_file_fails_the_job_and_is_named(windrow: Windrow) -> None:
    job = windrow.run(FAILS_ON.format(name="f0003"), files=6, size=1, threshold=0)
    assert job.exit == 1
    assert "Failed: 1 failed item" in job.text
    assert "ValueError: this one is bad" in job.text
    assert "logs/user/error/0/process" in job.text
    assert not job.result.exists()


# C35 C26
def test_with_threshold_minus_one_all_may_fail_when_no_rows_are_kept(windrow: Windrow) -> None:
    job = windrow.run(
        "def run(mini_batch):\n    raise ValueError",
        files=3,
        output=None,
        threshold=-1,
        summary_only=True,
    )
    assert job.exit == 0


# C36
@pytest.mark.parametrize(("threshold", "code"), [(1, 1), (2, 0)])
def test_more_failed_mini_batches_than_allowed_fail_the_job(
    windrow: Windrow, threshold: int, code: int
) -> None:
    job = windrow.run(
        "def run(mini_batch):\n    raise ValueError",
        *("--set", f"mini_batch_error_threshold={threshold}", "--set", "mini_batch_size=3"),
        files=6,
        output=None,
        retries=0,
        summary_only=True,
    )
    assert job.exit == code


# C30 C34
def test_a_run_over_its_time_limit_is_recorded_once_and_its_worker_replaced(
    windrow: Windrow,
) -> None:
    script = """
import os, time

def run(mini_batch):
    names = [os.path.basename(path) for path in mini_batch]
    if "f0000" in names:
        time.sleep(1000)
    return names
"""
    job = windrow.run(script, files=3, size=1, workers=1, timeout=0.5, retries=1)
    assert job.exit == 0
    assert job.rows() == ["f0001", "f0002"]
    assert job.statuses(0) == ["RUN_TIMEOUT", "RUN_TIMEOUT"]
    assert {a["Error Category"] for a in job.attempts(0)} == {"user"}
    assert [a["Process"] for a in job.attempts(0)] == ["process000", "process001"]
    for attempt in job.attempts(0):
        assert 0.5 <= float(attempt["Elapsed Seconds"]) < 1.5
        assert "run() took longer than 0.5 s" in attempt["Error Message"]
    assert job.log("logs/user/error.txt").count("mini-batch 0") == 2


# C30
def test_a_limit_holds_for_the_last_mini_batch_of_many_short_ones(windrow: Windrow) -> None:
    script = """
import os, time

def run(mini_batch):
    names = [os.path.basename(path) for path in mini_batch]
    if "f0999" in names:
        time.sleep(1000)
    return names
"""
    begin = time.monotonic()
    job = windrow.run(script, files=1000, size=1, workers=1, timeout=1, retries=0)
    assert time.monotonic() - begin < 10
    assert job.exit == 0
    assert job.statuses(999) == ["RUN_TIMEOUT"]
    assert job.rows() == numbered(999)


# C30
def test_a_limit_holds_after_a_mini_batch_that_was_long_to_turn_into_rows(
    windrow: Windrow,
) -> None:
    script = """
import time

class Slow:
    def __str__(self):
        time.sleep(1.5)
        return "slow"

def run(mini_batch):
    if mini_batch[0].endswith("f0001"):
        time.sleep(1000)
    return [Slow()]
"""
    begin = time.monotonic()
    job = windrow.run(script, files=2, size=1, workers=1, timeout=1, retries=0)
    assert time.monotonic() - begin < 10
    assert job.exit == 0
    assert job.rows() == ["slow"]
    assert job.statuses(1) == ["RUN_TIMEOUT"]


# C23
def test_a_worker_that_comes_late_takes_over_what_another_has_not_begun(windrow: Windrow) -> None:
    flag = windrow.folder / "second"
    script = f"""
import os, time

def run(mini_batch):
    if mini_batch[0].endswith("f0000"):
        while not os.path.exists({str(flag)!r}):
            time.sleep(0.01)
    else:
        open({str(flag)!r}, "w").close()
    return [os.environ["WINDROW_PROCESS"]]
"""
    job = windrow.run(script, files=2, size=1, timeout=20)
    assert job.exit == 0
    assert sorted(job.rows()) == ["process000", "process001"]
    assert job.statuses() == ["RUN_DONE", "RUN_DONE"]


FAMILY = """
import os, subprocess, sys, time

TELL = "import os, time; open('{pids}', 'a').write(str(os.getpid()) + chr(10)); time.sleep(1000)"

def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            exec(TELL)
        os._exit(0)

def run(mini_batch):
    subprocess.Popen([sys.executable, "-c", TELL])
    subprocess.Popen([sys.executable, "-c", TELL], start_new_session=True)
    grandchild = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {{TELL!r}}])"
    subprocess.Popen([sys.executable, "-c", grandchild])
    daemon()
    while len(open("{pids}").readlines()) < 4 if os.path.exists("{pids}") else True:
        time.sleep(0.01)
    {then}
"""


# C31 C30 C32
@pytest.mark.parametrize(
    ("then", "timeout"),
    [
        ("time.sleep(1000)", 2),
        ("os._exit(0)", 60),
        ("os.kill(os.getpid(), 9)", 60),
        ("return ['x']", 60),
    ],
    ids=["time limit", "exit", "kill", "end of the job"],
)
def test_whatever_a_worker_has_started_goes_with_it(
    windrow: Windrow, then: str, timeout: float
) -> None:
    pids = windrow.folder / "pids"
    script = FAMILY.format(pids=pids, then=then)
    job = windrow.run(script, files=1, workers=1, timeout=timeout, retries=0)
    family = [int(pid) for pid in pids.read_text().split()]
    assert len(family) == 4
    assert not [pid for pid in family if is_alive(pid)], job
    windrow.expect_no_orphans()


# C31 C30
def test_the_tree_is_gone_before_the_replacement_starts(windrow: Windrow) -> None:
    pids = windrow.folder / "pids"
    script = f"""
import os, subprocess, time

def alive(pid):
    try:
        return open(f"/proc/{{pid}}/stat").read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False

def init():
    if os.path.exists({str(pids)!r}):
        old = [int(pid) for pid in open({str(pids)!r}).read().split()]
        assert not any(map(alive, old)), "the old tree lives"

def run(mini_batch):
    if os.path.exists({str(pids)!r}):
        return ["second"]
    child = subprocess.Popen(["sleep", "1000"], start_new_session=True)
    with open({str(pids)!r}, "w") as file:
        file.write(f"{{os.getpid()}} {{child.pid}}")
    time.sleep(1000)
"""
    job = windrow.run(script, files=1, workers=1, timeout=1)
    assert job.exit == 0
    assert job.rows() == ["second"]
    assert [load["Status"] for load in job.loads()] == ["LOAD_DONE", "LOAD_DONE"]


# C33 C30
def test_a_stopped_worker_runs_into_its_time_limit(windrow: Windrow) -> None:
    started = windrow.folder / "started"
    script = f"""
import os, time

def run(mini_batch):
    if not os.path.exists({str(started)!r}):
        with open({str(started)!r}, "w") as file:
            file.write(str(os.getpid()) + "\\n")
        time.sleep(2)
        return ["first"]
    return ["second"]
"""
    running = windrow.start(script, files=1, workers=1, timeout=3)
    pid = until(lambda: started.exists() and started.read_text().strip(), "the script runs")
    os.kill(int(pid), signal.SIGSTOP)
    job = running.end()
    assert job.exit == 0
    assert job.rows() == ["second"]
    assert job.statuses() == ["RUN_TIMEOUT", "RUN_DONE"]
    assert not is_alive(int(pid))
    windrow.expect_no_orphans()


# C33
def test_a_stopped_engine_charges_nobody_for_the_time_it_slept(windrow: Windrow) -> None:
    script = """
import os, time

def run(mini_batch):
    time.sleep(0.4)
    return [os.path.basename(path) for path in mini_batch]
"""
    running = windrow.start(script, files=8, size=1, timeout=1.5)
    until(lambda: len(running.workers()) == 2, "both workers are there")
    for pid in [running.pid, *running.workers()]:
        os.kill(pid, signal.SIGSTOP)
    begin = time.monotonic()
    until(lambda: time.monotonic() - begin > 3, "three seconds have passed")
    for pid in [running.pid, *running.workers()]:
        os.kill(pid, signal.SIGCONT)
    job = running.end()
    assert job.exit == 0
    assert job.rows() == numbered(8)
    assert set(job.statuses()) == {"RUN_DONE"}


# C908
def test_the_time_of_a_run_is_that_of_a_clock_beside_it(windrow: Windrow) -> None:
    script = "import time\ndef run(b):\n    time.sleep(0.3)\n    return b\n"
    running = windrow.start(script, "-o", "json", files=4, size=1)
    until(lambda: len(running.workers()) == 2, "both workers are there")
    os.kill(running.pid, signal.SIGSTOP)
    begin = time.monotonic()
    until(lambda: time.monotonic() - begin > 3, "three seconds have passed")
    os.kill(running.pid, signal.SIGCONT)
    job = running.end()
    assert job.exit == 0
    assert 3 < json.loads(job.text[job.text.index("{") :])["seconds"] < 30


# C905 C906
def test_an_attempt_that_died_has_its_times_and_all_count_alike(windrow: Windrow) -> None:
    script = """
import os, time

def run(mini_batch, context):
    if context.minibatch_index == 2:
        time.sleep(1)
        os.kill(os.getpid(), 9)
    return mini_batch
"""
    job = windrow.run(script, files=6, size=1, retries=1, name="dies")
    assert job.statuses(2) == ["PROCESS_DIED"] * 2
    for attempt in job.attempts(2):
        assert 1 <= float(attempt["Run Method Seconds"]) <= float(attempt["Elapsed Seconds"]) < 20
    (dead,) = job.failed_items()
    assert 1 <= dead["seconds"] < 20
    account = json.loads(windrow.command("report", "dies", "-o", "json").text)
    assert account["worker_seconds"]["lost"] >= 2
    assert abs(sum(account["worker_seconds"].values()) - 2 * account["seconds"]) < 0.01
    assert account["attempts"] == 7
    assert ", attempts 7," in job.log("logs/job_result.txt")
    assert json.loads(job.log("logs/metrics.json"))["Attempts"] == 7
