# SPDX-License-Identifier: Apache-2.0
"""Names of stretches of a table -> Arrow tables that all have the same schema: that of the frames
which a script would get."""

from functools import partial

from windrow.tables.arrows import HAS_MISSING, cast
from windrow.tables.errors import TableError, place, shortened
from windrow.tables.reader import TableReader
from windrow.tables.stretch import parse
from windrow.tables.unify import Conflict, conformed, unified

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from pandas import DataFrame

_CONVERTED = {"boolean": "bool", "string": "string"}


class ArrowTables(TableReader):
    """Reads what TableReader reads. Needs pyarrow."""

    def __init__(self, description: "dict[str, Any]") -> None:
        super().__init__(description)
        self._as_pandas = {**description, "frame": "pandas"}

    def frame(self, names: "list[str]") -> "DataFrame":
        """With the types that pandas has: frames() may have others."""
        return TableReader(self._as_pandas).frame(names)

    def schema(self) -> "Any":
        """Columns whose values may be missing say so in their metadata. Raises TableError."""
        import pyarrow

        self._plan()
        if self._is_direct():
            return self._source.arrow_schema()
        fields = []
        for name in self._like.columns:
            column = self._like[name]
            if column.dtype != object:
                nullable = str(column.dtype).startswith(("Int", "UInt"))
                missing = {HAS_MISSING: b"1"} if nullable else None
                type_ = _wide(pyarrow.Array.from_pandas(column).type)
                fields.append(pyarrow.field(name, type_, metadata=missing))
                continue
            type_ = self._object_type(name)
            missing = {HAS_MISSING: b"1"} if pyarrow.types.is_boolean(type_) else None
            fields.append(pyarrow.field(name, type_, metadata=missing))
        return pyarrow.schema(fields)

    def whole(self, names: "list[str]") -> "Any":
        """One table with the rows of all stretches. Raises TableError, OSError."""
        import pyarrow

        schema = pyarrow.schema([field.remove_metadata() for field in self.schema()])
        tables = [table.cast(schema) for table in self.tables(names)]
        return (
            tables[0]
            if len(tables) == 1
            else pyarrow.concat_tables([schema.empty_table(), *tables])
        )

    def tables(self, names: "list[str]") -> "Iterator[Any]":
        """One for each stretch. Raises TableError, OSError."""
        import pyarrow

        schema = self.schema()
        if self._is_direct():
            for name in names:
                yield self._table(name, schema)
            return
        for name, frame in zip(names, self.frames(names)):
            columns = [self._column(frame[field.name], field, name) for field in schema]
            yield pyarrow.Table.from_arrays(columns, schema=schema)

    def _column(self, series: "Any", field: "Any", name: str) -> "Any":
        """A column of a stretch as Arrow has it. Raises TableError."""
        import pyarrow

        nested = pyarrow.types.is_nested(field.type) and self._settings.format == "json_lines"
        try:
            if nested:
                return _nested(series, field)
            return pyarrow.Array.from_pandas(series, type=field.type)
        except (pyarrow.ArrowException, Conflict, ValueError, TypeError, OverflowError) as error:
            where, reason = place(parse(name).path, 0, field.name), shortened(str(error), 200)
            if pyarrow.types.is_null(field.type):
                raise TableError(
                    f"{where}: a value, and the first rows of the table, which decide types, have"
                    " none; begin with a row that has one, or leave the column out with"
                    " keep_columns"
                ) from None
            raise TableError(
                f"{where}: values that do not fit {field.type}, the type decided from the first"
                f" rows of the table: {reason}; make the column text in the files, or leave it out"
                " with keep_columns"
            ) from None

    def _is_direct(self) -> bool:
        """Whether frames would be Arrow tables of the files, and nothing else."""
        settings = self._settings
        plain = self._steps.are_none() and self._partition is None and not settings.path_column
        return plain and settings.format in ("parquet", "arrow")

    def _table(self, name: str, schema: "Any") -> "Any":
        import pyarrow

        stretch = parse(name)
        table = self._files.reading(stretch.path, partial(self._source.table, stretch, None))
        columns = [cast(table.column(field.name), field.type) for field in schema]
        table = pyarrow.Table.from_arrays(columns, schema=schema)
        if stretch.window is None:
            return table
        return table.slice(*stretch.window)

    def _object_type(self, name: str) -> "Any":
        """Of a column that a frame has as Python objects."""
        import pyarrow

        target = self._steps.converts(name)
        if target in _CONVERTED:
            return pyarrow.type_for_alias(_CONVERTED[target])
        type_ = self._source.object_type(name)
        if type_ is None:
            raise TableError(
                f"column {name!r} holds {self._source.why_any(name)} in the first rows, so that its"
                " type is not known; make it text in the files, or leave it out with keep_columns"
            )
        return type_


def _wide(type_: "Any") -> "Any":
    """With room for more categories than the first rows have."""
    import pyarrow

    if not pyarrow.types.is_dictionary(type_):
        return type_
    return pyarrow.dictionary(pyarrow.int32(), type_.value_type, type_.ordered)


def _nested(series: "Any", field: "Any") -> "Any":
    """Lists and objects of JSON as an array of the field's type. pyarrow alone would leave out keys
    that the type does not have. Raises ArrowException, Conflict."""
    import pyarrow

    array = pyarrow.array(series.tolist())
    if not unified({"": field.type}, [pyarrow.field("", array.type)])[""].equals(field.type):
        raise Conflict(field.name, field.type, array.type)
    return conformed(array, field.type)
