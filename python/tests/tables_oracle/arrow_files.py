# SPDX-License-Identifier: Apache-2.0
"""Makes Parquet and Arrow files for tests."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest
from tables_oracle.table_files import Table

if TYPE_CHECKING:
    from pathlib import Path

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

FORMS = ["parquet", "file", "stream", "packed"]


def parquet_bytes(table: Any, **options: Any) -> bytes:
    buffer = io.BytesIO()
    parquet.write_table(table, buffer, **options)
    return buffer.getvalue()


def ipc_bytes(table: Any, kind: str, rows_each: int = 1000) -> bytes:
    buffer = io.BytesIO()
    opened = pyarrow.ipc.new_stream if kind == "stream" else pyarrow.ipc.new_file
    options = pyarrow.ipc.IpcWriteOptions(compression="zstd" if kind == "packed" else None)
    with opened(buffer, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=rows_each)
    return buffer.getvalue()


def made(folder: Path, *tables: Any, form: str = "parquet", **options: Any) -> Table:
    table = Table(folder, format="parquet" if form == "parquet" else "arrow")
    for i, content in enumerate(tables):
        data = parquet_bytes(content, **options) if form == "parquet" else ipc_bytes(content, form)
        table.add(f"{i}.{form}", data)
    return table
