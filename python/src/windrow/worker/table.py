# SPDX-License-Identifier: Apache-2.0
"""Items that are rows of a table: from the names of stretches to the frame that run() gets.

Imported only for jobs with input_as: table.
"""

import sys

from windrow.tables.advice import advised
from windrow.tables.frames import reader_of
from windrow.tables.reader import TableError
from windrow.tables.settings import from_engine
from windrow.tables.stretch import parse
from windrow.worker.script import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


def _note(names: "list[str]", left_out: int) -> None:
    """Into the log of what the script prints."""
    stretch = parse(names[0])
    rows = "1 row was" if left_out == 1 else f"{left_out} rows were"
    print(
        f"windrow: {stretch.path}, the mini-batch from byte {stretch.offset} on: {rows} left out"
        " that cannot be read (ragged: skip, invalid_lines: drop)",
        file=sys.stderr,
    )


class TableRows:
    """Reads mini-batches. `names` and `first` are those of the latest: the names of its stretches,
    and the number of its first row in the whole input, if that is known."""

    __slots__ = ("_described", "_pandas", "_read", "_reader", "first", "names")

    counts = True  # the agent does not know how many rows there are

    def __init__(self, description: str) -> None:
        """Raises Refused when something is missing that every mini-batch needs."""
        table = from_engine(description)
        self._pandas = table.get("frame") in (None, "pandas")
        self._described = bool(table.get("partition_first"))  # by an MLTable file
        try:
            self._reader, self._read = reader_of(table)
            self._reader.check()
        except TableError as error:  # as it will be in every worker
            raise Refused from error
        self.names: list[str] = []
        self.first: int | None = None

    def load(self, names: "list[str]") -> "Any":
        """Raises TableError, and OSError when a file is gone."""
        self.names, self.first = names, None
        try:
            frame = self._read(names)
        except TableError as error:
            raise advised(error, self._described) from None
        self.first = self._reader.first_row(names)
        if self._reader.left_out and parse(names[0]).window is None:
            _note(names, self._reader.left_out)
        return frame

    @property
    def leaves_out(self) -> bool:
        """Whether frames may have fewer rows than the files."""
        return self._reader.leaves_rows_out()

    def count(self) -> "int | None":
        """How many rows the latest mini-batch has, where it could not be loaded."""
        try:
            return self._reader.count(self.names) or 1
        except Exception:  # what was wrong with it is told already
            return 1

    def first_row(self, names: "Sequence[str]") -> int:
        """The number of the first row of some stretches, counted where the names do not tell.
        Raises RuntimeError where the files before them are not known, and OSError."""
        try:
            return self._reader.counted_row(names)
        except TableError as error:
            raise RuntimeError(f"global_row_index_lower_bound is not known: {error}") from None

    def frame(self, items: "Any") -> "Any":
        """The latest mini-batch for a dataset: the DataFrame that run() gets, or, where that is
        something else, a function that reads one."""
        names = self.names
        return items if self._pandas else lambda: self._reader.frame(names)
