# SPDX-License-Identifier: Apache-2.0
"""Where tables come from: a folder with a file MLTable, or paths of files."""

import glob
import json
import os
import shutil
import subprocess
from enum import Enum
from urllib.parse import unquote

from windrow.tables.settings import from_engine

from .path_table import PathTable
from .table import MLTable, missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class MLTableHeaders(Enum):
    """Which files have names of columns in their first line."""

    no_header = 1
    from_first_file = 2
    all_files_different_headers = 3
    all_files_same_headers = 4


class MLTableFileEncoding(Enum):
    """How text is written."""

    utf8 = 1
    iso88591 = 2
    latin1 = 3
    ascii = 4
    utf16 = 5
    utf8bom = 6
    windows1252 = 7


def load(uri: "Any", storage_options: "Any" = None, ml_client: "Any" = None) -> MLTable:
    """The table of a folder with a file MLTable. Raises ValueError for what is none."""
    if storage_options is not None or ml_client is not None:
        raise missing("load with storage_options or ml_client")
    described = _described(_local(uri))
    if "paths" in described:
        steps = [json.loads(step) for step in described["transformations"]]
        return PathTable(list(described["paths"]), steps)
    stretches = described.pop("stretches")
    described.pop("seen", None)  # files may change until they are read
    return MLTable(from_engine(described), list(stretches))


def _described(folder: str) -> "dict[str, Any]":
    """The engine reads YAML; this asks it."""
    program = os.environ.get("WINDROW_PROGRAM") or shutil.which("windrow")
    if not program:
        raise RuntimeError(
            "mltable.load needs the program windrow: put it on the PATH, or name it by"
            " WINDROW_PROGRAM"
        )
    done = subprocess.run(
        [program, "describe-table", os.path.abspath(folder)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise ValueError(said or f"{program} describe-table ended with {done.returncode}")
    described: dict[str, Any] = json.loads(done.stdout.decode("utf-8"))
    return described


def from_delimited_files(
    paths: "list[dict[str, str]]",
    header: "Any" = "all_files_same_headers",
    delimiter: str = ",",
    support_multi_line: bool = False,
    empty_as_string: bool = False,
    encoding: "Any" = "utf8",
    include_path_column: bool = False,
    infer_column_types: "Any" = True,
) -> MLTable:
    """A table of delimited text."""
    return _table(
        paths,
        format="delimited",
        header=_word(header),
        delimiter=delimiter,
        support_multi_line=support_multi_line,
        empty_as_string=empty_as_string,
        encoding=_word(encoding),
        include_path_column=include_path_column,
        infer_column_types=infer_column_types,
    )


def from_parquet_files(paths: "list[dict[str, str]]", include_path_column: bool = False) -> MLTable:
    """A table of Parquet files."""
    return _table(paths, format="parquet", include_path_column=include_path_column)


def from_json_lines_files(
    paths: "list[dict[str, str]]",
    invalid_lines: str = "error",
    encoding: "Any" = "utf8",
    include_path_column: bool = False,
) -> MLTable:
    """A table of JSON lines."""
    return _table(
        paths,
        format="json_lines",
        invalid_lines=invalid_lines,
        encoding=_word(encoding),
        include_path_column=include_path_column,
    )


def from_paths(paths: "list[dict[str, str]]") -> MLTable:
    """A table of the files themselves: one column, Path."""
    return PathTable([file for path in paths for file in _files(path)], [])


def from_delta_lake(*arguments: "Any", **named: "Any") -> MLTable:
    raise missing("from_delta_lake")


def _table(paths: "list[dict[str, str]]", **description: "Any") -> MLTable:
    files = [file for path in paths for file in _files(path)]
    description.update(files=files, types="mltable")
    return MLTable(description, [f"{file}@0+0#0*0" for file in files])


def _files(path: "dict[str, str]") -> "list[str]":
    """Of {file: ...}, {folder: ...} or {pattern: ...}; those of one are in the order of names."""
    if not isinstance(path, dict) or len(path) != 1:
        raise ValueError(
            f"{path!r} is not one of {{'file': ...}}, {{'folder': ...}}, {{'pattern': ...}}"
        )
    kind, place = next(iter(path.items()))
    place = os.path.abspath(_local(place))
    if kind == "file":
        if not os.path.isfile(place):
            raise FileNotFoundError(f"{place}: no such file")
        return [place]
    if kind == "folder":
        if not os.path.isdir(place):
            raise FileNotFoundError(f"{place}: no such folder")
        found = [
            os.path.join(folder, name) for folder, _, names in os.walk(place) for name in names
        ]
    elif kind == "pattern":
        found = [name for name in glob.glob(place, recursive=True) if os.path.isfile(name)]
    else:
        raise ValueError(f"paths: {kind!r} is not one of file, folder and pattern")
    return sorted(found, key=os.fsencode)


def _local(uri: "Any") -> str:
    text = os.fspath(uri)
    if text.startswith("file://"):
        return unquote(text[len("file://") :])
    if "://" in text or text.startswith("azureml:"):
        raise missing(f"a table that is not in a local folder ({text})")
    return str(text)


def _word(value: "Any") -> str:
    return value.name if isinstance(value, Enum) else str(value)
