# SPDX-License-Identifier: Apache-2.0
"""The package that stands in for mltable."""

from __future__ import annotations

import ast
import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tables_oracle.table_files import dtypes, rows
from windrow.tables.errors import TableError

COMPAT = Path(__file__).parents[1] / "compat"
ORACLE = os.environ.get("WINDROW_MLTABLE_PYTHON", "")
COMPARE = Path(__file__).parent / "tables_oracle/compare_package.py"
PROGRAM = os.environ.get("WINDROW_PROGRAM") or shutil.which("windrow") or ""


@pytest.fixture
def mltable(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(COMPAT))
    import mltable

    assert str(COMPAT) in str(mltable.__file__)
    yield mltable
    for name in [name for name in sys.modules if name.split(".")[0] == "mltable"]:
        del sys.modules[name]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "b.csv").write_text("n,k\n5,x\n6,y\n")
    (tmp_path / "a.csv").write_text("n,k\n7,x\n8,y\n9,z\n")
    return tmp_path


# What the engine writes of an MLTable file, but for the paths.
DESCRIPTION = {
    "format": "delimited",
    "delimiter": ",",
    "header": "all_files_same_headers",
    "encoding": "utf8",
    "infer_column_types": True,
    "inference": '{"column_type_overrides": [{"columns": ["k"], "column_type": "string"}]}',
    "empty_as_string": False,
    "support_multi_line": False,
    "include_path_column": False,
    "comment": "",
    "skip_lines": 0,
    "ragged": "error",
    "invalid_lines": "error",
    "types": "mltable",
    "mixed_types": False,
    "partition_format": "",
    "partition_first": True,
    "partition_hive": [],
    "transformations": ['{"filter": "n > 5"}'],
}


