# SPDX-License-Identifier: Apache-2.0
"""The rows of a query of a PostgreSQL database, by each driver that the environment has."""

from __future__ import annotations

import datetime
import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from postgres_server import Server, obstacle, programs, running
from pyarrow import ipc
from tables_oracle.table_files import dtypes, rows
from windrow.tables import query, query_columns, query_postgres
from windrow.tables.reader import TableError, TableReader

DRIVERS = [name for name in query_postgres.DRIVERS if find_spec(name)] or ["none"]
UTC = datetime.timezone.utc


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    folder = programs()
    if folder is None:
        pytest.skip("there is no PostgreSQL server: apt-get install postgresql")
    if (why := obstacle(folder)) is not None:
        pytest.skip(why)
    with running(folder) as made:
        yield made


class Database:
    """Queries of a server, and where the rows go."""

    def __init__(self, server: Server, folder: Path) -> None:
        self.server, self.to = server, folder / "rows.arrow"

    def run(self, text: str, connection: str | None = None) -> int:
        connection = connection or self.server.connection()
        request = {"do": "query", "connection": connection, "query": text, "to": str(self.to)}
        return int(query.run(request)["rows"])

    def read(self, text: str, connection: str | None = None) -> Any:
        count = self.run(text, connection)
        with pyarrow.memory_map(str(self.to)) as file:
            table = ipc.open_file(file).read_all()
        assert table.num_rows == count
        return table

    def refused(self, text: str = "SELECT 1 AS x", connection: str | None = None) -> str:
        with pytest.raises(TableError) as raised:
            self.run(text, connection)
        assert not self.to.with_name("rows.arrow.spool").exists()
        return str(raised.value)


