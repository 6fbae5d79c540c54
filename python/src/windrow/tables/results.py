# SPDX-License-Identifier: Apache-2.0
"""What run() returned -> an Arrow table, and its bytes.

NaN, NaT and pandas.NA of Python's, numpy's and pandas' values are missing values; those of
pyarrow and polars stay what they are.
"""

import sys

from windrow.tables.arrows import storage
from windrow.tables.unify import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SAME = "give a column values of one type, or make text of them in run()"
_DICT, _FIELDS, _VALUE = "a dict", "a list of fields", "a single value"


def table_of(result: "Any") -> "Any":
    """A table of plain types: of a frame, or of a list, tuple, array or Series. Raises TypeError
    that names the column."""
    import pyarrow

    if isinstance(result, pyarrow.RecordBatch):
        result = pyarrow.Table.from_batches([result])
    if _is(result, "polars", "DataFrame"):
        result = result.to_arrow()
    if isinstance(result, pyarrow.Table):
        names, columns = result.column_names, result.columns
    elif _is(result, "pandas", "DataFrame"):
        names, columns = _of_frame(result)
    else:
        names, columns = _columns_of(result)
    texts = _texts(names)
    if len(result) and not texts:
        raise TypeError(f"run() returned {len(result)} rows without columns; return at least one")
    arrays = [_plain_array(name, column) for name, column in zip(texts, columns)]
    return pyarrow.table(arrays, names=texts)


def stream_of(table: "Any") -> bytes:
    """One Arrow IPC stream: schema, record batches and end mark."""
    import pyarrow

    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def check_parquet(fields: "list[Any]") -> None:
    """Raises TypeError when a column has a type that Parquet files cannot hold."""
    import io

    import pyarrow
    from pyarrow import parquet

    for field in fields:
        try:
            parquet.ParquetWriter(io.BytesIO(), pyarrow.schema([field])).close()
        except (pyarrow.ArrowException, ValueError) as error:
            raise TypeError(
                f"column {field.name!r}: {field.type} does not go into a Parquet file ({error});"
                " make text of it in run(), or choose format: arrow"
            ) from None


def _of_frame(frame: "Any") -> "tuple[list[object], list[Any]]":
    """With the levels of its index that have names, as reset_index() would give them: the keys of
    groupby(). A level that is called as a column is taken for a copy of that."""
    columns = list(frame.columns)
    levels = [
        (name, frame.index.get_level_values(i).to_series())
        for i, name in enumerate(frame.index.names)
        if name is not None and name not in columns
    ]
    values = [frame.iloc[:, i] for i in range(len(columns))]
    return [name for name, _ in levels] + columns, [level for _, level in levels] + values


def _is(result: object, module: str, name: str) -> bool:
    """Whether it is of a class of a module that the script has imported."""
    return isinstance(result, getattr(sys.modules.get(module), name, ()))


def _texts(names: "list[object]") -> "list[str]":
    """Names of columns as text. Raises TypeError when two are equal."""
    texts = [name if isinstance(name, str) else str(name) for name in names]
    if len(set(texts)) < len(texts):
        twice = next(text for text in texts if texts.count(text) > 1)
        raise TypeError(f"two columns are called {twice!r}; give each a name of its own in run()")
    return texts


def _columns_of(result: "Any") -> "tuple[list[object], list[Any]]":
    """Names and values of what has one element for each row."""
    import pyarrow

    if _is(result, "polars", "Series"):
        result = result.to_arrow()
    if isinstance(result, pyarrow.Array):
        result = pyarrow.chunked_array([result])
    if isinstance(result, pyarrow.ChunkedArray):
        if not pyarrow.types.is_struct(result.type):
            return [0], [result]
        result = result.to_pylist()
    is_array = _is(result, "numpy", "ndarray")
    if (is_array or _is(result, "pandas", "Series")) and result.dtype != object:
        if not is_array or result.ndim == 1:
            return [0], [result]
        if result.ndim == 2:
            return list(range(result.shape[1])), list(result.T)
    rows = list(result)
    kinds = {type_: _kind(type_) for type_ in set(map(type, rows))}
    kind = kinds[type(rows[0])] if rows else _VALUE
    if len(set(kinds.values())) > 1:
        i = next(i for i, row in enumerate(rows) if kinds[type(row)] != kind)
        raise TypeError(
            f"element 0 is {kind} and element {i} is {kinds[type(rows[i])]}; return elements of one"
            " kind: dicts, or tuples or lists, or single values"
        )
    if kind == _VALUE:
        return [0], [rows]
    if kind == _DICT:
        keys = list(dict.fromkeys(key for row in rows for key in row))
        return keys, [[row.get(key) for row in rows] for key in keys]
    width = max(map(len, rows))
    return list(range(width)), [
        [row[i] if i < len(row) else None for row in rows] for i in range(width)
    ]


def _kind(type_: type) -> str:
    if issubclass(type_, dict):
        return _DICT
    array = getattr(sys.modules.get("numpy"), "ndarray", ())
    return _FIELDS if issubclass(type_, (list, tuple)) or issubclass(type_, array) else _VALUE


def _plain_array(name: str, values: "Any") -> "Any":
    import pyarrow

    try:
        if holds_periods(values):
            values = period_texts(values)
        array = values
        if not isinstance(values, pyarrow.ChunkedArray):
            array = pyarrow.array(values, _map_type(values), from_pandas=True)
        want = plain(array.type)
        if isinstance(array.type, pyarrow.BaseExtensionType):
            array = storage(array)
        return array if array.type.equals(want) else array.cast(want)
    except (pyarrow.ArrowException, TypeError, ValueError, OverflowError) as error:
        reason = str(error).replace("\n", " ")
        raise TypeError(
            f"column {name!r}: Arrow cannot take its values: {reason}; {_SAME}"
        ) from None


def _map_type(values: "Any") -> "Any":
    """The type of a map for lists of pairs that begin with text, as pandas has maps of Arrow; None
    for anything else, which Arrow finds a type for."""
    import pyarrow

    if str(getattr(values, "dtype", "object")) != "object":
        return None
    items: list[Any] = []
    for cell in values:
        if isinstance(cell, list):
            if not all(_is_pair(element) for element in cell):
                return None
            items += [item for _, item in cell]
        elif cell is not None and not (isinstance(cell, float) and cell != cell):
            return None
    if not items:
        return None
    type_ = pyarrow.array(items, _map_type(items), from_pandas=True).type
    return pyarrow.map_(pyarrow.string(), plain(type_))


def _is_pair(element: object) -> bool:
    return isinstance(element, tuple) and len(element) == 2 and isinstance(element[0], str)


def holds_periods(values: "Any") -> bool:
    """Whether it is a column of pandas' periods, which Arrow would store as numbers."""
    name = getattr(getattr(values, "type", None), "extension_name", "")
    type_ = getattr(values, "dtype", None)
    type_ = getattr(getattr(type_, "categories", None), "dtype", type_)
    return name == "pandas.period" or str(type_).startswith("period[")


def period_texts(values: "Any") -> "Any":
    """As pandas writes them to text: 2020-01, 2020Q1."""
    import pyarrow

    series = values.to_pandas() if isinstance(values, pyarrow.ChunkedArray) else values
    texts = [None if gone else str(value) for value, gone in zip(series, series.isna())]
    return pyarrow.chunked_array([pyarrow.array(texts, pyarrow.string())])
