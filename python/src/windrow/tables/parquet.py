# SPDX-License-Identifier: Apache-2.0
"""Tables of Parquet files.

Whether an integer or bool column may have missing values, and so is float64 or object in every
mini-batch, is told by the row groups of the files that the description names: a null counted there,
or not counted at all, makes it so.
"""

from windrow.tables.arrow_source import ArrowSource, changed
from windrow.tables.arrows import Schema, frame_of
from windrow.tables.errors import TableError
from windrow.tables.parquet_file import ParquetFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
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
        names = schema.wanted(wanted)
        path = self._settings.files[0]
        file = self._file(path)
        schema.check(file.schema, path, wanted)
        rows = self._tried(path, lambda: file.first(self._settings.sample_rows, names))
        return frame_of(rows, schema, names, path, 0)

    def count(self, path: str, begin: int, end: "int | None") -> int:
        """How many rows there are before a row of a file; None: in all of it."""
        rows = int(self._file(path).rows)
        return (rows if end is None else min(end, rows)) - begin

    def _decided(self) -> Schema:
        files = self._settings.files
        keeps = self._settings.keeps_integers
        schema = Schema(self._file(files[0]).schema, files[0], keeps)
        missing: set[str] = set()
        for path in files:
            file = self._file(path)
            schema.widen(file.schema, path)
            missing |= file.columns_with_nulls()
        schema.may_be_missing(missing & set(schema.integers_and_bools()))
        return schema

    def _opened(self, path: str) -> ParquetFile:
        self._group = None
        return ParquetFile(path)

    def _schema_of(self, file: "Any") -> "Any":
        return file.schema

    def _stretch(self, stretch: "Stretch", names: "list[str]") -> "Any":
        file = self._file(stretch.path)
        length = stretch.length or file.rows - stretch.offset
        if stretch.offset + length > file.rows:
            raise changed(stretch.path, file.rows, stretch.offset + length)
        return self._tried(stretch.path, lambda: self._rows(file, stretch.offset, length, names))

    def _keeps_rows(self) -> bool:
        return self._group is not None

    def _tried(self, path: str, read: "Callable[[], Any]") -> "Any":
        """What `read` returns. Raises TableError."""
        try:
            return read()
        except (OSError, ValueError) as error:  # pyarrow's are derived from them
            raise TableError(f"{path}: cannot be read: {error}; is it complete?") from None

    def _rows(self, file: ParquetFile, first: int, count: int, names: "list[str]") -> "Any":
        """Only the row groups that hold some of the rows are read."""
        import pyarrow

        parts = []
        for number, begin, rows, whole in file.groups_of(first, count):
            table = self._row_group(file, number, names, whole)
            parts.append(table if whole else table.slice(begin, rows))
        if not parts:
            return file.schema.empty_table().select(names)
        return parts[0] if len(parts) == 1 else pyarrow.concat_tables(parts)

    def _row_group(self, file: ParquetFile, number: int, names: "list[str]", whole: bool) -> "Any":
        """A group that is cut into several stretches is decoded once, not once for each."""
        key = (number, tuple(names))
        if self._group is not None and self._group[:2] == key:
            return self._group[2]
        self._group = None
        table = file.row_group(number, names)
        if not whole:
            self._group = (*key, table)
        return table
