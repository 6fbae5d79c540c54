# SPDX-License-Identifier: Apache-2.0
"""The end of a job: results that belong together, what stands in their way, what is kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from workbench import NAMES, Job, Windrow, numbered

# The last mini-batch does something to the place where the rows go.
MEDDLES = """
import os, shutil

def run(mini_batch):
    names = [os.path.basename(path) for path in mini_batch]
    if "f0004" in names and not os.path.exists("{folder}/done"):
        open("{folder}/done", "w").close()
        {deed}
    return names
"""

TWO_OUTPUTS = {
    "type": "parallel",
    "inputs": {"data": {"path": "in"}},
    "input_data": "${{inputs.data}}",
    "mini_batch_size": 1,
    "outputs": {
        "scores": {"type": "uri_file", "path": "out/scores.txt"},
        "notes": {"type": "uri_file", "path": "out/notes.txt"},
    },
    "task": {
        "entry_script": "score.py",
        "append_row_to": ["${{outputs.scores}}", "${{outputs.notes}}"],
    },
}


def meddles(windrow: Windrow, deed: str) -> str:
    return MEDDLES.format(folder=windrow.folder, deed=deed)


def segments(job: Job) -> list[Path]:
    return list((job.folder / "state/rows").glob("*.seg"))


# C935 C936 C937
def test_a_conflict_on_one_result_leaves_none_visible(windrow: Windrow) -> None:
    scores, notes = windrow.folder / "out/scores.txt", windrow.folder / "out/notes.txt"
    windrow.script(meddles(windrow, f"open({str(notes)!r}, 'w').write('mine')"))
    windrow.files(5)
    command = ("run", str(windrow.job_file(TWO_OUTPUTS)))
    job = windrow.command(*command)
    assert job.exit == 1, job
    assert f"Stopped: {notes} exists and is not the result of this job" in job.text
    assert not scores.exists()
    assert notes.read_text() == "mine"
    again = windrow.command(*command)
    assert again.exit == 2, again
    assert f"'{notes}' exists and is not the result of this job: it has 4 bytes instead of 0" in (
        again.text
    )
    notes.unlink()
    last = windrow.command(*command)
    assert last.exit == 0, last
    assert scores.read_text().split() == numbered(5)
    assert notes.read_text() == ""
    assert last.outcome().startswith("status: Completed\n")


# C937
@pytest.mark.parametrize(
    ("deed", "cause"),
    [
        ("shutil.rmtree('{out}')", "No such file or directory"),
        ("open('{out}/parallel_run_step.txt', 'w').write('mine')", "is not the result of this job"),
    ],
)
def test_a_job_that_cannot_publish_says_why_and_where_to_look(
    windrow: Windrow, deed: str, cause: str
) -> None:
    out = windrow.folder / "out"
    job = windrow.run(meddles(windrow, deed.format(out=out)), files=5, size=1, workers=1)
    assert job.exit == 1, job
    assert job.text.count("Stopped: ") == 1
    log = job.folder / "azureml-logs/70_driver_log.txt"
    assert f"  log           {log}\n" in job.text
    assert cause in log.read_text().splitlines()[-1]
    said = dict(line.split(": ", 1) for line in job.outcome().splitlines())
    assert said["status"] == "Stopped"
    assert cause in said["cause"]
    assert said["where"] == str(log)
    assert said["counts"].startswith("mini-batches 5, ")
    (out / "parallel_run_step.txt").unlink(missing_ok=True)
    again = windrow.run(size=1, workers=1)
    assert again.exit == 0, again
    assert again.outcome().startswith("status: Completed\n")


# C938
@pytest.mark.parametrize(("flags", "longest"), [((), 255), (("overwrite",), 243)])
def test_a_name_that_no_file_can_have_is_refused_at_the_start(
    windrow: Windrow, flags: tuple[str, ...], longest: int
) -> None:
    replace = [f"--set=output_exists={flag}" for flag in flags]
    job = windrow.run(NAMES, "--append-row-to", "x" * (longest + 1), *replace, files=3)
    assert job.exit == 2, job
    assert f"has {longest + 1} bytes, and {longest} is the most" in job.text
    assert windrow.job_folders() == []
    job = windrow.run(NAMES, "--append-row-to", "x" * longest, *replace)
    assert job.exit == 0, job
    assert len((windrow.folder / "out" / ("x" * longest)).read_text().split()) == 3


# C939
@pytest.mark.parametrize("target", ["jobs/one", "jobs", "jobs/one/logs", "jobs/one/state/x", "in"])
def test_rows_that_would_go_to_a_folder_are_refused_at_the_start(
    windrow: Windrow, target: str
) -> None:
    path = str(windrow.folder / target)
    flags = ["--job-dir", "jobs/one", "--append-row-to", path]
    job = windrow.run(NAMES, *flags, files=3)
    assert job.exit == 2, job
    assert f"the rows cannot go to '{path}': " in job.text
    assert not (windrow.folder / "jobs/one/job.yml").exists()


# C940
def test_second_attempts_at_files_that_are_not_staged_are_refused(windrow: Windrow) -> None:
    job = windrow.run(NAMES, "--speculate", files=3, summary_only=True)
    assert job.exit == 2, job
    assert "a job without append_row_to needs staged_outputs: true for it" in job.text
    assert windrow.job_folders() == []


# C944
def test_a_completed_job_keeps_its_rows_once(windrow: Windrow) -> None:
    job = windrow.run(NAMES, files=5, size=1, name="one")
    assert job.exit == 0, job
    assert job.rows() == numbered(5)
    assert segments(job) == []
    for command in (["explain", "one"], ["report", "one"], ["explain", "one", "2"]):
        assert windrow.command(*command).exit == 0, command
    assert windrow.command("replay", "one", "2").exit == 0
    merged = windrow.command("job", "merge", "one")
    assert merged.exit == 2
    assert f"job one is finished; its result is {job.result}" in merged.text
    assert "there is nothing to retry" in windrow.command("retry", "one").text


# C944
def test_rows_are_kept_while_something_can_be_retried(windrow: Windrow) -> None:
    bad = "    if mini_batch[0].endswith('f0002'):\n        raise ValueError('bad')\n"
    script = NAMES.replace("    return", bad + "    return")
    job = windrow.run(script, files=5, size=1, retries=0, name="one")
    assert job.exit == 0, job
    assert segments(job)
    windrow.script(NAMES)
    again = windrow.command("retry", "one", "--name", "two")
    assert again.exit == 0, again
    assert segments(again) == []
    result = again.folder / "outputs/output/parallel_run_step.txt"
    assert result.read_text().split() == numbered(5)
    assert segments(job)


POISON = """
import os

