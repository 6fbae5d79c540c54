# SPDX-License-Identifier: Apache-2.0
"""The rows of a query of a SQLite database, as an Arrow file."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Any

import pandas
import pyarrow
import pytest
from pyarrow import ipc
from tables_oracle.table_files import dtypes, rows
from windrow.tables import query, query_columns
from windrow.tables.reader import TableError, TableReader


class Database:
    """A SQLite database, and where the rows of a query go."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "data.db"
        self.to = folder / "rows.arrow"
        self.connection = sqlite3.connect(self.path)

    def table(self, *values: Any) -> Database:
        """Table t with one column x."""
        self.connection.execute("CREATE TABLE t (x)")
        self.connection.executemany("INSERT INTO t VALUES (?)", [(value,) for value in values])
        self.connection.commit()
        return self

    def run(self, text: str = "SELECT x FROM t", connection: str | None = None) -> int:
        request = {
            "do": "query",
            "connection": connection or str(self.path),
            "query": text,
            "to": str(self.to),
        }
        answer = query.run(request)
        assert list(answer) == ["rows"]
        return int(answer["rows"])

    def read(self, text: str = "SELECT x FROM t") -> Any:
        count = self.run(text)
        with pyarrow.memory_map(str(self.to)) as file:
            table = ipc.open_file(file).read_all()
        assert table.num_rows == count
        return table

    def refused(self, text: str = "SELECT x FROM t", connection: str | None = None) -> str:
        with pytest.raises(TableError) as raised:
            self.run(text, connection)
        return str(raised.value)


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(tmp_path)


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query_columns, "STEP", 10)
    monkeypatch.setattr(query_columns, "STEP_MAX", 10)


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1] * 25, "int64"),
        ([1] * 25 + [None], "int64"),
        ([None] * 25 + [1], "int64"),
        ([1] * 25 + [2.5], "double"),
        ([2.5] * 20 + [1] * 10, "double"),
        ([1, 2.5] * 10, "double"),
        (["a", None, "ä"] * 10, "string"),
        ([b"a", None] * 10, "binary"),
        ([None] * 25, "null"),
        ([2**63 - 1, -(2**63)], "int64"),
    ],
)
def test_a_column_has_one_type_that_all_values_fit(
    database: Database, values: list[Any], kind: str
) -> None:
    table = database.table(*values).read()
    assert str(table.schema.field("x").type) == kind
    assert table.column("x").to_pylist() == values


def test_types_are_those_of_pandas(database: Database) -> None:
    database.table(*range(300), None)
    text = "SELECT x, x * 0.5 AS half, 'a' || x AS name, x > 5 AS large, NULL AS none FROM t"
    database.run(text)
    description = {"format": "arrow", "files": [str(database.to)]}
    frame = TableReader(description).frame([f"{database.to}@0+0#0*0"])
    expected = pandas.read_sql(text, database.connection)
    assert dtypes(frame) == dtypes(expected)
    assert rows(frame) == rows(expected)


def test_a_value_missing_late_makes_every_mini_batch_float(database: Database) -> None:
    database.table(*range(300), None)
    database.run()
    reader = TableReader({"format": "arrow", "files": [str(database.to)]})
    first = reader.frame([f"{database.to}@0+10#0*10"])
    last = reader.frame([f"{database.to}@290+11#290*11"])
    assert dtypes(first) == dtypes(last) == {"x": "float64"}


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("values", [[1, "a"], [1] * 15 + ["a"], ["a"] * 15 + [b"a"], [1.5, b""]])
def test_values_of_several_kinds_are_refused(database: Database, values: list[Any]) -> None:
    said = database.table(*values).refused()
    assert said.startswith("column 'x' of the query has values of several kinds")
    assert "CAST(x AS TEXT) AS x" in said
    assert database.run("SELECT CAST(x AS TEXT) AS x FROM t") == len(values)


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("values", [[2**60 + 1, 0.5], [2**60 + 1] * 15 + [0.5]])
def test_an_integer_that_no_float_holds_is_refused(database: Database, values: list[Any]) -> None:
    said = database.table(*values).refused()
    assert said.startswith("column 'x' of the query: not every value is exactly a double")
    assert not database.to.exists()


def test_a_query_without_rows_has_columns(database: Database) -> None:
    table = database.table().read("SELECT x, x AS y FROM t")
    assert (table.num_rows, table.column_names) == (0, ["x", "y"])
    frame = TableReader({"format": "arrow", "files": [str(database.to)]}).frame(
        [f"{database.to}@0+0#0*0"]
    )
    assert (list(frame.columns), len(frame)) == (["x", "y"], 0)


