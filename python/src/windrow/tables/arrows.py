# SPDX-License-Identifier: Apache-2.0
"""What Parquet and Arrow files have in common: a schema, and Arrow tables that become frames."""

import json
from importlib import import_module

from windrow.tables.errors import TableError, place
from windrow.tables.to_pandas import to_pandas

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The metadata of a column that has missing values in some row, perhaps behind the first ones.
HAS_MISSING = b"windrow.missing"

_INDEX = "__index_level_"  # how pandas calls an index without a name that it writes to a file


PANDAS_TYPES = ("pandas.period", "pandas.interval")
_PANDAS_MODULES = ("arrow.extension_types", "arrow._arrow_utils", "_arrow_utils")  # of versions


def know_pandas_types() -> None:
    """From now on Arrow has the periods and intervals that pandas has written as such, as it has
    in read_parquet()."""
    for name in _PANDAS_MODULES:
        try:
            import_module(f"pandas.core.arrays.{name}")
        except ImportError:
            continue
        return


def storage(array: "Any") -> "Any":
    """The values below an extension type."""
    import pyarrow

    if not isinstance(array, pyarrow.ChunkedArray):
        return array.storage
    return pyarrow.chunked_array([chunk.storage for chunk in array.chunks], array.type.storage_type)


class Schema:
    """The columns of the first file, and what they are in every mini-batch: the widest type that
    one of the first files has."""

    def __init__(self, schema: "Any", path: str, keeps_integers: bool) -> None:
        """`keeps_integers`: whole numbers stay so where some are missing, because the frames are
        none of pandas."""
        self.path, self.keeps_integers = path, keeps_integers
        self._pandas = _pandas_metadata(schema)
        self.names = list(schema.names)
        if len(set(self.names)) < len(self.names):
            twice = min(name for name in self.names if self.names.count(name) > 1)
            raise TableError(f"{path}: two columns are called {twice!r}")
        self.types = {name: self._type(schema.field(name)) for name in self.names}
        self._nullable = {name: schema.field(name).nullable for name in self.names}
        told = [name for name in self.names if _tells_missing(schema.field(name))]
        self._missing: set[str] = set(told)
        self._decided_by = dict.fromkeys(self.names, path)

    def widen(self, schema: "Any", path: str) -> None:
        """Takes the types of another file where they hold all values of those so far. An index
        that this file does not have is not a column of the table."""
        for name, type_ in list(self.types.items()):
            index = schema.get_field_index(name)
            if index < 0:
                if name.startswith(_INDEX):
                    self.names.remove(name)
                    del self.types[name]
                continue
            field = schema.field(index)
            self._nullable[name] = self._nullable[name] or field.nullable
            other = self._type(field)
            if _promotes(type_, other) and not _promotes(other, type_):
                self.types[name], self._decided_by[name] = other, path
                if name in self._pandas:
                    self._pandas[name]["numpy_type"] = _own_type(other)

    def _type(self, field: "Any") -> "Any":
        """Periods and intervals of pandas are numbers to all others, whether pandas has told Arrow
        of them by now or not."""
        name = getattr(field.type, "extension_name", "")
        return (
            field.type.storage_type if self.keeps_integers and name in PANDAS_TYPES else field.type
        )

    def integers_and_bools(self) -> "list[str]":
        """The columns whose pandas type depends on whether there are missing values. Those that
        pandas wrote with a type of its own, as Int64, do not."""
        return [
            name
            for name, type_ in self.types.items()
            if integer_or_bool(type_) and self._nullable[name] and name not in self._pandas
        ]

    def may_be_missing(self, names: "set[str]") -> None:
        """These columns are float64 or object in every mini-batch."""
        self._missing |= names

    def none_may_be_missing(self, name: str) -> bool:
        if self.keeps_integers or name in self._missing or name in self._pandas:
            return False
        return integer_or_bool(self.types[name])

    def is_missing_kind(self, name: str) -> bool:
        return name in self._missing

    def wanted(self, wanted: "set[str] | None") -> "list[str]":
        """Names in the order of the table."""
        return [name for name in self.names if wanted is None or name in wanted]

    def check(self, schema: "Any", path: str, wanted: "set[str] | None") -> None:
        """Raises TableError when another file has other columns, or types that do not fit."""
        if path == self.path:
            return
        names = dict.fromkeys(schema.names)  # asking for them makes a list, each time
        for name in self.wanted(wanted):
            if name not in names:
                raise TableError(
                    f"{path}: no column {name!r}, which {self.path} has; leave it out with"
                    " keep_columns"
                )
            type_ = self._type(schema.field(name))
            if not _promotes(type_, self.types[name]):
                raise TableError(
                    f"{place(path, 0, name)}: {type_}, and"
                    f" {self.types[name]} in {self._decided_by[name]}; all files of a table have"
                    " the same types: write one of them again, or leave the column out with"
                    " keep_columns"
                )
        if wanted is None:
            for name in names:
                if name not in self.types and not name.startswith(_INDEX):
                    raise TableError(
                        f"{path}: column {name!r}, which {self.path} does not have; leave it out"
                        " with keep_columns"
                    )

    def arrow(self) -> "Any":
        """As a schema for files of the same table; they tell which values may be missing."""
        import pyarrow

        fields = []
        for name, type_ in self.types.items():
            metadata = {HAS_MISSING: b"1"} if name in self._missing else None
            fields.append(pyarrow.field(name, type_, metadata=metadata))
        return pyarrow.schema(fields, self.pandas_metadata() if self._pandas else None)

    def pandas_metadata(self) -> "dict[bytes, bytes]":
        """Only what says that a column has a type of pandas' own; nothing about an index."""
        columns = list(self._pandas.values())
        return {b"pandas": json.dumps({"index_columns": [], "columns": columns}).encode()}

    def has_pandas_types(self) -> bool:
        return bool(self._pandas)