def run(mini_batch):
    names = [os.path.basename(path) for path in mini_batch]
    if "f0001" in names:
        raise ValueError("bad")
    return names
"""


# C942
def test_merge_publishes_the_good_pieces_of_halved_mini_batches(windrow: Windrow) -> None:
    flags = ["--bisect", "--error-threshold", "0", "--max-retries", "0"]
    job = windrow.run(POISON, *flags, files=8, size=8, workers=1)
    assert job.exit == 1, job
    merged = windrow.command("job", "merge", job.name, result=job.result)
    assert merged.exit == 0, merged
    assert set(merged.rows()) < set(numbered(8)) - {"f0001"} and merged.rows()
    assert "rows of 0 of 1 mini-batches and of parts of 1 more (" in merged.text


# C942
def test_merge_counts_a_mini_batch_with_a_bad_item_as_a_part(windrow: Windrow) -> None:
    flags = ["--bisect", "--error-threshold", "0", "--max-retries", "0"]
    job = windrow.run(POISON, *flags, files=3, size=2, workers=1)
    assert job.exit == 1, job
    merged = windrow.command("job", "merge", job.name, "-o", "json", result=job.result)
    assert merged.exit == 0, merged
    said = json.loads(merged.text)
    whole = int("f0002" in merged.rows())
    assert (said["mini_batches_done"], said["mini_batches_in_part"]) == (whole, 1)
    assert "f0000" in merged.rows()
