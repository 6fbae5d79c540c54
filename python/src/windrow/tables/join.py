# SPDX-License-Identifier: Apache-2.0
"""The pieces of a result, one Arrow IPC stream for each mini-batch -> one Parquet or Arrow file.

Two passes over the mapped pieces: the first finds the columns and types of all, the second writes.
Never more than a group of rows is in memory. The same pieces give the same bytes.
"""

import os

from windrow.tables.errors import FinalError, TableError
from windrow.tables.unify import Conflict, conformed, told, unified

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

# A group of Parquet is read as a whole and packs better when it is large; a batch of an Arrow file
# costs nothing, and readers cut there.
_GROUP_BYTES = {"parquet": 64 << 20, "arrow": 16 << 20}
_GROUP_ROWS = 1_000_000
_SMALL_MAX = 1000  # batches that wait to be joined: each costs a kilobyte for every column
_SAME = "return the same type always, or make text of the column in run()"


def run(request: "dict[str, Any]") -> "dict[str, object]":
    """The verb `join` of tables/__main__.py."""
    return {"rows": join(request["from"], request["to"], request["format"])}


def join(source: str, target: str, form: str) -> int:
    """Writes the pieces of one file to another, which may be there already, and returns how many
    rows there are. Raises TableError, OSError."""
    if form not in _GROUP_BYTES:
        raise TableError(f"format: {form!r} is not one of {', '.join(_GROUP_BYTES)}")
    try:
        import pyarrow
        from pyarrow import ipc, parquet  # noqa: F401  # here, where it is told
    except ImportError as error:
        raise TableError(
            f"results of format {form} need pyarrow in the environment of the script ({error});"
            " install it there, or name another one with --python"
        ) from None
    types = _types(source)
    schema = pyarrow.schema(list(types.items()))
    rows = 0
    with pyarrow.OSFile(target, "wb") as sink, _writer(form, sink, schema) as writer:
        for table in _groups(_batches(source, schema), schema, _GROUP_BYTES[form]):
            if form == "parquet":
                writer.write_table(table, row_group_size=table.num_rows)
            else:
                writer.write_table(table.combine_chunks())
            rows += table.num_rows
    return rows


def _writer(form: str, sink: "Any", schema: "Any") -> "Any":
    """zstd, which is read as fast as snappy and makes files a third smaller, for a sixth more time
    to write."""
    import pyarrow
    from pyarrow import parquet

    if form == "arrow":
        return pyarrow.ipc.new_file(sink, schema)
    codec = "zstd" if pyarrow.Codec.is_available("zstd") else "snappy"
    return parquet.ParquetWriter(sink, schema, compression=codec, version="2.6")


def _read(source: str) -> "Iterator[tuple[int, Any]]":
    """The record batches of all pieces, each with the number of its piece."""
    import pyarrow

    size = os.path.getsize(source)
    if size == 0:  # nothing can be mapped
        return
    number = 0
    with pyarrow.memory_map(source) as file:
        mapped = pyarrow.BufferReader(file.read_buffer())
    try:
        while mapped.tell() < size:
            for batch in pyarrow.ipc.open_stream(mapped):
                yield number, batch
            number += 1
    except (pyarrow.ArrowException, OSError) as error:
        raise TableError(
            f"{source}: piece {number} cannot be read: {error}; is the file complete?"
        ) from None


def _types(source: str) -> "dict[str, Any]":
    """The columns of all pieces, in the order in which they come up, and their types."""
    types: dict[str, Any] = {}
    origins: dict[str, int] = {}  # which piece gave a column the type it has
    last = None
    for number, batch in _read(source):
        schema = told(batch)
        if last is not None and schema.equals(last):
            continue
        last = schema
        try:
            more = unified(types, last)
        except Conflict as error:
            raise FinalError(
                f"column {error.column!r} is {error.known} in piece {origins[error.column]} and"
                f" {error.other} in piece {number}; {_SAME}"
            ) from None
        origins.update({name: number for name in more if more[name] != types.get(name)})
        types = more
    return _with_empty_floats(types, source)


def _with_empty_floats(types: "dict[str, Any]", source: str) -> "dict[str, Any]":
    """Columns that have no value in any piece are floats where one says so."""
    import pyarrow

    empty = {name for name, type_ in types.items() if pyarrow.types.is_null(type_)}
    for _, batch in _read(source) if empty else ():
        types = unified(types, [field for field in batch.schema if field.name in empty])
    return types


def _batches(source: str, schema: "Any") -> "Iterator[Any]":
    """The record batches of all pieces, with the columns and types of the whole."""
    for number, batch in _read(source):
        yield batch if batch.schema.equals(schema) else _conformed(batch, schema, number)


def _conformed(batch: "Any", schema: "Any", number: int) -> "Any":
    import pyarrow

    columns = []
    for field in schema:
        place = batch.schema.get_field_index(field.name)
        if place < 0:
            columns.append(pyarrow.nulls(batch.num_rows, field.type))
            continue
        column = batch.column(place)
        try:
            columns.append(conformed(column, field.type))
        except (pyarrow.ArrowException, ValueError) as error:
            raise FinalError(
                f"column {field.name!r}: {column.type} in piece {number} does not become"
                f" {field.type}, which other pieces need: {error}; {_SAME}"
            ) from None
    return pyarrow.RecordBatch.from_arrays(columns, schema=schema)


def _groups(batches: "Iterator[Any]", schema: "Any", size_max: int) -> "Iterator[Any]":
    """Tables that are as large as a group should be, the last one smaller."""
    import pyarrow

    joined: list[Any] = []  # tables of the group
    small: list[Any] = []  # batches that come after them
    rows = size = 0
    for batch in batches:
        each = max(1, batch.get_total_buffer_size() // max(1, batch.num_rows))
        at = 0
        while at < batch.num_rows:
            part = batch.slice(at, min(_GROUP_ROWS - rows, max(1, (size_max - size) // each)))
            small.append(part)
            at += part.num_rows
            rows += part.num_rows
            size += part.num_rows * each
            full = rows >= _GROUP_ROWS or size >= size_max
            if full or len(small) >= _SMALL_MAX:
                table = pyarrow.Table.from_batches(small, schema)
                joined.append(table if full else table.combine_chunks())
                small = []
            if full:
                yield pyarrow.concat_tables(joined)
                joined, rows, size = [], 0, 0
    if rows:
        yield pyarrow.concat_tables([*joined, pyarrow.Table.from_batches(small, schema)])
