# SPDX-License-Identifier: Apache-2.0
"""What flags of `windrow retry` change: where the new job and its result are."""

from __future__ import annotations

from typing import Any

import pytest
from workbench import Job, Windrow, numbered

FAILS_UNTIL_MENDED = """
import os, sys

def run(mini_batch):
    names = [os.path.basename(path) for path in mini_batch]
    if "f0003" in names and not os.path.exists(sys.argv[0] + ".mended"):
        raise ValueError("needs mending")
    return names
"""


def mended(windrow: Windrow, **settings: Any) -> Job:
    """A finished job with a failed mini-batch that would succeed now."""
    job = windrow.run(FAILS_UNTIL_MENDED, files=6, size=2, retries=0, name="old", **settings)
    assert job.exit == 0, job
    (windrow.folder / "score.py.mended").touch()
    return job


def retry(windrow: Windrow, *flags: str, result: str = "none") -> Job:
    return windrow.command("retry", "old", *flags, result=windrow.folder / result)


# C69
@pytest.mark.parametrize(
    "flags, result",
    [
        (["--output", "new"], "new/parallel_run_step.txt"),
        (["--output", "new", "--append-row-to", "rows.txt"], "new/rows.txt"),
        (["--append-row-to", "rows.txt"], "rows.txt"),
        (["--append-row-to", "deep/rows.txt"], "deep/rows.txt"),
    ],
)
def test_the_new_result_lies_where_flags_say(
    windrow: Windrow, flags: list[str], result: str
) -> None:
    old = mended(windrow)
    before = old.bytes()
    job = retry(windrow, *flags, result=result)
    assert job.exit == 0, job
    assert job.rows() == numbered(6)
    assert old.bytes() == before


# C69
def test_a_result_that_exists_is_not_written_over(windrow: Windrow) -> None:
    old = mended(windrow)
    before = old.bytes()
    job = retry(windrow, "--output", "out")
    assert job.exit == 2
    assert f"the output file '{old.result}' exists" in job.text
    assert old.bytes() == before


# C69
def test_a_job_without_an_output_of_its_own_gets_one(windrow: Windrow) -> None:
    mended(windrow, output=None)
    job = retry(windrow, "--output", "new", result="new/parallel_run_step.txt")
    assert job.exit == 0, job
    assert job.rows() == numbered(6)


# C69
def test_staged_files_of_the_old_job_come_along(windrow: Windrow) -> None:
    windrow.script(
        FAILS_UNTIL_MENDED.replace(
            "    return names",
            "    for name in names:\n"
            "        open(os.environ['AZUREML_BI_OUTPUT_PATH'] + '/' + name, 'w').close()\n"
            "    return names",
        )
    )
    windrow.files(6)
    keys = {"staged_outputs": True, "mini_batch_size": 2, "retry_settings": {"max_retries": 0}}
    old = windrow.run(None, keys=keys, name="old")
    assert old.exit == 0, old
    (windrow.folder / "score.py.mended").touch()
    job = retry(windrow, "--output", "new")
    assert job.exit == 0, job
    files = sorted(path.name for path in (windrow.folder / "new").iterdir())
    assert files == [*numbered(6), "parallel_run_step.txt"]
    assert not (windrow.folder / "out/f0002").exists()


# C69
def test_the_new_job_has_the_name_that_was_said(windrow: Windrow) -> None:
    mended(windrow)
    job = retry(windrow, "--name", "new")
    assert job.exit == 0, job
    assert job.folder == windrow.home / "jobs/new"
    assert "name: new  # from --name" in job.log("job.yml")
    again = retry(windrow, "--name", "old")
    assert again.exit == 0, again
    assert "there is a job old already; this one is old-2" in again.text
    effective = (windrow.home / "jobs/old-2/job.yml").read_text()
    assert "retry_of: old" in effective
    assert "name: old-2" in effective


# C69 C65
def test_a_folder_that_holds_a_job_is_not_taken(windrow: Windrow) -> None:
    old = mended(windrow)
    before = old.log("job.yml")
    job = retry(windrow, "--job-dir", str(old.folder))
    assert job.exit == 2
    assert f"{old.folder} holds a job already; choose another folder" in job.text
    assert old.log("job.yml") == before


# C69
@pytest.mark.parametrize(
    "flags, said",
    [
        (["--mini-batch-size", "1"], "failed_items.jsonl --mini-batch-size 1"),
        (["--replace", "--output", "new"], "--replace puts the result in the place of the old one"),
        (["--replace", "--append-row-to", "a"], "--append-row-to somewhere else: give one of them"),
        (["--name", "a/b"], "--name"),
    ],
)
def test_what_a_retry_cannot_do_is_refused_with_what_can(
    windrow: Windrow, flags: list[str], said: str
) -> None:
    mended(windrow)
    job = retry(windrow, *flags)
    assert job.exit == 2
    assert said in job.text
    assert len(windrow.job_folders()) == 1


# C69
def test_failed_items_can_be_cut_anew_by_a_list(windrow: Windrow) -> None:
    """As the refusal of --mini-batch-size says."""
    old = mended(windrow)
    said = retry(windrow, "--mini-batch-size", "1").text.split("windrow run SCRIPT ")[1]
    job = windrow.command("run", "score.py", *said.split(), "--output", "new")
    assert job.exit == 0, job
    rows = (windrow.folder / "new/parallel_run_step.txt").read_text().split()
    assert sorted(rows + old.rows()) == numbered(6)


# C69
@pytest.mark.parametrize("count", [0, 2])
def test_one_file_does_not_take_the_place_of_none_or_several(windrow: Windrow, count: int) -> None:
    windrow.script(
        FAILS_UNTIL_MENDED.replace("return names", 'return {"a": names, "b": names}')
        if count
        else FAILS_UNTIL_MENDED
    )
    windrow.files(6)
    keys: dict[str, Any] = {
        "outputs": {"a": {"path": "a"}, "b": {"path": "b"}},
        "mini_batch_size": 2,
        "retry_settings": {"max_retries": 0},
        "task": {"entry_script": "score.py"},
    }
    if count:
        keys["task"]["append_row_to"] = ["${{outputs.a}}", "${{outputs.b}}"]
    assert windrow.run(None, keys=keys, name="old").exit == 0
    job = retry(windrow, "--append-row-to", "rows.txt")
    assert job.exit == 2
    assert f"the old job has {count} outputs with rows, not 1" in job.text
