# SPDX-License-Identifier: Apache-2.0
"""Tables of JSON lines: one object per line.

A column is int64, uint64, float64, bool or text when all its values in the first rows are of that
kind (numbers with and without a fraction are float64; a missing integer too), and a column of
Python objects as JSON gives them otherwise: lists, objects, mixed kinds, nothing but null, whole
numbers that no integer type holds. Its columns are those of the first rows, in the order of their
first appearance. Lines that cannot be read decide nothing: their mini-batches will say so.
"""

import gc

from windrow.tables import source
from windrow.tables.errors import TableError, listed, place, shortened
from windrow.tables.json_line import checked, document, infinite, parsed, scan
from windrow.tables.stretch import Stretch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from windrow.tables.settings import Settings

_START = 64 << 10
_LINE_MAX = 256 << 20

INT, UINT, INT_OR_NONE, UINT_OR_NONE, FLOAT, BOOL, BOOL_OR_NONE, TEXT, ANY = (
    "int64", "uint64", "int64?", "uint64?", "float64", "bool", "bool?", "text", "object",
)  # fmt: skip

_FITTING: "dict[str, set[type]]" = {
    INT: {int},
    UINT: {int},
    INT_OR_NONE: {int, type(None)},  # where the frame is none of pandas
    UINT_OR_NONE: {int, type(None)},
    FLOAT: {int, float, type(None)},
    BOOL: {bool},
    BOOL_OR_NONE: {bool, type(None)},
    TEXT: {str, type(None)},
}
_RANGES = {INT: (-(1 << 63), (1 << 63) - 1), UINT: (0, (1 << 64) - 1)}

_SPOKEN = {int: "numbers", float: "numbers", bool: "true or false", str: "text", list: "lists"}
_REPAIR = "; repair the line, or set invalid_lines: drop"


