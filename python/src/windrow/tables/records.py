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
    tabs are no records."""

    __slots__ = ("blanks", "comment", "delimiter", "multi_line", "plain", "quote", "quoted")

    def __init__(self, settings: "Settings") -> None:
        self.delimiter, self.quote = settings.delimiter, settings.quote
        self.comment, self.multi_line = settings.comment, settings.multi_line
        self.blanks = " \t\r".replace(self.delimiter, "")
        stop = re.escape(self.delimiter) + r"\n"
        self.plain = re.compile(f"[^{stop}]*")
        if self.quote:
            mark = re.escape(self.quote)
            self.quoted = re.compile(f"{mark}((?:[^{mark}]|{mark}{mark})*){mark}([^{stop}]*)")


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
            match = dialect.quoted.match(text, position, limit)
            if match is None:
                raise ValueError
            rest = match[2]
            position = match.end()
            if position == limit or text[position] == "\n":
                rest = rest[:-1] if rest.endswith("\r") else rest
            fields.append(match[1].replace(dialect.quote * 2, dialect.quote) + rest)
        else:
            match = dialect.plain.match(text, position, limit)
            assert match is not None  # it may be empty
            value = match[0]
            position = match.end()
            if (position == limit or text[position] == "\n") and value.endswith("\r"):
                value = value[:-1]
            fields.append(value or None)
        if position == limit or text[position] == "\n":
            return fields, position
        position += 1