@pytest.fixture(params=DRIVERS)
def database(
    request: pytest.FixtureRequest,
    server: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Database:
    if request.param == "none":
        pytest.skip("the environment has no driver: pip install psycopg[binary]")
    monkeypatch.setattr(query_postgres, "DRIVERS", (request.param,))
    (tmp_path / "to").mkdir()
    return Database(server, tmp_path / "to")


VALUES = [
    ("7::int2", "int64", 7),
    ("7::int4", "int64", 7),
    ("9223372036854775807::int8", "int64", 2**63 - 1),
    ("7::oid", "int64", 7),
    ("1.5::float4", "double", 1.5),
    ("1.1::float8", "double", 1.1),
    ("'inf'::float8", "double", float("inf")),
    ("12345678.25::numeric", "double", 12345678.25),
    ("1.10::numeric(5, 2)", "double", 1.1),
    ("true", "bool", True),
    ("'naïve'::text", "string", "naïve"),
    ("'a'::varchar(3)", "string", "a"),
    ("'a'::char(3)", "string", "a  "),
    ("'a'::name", "string", "a"),
    ("''", "string", ""),
    ("date '2026-11-16'", "date32[day]", datetime.date(2026, 11, 16)),
    ("time '03:04:05.5'", "time64[us]", datetime.time(3, 4, 5, 500000)),
    (
        "timestamp '2026-11-16 03:04:05.678'",
        "timestamp[us]",
        datetime.datetime(2026, 11, 16, 3, 4, 5, 678000),
    ),
    (
        "timestamptz '2026-11-16 03:04:05+02'",
        "timestamp[us, tz=UTC]",
        datetime.datetime(2026, 11, 16, 1, 4, 5, tzinfo=UTC),
    ),
    (r"'\x00ff'::bytea", "binary", b"\x00\xff"),
    ("""'{"a": [1,  2]}'::json""", "string", '{"a": [1,  2]}'),
    ("""'{"a": [1,  2]}'::jsonb""", "string", '{"a": [1, 2]}'),
    ("ARRAY[1, 2, NULL]", "string", "{1,2,NULL}"),
    ("ARRAY['a', 'b c']", "string", '{a,"b c"}'),
    (
        "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'::uuid",
        "string",
        "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
    ),
    ("interval '1 month 2 days'", "string", "1 mon 2 days"),
    ("'10.0.0.1'::inet", "string", "10.0.0.1"),
    ("ROW(1, 'a')", "string", "(1,a)"),
    ("int4range(1, 5)", "string", "[1,5)"),
]


def test_types_come_from_the_database(database: Database) -> None:
    """Also where the first value, or every one, is missing."""
    names = [f"c{i}" for i in range(len(VALUES))]
    texts = [text for text, _, _ in VALUES]
    chosen = ", ".join(f"{text} AS {name}" for text, name in zip(texts, names))
    missing = ", ".join(f"CASE WHEN n > 5 THEN {text} END" for text in texts)
    for where in ("", "WHERE n = 1", "WHERE n > 5"):
        source = f"generate_series(1, 2) AS n {where}"
        text = f"SELECT {missing} FROM {source} UNION ALL SELECT {chosen} FROM {source}"
        table = database.read(f"SELECT q.* FROM ({text}) AS q ({', '.join(names)})")
        count = {"": 2, "WHERE n = 1": 1, "WHERE n > 5": 0}[where]
        for name, (text, kind, value) in zip(names, VALUES):
            assert str(table.schema.field(name).type) == kind, text
            expected = [None] * count + [value] * count
            assert table.column(name).to_pylist() == expected, text


def test_frames_are_those_that_pandas_users_expect(database: Database) -> None:
    text = """SELECT n, nullif(n, 300) AS m, nullif(n > 250, n = 290) AS b, n > 5 AS c,
      'a' || n AS s, n::numeric AS d, timestamptz '2026-11-16 12:00+00' AS t
      FROM generate_series(1, 300) AS n"""
    database.run(text)
    reader = TableReader({"format": "arrow", "files": [str(database.to)]})
    frame = reader.frame([f"{database.to}@0+10#0*10"])
    found = dtypes(frame.drop(columns=["b", "t"]))
    assert list(found.values()) == ["int64", "float64", "bool", "text", "float64"]
    assert frame["b"].dtype == object
    assert str(frame["t"].dt.tz) == "UTC"
    last = reader.frame([f"{database.to}@280+20#280*20"])
    assert list(last.dtypes) == list(frame.dtypes)
    assert rows(last)[9][1:4] == [290.0, None, True]
    assert rows(last)[19][:2] == [300, None]


def test_rows_come_in_order_and_in_batches(database: Database) -> None:
    table = database.read("SELECT n FROM generate_series(1, 25000) AS n ORDER BY -n; ")
    assert table.column("n").to_pylist() == list(range(25_000, 0, -1))
    assert max(len(chunk) for chunk in table.column("n").chunks) <= 10_000


def test_large_rows_are_not_all_in_memory(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(query, "BYTES", 1 << 20)
    monkeypatch.setattr(query_columns, "STEP_BYTES", 1 << 18)
    text = "SELECT repeat('x', 100000) AS x FROM generate_series(1, 1000) AS n"
    table = database.read(text)
    assert table.num_rows == 1000
    assert max(len(chunk) for chunk in table.column("x").chunks[1:]) < 300


def test_percent_signs_and_comments_are_the_querys_own(database: Database) -> None:
    text = "-- 50 % of %s\nWITH a AS (SELECT 'x%s' AS x) SELECT x FROM a WHERE x LIKE 'x%' -- end"
    assert database.read(text).column("x").to_pylist() == ["x%s"]
    assert database.read("VALUES (1)").num_rows == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("SELECT x FROM nowhere", 'relation "nowhere" does not exist; correct the query'),
        ("SELEKT 1", 'syntax error at or near "SELEKT"; the query is one SELECT'),
        ("SELECT 1; SELECT 2", 'syntax error at or near ";"; the query is one SELECT'),
        ("SELECT 1 AS a; COMMIT; DROP TABLE IF EXISTS kept", 'syntax error at or near ";"'),
        ("UPDATE kept SET x = 6", "the query is one SELECT"),
        ("UPDATE kept SET x = 6 RETURNING x", "the query is one SELECT"),
        ("SELECT setval('numbers', 5) AS x", "a query only reads: write a SELECT"),
        ("SELECT 1 AS x, 2 AS x", "two columns of the query are called 'x'"),
        ("SELECT 1 / 0 AS x", "division by zero; correct the query"),
    ],
)
def test_what_is_wrong_with_a_query_is_told(database: Database, text: str, said: str) -> None:
    database.server.sql(
        "DROP TABLE IF EXISTS kept; CREATE TABLE kept AS SELECT 5 AS x;"
        "CREATE SEQUENCE IF NOT EXISTS numbers"
    )
    if "adbc" in query_postgres.DRIVERS[0] and 'near ";"' in said:
        said = "cannot insert multiple commands into a prepared statement; the query is one SELECT"
    assert said in database.refused(text)
    assert database.server.sql("SELECT x FROM kept") == "5\n"


