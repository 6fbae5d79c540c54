# SPDX-License-Identifier: Apache-2.0
"""Late mini-batches that an idle worker tries a second time."""

from __future__ import annotations

import json

from workbench import Windrow, numbered

# The first attempt at the last mini-batch hangs; every other takes a moment.
ONE_HANGS = """
import os, time

def run(mini_batch, context):
    mark = {mark!r}
    if context.minibatch_index == 39:
        try:
            os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
            time.sleep(600)
        except FileExistsError:
            {second}
    time.sleep(0.01)
    return [os.path.basename(path) for path in mini_batch]
"""


def one_hangs(windrow: Windrow, second: str = "pass") -> str:
    return ONE_HANGS.format(mark=str(windrow.folder / "mark"), second=second)


# C610 C611 C612
def test_the_second_attempt_wins_and_nobody_is_charged(windrow: Windrow) -> None:
    job = windrow.run(one_hangs(windrow), "--speculate", files=40, size=1, seconds=30)
    assert job.exit == 0
    assert job.rows() == numbered(40)
    assert job.statuses(39) == ["RUN_DONE", "RETURNED"]
    assert [attempt["Picked Count"] for attempt in job.attempts(39)] == ["2", "1"]
    assert float(job.attempts(39)[1]["Elapsed Seconds"]) > 0
    said = windrow.command("explain", job.name, "39").text  # C910
    assert "another attempt was first; not charged." in said
    account = json.loads(windrow.command("report", job.name, "-o", "json").text)
    assert (account["attempts"], account["attempts_lost"]) == (41, 1)
    assert "another attempt was first" in job.logs("logs/sys/node/0/_main.txt")
    windrow.expect_no_orphans()


# C612
def test_a_second_attempt_that_fails_leaves_the_first_alone(windrow: Windrow) -> None:
    script = one_hangs(windrow, "raise ValueError('the second')").replace("600", "1.5")
    job = windrow.run(script, "--speculate", files=40, size=1, retries=0)
    assert job.exit == 0
    assert job.rows() == numbered(40)
    assert job.statuses(39) == ["RUN_EXCEPTION", "RUN_DONE"]
    assert job.failed_items() == []


# C610
def test_without_it_a_late_one_is_waited_for(windrow: Windrow) -> None:
    job = windrow.run(one_hangs(windrow).replace("600", "1"), files=40, size=1)
    assert job.statuses(39) == ["RUN_DONE"]
    assert [attempt["Picked Count"] for attempt in job.attempts(39)] == ["1"]
