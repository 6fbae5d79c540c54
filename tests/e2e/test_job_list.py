# SPDX-License-Identifier: Apache-2.0
"""windrow job list: every job of the workspace, and how it stands."""

from __future__ import annotations

import json
import shutil
import time
from typing import Any

from workbench import NAMES, SLOW_NAMES, Windrow, until

HALF = """
import os

def run(mini_batch):
    if mini_batch[0].endswith("f0001"):
        raise ValueError("no good")
    return [os.path.basename(path) for path in mini_batch]
"""


def listed(windrow: Windrow) -> list[dict[str, Any]]:
    said = windrow.command("job", "list", "-o", "json")
    assert said.exit == 0, said
    document = json.loads(said.text)
    assert (document["status"], document["exit_code"]) == ("Completed", 0)
    return document["jobs"]


# C701
def test_jobs_are_listed_newest_first_with_state_and_counts(windrow: Windrow) -> None:
    assert "There are no jobs in " in windrow.command("job", "list").text
    windrow.run(NAMES, files=4, size=1, workers=1, name="good")
    windrow.run(HALF, "--set", "output_exists=overwrite", size=1, workers=1, retries=0, name="half")
    windrow.run(HALF, size=1, workers=1, retries=0, threshold=0, output="bad-out", name="bad")
    windrow.files(400, "many")
    settings: dict[str, Any] = {"input": "many", "size": 1, "workers": 1}
    killed = windrow.start(SLOW_NAMES, name="killed", output="killed-out", **settings)
    journal = windrow.home / "jobs/killed/state/journal.1"
    until(lambda: journal.exists() and journal.stat().st_size > 400, "some mini-batches")
    killed.kill()
    running = windrow.start(SLOW_NAMES, name="going", output="going-out", **settings)
    until(lambda: listed(windrow)[0]["state"] == "running", "the job runs")

    jobs = listed(windrow)
    assert [job["name"] for job in jobs] == ["going", "killed", "bad", "half", "good"]
    states = [job["state"] for job in jobs]
    assert states == ["running", "unfinished", "failed", "completed", "completed"]
    half = jobs[3]
    assert half["mini_batches"] == 4
    assert half["mini_batches_done"] == 3
    assert half["items_failed"] == 1
    assert half["results"] == [str(windrow.folder / "out/parallel_run_step.txt")]
    assert half["script"] == str(windrow.folder / "score.py")
    assert half["job_folder"] == str(windrow.home / "jobs/half")
    assert half["began"].endswith("Z")
    assert jobs[2]["results"] == []

    header, *lines = windrow.command("job", "list").text.splitlines()
    titles = "job state mini-batches failed items begun script result"
    assert " ".join(header.split()) == titles
    assert lines[3].split()[:4] == ["half", "completed", "3/4", "1"]
    assert lines[3].endswith(f"score.py  {windrow.folder}/out/parallel_run_step.txt")
    assert windrow.command("job", "list", "-q").text.split() == [job["name"] for job in jobs]
    running.kill()


# C701
def test_what_cannot_be_read_is_listed_as_such_and_strangers_are_not(windrow: Windrow) -> None:
    windrow.run(NAMES, files=2, name="good")
    windrow.run(NAMES, name="torn", output="other")
    (windrow.home / "jobs/torn/job.yml").write_text("type: [")
    (windrow.home / "jobs/notes").mkdir()
    assert {job["name"]: job["state"] for job in listed(windrow)} == {
        "good": "completed",
        "torn": "unreadable",
    }


# C701
def test_hundreds_of_jobs_are_listed_within_a_moment(windrow: Windrow) -> None:
    job = windrow.run(NAMES, files=50, size=1, name="good")
    for number in range(300):
        shutil.copytree(job.folder / "state", windrow.home / f"jobs/good-{number}/state")
        shutil.copy(job.folder / "job.yml", windrow.home / f"jobs/good-{number}/job.yml")
    start = time.monotonic()
    assert len(listed(windrow)) == 301
    assert time.monotonic() - start < 5  # 0.1 s on an idle machine
