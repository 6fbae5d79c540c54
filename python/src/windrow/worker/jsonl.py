# SPDX-License-Identifier: Apache-2.0
"""Items that are rows of JSON lines: from their names to what run() gets.

Imported only for jobs with input_as: jsonl. A name is "requests.jsonl:17@1234+66#16": line 17, the
66 bytes from byte 1234 on, row 16 of the whole input.
"""

import json
import os
import re

_NAME = re.compile(r"(.*):(\d+)@(\d+)\+(\d+)#(\d+)", re.DOTALL)


class RowError(Exception):
    """A row is not what it should be; the message says where it stands."""


class Rows:
    """Reads mini-batches. `names` and `first` are those of the latest: the names of its rows, and
    the number of its first row in the whole input."""

    __slots__ = ("first", "names")

    counts = False  # there is a name for every row

    def __init__(self) -> None:
        self.names: list[str] = []
        self.first: int | None = None

    def load(self, names: "list[str]") -> "list[dict[str, object]]":
        """Raises RowError, and OSError when a file is gone."""
        self.names, self.first = names, None
        rows = []
        opened, descriptor = "", -1
        try:
            for name in names:
                match = _NAME.fullmatch(name)
                if match is None:
                    raise RowError(f"{name!r} is not the name of a row")
                path, numbers = match[1], [int(match[i]) for i in range(2, 6)]
                if path != opened:
                    if descriptor >= 0:
                        os.close(descriptor)
                        descriptor = -1
                    descriptor, opened = os.open(path, os.O_RDONLY | os.O_CLOEXEC), path
                line, offset, length, row = numbers
                if self.first is None:
                    self.first = row
                rows.append(_parsed(os.pread(descriptor, length, offset), length, path, line))
        finally:
            if descriptor >= 0:
                os.close(descriptor)
        return rows

    def frame(self, _: object) -> None:
        """There is none."""


def _parsed(text: bytes, length: int, path: str, line: int) -> "dict[str, object]":
    if len(text) != length:
        raise RowError(f"{path} line {line}: the file is shorter than it was")
    try:
        row = json.loads(text.decode("utf-8-sig" if line == 1 else "utf-8"))
    except RecursionError:
        raise RowError(f"{path} line {line}: nested too deeply") from None
    except ValueError as error:  # no UTF-8, or no JSON
        raise RowError(f"{path} line {line}: {error}") from None
    if not isinstance(row, dict):
        raise RowError(f"{path} line {line}: {type(row).__name__} in place of an object")
    return row
