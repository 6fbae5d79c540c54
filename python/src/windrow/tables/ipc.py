# SPDX-License-Identifier: Apache-2.0
"""Tables of Arrow files: IPC files, IPC streams, and Feather, version 2.

An integer or bool column that has a missing value in some record batch of the files that the
description names is float64 or object in every mini-batch.
"""

from bisect import bisect_right

from windrow.tables.arrow_source import ArrowSource, changed
from windrow.tables.arrows import Schema, frame_of, null_columns
from windrow.tables.errors import TableError
from windrow.tables.ipc_nulls import columns_with_nulls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from windrow.tables.stretch import Stretch


class Ipc(ArrowSource):
    """Keeps the file mapped, and where its batches begin."""

    def sample(self, wanted: "set[str] | None") -> "Any":
        """The first rows of the first file."""
        schema = self._plan()
        path = self._settings.files[0]
        names = schema.wanted(wanted)
        table = self._file(path).rows(0, self._settings.sample_rows)
        return frame_of(table.select(names), schema, names, path, 0)

    def count(self, path: str, begin: int, end: "int | None") -> int:
        """How many rows there are before a row of a file; None: in all of it."""
        return int(end - begin if end is not None else self._file(path).count() - begin)

    def _decided(self) -> Schema:
        first = self._settings.files[0]
        schema = Schema(self._file(first).schema, first, self._settings.keeps_integers)
        missing: set[str] = set()
        for path in self._settings.files:
            file = self._file(path)
            schema.widen(file.schema, path)
            missing |= null_columns(file.schema)
            missing |= columns_with_nulls(path, file.schema, file.is_stream)
        schema.may_be_missing(missing & set(schema.integers_and_bools()))
        return schema

    def _opened(self, path: str) -> "_Batches":
        return _Batches(path)

    def _schema_of(self, file: "_Batches") -> "Any":
        return file.schema

    def _stretch(self, stretch: "Stretch", names: "list[str]") -> "Any":
        count = stretch.length or None
        try:
            table = self._file(stretch.path).rows(stretch.offset, count).select(names)
        except (OSError, ValueError) as error:
            raise TableError(f"{stretch.path}: cannot be read: {error}; is it complete?") from None
        if count is not None and table.num_rows != count:
            raise changed(stretch.path, stretch.offset + table.num_rows, stretch.offset + count)
        return table


class _Batches:
    """The record batches of one file, mapped into memory."""

    def __init__(self, path: str) -> None:
        try:
            import pyarrow
            from pyarrow import ipc
        except ImportError:
            raise TableError(f"{path}: Arrow files need `pyarrow` in the environment") from None
        with open(path, "rb") as file:
            start = file.read(8)
        if start.startswith(b"FEA1"):
            raise TableError(f"{path}: Feather, version 1; write it again with version 2")
        self._path, self.is_stream = path, not start.startswith(b"ARROW1")
        self._starts = [0]
        try:
            if not start:
                raise ValueError("the file is empty")
            mapped = pyarrow.memory_map(path)
            self._reader = ipc.open_stream(mapped) if self.is_stream else ipc.open_file(mapped)
        except (OSError, ValueError) as error:
            raise TableError(f"{path}: not an Arrow file: {error}; is it complete?") from None
        self.schema = self._reader.schema
        self._at, self._last = 0, None  # of a stream: how many were read, and the last of them

    def rows(self, first: int, count: "int | None") -> "Any":
        """So many rows, or all that follow, as an Arrow table; less at the end of the file."""
        import pyarrow

        parts = []
        number = max(0, bisect_right(self._starts, first) - 1)
        while count is None or count > 0:
            batch = self._batch(number)
            if batch is None:
                break
            begin = self._starts[number]
            number += 1
            low = first - begin
            if low >= batch.num_rows:
                continue
            part = batch.slice(low, batch.num_rows - low if count is None else count)
            parts.append(part)
            first += part.num_rows
            if count is not None:
                count -= part.num_rows
        return pyarrow.Table.from_batches(parts, self.schema)

    def count(self) -> int:
        """How many rows the file has."""
        number = len(self._starts) - 1
        while self._batch(number) is not None:
            number += 1
        return self._starts[number]

    def _from_stream(self, number: int) -> "Any":
        """A stream is read forwards, and again from its beginning for what was passed."""
        import pyarrow
        from pyarrow import ipc

        if number < self._at - 1:
            self._reader = ipc.open_stream(pyarrow.memory_map(self._path))
            self._at = 0
        while self._at <= number:
            try:
                self._last = self._reader.read_next_batch()
            except StopIteration:
                return None
            self._at += 1
        return self._last

    def _batch(self, number: int) -> "Any":
        """None behind the last one."""
        if not self.is_stream:
            if number >= self._reader.num_record_batches:
                return None
            batch = self._reader.get_batch(number)
        else:
            batch = self._from_stream(number)
            if batch is None:
                return None
        if len(self._starts) == number + 1:
            self._starts.append(self._starts[number] + batch.num_rows)
        return batch
