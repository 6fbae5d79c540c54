# SPDX-License-Identifier: Apache-2.0
"""The description of a table, checked."""

import json

from windrow.tables.errors import TableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SAMPLE_ROWS = 200

FORMATS = ("delimited", "parquet", "json_lines", "arrow")
HEADERS = (
    "all_files_same_headers",
    "from_first_file",
    "all_files_different_headers",
    "no_header",
)
RAGGED = ("error", "skip", "fill")

# By the names that the engine has for them. Latin-1 is read as Windows-1252, as browsers and the
# mltable package do; ASCII is a part of UTF-8.
ENCODINGS = {
    "utf8": "utf-8",
    "utf8bom": "utf-8",
    "ascii": "utf-8",
    "iso88591": "cp1252",
    "latin1": "cp1252",
    "windows1252": "cp1252",
    "utf16": "utf-16",
    "utf32": "utf-32",
}


def from_engine(description: "str | dict[str, Any]") -> "dict[str, Any]":
    """A description as the engine writes it: YAML of the user stands in it as JSON text."""
    table = json.loads(description) if isinstance(description, str) else dict(description)
    table["transformations"] = [json.loads(step) for step in table.get("transformations", [])]
    if table.get("inference"):
        table["infer_column_types"] = json.loads(table["inference"])
    return table


class Settings:
    """How the files of a table are read. Raises TableError when the description is wrong."""

    def __init__(self, description: "dict[str, Any]") -> None:
        self.format = _one_of(description, "format", FORMATS)
        self.files = list(description["files"])  # the first ones
        self.rows_of_lists = bool(description.get("rows_of_lists", False))  # not of whole files
        # What they were when they were cut: size, times and number of each.
        self.seen: list[list[int]] = list(description.get("seen") or [])
        self.whole = bool(description.get("whole", False))  # each call has all stretches, in order
        self.delimiter = _delimiter(description.get("delimiter", ","))
        self.header = _one_of(description, "header", HEADERS)
        self.encoding = ENCODINGS[_one_of(description, "encoding", tuple(ENCODINGS))]
        self.empty_as_string = bool(description.get("empty_as_string", False))
        self.path_column = bool(description.get("include_path_column", False))
        self.multi_line = bool(description.get("support_multi_line", False))
        self.drops_invalid = _one_of(description, "invalid_lines", ("error", "drop")) == "drop"
        self.comment = str(description.get("comment") or "")
        self.skip_lines = int(description.get("skip_lines") or 0)
        self.quote = '"' if description.get("quotes", True) else ""
        self.ragged = _one_of(description, "ragged", RAGGED)
        self.pandas_types = _one_of(description, "types", ("mltable", "pandas")) == "pandas"
        # Whether whole numbers stay so where some are missing: pandas makes floats of them.
        self.keeps_integers = description.get("frame") in ("pyarrow", "polars")
        self.mixed_types = bool(description.get("mixed_types", False))
        self.text_columns: list[str] = list(description.get("text_columns") or [])
        self.partition_format = str(description.get("partition_format") or "")
        self.partition_first = bool(description.get("partition_first", True))
        self.partition_hive: list[str] = list(description.get("partition_hive") or [])
        self.partition_root = str(description.get("partition_root") or "")
        self.transformations = list(description.get("transformations") or [])
        infer = description.get("infer_column_types", True)
        self.infers = infer is not False
        self.sample_rows = SAMPLE_ROWS
        self.overrides: list[dict[str, Any]] = []
        if isinstance(infer, dict):
            self.sample_rows = int(infer.get("sample_size") or SAMPLE_ROWS)
            self.overrides = _overrides(infer.get("column_type_overrides") or [])


def _one_of(description: "dict[str, Any]", key: str, values: "tuple[str, ...]") -> str:
    value = description.get(key, values[0])
    if value not in values:
        raise TableError(f"{key}: {value!r} is not one of {', '.join(values)}")
    return str(value)


def _delimiter(value: object) -> str:
    if value == "\\t":  # how a tab is written in single quotes
        return "\t"
    if not isinstance(value, str) or len(value) != 1 or not value.isascii() or value in "\r\n":
        raise TableError(f"delimiter: {value!r} is not one ASCII character")
    return value


def _overrides(value: object) -> "list[dict[str, Any]]":
    """As a list of {columns, column_type}, or as one mapping from column to type."""
    if isinstance(value, dict):
        return [{"columns": name, "column_type": kind} for name, kind in value.items()]
    if isinstance(value, list):
        return value
    raise TableError("column_type_overrides is a list of {columns, column_type}")
