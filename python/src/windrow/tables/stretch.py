# SPDX-License-Identifier: Apache-2.0
"""The name of a stretch of a table: FILE@OFFSET+LENGTH#ROW*ROWS, then perhaps /FIRST+COUNT.

OFFSET and LENGTH are bytes of text, and rows of Parquet and Arrow files; LENGTH 0 is the whole
file. ROW is the number of its first row in the whole input, ROWS how many it has; ROWS 0: neither
is known. /FIRST+COUNT leaves so many of the rows that remain after the transformations.
"""

import re

from windrow.tables.errors import TableError

_NAME = re.compile(r"(.*)@(\d+)\+(\d+)#(\d+)\*(\d+)(?:/(\d+)\+(\d+))?", re.DOTALL | re.ASCII)


class Stretch:
    """A part of one file that holds whole records."""

    __slots__ = ("length", "offset", "path", "row", "rows", "window")

    def __init__(self, path: str, numbers: "list[int]", window: "tuple[int, int] | None") -> None:
        self.path = path
        self.offset, self.length, self.row, self.rows = numbers
        self.window = window


def parse(name: str) -> Stretch:
    """Raises TableError."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise TableError(f"{name!r} is not the name of a stretch")
    window = None if match[6] is None else (int(match[6]), int(match[7]))
    return Stretch(match[1], [int(match[i]) for i in range(2, 6)], window)
