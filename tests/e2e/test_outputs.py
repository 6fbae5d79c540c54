# SPDX-License-Identifier: Apache-2.0
"""Where rows go: several outputs, headers, files that exist."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from workbench import Job, Windrow

TWO = """
import os

def run(mini_batch, context):
    if context.minibatch_index == 1 and context.retry_count == 0:
        os._exit(3)
    names = [os.path.basename(path) for path in mini_batch]
    return {"scores": names, "notes": [f"{name}!" for name in names[:1]]}
"""

FRAMES = """
import os
import pandas

def run(mini_batch):
    return pandas.DataFrame({"name": [os.path.basename(p) for p in mini_batch], "n": 1})
"""


def run_file(windrow: Windrow, script: str, **root: Any) -> Job:
    windrow.script(script)
    windrow.files(5)
    content = {
        "type": "parallel",
        "inputs": {"data": {"path": "in"}},
        "input_data": "${{inputs.data}}",
        "mini_batch_size": 2,
        "outputs": {"scores": {"path": "out"}},
        "task": {"entry_script": "score.py", "append_row_to": "${{outputs.scores}}"},
    }
    content |= root
    return windrow.command("run", str(windrow.job_file(content)))


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines()


# C270
def test_each_named_output_has_its_own_file(windrow: Windrow) -> None:
    job = run_file(
        windrow,
        TWO,
        outputs={"scores": {"path": "out"}, "notes": {"type": "uri_file", "path": "notes.txt"}},
        task={
            "entry_script": "score.py",
            "append_row_to": ["${{outputs.scores}}", "${{outputs.notes}}"],
        },
    )
    assert job.exit == 0, job
    scores = lines(windrow.folder / "out/parallel_run_step.txt")
    assert len(scores) == 5
    assert lines(windrow.folder / "notes.txt") == [f"{scores[i]}!" for i in (0, 2, 4)]
    assert str(windrow.folder / "notes.txt") in job.text


# C270
def test_two_outputs_with_one_file_are_refused(windrow: Windrow) -> None:
    job = run_file(
        windrow,
        TWO,
        outputs={
            "scores": {"type": "uri_file", "path": "same.txt"},
            "notes": {"type": "uri_file", "path": "same.txt"},
        },
        task={
            "entry_script": "score.py",
            "append_row_to": ["${{outputs.scores}}", "${{outputs.notes}}"],
        },
    )
    assert job.exit == 2
    assert "same.txt" in job.text
    assert "give each its own path" in job.text


# C271
def test_the_header_of_a_table_stands_at_the_top_once(windrow: Windrow) -> None:
    job = run_file(windrow, FRAMES, append_row={"header": True})
    assert job.exit == 0, job
    rows = lines(windrow.folder / "out/parallel_run_step.txt")
    assert rows[0] == "name n"
    assert len(rows) == 6
    assert rows.count("name n") == 1


# C272
def test_an_existing_result_is_refused_unless_it_is_to_be_replaced(windrow: Windrow) -> None:
    target = windrow.folder / "out/parallel_run_step.txt"
    target.parent.mkdir()
    target.write_text("precious\n")
    job = run_file(windrow, FRAMES)
    assert job.exit == 2, job
    assert "--set output_exists=overwrite (output_exists: overwrite in a" in job.text
    assert target.read_text() == "precious\n"
    job = run_file(windrow, FRAMES, output_exists="overwrite")
    assert job.exit == 0, job
    assert len(lines(target)) == 5
