# SPDX-License-Identifier: Apache-2.0
"""Files that scripts write into outputs, where outputs are staged: those of attempts that count."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from workbench import Job, Running, Windrow, numbered, until

# Each item is written to the output under its own name, with the number of the attempt. BEFORE and
# AFTER are what a test puts around that.
COPY = """
import os, sys, time

def run(mini_batch, context):
    out = sys.argv[sys.argv.index("--to") + 1]
    for path in mini_batch:
        name = os.path.basename(path)
        {before}
        os.makedirs(out + "/" + name[-1], exist_ok=True)
        with open(out + "/" + name[-1] + "/" + name, "w") as file:
            file.write(name)
        {after}
    return mini_batch
"""


ONE_TRY: dict[str, Any] = {"retry_settings": {"max_retries": 0}}


def start(
    windrow: Windrow, before: str = "pass", after: str = "pass", files: int = 6, **keys: Any
) -> Running:
    """A job with one output, whose folder is the script's argument --to."""
    windrow.script(COPY.format(before=before, after=after))
    windrow.files(files)
    task = {"entry_script": "score.py", "program_arguments": "--to ${{outputs.files}}"}
    content = {
        "type": "parallel",
        "inputs": {"data": {"path": "in"}},
        "outputs": {"files": {"path": "out"}},
        "input_data": "${{inputs.data}}",
        "mini_batch_size": 2,
        "max_concurrency_per_instance": 2,
        "task": task,
        "staged_outputs": True,
    }
    return windrow.begin("run", str(windrow.job_file(content | keys)), "--name", "staged")


def run(windrow: Windrow, **settings: Any) -> Job:
    """The same to its end."""
    return start(windrow, **settings).end()


def written(windrow: Windrow) -> dict[str, str]:
    """What lies in the output: paths and contents."""
    out = windrow.folder / "out"
    return {
        str(path.relative_to(out)): path.read_text() for path in out.rglob("*") if path.is_file()
    }


def right(count: int) -> dict[str, str]:
    return {f"{name[-1]}/{name}": name for name in numbered(count)}


def nothing_is_left(job: Job) -> bool:
    return not (job.folder / "staged").exists()


# C440 C443
def test_files_come_to_lie_in_the_output(windrow: Windrow) -> None:
    job = run(windrow)
    assert job.exit == 0, job
    assert written(windrow) == right(6)
    assert nothing_is_left(job)


# C440
def test_the_script_finds_its_own_folder_in_every_way(windrow: Windrow) -> None:
    windrow.script(
        "import os, sys\n"
        "from azureml_user.parallel_run import EntryScript\n"
        "def run(mini_batch):\n"
        "    out = EntryScript().output_dir\n"
        "    assert out == os.environ['AZUREML_BI_OUTPUT_PATH'], out\n"
        "    for path in mini_batch:\n"
        "        open(os.path.join(out, os.path.basename(path)), 'w').close()\n"
        "    return [out for path in mini_batch]\n"
    )
    windrow.files(4)
    job = windrow.run(None, keys={"staged_outputs": True, "mini_batch_size": 1})
    assert job.exit == 0, job
    rows = job.rows()
    assert len(rows) == 4
    assert len(set(rows)) <= 2
    assert all("/staged/process" in row for row in rows)
    assert sorted(os.listdir(windrow.folder / "out")) == [*numbered(4), "parallel_run_step.txt"]


# C441
def test_an_attempt_that_fails_half_way_leaves_nothing(windrow: Windrow) -> None:
    after = (
        "if context.retry_count == 0: open(out + '/half-' + name, 'w').close(); raise ValueError()"
    )
    job = run(windrow, after=after)
    assert job.exit == 0, job
    assert written(windrow) == right(6)
    assert job.statuses(0) == ["RUN_EXCEPTION", "RUN_DONE"]


# C441
def test_a_worker_that_dies_half_way_leaves_nothing(windrow: Windrow) -> None:
    after = (
        "if context.retry_count == 0: os.rename(out + '/' + name[-1], out + '/half'); os._exit(9)"
    )
    job = run(windrow, after=after)
    assert job.exit == 0, job
    assert written(windrow) == right(6)
    assert nothing_is_left(job)


# C441
def test_an_attempt_that_takes_too_long_leaves_nothing(windrow: Windrow) -> None:
    after = "if context.retry_count == 0 and context.minibatch_index == 1: time.sleep(600)"
    job = run(windrow, after=after, retry_settings={"timeout": 1})
    assert job.exit == 0, job
    assert written(windrow) == right(6)
    assert job.statuses(1)[-2:] == ["RUN_TIMEOUT", "RUN_DONE"]


