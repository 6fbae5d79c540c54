# SPDX-License-Identifier: Apache-2.0
"""The transformations of a table, in order, on the rows of one stretch after another.

skip, take and take_random_sample go by the number of a row in the table as it is before that step.
It is known from the name of the stretch as long as no step before has left out rows by what they
hold; after that, and where names do not tell it, all stretches of the table come in one call, and
rows are counted.
"""

from windrow.tables import kinds
from windrow.tables.convert import Conversion
from windrow.tables.errors import Misfit, TableError, cannot_be_made, listed
from windrow.tables.filters import Filter
from windrow.tables.partition import HiveKeys, PartitionFormat
from windrow.tables.selection import Selection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


class Rows:
    """The rows of one stretch: a frame whose index tells their places in the stretch, where they
    come from, and their numbers in the table as far as the steps have come."""

    __slots__ = ("frame", "numbers", "path")

    def __init__(self, frame: "Any", path: str, numbers: "Any") -> None:
        self.frame, self.path, self.numbers = frame, path, numbers

    def keep(self, mask: "Any") -> None:
        self.frame = self.frame[mask]
        if self.numbers is not None:
            self.numbers = self.numbers[mask]


class Steps:
    """All transformations. Raises TableError for what is none."""

    def __init__(
        self,
        transformations: "list[Any]",
        overrides: "list[Any]",
        partition_root: str,
        keeps_integers: bool,
    ) -> None:
        self._keeps_integers = keeps_integers
        self._conversions = [Conversion(entry, keeps_integers) for entry in overrides]
        self._root = partition_root
        self._steps: list[tuple[str, Any]] = []
        if overrides:
            self._steps.append(("convert_column_types", self._conversions))
        for entry in transformations:
            self._steps.append(self._parsed(entry))
        names = [name for name, _ in self._steps]
        self.needs_numbers = bool({"skip", "take", "take_random_sample"} & set(names))

    def _parsed(self, entry: object) -> "tuple[str, Any]":
        if isinstance(entry, str):
            entry = {entry: {}}
        if not isinstance(entry, dict) or len(entry) != 1:
            raise TableError(f"transformations: {entry!r} is not one step")
        name, value = next(iter(entry.items()))
        if name in ("keep_columns", "drop_columns"):
            return name, Selection(value, name)
        if name == "convert_column_types":
            if not isinstance(value, list):
                raise TableError(f"{name}: a list of {{columns, column_type}}, not {value!r}")
            return name, [Conversion(part, self._keeps_integers) for part in value]
        if name == "filter":
            return name, Filter(value)
        if name in ("skip", "take"):
            if not isinstance(value, int) or isinstance(value, bool) or value < 0:
                raise TableError(f"{name}: a number of rows, not {value!r}")
            return name, value
        if name == "take_random_sample":
            return name, _sample(value)
        if name == "extract_columns_from_partition_format":
            text = value.get("partition_format") if isinstance(value, dict) else value
            if not isinstance(text, str):
                raise TableError(f"{name}: needs partition_format")
            return name, PartitionFormat(text, self._root)
        raise TableError(f"transformations: unknown step {name!r}")

    def direct(self, name: str) -> "Conversion | None":
        """What converts the text of a column before anything looks at its values."""
        for step, value in self._steps:
            if step == "filter" and name in value.columns:
                return None
            if step == "convert_column_types":
                for conversion in value:
                    if conversion.columns.has(name):
                        return conversion if conversion.reads_text else None
        return None

    def are_none(self) -> bool:
        """Whether rows stay as they are."""
        return not self._steps

    def leave_rows_out(self) -> bool:
        """Whether some step may do so."""
        return self.needs_numbers or any(name == "filter" for name, _ in self._steps)

    def converts(self, name: str) -> "str | None":
        """What a column is converted to at last; None: nothing."""
        target = None
        for step, value in self._steps:
            for conversion in value if step == "convert_column_types" else []:
                if conversion.columns.has(name):
                    target = conversion.target
        return target

    def check_names(self, names: "list[str]") -> None:
        """Raises TableError when columns are kept or converted that the table does not have. Those
        that are to be dropped may be gone already."""
        left = list(names)
        for step, value in self._steps:
            if step == "keep_columns":
                _check_names(step, value, left)
                left = [name for name in left if value.has(name)]
            elif step == "drop_columns":
                left = [name for name in left if not value.has(name)]
            elif step == "convert_column_types":
                for conversion in value:
                    _check_names(step, conversion.columns, left)
            elif step == "extract_columns_from_partition_format":
                left += value.columns()

    def wanted(self, names: "list[str]") -> "set[str] | None":
        """The columns that the first steps leave; None: all."""
        left = None
        for step, selection in self._steps:
            if step == "keep_columns":
                left = {name for name in _or(left, names) if selection.has(name)}
            elif step == "drop_columns":
                left = {name for name in _or(left, names) if not selection.has(name)}
            elif step not in ("skip", "take"):
                break
        return left or None  # where none is left, the step itself will say so

    def decide(self, frame: "Any", path: str) -> "Any":
        """Lets the conversions see the first rows of the table. Gives what becomes of them, but
        for steps that count rows."""
        rows = Rows(frame, path, None)
        for name, value in self._steps:
            if name == "convert_column_types":
                for conversion in value:
                    _decide(conversion, rows)
            elif name not in ("skip", "take", "take_random_sample"):
                self._one(name, value, rows, lambda _: "")
        return rows.frame

    def run(self) -> "Callable[[Rows, Callable[[int], str]], Any]":
        """A function for the stretches of one call, in order: its Rows -> a frame."""
        counts: dict[int, int] = {}

        def apply(rows: Rows, place: "Callable[[int], str]") -> "Any":
            counted = False
            for i, (name, value) in enumerate(self._steps):
                if name in ("skip", "take", "take_random_sample"):
                    if counted and rows.numbers is not None:
                        rows.numbers = _counted(counts, i, len(rows.frame))
                    _by_number(name, value, rows)
                else:
                    self._one(name, value, rows, place)
                counted = counted or name in ("filter", "take_random_sample")
            return rows.frame

        return apply

    def counts_rows(self) -> bool:
        """Whether some step needs all stretches of the table in one call."""
        counted = False
        for name, _ in self._steps:
            if counted and name in ("skip", "take", "take_random_sample"):
                return True
            counted = counted or name in ("filter", "take_random_sample")
        return False

    def _one(self, name: str, value: "Any", rows: Rows, place: "Callable[[int], str]") -> None:
        frame = rows.frame
        if name in ("keep_columns", "drop_columns"):
            keeps = name == "keep_columns"
            left = [column for column in frame.columns if value.has(column) == keeps]
            if not left:
                raise TableError(
                    f"{name}: no column is left; there are {listed(list(frame.columns))}"
                )
            rows.frame = frame[left]
        elif name == "filter":
            rows.keep(value.keep(frame))
        elif name == "extract_columns_from_partition_format":
            rows.frame = with_partition(frame, value, rows.path, False)
        else:
            for conversion in value:
                for column in [c for c in frame.columns if conversion.columns.has(c)]:
                    try:
                        series = conversion.apply(column, frame[column])
                    except Misfit as misfit:
                        raise TableError(
                            _misfit(frame, column, misfit.index, conversion.target, place)
                        ) from None
                    frame = frame.assign(**{column: series})
            rows.frame = frame


