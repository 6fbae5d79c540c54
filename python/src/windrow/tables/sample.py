# SPDX-License-Identifier: Apache-2.0
"""The first rows of delimited text: the columns of a table and the text their types are told by.

Rows and files that cannot be read are left out: the mini-batch that has them will say so.
"""

import re

from windrow.tables import source
from windrow.tables.errors import TableError, listed
from windrow.tables.header import Headers, is_other, named
from windrow.tables.records import Dialect, OpenQuote, records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from windrow.tables.settings import Settings

_START = 64 << 10
_RECORD_MAX = 256 << 20
_NO_UTF8 = re.compile("[\udc80-\udcff]")
_DELIMITERS = ",;\t|"


class Sample:
    """`names`: of all columns. `header`: those that a header gives. `rows`: texts in their order;
    None where nothing stands."""

    def __init__(self, settings: "Settings", headers: Headers, dialect: Dialect) -> None:
        self._settings, self._headers, self._dialect = settings, headers, dialect
        self.header = self._header_names()
        self.names = list(self.header)
        self.rows: list[list[str | None]] = []
        for path in settings.files:
            left = settings.sample_rows - len(self.rows)
            if left <= 0:
                break
            try:
                self._take(path, left)
            except TableError:
                if path == headers.first_file():
                    raise
        for row in self.rows:
            row.extend([None] * (len(self.names) - len(row)))
        if settings.empty_as_string:
            self.rows = [[value or "" for value in row] for row in self.rows]
        self._check_delimiter()

    def _header_names(self) -> "list[str]":
        mode = self._settings.header
        if mode == "no_header":
            return []
        if mode != "all_files_different_headers":
            first = self._headers.first_file()
            return list(self._headers.names_of(first)) if first else []
        names: dict[str, None] = {}
        for path in self._settings.files:
            try:
                names.update(dict.fromkeys(self._headers.names_of(path)))
            except TableError:
                if path == self._headers.first_file():
                    raise
        return list(names)

    def _take(self, path: str, count: int) -> None:
        found = self._first_records(path, count)
        fills = self._settings.ragged == "fill"
        apart = self._settings.header == "all_files_different_headers"
        own = list(self._headers.names_of(path)) if apart else self.names
        if not own and found:  # no header: as many as the first record has
            own.extend(f"Column{i + 1}" for i in range(len(found[0])))
        for fields in found:
            while fills and len(own) < len(fields):
                own.append(f"Column{len(own) + 1}")
                if apart and own[-1] not in self.names:
                    self.names.append(own[-1])
            if len(fields) != len(own) and not fills:
                continue
            self.rows.append(self._placed(fields, own) if apart else list(fields))

    def _placed(self, fields: "list[str | None]", own: "list[str]") -> "list[str | None]":
        """In the order of the table."""
        values = dict(zip(own, fields))
        return [values.get(name) for name in self.names]

    def _first_records(self, path: str, count: int) -> "list[list[str | None]]":
        """Of so many, those that can be read."""
        size = _START
        while True:
            data, complete = source.prefix(path, size)
            if not complete and self._settings.encoding in ("utf-16", "utf-32"):
                data = data[: len(data) // 4 * 4 - 4]
            data = source.utf8(data, path, 0, self._settings.encoding)
            if not complete:
                data = data[: data.rfind(b"\n") + 1]
            elif data and not data.endswith(b"\n"):
                data += b"\n"
            head = self._headers.head(data, path)
            names = named(head.fields) if head and head.fields is not None else self.header
            if is_other(names, self.header, self._settings):
                return []  # its own mini-batches will say so
            text = source.first_text(data[head.end :] if head else b"", path)
            found, seen = self._parsed(text, count)
            if complete or seen >= count or (found and size >= _RECORD_MAX):
                return found
            if size >= _RECORD_MAX:
                raise TableError(
                    f"{path}: no record in the first {size >> 20} MB; is this delimited text?"
                )
            size *= 4

    def _parsed(self, text: str, count: int) -> "tuple[list[list[str | None]], int]":
        """Records that can be read, and how many were looked at."""
        found: list[list[str | None]] = []
        seen = 0
        while seen < count:
            try:
                for _, fields in records(text, self._dialect):
                    seen += 1
                    if _is_utf8(fields):
                        found.append(fields)
                    if seen == count:
                        break
                break
            except OpenQuote as quote:
                if self._settings.multi_line:
                    break  # whatever follows is in quotes
                seen += 1
                text = "".join(text.split("\n", quote.line + 1)[quote.line + 1 :])
        return found, seen

    def _check_delimiter(self) -> None:
        """One column whose name and values all hold the same number of another delimiter."""
        other = other_delimiter(self.names, self._settings)
        count = self.names[0].count(other) if other else 0
        if count and self.rows and all((row[0] or "").count(other) == count for row in self.rows):
            raise TableError(
                f"{self._headers.first_file()}: with delimiter {self._settings.delimiter!r} there"
                f" is one column, {listed(self.names)}; set delimiter: {other!r}"
            )


def _is_utf8(fields: "list[str | None]") -> bool:
    """Whether source.first_text() found nothing else in them."""
    return not any(_NO_UTF8.search(field) for field in fields if field and not field.isascii())


def other_delimiter(names: "list[str]", settings: "Settings") -> str:
    """What probably stands between fields in place of the delimiter that is set: the name of the
    only column holds it. "": nothing."""
    if len(names) != 1 or settings.delimiter not in _DELIMITERS:
        return ""
    other = max(_DELIMITERS.replace(settings.delimiter, ""), key=names[0].count)
    return other if other in names[0] else ""
