# SPDX-License-Identifier: Apache-2.0
"""Rows of results that are Parquet or Arrow files: an Arrow IPC stream for each output.

Imported only for jobs with such a format.
"""

from importlib import import_module

from windrow.tables.results import check_parquet, stream_of, table_of
from windrow.tables.unify import Conflict, told, unified
from windrow.worker import parts, rows
from windrow.worker.script import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MODULES = {"parquet": "pyarrow.parquet", "arrow": "pyarrow.ipc"}


class ArrowRows:
    """Makes streams, and knows the types of columns that earlier ones had."""

    def __init__(self, form: str) -> None:
        """Raises Refused when the environment lacks pyarrow."""
        try:
            import_module(_MODULES[form])
        except ImportError as error:
            raise Refused from ImportError(
                f"append_row.format {form} needs pyarrow in the environment of the script"
                f" ({error}); install it there, or name another one by --python"
            )
        self._form = form
        self._known: dict[int, dict[str, Any]] = {}  # by output: columns and their types

    def serialise(self, results: "list[tuple[int, object]]") -> "tuple[int, list[Any]]":
        """How many rows the longest result has, and parts; none for a result without rows. What
        an attempt that fails has returned is forgotten. Raises TypeError, OverflowError."""
        longest, made, known = 0, [], dict(self._known)
        for output, result in results:
            rows.kind(result)
            table = table_of(result)
            if table.num_rows == 0:
                continue
            known[output] = self._types(known.get(output, {}), table)
            payload = stream_of(table)
            rows.check_size(len(payload))
            longest = max(longest, table.num_rows)
            made.append((parts.ROWS, output, 0, payload))
        self._known = known
        return longest, made

    def _types(self, known: "dict[str, Any]", table: "Any") -> "dict[str, Any]":
        try:
            types = unified(known, told(table))
        except Conflict as error:
            raise TypeError(
                f"column {error.column!r} is {error.other} here, and {error.known} in an earlier"
                " mini-batch; return the same type always, or make text of the column in run()"
            ) from None
        if self._form == "parquet" and types != known:
            check_parquet(table.schema)  # now, and not when all is done and the file is written
        return types
