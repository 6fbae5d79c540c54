# SPDX-License-Identifier: Apache-2.0
"""A run over midnight: a library that is preloaded moves the wall clock while the job runs."""

from __future__ import annotations

import re

import pytest
from workbench import BINARY, Windrow, numbered

SHIM = BINARY.parent / "tests/crash/libclock_shim.so"

NIGHT = """
import os, time

def run(mini_batch, context):
    if context.minibatch_index == 3:
        logs = os.path.join(os.path.dirname(os.environ["WINDROW_LOG_DIR"]), "../..")
        while not any(name.startswith("job_error.2") for name in os.listdir(logs)):
            time.sleep(0.005)
        open(os.environ["NEXT_DAY"], "w").close()
    if context.minibatch_index in (1, 5) and context.retry_count == 0:
        raise ValueError("for the log of errors, in the evening and in the morning")
    return [os.path.basename(path) for path in mini_batch]
"""


# C291 C463
def test_a_run_over_midnight_begins_new_files_and_ends_nothing(windrow: Windrow) -> None:
    if not SHIM.exists():
        pytest.skip("the clock cannot be moved: build the tests, `./dev build`")
    windrow.environment |= {
        "LD_PRELOAD": str(SHIM),
        "NEXT_DAY": str(windrow.folder / "midnight"),
    }
    job = windrow.run(NIGHT, files=8, size=1, workers=1)
    assert job.exit == 0, job
    assert job.rows() == numbered(8)
    worked = [status for status in job.statuses() if status != "RETURNED"]
    assert sorted(worked) == ["RUN_DONE"] * 8 + ["RUN_EXCEPTION"] * 2
    days = sorted({attempt["Start Time"][:10] for attempt in job.attempts()})
    assert len(days) >= 2, "the clock was moved"
    logs = job.folder / "logs"
    dated = sorted(logs.glob("job_error.*.txt"))
    assert [re.sub(r"\D", "", path.name)[:8] for path in (dated[0], dated[-1])] == [
        day.replace("-", "") for day in (days[0], days[-1])
    ]
    assert [path.read_text().count("\n") for path in dated] == [1, 1]
    assert (logs / "job_error.txt").samefile(dated[-1])
    overview = logs / "job_progress_overview.txt"
    assert overview.samefile(sorted(logs.glob("job_progress_overview.*.txt"))[-1])
    assert "result: Completed" in overview.read_text()
