# SPDX-License-Identifier: Apache-2.0
"""A table by the values of columns: FOLDER/store=1/brand=a/part-0.parquet.

The rows of each combination of values stay in the order of the table. Key columns stand last in the
files, of the types that they had; the names of the folders are their values as text. Where a value
is missing the folder is called __HIVE_DEFAULT_PARTITION__, as Hive, Spark and Arrow call it.
Arrow's own writer of such folders is as fast, but lets millions of rows wait, whatever their size,
and opens and closes files without end where there are more folders than it may have open files.
"""

import os
import resource
from difflib import get_close_matches
from urllib.parse import quote

from windrow.tables.advice import advised
from windrow.tables.errors import FinalError, TableError, listed, shortened
from windrow.tables.partition import MISSING
from windrow.tables.results import holds_periods, period_texts
from windrow.tables.settings import from_engine
from windrow.tables.to_arrow import ArrowTables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_NAME_MAX = 255  # bytes of the name of a folder
_GROUP = 16 << 20  # bytes of a row group, before they are packed, where there is memory enough
_COUNTED_MAX = 1 << 20
OPEN_MAX = 900  # files


def run(request: "dict[str, Any]") -> "dict[str, Any]":
    """`table`: a description, as the engine gives it; `names`: the path of a file with names of
    stretches, a NUL between them; `by`: columns; `to`: a folder that is empty or not there;
    `memory`: about so many bytes are used. Raises TableError, OSError."""
    with open(request["names"], encoding="utf-8", errors="surrogateescape", newline="") as file:
        names = [name for name in file.read().split("\0") if name]
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise TableError(
            "a table is cut by values only where pyarrow is in the environment of the script;"
            " install it there, or name another one with --python"
        ) from None
    os.makedirs(request["to"], exist_ok=True)
    if os.listdir(request["to"]):
        raise TableError(f"{request['to']} is not empty")
    if not names:
        return {"rows": 0, "partitions": 0}
    table = from_engine(request["table"])
    try:
        reader = ArrowTables(table)
        schema = reader.schema()
        keys = _Keys(request["by"], schema)
        writer = _Writer(request["to"], keys, schema, int(request["memory"]))
        writer.write(reader.tables(names))
    except FinalError:
        raise
    except TableError as error:
        raise advised(error, bool(table.get("partition_first"))) from None
    return {"rows": writer.rows, "partitions": writer.partitions()}


class _Keys:
    """The columns whose values become folders."""

    def __init__(self, names: "list[str]", schema: "Any") -> None:
        """Raises TableError."""
        for i, name in enumerate(names):
            if name in names[:i]:
                raise FinalError(f"partition_by: {name!r} is there twice; leave one out")
            if name not in schema.names:
                raise FinalError(f"partition_by: no column {name!r}; {_nearest(name, schema)}")
            _check_type(name, schema.field(name).type)
        if not names:
            raise TableError("partition_by: names no column")
        self._names = names
        self._known: dict[str, dict[Any, str]] = {name: {} for name in names}

    def last(self, table: "Any") -> "Any":
        """The table with these columns behind all others."""
        others = [name for name in table.schema.names if name not in self._names]
        return table.select(others + self._names)

    def groups(self, table: "Any") -> "Iterator[tuple[str, Any]]":
        """The folder of each combination of values, and the places of its rows, in order. Raises
        TableError for a value that is the name of no folder."""
        import numpy

        folders = [""]
        codes = numpy.zeros(table.num_rows, dtype="int64")
        for name in self._names:
            texts, own = self._coded(name, table.column(name))
            pairs, codes = _compact(codes * len(texts) + own, len(folders) * len(texts))
            places = [divmod(pair, len(texts)) for pair in pairs]
            folders = [os.path.join(folders[i], texts[j]) for i, j in places]
        if len(folders) < 1 << 15:
            codes = codes.astype("int16")  # sorted in a quarter of the time
        order = numpy.argsort(codes, kind="stable")
        counts = numpy.bincount(codes, minlength=len(folders))
        ends = numpy.cumsum(counts)
        for folder, count, end in zip(folders, counts.tolist(), ends.tolist()):
            yield folder, order[end - count : end]

    def _coded(self, name: str, column: "Any") -> "tuple[list[str], Any]":
        """The names of its folders, and for each row which of them it is."""
        import numpy
        import pyarrow

        if holds_periods(column):
            column = period_texts(column)
        if pyarrow.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        column = column.dictionary_encode(null_encoding="encode")
        chunks = column.unify_dictionaries().chunks
        texts = [self._folder(name, value) for value in chunks[0].dictionary.to_pylist()]
        numbers = {text: i for i, text in enumerate(dict.fromkeys(texts))}  # 0 and -0 are one
        number_of = numpy.array([numbers[text] for text in texts])
        codes = numpy.concatenate([chunk.indices.to_numpy() for chunk in chunks])
        return list(numbers), number_of[codes]

    def _folder(self, name: str, value: "Any") -> str:
        known, key = self._known[name], value
        if hasattr(value, "utcoffset"):  # where clocks go back, Python finds two moments equal
            key = (value, value.utcoffset())
        if key not in known:
            known[key] = _folder(name, _text_of(value))
        return known[key]


def _check_type(name: str, type_: "Any") -> None:
    from pyarrow import types

    value = type_.value_type if types.is_dictionary(type_) else type_
    value = getattr(value, "storage_type", value)
    if types.is_nested(value) or "binary" in str(value):
        raise TableError(
            f"partition_by: column {name!r} is of type {value}; name columns of text, numbers,"
            " booleans or dates"
        )