def test_the_order_of_the_query_stays(database: Database) -> None:
    database.table(*range(25_000))
    table = database.read("SELECT x FROM t ORDER BY -x")
    assert table.column("x").to_pylist() == list(range(24_999, -1, -1))
    with pyarrow.memory_map(str(database.to)) as file:
        reader = ipc.open_file(file)
        sizes = [reader.get_batch(i).num_rows for i in range(reader.num_record_batches)]
    assert sum(sizes) == 25_000
    assert all(8_000 < size <= 10_000 for size in sizes[:-1])


def test_large_rows_make_small_batches(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query, "BYTES", 1 << 20)
    monkeypatch.setattr(query_columns, "STEP_BYTES", 1 << 18)
    database.table(*[b"x" * 100_000] * 1000)
    database.run()
    with pyarrow.memory_map(str(database.to)) as file:
        reader = ipc.open_file(file)
        sizes = [reader.get_batch(i).num_rows for i in range(reader.num_record_batches)]
    assert (sum(sizes), max(sizes[1:])) == (1000, 10)


def test_connections_to_sqlite(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    database.table(5)
    assert database.run(connection=f"sqlite:///{database.path}") == 1
    monkeypatch.chdir(database.path.parent)
    for connection in ("sqlite:///data.db", "data.db", "./data.db"):
        assert database.run(connection=connection) == 1
    odd = database.path.parent / "50% #1? ä.sqlite3"
    os.rename(database.path, odd)
    assert database.run(connection=str(odd)) == 1
    os.rename(odd, "plain")
    assert database.run(connection="sqlite:///plain") == 1


def test_a_database_that_is_not_there_is_refused_and_not_made(database: Database) -> None:
    missing = database.path.parent / "missing.db"
    assert "no such SQLite database" in database.refused(connection=str(missing))
    assert not missing.exists()
    missing.write_text("no database at all, " * 100)
    assert "file is not a database" in database.refused(connection=str(missing))


@pytest.mark.parametrize("connection", ["mysql://a:hush@b/c", "data", "sqlite://x", ":memory:"])
def test_other_connections_are_refused_and_not_shown(database: Database, connection: str) -> None:
    said = database.refused(connection=connection)
    assert said.startswith("the connection has no known form; a connection is sqlite:///PATH")
    assert "hush" not in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the query is empty"),
        ("SELECT x FROM u", "no such table: u; correct the query"),
        ("SELEKT x", 'near "SELEKT": syntax error'),
        ("SELECT 1 AS a; SELECT 2 AS b", "the query is several statements; write one SELECT"),
        ("UPDATE t SET x = 1", "the query writes (attempt to write a readonly database)"),
        ("DELETE FROM t RETURNING x", "the query writes"),
        ("CREATE TEMP TABLE u (x)", "the query returns no rows; write a SELECT"),
        ("SELECT x, 1 AS x FROM t", "two columns of the query are called 'x'; give one another"),
        ("SELECT 1 AS ''", "column 1 of the query has no name"),
        ("SELECT \0", "the query has a NUL character"),
        ("SELECT abs(-9223372036854775808)", "the query failed: integer overflow"),
        ("SELECT CAST(x'ff' AS TEXT) AS x", "Could not decode to UTF-8"),
    ],
)
def test_what_is_wrong_with_a_query_is_told(database: Database, text: str, said: str) -> None:
    database.table(5)
    assert said in database.refused(text)
    assert sorted(path.name for path in database.path.parent.iterdir()) == ["data.db"]
    assert database.read().column("x").to_pylist() == [5]


def test_a_query_that_fails_in_the_middle_tells_how_far_it_came(database: Database) -> None:
    database.table(*range(3000), -(2**63))
    said = database.refused("SELECT abs(x) AS x FROM t")
    assert said.endswith("rows: integer overflow; correct the query")
    assert "the query failed after 2" in said
    assert not database.to.exists()


def test_nothing_but_the_file_remains(database: Database) -> None:
    database.table(5).run("SELECT x FROM t;\n")
    names = sorted(path.name for path in database.path.parent.iterdir())
    assert names == ["data.db", "rows.arrow"]


def test_an_environment_without_pyarrow_is_told(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert "SQL queries need pyarrow in the environment" in database.table(5).refused()
