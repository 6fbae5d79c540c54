# SPDX-License-Identifier: Apache-2.0
"""A query of a PostgreSQL database, by whichever driver the environment has.

It runs once, in a transaction that reads only and sees one state of the database, and its rows come
through a cursor of the server. The types are those of the database; what has no counterpart in a
DataFrame (JSON, arrays, UUIDs, intervals and others) is text, as the server writes it.
"""

import os
import re
from importlib import import_module

from windrow.tables.errors import TableError
from windrow.tables.query_columns import Columns, batches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

DRIVERS = ("psycopg", "psycopg2", "adbc_driver_postgresql")

BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
NUMERIC, BYTEA, DATE, TIMESTAMP, TIMESTAMPTZ = 1700, 17, 1082, 1114, 1184
_KINDS = {
    "bool": (16,),
    "int64": (20, 21, 23, 26),
    "float64": (700, 701, NUMERIC),
    "binary": (BYTEA,),
    "date32": (DATE,),
    "time": (1083,),
    "timestamp": (TIMESTAMP,),
    "timestamptz": (TIMESTAMPTZ,),
}
_KIND_OF = {oid: kind for kind, oids in _KINDS.items() for oid in oids}

_SYNTAX, _READ_ONLY = "42601", "25006"
_ERROR = re.compile(r"ERROR:\s+([^\n]*)")  # where a driver writes more around it


def postgres_rows(connection: str, text: str) -> "Any":
    """Runs the query. Raises TableError."""
    # libpq reads these; what the connection says itself goes before them.
    os.environ.setdefault("PGCONNECT_TIMEOUT", "30")
    os.environ.setdefault("PGAPPNAME", "windrow")
    os.environ["PGCLIENTENCODING"] = "UTF8"
    text = text.rstrip("; \t\r\n")
    for name in DRIVERS:
        try:
            module = import_module(name)
        except ImportError:
            continue
        if name == "psycopg":
            return CursorRows(_Psycopg(module), connection, text)
        if name == "psycopg2":
            return CursorRows(_Psycopg2(module), connection, text)
        from windrow.tables.query_adbc import AdbcRows

        return AdbcRows(connection, text)
    raise TableError(
        "queries of PostgreSQL need psycopg, psycopg2 or adbc_driver_postgresql in the environment"
        " of the script: install `psycopg[binary]` there, or name another one with --python"
    )


class CursorRows:
    """The rows of one query, through a cursor of the server."""

    def __init__(self, driver: "Any", connection: str, text: str) -> None:
        self._driver, self._count = driver, 0
        try:
            self._connection = driver.connect(connection)
        except driver.errors as error:
            raise no_connection(error) from None
        try:
            self._cursor = self._connection.cursor()
            self._cursor.execute(BEGIN)
            self._cursor.execute("SET LOCAL cursor_tuple_fraction = 1")  # all rows are wanted
            # In parentheses nothing but one SELECT is allowed.
            declare = "DECLARE windrow_rows NO SCROLL CURSOR FOR (\n"
            self._cursor.execute(f"{declare}{text}\n)")
            self._cursor.execute("FETCH FORWARD 0 FROM windrow_rows")
        except driver.errors as error:
            self.close()
            raise query_failed(error, 0) from None
        described = [(str(column[0]), int(column[1])) for column in self._cursor.description]
        self.names = [name for name, _ in described]
        driver.convert(self._cursor, {oid for _, oid in described if oid not in _KIND_OF})
        types = [_arrow_type(_KIND_OF.get(oid, "text")) for _, oid in described]
        self._columns = Columns(self.names, types)

    def columns(self) -> Columns:
        return self._columns

    def batches(self) -> "Iterator[list[Any]]":
        """Raises TableError."""
        return batches(self._fetch, self._columns)

    def _fetch(self, count: int) -> "list[Any]":
        try:
            self._cursor.execute(f"FETCH FORWARD {count} FROM windrow_rows")
            rows: list[Any] = self._cursor.fetchall()
        except (*self._driver.errors, ValueError, OverflowError) as error:
            raise query_failed(error, self._count) from None
        self._count += len(rows)
        return rows

    def close(self) -> None:
        self._connection.close()


