# SPDX-License-Identifier: Apache-2.0
"""Tables of delimited text: one plan from the first rows, then stretches read by it."""

import re

from windrow.tables import fast_arrow, fast_pandas, infer, kinds, source
from windrow.tables.errors import (
    Misfit,
    TableError,
    cannot_be_made,
    listed,
    place,
    shortened,
)
from windrow.tables.header import Headers, is_other, named, open_quote
from windrow.tables.kinds import Column
from windrow.tables.records import Dialect, OpenQuote, records
from windrow.tables.sample import Sample, other_delimiter
from windrow.tables.stretch import Stretch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from windrow.tables.convert import Conversion
    from windrow.tables.settings import Settings

WHAT_TO_CHANGE = (
    "give the column its type with convert_column_types, or read all columns as text with"
    " infer_column_types: false, or allow mixed types"
)

_INFERRED = {"datetime": (kinds.DATE,), "boolean": (kinds.BOOL, kinds.BOOL_OR_NONE)}
_BLANK_LINE = re.compile(rb"^[ \t]+\r?$", re.MULTILINE)


class Delimited:
    """Reads stretches. Opens no file before the first call. `left_out`: how many rows of the latest
    stretch had too many or too few fields and are to be skipped."""

    def __init__(self, settings: "Settings", direct: "Callable[[str], Conversion | None]") -> None:
        """`direct`: what converts a column: it is read as it stands, so that the conversion sees
        the text of the file."""
        self._settings, self._direct = settings, direct
        self._headers = Headers(settings)
        self._dialect = Dialect(settings)
        self._columns: list[Column] = []
        self._sample: Sample | None = None
        words = kinds.PANDAS_WORDS if settings.pandas_types else kinds.MLTABLE_WORDS
        if settings.empty_as_string:
            words = kinds.Words(words.missing[1:], words.quoted_missing, words.true, words.false)
        self._words = words
        self.left_out = 0

    def columns(self) -> "list[str]":
        """The names of all columns of the table."""
        self._plan()
        return [column.name for column in self._columns]

    def sample(self, wanted: "set[str] | None") -> "Any":
        """The first rows of the table, with their types."""
        import pandas

        sample = self._plan()
        done = {}
        for i, column in enumerate(self._columns):
            if wanted is None or column.name in wanted:
                values = [row[i] for row in sample.rows]
                done[column.name] = self._first_values(values, column)
        return pandas.DataFrame(done)

    def _first_values(self, values: "list[str | None]", column: Column) -> "Any":
        """What cannot be made float is left out: the mini-batch that has it will say so."""
        values = list(values)
        while True:
            try:
                return kinds.converted(values, column, self._words)
            except Misfit as misfit:
                if column.kind != kinds.FLOAT:
                    raise
                values[misfit.index] = None

    def _plan(self) -> Sample:
        if self._sample is None:
            sample = Sample(self._settings, self._headers, self._dialect)
            columns = infer.decide(sample.names, sample.rows, self._settings)
            texts = [[row[i] for row in sample.rows] for i in range(len(columns))]
            self._columns = [self._as_converted(*pair) for pair in zip(columns, texts)]
            self._sample = sample
        return self._sample

    def _as_converted(self, column: Column, texts: "list[str | None]") -> Column:
        """Dates and truth values that were inferred stay, unless the conversion tells otherwise."""
        conversion = self._direct(column.name)
        if conversion is None:
            return column
        inferred = column.kind in _INFERRED.get(conversion.target, ())
        if inferred and not conversion.overrules(
            texts, kinds.converted(texts, column, self._words)
        ):
            return column
        return Column(column.name, kinds.FLOAT if conversion.target == "float" else kinds.TEXT)

    def read(self, stretch: "Stretch", wanted: "set[str] | None") -> "Any":
        """A DataFrame with the wanted columns, or all. Raises TableError, OSError."""
        self._plan()
        self.left_out = 0
        piece = _Piece(stretch, self._settings)
        if stretch.offset == 0:
            piece.cut_head(self._headers)
            self._check_names(piece, stretch.path)
        layout = self._layout(stretch.path, wanted)
        columns = [None if i is None else self._columns[i] for i in layout]
        columns = [c if c and (wanted is None or c.name in wanted) else None for c in columns]
        frame = self._frame(piece, columns)
        if stretch.rows and len(frame) != stretch.rows and self._settings.ragged != "skip":
            raise TableError(
                f"{stretch.path}: {len(frame)} records where there were {stretch.rows} when the"
                " job began; input must not change while a job runs"
            )
        return self._completed(frame, wanted, stretch.path)

    def _frame(self, piece: "_Piece", columns: "list[Column | None]") -> "Any":
        """By the fast reader; where that is not sure, part by part, so that the exact one need not
        look at more than it must."""
        import pandas

        frame = self._fast(piece, columns)
        if frame is not None:
            return frame
        parts = [] if self._settings.multi_line else piece.parts()
        if len(parts) < 2:
            return self._exact(piece, columns)
        return pandas.concat([self._frame(part, columns) for part in parts], ignore_index=True)

    def object_type(self, name: str) -> "Any":
        """The Arrow type of a column that a frame has as objects."""
        import pyarrow

        for column in self._columns:
            if column.name == name and column.kind == kinds.BOOL_OR_NONE:
                return pyarrow.bool_()
        return pyarrow.string()

    def where(self, stretch: "Stretch", row: int) -> str:
        """The file and line of a row of a stretch."""
        piece = _Piece(stretch, self._settings)
        if stretch.offset == 0:
            piece.cut_head(self._headers)
        _, lines, _ = self._records(piece, len(self._layout(stretch.path, set())))
        return place(stretch.path, piece.line(lines[row]))

    def count(self, path: str, begin: int, end: "int | None") -> int:
        """How many records begin in some bytes of a file; None: up to its end."""
        total = 0
        while end is None or begin < end:
            length = source.whole_lines(path, begin, end, self._settings)
            if length == 0:
                break
            part = Stretch(path, [begin, max(0, length), 0, 0], None)
            piece = _Piece(part, self._settings)
            if begin == 0:
                piece.cut_head(self._headers)
            total += self._count(piece)
            if length < 0:  # all of a file that can only be read as a whole
                break
            begin += length
        return total

    def _count(self, piece: "_Piece") -> int:
        settings = self._settings
        quotes = bool(settings.quote) and settings.quote.encode() in piece.data
        if settings.ragged == "skip":
            self._plan()
            return len(self._records(piece, len(self._layout(piece.path, set())))[0])
        if settings.comment or (quotes and settings.multi_line):
            try:
                return sum(1 for _ in records(piece.text(), self._dialect))
            except OpenQuote as quote:
                raise TableError(self._open_quote(piece, quote)) from None
        return _lines(piece.data, self._dialect.blanks)

    def _check_names(self, piece: "_Piece", path: str) -> None:
        expected = self._plan().header
        if piece.names is None or not is_other(piece.names, expected, self._settings):
            return
        first = self._headers.first_file()
        if sorted(piece.names) == sorted(expected):
            raise TableError(
                f"{path}: the header has the columns of {first} in another order; set header:"
                " all_files_different_headers"
            )
        raise TableError(
            f"{path}: the header has the columns {listed(piece.names)}, and that of {first}"
            f" {listed(expected)}; set header: all_files_different_headers to go by their names, or"
            " from_first_file where other files have no header"
        )

    def _layout(self, path: str, wanted: "set[str] | None") -> "list[int | None]":
        """Which column each field of a record of this file is."""
        if self._settings.header != "all_files_different_headers":
            return list(range(len(self._columns)))
        index: dict[str, int] = {column.name: i for i, column in enumerate(self._columns)}
        names = self._headers.names_of(path)
        layout = [index.get(name) for name in names]
        unknown = [name for name in names if name not in index]
        if unknown and wanted is None:
            raise TableError(
                f"{path}: column {unknown[0]!r} is in none of the first files, which have"
                f" {listed(list(index))}; leave it out with keep_columns"
            )
        while f"Column{len(layout) + 1}" in index:
            layout.append(index[f"Column{len(layout) + 1}"])
        return layout

    def _fast(self, piece: "_Piece", columns: "list[Column | None]") -> "Any":
        """None when only the exact reader can tell."""
        data = piece.data
        settings = self._settings
        if settings.comment and settings.comment.encode() in data:
            if settings.multi_line and settings.quote.encode() in data:
                return None
            line = b"^" + re.escape(settings.comment.encode()) + rb"[^\n]*(?:\n|\Z)"
            data = re.sub(line, b"", data, flags=re.MULTILINE)
        if not any(columns) or not data or data.isspace():
            return None
        if len(columns) == 1 and _BLANK_LINE.search(data):
            return None
        if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
            return None
        reader = fast_arrow if fast_arrow.available() else fast_pandas
        try:
            frame, left_out = reader.read(data, columns, settings, self._words)
        except fast_arrow.Unsure:
            return None
        self.left_out += left_out
        return frame

    def _exact(self, piece: "_Piece", columns: "list[Column | None]") -> "Any":
        import pandas

        rows, lines, left_out = self._records(piece, len(columns))
        self.left_out += left_out
        done = {}
        for i, column in enumerate(columns):
            if column is None:
                continue
            values = [row[i] for row in rows]
            if self._settings.empty_as_string:
                values = [value or "" for value in values]
            try:
                done[column.name] = kinds.converted(values, column, self._words)
            except Misfit as misfit:
                line = piece.line(lines[misfit.index])
                conversion = self._direct(column.name)
                said = _no_float if conversion and conversion.target == "float" else _misfit
                raise TableError(said(piece.path, line, column, values[misfit.index])) from None
        return pandas.DataFrame(done, index=range(len(rows)))

    def _records(
        self, piece: "_Piece", width: int
    ) -> "tuple[list[list[str | None]], list[int], int]":
        """Rows, their lines, and how many were left out."""
        rows, lines, left_out = [], [], 0
        try:
            for line, fields in records(piece.text(), self._dialect):
                if len(fields) != width:
                    if self._settings.ragged == "skip":
                        left_out += 1
                        continue
                    if self._settings.ragged == "error" or len(fields) > width:
                        names = [column.name for column in self._columns]
                        where = place(piece.path, piece.line(line))
                        raise TableError(ragged(where, len(fields), width, names, self._settings))
                    fields = fields + [None] * (width - len(fields))
                rows.append(fields)
                lines.append(line)
        except OpenQuote as quote:
            raise TableError(self._open_quote(piece, quote)) from None
        return rows, lines, left_out

    def _open_quote(self, piece: "_Piece", quote: OpenQuote) -> str:
        return open_quote(piece.path, piece.line(quote.line), self._settings.multi_line)

    def _completed(self, frame: "Any", wanted: "set[str] | None", path: str) -> "Any":
        """With the columns that this file does not have, in the order of the table."""
        names = [c.name for c in self._columns if wanted is None or c.name in wanted]
        if list(frame.columns) == names:
            return frame
        for column in self._columns:
            if column.name not in names or column.name in frame.columns:
                continue
            try:
                values: list[str | None] = [None] * len(frame)
                frame[column.name] = kinds.converted(values, column, self._words)
            except Misfit:
                raise TableError(
                    f"{place(path, 0, column.name)}: the file has no such column, and"
                    f" {kinds.SPOKEN[column.kind]} (decided from the first rows) has no missing"
                    f" values; {WHAT_TO_CHANGE}"
                ) from None
        return frame[names]


