# SPDX-License-Identifier: Apache-2.0
"""A query of a SQLite database, by the standard library. The database is opened for reading only.

Its values have types, its columns have none: a column of integers is int64, one with fractions
float64, and dates are the text or numbers that they are stored as.
"""

import os
import sqlite3
from urllib.parse import quote

from windrow.tables.errors import TableError
from windrow.tables.query_columns import Columns, batches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_PATIENCE = 30.0  # seconds, while another process holds the database


class SqliteRows:
    """The rows of one query."""

    def __init__(self, path: str, text: str) -> None:
        """Runs the query. Raises TableError."""
        if not os.path.isfile(path):
            raise TableError(f"{path}: no such SQLite database; correct the connection")
        self._path, self._count = path, 0
        name = quote(os.path.abspath(path))
        try:
            self._connection = sqlite3.connect(f"file:{name}?mode=ro", _PATIENCE, uri=True)
        except sqlite3.Error as error:
            raise TableError(f"{path}: cannot be opened: {error}") from None
        try:
            self._cursor = self._connection.execute(text)
            if self._cursor.description is None:
                raise TableError("the query returns no rows; write a SELECT")
        except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
            self.close()
            raise self._refused(error) from None
        except TableError:
            self.close()
            raise
        self.names = [str(column[0]) for column in self._cursor.description]
        self._columns = Columns(self.names, [None] * len(self.names))

    def columns(self) -> Columns:
        return self._columns

    def batches(self) -> "Iterator[list[Any]]":
        """Raises TableError."""
        return batches(self._fetch, self._columns)

    def _fetch(self, count: int) -> "list[Any]":
        try:
            rows = self._cursor.fetchmany(count)
        except (sqlite3.Error, ValueError) as error:
            raise self._refused(error) from None
        self._count += len(rows)
        return rows

    def close(self) -> None:
        self._connection.close()

    def _refused(self, error: Exception) -> TableError:
        message = str(error).rstrip(".")
        if "one statement at a time" in message:
            return TableError("the query is several statements; write one SELECT")
        if "readonly" in message:
            return TableError(f"the query writes ({message}); write a SELECT")
        behind = f" after {self._count} rows" if self._count else ""
        return TableError(f"{self._path}: the query failed{behind}: {message}; correct the query")