# C441
def test_a_mini_batch_that_fails_for_good_has_no_file(windrow: Windrow) -> None:
    after = "if name == 'f0003': raise ValueError()"
    job = run(windrow, after=after, retry_settings={"max_retries": 1})
    assert job.exit == 0, job
    assert written(windrow) == {k: v for k, v in right(6).items() if v not in ("f0002", "f0003")}


# C442
def test_two_mini_batches_cannot_write_one_name(windrow: Windrow) -> None:
    after = "open(out + '/same', 'w').close()"
    job = run(windrow, after=after, files=4, **ONE_TRY)
    assert job.exit == 0, job
    assert len(written(windrow)) == 3
    [(winner, loser)] = [(b, 1 - b) for b in (0, 1) if job.statuses(b) == ["RUN_DONE"]]
    [line] = job.attempts(loser)
    assert line["Status"] == "RUN_EXCEPTION"
    assert f"'same' is in the way of what mini-batch {winner} has written" in line["Error Message"]


# C442
def test_a_file_that_was_there_before_stays(windrow: Windrow) -> None:
    old = windrow.folder / "out/0/f0000"
    old.parent.mkdir(parents=True)
    old.write_text("precious")
    job = run(windrow, **ONE_TRY)
    assert job.exit == 0, job
    assert old.read_text() == "precious"
    assert not (windrow.folder / "out/1/f0001").exists()
    assert "output_exists: overwrite" in job.log("logs/failed_items.jsonl")


# C442
def test_a_file_that_was_there_before_is_replaced_when_asked(windrow: Windrow) -> None:
    old = windrow.folder / "out/0/f0000"
    old.parent.mkdir(parents=True)
    old.write_text("worthless")
    job = run(windrow, output_exists="overwrite")
    assert job.exit == 0, job
    assert written(windrow) == right(6)


# C444
def test_a_killed_engine_goes_on_with_every_file_once(windrow: Windrow) -> None:
    first = start(windrow, before="time.sleep(0.02)", files=60)
    until(lambda: len(written(windrow)) > 5, "some files in their place")
    first.kill()
    windrow.expect_no_orphans()
    there = {path: (windrow.folder / "out" / path).stat().st_ino for path in written(windrow)}
    assert len(there) < 60
    assert there.keys() <= right(60).keys()
    job = windrow.command("job", "resume", "staged")
    assert job.exit == 0, job
    assert written(windrow) == right(60)
    for path, inode in there.items():
        assert (windrow.folder / "out" / path).stat().st_ino == inode, f"{path} was written again"
    assert nothing_is_left(job)


# C443
def test_a_job_that_fails_leaves_what_it_had_committed(windrow: Windrow) -> None:
    after = "if name == 'f0003': raise ValueError()"
    job = run(windrow, after=after, max_concurrency_per_instance=1, error_threshold=0, **ONE_TRY)
    assert job.exit == 1, job
    assert {k: v for k, v in written(windrow).items() if v < "f0002"} == right(2)
    assert not {"f0002", "f0003"} & set(written(windrow).values())
    assert nothing_is_left(job)


# C447
def test_retry_gives_the_new_job_the_files_of_the_old_one(windrow: Windrow) -> None:
    after = "if name == 'f0003' and not os.path.exists(sys.argv[0] + '.go'): raise ValueError()"
    job = run(windrow, after=after, outputs={"files": {}}, **ONE_TRY)
    assert job.exit == 0, job
    assert len(list((job.folder / "outputs/files").rglob("f*"))) == 4
    (windrow.folder / "score.py.go").touch()
    again = windrow.command("retry", "staged")
    assert again.exit == 0, again
    out = again.folder / "outputs/files"
    assert {path.name for path in out.rglob("f*")} == set(numbered(6))
    assert len(list((job.folder / "outputs/files").rglob("f*"))) == 4


def stopped_while_placing(windrow: Windrow, **keys: Any) -> Job:
    """A job whose committed files wait: a file is where their output should be, for a while."""
    out = windrow.folder / "out"
    path = repr(str(out))
    in_the_way = f"os.listdir({path}) or (os.rmdir({path}), open({path}, 'w'))"
    before = f"os.path.isdir({path}) and ({in_the_way})"
    job = run(windrow, before=before, max_concurrency_per_instance=1, **keys)
    assert job.exit == 1, job
    assert "cannot be put in their place" in job.text
    assert (job.folder / "staged/done").exists()
    out.unlink()
    return job


