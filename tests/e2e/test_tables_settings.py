# SPDX-License-Identifier: Apache-2.0
"""What a job says of its tables reaches the worker: how they are read, cut, counted and given."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from table_bench import ROWS, VALUES, csv, numbers, put, run_inputs, run_table, sizes, table_of
from workbench import Windrow


# C35 C670
def test_the_threshold_of_a_table_counts_rows(windrow: Windrow) -> None:
    put(windrow, "a.csv", csv(0, 10))
    script = "def run(frame):\n    return list(frame['n'][:7])\n"
    for threshold, code in ((2, 1), (3, 0)):
        settings = {"threshold": threshold, "output": f"out{threshold}", "workers": 1}
        job = run_table(windrow, script, "--new", **settings)
        assert job.exit == code, job
        assert ("Completed" if code == 0 else "Failed: 3 failed items are more than") in job.text


# C674
def test_mixed_types_are_text_in_every_mini_batch(windrow: Windrow) -> None:
    values = [*map(str, range(300)), "late"]
    put(windrow, "a.csv", "n\n" + "\n".join(values) + "\n")
    script = "def run(frame):\n    return [f'{n} {type(n).__name__}' for n in frame['n']]\n"
    mixed = ("--", "--amlbi_dataframe_mixed_types", "true")
    job = run_table(windrow, script, "--mini-batch-size", "100 rows", *mixed, retries=0, workers=1)
    assert job.exit == 0, job
    assert job.rows() == [f"{value} str" for value in values]
    assert sizes(job) == [100, 100, 100, 1]


HASH = "somebody made this\n#\na,b\n\xe9,2\n#3,4\n5\n6,7,8\n\xff,9\n"


# C670 C679
@pytest.mark.parametrize(
    ("settings", "name", "text", "rows"),
    [
        (
            "ragged=skip comment=# skip_lines=1 include_path_column=true encoding=latin1",
            *("a.csv", HASH, ["{} \xe9 2", "{} \xff 9"]),
        ),
        ("ragged=fill", "a.tab", "a\tb\nx,x\ty\nz\n", ["x,x y", "z nan"]),
        ("empty_as_string=true", "a.csv", "a,b\nx,\n,y\n", ["x ", " y"]),
        ("types=mltable", "a.tsv", "a\tb\n0\t2020-01-02\n", ["False 2020-01-02 00:00:00"]),
        ("invalid_lines=drop", "a.jsonl", '{"a": 1}\n{"a": \n{"a": 3}\n', ["1", "3"]),
    ],
)
def test_what_is_said_of_a_table_reaches_the_worker(
    windrow: Windrow, settings: str, name: str, text: str, rows: list[str]
) -> None:
    path = put(windrow, name, text.encode("latin1"))
    said = [word for one in settings.split() for word in ("--set", f"table.{one}")]
    job = run_table(windrow, VALUES, *said, workers=1, retries=0)
    assert job.exit == 0, job
    assert job.rows() == [row.format(path) for row in rows]


# C674
@pytest.mark.parametrize(
    ("settings", "name", "text", "left_out"),
    [
        ("ragged=skip", "a.csv", "a,b\n1,2\n3\n" + "4,5\n" * 300 + "6\n7,8,9\n", "3 rows were"),
        ("invalid_lines=drop", "a.jsonl", '{"a": 1}\n{"a": \n{"a": 3}\n', "1 row was"),
    ],
)
def test_rows_that_are_left_out_are_told_in_the_log(
    windrow: Windrow, settings: str, name: str, text: str, left_out: str
) -> None:
    path = put(windrow, name, text)
    script = "def run(frame):\n    return [len(frame)]\n"
    job = run_table(windrow, script, "--set", f"table.{settings}", workers=1, retries=0)
    assert job.exit == 0, job
    said = f"windrow: {path}, the mini-batch from byte 0 on: {left_out} left out"
    assert job.log("logs/user/stderr/0/process000.stderr.txt").count(said) == 1


# C674
def test_pieces_of_a_mini_batch_do_not_tell_again_what_was_left_out(windrow: Windrow) -> None:
    put(windrow, "a.csv", "a,b\n1,2\n3\n" + "4,5\n" * 20 + "7,8\n")
    script = "def run(frame):\n    assert (frame['a'] != 7).all()\n    return [1] * len(frame)\n"
    flags = ("--bisect", "--set", "table.ragged=skip")
    job = run_table(windrow, script, *flags, workers=1, retries=0)
    assert "items         21 succeeded, 1 failed" in job.text
    assert job.log("logs/user/stderr/0/process000.stderr.txt").count("1 row was left out") == 1


# C672 C673
@pytest.mark.parametrize("name", ["a.jsonl", "a.arrow"])
def test_json_lines_and_arrow_files_are_cut_by_rows(windrow: Windrow, name: str) -> None:
    path = put(windrow, name, "".join(f'{{"n": {n}}}\n\n' for n in range(1200)))
    if name == "a.arrow":
        table = table_of(1200)
        with pa.ipc.new_file(str(path), table.schema) as file:
            file.write_table(table, max_chunksize=700)
    job = run_table(windrow, ROWS, "--mini-batch-size", "500 rows", workers=1)
    assert job.exit == 0, job
    assert sizes(job) == [500, 500, 200]
    assert numbers(job) == list(range(1200))


# C672
def test_what_is_no_utf8_is_not_cut_by_rows(windrow: Windrow) -> None:
    put(windrow, "a.csv", csv(0, 10).encode("utf-16"))
    flags = ("--set", "table.encoding=utf16", "--mini-batch-size", "3 rows")
    job = run_table(windrow, ROWS, *flags)
    assert job.exit == 2
    assert "utf16 is not UTF-8, so it cannot be cut by rows: write the files in UTF-8" in job.text


# C689
@pytest.mark.parametrize("frame", ["pyarrow", "polars"])
def test_other_frames_come_through_the_engine(windrow: Windrow, frame: str) -> None:
    pytest.importorskip(frame)
    put(windrow, "a.csv", csv(0, 10, width=3))
    script = """
