# SPDX-License-Identifier: Apache-2.0
"""Rows as one Parquet or Arrow file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest
from workbench import Job, Windrow, until

FRAMES = """
import pandas as pd

def run(files):
    numbers = [int(open(name).read()) for name in files]
    return pd.DataFrame({"number": numbers, "word": [f"w{n}" for n in numbers]})
"""


def table_of(path: Path) -> pa.Table:
    if path.suffix == ".parquet":
        return pq.read_table(path)
    return pa.ipc.open_file(path).read_all()


def numbered(windrow: Windrow, count: int) -> None:
    (windrow.folder / "in").mkdir()
    for number in range(count):
        (windrow.folder / "in" / f"{number:04}").write_text(str(number))


def run_into(windrow: Windrow, script: str, out: Path, *flags: str, **settings: Any) -> Job:
    return windrow.run(script, "--append-row-to", str(out), *flags, output=None, **settings)


# C690
@pytest.mark.parametrize("name", ["rows.parquet", "rows.arrow"])
def test_the_name_says_what_the_file_of_rows_is(windrow: Windrow, name: str) -> None:
    numbered(windrow, 50)
    out = windrow.folder / name
    job = run_into(windrow, FRAMES, out, size=7)
    assert job.exit == 0, job
    table = table_of(out)
    assert table.column("number").to_pylist() == list(range(50))
    assert table.column("word").to_pylist() == [f"w{n}" for n in range(50)]
    assert table.schema.field("number").type == pa.int64()
    assert "line break" not in job.text  # of the bytes of a table


# C690
def test_elements_without_names_have_columns_all_the_same(windrow: Windrow) -> None:
    numbered(windrow, 4)
    script = "def run(files):\n    return [{'a': 1, 'b': 'x'} for _ in files]\n"
    out = windrow.folder / "rows.bin"
    job = run_into(windrow, script, out, "--set", "append_row.format=parquet")
    assert job.exit == 0, job
    assert pq.read_table(out).to_pydict() == {"a": [1] * 4, "b": ["x"] * 4}


# C690
def test_a_kill_changes_nothing_of_the_file(windrow: Windrow) -> None:
    numbered(windrow, 60)
    begun = windrow.folder / "begun"
    mark = f"open({str(begun)!r}, 'a').write('x\\n')\n    import time; time.sleep(0.02)\n    "
    slow = FRAMES.replace("numbers =", mark + "numbers =")
    whole, torn = windrow.folder / "whole.parquet", windrow.folder / "torn.parquet"
    assert run_into(windrow, slow, whole, "--new", size=2).exit == 0
    begun.unlink()
    flags = ("--append-row-to", str(torn))
    running = windrow.start(slow, *flags, output=None, size=2, name="torn")
    until(lambda: windrow.count("begun") >= 8, "eight mini-batches begun")
    running.kill()
    assert windrow.run(slow, *flags, output=None, size=2, name="torn").exit == 0
    assert whole.read_bytes() == torn.read_bytes()


# C690
def test_a_retry_joins_its_rows_with_the_old_ones(windrow: Windrow) -> None:
    numbered(windrow, 10)
    broken = FRAMES.replace("return pd", "assert 4 not in numbers\n    return pd")
    run_into(windrow, broken, windrow.folder / "a.parquet", size=2, retries=0, name="first")
    windrow.script(FRAMES)
    job = windrow.command("retry", "first", "--append-row-to", str(windrow.folder / "b.parquet"))
    assert job.exit == 0, job
    assert pq.read_table(windrow.folder / "a.parquet").num_rows == 8
    assert pq.read_table(windrow.folder / "b.parquet").column("number").to_pylist() == list(
        range(10)
    )


# C690
def test_a_trial_at_the_terminal_makes_the_file_too(windrow: Windrow) -> None:
    numbered(windrow, 5)
    windrow.script(FRAMES)
    out = windrow.folder / "rows.parquet"
    flags = ("--input", "in", "--append-row-to", str(out), "--mini-batch-size", "2")
    job = windrow.command("run", "score.py", "--local", *flags)
    assert job.exit == 0, job
    assert pq.read_table(out).column("number").to_pylist() == list(range(5))
    assert sorted(path.name for path in windrow.folder.glob("rows*")) == ["rows.parquet"]


# C691
def test_types_become_the_wider_one(windrow: Windrow) -> None:
    numbered(windrow, 4)
    script = """
