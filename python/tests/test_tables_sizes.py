# SPDX-License-Identifier: Apache-2.0
"""Tables with one thing that is very large: a field, the number of columns, a row group."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from tables_oracle.engines import ENGINES, Engines
from tables_oracle.table_files import Table, rows, table

FIELD = 100_000_000
COLUMNS = 10_000

HEAD = "".join(f"{i},x\n" for i in range(5, 305))
NAMES = ",".join(f"name{i}" for i in range(COLUMNS)) + "\n"
WIDE = ",".join(str(i + 5) for i in range(COLUMNS)) + "\n"


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> Engines:
    return Engines(monkeypatch)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("first", [True, False])
def test_a_field_of_100_mb_is_a_field(
    tmp_path: Path, engines: Engines, engine: str, first: bool
) -> None:
    engines.use(engine)
    field = "x" * (FIELD - 4) + ', ""'
    made = table(tmp_path, f'a,b\n{"" if first else HEAD}400,"{field}"\n401,y\n')
    frame = made.frame()
    assert len(frame) == (2 if first else 302)
    assert frame["a"].tolist()[-2:] == [400, 401]
    assert frame["b"].iloc[-2] == field.replace('""', '"')
    assert frame["b"].iloc[-1] == "y"


@pytest.mark.parametrize("engine", ENGINES)
def test_a_misfit_beside_a_field_of_100_mb_is_told(
    tmp_path: Path, engines: Engines, engine: str
) -> None:
    engines.use(engine)
    said = table(tmp_path, f'a,b\n{HEAD}oops,"{"x" * FIELD}"\n401,y\n').error()
    assert said.startswith("data.csv line 302, column 'a': 'oops' does not fit int64, the type")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_misfit_of_100_mb_is_shortened(tmp_path: Path, engines: Engines, engine: str) -> None:
    engines.use(engine)
    said = table(tmp_path, f'a,b\n{HEAD}"{"x" * FIELD}",y\n').error()
    assert said.startswith(f"data.csv line 302, column 'a': '{'x' * 79}... does not fit int64")
    assert len(said) < 400


def test_json_lines_may_be_100_mb_long(tmp_path: Path) -> None:
    made = Table(tmp_path, format="json_lines")
    made.add("data.jsonl", f'{{"a": 1, "b": "{"x" * FIELD}"}}\n{{"a": 2, "b": "y"}}\n')
    frame = made.frame()
    assert (frame["a"].tolist(), [len(text) for text in frame["b"]]) == ([1, 2], [FIELD, 1])


@pytest.mark.parametrize("engine", ENGINES)
def test_there_may_be_10000_columns(tmp_path: Path, engines: Engines, engine: str) -> None:
    engines.use(engine)
    frame = table(tmp_path, NAMES + WIDE * 3).frame()
    assert rows(frame) == [list(range(5, COLUMNS + 5))] * 3
    assert list(frame.columns)[-1] == "name9999"


@pytest.mark.parametrize("engine", ENGINES)
def test_a_row_that_lacks_some_of_10000_columns_is_told(
    tmp_path: Path, engines: Engines, engine: str
) -> None:
    engines.use(engine)
    short = WIDE.rpartition(",")[0] + "\n"
    said = table(tmp_path, NAMES + WIDE * 2 + short).error()
    assert said.startswith("data.csv line 4: 9999 fields where the table has 10000 columns; set")
    assert len(said) < 300
    steps = [{"keep_columns": ["nme5"]}]
    said = table(tmp_path, NAMES + WIDE, transformations=steps).error()
    assert said.endswith("'name18', 'name19' and 9980 more")


def test_parquet_files_may_have_10000_columns(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    values = {f"name{i}": pyarrow.array([i, i + 1, i + 2]) for i in range(COLUMNS)}
    whole = pyarrow.table(values)
    made = Table(tmp_path, format="parquet")
    made.add("1.parquet", parquet_bytes(whole))
    made.add("2.parquet", parquet_bytes(whole))
    frame = made.frame()
    assert frame.shape == (6, COLUMNS)
    assert frame["name9999"].tolist() == [9999, 10000, 10001] * 2
    made.description["files"].pop()
    made.add("3.parquet", parquet_bytes(whole.drop_columns(["name9999"])))
    assert made.error() == (
        "3.parquet: no column 'name9999', which 1.parquet has; leave it out with keep_columns"
    )


def test_a_row_group_of_50_mb_is_read_by_rows(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    numbers = list(range(100_000))
    content = pyarrow.table({"n": numbers, "s": [f"{i:0500}" for i in numbers]})
    made = Table(tmp_path, format="parquet")
    options = {"row_group_size": len(numbers), "compression": "none", "use_dictionary": ["n"]}
    path = made.add("data.parquet", parquet_bytes(content, **options))
    assert Path(path).stat().st_size > 50_000_000
    reader = made.reader()
    found: list[int] = []
    for first in range(0, len(numbers), 1000):
        frame = reader.frame([f"{path}@{first}+1000#{first}*1000"])
        assert frame["s"].iloc[-1] == f"{first + 999:0500}"
        found += frame["n"].tolist()
    assert found == numbers


def parquet_bytes(content: Any, **options: Any) -> bytes:
    from pyarrow import parquet

    buffer = io.BytesIO()
    parquet.write_table(content, buffer, **options)
    return buffer.getvalue()
