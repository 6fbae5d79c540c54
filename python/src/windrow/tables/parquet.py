# SPDX-License-Identifier: Apache-2.0
"""Tables of Parquet files. A stretch is a range of rows of one file.

The first file gives columns and types. Whether an integer or bool column may have missing values,
and so is float64 or object in every mini-batch, is told by the row groups of the files that the
description names: a null counted there, or not counted at all, makes it so.
"""

import os

from windrow.tables.arrows import Schema, frame_of, missing_where_none_may_be
from windrow.tables.errors import TableError, place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from windrow.tables.settings import Settings
    from windrow.tables.stretch import Stretch


class Parquet:
    """Reads stretches. Keeps the file of the last one open, and its row group when more of that
    is to be read."""

    def __init__(self, settings: "Settings") -> None:
        self._settings = settings
        self._schema: Schema | None = None
        self._open: tuple[str, tuple[int, ...], Any] | None = None
        self._group: tuple[int, tuple[str, ...], Any] | None = None

    def columns(self) -> "list[str]":
        """The names of all columns of the table."""
        return self._plan().names

    def sample(self, wanted: "set[str] | None") -> "Any":
        """The first rows of the first file."""
        schema = self._plan()
        for path in self._settings.files[:1]:
            file = self._file(path)
            names = schema.wanted(wanted)
            schema.check(file.schema_arrow, path, wanted)
            rows = min(file.metadata.num_rows, self._settings.sample_rows)
            return frame_of(self._rows(path, 0, rows, names), schema, names, path, 0)
        return frame_of(schema.empty(), schema, schema.wanted(wanted), "", 0)

    def _plan(self) -> Schema:
        if self._schema is None:
            first = self._settings.files[0]
            schema = Schema(self._file(first).schema_arrow, first)
            doubtful = set(schema.integers_and_bools())
            for path in self._settings.files if doubtful else []:
                missing = doubtful & _columns_with_nulls(self._file(path).metadata)
                schema.may_be_missing(missing)
                doubtful -= missing
            self._schema = schema
        return self._schema

    def read(self, stretch: "Stretch", wanted: "set[str] | None") -> "Any":
        """A DataFrame with the wanted columns, or all. Raises TableError, OSError."""
        schema = self._plan()
        table = self.table(stretch, wanted)
        return frame_of(table, schema, schema.wanted(wanted), stretch.path, stretch.offset)

    def arrow_schema(self) -> "Any":
        """Of the tables of all stretches."""
        return self._plan().arrow()

    def table(self, stretch: "Stretch", wanted: "set[str] | None") -> "Any":
        """As read(), but an Arrow table, with the types of its own file."""
        schema = self._plan()
        file = self._file(stretch.path)
        schema.check(file.schema_arrow, stretch.path, wanted)
        rows = file.metadata.num_rows
        length = stretch.length or rows - stretch.offset
        if stretch.offset + length > rows:
            raise TableError(
                f"{stretch.path}: {rows} rows where there were {stretch.offset + length} when the"
                " job began; input must not change while a job runs"
            )
        names = schema.wanted(wanted)
        table = self._rows(stretch.path, stretch.offset, length, names)
        column = missing_where_none_may_be(table, schema, names)
        if column is not None:
            raise TableError(
                f"{stretch.path}, column {column!r}: missing values from row {stretch.offset} on,"
                f" and none in {schema.path}, which decided its type; convert the column in"
                " the files, or leave it out with keep_columns"
            )
        return table

    def object_type(self, name: str) -> "Any":
        """The Arrow type of a column that a frame has as objects."""
        import pyarrow

        return self._plan().types.get(name, pyarrow.string())

    def where(self, stretch: "Stretch", row: int) -> str:
        """The file and row of a row of a stretch."""
        return place(stretch.path, row=stretch.offset + row)

    def count(self, path: str, begin: int, end: "int | None") -> int:
        """How many rows there are before a row of a file; None: in all of it."""
        rows = int(self._file(path).metadata.num_rows)
        return (rows if end is None else min(end, rows)) - begin

    def _file(self, path: str) -> "Any":
        """Opened, and opened again when it is another file by now."""
        status = os.stat(path)
        identity = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
        if self._open is None or self._open[:2] != (path, identity):
            self._open, self._group = None, None
            self._open = (path, identity, _opened(path))
        return self._open[2]

    def _rows(self, path: str, first: int, count: int, names: "list[str]") -> "Any":
        """So many rows as an Arrow table. Raises TableError."""
        try:
            return self._read_rows(self._file(path), first, count, names)
        except (OSError, ValueError) as error:  # pyarrow's are derived from them
            raise TableError(f"{path}: cannot be read: {error}; is it complete?") from None

    def _read_rows(self, file: "Any", first: int, count: int, names: "list[str]") -> "Any":
        """Only the row groups that hold some of the rows are read."""
        import pyarrow

        parts = []
        begin = 0
        for number in range(file.metadata.num_row_groups):
            size = file.metadata.row_group(number).num_rows
            low, high = max(first, begin), min(first + count, begin + size)
            if low < high:
                whole = high - low == size
                table = self._row_group(file, number, names, whole)
                parts.append(table if whole else table.slice(low - begin, high - low))
            begin += size
        if not parts:
            return file.schema_arrow.empty_table().select(names)
        return parts[0] if len(parts) == 1 else pyarrow.concat_tables(parts)

    def _row_group(self, file: "Any", number: int, names: "list[str]", whole: bool) -> "Any":
        """A group that is cut into several stretches is decoded once, not once for each."""
        key = (number, tuple(names))
        if self._group is not None and self._group[:2] == key:
            return self._group[2]
        self._group = None
        table = file.read_row_group(number, columns=names, use_threads=False)
        table = table.select(names)
        if not whole:
            self._group = (*key, table)
        return table


def _opened(path: str) -> "Any":
    try:
        from pyarrow import parquet
    except ImportError:
        raise TableError(f"{path}: Parquet files need `pyarrow` in the environment") from None
    if os.path.getsize(path) == 0:
        raise TableError(f"{path}: the file is empty; a Parquet file has at least a footer")
    try:
        return parquet.ParquetFile(path)
    except (OSError, ValueError) as error:
        if isinstance(error, (FileNotFoundError, PermissionError)):
            raise
        with open(path, "rb") as file:
            start = file.read(4)
            file.seek(-4, os.SEEK_END) if os.path.getsize(path) > 4 else None
            end = file.read(4)
        if start != b"PAR1":
            reason = "no Parquet file: it does not begin with PAR1"
        elif end != b"PAR1":
            reason = "the end of the file is missing; was it copied completely?"
        else:
            reason = str(error)
        raise TableError(f"{path}: {reason}") from None


def _columns_with_nulls(metadata: "Any") -> "set[str]":
    """Of a file: its top-level columns in which a row group counts nulls, or counts none."""
    found = set()
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        if group.num_rows == 0:
            continue
        for i in range(group.num_columns):
            column = group.column(i)
            statistics = column.statistics
            if statistics is None or not statistics.has_null_count or statistics.null_count:
                found.add(column.path_in_schema)
    return found