def _check_names(step: str, selection: Selection, names: "list[str]") -> None:
    there = set(names)
    for name in selection.names:
        if names and name not in there:
            raise TableError(f"{step}: no column {name!r}; there are {listed(names)}")


def _or(left: "set[str] | None", names: "list[str]") -> "Iterable[str]":
    return names if left is None else left


def _decide(conversion: Conversion, rows: Rows) -> None:
    """Rows that cannot be converted are left out: the mini-batch that has them will say so."""
    for column in [c for c in rows.frame.columns if conversion.columns.has(c)]:
        conversion.decide(column, rows.frame[column])
        while True:
            try:
                series = conversion.apply(column, rows.frame[column])
                break
            except Misfit as misfit:
                rows.frame = rows.frame.drop(index=rows.frame.index[misfit.index])
        rows.frame = rows.frame.assign(**{column: series})


def _counted(counts: "dict[int, int]", step: int, rows: int) -> "Any":
    import numpy

    first = counts.get(step, 0)
    counts[step] = first + rows
    return numpy.arange(first, first + rows)


def _by_number(name: str, value: "Any", rows: Rows) -> None:
    if name == "skip":
        rows.keep(rows.numbers >= value)
        rows.numbers = rows.numbers - value
    elif name == "take":
        rows.keep(rows.numbers < value)
    else:
        rows.keep(_drawn(rows.numbers, *value))


def _sample(value: object) -> "tuple[float, int]":
    what = "take_random_sample: probability from 0 to 1 and seed, a whole number"
    if not isinstance(value, dict):
        raise TableError(f"{what}, not {value!r}")
    probability, seed = value.get("probability"), value.get("seed")
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise TableError(f"{what}; seed is {seed!r}")
    if isinstance(probability, bool) or not isinstance(probability, (int, float)):
        raise TableError(f"{what}; probability is {probability!r}")
    if not 0 <= probability <= 1:
        raise TableError(f"{what}; probability is {probability!r}")
    return float(probability), seed


def _drawn(numbers: "Any", probability: float, seed: int) -> "Any":
    """Which rows are in the sample: a hash of seed and number, so the same whatever the cuts."""
    import numpy

    with numpy.errstate(over="ignore"):
        value = numbers.astype("uint64") * numpy.uint64(0x9E3779B97F4A7C15)
        value ^= numpy.uint64(seed * 0xD1B54A32D192ED03 & (1 << 64) - 1)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            value = (value ^ (value >> numpy.uint64(shift))) * numpy.uint64(factor)
        value ^= value >> numpy.uint64(31)
    return (value >> numpy.uint64(11)).astype("float64") * 2.0**-53 < probability


def with_partition(
    frame: "Any", form: "PartitionFormat | HiveKeys", path: str, first: bool
) -> "Any":
    """With the columns that the path gives, behind the others or before them."""
    import pandas

    from windrow.tables.kinds import text_series

    values = form.values(path)
    dtype = text_series([]).dtype
    added = {}
    for name in form.columns():
        if name in frame.columns:
            raise TableError(
                f"partition_format: the table has a column {name!r} already; rename the key"
            )
        kind = "datetime64[ns]" if form.is_date(name) else dtype
        added[name] = pandas.Series(values[name], index=frame.index, dtype=kind)
    new = pandas.DataFrame(added, index=frame.index)
    return pandas.concat([new, frame] if first else [frame, new], axis=1)


def _misfit(
    frame: "Any", column: str, index: int, target: str, place: "Callable[[int], str]"
) -> str:
    import pandas

    value = frame[column].iloc[index]
    what = "a missing value" if pandas.isna(value) else repr(value)
    where = place(int(frame.index[index]))
    fits_float = not isinstance(value, str) or kinds.number(value) is not None
    return f"{where}, column {column!r}: {cannot_be_made(what, target, fits_float)}"
