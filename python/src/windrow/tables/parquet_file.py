# SPDX-License-Identifier: Apache-2.0
"""One Parquet file: which rows its row groups hold, and how their columns are read fastest."""

import os
from bisect import bisect_right
from collections import Counter

from windrow.tables.arrows import integer_or_bool, null_columns
from windrow.tables.errors import TableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

# A text that is written by itself takes four bytes and its letters, a number of a dictionary half
# as much, so a column with less than this is nearly all numbers.
_BYTES_OF_REPEATED_TEXT = 3


class ParquetFile:
    """Stays open."""

    def __init__(self, path: str) -> None:
        """Raises TableError, OSError."""
        self._path = path
        self._file = _opened(path)
        self._metadata = self._file.metadata
        self.schema = self._file.schema_arrow
        self.rows = int(self._metadata.num_rows)
        self._ends: list[int] = []  # of the row groups: their last rows and one
        for group in self._groups():
            self._ends.append((self._ends[-1] if self._ends else 0) + group.num_rows)
        self._texts: dict[str, int] | None = None  # that repeat
        self._dictionaries: Any = None  # the same file, opened to read those as they are written

    def first(self, rows: int, names: "list[str]") -> "Any":
        """The first rows as an Arrow table."""
        import pyarrow

        batches, missing = [], rows
        for batch in self._file.iter_batches(rows, columns=names, use_threads=False):
            batches.append(batch.slice(0, missing))
            missing -= batch.num_rows
            if missing <= 0:
                break
        table = pyarrow.Table.from_batches(batches) if batches else self.schema.empty_table()
        return table.select(names)

    def groups_of(self, first: int, count: int) -> "Iterator[tuple[int, int, int, bool]]":
        """The row groups that hold some of the rows: number, first row in it, how many, and
        whether these are all of its rows."""
        number = bisect_right(self._ends, first)
        while count > 0 and number < len(self._ends):
            begin = self._ends[number - 1] if number else 0
            taken = min(first + count, self._ends[number]) - first
            if taken > 0:
                yield number, first - begin, taken, taken == self._ends[number] - begin
            first, count, number = first + taken, count - taken, number + 1

    def row_group(self, number: int, names: "list[str]") -> "Any":
        """An Arrow table. Text that repeats is decoded twice as fast by way of its dictionary."""
        import pyarrow

        if self._texts is None:
            self._texts = self._repeated_texts()
        texts = {name: i for name, i in self._texts.items() if name in names}
        group = self._metadata.row_group(number)
        if texts and all(_is_repeated(group.column(i)) for i in texts.values()):
            try:
                return self._by_dictionaries(number, names, list(texts))
            except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError):
                pass  # too much text for one array, perhaps: read as text, it becomes several
        return self._file.read_row_group(number, columns=names, use_threads=False).select(names)

    def columns_with_nulls(self) -> "set[str]":
        """Its columns of integers and bools in which a row group counts nulls, or counts none, and
        those that have no other values."""
        names = {field.name for field in self.schema if integer_or_bool(field.type)}
        found = null_columns(self.schema) if self.rows else set()
        doubtful = self._places(names)
        for group in self._groups():
            if group.num_rows == 0:
                continue
            for name, i in doubtful:
                statistics = group.column(i).statistics
                if statistics is None or not statistics.has_null_count or statistics.null_count:
                    found.add(name)
        return found

    def _groups(self) -> "Iterator[Any]":
        for number in range(self._metadata.num_row_groups):
            yield self._metadata.row_group(number)

    def _places(self, names: "set[str]") -> "list[tuple[str, int]]":
        """A column `a.b`, and the field `b` of a column `a`, have the same name here."""
        schema = self._metadata.schema
        paths = [schema.column(i).path for i in range(self._metadata.num_columns)]
        return [(path, i) for i, path in enumerate(paths) if path in names]

    def _repeated_texts(self) -> "dict[str, int]":
        """Columns of text that repeats in the first row group, and their places."""
        import pyarrow

        kinds = (pyarrow.string(), pyarrow.large_string())
        places = self._places({field.name for field in self.schema if field.type in kinds})
        if not self._ends:
            return {}
        first = self._metadata.row_group(0)
        count = Counter(name for name, _ in places)
        once = {name: i for name, i in places if count[name] == 1}
        return {name: i for name, i in once.items() if _is_repeated(first.column(i))}

    def _by_dictionaries(self, number: int, names: "list[str]", texts: "list[str]") -> "Any":
        from pyarrow import parquet

        if self._dictionaries is None:
            self._dictionaries = parquet.ParquetFile(
                self._path, metadata=self._metadata, read_dictionary=list(self._texts or ())
            )
        table = self._dictionaries.read_row_group(number, columns=names, use_threads=False)
        table = table.select(names)
        for name in texts:
            i, field = names.index(name), self.schema.field(name)
            table = table.set_column(i, field, table.column(i).cast(field.type))
        return table


def _is_repeated(column: "Any") -> bool:
    """Whether a column of a row group has no missing values, which dictionaries are slow with, and
    texts of a dictionary alone."""
    statistics = column.statistics
    if statistics is None or not statistics.has_null_count or statistics.null_count:
        return False
    size: int = column.total_uncompressed_size
    return bool(column.has_dictionary_page) and size < _BYTES_OF_REPEATED_TEXT * column.num_values


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
            reason = "not a Parquet file: it does not begin with PAR1"
        elif end != b"PAR1":
            reason = "the end of the file is missing; was it copied completely?"
        else:
            reason = str(error)
        raise TableError(f"{path}: {reason}") from None