class JsonLines:
    """Reads stretches. Opens no file before the first call. `left_out`: how many lines of the
    latest stretch are not objects that can be read, and are to be dropped."""

    def __init__(self, settings: "Settings") -> None:
        self._settings = settings
        self._first: list[_Lines] = []  # of each file that types are told by
        self._kinds: dict[str, str] | None = None
        self.left_out = 0

    def columns(self) -> "list[str]":
        """The names of all columns of the table."""
        return list(self._plan())

    def sample(self, wanted: "set[str] | None") -> "Any":
        """The first rows of the table, with their types."""
        import pandas

        self._plan()
        frames = [self._frame(found, wanted) for found in self._first]
        return pandas.concat(frames, ignore_index=True) if frames else pandas.DataFrame()

    def _plan(self) -> "dict[str, str]":
        if self._kinds is None:
            rows: list[dict[str, Any]] = []
            for path in self._settings.files:
                left = self._settings.sample_rows - len(rows)
                if left <= 0:
                    break
                try:
                    self._first.append(self._first_rows(path, left))
                except TableError:
                    if path == self._settings.files[0]:
                        raise
                    continue
                rows += self._first[-1].rows
            names = dict.fromkeys(name for row in rows for name in row)
            any_ = self._settings.mixed_types or not self._settings.infers
            nullable = self._settings.keeps_integers
            self._kinds = {name: ANY if any_ else _kind(rows, name, nullable) for name in names}
            floats = [name for name, kind in self._kinds.items() if kind == FLOAT]
            for found in self._first:
                found.drop(lambda row: any(_too_large(row.get(name)) for name in floats))
        return self._kinds

    def _first_rows(self, path: str, count: int) -> "_Lines":
        size = _START
        while True:
            data, complete = source.prefix(path, size)
            if not complete and self._settings.encoding in ("utf-16", "utf-32"):
                data = data[: len(data) // 4 * 4 - 4]
            data = source.utf8(data, path, 0, self._settings.encoding)
            if not complete:
                data = data[: data.rfind(b"\n") + 1]
            text = source.first_text(data, path)
            found = _Lines([], [], path, 0)
            if not self._settings.drops_invalid:
                _check_document(text, found)
            self._parsed(text, found, count, True)
            if complete or len(found.rows) >= count:
                return found
            if not found.rows and size >= _LINE_MAX:
                raise TableError(
                    f"{path}: no object in the first {size >> 20} MB; is this JSON lines?"
                )
            size *= 4

    def read(self, stretch: "Stretch", wanted: "set[str] | None") -> "Any":
        """A DataFrame with the wanted columns, or all. Raises TableError, OSError."""
        self._plan()
        try:
            return self._framed(self._found(stretch), stretch, wanted)
        except (TableError, _Infinite):  # perhaps for a line that is to be dropped
            return self._framed(self._found(stretch, True), stretch, wanted)

    def _framed(self, found: "_Lines", stretch: "Stretch", wanted: "set[str] | None") -> "Any":
        kinds, rows = self._plan(), found.rows
        self.left_out = found.left_out
        if stretch.rows and len(rows) != stretch.rows and not self._settings.drops_invalid:
            raise TableError(
                f"{stretch.path}: {len(rows)} lines where there were {stretch.rows} when the job"
                " began; input must not change while a job runs"
            )
        if wanted is None:
            for i, row in enumerate(rows):
                if not kinds.keys() >= row.keys():
                    name = next(iter(row.keys() - kinds.keys()))
                    raise TableError(
                        f"{found.place(i)}: {name!r} is in none of the first rows, which have"
                        f" {listed(list(kinds))}; leave it out with keep_columns"
                    )
        return self._frame(found, wanted)

    def object_type(self, name: str) -> "Any":
        """The Arrow type of a column that a frame has as objects; None: it may be anything. Lists
        and objects have that of the first rows, where frames are none of pandas."""
        import pyarrow

        kind = self._plan().get(name, TEXT)
        if kind != ANY:
            return {BOOL_OR_NONE: pyarrow.bool_(), TEXT: pyarrow.string()}.get(kind)
        values = self._first_values(name)
        nested = {list, dict} if self._settings.keeps_integers else set()
        if not set(map(type, values)) <= nested:
            return None
        try:
            return pyarrow.array(values).type
        except (pyarrow.ArrowException, OverflowError):
            return None

    def why_any(self, name: str) -> str:
        """What a column holds that object_type() has no type for."""
        types = set(map(type, self._first_values(name)))
        found = sorted({_SPOKEN.get(type_, "objects") for type_ in types})
        if len(found) > 1:
            return f"values of several kinds ({' and '.join(found)})"
        if types == {int} and self._settings.infers and not self._settings.mixed_types:
            return "whole numbers that do not fit into 64 bits"
        if types <= {list, dict}:
            inside = " with values of several kinds, or numbers beyond 64 bits,"
            return found[0] + (inside if self._settings.keeps_integers else "")
        return f"{found[0]}, and the types of columns are not to be inferred"

    def _first_values(self, name: str) -> "list[Any]":
        """Of the first rows, those that are there."""
        values = [row.get(name) for found in self._first for row in found.rows]
        return [value for value in values if value is not None]

    def where(self, stretch: "Stretch", row: int) -> str:
        """The file and line of a row of a stretch."""
        return self._found(stretch, True).place(row)

    def count(self, path: str, begin: int, end: "int | None") -> int:
        """How many records begin in some bytes of a file; None: up to its end."""
        total = 0
        while end is None or begin < end:
            length = source.whole_lines(path, begin, end, self._settings)
            if length == 0:
                break
            part = Stretch(path, [begin, max(0, length), 0, 0], None)
            if self._settings.drops_invalid:
                total += len(self._found(part).rows)
            else:
                data = source.read(part, self._settings)
                data = source.utf8(data, path, begin, self._settings.encoding)
                total += sum(1 for line in data.split(b"\n") if line.strip(b" \t\r"))
            if length < 0:  # all of a file that can only be read as a whole
                break
            begin += length
        return total

    def _found(self, stretch: "Stretch", careful: bool = False) -> "_Lines":
        data = source.read(stretch, self._settings)
        data = source.utf8(data, stretch.path, stretch.offset, self._settings.encoding)
        found = _Lines([], [], stretch.path, stretch.offset)
        self._parsed(_text(data, stretch.path, stretch.offset), found, -1, careful)
        return found

    def _parsed(self, text: str, found: "_Lines", count: int, careful: bool) -> None:
        """With at most `count` objects, of those that can be read; -1: all. `careful`: with a look
        at each number and text."""
        collects = gc.isenabled()
        gc.disable()  # else it looks through all rows again and again, and finds nothing
        try:
            self._parse(text, found, count, careful or "\\ud" in text or "\\uD" in text)
        finally:
            if collects:
                gc.enable()

    def _parse(self, text: str, found: "_Lines", count: int, careful: bool) -> None:
        rows, lines, texts = found.rows, found.lines, text.split("\n")
        for number, line in enumerate(texts):
            try:
                value, end = scan(line, 0)
            except (StopIteration, ValueError, RecursionError):
                end = -1
            if end != len(line) or type(value) is not dict or careful:
                line = line.strip(" \t\r")
                if not line:
                    continue
                value, reason = checked(line)
                if reason:
                    if self._settings.drops_invalid or count >= 0:
                        found.left_out += 1
                        continue
                    lines.append(number)
                    what = "" if found.offset or rows else document(texts[number:])
                    raise TableError(f"{found.place(-1)}: {what or reason + _REPAIR}")
            rows.append(value)
            lines.append(number)
            if len(rows) == count:
                return

    def _frame(self, found: "_Lines", wanted: "set[str] | None") -> "Any":
        import pandas

        done = {}
        for name, kind in self._plan().items():
            if wanted is None or name in wanted:
                done[name] = _column(found, name, kind)
        return pandas.DataFrame(done, index=range(len(found.rows)))


class _Infinite(Exception):
    """A number like 1e400 was read, which JSON can write and no float64 holds."""


class _Lines:
    """Objects, and the line each stands in, from 0 on, behind a byte of a file; and how many lines
    were left out."""

    __slots__ = ("left_out", "lines", "offset", "path", "rows")

    def __init__(
        self, rows: "list[dict[str, Any]]", lines: "list[int]", path: str, offset: int
    ) -> None:
        self.rows, self.lines, self.path, self.offset = rows, lines, path, offset
        self.left_out = 0

    def drop(self, wrong: "Callable[[dict[str, Any]], bool]") -> None:
        kept = [pair for pair in zip(self.rows, self.lines) if not wrong(pair[0])]
        self.rows, self.lines = [row for row, _ in kept], [line for _, line in kept]

    def place(self, index: int, column: "str | None" = None) -> str:
        line = source.lines_before(self.path, self.offset) + self.lines[index] + 1
        return place(self.path, line, column)


def _check_document(text: str, found: _Lines) -> None:
    """Raises TableError for a file that is not JSON lines at all: neither its first line nor the
    next is an object."""
    lines = text.split("\n")
    number = next((i for i, line in enumerate(lines) if line.strip(" \t\r")), 0)
    first = lines[number : number + 2]
    what = document(first)
    if what and all(parsed(line)[1] for line in first):
        found.lines.append(number)
        raise TableError(f"{found.place(-1)}: {what}")


def _text(data: bytes, path: str, offset: int) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return source.decoded(data, path, source.lines_before(path, offset))


def _kind(rows: "list[dict[str, Any]]", name: str, nullable: bool) -> str:
    types = {type(row.get(name)) for row in rows}
    for kind in (INT, BOOL, TEXT, FLOAT, BOOL_OR_NONE):
        if types <= _FITTING[kind] and types != {type(None)}:
            if int in types and float not in types:
                return _whole(rows, name, nullable)
            return BOOL_OR_NONE if nullable and kind == BOOL else kind
    return ANY


def _whole(rows: "list[dict[str, Any]]", name: str, nullable: bool) -> str:
    """Of a column of whole numbers. float64 would make equal what differs."""
    values = [row[name] for row in rows if row.get(name) is not None]
    kind = INT if _fits(values, INT) else UINT if _fits(values, UINT) else ANY
    if nullable and kind != ANY:
        return kind + "?"
    if kind == ANY or len(values) == len(rows):
        return kind
    return FLOAT if kind == INT else ANY


def _fits(values: "list[int]", kind: str) -> bool:
    low, high = _RANGES[kind.rstrip("?")]
    return low <= min(values) and max(values) <= high


def _column(found: _Lines, name: str, kind: str) -> "Any":
    """A numpy or pandas array, or a Series. Raises TableError."""
    import numpy
    import pandas

    values: list[Any] = [row.get(name) for row in found.rows]
    if kind == ANY:
        if infinite(values):
            raise _Infinite
        column = numpy.empty(len(values), dtype=object)
        column[:] = values
        return _objects(column)
    if not set(map(type, values)) <= _FITTING[kind]:
        index = next(i for i, value in enumerate(values) if type(value) not in _FITTING[kind])
        raise TableError(_misfit(found, index, name, kind, values[index]))
    if kind == TEXT:
        from windrow.tables.kinds import text_series

        return text_series(values)
    if kind in (INT, UINT, INT_OR_NONE, UINT_OR_NONE):
        there = [value for value in values if value is not None]
        if there and not _fits(there, kind):
            index = next(i for i, v in enumerate(values) if v is not None and not _fits([v], kind))
            raise TableError(_misfit(found, index, name, kind, values[index]))
        if kind in (INT, UINT):
            return numpy.array(values, dtype=kind)
        return pandas.array(values, dtype="Int64" if kind == INT_OR_NONE else "UInt64")
    if kind == FLOAT:
        return _floats(found, name, values)
    return numpy.array(values, dtype=bool if kind == BOOL else object)


def _objects(column: "Any") -> "Any":
    import pandas

    return pandas.Series(column, dtype=object)


def _floats(found: _Lines, name: str, values: "list[Any]") -> "Any":
    import numpy

    try:
        column = numpy.array(values, dtype="float64")
        if numpy.isinf(column).any():
            raise _Infinite
        return column
    except OverflowError:
        index = next(i for i, value in enumerate(values) if _too_large(value))
    raise TableError(
        f"{found.place(index, name)}: a number too large for float64; repair the line, or leave"
        " the column out with keep_columns"
    )


def _too_large(value: "Any") -> bool:
    try:
        float(value or 0)
    except OverflowError:
        return True
    return False


def _misfit(found: _Lines, index: int, name: str, kind: str, value: object) -> str:
    what = "a missing value" if value is None else shortened(value)
    return (
        f"{found.place(index, name)}: {what} does not fit {kind.rstrip('?')}, the type decided from"
        " the first rows of the table; repair the line, leave the column out with keep_columns, or"
        " allow mixed types"
    )
