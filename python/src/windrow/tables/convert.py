# SPDX-License-Identifier: Apache-2.0
"""convert_column_types: columns made int, float, string, boolean or datetime.

An integer column of pandas has no missing values, so one that has some in the first rows becomes
float64, in every mini-batch; a boolean one becomes objects. Frames that are none of pandas may have
missing values in both, whatever the first rows have. Whatever cannot be converted is an error: the
mltable package makes it a missing value, and nobody notices.
"""

from windrow.tables import kinds
from windrow.tables.errors import Misfit, TableError
from windrow.tables.selection import Selection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_TYPES = ("int", "float", "string", "boolean", "datetime")
_STEP = "convert_column_types"


class Conversion:
    """One {columns, column_type}. Decides once, from the first rows, then converts."""

    def __init__(self, entry: object, keeps_integers: bool) -> None:
        """`keeps_integers`: whether an integer column may have missing values all the same. Raises
        TableError."""
        if not isinstance(entry, dict) or not {"columns", "column_type"} <= entry.keys():
            raise TableError(f"{_STEP}: {entry!r} is not {{columns, column_type}}")
        self.columns = Selection(entry["columns"], _STEP)
        self.target, options = _target(entry["column_type"])
        self._formats = _formats(options) if self.target == "datetime" else []
        self._true, self._false, self._mismatch = _words(options)
        # Whether a text of the file is what is converted: else what was inferred of it.
        self.reads_text = self.target != "boolean" or bool(options.get("true_values"))
        self._keeps_integers = keeps_integers
        self._missing: set[str] = set()

    def overrules(self, texts: "list[str | None]", inferred: "Any") -> bool:
        """Whether its formats, or its words for true and false, say something else of some text
        than what was inferred of it."""
        import pandas

        series, inferred = kinds.text_series(texts), pandas.Series(inferred)
        if self.target == "datetime":
            found = self._moments(series)
        else:
            known = self._known()
            told = [known.get((text or "").strip(), self._mismatch) for text in texts]
            found = pandas.Series(told, dtype=object)
        both = (found.notna() & inferred.notna()).to_numpy()
        return bool((found[both] != inferred[both]).any())

    def decide(self, name: str, series: "Any") -> None:
        """Looks at the first rows."""
        missing = self._keeps_integers or bool(series.isna().any())
        if self.target in ("int", "boolean") and missing:
            self._missing.add(name)

    def apply(self, name: str, series: "Any") -> "Any":
        """A series with the same index. Raises Misfit with a position, and TableError for a type
        that is never converted to this one."""
        if self.target != "string":
            series = plain(series)
        kind = kind_of(series)
        if (kind == "other" and self.target != "string") or (kind, self.target) in _NEVER:
            raise TableError(f"column {name!r}: {kind} cannot be made {self.target}")
        make = {
            "int": self._int,
            "float": self._float,
            "string": self._string,
            "boolean": self._boolean,
            "datetime": self._datetime,
        }[self.target]
        return make(name, series, kind)

    def _int(self, name: str, series: "Any", kind: str) -> "Any":
        import numpy

        gone = series.isna().to_numpy()
        if gone.any() and name not in self._missing:
            raise Misfit(int(gone.argmax()))
        if name in self._missing and self._keeps_integers:
            there = numpy.flatnonzero(~gone)
            try:
                whole = _integers(series.iloc[there], kind)
            except Misfit as misfit:
                raise Misfit(int(there[misfit.index])) from None
            return whole.astype("Int64").reindex(series.index)
        if name in self._missing:
            return numpy.trunc(self._float(name, series, kind))
        return _integers(series, kind)

    def _float(self, name: str, series: "Any", kind: str) -> "Any":
        import numpy

        if kind == "number":
            return series.astype("float64")
        found = _each(series, kinds.number)
        values = [float("nan") if value is None else value for value in found]
        return _like(series, numpy.array(values, dtype="float64"))

    def _string(self, name: str, series: "Any", kind: str) -> "Any":
        if kind == "text":
            return series
        if kind == "number" and series.dtype.kind == "f":
            gone = series.isna().tolist()
            return _texts(series, [None if g else _decimal(v) for v, g in zip(series, gone)])
        if kind == "datetime":
            gone = series.isna().tolist()
            return _texts(series, [None if g else _iso(v) for v, g in zip(series, gone)])
        gone = series.isna().tolist()
        return _texts(series, [None if g else str(v) for v, g in zip(series.tolist(), gone)])

    def _boolean(self, name: str, series: "Any", kind: str) -> "Any":
        import numpy

        if kind in ("number", "boolean"):
            gone = series.isna().tolist()
            found = [None if g else bool(v) for v, g in zip(series.tolist(), gone)]
        else:
            known = self._known()
            found = _each(series, lambda text: known.get(text.strip(), self._mismatch))
        if None in found and name not in self._missing:
            raise Misfit(found.index(None))
        return _like(series, numpy.array(found, dtype=object if name in self._missing else bool))

    def _known(self) -> "dict[str, bool]":
        known: dict[str, bool] = dict.fromkeys(self._true, True)
        known.update(dict.fromkeys(self._false, False))
        return known

    def _datetime(self, name: str, series: "Any", kind: str) -> "Any":
        if kind == "datetime":
            return series
        done = self._moments(series)
        wrong = (done.isna() & series.notna()).to_numpy()
        if wrong.any():
            raise Misfit(int(wrong.argmax()))
        return done

    def _moments(self, series: "Any") -> "Any":
        """By the first format that fits; NaT where none does."""
        import pandas

        texts = series.str.strip()
        done = None
        for form in self._formats:
            try:
                found = pandas.to_datetime(texts, format=form, errors="coerce", utc=True)
            except ValueError as error:
                raise TableError(f"{_STEP}: format {form!r}: {error}") from None
            done = found if done is None else done.fillna(found)
        assert done is not None  # there is at least one format
        return done.dt.tz_localize(None).astype("datetime64[ns]")


