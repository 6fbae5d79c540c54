# SPDX-License-Identifier: Apache-2.0
"""What becomes of failed mini-batches: job resume, retry and merge."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from workbench import NAMES, SLOW_NAMES, Job, Windrow, numbered, until

FAILS_UNTIL_MENDED = """
import os

def run(mini_batch):
    names = [os.path.basename(path) for path in mini_batch]
    if "f0005" in names and not os.path.exists(os.environ["OF_TEST"] + "/mended"):
        raise ValueError("needs mending")
    return names
"""


def a_job_with_a_failure(windrow: Windrow, threshold: int, **settings: Any) -> Job:
    """Of six mini-batches the third one fails."""
    settings = {"size": 2, "retries": 1, "workers": 1} | settings
    return windrow.run(FAILS_UNTIL_MENDED, files=12, threshold=threshold, **settings)


def mend(windrow: Windrow) -> None:
    (windrow.folder / "mended").touch()


def mended(windrow: Windrow, **settings: Any) -> Job:
    """A finished job with a failed mini-batch that would succeed now."""
    job = a_job_with_a_failure(windrow, -1, name="old", **settings)
    assert job.exit == 0, job
    mend(windrow)
    return job


# C66
@pytest.mark.parametrize("by", ["name", "folder"])
def test_job_resume_goes_on_with_a_failed_job(windrow: Windrow, by: str) -> None:
    failed = a_job_with_a_failure(windrow, threshold=0)
    assert failed.exit == 1
    mend(windrow)
    which = failed.name if by == "name" else str(failed.folder)
    job = windrow.command("job", "resume", which, result=failed.result)
    assert job.exit == 0, job
    assert job.rows() == numbered(12)
    assert job.folder == failed.folder
    assert "status: Completed" in job.outcome()


# C66
def test_a_resumed_job_that_still_fails_has_all_its_tries_again(windrow: Windrow) -> None:
    failed = a_job_with_a_failure(windrow, threshold=0)
    job = windrow.command("job", "resume", failed.name)
    assert job.exit == 1
    assert job.statuses(2).count("RUN_EXCEPTION") == 4


# C69 C70
def test_retry_runs_the_failed_mini_batches_in_a_new_job(windrow: Windrow) -> None:
    old = a_job_with_a_failure(windrow, threshold=-1)
    assert old.exit == 0
    assert len(old.rows()) == 10
    before = old.bytes()
    mend(windrow)
    job = windrow.command("retry", old.name, "--timeout", "300")
    assert job.exit == 0, job
    assert job.folder != old.folder
    (result,) = (job.folder / "outputs").rglob("parallel_run_step.txt")
    assert result.read_text().split() == numbered(12)
    assert old.bytes() == before
    effective = job.log("job.yml")
    assert f"retry_of: {old.name}" in effective
    assert "timeout: 300  # from --timeout" in effective
    assert job.statuses() != []
    assert {a["Mini-batch Id"] for a in job.attempts() if a["Status"] == "RUN_DONE"} >= {"2"}


# C69
@pytest.mark.parametrize("threshold", [-1, 0])
def test_retry_says_how_many_mini_batches_it_runs(windrow: Windrow, threshold: int) -> None:
    """A job that failed early has some that were never done, which run as well."""
    slowly = FAILS_UNTIL_MENDED.replace(
        "    return", "    __import__('time').sleep(0.05)\n    return"
    )
    old = windrow.run(slowly, files=12, size=2, retries=0, workers=1, threshold=threshold)
    mend(windrow)
    job = windrow.command("retry", old.name)
    assert job.exit == 0, job
    kept = sum(a["Status"] == "RUN_DONE" for a in old.attempts())
    not_done = "" if kept == 5 else f", {5 - kept} not done yet,"
    said = f"runs 1 failed mini-batch of {old.name} again{not_done} and keeps {kept}"
    assert said in job.text
    assert (kept == 5) == (threshold == -1)


# C70
def test_retry_with_replace_puts_the_new_result_in_place_of_the_old(windrow: Windrow) -> None:
    old = a_job_with_a_failure(windrow, threshold=-1)
    mend(windrow)
    job = windrow.command("retry", old.name, "--replace", result=old.result)
    assert job.exit == 0, job
    assert job.rows() == numbered(12)
    assert [path.name for path in job.result.parent.iterdir()] == [job.result.name]


# C70
def test_a_retry_that_fails_again_leaves_the_old_result_alone(windrow: Windrow) -> None:
    old = a_job_with_a_failure(windrow, threshold=-1)
    before = old.bytes()
    job = windrow.command("retry", old.name, "--replace", "--error-threshold", "0")
    assert job.exit == 1
    assert old.bytes() == before


# C69
@pytest.mark.parametrize("mended", [True, False])
def test_there_must_be_something_to_retry(windrow: Windrow, mended: bool) -> None:
    if mended:
        mend(windrow)
        old = a_job_with_a_failure(windrow, threshold=-1)
        shown = "nothing to retry"
    else:
        running = windrow.start(SLOW_NAMES, files=100, size=1)
        until(running.workers, "a worker")
        old = running.kill()
        shown = "is not over"
    job = windrow.command("retry", old.name)
    assert job.exit == 2
    assert shown in job.text


# C71
def test_merge_publishes_what_a_failed_job_has(windrow: Windrow) -> None:
    failed = a_job_with_a_failure(windrow, threshold=0)
    assert not failed.result.exists()
    merged = windrow.command("job", "merge", failed.name, result=failed.result)
    assert merged.exit == 0, merged
    assert merged.rows()[:4] == numbered(4)
    assert not {"f0004", "f0005"} & set(merged.rows())


# C71 C57
def test_merge_never_writes_over_a_file_that_is_not_its_own(windrow: Windrow) -> None:
    failed = a_job_with_a_failure(windrow, threshold=0)
    failed.result.parent.mkdir(exist_ok=True)
    failed.result.write_text("precious")
    merged = windrow.command("job", "merge", failed.name)
    assert merged.exit == 2
    assert str(failed.result) in merged.text
    assert "remove it, then run the command again" in merged.text
    assert failed.result.read_text() == "precious"
    failed.result.unlink()
    again = windrow.command("job", "merge", failed.name)
    assert again.exit == 0, again


# C71 C65
def test_merge_of_a_finished_job_is_refused(windrow: Windrow) -> None:
    done = windrow.run(NAMES, files=3)
    job = windrow.command("job", "merge", done.name)
    assert job.exit == 2
    assert str(done.result) in job.text


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
    assert job.rows() == numbered(12)
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
    assert job.rows() == numbered(12)


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
    windrow.files(12)
    keys = {"staged_outputs": True, "mini_batch_size": 2, "retry_settings": {"max_retries": 0}}
    old = windrow.run(None, keys=keys, name="old")
    assert old.exit == 0, old
    mend(windrow)
    job = retry(windrow, "--output", "new")
    assert job.exit == 0, job
    files = sorted(path.name for path in (windrow.folder / "new").iterdir())
    assert files == [*numbered(12), "parallel_run_step.txt"]
    assert not (windrow.folder / "out/f0004").exists()


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


# C703
def test_a_retry_says_how_to_go_on_without_a_file_that_is_gone(windrow: Windrow) -> None:
    old = mended(windrow)
    gone = windrow.folder / "in/f0004"
    gone.unlink()
    stopped = retry(windrow, "--name", "new")
    assert stopped.exit == 1
    assert "'f0004' is missing" in stopped.text
    assert "the same command" not in stopped.text
    assert "put back what is missing" in stopped.text
    failed = old.folder / "logs/failed_items.jsonl"
    assert f"Continue without a file that is gone: copy {failed}, delete its lines" in stopped.text
    rest = [line for line in failed.read_text().splitlines() if "in/f0004" not in line]
    (windrow.folder / "rest.jsonl").write_text("\n".join(rest) + "\n")
    job = windrow.command("run", "score.py", "--input", "@rest.jsonl", "--output", "rest")
    assert job.exit == 0, job
    assert (windrow.folder / "rest/parallel_run_step.txt").read_text() == "f0005\n"
    gone.touch()
    resumed = windrow.command("job", "resume", "new")
    assert resumed.exit == 0, resumed


# C69
def test_failed_items_can_be_cut_anew_by_a_list(windrow: Windrow) -> None:
    """As the refusal of --mini-batch-size says."""
    old = mended(windrow)
    said = retry(windrow, "--mini-batch-size", "1").text.split("windrow run SCRIPT ")[1]
    job = windrow.command("run", "score.py", *said.split(), "--output", "new")
    assert job.exit == 0, job
    rows = (windrow.folder / "new/parallel_run_step.txt").read_text().split()
    assert sorted(rows + old.rows()) == numbered(12)


# C69
@pytest.mark.parametrize("count", [0, 2])
def test_one_file_does_not_take_the_place_of_none_or_several(windrow: Windrow, count: int) -> None:
    windrow.script(
        FAILS_UNTIL_MENDED.replace("return names", 'return {"a": names, "b": names}')
        if count
        else FAILS_UNTIL_MENDED
    )
    windrow.files(12)
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


# C69 C66
@pytest.mark.parametrize("how", ["resumed", "retried"])
def test_a_job_with_several_lives_can_be_retried(windrow: Windrow, how: str) -> None:
    """Its segments are taken over, and the new ones must not have their names."""
    old = a_job_with_a_failure(windrow, 0, retries=0, name="old")
    assert old.exit == 1
    if how == "resumed":
        again = windrow.command("job", "resume", "old", "--error-threshold", "-1")
    else:
        again = windrow.command("retry", "old", "--name", "second", "--error-threshold", "-1")
    assert again.exit == 0, again
    mend(windrow)
    job = windrow.command("retry", "old" if how == "resumed" else "second", "--name", "last")
    assert job.exit == 0, job
    (result,) = (windrow.home / "jobs/last/outputs").rglob("parallel_run_step.txt")
    assert result.read_text().split() == numbered(12)


# C70 C66
def test_a_retry_that_replaces_can_go_on(windrow: Windrow) -> None:
    old = a_job_with_a_failure(windrow, -1)
    (windrow.folder / "mended").touch()
    job = windrow.command("retry", old.name, "--replace", "--name", "new", "--python", "/bin/false")
    assert job.exit == 1
    job = windrow.command("job", "resume", "new", "--python", sys.executable, result=old.result)
    assert job.exit == 0, job
    assert job.rows() == numbered(12)


# C66
def test_what_was_wrong_with_a_failed_job_can_be_changed(windrow: Windrow) -> None:
    failed = a_job_with_a_failure(windrow, threshold=0, name="old")
    assert failed.exit == 1
    job = windrow.command("job", "resume", "old", "--error-threshold", "5", "--max-retries", "0")
    assert job.exit == 0, job
    assert "error_threshold: 5  # from --error-threshold" in job.log("job.yml")
    assert windrow.command("job", "resume", "old", "--timeout", "x").exit == 2


# C57 C69
def test_a_retry_beside_the_old_result_is_told_of_replace(windrow: Windrow) -> None:
    old = a_job_with_a_failure(windrow, -1)
    job = windrow.command("retry", old.name, "--output", str(old.result.parent))
    assert job.exit == 2
    assert "with --replace" in job.text