class _Piece:
    """The text of one stretch in UTF-8, from its first record on."""

    __slots__ = ("_skipped", "_stretch", "data", "names", "path")

    _PART = 256 << 10

    def __init__(self, stretch: "Stretch", settings: "Settings") -> None:
        self._stretch, self.path = stretch, stretch.path
        data = source.read(stretch, settings)
        self.data = source.utf8(data, stretch.path, stretch.offset, settings.encoding)
        self.names: list[str] | None = None
        self._skipped = 0

    def cut_head(self, headers: Headers) -> None:
        head = headers.head(self.data, self.path)
        if head is None:
            head = headers.head(self.data + b"\n", self.path)
        end = head.end if head else len(self.data)
        if head and head.fields is not None:
            self.names = named(head.fields)
        self._skipped = self.data.count(b"\n", 0, end)
        self.data = self.data[end:]

    def parts(self) -> "list[_Piece]":
        """Some lines each."""
        found = []
        begin, line = 0, self._skipped
        while begin < len(self.data):
            end = self.data.find(b"\n", min(begin + self._PART, len(self.data))) + 1
            part: _Piece = _Piece.__new__(_Piece)
            part._stretch, part.path, part.names = self._stretch, self.path, None
            part._skipped, part.data = line, self.data[begin : end or len(self.data)]
            found.append(part)
            begin, line = end or len(self.data), line + part.data.count(b"\n")
        return found

    def line(self, line: int) -> int:
        """The number, from 1 on, in the file."""
        offset = self._stretch.offset
        before = source.lines_before(self.path, offset) if offset else 0
        return before + self._skipped + line + 1

    def text(self) -> str:
        try:
            return self.data.decode("utf-8")
        except UnicodeDecodeError:
            return source.decoded(self.data, self.path, self.line(0) - 1)


