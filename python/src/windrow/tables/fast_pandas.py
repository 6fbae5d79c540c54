# SPDX-License-Identifier: Apache-2.0
"""Delimited text -> DataFrame by pandas' C reader, for environments without pyarrow."""

import io
import re

from windrow.tables import kinds
from windrow.tables.errors import Misfit
from windrow.tables.fast_arrow import Unsure, quote_places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from windrow.tables.kinds import Column, Words
    from windrow.tables.settings import Settings

_TYPES = {kinds.INT: "int64", kinds.UINT: "uint64", kinds.FLOAT: "float64"}
_NOT_A_NUMBER = ["nan", "NaN", "NAN", "Nan"]  # numbers to us, and nothing to this reader


def read(
    data: bytes, columns: "list[Column | None]", settings: "Settings", words: "Words"
) -> "tuple[Any, int]":
    """A DataFrame with the columns that are not None, under their names, and 0: it is not sure of
    rows that would be left out. Raises Unsure."""
    import pandas

    if settings.quote and not words.quoted_missing and _may_hold_empty_quotes(data, settings):
        raise Unsure("this reader takes an empty text for a missing value")
    names = list(range(len(columns)))
    wanted = [i for i, column in enumerate(columns) if column is not None]
    types = {i: _TYPES.get(columns[i].kind, str) for i in wanted}  # type: ignore[union-attr]
    missing: dict[int, list[str]] = {i: list(words.missing) for i in names}
    for i in wanted:
        if columns[i].kind == kinds.FLOAT:  # type: ignore[union-attr]
            missing[i] += _NOT_A_NUMBER
    try:
        frame = pandas.read_csv(
            io.BytesIO(data),
            sep=settings.delimiter,
            header=None,
            names=names,
            index_col=False,
            usecols=wanted,
            dtype=types,
            keep_default_na=False,
            na_values=missing,
            quotechar=settings.quote or '"',
            quoting=0 if settings.quote else 3,
            engine="c",
            low_memory=False,
            **_exact_floats(pandas.__version__),
            encoding="utf-8",
        )
    except (ValueError, OverflowError) as error:  # UnicodeDecodeError, ParserError among them
        raise Unsure(str(error)) from None
    _check_shape(data, len(names), len(frame), settings)
    return _finished(frame, columns, wanted, words), 0


def _exact_floats(version: str) -> "dict[str, Any]":
    """Before 3.1 the last digit of a float may come out wrong unless one asks for more."""
    release = re.findall("[0-9]+", version)[:2]
    old = [int(number) for number in release] < [3, 1]
    return {"float_precision": "round_trip"} if old else {}


def _may_hold_empty_quotes(data: bytes, settings: "Settings") -> bool:
    pair = settings.quote.encode() * 2
    if pair not in data:
        return False
    inside = b"[^" + re.escape(settings.delimiter.encode()) + rb"\r\n]"
    pattern = b"(?<!" + inside + b")" + re.escape(pair) + b"(?!" + inside + b")"
    return re.search(pattern, data) is not None


def _check_shape(data: bytes, width: int, rows: int, settings: "Settings") -> None:
    """This reader fills short records and cuts long ones without a word: so each record must have
    its delimiters. Raises Unsure, also where quotes stand within fields."""
    import numpy

    text = numpy.frombuffer(data, "uint8")
    delimiter = settings.delimiter.encode()
    delimiters, ends = numpy.flatnonzero(text == delimiter[0]), numpy.flatnonzero(text == ord("\n"))
    if settings.quote and settings.quote.encode() in data:
        quotes = quote_places(data, settings)
        delimiters = delimiters[numpy.searchsorted(quotes, delimiters) % 2 == 0]
        ends = ends[numpy.searchsorted(quotes, ends) % 2 == 0]
        if not settings.multi_line and len(ends) != numpy.count_nonzero(text == ord("\n")):
            raise Unsure("a line break in quotes")
    if not data.endswith(b"\n"):
        ends = numpy.append(ends, len(text))
    sizes = numpy.diff(ends, prepend=-1) - 1
    counts = numpy.diff(numpy.searchsorted(delimiters, ends), prepend=0)
    counts = counts[(sizes > 1) | ((sizes == 1) & (text[ends - 1] != ord("\r")))]
    if len(counts) != rows or (counts != width - 1).any():
        raise Unsure("records of another size")


def _finished(
    frame: "Any", columns: "list[Column | None]", wanted: "list[int]", words: "Words"
) -> "Any":
    import pandas

    done = {}
    for i in wanted:
        column = columns[i]
        assert column is not None
        series = frame[i]
        if column.kind in (kinds.BOOL, kinds.BOOL_OR_NONE, kinds.DATE, kinds.INT_OR_NONE):
            codes, values = pandas.factorize(series)
            texts = [None if pandas.isna(value) else str(value) for value in values]
            try:
                known = pandas.Series(kinds.converted([*texts, None], column, words))
            except Misfit:
                if column.kind != kinds.BOOL:
                    raise Unsure("a value of another type") from None
                known = None
            if known is None:
                if (codes < 0).any():
                    raise Unsure("missing values")
                try:
                    known = pandas.Series(kinds.converted(texts, column, words))
                except Misfit:
                    raise Unsure("a value of another type") from None
            series = known.take(codes).reset_index(drop=True)
        elif column.kind == kinds.TEXT and series.dtype == object:
            series = series.where(series.notna(), None)
        done[column.name] = series
    return pandas.DataFrame(done)
