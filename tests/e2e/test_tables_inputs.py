# SPDX-License-Identifier: Apache-2.0
"""Where the files of tables come from: folders, globs, MLTable files, several inputs."""

from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest
from table_bench import ROWS, VALUES, csv, numbers, put, run_inputs, run_table, sizes, table_of
from workbench import Windrow

MLTABLE = {"data": {"type": "mltable", "path": "in", "mode": "direct"}}


def mltable(windrow: Windrow, paths: list[str], step: str) -> None:
    lines = "".join(f"  - {path}\n" for path in paths)
    put(windrow, "MLTable", f"type: mltable\npaths:\n{lines}transformations:\n  - {step}\n")


# C684
@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("file: ./nowhere.csv", "there is no input '{}/nowhere.csv'\n"),
        ("pattern: ./*.nope", "the glob '{}/*.nope' matches no file ("),
        ("pattern: './[ab.csv'", "the glob '{}/[ab.csv' matches no file ("),
    ],
)
def test_paths_of_an_mltable_file_that_are_not_there_are_told(
    windrow: Windrow, path: str, message: str
) -> None:
    put(windrow, "a.csv", "n\n1\n")
    mltable(windrow, [path], "read_delimited: {delimiter: ','}")
    job = run_inputs(windrow, VALUES, MLTABLE)
    assert job.exit == 2
    assert job.text.startswith("windrow: " + message.format(windrow.folder / "in"))


# C684
@pytest.mark.parametrize("step", ["read_parquet", "read_json_lines"])
def test_an_mltable_file_reads_folders_and_several_paths(windrow: Windrow, step: str) -> None:
    parquet = step == "read_parquet"
    ending = "parquet" if parquet else "jsonl"
    for i, name in enumerate(("deep/a", "deep/b", "c")):
        path = put(windrow, f"{name}.{ending}", "")
        if parquet:
            pq.write_table(table_of(20, 20 * i), path)
        else:
            path.write_text("".join(f'{{"n": {n}}}\n' for n in range(20 * i, 20 * i + 20)))
    put(windrow, f"other.{ending}", "is not named, so it is not read")
    mltable(windrow, ["folder: ./deep", f"file: ./c.{ending}"], f"{step}: {{}}")
    job = run_inputs(windrow, ROWS, MLTABLE)
    assert job.exit == 0, job
    assert numbers(job) == list(range(60))
    assert sizes(job) == [20, 20, 20]


# C670 C153
def test_a_glob_takes_the_tables_among_other_files(windrow: Windrow) -> None:
    for i, name in enumerate(("a", "b")):
        pq.write_table(table_of(10, 10 * i), put(windrow, f"{name}.parquet", b""))
    put(windrow, "notes.txt", "no table")
    job = run_table(windrow, ROWS, input="in/*.parquet", workers=1)
    assert job.exit == 0, job
    assert numbers(job) == list(range(20))


# C16 C670
def test_a_csv_file_is_a_file_where_that_is_said(windrow: Windrow) -> None:
    path = put(windrow, "a.csv", csv(0, 10))
    job = windrow.run("def run(files):\n    return files\n", "--as", "files", input="in/a.csv")
    assert job.exit == 0, job
    assert job.rows() == [str(path)]


TWO = {"a": {"path": "first"}, "b": {"path": "second"}}


# C150 C671
def test_several_tables_are_taken_one_after_another_and_never_mixed(windrow: Windrow) -> None:
    put(windrow, "a.csv", csv(0, 7), "first")
    put(windrow, "b.csv", csv(7, 9), "first")
    put(windrow, "a.csv", csv(9, 14), "second")
    job = run_inputs(windrow, ROWS, TWO, input_as="table", mini_batch_size="4 rows")
    assert job.exit == 0, job
    assert numbers(job) == list(range(14))
    assert sizes(job) == [4, 3, 2, 4, 1]


# C674
def test_a_table_of_other_columns_behind_the_first_is_told(windrow: Windrow) -> None:
    first = put(windrow, "a.csv", csv(0, 7), "first")
    second = put(windrow, "a.csv", "n,other\n7,x\n", "second")
    job = run_inputs(windrow, ROWS, TWO, input_as="table", retry_settings={"max_retries": 0})
    assert job.exit == 0, job
    assert numbers(job) == list(range(7))
    (letter,) = job.failed_items()
    assert letter["error_message"].startswith(
        f"{second}: the header has the columns 'n', 'other', and that of {first} 'n', 'text'; set"
        " header: all_files_different_headers to go by their names"
    )


# C684
def test_an_mltable_beside_a_folder_is_refused(windrow: Windrow) -> None:
    put(windrow, "a.csv", csv(0, 7))
    put(windrow, "a.csv", csv(7, 9), "first")
    mltable(windrow, ["file: ./a.csv"], "read_delimited: {delimiter: ','}")
    folder = {"a": {"path": "first"}}
    for inputs, odd in ((folder | MLTABLE, "data"), (MLTABLE | folder, "a")):
        job = run_inputs(windrow, ROWS, inputs, input_as="table")
        assert job.exit == 2
        assert f"are of one kind: {odd} is read in another way than those before it" in job.text


