# SPDX-License-Identifier: Apache-2.0
"""Delimited text -> records, exactly and slowly: for samples, headers and messages.

This is the definition; the fast readers are used where they give the same.
"""

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from windrow.tables.settings import Settings


class OpenQuote(Exception):
    """A quoted field that begins in this line does not end where it must."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


class Dialect:
    """What separates records and fields. A record ends with LF or CR LF; a CR elsewhere is text.
    A quote means something only at the beginning of a field; two inside a quoted field are one;
    what follows a closing quote belongs to the field as it is. Lines of nothing but spaces and
    tabs are not records."""

    __slots__ = ("blanks", "comment", "delimiter", "multi_line", "plain", "quote")

    def __init__(self, settings: "Settings") -> None:
        self.delimiter, self.quote = settings.delimiter, settings.quote
        self.comment, self.multi_line = settings.comment, settings.multi_line
        self.blanks = " \t\r".replace(self.delimiter, "")
        stop = re.escape(self.delimiter) + r"\n"
        self.plain = re.compile(f"[^{stop}]*")


def records(text: str, dialect: Dialect) -> "Iterator[tuple[int, list[str | None]]]":
    """The line each record begins in, from 0 on, and its fields: None where there is nothing, and
    an empty text where there are two quotes. Raises OpenQuote."""
    position, line, size = 0, 0, len(text)
    while position < size:
        end = text.find("\n", position)
        if end < 0:
            end = size
        raw = text[position:end]
        if raw.endswith("\r"):
            raw = raw[:-1]
        comment = bool(dialect.comment) and raw.startswith(dialect.comment)
        if comment or not raw.strip(dialect.blanks):
            position, line = end + 1, line + 1
        elif dialect.quote and dialect.quote in raw:
            limit = size if dialect.multi_line else end
            try:
                fields, stop = _with_quotes(text, position, limit, dialect)
            except ValueError:
                raise OpenQuote(line) from None
            yield line, fields
            line += text.count("\n", position, stop) + 1
            position = stop + 1
        else:
            yield line, [field or None for field in raw.split(dialect.delimiter)]
            position, line = end + 1, line + 1


def _with_quotes(
    text: str, position: int, limit: int, dialect: Dialect
) -> "tuple[list[str | None], int]":
    """The fields of one record and where its line ends. Raises ValueError for an open quote."""
    fields: list[str | None] = []
    while True:
        if text.startswith(dialect.quote, position, limit):
            begin, position = position + 1, _closing(text, position + 1, limit, dialect.quote)
            inside = text[begin:position].replace(dialect.quote * 2, dialect.quote)
            rest, position = _plain(text, position + 1, limit, dialect)
            fields.append(inside + rest)
        else:
            value, position = _plain(text, position, limit, dialect)
            fields.append(value or None)
        if position == limit or text[position] == "\n":
            return fields, position
        position += 1


def _plain(text: str, position: int, limit: int, dialect: Dialect) -> "tuple[str, int]":
    """Text up to a delimiter or the end of the line, and where that is."""
    match = dialect.plain.match(text, position, limit)
    assert match is not None  # it may be empty
    value, end = match[0], match.end()
    if (end == limit or text[end] == "\n") and value.endswith("\r"):
        value = value[:-1]
    return value, end


def _closing(text: str, position: int, limit: int, quote: str) -> int:
    """Where a quoted field ends, looked for without a pattern: that would need a hundred times the
    memory of a long field. Two quotes may end one that nothing else ends. Raises ValueError."""
    pair = -1
    while True:
        end = text.find(quote, position, limit)
        if end >= 0 and not text.startswith(quote, end + 1, limit):
            return end
        if end < 0:
            if pair < 0:
                raise ValueError
            return pair
        pair, position = end, end + 2
