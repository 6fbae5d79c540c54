# SPDX-License-Identifier: Apache-2.0
"""The columns of a SQL query: from values to Arrow arrays, and the types that all of them fit."""

from windrow.tables.errors import TableError, shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

STEP = 256  # rows of the first fetch
STEP_MAX = 2_000  # of a later one: so many are in memory, however large they are
STEP_BYTES = 4 << 20  # of it, about


class Columns:
    """Knows the type of each column as far as its values have been seen. `types`: those that the
    database tells; None where only values do."""

    def __init__(self, names: "list[str]", types: "list[Any]") -> None:
        import pyarrow

        self.names = names
        self._told = types
        self._types = [pyarrow.null() if type_ is None else type_ for type_ in types]
        self._missing = [False] * len(names)

    def arrays(self, rows: "list[Any]") -> "list[Any]":
        """Of some rows, at least one. Raises TableError."""
        import pyarrow

        arrays = []
        for i, values in enumerate(zip(*rows)):
            type_ = self._told[i]
            if type_ is None:
                type_ = self._type_of(i, values)
            try:
                arrays.append(pyarrow.array(values, type_))
            except (pyarrow.ArrowException, ValueError, TypeError, OverflowError) as error:
                raise self._refused(i, type_, error) from None
        return arrays

    def _type_of(self, i: int, values: "tuple[Any, ...]") -> "Any":
        """By the values alone, as SQLite has it."""
        import pyarrow

        found = set(map(type, values)) - {type(None)}
        if not found:
            return pyarrow.null()
        if found <= {int, float}:
            return pyarrow.float64() if float in found else pyarrow.int64()
        if len(found) > 1:
            raise self._mixed(i)
        return pyarrow.string() if found == {str} else pyarrow.binary()

    def see(self, arrays: "list[Any]") -> None:
        """Takes note of the types of a batch. Raises TableError where they fit no type."""
        from pyarrow import types

        for i, array in enumerate(arrays):
            have, new = self._types[i], array.type
            self._missing[i] = self._missing[i] or array.null_count > 0
            if types.is_null(new) or new.equals(have):
                continue
            if types.is_null(have):
                self._types[i] = new
            elif {str(have), str(new)} == {"int64", "double"}:
                self._types[i] = new if types.is_floating(new) else have
            else:
                raise self._mixed(i)

    def schema(self, has_missing: bytes) -> "Any":
        """That fits all batches seen. Columns with missing values say so."""
        import pyarrow

        fields = []
        for name, type_, missing in zip(self.names, self._types, self._missing):
            metadata = {has_missing: b"1"} if missing else None
            fields.append(pyarrow.field(name, type_, metadata=metadata))
        return pyarrow.schema(fields)

    def cast(self, i: int, array: "Any") -> "Any":
        """A column of a batch in the type that it has everywhere. Raises TableError."""
        import pyarrow

        if array.type.equals(self._types[i]):
            return array
        try:
            return array.cast(self._types[i])
        except pyarrow.ArrowException as error:
            raise self._refused(i, self._types[i], error) from None

    def _mixed(self, i: int) -> TableError:
        name = self.names[i]
        return TableError(
            f"column {name!r} of the query has values of several kinds, as text and numbers; make"
            f" them one in the query, as in CAST({name} AS TEXT) AS {name}"
        )

    def _refused(self, i: int, type_: "Any", error: Exception) -> TableError:
        name = self.names[i]
        return TableError(
            f"column {name!r} of the query: not every value is exactly a {type_}"
            f" ({shortened(str(error), 200)}); cast it in the query, as in"
            f" CAST({name} AS TEXT) AS {name}"
        )


def batches(fetch: "Callable[[int], list[Any]]", columns: Columns) -> "Iterator[list[Any]]":
    """The arrays of some rows after another, few where rows are large. `fetch` gives at most so
    many rows, and [] at the end."""
    count = STEP
    rows = fetch(count)
    while rows:
        arrays = columns.arrays(rows)
        yield arrays
        each = sum(array.nbytes for array in arrays) // len(rows) + 1
        count = max(1, min(STEP_MAX, STEP_BYTES // each))
        rows = fetch(count)
