# SPDX-License-Identifier: Apache-2.0
"""Rows of results that are Parquet or Arrow files: an Arrow IPC stream for each output.

Imported only for jobs with such a format.
"""

from importlib import import_module

from windrow.tables.results import check_parquet, stream_of, table_of
from windrow.worker import parts, rows
from windrow.worker.script import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MODULES = {"parquet": "pyarrow.parquet", "arrow": "pyarrow.ipc"}


class ArrowRows:
    """Makes streams. Each mini-batch is looked at by itself: whether types of several fit together
    is told when their rows are joined, whichever worker made them."""

    def __init__(self, form: str) -> None:
        """Raises Refused when the environment lacks pyarrow."""
        try:
            import_module(_MODULES[form])
        except ImportError as error:
            raise Refused from ImportError(
                f"append_row.format {form} needs pyarrow in the environment of the script"
                f" ({error}); install it there, or name another one with --python"
            )
        self._form = form
        self._checked: set[Any] = set()  # types that Parquet files can hold

    def serialise(self, results: "list[tuple[int, object]]") -> "tuple[int, list[Any]]":
        """How many rows the longest result has, and parts; none for a result without rows. Raises
        TypeError, OverflowError."""
        longest, made = 0, []
        for output, result in results:
            rows.kind(result)
            table = table_of(result)
            if table.num_rows == 0:
                continue
            self._check(table.schema)
            payload = stream_of(table)
            rows.check_size(len(payload))
            longest = max(longest, table.num_rows)
            made.append((parts.ROWS, output, 0, payload))
        return longest, made

    def _check(self, schema: "Any") -> None:
        """Now, and not when all is done and the file is written."""
        if self._form == "parquet":
            check_parquet([field for field in schema if field.type not in self._checked])
            self._checked.update(schema.types)
