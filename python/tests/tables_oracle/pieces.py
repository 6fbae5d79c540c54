# SPDX-License-Identifier: Apache-2.0
"""Pieces of a result for tests of what joins them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from windrow.tables.errors import TableError
from windrow.tables.join import join
from windrow.tables.results import stream_of, table_of

if TYPE_CHECKING:
    from pathlib import Path

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

FORMS = ["parquet", "arrow"]


class Result:
    """Pieces in a folder, and the file that is made of them."""

    def __init__(self, folder: Path, *results: Any) -> None:
        self.source, self.target = folder / "pieces", folder / "result"
        self.source.write_bytes(b"".join(stream_of(table_of(result)) for result in results))

    def table(self, form: str) -> Any:
        rows = join(str(self.source), str(self.target), form)
        if form == "arrow":
            table = pyarrow.ipc.open_file(pyarrow.memory_map(str(self.target))).read_all()
        else:
            table = parquet.ParquetFile(str(self.target)).read()
        assert rows == table.num_rows
        table.validate(full=True)
        return table

    def error(self, form: str = "arrow") -> str:
        with pytest.raises(TableError) as raised:
            join(str(self.source), str(self.target), form)
        return str(raised.value)
