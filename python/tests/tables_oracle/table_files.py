# SPDX-License-Identifier: Apache-2.0
"""What the tests of tables share: files, names of their stretches, and what is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from windrow.tables.reader import TableError, TableReader


class Table:
    """A table of files in a folder."""

    def __init__(self, folder: Path, **description: Any) -> None:
        self.folder = folder
        self.description: dict[str, Any] = {"format": "delimited", "files": [], **description}

    def add(self, name: str, content: bytes | str) -> str:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        self.description["files"].append(str(path))
        return str(path)

    def reader(self) -> TableReader:
        return TableReader(self.description)

    def names(self) -> list[str]:
        """Each file as one stretch."""
        return [f"{path}@0+0#0*0" for path in self.description["files"]]

    def frame(self) -> Any:
        return self.reader().frame(self.names())

    def error(self) -> str:
        """What is said when it is read."""
        with pytest.raises(TableError) as raised:
            self.frame()
        return str(raised.value).replace(str(self.folder) + "/", "")


def table(folder: Path, content: bytes | str, **description: Any) -> Table:
    """A table of one file, data.csv."""
    made = Table(folder, **description)
    made.add("data.csv", content)
    return made


def dtypes(frame: Any) -> dict[str, str]:
    """Text is `text`, whatever this pandas calls it."""
    text = "object" if _old_text(frame) else "str"
    found = {}
    for name, dtype in zip(frame.columns, frame.dtypes):
        found[name] = "text" if str(dtype) == text and _is_text(frame[name]) else str(dtype)
    return found


def _old_text(frame: Any) -> bool:
    import pandas

    return str(pandas.Series(["a"]).dtype) == "object"


def _is_text(series: Any) -> bool:
    return all(isinstance(value, str) for value in series.dropna())


def rows(frame: Any) -> list[list[Any]]:
    """Values, None where one is missing."""
    found = []
    for row in frame.itertuples(index=False, name=None):
        found.append([None if _missing(value) else value for value in row])
    return found


def _missing(value: Any) -> bool:
    return value is None or str(value) in ("NaT", "<NA>") or value != value