import pandas as pd

def run(files):
    number = int(open(files[0]).read())
    value = [1, 2.5, None, 7][number]
    return pd.DataFrame({"value": [value], "none": [None if number else "x"]})
"""
    out = windrow.folder / "rows.parquet"
    job = run_into(windrow, script, out, size=1)
    assert job.exit == 0, job
    assert pq.read_table(out).to_pydict() == {
        "value": [1.0, 2.5, None, 7.0],
        "none": ["x", None, None, None],
    }


# C691
def test_floats_that_are_all_missing_take_the_type_of_the_others(windrow: Windrow) -> None:
    numbered(windrow, 2)
    script = """
import pandas as pd

def run(files):
    number = int(open(files[0]).read())
    large, word = ((1 << 53) + 1, "x") if number else (float("nan"), float("nan"))
    return pd.DataFrame({"large": [large], "word": [word], "gone": [float("nan")]})
"""
    out = windrow.folder / "rows.parquet"
    job = run_into(windrow, script, out, size=1, workers=1)
    assert job.exit == 0, job
    assert pq.read_table(out).to_pydict() == {
        "large": [None, (1 << 53) + 1],
        "word": [None, "x"],
        "gone": [None, None],
    }
    assert pq.read_table(out).schema.field("gone").type == pa.float64()


# C690
def test_maps_of_a_table_come_back(windrow: Windrow) -> None:
    maps = pa.array([[("a", 1)], [], None, [("b", 2), ("c", 3)]], pa.map_(pa.string(), pa.int64()))
    (windrow.folder / "in").mkdir()
    pq.write_table(pa.table({"m": maps}), windrow.folder / "in" / "a.parquet", row_group_size=1)
    out = windrow.folder / "rows.parquet"
    script = "def run(frame):\n    return frame\n"
    job = run_into(windrow, script, out, "--as", "table", "--mini-batch-size", "1 rows")
    assert job.exit == 0, job
    assert pq.read_table(out).column("m").to_pylist() == maps.to_pylist()


# C691
@pytest.mark.parametrize("workers", [1, 2])
def test_a_job_whose_rows_make_no_file_has_failed_for_good(windrow: Windrow, workers: int) -> None:
    """Whichever worker had which mini-batch."""
    numbered(windrow, 4)
    script = """
import pandas as pd

def run(files):
    number = int(open(files[0]).read())
    return pd.DataFrame({"value": [number if number % 2 else "text"]})
"""
    out = windrow.folder / "rows.parquet"
    job = run_into(windrow, script, out, size=1, workers=workers)
    assert job.exit == 1
    assert "Failed: the rows cannot be merged: column 'value' is string in piece" in job.text
    assert "run the same command again" in job.text and "job resume" not in job.text
    said = windrow.command("explain", job.folder.name)
    assert "It cannot continue: fix the script, and start over." in said.text
    again = run_into(windrow, script.replace('"text"', "-1"), out, size=1, workers=2)
    assert again.exit == 0, again
    assert "has failed" not in again.text
    assert pq.read_table(out).to_pydict() == {"value": [-1, 1, -1, 3]}


# C690
def test_a_program_of_lines_makes_no_table(windrow: Windrow) -> None:
    numbered(windrow, 1)
    job = windrow.command(
        *("run", "cat", "--command-mode", "lines", "--input", "in"),
        *("--append-row-to", "rows.parquet"),
    )
    assert job.exit == 2
    assert "makes no parquet file" in job.text