class _Psycopg:
    """Version 3."""

    def __init__(self, module: "Any") -> None:
        self._module = module
        self.errors = (module.Error,)

    def connect(self, connection: str) -> "Any":
        return self._module.connect(connection, autocommit=True)

    def convert(self, cursor: "Any", others: "set[int]") -> None:
        """`others`: the types that are to be text."""
        text = import_module("psycopg.types.string").TextLoader
        for oid in others:
            cursor.adapters.register_loader(oid, text)
        number = import_module("psycopg.types.numeric").FloatLoader
        cursor.adapters.register_loader(NUMERIC, number)


class _Psycopg2:
    def __init__(self, module: "Any") -> None:
        self._module = module
        self._extensions = import_module("psycopg2.extensions")
        self.errors = (module.Error,)

    def connect(self, connection: str) -> "Any":
        opened = self._module.connect(connection)
        opened.autocommit = True
        return opened

    def convert(self, cursor: "Any", others: "set[int]") -> None:
        """`others`: the types that are to be text."""
        if others:
            self._register(cursor, tuple(others), lambda value, _: value)
        self._register(cursor, (NUMERIC,), lambda v, _: None if v is None else float(v))
        binary = self._module.BINARY
        self._register(cursor, (BYTEA,), lambda v, c: None if v is None else bytes(binary(v, c)))
        dates = {DATE: "PYDATE", TIMESTAMP: "PYDATETIME", TIMESTAMPTZ: "PYDATETIMETZ"}
        for oid, name in dates.items():
            self._register(cursor, (oid,), _finite(getattr(self._extensions, name)))

    def _register(self, cursor: "Any", oids: "tuple[int, ...]", convert: "Any") -> None:
        made = self._extensions.new_type(oids, "WINDROW", convert)
        self._extensions.register_type(made, cursor)


def _finite(convert: "Any") -> "Any":
    """Without this psycopg2 gives the last day it knows for infinity, and nobody notices."""

    def converted(value: "str | None", cursor: "Any") -> "Any":
        if value is not None and value.endswith("infinity"):
            raise ValueError(f"the date {value!r} has no counterpart")
        return convert(value, cursor)

    return converted


def _arrow_type(kind: str) -> "Any":
    import pyarrow

    return {
        "bool": pyarrow.bool_(),
        "int64": pyarrow.int64(),
        "float64": pyarrow.float64(),
        "binary": pyarrow.binary(),
        "date32": pyarrow.date32(),
        "time": pyarrow.time64("us"),
        "timestamp": pyarrow.timestamp("us"),
        "timestamptz": pyarrow.timestamp("us", "UTC"),
        "text": pyarrow.string(),
    }[kind]


def _said(error: Exception) -> str:
    """What the database says, in one line; without the text of the query."""
    text = getattr(getattr(error, "diag", None), "message_primary", None) or str(error)
    found = _ERROR.search(text)
    return " ".join((found[1] if found else text).split()).rstrip(".")


def no_connection(error: Exception) -> TableError:
    said = _said(error)
    advice = "correct the connection, or ask who runs the database"
    if "no password supplied" in said:
        advice = "put the password into ~/.pgpass, or into the file that PGPASSFILE names"
    return TableError(f"no connection to the database: {said}; {advice}")


def query_failed(error: Exception, rows: int) -> TableError:
    code = getattr(error, "sqlstate", None) or getattr(error, "pgcode", None)
    advice = "correct the query"
    if code == _SYNTAX:
        advice = "the query is one SELECT, no other statement, and not several"
    elif code == _READ_ONLY or "in a read-only transaction" in str(error):
        advice = "a query only reads: write a SELECT"
    elif rows or code is None:
        advice = "correct the query; cast a value that no DataFrame can hold to text in it"
    behind = f" after {rows} rows" if rows else ""
    return TableError(f"the query failed{behind}: {_said(error)}; {advice}")