_NEVER = {
    ("boolean", "int"), ("boolean", "float"), ("boolean", "datetime"), ("number", "datetime"),
    ("datetime", "int"), ("datetime", "float"), ("datetime", "boolean"),
}  # fmt: skip


def _target(value: object) -> "tuple[str, dict[str, Any]]":
    name: object = value
    options: Any = {}
    if isinstance(value, dict) and len(value) == 1:
        name, options = next((name, below or {}) for name, below in value.items())
    if name not in _TYPES or not isinstance(options, dict):
        raise TableError(f"{_STEP}: {value!r} is not one of {', '.join(_TYPES)}")
    return str(name), options


def _formats(options: "dict[str, Any]") -> "list[str]":
    value = options.get("formats")
    formats = [value] if isinstance(value, str) else value
    if not formats or not isinstance(formats, list):
        raise TableError(f"{_STEP}: datetime needs formats, for example ['%Y-%m-%d']")
    for form in formats:
        if not isinstance(form, str) or "%" not in form:
            raise TableError(f"{_STEP}: {form!r} is not a format; they are written as '%Y-%m-%d'")
    if "date_constant" in options:
        raise TableError(f"{_STEP}: date_constant is not supported")
    return formats


def _words(options: "dict[str, Any]") -> "tuple[list[str], list[str], bool | None]":
    """The texts for true and for false, and what another text is."""
    true, false = options.get("true_values"), options.get("false_values")
    mismatch = options.get("mismatch_as", "error")
    choices: dict[object, bool | None] = {"error": None, "true": True, "false": False}
    choices.update({True: True, False: False})  # as YAML reads them without quotes
    if mismatch not in choices:
        raise TableError(f"{_STEP}: mismatch_as is error, true or false, not {mismatch!r}")
    if bool(true) != bool(false):
        raise TableError(f"{_STEP}: true_values and false_values are given together or not at all")
    if true and false and set(true) & set(false):
        both = min(set(map(str, true)) & set(map(str, false)))
        raise TableError(f"{_STEP}: {both!r} is in true_values and in false_values")
    if not true or not false:
        true, false = kinds.MLTABLE_WORDS.true, kinds.MLTABLE_WORDS.false
    return list(map(str, true)), list(map(str, false)), choices[mismatch]


