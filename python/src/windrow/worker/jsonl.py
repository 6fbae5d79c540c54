# SPDX-License-Identifier: Apache-2.0
"""Items that are rows of JSON lines: from their names to what run() gets.

Imported only for jobs with input_as: jsonl. A name is "requests.jsonl:17@1234+66#16": line 17, the
66 bytes from byte 1234 on, row 16 of the whole input.
"""

import os
import re

from windrow.tables.json_line import document, parsed
from windrow.tables.source import MAGIC_BYTES, compression_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_HEAD = 64 << 10  # bytes that tell what a file is

_NAME = re.compile(r"(.*):(\d+)@(\d+)\+(\d+)#(\d+)", re.DOTALL)


class RowError(Exception):
    """A row is not what it should be; the message says where it stands."""


class Rows:
    """Reads mini-batches. `names` and `first` are those of the latest: the names of its rows, and
    the number of its first row in the whole input."""

    __slots__ = ("first", "names")

    counts = False  # there is a name for every row
    leaves_out = False

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
                path, *numbers = match.groups()
                if path != opened:
                    if descriptor >= 0:
                        os.close(descriptor)
                        descriptor = -1
                    descriptor, opened = os.open(path, os.O_RDONLY | os.O_CLOEXEC), path
                line, offset, length, number = map(int, numbers)
                if self.first is None:
                    self.first = number
                row, reason = _parsed(os.pread(descriptor, length, offset), length, line)
                if reason:
                    reason = _packed(descriptor) or _document(descriptor, offset) or reason
                    raise RowError(f"{path} line {line}: {reason}")
                rows.append(row)
        finally:
            if descriptor >= 0:
                os.close(descriptor)
        return rows

    def count(self) -> "int | None":
        """The agent knows."""
        return None

    def first_row(self, _: "Sequence[str]") -> int:
        """The names tell: nothing is left to count."""
        assert self.first is not None
        return self.first

    def frame(self, _: object) -> None:
        """There is none."""


def _parsed(data: bytes, length: int, line: int) -> "tuple[dict[str, object], str]":
    """A row, or {} and what is wrong with it."""
    if len(data) != length:
        return {}, "the file is shorter than it was"
    try:
        text = data.decode("utf-8-sig" if line == 1 else "utf-8")
    except UnicodeDecodeError as error:
        return {}, f"byte {data[error.start]:#04x} is not UTF-8"
    return parsed(text)


def _packed(descriptor: int) -> str:
    """What to say of a file that is compressed."""
    kind = compression_of(os.pread(descriptor, MAGIC_BYTES, 0))
    if not kind:
        return ""
    return f"the file is compressed ({kind}); unpack it, or read it with --as table"


def _document(descriptor: int, offset: int) -> str:
    """What is wrong with the whole file, told by its first row."""
    before = os.pread(descriptor, min(offset, _HEAD), 0)
    if offset > _HEAD or before.strip(b"\xef\xbb\xbf \t\r\n"):
        return ""
    lines = os.pread(descriptor, _HEAD, offset).decode("utf-8-sig", "replace").split("\n")
    return document(lines)
