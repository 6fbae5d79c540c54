# SPDX-License-Identifier: Apache-2.0
"""Frames of pyarrow and polars that run() returned -> a pandas DataFrame with the same values.

Imported when the first of them comes.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def to_pandas(result: "Any") -> "Any":
    """Whole numbers stay so where some are missing, and lists are those of Python."""
    import pyarrow

    if isinstance(result, pyarrow.RecordBatch):
        result = pyarrow.Table.from_batches([result])
    if not isinstance(result, pyarrow.Table):
        if "Object" in map(str, result.dtypes):
            return result.to_pandas()  # Arrow has no Python objects
        result = result.to_arrow()
    table = _decoded(result)
    nested = {i for i, t in enumerate(table.schema.types) if pyarrow.types.is_nested(t)}
    flat = table
    for i in nested:  # to_pandas() would make arrays of floats of them
        flat = flat.set_column(i, table.field(i).name, pyarrow.nulls(table.num_rows))
    frame = flat.to_pandas(types_mapper=_integers(table).get)
    shown = _shown(table)
    names, frame.columns = frame.columns, range(len(shown))
    for place, i in enumerate(shown):
        if i in nested:
            frame[place] = _objects(table.column(i).to_pylist(), frame.index)
    frame.columns = names
    return frame


def _decoded(table: "Any") -> "Any":
    """Categories as their values."""
    from pyarrow import types

    for i, field in enumerate(table.schema):
        if types.is_dictionary(field.type):
            column = table.column(i).cast(field.type.value_type)
            table = table.set_column(i, field.name, column)
    return table


def _integers(table: "Any") -> "dict[Any, Any]":
    """What pandas has for the types of whole numbers of which some are missing."""
    from pyarrow import types

    from windrow.tables.arrows import integer_dtype

    found = {column.type for column in table.columns if column.null_count}
    return {type_: integer_dtype(type_) for type_ in found if types.is_integer(type_)}


def _shown(table: "Any") -> "list[int]":
    """The columns but those that pandas has written as the index of a frame, and has as such."""
    said = (table.schema.pandas_metadata or {}).get("index_columns", [])
    index = [name for name in said if isinstance(name, str)]
    return [i for i, name in enumerate(table.column_names) if name not in index]


def _objects(values: "list[Any]", index: "Any") -> "Any":
    import pandas

    return pandas.Series(values, index=index, dtype=object)