def plain(series: "Any") -> "Any":
    """Categories as their values, decimals as floats, dates as datetimes."""
    import pandas

    if isinstance(series.dtype, pandas.CategoricalDtype):
        series = series.astype(series.cat.categories.dtype)
    if series.dtype == object:
        inferred = pandas.api.types.infer_dtype(series, skipna=True)
        if inferred == "decimal":
            return series.astype("float64")
        if inferred == "date":
            return pandas.to_datetime(series).astype("datetime64[ns]")
    return series


def kind_of(series: "Any") -> str:
    """number, text, boolean, datetime or other."""
    from pandas.api import types

    dtype = series.dtype
    if types.is_bool_dtype(dtype):
        return "boolean"
    if types.is_numeric_dtype(dtype):
        return "number"
    if types.is_datetime64_any_dtype(dtype):
        return "datetime"
    inferred = types.infer_dtype(series, skipna=True)
    if inferred in ("string", "empty"):
        return "text"
    return inferred if inferred == "boolean" else "other"


def _integers(series: "Any", kind: str) -> "Any":
    """Of a series without missing values. Raises Misfit."""
    import numpy

    if kind == "number" and series.dtype.kind in "iu":
        wrong = (series > (1 << 63) - 1).to_numpy(dtype=bool)
        if wrong.any():
            raise Misfit(int(wrong.argmax()))
        return series.astype("int64")
    if kind == "number":
        values = series.to_numpy(dtype="float64")
        wrong = ~(numpy.abs(values) < 2.0**63)
        if wrong.any():
            raise Misfit(int(wrong.argmax()))
        return _like(series, numpy.trunc(values).astype("int64"))
    return _like(series, numpy.array(_each(series, _whole), dtype="int64"))


def _each(series: "Any", convert: "Any") -> "list[Any]":
    """Each different text is converted once. Missing values stay None. Raises Misfit."""
    known: dict[str, Any] = {}
    found: list[Any] = []
    for i, (value, gone) in enumerate(zip(series.tolist(), series.isna().tolist())):
        if gone:
            found.append(None)
            continue
        result = known.get(value)
        if result is None:
            result = known[value] = convert(value)
            if result is None:
                raise Misfit(i)
        found.append(result)
    return found


def _whole(text: str) -> "int | None":
    """Fractions are cut off."""
    value = kinds.integer(text)
    if value is not None:
        return value
    fraction = kinds.number(text)
    if fraction is None or not abs(fraction) < 2.0**63:
        return None
    return int(fraction)


def _like(series: "Any", values: "Any") -> "Any":
    import pandas

    return pandas.Series(values, index=series.index)


def _texts(series: "Any", values: "list[str | None]") -> "Any":
    return kinds.text_series(values).set_axis(series.index)


def _decimal(value: float) -> str:
    """Without an exponent, and without a fraction that is zero."""
    import numpy

    if value in (float("inf"), float("-inf")):
        return str(value)
    return str(numpy.format_float_positional(value, trim="-"))


def _iso(moment: "Any") -> str:
    """2020-01-02T03:04:05.500+00:00: as many groups of three digits as are needed."""
    if moment.tzinfo is not None:
        moment = moment.tz_convert(None)
    nanoseconds = moment.microsecond * 1000 + moment.nanosecond
    digits = f"{nanoseconds:09d}"
    while digits and digits.endswith("000"):
        digits = digits[:-3]
    fraction = "." + digits if digits else ""
    return f"{moment.strftime('%Y-%m-%dT%H:%M:%S')}{fraction}+00:00"
