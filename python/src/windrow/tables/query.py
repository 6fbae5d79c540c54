# SPDX-License-Identifier: Apache-2.0
"""The rows of a SQL query, as one Arrow file.

The types of columns are the same for the whole result, and what pandas.read_sql would give: all
integers are int64, all numbers with a fraction float64, `numeric` among them (cast it to text where
more than 15 digits count). Rows are written twice: as they come, beside the file, and then with the
types that all of them have, which are known only at the end.
"""

import os
import re
from urllib.parse import parse_qsl

from windrow.tables.arrows import HAS_MISSING
from windrow.tables.errors import TableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

ROWS = 10_000  # of a record batch
BYTES = 16 << 20  # likewise, about

_FORMS = (
    "a connection is sqlite:///PATH, a path that ends with .db, .sqlite or .sqlite3,"
    " postgresql://USER@HOST:PORT/DATABASE, or what libpq takes, as in service=NAME"
)
_POSTGRES = re.compile(r"postgres(?:ql)?://|\s*\w+\s*=", re.ASCII)
_PAIR = re.compile(r"(\w+)\s*=\s*('(?:\\.|[^'\\])*'|(?:\\.|[^\s\\])*)", re.DOTALL | re.ASCII)


def run(request: "dict[str, Any]") -> "dict[str, Any]":
    """`connection`, `query`, and `to`, the path of the file, which is there only when all went
    well. Raises TableError, OSError."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise TableError(
            "SQL queries need pyarrow in the environment of the script; install it there, or name"
            " another one with --python"
        ) from None
    spool = request["to"] + ".spool"
    try:
        rows = _open(request["connection"], request["query"])
        try:
            _check_names(rows.names)
            columns = _spooled(rows, spool)
        finally:
            rows.close()
        return {"rows": _written(spool, columns, request["to"])}
    finally:
        if os.path.exists(spool):
            os.unlink(spool)


def _written(spool: str, columns: "Any", path: str) -> int:
    """The number of rows."""
    try:
        return _write(spool, columns, path)
    except BaseException:
        if os.path.exists(path):
            os.unlink(path)
        raise


def _open(connection: str, query: str) -> "Any":
    """An object with `names`, `columns()` and `batches()`, to be closed."""
    if not query.strip():
        raise TableError("the query is empty; write a SELECT")
    if "\0" in query:
        raise TableError("the query has a NUL character; leave it out")
    if connection.startswith("sqlite:///"):
        path = connection[len("sqlite:///") :]
    elif _POSTGRES.match(connection):
        _check_secrets(connection)
        from windrow.tables.query_postgres import postgres_rows

        return postgres_rows(connection, query)
    elif connection.endswith((".db", ".sqlite", ".sqlite3")) and "://" not in connection:
        path = connection
    else:  # it is not shown: it may hold a password
        raise TableError(f"the connection has no known form; {_FORMS}")
    from windrow.tables.query_sqlite import SqliteRows

    return SqliteRows(path, query)


def _check_secrets(connection: str) -> None:
    if "://" in connection:
        address, _, options = connection.partition("://")[2].partition("?")
        user = address.rpartition("@")[0]
        keys = [key for key, value in parse_qsl(options) if value]
        found = bool(user.partition(":")[2])
    else:
        keys, found = [match[1] for match in _PAIR.finditer(connection)], False
    if found or {"password", "sslpassword"} & {key.lower() for key in keys}:
        raise TableError(
            "the connection holds a password, which must not stand in a job; leave it out, and"
            " write it to ~/.pgpass, to a file that PGPASSFILE names, or to a service file"
        )


def _check_names(names: "list[str]") -> None:
    for i, name in enumerate(names):
        if name in names[:i]:
            raise TableError(
                f"two columns of the query are called {name!r}; give one another name with AS"
            )
        if not name:
            raise TableError(f"column {i + 1} of the query has no name; give it one with AS")


def _spooled(rows: "Any", spool: str) -> "Any":
    """Writes all batches, one stream for each run of those that have equal types."""
    import pyarrow
    from pyarrow import ipc

    columns = rows.columns()
    writer: Any = None
    schema: Any = None
    with pyarrow.OSFile(spool, "wb") as file:
        for arrays in rows.batches():
            columns.see(arrays)
            batch = pyarrow.RecordBatch.from_arrays(arrays, names=columns.names)
            if schema is None or not schema.equals(batch.schema):
                if writer is not None:
                    writer.close()
                schema = batch.schema
                writer = ipc.new_stream(file, schema)
            writer.write_batch(batch)
        if writer is not None:
            writer.close()
    return columns


def _streamed(spool: str) -> "Iterator[Any]":
    import pyarrow
    from pyarrow import ipc

    size = os.path.getsize(spool)
    with pyarrow.OSFile(spool, "rb") as file:
        while file.tell() < size:
            yield from ipc.open_stream(file)


def _write(spool: str, columns: "Any", path: str) -> int:
    import pyarrow
    from pyarrow import ipc

    count = 0
    schema = columns.schema(HAS_MISSING)
    with pyarrow.OSFile(path, "wb") as file, ipc.new_file(file, schema) as writer:
        for batches in _joined(_streamed(spool)):
            cast = []
            for batch in batches:
                arrays = [columns.cast(i, array) for i, array in enumerate(batch.columns)]
                cast.append(pyarrow.RecordBatch.from_arrays(arrays, schema=schema))
            table = pyarrow.Table.from_batches(cast).combine_chunks()
            writer.write_table(table, max_chunksize=ROWS)
            count += table.num_rows
    return count


def _joined(batches: "Iterator[Any]") -> "Iterator[list[Any]]":
    """Those that make one of the final size."""
    some: list[Any] = []
    for batch in batches:
        rows = sum(one.num_rows for one in some) + batch.num_rows
        if some and (rows > ROWS or sum(one.nbytes for one in some) + batch.nbytes > BYTES):
            yield some
            some = []
        some.append(batch)
    if some:
        yield some
