# SPDX-License-Identifier: Apache-2.0
"""The types of delimited text, decided once from the first rows of a table."""

import csv
import io

from windrow.tables import dates, kinds
from windrow.tables.errors import TableError, listed
from windrow.tables.kinds import Column

TYPE_CHECKING = False
if TYPE_CHECKING:
    from windrow.tables.settings import Settings

_NULLABLE = {kinds.INT: kinds.INT_OR_NONE, kinds.BOOL: kinds.BOOL_OR_NONE}


def decide(
    names: "list[str]", rows: "list[list[str | None]]", settings: "Settings"
) -> "list[Column]":
    """One column per name. With mixed_types nothing that is inferred can be relied on: a later
    value may be of any type, and all mini-batches must be alike; so every column is text."""
    for name in settings.text_columns if names else []:
        if name not in names:
            raise TableError(f"text_columns: there is no column {name!r}, only {listed(names)}")
    if not settings.infers or settings.mixed_types:
        return [Column(name, kinds.TEXT) for name in names]
    columns = [[row[i] for row in rows] for i in range(len(names))]
    if settings.pandas_types and rows:
        decided = _as_pandas(names, columns, settings.empty_as_string)
    else:
        decided = [_as_mltable(name, values) for name, values in zip(names, columns)]
    if settings.keeps_integers:
        decided = [_nullable(*pair, settings) for pair in zip(decided, columns)]
    text = set(settings.text_columns)
    return [Column(one.name, kinds.TEXT) if one.name in text else one for one in decided]


def _nullable(column: Column, values: "list[str | None]", settings: "Settings") -> Column:
    """A column that may have missing values whatever the first rows have: integers, where missing
    values alone have made floats of them, and truth values."""
    if column.kind in _NULLABLE:
        return Column(column.name, _NULLABLE[column.kind])
    words = kinds.PANDAS_WORDS if settings.pandas_types else kinds.MLTABLE_WORDS
    present = [value for value in values if value is not None and value not in words.missing]
    if column.kind != kinds.FLOAT or not 0 < len(present) < len(values):
        return column
    whole = all(kinds.integer(value) is not None for value in present)
    return Column(column.name, kinds.INT_OR_NONE) if whole else column


def _as_mltable(name: str, values: "list[str | None]") -> Column:
    present = [value for value in values if value is not None]
    some_missing = len(present) < len(values)
    if not present:
        return Column(name, kinds.TEXT)
    words = set(kinds.MLTABLE_WORDS.true + kinds.MLTABLE_WORDS.false)
    if all(value.strip() in words for value in present):
        return Column(name, kinds.BOOL_OR_NONE if some_missing else kinds.BOOL)
    if all(kinds.number(value) is not None for value in present):
        whole = all(kinds.integer(value) is not None for value in present)
        return Column(name, kinds.INT if whole and not some_missing else kinds.FLOAT)
    style = dates.style_of(present)
    if style is not None:
        return Column(name, kinds.DATE, style)
    return Column(name, kinds.TEXT)


def _as_pandas(
    names: "list[str]", columns: "list[list[str | None]]", empty_as_string: bool
) -> "list[Column]":
    """Asks pandas, which is what a user of read_csv would see."""
    import pandas

    decided = []
    for name, values in zip(names, columns):
        if empty_as_string and "" in values:  # not missing, and no number
            decided.append(Column(name, kinds.TEXT))
            continue
        buffer = io.StringIO()
        writer = csv.writer(buffer)
        writer.writerows([["x", value or ""] for value in values])
        buffer.seek(0)
        series = pandas.read_csv(buffer, header=None, names=["row", "value"])["value"]
        decided.append(Column(name, _kind_of(series)))
    return decided


def _kind_of(series: "object") -> str:
    from pandas.api import types

    dtype = series.dtype  # type: ignore[attr-defined]
    if types.is_bool_dtype(dtype):
        return kinds.BOOL
    if types.is_unsigned_integer_dtype(dtype):
        return kinds.UINT
    if types.is_integer_dtype(dtype):
        return kinds.INT
    if types.is_float_dtype(dtype):
        return kinds.FLOAT
    present = series.dropna()  # type: ignore[attr-defined]
    if len(present) and all(isinstance(value, bool) for value in present):
        return kinds.BOOL_OR_NONE
    return kinds.TEXT
