# SPDX-License-Identifier: Apache-2.0
"""What the readers of Parquet and of Arrow files share: a stretch is a range of rows of one file,
and the first file gives columns and types."""

from windrow.tables.arrows import Schema, frame_of, know_pandas_types, missing_where_none_may_be
from windrow.tables.errors import TableError, place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from windrow.tables.settings import Settings
    from windrow.tables.stretch import Stretch


class ArrowSource:
    """Reads stretches, and keeps the file of the last one open. Derived classes say how a file is
    opened, what its schema is, which rows of it are wanted, and how types are decided."""

    def __init__(self, settings: "Settings") -> None:
        self._settings = settings
        self._schema: Schema | None = None
        self._open: tuple[str, Any] | None = None
        self.left_out = 0  # rows of the latest stretch that cannot be read: there are none

    def columns(self) -> "list[str]":
        """The names of all columns of the table."""
        return self._plan().names

    def read(self, stretch: "Stretch", wanted: "set[str] | None") -> "Any":
        """A DataFrame with the wanted columns, or all. Raises TableError, OSError."""
        schema = self._plan()
        table = self.table(stretch, wanted)
        names = schema.wanted(wanted)
        return frame_of(table, schema, names, stretch.path, stretch.offset, not self._keeps_rows())

    def arrow_schema(self) -> "Any":
        """Of the tables of all stretches."""
        return self._plan().arrow()

    def table(self, stretch: "Stretch", wanted: "set[str] | None") -> "Any":
        """As read(), but an Arrow table, with the types of its own file."""
        schema = self._plan()
        schema.check(self._schema_of(self._file(stretch.path)), stretch.path, wanted)
        names = schema.wanted(wanted)
        table = self._stretch(stretch, names)
        column = missing_where_none_may_be(table, schema, names)
        if column is not None:
            nullable = "text" if str(schema.types[column]) == "bool" else "float64"
            raise TableError(
                f"{stretch.path}, column {column!r}: missing values from row {stretch.offset} on,"
                f" and none in {schema.path}, which decided its type;"
                f" convert the column to {nullable} in the files, ask for frame: pyarrow or polars,"
                " or leave it out with keep_columns"
            )
        return table

    def object_type(self, name: str) -> "Any":
        """The Arrow type of a column that a frame has as objects."""
        import pyarrow

        return self._plan().types.get(name, pyarrow.string())

    def where(self, stretch: "Stretch", row: int) -> str:
        """The file and row of a row of a stretch."""
        return place(stretch.path, row=stretch.offset + row)

    def _plan(self) -> Schema:
        if self._schema is None:
            self._schema = self._decided()
        return self._schema

    def _file(self, path: str) -> "Any":
        if self._open is None or self._open[0] != path:
            self._open = None
            if not self._settings.keeps_integers:
                know_pandas_types()
            self._open = (path, self._opened(path))
        return self._open[1]

    def _opened(self, path: str) -> "Any":
        """Raises TableError, OSError."""
        raise NotImplementedError

    def _schema_of(self, file: "Any") -> "Any":
        raise NotImplementedError

    def _stretch(self, stretch: "Stretch", names: "list[str]") -> "Any":
        """Its rows as an Arrow table. Raises TableError."""
        raise NotImplementedError

    def _keeps_rows(self) -> bool:
        """Whether some of what was read last may be read again."""
        return True

    def _decided(self) -> Schema:
        """Columns and types of the table."""
        raise NotImplementedError


def changed(path: str, rows: int, expected: int) -> TableError:
    """The file has fewer rows than it had."""
    return TableError(
        f"{path}: {rows} rows where there were {expected} when the job began; input must not change"
        " while a job runs"
    )
