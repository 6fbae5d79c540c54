# SPDX-License-Identifier: Apache-2.0
"""The kinds of frames that run() may ask for, made of the DataFrame that the reader gives."""

from importlib import import_module

from windrow.tables.errors import TableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_MODULES = {
    "pandas": (),
    "pyarrow": ("pyarrow",),
    "polars": ("polars", "pyarrow"),  # polars takes text of pandas by way of pyarrow
    "numpy": ("numpy",),
}


def converter(kind: str) -> "Callable[[Any], Any] | None":
    """What makes such a frame of a DataFrame; None where it is one. Raises TableError for a kind
    that nobody knows, and when the environment lacks something."""
    if kind not in _MODULES:
        raise TableError(f"frame: {kind!r} is none of {', '.join(_MODULES)}")
    for module in _MODULES[kind]:
        try:
            import_module(module)
        except ImportError as error:
            raise TableError(
                f"frame: {kind} needs {module} in the environment of the script ({error}); install"
                " it there, or name another one by --python"
            ) from None
    return {"pyarrow": _pyarrow, "polars": _polars, "numpy": _numpy}.get(kind)


def _pyarrow(frame: "Any") -> "Any":
    import pyarrow

    try:
        return pyarrow.Table.from_pandas(frame, preserve_index=False)
    except (pyarrow.ArrowException, TypeError, ValueError) as error:
        reason = "; ".join(map(str, error.args))
        raise TableError(
            f"frame: Arrow cannot take the values of a column: {reason}; convert the column, leave"
            " it out with keep_columns, or take frame: pandas"
        ) from None


def _polars(frame: "Any") -> "Any":
    return import_module("polars").from_arrow(_pyarrow(frame))


def _numpy(frame: "Any") -> "Any":
    return frame.to_numpy()