# C447
def test_merge_puts_what_was_committed_in_its_place(windrow: Windrow) -> None:
    job = stopped_while_placing(windrow)
    merged = windrow.command("job", "merge", "staged")
    assert merged.exit == 0, merged
    there = written(windrow)
    assert there.items() <= right(6).items()
    assert (
        f"files of {len(there) // 2} of 3 mini-batches are in {windrow.folder}/out" in merged.text
    )
    again = windrow.command("job", "merge", "staged")
    assert again.text == merged.text
    assert written(windrow) == there
    assert windrow.command("job", "resume", "staged").exit == 0
    assert written(windrow) == right(6)
    assert nothing_is_left(job)


# C447
def test_merge_replaces_files_when_the_job_was_to(windrow: Windrow) -> None:
    stopped_while_placing(windrow, files=2, output_exists="overwrite")
    old = windrow.folder / "out/0/f0000"
    old.parent.mkdir(parents=True)
    old.write_text("worthless")
    merged = windrow.command("job", "merge", "staged", "-o", "json")
    assert merged.exit == 0, merged
    assert json.loads(merged.text)["outputs"] == [str(windrow.folder / "out")]
    assert old.read_text() == "f0000"


# C447 C71
def test_merge_of_rows_and_files_says_where_both_are(windrow: Windrow) -> None:
    task = {
        "entry_script": "score.py",
        "program_arguments": "--to ${{outputs.files}}",
        "append_row_to": "${{outputs.rows}}",
    }
    outputs = {"files": {"path": "out"}, "rows": {"path": "rows"}}
    stopped_while_placing(windrow, task=task, outputs=outputs)
    merged = windrow.command("job", "merge", "staged")
    assert merged.exit == 0, merged
    count = len(written(windrow)) // 2
    assert f"rows of {count} of 3 mini-batches" in merged.text
    assert f"files of {count} of 3 mini-batches" in merged.text
    rows = (windrow.folder / "rows/parallel_run_step.txt").read_text().split()
    assert len(rows) == 2 * count


# C447
def test_merge_of_a_finished_job_without_rows_says_where_its_files_are(windrow: Windrow) -> None:
    assert run(windrow).exit == 0
    merged = windrow.command("job", "merge", "staged")
    assert merged.exit == 2
    assert f"job staged is finished; its files are in {windrow.folder}/out" in merged.text


# C448
@pytest.mark.parametrize(
    "one, other",
    [
        ("out", "out"),
        ("out", "out/below"),
        ("out/below", "out"),
        ("out", "link"),
        ("link/new", "out/new"),
        ("out", "made/../out/below"),
        ("/", "out"),
    ],
)
def test_two_outputs_in_one_folder_are_refused(windrow: Windrow, one: str, other: str) -> None:
    (windrow.folder / "target").mkdir()
    (windrow.folder / "out").symlink_to("target")
    (windrow.folder / "link").symlink_to("target")
    job = run(windrow, outputs={"files": {"path": one}, "rows": {"path": other}})
    assert job.exit == 2, job
    assert "each output needs a folder of its own" in job.text
    names = [
        f"{name} ('{windrow.folder / path}')" for name, path in [("files", one), ("rows", other)]
    ]
    assert f"give {names[0]} or {names[1]} another path" in job.text
    assert not windrow.job_folders()
    assert not list((windrow.folder / "target").iterdir())


# C448
@pytest.mark.parametrize("staged", [True, False])
def test_outputs_may_lie_side_by_side_and_share_what_is_not_staged(
    windrow: Windrow, staged: bool
) -> None:
    other = "out-2" if staged else "out"
    outputs = {"files": {"path": "out"}, "more": {"path": other}}
    job = run(windrow, outputs=outputs, staged_outputs=staged)
    assert job.exit == 0, job
    assert written(windrow) == right(6)


# C445
def test_an_output_on_another_disk_gets_copies(windrow: Windrow, tmp_path: Path) -> None:
    here, there = os.stat(tmp_path).st_dev, os.stat("/dev/shm").st_dev
    if here == there:
        return  # the unit tests have the case
    out = Path(f"/dev/shm/windrow-test-{os.getpid()}")
    try:
        job = run(windrow, outputs={"files": {"path": str(out)}})
        assert job.exit == 0, job
        assert len(list(out.rglob("f*"))) == 6
        assert not list(out.rglob(".*"))
    finally:
        for path in sorted(out.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        out.rmdir()