# C684
def test_several_mltables_that_are_read_alike_are_one_table(windrow: Windrow) -> None:
    inputs = {}
    for i, name in enumerate(("x", "y", "z")):
        put(windrow, "a.csv", csv(3 * i, 3 * i + 3), name)
        put(
            windrow,
            "MLTable",
            (
                "type: mltable\npaths:\n  - file: ./a.csv\n"
                "transformations:\n  - read_delimited: {delimiter: ','}\n"
            ),
            name,
        )
        inputs[name] = {"type": "mltable", "path": name, "mode": "direct"}
    job = run_inputs(windrow, ROWS, inputs)
    assert job.exit == 0, job
    assert numbers(job) == list(range(9))


# C670
def test_all_inputs_together_decide_the_types(windrow: Windrow) -> None:
    """The first one has no row."""
    inputs = {}
    for name, text in {"x": "n,text\n", "y": csv(0, 3), "z": "n,text\n2.5,x\n"}.items():
        put(windrow, "a.csv", text, name)
        inputs[name] = {"type": "uri_folder", "path": name}
    script = "def run(frame):\n    return [f'{n} {frame[\"n\"].dtype}' for n in frame['n']]\n"
    job = run_inputs(windrow, script, inputs, "--set", "input_as=table")
    assert job.exit == 0, job
    assert job.rows() == ["0.0 float64", "1.0 float64", "2.0 float64", "2.5 float64"]


# C679
def test_files_with_other_delimiters_are_told(windrow: Windrow) -> None:
    put(windrow, "a.csv", csv(0, 7))
    put(windrow, "b.tsv", "n\ttext\n")
    job = run_table(windrow, ROWS)
    assert job.exit == 2
    assert "--set inputs.data.ignore='b.tsv', or make two jobs of them" in job.text


# C670
def test_quotes_may_be_characters(windrow: Windrow) -> None:
    put(windrow, "a.csv", 'n,text\n1,"x\n2,y"\n')
    job = run_table(windrow, VALUES, retries=0)
    assert "--set table.quotes=false makes quotes ordinary characters" in job.text
    job = run_table(windrow, VALUES, "--set", "table.quotes=false", output="plain")
    assert job.exit == 0, job
    assert job.rows() == ['1 "x', '2 y"']


# C679
def test_files_of_two_kinds_are_told(windrow: Windrow) -> None:
    one = put(windrow, "a.csv", csv(0, 7))
    other = put(windrow, "b.parquet", b"")
    job = run_table(windrow, ROWS)
    assert job.exit == 2
    assert f"by their names '{one}' and '{other}' are not tables of one kind; leave" in job.text
    assert "--set inputs.data.ignore='b.parquet', or set their format with --set" in job.text


# C51 C670
def test_the_report_names_file_and_range_of_a_mini_batch(windrow: Windrow) -> None:
    put(windrow, "a.csv", csv(0, 5))
    job = run_table(windrow, ROWS, "--mini-batch-size", "3 rows", workers=1)
    details = [json.loads(one["Mini-batch Detail"]) for one in job.attempts()]
    assert {one["root"] for one in details} == {str(windrow.folder / "in")}
    head = len("n,text\n") + 3 * len("0,\n")  # bytes; from row 0 on, three rows
    assert details[0]["minibatch"] == [f"a.csv@0+{head}#0*3"]
    assert details[1]["minibatch"] == [f"a.csv@{head}+6#3*2"]


# C683
def test_folders_that_make_no_column_are_told(windrow: Windrow) -> None:
    put(windrow, "year=2026/land=at/a.csv", csv(0, 3))
    said = "the frames have no column for folders called {}=...: --set inputs.data.partition_f"
    plain = run_table(windrow, ROWS)
    assert plain.text.count(said.format("year")) == 1
    keys = run_table(windrow, ROWS, "--set", "partition_keys=year", output="keys")
    assert keys.text.count(said.format("land")) == 1
    both = run_table(windrow, ROWS, "--set", "partition_keys=year,land", output="both")
    assert "the frames have no column" not in both.text
    form = "inputs.data.partition_format=/year={y}/land={l}/{f}"
    form_job = run_table(windrow, ROWS, "--set", form, output="form")
    assert "the frames have no column" not in form_job.text


# C671
def test_a_few_bytes_are_told(windrow: Windrow) -> None:
    put(windrow, "a.csv", csv(0, 3))
    said = "--mini-batch-size: counts bytes of a table; '2 rows' counts rows"
    assert said in run_table(windrow, ROWS, "--mini-batch-size", "2").text
    for size in ("2 rows", "1000", "2b"):
        job = run_table(windrow, ROWS, "--mini-batch-size", size, output=size)
        assert "counts bytes of a table" not in job.text
