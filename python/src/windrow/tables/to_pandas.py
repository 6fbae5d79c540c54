# SPDX-License-Identifier: Apache-2.0
"""Arrow tables -> pandas frames."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_WORTH_IT = 4 << 20  # bytes of numbers from which on a copy takes longer than to do without
_COLUMNS_MAX = 50  # pandas warns of frames in a hundred pieces when columns are added


def to_pandas(table: "Any", owned: bool = False) -> "Any":
    """As table.to_pandas(). `owned`: nobody will look at the table again, so large columns of
    numbers are not copied, the frame has them where they are."""
    numbers = _numbers(table) if owned and not table.schema.metadata else {}
    if sum(array.nbytes for array in numbers.values()) < _WORTH_IT:
        return table.to_pandas(use_threads=False)
    import pandas

    others = [name for name in table.column_names if name not in numbers]
    rest = table.select(others).to_pandas(use_threads=False)
    columns = {
        name: numbers[name] if name in numbers else rest[name] for name in table.column_names
    }
    return pandas.DataFrame(columns, copy=False)


def _numbers(table: "Any") -> "dict[str, Any]":
    """Columns of numbers, without missing ones, that may be written to where they are."""
    from pyarrow import types

    if table.num_columns > _COLUMNS_MAX or table.num_rows == 0:
        return {}
    found = {}
    for name, column in zip(table.column_names, table.columns):
        if not (types.is_integer(column.type) or types.is_floating(column.type)):
            continue
        if column.num_chunks != 1 or column.null_count:
            continue
        chunk = column.chunk(0)
        if chunk.buffers()[1].is_mutable:
            found[name] = _array(chunk)
    return found


def _array(chunk: "Any") -> "Any":
    """Its memory as a numpy array."""
    import numpy

    size = chunk.type.bit_width // 8
    values = chunk.buffers()[1]
    dtype = numpy.dtype(chunk.type.to_pandas_dtype())
    return numpy.frombuffer(values, dtype, count=len(chunk), offset=chunk.offset * size)
