# SPDX-License-Identifier: Apache-2.0
"""Where the records of a delimited file begin, and what its columns are called."""

from windrow.tables import source
from windrow.tables.errors import TableError, place
from windrow.tables.records import Dialect, OpenQuote, records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from windrow.tables.settings import Settings

_START = 64 << 10
_HEAD_MAX = 64 << 20


class Head:
    """What stands before the records of a file. `fields`: of its header line, None without one.
    `end`: where the records begin, in bytes of UTF-8."""

    __slots__ = ("end", "fields")

    def __init__(self, fields: "list[str | None] | None", end: int) -> None:
        self.fields, self.end = fields, end


class Headers:
    """Which files have a header, and the names it gives. Remembers the file looked at last."""

    def __init__(self, settings: "Settings") -> None:
        self._settings = settings
        self._dialect = Dialect(settings)
        self._first_file: str | None = None
        self._last: tuple[str, list[str]] = ("", [])

    def first_file(self) -> str:
        """The first file that is not empty: it gives the names. "": there is none."""
        if self._first_file is None:
            self._first_file = ""
            for path in self._settings.files:
                data, _ = source.prefix(path, _START)
                data = source.utf8(data, path, 0, self._settings.encoding)
                if data.strip(b" \t\r\n"):
                    self._first_file = path
                    break
        return self._first_file

    def has_header(self, path: str) -> bool:
        """Whether the first record of a file is names."""
        mode = self._settings.header
        if mode == "from_first_file":
            return path == self.first_file()
        return mode != "no_header"

    def head(self, data: bytes, path: str) -> "Head | None":
        """Of a file that begins with `data`; None when the head does not end within it."""
        position = 0
        for _ in range(self._settings.skip_lines):
            position = data.find(b"\n", position) + 1
            if position == 0:
                return None
        if not self.has_header(path):
            return Head(None, position)
        return self._header(data, position, path)

    def _header(self, data: bytes, position: int, path: str) -> "Head | None":
        comment, quote = self._settings.comment.encode(), self._settings.quote.encode()
        blanks = self._dialect.blanks.encode()
        while True:
            end = data.find(b"\n", position)
            if end < 0:
                return None
            line = data[position:end]
            if line.strip(blanks) and not (comment and line.startswith(comment)):
                break
            position = end + 1
        if quote and self._settings.multi_line:
            while data.count(quote, position, end) % 2:
                end = data.find(b"\n", end + 1)
                if end < 0:
                    return None
        lines = data.count(b"\n", 0, position)
        line = data[position:end].rstrip(b"\r")
        if b"\r" in line and not (quote and quote in line):
            raise TableError(
                f"{place(path, lines + 1)}: lines end with a carriage return alone; write the file"
                " again with line feeds, as `tr '\\r' '\\n'` does"
            )
        text = source.decoded(data[position : end + 1], path, lines)
        try:
            return Head(next(records(text, self._dialect))[1], end + 1)
        except OpenQuote:
            raise TableError(open_quote(path, lines + 1, self._settings.multi_line)) from None

    def names_of(self, path: str) -> "list[str]":
        """The names that the header of one file gives; [] when it has no records at all."""
        if self._last[0] != path:
            head = self.read_head(path)
            self._last = (path, named(head.fields) if head and head.fields is not None else [])
        return self._last[1]

    def read_head(self, path: str) -> "Head | None":
        """None: the file ends before its first record."""
        size = _START
        while size <= _HEAD_MAX:
            data, complete = source.prefix(path, size)
            data = source.utf8(data, path, 0, self._settings.encoding) if complete else data
            if complete and not data.endswith(b"\n"):
                data += b"\n"
            elif not complete:
                data = self._whole_characters(data, path)
            head = self.head(data, path)
            if head is not None or complete:
                return head
            size *= 4
        raise TableError(
            f"{path}: no header in the first {_HEAD_MAX >> 20} MB; is this delimited text?"
        )

    def _whole_characters(self, data: bytes, path: str) -> bytes:
        """A piece of a file in UTF-8, up to the last end of a line."""
        wide = {"utf-16": 2, "utf-32": 4}.get(self._settings.encoding, 1)
        if wide > 1:  # the line end is looked for after decoding
            text = source.utf8(data[: len(data) // 4 * 4 - 4], path, 0, self._settings.encoding)
        else:
            text = source.utf8(data, path, 0, self._settings.encoding)
        return text[: text.rfind(b"\n") + 1]


def named(fields: "list[str | None]") -> "list[str]":
    """Names of columns: without spaces around them, never empty, never twice the same."""
    names: list[str] = []
    taken: set[str] = set()
    number = 1
    for place_, field in enumerate(fields, 1):
        name = (field or "").strip() or f"Column{place_}"
        while name in taken:
            name = f"{name}_{number}"
            number += 1
        taken.add(name)
        names.append(name)
    return names


def is_other(names: "list[str]", expected: "list[str]", settings: "Settings") -> bool:
    """Whether values would stand under wrong names. An MLTable file may name other columns, as long
    as it is not the same ones in another order: there that is taken for a header all the same."""
    if settings.header != "all_files_same_headers" or names == expected:
        return False
    return settings.pandas_types or sorted(names) == sorted(expected)


def open_quote(path: str, line: int, multi_line: bool) -> str:
    """The message for a quoted field that does not end."""
    what = f"{place(path, line)}: a quoted field begins here and "
    if multi_line:
        return what + "does not end; close it"
    return what + (
        "does not end in this line; close it, or set support_multi_line: true if fields may hold"
        " line breaks"
    )