def _lines(data: bytes, blanks: str) -> int:
    """Lines that are not blank."""
    return sum(1 for line in data.split(b"\n") if line.strip(blanks.encode()))


def ragged(where: str, fields: int, width: int, names: "list[str]", settings: "Settings") -> str:
    """The message for a record with another number of fields than the header."""
    columns = f"{width} columns" if width != 1 else "1 column"
    have = f"{fields} fields" if fields != 1 else "1 field"
    text = f"{where}: {have} where the table has {columns}"
    other = other_delimiter(names, settings)
    if other:
        text += f", {listed(names)}; set delimiter: {other!r} if that stands between fields"
    if settings.ragged == "fill":
        return text + "; fields beyond those of the first rows have no column: set ragged: skip"
    return text + "; set ragged: skip to leave such rows out, or ragged: fill to fill them"


def _misfit(path: str, line: int, column: Column, value: "str | None") -> str:
    what = "a missing value" if value is None else shortened(value)
    kind = kinds.SPOKEN[column.kind]
    return (
        f"{place(path, line, column.name)}: {what} does not fit {kind}, the type decided from the"
        f" first rows of the table; {WHAT_TO_CHANGE}"
    )


def _no_float(path: str, line: int, column: Column, value: "str | None") -> str:
    """The message for a column that convert_column_types makes float."""
    return f"{place(path, line, column.name)}: {cannot_be_made(shortened(value), 'float', False)}"