def program(folder: Path, text: str) -> str:
    """A program that stands in for windrow."""
    path = folder / "windrow"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def described(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [str(folder / "a.csv"), str(folder / "b.csv")]
    stretches = [f"{file}@0+0#0*0" for file in files]
    answer = folder / "answer.json"
    known = {"files": files[:1], "stretches": stretches}  # of many files the first ones are named
    answer.write_text(json.dumps({**DESCRIPTION, **known}))
    text = f'[ "$1 $2" = "describe-table {folder}" ] || exit 9\ncat {answer}'
    monkeypatch.setenv("WINDROW_PROGRAM", program(folder, text))


def test_a_table_is_loaded_as_the_engine_describes_it(
    mltable: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    described(folder, monkeypatch)
    for uri in (str(folder), folder, f"file://{folder}", f"{folder}/"):
        table = mltable.load(uri)
        assert rows(table.to_pandas_dataframe()) == [[7, "x"], [8, "y"], [9, "z"], [6, "y"]]
    assert table.paths == [{"file": f"{folder}/a.csv"}, {"file": f"{folder}/b.csv"}]
    assert rows(table.skip(2).take(2).to_pandas_dataframe()) == [[9, "z"], [6, "y"]]
    monkeypatch.delenv("WINDROW_PROGRAM")
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    assert len(mltable.load(str(folder)).show(2)) == 2


def test_what_the_engine_refuses_is_told(
    mltable: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stub = program(folder, "echo 'MLTable:3: no such step' >&2; exit 2")
    monkeypatch.setenv("WINDROW_PROGRAM", stub)
    with pytest.raises(ValueError, match=r"^MLTable:3: no such step$"):
        mltable.load(str(folder))
    monkeypatch.delenv("WINDROW_PROGRAM")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(RuntimeError, match="WINDROW_PROGRAM"):
        mltable.load(str(folder))


def test_tables_are_made_of_files(mltable: Any, folder: Path) -> None:
    both = [[7, "x"], [8, "y"], [9, "z"], [5, "x"], [6, "y"]]
    (folder / "sub").mkdir()
    os.rename(folder / "b.csv", folder / "sub/b.csv")
    for path in ({"folder": str(folder)}, {"pattern": f"{folder}/**/*.csv"}):
        frame = mltable.from_delimited_files([path]).to_pandas_dataframe()
        assert rows(frame) == both
    one = mltable.from_delimited_files([{"file": f"file://{folder}/sub/b.csv"}])
    assert rows(one.to_pandas_dataframe()) == both[3:]
    (folder / "a.jsonl").write_text('{"n": 5}\nnonsense\n')
    lines = mltable.from_json_lines_files([{"file": f"{folder}/a.jsonl"}], invalid_lines="drop")
    assert rows(lines.to_pandas_dataframe()) == [[5]]
    one.to_pandas_dataframe().to_parquet(folder / "a.parquet")
    stored = mltable.from_parquet_files([{"pattern": f"{folder}/*.parquet"}])
    assert rows(stored.to_pandas_dataframe()) == both[3:]
    assert len(mltable.from_parquet_files([]).to_pandas_dataframe()) == 0


def test_transformations_make_new_tables(mltable: Any, folder: Path) -> None:
    table = mltable.from_delimited_files([{"folder": str(folder)}])
    kept = table.filter('k != "y"').drop_columns({"k"})
    assert rows(kept.to_pandas_dataframe()) == [[7], [9], [5]]
    assert len(table.to_pandas_dataframe()) == 5
    typed = table.convert_column_types({("n", "k"): mltable.DataType.to_string()})
    assert dtypes(typed.to_pandas_dataframe()) == {"n": "text", "k": "text"}
    sample = table.take_random_sample(0.5)
    assert rows(sample.to_pandas_dataframe()) == rows(sample.to_pandas_dataframe())
    table.validate()
    with pytest.raises(RuntimeError, match="has no rows"):
        table.filter("n > 100").validate()
    with pytest.raises(RuntimeError, match=r"cannot be read: .*no column 'q'"):
        table.filter("q > 100").validate()


def test_what_makes_no_sense_is_told_at_once(mltable: Any, folder: Path) -> None:
    table = mltable.from_delimited_files([{"folder": str(folder)}])
    for wrong in (lambda: table.take(0), lambda: table.skip(1.5), lambda: table.show(True)):
        with pytest.raises(ValueError, match="is not a number of rows"):
            wrong()
    with pytest.raises(ValueError, match="between 0 and 1"):
        table.take_random_sample(2)
    with pytest.raises(TableError, match=r"^filter"):
        table.filter("n >")
    with pytest.raises(FileNotFoundError, match=r"none\.csv: no such file"):
        mltable.from_delimited_files([{"file": "none.csv"}])
    for path in ("a.csv", {"fold": "x"}, {}):
        with pytest.raises(ValueError, match="is not one of"):
            mltable.from_delimited_files([path])


def test_the_rest_of_the_public_package_says_what_is_there(mltable: Any, folder: Path) -> None:
    table = mltable.from_delimited_files([{"folder": str(folder)}])
    for absent in (
        lambda: table.random_split(),
        lambda: table.save("x"),
        lambda: table.get_partition_count(),
        lambda: table.select_partitions([1]),
        lambda: table.partition_keys,
        lambda: mltable.from_delta_lake("x"),
        lambda: mltable.DataType.to_stream(),
        lambda: mltable.load("azureml:thing:1"),
        lambda: mltable.load("azureml://datastores/x"),
        lambda: mltable.load(str(folder), storage_options={}),
    ):
        with pytest.raises(NotImplementedError, match=r"from_parquet_files.*to_pandas_dataframe"):
            absent()


def test_it_is_written_in_the_oldest_python_that_scripts_run_on() -> None:
    for path in COMPAT.rglob("*.py"):
        ast.parse(path.read_text("utf-8"), str(path), feature_version=(3, 7))


def _describes() -> bool:
    if not PROGRAM:
        return False
    command = [PROGRAM, "describe-table", "--help"]
    return subprocess.run(command, capture_output=True).returncode == 0


@pytest.mark.skipif(not _describes(), reason="there is no windrow with describe-table")
def test_the_engine_reads_mltable_files(mltable: Any, folder: Path) -> None:
    (folder / "MLTable").write_text(
        "type: mltable\npaths:\n  - pattern: ./*.csv\ntransformations:\n"
        "  - read_delimited: {delimiter: ',', encoding: utf8}\n  - filter: col('n') > 5\n"
    )
    frame = mltable.load(str(folder)).take(3).to_pandas_dataframe()
    assert rows(frame) == [[7, "x"], [8, "y"], [9, "z"]]
    (folder / "MLTable").write_text("type: mltable\npaths: 5\n")
    with pytest.raises(ValueError, match="paths"):
        mltable.load(str(folder))


# C963
def test_a_table_without_a_read_step_has_the_paths_of_its_files(
    mltable: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = folder / "answer.json"
    files = [f"{folder}/{name}" for name in ("a/1.png", "a/2.png", "b/3.png")]
    steps = ['{"skip": 1}', "{\"filter\": \"col('Path') > ''\"}"]
    answer.write_text(json.dumps({"paths": files, "transformations": steps}))
    monkeypatch.setenv("WINDROW_PROGRAM", program(folder, f"cat {answer}"))
    table = mltable.load(str(folder))
    frame = table.to_pandas_dataframe()
    assert list(frame.columns) == ["Path"]
    assert rows(frame) == [[files[1]], [files[2]]]
    assert table.paths == [{"file": name} for name in files]
    assert rows(table.take(1).to_pandas_dataframe()) == [[files[1]]]
    assert rows(table.show(1)) == [[files[1]]]
    named = table.extract_columns_from_partition_format("/{kind}/{name}.png")
    assert rows(named.to_pandas_dataframe()) == [[files[1], "a", "2"], [files[2], "b", "3"]]
    with pytest.raises(ValueError, match="take"):
        table.take(0)
    answer.write_text(json.dumps({"paths": [], "transformations": []}))
    assert rows(mltable.load(str(folder)).to_pandas_dataframe()) == []


# C963
def test_a_table_is_made_of_paths(mltable: Any, folder: Path) -> None:
    table = mltable.from_paths([{"pattern": f"{folder}/*.csv"}])
    assert rows(table.to_pandas_dataframe()) == [[f"{folder}/a.csv"], [f"{folder}/b.csv"]]


@pytest.mark.skipif(not ORACLE, reason="WINDROW_MLTABLE_PYTHON names no Python with mltable")
def test_it_gives_what_the_public_package_gives(tmp_path: Path) -> None:
    files, result = tmp_path / "files", tmp_path / "result.jsonl"
    files.mkdir()
    command = [ORACLE, str(COMPARE), str(files), str(result)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr[-2000:]
    outcomes = [json.loads(line) for line in result.read_text("utf-8").splitlines()]
    assert len(outcomes) > 50
    assert [outcome for outcome in outcomes if outcome[1]] == []
