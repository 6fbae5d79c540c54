# SPDX-License-Identifier: Apache-2.0
"""Headers of delimited text: where they stand, and columns of several files together."""

from __future__ import annotations

from pathlib import Path

import pytest
from tables_oracle.table_files import Table, dtypes, rows, table
from windrow.tables.reader import TableError, TableReader


@pytest.mark.parametrize(
    ("header", "columns", "count"),
    [
        ("all_files_same_headers", ["a", "b"], 2),
        ("from_first_file", ["a", "b"], 3),
        ("no_header", ["Column1", "Column2"], 4),
    ],
)
def test_headers_are_where_they_are_said_to_be(
    tmp_path: Path, header: str, columns: list[str], count: int
) -> None:
    made = Table(tmp_path, header=header)
    made.add("1.csv", "a,b\nx,y\n")
    made.add("2.csv", "a,b\nx,y\n")
    frame = made.frame()
    assert (list(frame.columns), len(frame)) == (columns, count)


def test_columns_of_different_headers_are_joined_by_name(tmp_path: Path) -> None:
    made = Table(tmp_path, header="all_files_different_headers")
    made.add("1.csv", "a,b\n2,x\n")
    made.add("2.csv", "b,c\ny,7\n")
    frame = made.frame()
    assert dtypes(frame) == {"a": "float64", "b": "text", "c": "float64"}
    assert rows(frame) == [[2.0, "x", None], [None, "y", 7.0]]


def test_a_column_that_the_first_files_do_not_have_is_named(tmp_path: Path) -> None:
    made = Table(tmp_path, header="all_files_different_headers")
    made.add("1.csv", "a\n2\n")
    reader = made.reader()
    made.add("2.csv", "a,late\n3,4\n")
    name = f"{tmp_path}/2.csv@0+0#0*0"
    reader = TableReader({**made.description, "files": made.description["files"][:1]})
    with pytest.raises(TableError, match=r"column 'late' is in none of the first files.*'a'"):
        reader.frame([name])
    keeps = {"transformations": [{"keep_columns": "a"}], "files": made.description["files"][:1]}
    assert rows(TableReader({**made.description, **keeps}).frame([name])) == [[3]]


def test_the_same_names_in_another_order_are_no_same_headers(tmp_path: Path) -> None:
    made = Table(tmp_path)
    made.add("1.csv", "a,b\nx,y\n")
    made.add("2.csv", "b,a\ny,x\n")
    said = made.error()
    assert said.startswith("2.csv: the header has the columns of 1.csv in another order")
    assert "all_files_different_headers" in said


@pytest.mark.parametrize(
    ("types", "header"), [("pandas", "b,a"), ("mltable", "b,a"), ("pandas", "a,c")]
)
def test_a_file_that_is_refused_decides_no_types(tmp_path: Path, types: str, header: str) -> None:
    made = Table(tmp_path, types=types)
    made.add("1.csv", "a,b\n5,x\n6,y\n")
    made.add("2.csv", f"{header}\nx,5.5\ny,6.5\n")
    made.add("3.csv", "a,b\n7,z\n")
    reader = made.reader()
    first, second, third = made.names()
    assert dtypes(reader.frame([first])) == {"a": "int64", "b": "text"}
    assert rows(reader.frame([third])) == [[7, "z"]]
    with pytest.raises(TableError, match=r"2\.csv: the header has the columns"):
        reader.frame([second])


def test_the_first_file_with_something_in_it_gives_the_names(tmp_path: Path) -> None:
    made = Table(tmp_path)
    made.add("1.csv", "")
    made.add("2.csv", "a,b\n5,6\n")
    assert rows(made.frame()) == [[5, 6]]


def test_names_are_stripped_and_made_different(tmp_path: Path) -> None:
    frame = table(tmp_path, "a, a ,a,a_1,,\n1,2,3,4,5,6\n").frame()
    assert list(frame.columns) == ["a", "a_1", "a_2", "a_1_3", "Column5", "Column6"]


def test_an_empty_file_and_a_header_alone_have_no_rows(tmp_path: Path) -> None:
    assert len(table(tmp_path, "").frame()) == 0
    for text in ("a,b\n", "a,b"):
        frame = table(tmp_path, text).frame()
        assert (list(frame.columns), len(frame)) == (["a", "b"], 0)


def test_other_columns_than_those_of_the_first_file_are_told(tmp_path: Path) -> None:
    made = table(tmp_path, "id,price,cost\n1,10,5\n", types="pandas")
    made.add("b.csv", "id,cost,margin\n2,5,77\n")
    with pytest.raises(TableError, match=r"b.csv: the header has the columns 'id', 'cost', 'marg"):
        made.frame()
    made.description["header"] = "all_files_different_headers"
    assert [row[:2] for row in rows(made.frame())] == [[1, 10.0], [2, None]]
