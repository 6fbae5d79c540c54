# SPDX-License-Identifier: Apache-2.0
"""Missing values in Parquet and Arrow files, and what they make of the types of their columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tables_oracle.arrow_files import FORMS, made
from tables_oracle.table_files import Table, dtypes
from windrow.tables.frames import reader_of
from windrow.tables.reader import TableError
from windrow.tables.to_arrow import ArrowTables

pyarrow = pytest.importorskip("pyarrow")


def test_one_null_makes_a_column_float_in_every_row_group(tmp_path: Path) -> None:
    content = pyarrow.table({"n": [1, 2, 3, None], "b": [True, True, None, False], "m": [1] * 4})
    table = made(tmp_path, content, row_group_size=1)
    path = table.description["files"][0]
    reader = table.reader()
    for row in range(4):
        frame = reader.frame([f"{path}@{row}+1#{row}*1"])
        assert list(map(str, frame.dtypes)) == ["float64", "object", "int64"]
    plain = made(tmp_path, content, row_group_size=1, write_statistics=False)
    assert dtypes(plain.frame()) == {"n": "float64", "b": "object", "m": "float64"}
    required = pyarrow.schema([pyarrow.field("m", pyarrow.int64(), nullable=False)])
    strict = pyarrow.table({"m": [1]}, schema=required)
    assert dtypes(made(tmp_path, strict, write_statistics=False).frame()) == {"m": "int64"}


@pytest.mark.parametrize("form", ["file", "stream", "packed"])
def test_one_null_makes_a_column_float_in_every_record_batch(tmp_path: Path, form: str) -> None:
    below = pyarrow.struct([("p", pyarrow.int64()), ("q", pyarrow.list_(pyarrow.string()))])
    last = {"p": None, "q": [None]}
    content = pyarrow.table(
        {
            "s": pyarrow.array([{"p": 1, "q": ["a"]}] * 5000 + [last], below),
            "m": pyarrow.array([[("a", 1)]] * 5001, pyarrow.map_("string", "int64")),
            "d": pyarrow.array([*["a"] * 5000, None]).dictionary_encode(),
            "f": pyarrow.array([[1, None]] * 5001, pyarrow.list_(pyarrow.int64(), 2)),
            "n": [1] * 5000 + [None],
            "b": [None] + [True] * 5000,
            "k": [1] * 5001,
        }
    )
    table = made(tmp_path, content, form=form)
    path = table.description["files"][0]
    reader = table.reader()
    for row in (0, 2500, 4999):
        types = dtypes(reader.frame([f"{path}@{row}+2#{row}*2"]))
        assert (types["n"], types["b"], types["k"]) == ("float64", "object", "int64")


@pytest.mark.parametrize("packed", ["uncompressed", "zstd"])
def test_nulls_are_counted_in_what_polars_wrote(tmp_path: Path, packed: Any) -> None:
    polars = pytest.importorskip("polars")
    table = Table(tmp_path, format="arrow")
    path = table.add("a.arrow", b"")
    frame = polars.DataFrame({"s": ["a"] * 1000, "n": [1] * 999 + [None], "k": [1] * 1000})
    frame.write_ipc(path, compression=packed)
    found = table.reader().frame([f"{path}@0+2#0*2"])
    assert dtypes(found) == {"s": "text", "n": "float64", "k": "int64"}


@pytest.mark.parametrize("form", FORMS)
def test_a_null_in_a_second_file_counts_too(tmp_path: Path, form: str) -> None:
    table = made(tmp_path, pyarrow.table({"n": [1]}), pyarrow.table({"n": [1, None]}), form=form)
    for name in table.names():
        assert dtypes(table.reader().frame([name])) == {"n": "float64"}


@pytest.mark.parametrize("form", FORMS)
def test_a_null_in_a_later_file_is_told(tmp_path: Path, form: str) -> None:
    table = made(tmp_path, pyarrow.table({"n": [1]}), pyarrow.table({"n": [1, None]}), form=form)
    table.description["files"], later = table.description["files"][:1], table.names()[1]
    with pytest.raises(TableError, match=r"1\.\w+, column 'n': missing values.*0\.\w+, which dec"):
        table.reader().frame([later])


@pytest.mark.parametrize(("values", "type_"), [([1, None], "float64"), ([True, None], "text")])
def test_it_is_told_what_to_make_of_the_column(tmp_path: Path, values: Any, type_: str) -> None:
    table = made(tmp_path, *(pyarrow.table({"n": part}) for part in (values[:1], values)))
    table.description["files"], later = table.description["files"][:1], table.names()[1]
    with pytest.raises(TableError, match=f"convert the column to {type_} in the files, ask for fr"):
        table.reader().frame([later])


@pytest.mark.parametrize("steps", [[], [{"filter": "k > 0"}]])
@pytest.mark.parametrize("form", FORMS)
def test_frames_that_hold_missing_integers_take_late_ones(
    tmp_path: Path, form: str, steps: list[Any]
) -> None:
    large = (1 << 53) + 1
    rows = {"n": [large] * 300 + [None], "b": [True] * 300 + [None], "k": [1] * 301}
    first = pyarrow.table({"n": [1], "b": [False], "k": [1]})
    table = made(tmp_path, first, pyarrow.table(rows), form=form)
    table.description.update(
        frame="pyarrow", transformations=steps, files=table.description["files"][:1]
    )
    path = f"{tmp_path}/1.{form}"
    reader = ArrowTables(table.description)
    late, early = (
        reader.whole([f"{path}@299+2#0*0"]),
        reader.whole([f"{tmp_path}/0.{form}@0+0#0*0"]),
    )
    assert late.to_pydict() == {"n": [large, None], "b": [True, None], "k": [1, 1]}
    assert list(map(str, late.schema.types)) == ["int64", "bool", "int64"]
    assert early.schema == late.schema


@pytest.mark.parametrize("frame", ["pyarrow", "polars"])
def test_categories_may_be_more_than_the_first_rows_have(tmp_path: Path, frame: str) -> None:
    pytest.importorskip(frame)
    texts = [f"text {i % 300 if i > 1000 else 0}" for i in range(20000)]
    parts = [pyarrow.array(texts[i : i + 1000]).dictionary_encode() for i in range(0, 20000, 1000)]
    content = pyarrow.table({"t": pyarrow.chunked_array(parts), "n": list(range(20000))})
    table = made(tmp_path, content, dictionary_pagesize_limit=500)
    table.description.update(frame=frame, transformations=[{"filter": "n > 2"}])
    found = reader_of(table.description)[1](table.names())
    assert (found["t"].to_pylist() if frame == "pyarrow" else found["t"].to_list()) == texts[3:]
