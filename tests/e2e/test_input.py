# SPDX-License-Identifier: Apache-2.0
"""Which files are items, in which order, and what must be there before anything starts."""

from __future__ import annotations

import json
import os

import pytest
from workbench import NAMES, Windrow, numbered

# The path below the input folder, in whatever bytes.
PATHS = """
import os

def run(mini_batch):
    return [path.partition("/in/")[2] for path in mini_batch]
"""


# C10 C11
@pytest.mark.parametrize(
    ("files", "size", "cuts"), [(100, 10, [10] * 10), (23, 5, [5, 5, 5, 5, 3]), (12, None, [10, 2])]
)
def test_files_are_grouped_in_order(
    windrow: Windrow, files: int, size: int | None, cuts: list[int]
) -> None:
    job = windrow.run(NAMES, files=files, size=size)
    assert job.rows() == numbered(files)
    by_batch = sorted(job.attempts(), key=lambda a: int(a["Mini-batch Id"]))
    assert [int(a["Total"]) for a in by_batch] == cuts
    detail = json.loads(by_batch[0]["Mini-batch Detail"])
    assert detail["id"] == 0
    assert detail["root"] == str(windrow.folder / "in")
    assert detail["minibatch"] == numbered(files)[: cuts[0]]


# C10
def test_folders_are_walked_in_the_order_of_whole_paths(windrow: Windrow) -> None:
    names = ["a/z", "a-b", "a.c", "a/b/c", "B", "é", "a/b.d", "ab/x", "_", "0/0/0/0"]
    job = windrow.run(PATHS, files=names, size=3)
    assert job.rows() == sorted(names, key=os.fsencode)


ODD = [
    b"with\nline break",
    b"with 'quotes' and \"more\"",
    b"-rf",
    b"--output",
    b"caf\xe9 \xff\xfe not utf-8",
    "\N{GRINNING FACE} 漢字".encode(),
    b"x" * 255,
    b"back\\slash",
    b" space ",
    b"$HOME `true` %s {0} #",
    b"tab\tcr\r",
    b"...",
]


# C12
def test_odd_names_reach_the_script_and_the_rows_as_they_are(windrow: Windrow) -> None:
    script = """
import os

def run(mini_batch):
    for path in mini_batch:
        assert os.path.isabs(path)
        with open(path, "rb") as file:  # each file holds its own name
            assert file.read() == os.fsencode(os.path.basename(path))
    return [os.path.basename(path) for path in mini_batch]
"""
    job = windrow.run(script, files=ODD, size=5)
    assert job.exit == 0
    assert job.bytes() == b"".join(name + b"\n" for name in sorted(ODD))


# C12 C52 C51
def test_odd_names_are_valid_text_in_reports_and_dead_letters(windrow: Windrow) -> None:
    job = windrow.run("def run(mini_batch):\n    raise ValueError('no')", files=ODD, retries=0)
    assert job.exit == 1
    items = [os.path.basename(item["item"]) for item in job.failed_items()]
    assert len(items) == len(ODD)
    assert " space " in items
    assert "with\nline break" in items
    details = "".join(attempt["Mini-batch Detail"] for attempt in job.attempts())
    assert "caf%E9 %FF%FE not utf-8" in details


# C13
def test_links_are_followed_loops_end_and_what_is_no_file_is_no_item(windrow: Windrow) -> None:
    root = windrow.files(["a", "folder/b"])
    elsewhere = windrow.files(["c"], folder="elsewhere")
    (root / "folder/up").symlink_to(root)
    (root / "folder/self").symlink_to(root / "folder")
    (root / "linked").symlink_to(elsewhere)
    (root / "link-to-file").symlink_to(root / "a")
    (root / "dangling").symlink_to("nowhere")
    os.mkfifo(root / "pipe")
    (root / "empty folder").mkdir()
    job = windrow.run(PATHS)
    assert job.exit == 0
    assert job.rows() == ["a", "folder/b", "link-to-file", "linked/c"]


# C14
def test_an_empty_file_is_an_item(windrow: Windrow) -> None:
    (windrow.files(["full"]) / "empty").touch()
    job = windrow.run(PATHS)
    assert job.rows() == ["empty", "full"]


READS = """
import os

def run(mini_batch):
    rows = []
    for path in mini_batch:
        with open(path) as file:
            rows.append(file.read())
    return rows
"""


# C14 C29
def test_a_file_that_cannot_be_read_fails_with_the_reason(windrow: Windrow) -> None:
    root = windrow.files(["a", "c"])
    (root / "b").symlink_to("/proc/self/mem")  # root may read everything else
    job = windrow.run(READS, size=1, retries=0)
    assert job.exit == 0
    assert job.rows() == ["a", "c"]
    (item,) = job.failed_items()
    assert item["error_type"] == "OSError"


