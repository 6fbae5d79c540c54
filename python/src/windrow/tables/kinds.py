# SPDX-License-Identifier: Apache-2.0
"""The types of columns of delimited text, and the exact conversion of text to them.

int and bool have no missing values; "bool?" is a bool column with some, made of Python objects as
pandas has it; a missing float is NaN, a missing datetime NaT. "int?" is integers of which some are
missing, for frames that have such: pandas has float64 in their place.
"""

import re

from windrow.tables import dates
from windrow.tables.errors import Misfit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

INT, UINT, INT_OR_NONE, FLOAT, BOOL, BOOL_OR_NONE, DATE, TEXT = (
    "int", "uint", "int?", "float", "bool", "bool?", "datetime", "text",
)  # fmt: skip

SPOKEN = {
    INT: "int64",
    UINT: "uint64",
    INT_OR_NONE: "int64",
    FLOAT: "float64",
    BOOL: "bool",
    BOOL_OR_NONE: "bool",
    DATE: "datetime64",
    TEXT: "text",
}

_INTEGER = re.compile(r"\s*[+-]?[0-9]+\s*")
_NUMBER = re.compile(
    r"\s*[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|inf|infinity|nan)\s*",
    re.IGNORECASE,
)
_DIGITS_MAX = 20
_RANGES = {INT: (-(1 << 63), (1 << 63) - 1), UINT: (0, (1 << 64) - 1)}


class Column:
    """One column of a table: its name, and how its text is read."""

    __slots__ = ("kind", "name", "style")

    def __init__(self, name: str, kind: str, style: "dates.Style | None" = None) -> None:
        self.name, self.kind, self.style = name, kind, style


class Words:
    """Which texts are missing values, and which are true and false."""

    __slots__ = ("false", "missing", "quoted_missing", "true")

    def __init__(
        self, missing: "list[str]", quoted_missing: bool, true: "list[str]", false: "list[str]"
    ) -> None:
        self.missing, self.quoted_missing = missing, quoted_missing
        self.true, self.false = true, false


MLTABLE_WORDS = Words(
    [""],
    False,
    ["1", "t", "T", "true", "True", "TRUE", "Y", "Yes", "YES"],
    ["0", "f", "F", "false", "False", "FALSE", "N", "No", "NO"],
)
# What pandas.read_csv documents as missing.
PANDAS_WORDS = Words(
    [
        "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND",
        "1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
    ],
    True,
    ["True", "TRUE", "true"],
    ["False", "FALSE", "false"],
)  # fmt: skip


def integer(text: str, kind: str = INT) -> "int | None":
    """None for what is not an integer, or does not fit."""
    if not _INTEGER.fullmatch(text):
        return None
    if len(text.strip().lstrip("+-0")) > _DIGITS_MAX:  # some Pythons refuse to look at these
        return None
    value = int(text)
    low, high = _RANGES[kind]
    return value if low <= value <= high else None


def number(text: str) -> "float | None":
    """None for what is not a number."""
    return float(text) if _NUMBER.fullmatch(text) else None


def converted(values: "list[str | None]", column: Column, words: Words) -> "Any":
    """A numpy array or pandas Series of the column's type. Raises Misfit. None is missing already;
    texts that count as missing are made so here."""
    if words.quoted_missing or len(words.missing) > 1:
        gone = set(words.missing)
        values = [None if value in gone else value for value in values]
    if column.kind == TEXT:
        return text_series(values)
    if column.kind == DATE:
        return _dates(values, column)
    import numpy

    if column.kind in (BOOL, BOOL_OR_NONE):
        known: dict[str, bool] = dict.fromkeys(words.true, True)
        known.update(dict.fromkeys(words.false, False))
        found = [_truth(value, known, i, column.kind) for i, value in enumerate(values)]
        return numpy.array(found, dtype=bool if column.kind == BOOL else object)
    if column.kind == FLOAT:
        return numpy.array([_float(value, i) for i, value in enumerate(values)], dtype="float64")
    if column.kind == INT_OR_NONE:
        return _nullable(values)
    integers = [_integer(value, column.kind, i) for i, value in enumerate(values)]
    return numpy.array(integers, dtype="int64" if column.kind == INT else "uint64")


def _truth(value: "str | None", known: "dict[str, bool]", i: int, kind: str) -> "bool | None":
    if value is None:
        if kind == BOOL:
            raise Misfit(i)
        return None
    found = known.get(value.strip())
    if found is None:
        raise Misfit(i)
    return found


def _float(value: "str | None", i: int) -> float:
    if value is None:
        return float("nan")
    found = number(value)
    if found is None:
        raise Misfit(i)
    return found


def _integer(value: "str | None", kind: str, i: int) -> int:
    found = None if value is None else integer(value, kind)
    if found is None:
        raise Misfit(i)
    return found


def _nullable(values: "list[str | None]") -> "Any":
    import pandas

    found = [None if value is None else _integer(value, INT, i) for i, value in enumerate(values)]
    return pandas.Series(pandas.array(found, dtype="Int64"))


def _dates(values: "list[str | None]", column: Column) -> "Any":
    import numpy

    day_first = column.style.day_first if column.style else None
    missing = -(1 << 63)
    numbers = []
    for i, value in enumerate(values):
        found = missing if value is None else dates.nanoseconds(value, day_first)
        if found is None:
            raise Misfit(i)
        numbers.append(found)
    return numpy.array(numbers, dtype="int64").view("datetime64[ns]")


def text_series(values: "list[str | None]") -> "Any":
    """Text in the type that this pandas uses for it."""
    import pandas

    return pandas.Series(values, dtype=pandas.Series([""]).dtype)
