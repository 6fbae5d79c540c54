# SPDX-License-Identifier: Apache-2.0
"""Row groups of a Parquet file: which hold some rows, and text that is read by its dictionary."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from windrow.tables.parquet_file import ParquetFile

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def written(path: Path, *groups: Any, **options: Any) -> str:
    """A file with one row group for each table."""
    with parquet.ParquetWriter(path, groups[0].schema, **options) as writer:
        for group in groups:
            writer.write_table(group)
    return str(path)


def texts(values: list[str | None], kind: Any = None) -> Any:
    numbers = pyarrow.array(range(len(values)), pyarrow.int64())
    return pyarrow.table({"n": numbers, "t": pyarrow.array(values, kind or pyarrow.string())})


def test_row_groups_are_found_by_their_rows(tmp_path: Path) -> None:
    sizes = [3, 0, 1, 4]
    file = ParquetFile(written(tmp_path / "a", *(texts(["x"] * size) for size in sizes)))
    everything = [(0, 0, 3, True), (2, 0, 1, True), (3, 0, 4, True)]
    assert list(file.groups_of(0, 8)) == everything
    assert list(file.groups_of(0, 100)) == everything
    assert list(file.groups_of(1, 3)) == [(0, 1, 2, False), (2, 0, 1, True)]
    assert list(file.groups_of(3, 1)) == [(2, 0, 1, True)]
    assert list(file.groups_of(5, 2)) == [(3, 1, 2, False)]
    assert list(file.groups_of(8, 1)) == []
    assert list(file.groups_of(2, 0)) == []


def test_the_first_rows_come_from_as_many_groups_as_are_needed(tmp_path: Path) -> None:
    path = written(tmp_path / "a", texts(["a"]), texts([]), texts(["b", "c"]), texts(["d"]))
    file = ParquetFile(path)
    assert file.first(3, ["t"]).to_pydict() == {"t": ["a", "b", "c"]}
    assert file.first(2, ["t", "n"]).to_pydict() == {"t": ["a", "b"], "n": [0, 0]}
    assert file.first(200, ["t"]).num_rows == 4
    empty = ParquetFile(written(tmp_path / "b", texts([])))
    assert empty.first(200, ["t"]).to_pydict() == {"t": []}


REPEATED = ["meadow", "", "grün", "a" * 300] * 2000
DIFFERENT = [f"text {i}" for i in range(8000)]


@pytest.mark.parametrize("kind", [pyarrow.string(), pyarrow.large_string()])
@pytest.mark.parametrize(
    ("values", "options", "by_dictionary"),
    [
        (REPEATED, {}, True),
        (REPEATED, {"version": "1.0", "data_page_version": "2.0", "compression": "zstd"}, True),
        (REPEATED, {"write_statistics": False}, False),
        (REPEATED, {"use_dictionary": False}, False),
        (DIFFERENT, {}, False),
        (DIFFERENT, {"dictionary_pagesize_limit": 100}, False),
        ([*REPEATED, None], {}, False),
        ([None] * 10, {}, False),
    ],
)
def test_text_is_the_same_by_whichever_way(
    tmp_path: Path, values: Any, kind: Any, options: Any, by_dictionary: bool
) -> None:
    path = written(tmp_path / "a", texts(values, kind), **options)
    file = ParquetFile(path)
    for names in (["t"], ["n", "t"], ["t", "n"], ["n"]):
        found = file.row_group(0, names)
        assert found.equals(parquet.read_table(path).select(names))
        found.validate(full=True)
    assert (file._dictionaries is not None) == by_dictionary


def test_each_row_group_is_looked_at(tmp_path: Path) -> None:
    groups = [texts(REPEATED), texts(DIFFERENT), texts([None, *REPEATED]), texts(REPEATED)]
    file = ParquetFile(written(tmp_path / "a", *groups))
    asked: list[int] = []
    read = file._by_dictionaries
    file._by_dictionaries = lambda number, *rest: asked.append(number) or read(number, *rest)
    for number, group in enumerate(groups):
        assert file.row_group(number, ["n", "t"]).equals(group)
    assert asked == [0, 3]


def test_what_dictionaries_cannot_hold_is_read_as_text(tmp_path: Path) -> None:
    file = ParquetFile(written(tmp_path / "a", texts(REPEATED)))

    def too_much(*_: Any) -> Any:
        raise pyarrow.ArrowInvalid("offset overflow while concatenating arrays")

    file._by_dictionaries = too_much
    assert file.row_group(0, ["t"]).column(0).to_pylist() == REPEATED


@pytest.mark.parametrize("turned", [False, True])
def test_a_column_and_a_field_of_one_name_are_both_looked_at(tmp_path: Path, turned: bool) -> None:
    texts = pyarrow.array([{"b": 1, "t": "x"}] * 8000)
    columns = {"a.b": [1, None] * 4000, "a": texts, "a.t": REPEATED}
    table = pyarrow.table(dict(reversed(columns.items())) if turned else columns)
    file = ParquetFile(written(tmp_path / "a", table))
    assert file.columns_with_nulls() == {"a.b"}
    assert file.row_group(0, ["a.t", "a"]).equals(table.select(["a.t", "a"]))


def test_columns_that_are_dictionaries_stay_so(tmp_path: Path) -> None:
    column = pyarrow.array(REPEATED).dictionary_encode()
    file = ParquetFile(written(tmp_path / "a", pyarrow.table({"t": column})))
    assert pyarrow.types.is_dictionary(file.row_group(0, ["t"]).column(0).type)
