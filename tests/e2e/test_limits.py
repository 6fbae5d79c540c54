# SPDX-License-Identifier: Apache-2.0
"""Rules about retries, thresholds and short returns, as a user sets them."""

from __future__ import annotations

import re

import pytest
from workbench import Windrow, numbered

KINDS = """
import os

class Hopeless(ValueError):
    pass

def run(mini_batch):
    name = os.path.basename(mini_batch[0])
    if name == "busy":
        raise BrokenPipeError("come back")
    if name == "wrong":
        raise KeyError("no such key")
    if name == "hopeless":
        raise Hopeless("never")
    return [name]
"""


# C238
def test_errors_are_tried_again_or_not_by_the_names_of_their_classes(windrow: Windrow) -> None:
    rules = {"retry_on": ["ConnectionError", "ValueError"], "fail_fast_on": ["score.Hopeless"]}
    job = windrow.run(
        KINDS, keys={"retry_settings": rules}, files=["busy", "good", "hopeless", "wrong"], size=1
    )
    assert job.exit == 0, job
    assert job.rows() == ["good"]
    assert job.statuses(0) == ["RUN_EXCEPTION"] * 3, "a BrokenPipeError is a ConnectionError"
    assert job.statuses(2) == ["RUN_EXCEPTION"], "fails fast, though it is a ValueError"
    assert job.statuses(3) == ["RUN_EXCEPTION"], "a KeyError is not in the list"


# C237
def test_a_failed_mini_batch_waits_while_others_go_on(windrow: Windrow) -> None:
    script = """
import os, time

def run(mini_batch, context):
    name = os.path.basename(mini_batch[0])
    if name == "f0000" and context.retry_count == 0:
        raise ValueError("once")
    return [f"{name} {time.time()}"]
"""
    keys = {"retry_settings": {"delay": 1.5}}
    job = windrow.run(script, keys=keys, files=5, size=1, workers=1)
    assert job.exit == 0, job
    times = {row.split()[0]: float(row.split()[1]) for row in job.rows()}
    assert max(times[name] for name in numbered(5)[1:]) + 1 < times["f0000"]


SHORT = "def run(mini_batch):\n    return mini_batch[:3]"


# C236 C21
def test_short_returns_are_tried_again_when_asked_for(windrow: Windrow) -> None:
    job = windrow.run(SHORT, keys={"retry_short_returns": True}, files=5, size=5, retries=1)
    assert job.exit == 0, job
    assert len(job.rows()) == 3
    assert job.statuses(0) == ["RUN_DONE", "RUN_DONE"]
    assert [item["missing"] for item in job.failed_items()] == [2]


# C236
def test_more_results_than_items_fail_the_attempt_when_results_are_strict(windrow: Windrow) -> None:
    script = "def run(mini_batch):\n    return mini_batch * 2"
    job = windrow.run(script, keys={"strict_results": True}, files=5, size=5, retries=0)
    assert job.exit == 1
    assert job.statuses(0) == ["RUN_WRONG_TYPE"]
    assert "run() returned 10 results for 5 items" in job.text


# C234 C239
@pytest.mark.parametrize(
    ("key", "limit", "code", "said"),
    [
        ("allowed_failed_percent", 49, 1, "allowed_failed_percent 49"),
        ("allowed_failed_percent", 50, 0, "Completed"),
        ("mini_batch_error_threshold", 0, 1, "root cause: "),
    ],
)
def test_half_of_the_mini_batches_may_fail_or_not(
    windrow: Windrow, key: str, limit: int, code: int, said: str
) -> None:
    script = """
import os

def run(mini_batch):
    name = os.path.basename(mini_batch[0])
    if name < "f0003":
        raise KeyError(name)
    return [name]
"""
    job = windrow.run(script, keys={key: limit}, files=6, size=1, retries=0, workers=1)
    assert job.exit == code, job
    assert said in job.text


# C250 C252
def test_a_worker_in_which_more_than_ten_attempts_failed_is_replaced(windrow: Windrow) -> None:
    script = """
import os, time

def run(mini_batch):
    time.sleep(0.02)  # what it has read already it may end: so there must be enough to do
    if mini_batch[0].endswith("f0039"):
        return [os.environ["WINDROW_PROCESS"]]
    raise ValueError("no")
"""
    job = windrow.run(script, files=40, size=1, retries=0, workers=1)
    assert job.exit == 0, job
    assert job.rows() != ["process000"]
    main = job.log("logs/sys/node/0/_main.txt")
    why = r"process000 exited with 74: replaced: 1\d attempts failed in it, 0 succeeded"
    assert re.search(why, main)
    assert f"{job.rows()[0]} exited with 82: told to stop" in main


# C30 C252
def test_one_time_limit_is_one_record_and_one_error_line(windrow: Windrow) -> None:
    script = "import time\n\ndef run(mini_batch):\n    time.sleep(60)"
    job = windrow.run(script, files=1, retries=0, timeout=0.3)
    assert job.exit == 1
    assert job.statuses() == ["RUN_TIMEOUT"]
    assert job.log("logs/user/error.txt").count("\n") == 1
    assert "exited with 71: run() took longer than 0.3 s" in job.log("logs/sys/node/0/_main.txt")
