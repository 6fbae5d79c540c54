# SPDX-License-Identifier: Apache-2.0
"""A query of a PostgreSQL database by adbc_driver_postgresql, which gives Arrow arrays."""

from importlib import import_module

from windrow.tables.errors import TableError
from windrow.tables.query_columns import Columns
from windrow.tables.query_postgres import no_connection, query_failed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_READ_ONLY = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896  # of the years 1 to 9999, from 1970 on
# As the server writes a value, which a cast to text does not always.
_TEXT = "CASE WHEN {0} IS DISTINCT FROM NULL THEN format('%s', {0}) END"
_TYPE_NAME = b"ADBC:postgresql:typname"  # stands where the driver has no type of its own


class AdbcRows:
    """The rows of one query."""

    def __init__(self, connection: str, text: str) -> None:
        dbapi = import_module("adbc_driver_postgresql.dbapi")
        self._error, self._text, self._count = dbapi.Error, text, 0
        try:
            self._connection = dbapi.connect(connection)
        except self._error as error:
            raise no_connection(error) from None
        try:
            self._cursor = self._connection.cursor()
            self._cursor.execute(_READ_ONLY)
            schema = self._cursor.adbc_execute_schema(text)
        except self._error as error:
            self.close()
            raise query_failed(error, 0) from None
        if not schema.names:
            self.close()
            raise TableError("the query returns no rows; the query is one SELECT")
        self.names = list(schema.names)
        self._made = [_made(field) for field in schema]
        self._columns = Columns(self.names, [type_ for _, type_ in self._made])

    def columns(self) -> Columns:
        return self._columns

    def batches(self) -> "Iterator[list[Any]]":
        """Raises TableError."""
        chosen = ", ".join(
            f"{expression.format(_quoted(name))} AS {_quoted(name)}"
            for name, (expression, _) in zip(self.names, self._made)
        )
        try:
            self._cursor.execute(f"SELECT {chosen} FROM (\n{self._text}\n) AS q")
            for batch in self._cursor.fetch_record_batch():
                self._count += batch.num_rows
                types = [type_ for _, type_ in self._made]
                yield [_cast(array, type_) for array, type_ in zip(batch.columns, types)]
        except (self._error, OSError, ValueError) as error:
            raise query_failed(error, self._count) from None

    def close(self) -> None:
        self._cursor.close()
        self._connection.close()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _cast(array: "Any", type_: "Any") -> "Any":
    """Raises ValueError for a date that Python does not have, as infinity."""
    import pyarrow
    from pyarrow import compute, types

    if types.is_date(type_) or types.is_timestamp(type_):
        number = pyarrow.int32() if types.is_date(type_) else pyarrow.int64()
        unit = 1 if types.is_date(type_) else 86_400_000_000
        ends = compute.min_max(array.cast(number)).as_py()
        if array.null_count < len(array) and (
            ends["min"] < _FIRST_DAY * unit or ends["max"] >= (_LAST_DAY + 1) * unit
        ):
            raise ValueError("a date that is not of the years 1 to 9999")
    return array if array.type.equals(type_) else array.cast(type_)


def _made(field: "Any") -> "tuple[str, Any]":
    """What the server is to make of a column, and the type that it has then."""
    import pyarrow
    from pyarrow import types

    name = (field.metadata or {}).get(_TYPE_NAME, b"")
    if name == b"numeric":
        return "{0}::float8", pyarrow.float64()
    if types.is_string(field.type):
        return "{0}", field.type
    if name or types.is_nested(field.type):
        return _TEXT, pyarrow.string()
    if types.is_integer(field.type):
        return "{0}", pyarrow.int64()
    if types.is_floating(field.type):
        return "{0}", pyarrow.float64()
    if types.is_timestamp(field.type):
        return "{0}", pyarrow.timestamp("us", "UTC" if field.type.tz else None)
    kept = (pyarrow.bool_(), pyarrow.binary(), pyarrow.date32(), pyarrow.time64("us"))
    return ("{0}", field.type) if field.type in kept else (_TEXT, pyarrow.string())
