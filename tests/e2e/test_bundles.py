# SPDX-License-Identifier: Apache-2.0
"""Mini-batches so short that they go to a worker many at a time: nothing else changes."""

from __future__ import annotations

import pytest
from workbench import Windrow, numbered

BAD_ONE = """
import os, sys, time

def run(mini_batch):
    names = [os.path.basename(path) for path in mini_batch]
    if "f0777" in names:
        {mischief}
    return names
"""


# C657
@pytest.mark.parametrize(
    ("mischief", "status"),
    [
        ("os._exit(3)", "PROCESS_DIED"),
        ("os.closerange(0, 1000)", "PROCESS_DIED"),
        ("os.kill(os.getpid(), 11)", "PROCESS_DIED"),
        ("time.sleep(100)", "RUN_TIMEOUT"),
        ("raise ValueError", "RUN_EXCEPTION"),
    ],
)
def test_one_that_is_bad_costs_no_other(windrow: Windrow, mischief: str, status: str) -> None:
    job = windrow.run(
        BAD_ONE.format(mischief=mischief), files=2000, size=1, retries=2, timeout=1, workers=2
    )
    assert job.exit == 0, job
    assert job.rows() == [name for name in numbered(2000) if name != "f0777"]
    charged = [
        a for a in job.attempts() if a["Status"] not in ("RUN_DONE", "LOAD_DONE", "RETURNED")
    ]
    assert [(a["Mini-batch Id"], a["Status"]) for a in charged] == [("777", status)] * 3


# C657
def test_bad_ones_everywhere_are_found_by_halving(windrow: Windrow) -> None:
    script = """
import os

def run(mini_batch):
    names = [os.path.basename(path) for path in mini_batch]
    if any(name.endswith("13") for name in names):
        os._exit(1)
    return names
"""
    job = windrow.run(script, "--bisect", files=1000, size=5, retries=0, workers=2)
    assert job.exit == 0, job
    assert job.rows() == [name for name in numbered(1000) if not name.endswith("13")]
    assert len(job.failed_items()) == 10


# C657
def test_a_long_one_among_short_ones_is_not_ended(windrow: Windrow) -> None:
    """What waits behind it, in its packet or not, is done in the end."""
    script = """
import os, time

def run(mini_batch):
    name = os.path.basename(mini_batch[0])
    time.sleep(0.5 if name in ("f0500", "f0999") else 0)
    return [name]
"""
    job = windrow.run(script, files=1000, size=1, workers=2, timeout=10)
    assert job.exit == 0, job
    assert job.rows() == numbered(1000)
    assert {a["Status"] for a in job.attempts()} <= {"RUN_DONE", "LOAD_DONE", "RETURNED"}
