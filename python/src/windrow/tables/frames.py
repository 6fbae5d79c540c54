# SPDX-License-Identifier: Apache-2.0
"""The kinds of frames that run() may ask for."""

from importlib import import_module

from windrow.tables.errors import TableError
from windrow.tables.reader import TableReader
from windrow.tables.to_arrow import ArrowTables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_MODULES = {
    "pandas": (),
    "pyarrow": ("pyarrow",),
    "polars": ("polars", "pyarrow"),  # polars takes Arrow tables
    "numpy": ("numpy",),
}


def reader_of(description: "dict[str, Any]") -> "tuple[TableReader, Callable[[list[str]], Any]]":
    """A reader of the table, and what makes frames of the kind that is asked for. Raises TableError
    for a kind that nobody knows, and when the environment lacks something."""
    kind = description.get("frame") or "pandas"
    if kind not in _MODULES:
        raise TableError(f"frame: {kind!r} is not one of {', '.join(_MODULES)}")
    for module in _MODULES[kind]:
        try:
            import_module(module)
        except ImportError as error:
            raise TableError(
                f"frame: {kind} needs {module} in the environment of the script ({error}); install"
                " it there, or name another one with --python"
            ) from None
    if kind in ("pandas", "numpy"):
        reader = TableReader(description)
        return reader, reader.frame if kind == "pandas" else lambda names: _numpy(reader, names)
    tables = ArrowTables(description)
    return tables, tables.whole if kind == "pyarrow" else lambda names: _polars(tables, names)


def _numpy(reader: TableReader, names: "list[str]") -> "Any":
    return reader.frame(names).to_numpy()


def _polars(tables: ArrowTables, names: "list[str]") -> "Any":
    return import_module("polars").from_arrow(tables.whole(names))