# C14 C29
def test_a_file_that_vanished_after_listing_fails_with_the_reason(windrow: Windrow) -> None:
    script = """
import os

def run(mini_batch):
    (path,) = mini_batch
    if path.endswith("f0000"):
        os.remove(path[:-1] + "7")
    with open(path) as file:
        return [file.read()]
"""
    job = windrow.run(script, files=9, size=1, workers=1, retries=0)
    assert job.exit == 0
    (item,) = job.failed_items()
    assert item["item"].endswith("/in/f0007")
    assert item["error_type"] == "FileNotFoundError"
    assert job.rows() == [name for name in numbered(9) if name != "f0007"]


# C15
def test_output_and_job_folder_inside_the_input_are_no_items(windrow: Windrow) -> None:
    windrow.files(["a", "results/not/ours", "results.old"])
    job = windrow.run(PATHS, "--job-dir", "in/job", output="in/results")
    assert job.exit == 0
    assert job.rows() == ["a", "results.old"]
    assert job.folder == windrow.folder / "in/job"


# C16
def test_a_single_file_is_an_input(windrow: Windrow) -> None:
    windrow.files(3)
    job = windrow.run(PATHS, input="in/f0001")
    assert job.exit == 0
    assert job.rows() == ["f0001"]


# C45
def test_an_input_without_files_fails_the_job(windrow: Windrow) -> None:
    windrow.files(0)
    job = windrow.run(NAMES)
    assert job.exit == 1
    assert "holds no file" in job.text
    assert "status: Failed" in job.outcome()
    assert not job.result.exists()


# C42
def test_a_missing_input_is_refused_before_anything_starts(windrow: Windrow) -> None:
    job = windrow.run(NAMES)
    assert job.exit == 2
    assert f"there is no input '{windrow.folder}/in'" in job.text
    assert windrow.job_folders() == []
    assert not (windrow.folder / "out").exists()


# C42
def test_a_missing_script_is_refused_before_anything_starts(windrow: Windrow) -> None:
    windrow.files(1)
    job = windrow.command("run", "nowhere.py", "--input", "in")
    assert job.exit == 2
    assert f"there is no script '{windrow.folder}/nowhere.py'" in job.text
    assert windrow.job_folders() == []


# C57
def test_an_existing_result_is_refused_before_any_worker_starts(windrow: Windrow) -> None:
    target = windrow.folder / "out/parallel_run_step.txt"
    target.parent.mkdir()
    target.write_text("precious")
    job = windrow.run(NAMES, files=3)
    assert job.exit == 2
    assert str(target) in job.text
    assert target.read_text() == "precious"
    assert windrow.job_folders() == []


# C57 C58
def test_a_result_that_appears_while_the_job_runs_is_not_written_over(windrow: Windrow) -> None:
    script = """
import os

def run(mini_batch):
    with open(os.environ["AZUREML_BI_OUTPUT_PATH"] + "/parallel_run_step.txt", "w") as file:
        file.write("precious")
    return mini_batch
"""
    job = windrow.run(script, files=3)
    assert job.exit == 1
    assert job.result.read_text() == "precious"
    assert "exists" in job.text
    assert [path.name for path in job.result.parent.iterdir()] == ["parallel_run_step.txt"]


# C56 C58
@pytest.mark.parametrize(
    ("flags", "target"),
    [
        (["--output", "out"], "out/parallel_run_step.txt"),
        (["--output", "out", "--append-row-to", "Rows.CSV"], "out/Rows.CSV"),
        (["--append-row-to", "deep/down/rows.txt"], "deep/down/rows.txt"),
    ],
)
def test_the_result_lies_where_it_was_said_and_nothing_else_does(
    windrow: Windrow, flags: list[str], target: str
) -> None:
    windrow.files(3)
    windrow.script(NAMES)
    job = windrow.command("run", "score.py", "--input", "in", *flags)
    assert job.exit == 0
    result = windrow.folder / target
    assert result.read_text().split() == numbered(3)
    assert list(result.parent.iterdir()) == [result]
    assert f"result        {result}" in job.text


# C56 C59
def test_without_an_output_the_result_lies_in_the_job_folder(windrow: Windrow) -> None:
    job = windrow.run(NAMES, files=3, output=None)
    assert job.exit == 0
    assert job.folder.parent == windrow.home / "jobs"
    assert job.name.startswith("score-2")
    assert (job.folder / "outputs/output/parallel_run_step.txt").read_text().split() == numbered(3)
