# SPDX-License-Identifier: Apache-2.0
"""Tables of Parquet files.

Whether an integer or bool column may have missing values, and so is float64 or object in every
mini-batch, is told by the row groups of the files that the description names: a null counted there,
or not counted at all, makes it so.
"""

import os

from windrow.tables.arrow_source import ArrowSource, changed
from windrow.tables.arrows import Schema, frame_of, integer_or_bool, null_columns
from windrow.tables.errors import TableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from windrow.tables.settings import Settings
    from windrow.tables.stretch import Stretch


class Parquet(ArrowSource):
    """Keeps the row group of the last stretch when more of it is to be read."""

    def __init__(self, settings: "Settings") -> None:
        super().__init__(settings)
        self._group: tuple[int, tuple[str, ...], Any] | None = None

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

    def count(self, path: str, begin: int, end: "int | None") -> int:
        """How many rows there are before a row of a file; None: in all of it."""
        rows = int(self._file(path).metadata.num_rows)
        return (rows if end is None else min(end, rows)) - begin

    def _decided(self) -> Schema:
        files = self._settings.files
        keeps = self._settings.keeps_integers
        schema = Schema(self._file(files[0]).schema_arrow, files[0], keeps)
        missing: set[str] = set()
        for path in files:
            file = self._file(path)
            schema.widen(file.schema_arrow, path)
            missing |= _columns_with_nulls(file)
        schema.may_be_missing(missing & set(schema.integers_and_bools()))
        return schema

    def _opened(self, path: str) -> "Any":
        self._group = None
        return _opened(path)

    def _schema_of(self, file: "Any") -> "Any":
        return file.schema_arrow

    def _stretch(self, stretch: "Stretch", names: "list[str]") -> "Any":
        rows = self._file(stretch.path).metadata.num_rows
        length = stretch.length or rows - stretch.offset
        if stretch.offset + length > rows:
            raise changed(stretch.path, rows, stretch.offset + length)
        return self._rows(stretch.path, stretch.offset, length, names)

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


def _columns_with_nulls(file: "Any") -> "set[str]":
    """Its columns of integers and bools in which a row group counts nulls, or counts none, and
    those that have no other values."""
    metadata = file.metadata
    names = {field.name for field in file.schema_arrow if integer_or_bool(field.type)}
    found = null_columns(file.schema_arrow) if metadata.num_rows else set()
    paths = [metadata.schema.column(i).path for i in range(metadata.num_columns)]
    doubtful = [i for i, path in enumerate(paths) if path in names]
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        if group.num_rows == 0:
            continue
        for i in doubtful:
            statistics = group.column(i).statistics
            if statistics is None or not statistics.has_null_count or statistics.null_count:
                found.add(paths[i])
    return found
