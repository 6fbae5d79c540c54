# SPDX-License-Identifier: Apache-2.0
"""The first rows of delimited text: the columns of a table and the text their types are told by."""

from windrow.tables import source
from windrow.tables.errors import TableError, listed, place
from windrow.tables.header import Headers, is_other, named, open_quote
from windrow.tables.records import Dialect, OpenQuote, records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from windrow.tables.settings import Settings

_START = 64 << 10
_RECORD_MAX = 256 << 20
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
            self._take(path, left)
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
            names.update(dict.fromkeys(self._headers.names_of(path)))
        return list(names)

    def _take(self, path: str, count: int) -> None:
        found = self._first_records(path, count)
        fills = self._settings.ragged == "fill"
        apart = self._settings.header == "all_files_different_headers"
        own = list(self._headers.names_of(path)) if apart else self.names
        if not own and found:  # no header: as many as the first record has
            own.extend(f"Column{i + 1}" for i in range(len(found[0][1])))
        for line, fields in found:
            while fills and len(own) < len(fields):
                own.append(f"Column{len(own) + 1}")
                if apart and own[-1] not in self.names:
                    self.names.append(own[-1])
            if len(fields) != len(own) and not fills:
                if self._settings.ragged == "skip":
                    continue
                from windrow.tables.delimited import ragged

                where = place(path, line)
                raise TableError(ragged(where, len(fields), len(own), own, self._settings))
            self.rows.append(self._placed(fields, own) if apart else list(fields))

    def _placed(self, fields: "list[str | None]", own: "list[str]") -> "list[str | None]":
        """In the order of the table."""
        values = dict(zip(own, fields))
        return [values.get(name) for name in self.names]

    def _first_records(self, path: str, count: int) -> "list[tuple[int, list[str | None]]]":
        """With their lines, from 1 on."""
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
            found = self._parsed(data, head.end, path, count, complete) if head else []
            if complete or len(found) >= count:
                return found
            if not found and size >= _RECORD_MAX:
                raise TableError(
                    f"{path}: no record in the first {size >> 20} MB; is this delimited text?"
                )
            size *= 4

    def _parsed(
        self, data: bytes, start: int, path: str, count: int, complete: bool
    ) -> "list[tuple[int, list[str | None]]]":
        before = data.count(b"\n", 0, start)
        text = source.decoded(data[start:], path, before)
        found: list[tuple[int, list[str | None]]] = []
        try:
            for line, fields in records(text, self._dialect):
                found.append((before + line + 1, fields))
                if len(found) == count:
                    break
        except OpenQuote as quote:
            if complete or not self._settings.multi_line:
                line = before + quote.line + 1
                raise TableError(open_quote(path, line, self._settings.multi_line)) from None
        return found

    def _check_delimiter(self) -> None:
        """One column whose name and values all hold the same number of another delimiter."""
        other = other_delimiter(self.names, self._settings)
        count = self.names[0].count(other) if other else 0
        if count and self.rows and all((row[0] or "").count(other) == count for row in self.rows):
            raise TableError(
                f"{self._headers.first_file()}: with delimiter {self._settings.delimiter!r} there"
                f" is one column, {listed(self.names)}; set delimiter: {other!r}"
            )


def other_delimiter(names: "list[str]", settings: "Settings") -> str:
    """What probably stands between fields in place of the delimiter that is set: the name of the
    only column holds it. "": nothing."""
    if len(names) != 1 or settings.delimiter not in _DELIMITERS:
        return ""
    other = max(_DELIMITERS.replace(settings.delimiter, ""), key=names[0].count)
    return other if other in names[0] else ""