def run(frame):
    kind = f"{type(frame).__module__.split('.')[0]}.{type(frame).__name__}"
    rows = frame.to_pylist() if hasattr(frame, "to_pylist") else frame.to_dicts()
    return [f"{row['n']} {row['text']} {kind}" for row in rows]
"""
    flags = ("--set", f"frame={frame}", "--mini-batch-size", "4 rows")
    job = run_table(windrow, script, *flags, workers=1)
    assert job.exit == 0, job
    kind = {"pyarrow": "pyarrow.Table", "polars": "polars.DataFrame"}[frame]
    assert job.rows() == [f"{n} xxx {kind}" for n in range(10)]
    assert sizes(job) == [4, 4, 2]


# C112 C671
def test_a_v1_configuration_cuts_a_table_by_bytes(windrow: Windrow) -> None:
    put(windrow, "a.csv", csv(0, 100, width=97))
    windrow.script(ROWS)
    config = {
        "entry_script": "score.py",
        "error_threshold": 0,
        "output_action": "append_row",
        "compute_target_name": "cpu-cluster",
        "node_count": 1,
        "mini_batch_size": "1KB",
    }
    windrow.job_file({"parallel_run_config": config}, "prc.yml")
    result = windrow.folder / "out/parallel_run_step.txt"
    flags = ("--as", "table", "--input", "in", "--output", "out", "--workers", "1")
    job = windrow.command("run", "prc.yml", *flags, result=result)
    assert job.exit == 0, job
    assert numbers(job) == list(range(100))
    assert len(sizes(job)) == 10


# C270 C690
def test_two_outputs_are_two_tables(windrow: Windrow) -> None:
    put(windrow, "in.csv", csv(0, 10))
    script = """
def run(frame):
    return {"a": frame[["n"]], "b": frame[["n"]].assign(square=frame["n"] ** 2)}
"""
    outputs = {x: {"type": "uri_file", "path": f"out/{x}.parquet"} for x in "ab"}
    task = {
        "entry_script": "score.py",
        "append_row_to": ["${{outputs.a}}", "${{outputs.b}}"],
    }
    more: dict[str, Any] = {"outputs": outputs, "task": task, "mini_batch_size": "3 rows"}
    job = run_inputs(windrow, script, {"data": {"path": "in"}}, input_as="table", **more)
    assert job.exit == 0, job
    counted = list(range(10))
    squares = [n * n for n in counted]
    a, b = (pq.read_table(windrow.folder / f"out/{x}.parquet").to_pydict() for x in "ab")
    assert a == {"n": counted}
    assert b == {"n": counted, "square": squares}