def test_a_query_that_fails_in_the_middle_is_told(database: Database) -> None:
    said = database.refused("SELECT 1 / (5000 - n) AS x FROM generate_series(1, 9000) AS n")
    assert "division by zero" in said
    assert "the query failed" in said


@pytest.mark.parametrize(
    "value", ["timestamp 'infinity'", "date '20000-01-01'", "'-infinity'::date"]
)
def test_dates_that_are_none_are_refused_and_can_be_text(database: Database, value: str) -> None:
    assert "cast a value that no DataFrame can hold to text" in database.refused(
        f"SELECT {value} AS x"
    )
    assert database.read(f"SELECT ({value})::text AS x").num_rows == 1


def test_a_query_that_takes_too_long_is_told(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGOPTIONS", "-c statement_timeout=100")
    text = "SELECT count(*) AS x FROM generate_series(1, 10000000000) AS n"
    assert "canceling statement due to statement timeout" in database.refused(text)


def test_no_connection_is_told(database: Database) -> None:
    said = database.refused(connection="host=127.0.0.1 port=1 user=me dbname=x")
    assert said.startswith("no connection to the database: ")
    assert "Connection refused" in said
    said = database.refused(connection=f"postgresql://me@/x?host={database.server.folder}")
    assert 'role "me" does not exist' in said
    assert "\n" not in said


def test_connections_are_what_libpq_takes(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = database.server.folder
    said = f"host={folder} user=postgres dbname=postgres"
    service = tmp_path / "service.conf"
    service.write_text(f"[mine]\nhost={folder}\nuser=postgres\ndbname=postgres\n")
    monkeypatch.setenv("PGSERVICEFILE", str(service))
    for connection in (said, f"postgres://postgres@/postgres?host={folder}", "service=mine"):
        assert database.read("SELECT 5 AS x", connection).column("x").to_pylist() == [5]


def test_a_password_comes_from_a_file_and_not_from_the_job(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.server.sql("DROP ROLE IF EXISTS secret; CREATE ROLE secret LOGIN PASSWORD 'hush'")
    connection = database.server.connection("secret")
    said = database.refused(connection=connection)
    assert "no password supplied" in said
    passwords = tmp_path / "pgpass"
    passwords.write_text("*:*:*:secret:hush\n")
    os.chmod(passwords, 0o600)
    monkeypatch.setenv("PGPASSFILE", str(passwords))
    assert database.run("SELECT 1 AS x", connection) == 1
    passwords.write_text("*:*:*:secret:other\n")
    said = database.refused(connection=connection)
    assert 'password authentication failed for user "secret"' in said
    assert "other" not in said


@pytest.mark.parametrize(
    "connection",
    [
        "postgresql://me:hush@host/db",
        "postgres://me:hu/sh@host/db",
        "postgresql://me@host/db?password=hush",
        "postgresql://me@host/db?sslmode=require&sslpassword=hush",
        "host=h user=me password=hush",
        "host=h user=me PASSWORD = 'hu sh'",
    ],
)
def test_a_password_in_the_connection_is_refused_and_not_shown(
    tmp_path: Path, connection: str
) -> None:
    request = {"connection": connection, "query": "SELECT 1", "to": str(tmp_path / "x")}
    with pytest.raises(TableError) as raised:
        query.run(request)
    assert "the connection holds a password" in str(raised.value)
    assert "~/.pgpass" in str(raised.value)
    assert "hu" not in str(raised.value)


def test_an_environment_without_a_driver_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in query_postgres.DRIVERS:
        monkeypatch.setitem(sys.modules, name, None)
    request = {"connection": "service=x", "query": "SELECT 1", "to": str(tmp_path / "x")}
    with pytest.raises(TableError, match=r"install `psycopg\[binary\]` there"):
        query.run(request)