def _compact(codes: "Any", limit: int) -> "tuple[list[int], Any]":
    """The codes that there are, in order, and for each row which of them it has."""
    import numpy

    if limit > _COUNTED_MAX:
        found, codes = numpy.unique(codes, return_inverse=True)
        return found.tolist(), codes
    found = numpy.flatnonzero(numpy.bincount(codes, minlength=limit))
    numbers = numpy.zeros(limit, dtype="int64")
    numbers[found] = numpy.arange(len(found))
    return found.tolist(), numbers[codes]


def _nearest(name: str, schema: "Any") -> str:
    near = get_close_matches(name, schema.names, 3)
    if near:
        return f"did you mean {' or '.join(map(repr, near))}?"
    return f"there are {listed(list(schema.names))}"


def _text_of(value: "Any") -> "str | None":
    """None for a missing value."""
    if value is None or value != value:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))  # an integer column where some are missing
    if hasattr(value, "hour") and hasattr(value, "year"):
        text = str(value)
        return text[: -len(" 00:00:00")] if text.endswith(" 00:00:00") else text
    return str(value)


def _folder(name: str, text: "str | None") -> str:
    """Raises TableError. The name that both the engine and Arrow read as this key and value."""
    if text is None:
        return f"{quote(name, safe='')}={MISSING}"
    if text == MISSING:
        raise TableError(
            f"partition_by: {text!r} of column {name!r} is what the folder of rows without a value"
            " is called; leave the field empty in the files if a missing value is meant, or write"
            " another text"
        )
    folder = f"{quote(name, safe='')}={quote(text, safe='')}"
    reason = "has a NUL character" if "\0" in text else ""
    if len(folder) > _NAME_MAX:
        reason = "is too long"
    if reason:
        raise TableError(
            f"partition_by: {shortened(text)} of column {name!r} {reason} for the name of a"
            " folder; name another column, or shorten its values"
        )
    return folder


class _Writer:
    """Keeps rows of each folder until there are enough for a row group, or too many in all.
    `rows`: how many there were.

    Rows are taken up by a sixteenth of the memory, and are there three times while they are cut;
    a quarter and that sixteenth may be kept; the row group that is written, an eighth, is copied
    and then packed. That is three quarters."""

    def __init__(self, folder: str, keys: _Keys, schema: "Any", memory: int) -> None:
        self._folder, self._keys = folder, keys
        self._taken_max, self._kept_max = memory // 16, memory // 4
        self._group_max = min(_GROUP, memory // 8)
        self._schema = keys.last(schema.empty_table()).schema
        self._kept: dict[str, list[Any]] = {}
        self._sizes: dict[str, int] = {}
        self._total = 0
        self._open: dict[str, Any] = {}  # the one written last stands last
        self._parts: dict[str, int] = {}
        self.rows = 0

    def partitions(self) -> int:
        return len(self._parts)

    def write(self, tables: "Iterator[Any]") -> None:
        """Raises TableError, OSError."""
        try:
            for table in self._large(tables):
                self.rows += table.num_rows
                self._add(table)
            for folder in list(self._kept):
                self._flush(folder)
        finally:
            while self._open:
                self._open.popitem()[1].close()
        self._number()

    def _large(self, tables: "Iterator[Any]") -> "Iterator[Any]":
        """Many rows at once, so that not every key gets a few of each stretch."""
        import pyarrow

        some: list[Any] = []
        size = 0
        for table in tables:
            if table.num_rows == 0:
                continue
            some.append(table)
            size += table.nbytes
            if size > self._taken_max:
                yield pyarrow.concat_tables(some)
                some, size = [], 0
        if some:
            yield pyarrow.concat_tables(some)

    def _add(self, table: "Any") -> None:
        table = self._keys.last(table).unify_dictionaries().combine_chunks()
        for folder, places in self._keys.groups(table):
            part = table.take(places)
            self._kept.setdefault(folder, []).append(part)
            self._sizes[folder] = self._sizes.get(folder, 0) + part.nbytes
            self._total += part.nbytes
            if self._sizes[folder] > self._group_max:
                self._flush(folder)
        if self._total > self._kept_max:
            for folder in sorted(self._sizes, key=lambda folder: -self._sizes[folder]):
                if self._total > self._kept_max // 2:
                    self._flush(folder)

    def _flush(self, folder: str) -> None:
        """Writes what is kept for a folder as a row group."""
        import pyarrow

        table = pyarrow.concat_tables(self._kept.pop(folder)).unify_dictionaries()
        self._total -= self._sizes.pop(folder)
        writer = self._open.pop(folder, None) or self._opened(folder)
        self._open[folder] = writer
        writer.write_table(table.combine_chunks(), row_group_size=table.num_rows)

    def _opened(self, folder: str) -> "Any":
        from pyarrow import parquet

        while len(self._open) >= _open_max():
            self._open.pop(next(iter(self._open))).close()
        path = os.path.join(self._folder, folder)
        number = self._parts.get(folder, 0)
        if number == 0:
            os.makedirs(path, exist_ok=True)
        self._parts[folder] = number + 1
        return parquet.ParquetWriter(os.path.join(path, f"part-{number}.parquet"), self._schema)

    def _number(self) -> None:
        """Files are read in the order of their names, so these get as many digits as they need."""
        for folder, count in self._parts.items():
            width = len(str(count - 1))
            for number in range(count) if width > 1 else ():
                path = os.path.join(self._folder, folder)
                old = os.path.join(path, f"part-{number}.parquet")
                os.rename(old, os.path.join(path, f"part-{number:0{width}}.parquet"))


def _open_max() -> int:
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return OPEN_MAX if limit < 0 else max(1, min(OPEN_MAX, limit - 100))