def _tells_missing(field: "Any") -> bool:
    return HAS_MISSING in (field.metadata or {})


def _pandas_metadata(schema: "Any") -> "dict[str, Any]":
    """The columns that pandas wrote with a type that numpy does not have."""
    metadata = schema.pandas_metadata
    if not metadata:
        return {}
    own = ("Int", "UInt", "Float", "boolean")
    return {
        column["name"]: dict(column)
        for column in metadata.get("columns", [])
        if isinstance(column.get("name"), str) and str(column.get("numpy_type", "")).startswith(own)
    }


def _own_type(type_: "Any") -> str:
    """What pandas calls its own type for numbers of an Arrow type."""
    from pyarrow import types

    if types.is_floating(type_):
        return f"Float{type_.bit_width}"
    return f"{'UInt' if types.is_unsigned_integer(type_) else 'Int'}{type_.bit_width}"


def integer_dtype(type_: "Any") -> "Any":
    """What pandas has for integers of which some are missing."""
    import pandas

    return pandas.api.types.pandas_dtype(_own_type(type_))


def integers(column: "Any") -> "Any":
    """An Arrow column of integers as a pandas array that may have missing values."""
    return integer_dtype(column.type).__from_arrow__(column)


def integer_or_bool(type_: "Any") -> bool:
    from pyarrow import types

    return bool(types.is_integer(type_) or types.is_boolean(type_))


def null_columns(schema: "Any") -> "set[str]":
    """Those that hold nothing but missing values."""
    from pyarrow import types

    return {field.name for field in schema if types.is_null(field.type)}


def _promotes(have: "Any", want: "Any") -> bool:
    """Whether each value of one type is the same value of the other."""
    from pyarrow import types

    if have.equals(want) or types.is_null(have):
        return True
    if types.is_dictionary(want):
        value = have.value_type if types.is_dictionary(have) else have
        return _promotes(value, want.value_type)
    if types.is_dictionary(have):
        return _promotes(have.value_type, want)
    if _texts(have) and _texts(want):
        return True
    if _binary(have) and _binary(want):
        return True
    if types.is_integer(have) and types.is_integer(want):
        unsigned = types.is_unsigned_integer(have), types.is_unsigned_integer(want)
        if unsigned[0] == unsigned[1]:
            return bool(have.bit_width <= want.bit_width)
        return unsigned == (True, False) and bool(have.bit_width < want.bit_width)
    if types.is_floating(want):
        exact = {16: 11, 32: 24, 64: 53}[want.bit_width]
        if types.is_floating(have):
            return bool(have.bit_width <= want.bit_width)
        return bool(types.is_integer(have) and have.bit_width <= exact)
    if types.is_timestamp(have) and types.is_timestamp(want):
        units = ["s", "ms", "us", "ns"]
        return have.tz == want.tz and units.index(have.unit) <= units.index(want.unit)
    return False


def _texts(type_: "Any") -> bool:
    return str(type_) in ("string", "large_string", "string_view")


def _binary(type_: "Any") -> bool:
    return str(type_) in ("binary", "large_binary", "binary_view")


def missing_where_none_may_be(table: "Any", schema: Schema, names: "list[str]") -> "str | None":
    """A column that has missing values in this table and none in the first file."""
    for name in names:
        if schema.none_may_be_missing(name) and table.column(name).null_count:
            return name
    return None


def cast(column: "Any", want: "Any") -> "Any":
    from pyarrow import types

    if getattr(column.type, "extension_name", "") in PANDAS_TYPES and column.type != want:
        column = storage(column)
    if types.is_dictionary(want) and not types.is_dictionary(column.type):
        column = column.cast(want.value_type).dictionary_encode()
    return column if column.type.equals(want) else column.cast(want)


def frame_of(
    table: "Any", schema: Schema, names: "list[str]", path: str, row: int, owned: bool = False
) -> "Any":
    """An Arrow table as a DataFrame with the types that all of the input has. `owned`: as
    to_pandas() has it."""
    import pyarrow

    if not names:
        import pandas

        return pandas.DataFrame(index=range(table.num_rows))
    try:
        columns = [cast(table.column(name), schema.types[name]) for name in names]
        table = pyarrow.table(columns, names=names)
        metadata = schema.pandas_metadata() if schema.has_pandas_types() else None
        table = table.replace_schema_metadata(metadata)
        frame = to_pandas(table, owned)
    except (pyarrow.ArrowException, ValueError) as error:
        raise TableError(
            f"{place(path, row=row)}: {error}; convert the column in the files, or leave it out"
            " with keep_columns"
        ) from None
    for name in names:
        column = table.column(name)
        if schema.keeps_integers and pyarrow.types.is_integer(column.type):
            if schema.is_missing_kind(name) or column.null_count:
                frame[name] = integers(column)
        elif schema.is_missing_kind(name) and frame[name].dtype.kind in "iub":
            kind = "float64" if frame[name].dtype.kind in "iu" else object
            frame[name] = frame[name].astype(kind)
    return frame
