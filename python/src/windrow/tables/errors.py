# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a table, in words that let its owner fix it."""


class TableError(Exception):
    """The message names the file, the line or row and the column where they are known, the reason,
    and what to change."""


class FinalError(TableError):
    """No other try ends otherwise: what is wrong is in what the user said, or in rows that are
    done."""


class Misfit(Exception):
    """The value at `index` of a column is not of the column's type. Never leaves the package."""

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.index = index


def place(path: str, line: int = 0, column: "str | None" = None, row: int = -1) -> str:
    """The beginning of a message. Lines are counted from 1, rows of binary files from 0."""
    text = path
    if line > 0:
        text += f" line {line}"
    if row >= 0:
        text += f" row {row}"
    if column is not None:
        text += f", column {column!r}"
    return text


def listed(names: "list[str]", most: int = 20) -> str:
    """Names for a message; not all of a table with thousands of columns."""
    shown = ", ".join(map(repr, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def shortened(value: object, most: int = 80) -> str:
    """A value for a message."""
    text = repr(value[:most] if isinstance(value, str) else value)
    return text if len(text) <= most else f"{text[:most]}..."


def cannot_be_made(what: str, target: str, fits_float: bool) -> str:
    """The end of a message: convert_column_types cannot take a value."""
    change = "convert to float" if target == "int" and fits_float else "convert to string"
    return f"{what} cannot be made {target} by convert_column_types; {change}, or repair the file"
