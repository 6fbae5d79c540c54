# SPDX-License-Identifier: Apache-2.0
"""Columns from the paths of files: /{Region}/{Day:yyyy/MM/dd}/data.csv.

A format reaches to the end of a path, or else to the end of a folder, of the last that fits. What
stands before it is free. A key is one or more characters of one name, as many as the rest leaves;
`*` is any characters of one name.
"""

import re
from datetime import datetime
from urllib.parse import unquote_to_bytes

from windrow.tables.errors import TableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_UNITS = ("yyyy", "MM", "dd", "HH", "mm", "ss")
_BETWEEN = "/-_.T "
_PIECE = re.compile(r"\{([^{}]*)\}|(\*)|([^{}*]+)|(.)", re.DOTALL)
_DATES_ALLOWED = "yyyy, then MM, dd, HH, mm and ss as far as wanted"


class PartitionFormat:
    """A format, ready to be matched against paths."""

    def __init__(self, text: str, root: str = "") -> None:
        """`root`: a folder; keys are never looked for above it. Raises TableError."""
        self._text, self._root = text, root
        self._texts: list[str] = []
        self._dates: dict[str, int] = {}  # and of how many parts
        pattern = "".join(self._piece(match) for match in _PIECE.finditer(text))
        if not self._texts and not self._dates:
            raise self._refused("it has no {key}")
        self._pattern = re.compile(f"(?s:.*?){pattern}")

    def _refused(self, reason: str) -> TableError:
        return TableError(f"partition_format {self._text!r}: {reason}")

    def _piece(self, match: "re.Match[str]") -> str:
        key, star, literal, brace = match.groups()
        if brace:
            raise self._refused(f"{brace!r} stands alone")
        if star:
            return "[^/]*"
        if literal:
            return re.escape(literal)
        name, colon, form = key.partition(":")
        if not name:
            raise self._refused("a key needs a name: {name}")
        if name in self._texts or name in self._dates:
            raise self._refused(f"two keys are called {name!r}")
        if colon:
            return self._date(name, form)
        self._texts.append(name)
        return f"(?P<text{len(self._texts) - 1}>[^/]+)"

    def _date(self, name: str, form: str) -> str:
        number, parts = len(self._dates), 0
        pattern, rest = "", form
        for unit in _UNITS:
            between = rest[:1] if parts and rest[:1] and rest[0] in _BETWEEN else ""
            if not rest[len(between) :].startswith(unit):
                break
            pattern += re.escape(between)
            pattern += f"(?P<date{number}_{parts}>[0-9]{{{len(unit)}}})"
            rest = rest[len(between) + len(unit) :]
            parts += 1
        if rest or not parts:
            raise self._refused(f"{form!r} of {name!r} is not a date; allowed is {_DATES_ALLOWED}")
        self._dates[name] = parts
        return pattern

    def columns(self) -> "list[str]":
        """In the order in which they stand in a frame: texts, then dates, as with the mltable
        package."""
        return [*self._texts, *self._dates]

    def is_date(self, name: str) -> bool:
        return name in self._dates

    def values(self, path: str) -> "dict[str, Any]":
        """Texts and datetimes. Raises TableError for a path that does not match."""
        match = self._match("/" + self._below_root(path).lstrip("/"))
        if match is None:
            raise TableError(
                f"{path}: does not match partition_format {self._text!r}; move the file, or change"
                " the format"
            )
        values: dict[str, Any] = {}
        for i, name in enumerate(self._texts):
            values[name] = _decoded(match[f"text{i}"])
        for i, (name, parts) in enumerate(self._dates.items()):
            numbers = [int(match[f"date{i}_{j}"]) for j in range(parts)]
            try:
                values[name] = datetime(*[*numbers, *[1, 1][parts - 1 :]])  # type: ignore[arg-type]
            except ValueError as error:
                raise TableError(
                    f"{path}: {name!r} of partition_format {self._text!r}: {error}; rename the file"
                ) from None
        return values

    def _below_root(self, path: str) -> str:
        root = self._root.rstrip("/") + "/"
        return path[len(root) :] if self._root and path.startswith(root) else path

    def _match(self, path: str) -> "re.Match[str] | None":
        match = self._pattern.fullmatch(path)
        end = len(path)
        while match is None:
            end = path.rfind("/", 0, end)
            if end < 0:
                return None
            own_slash = 1 if self._text.endswith("/") else 0
            match = self._pattern.fullmatch(path, 0, end + own_slash)
        return match


def _decoded(text: str) -> str:
    """%20 as the character it stands for; all as it is where that gives no text."""
    if "%" not in text:
        return text
    try:
        decoded = unquote_to_bytes(text).decode("utf-8")
    except UnicodeError:
        return text
    return text if "\0" in decoded else decoded


MISSING = "__HIVE_DEFAULT_PARTITION__"  # the folder of rows without a value, as Hive calls it


class HiveKeys:
    """Keys that are folders of a path called key=value: a format without one."""

    def __init__(self, keys: "list[str]") -> None:
        self._keys = keys

    def columns(self) -> "list[str]":
        return list(self._keys)

    def is_date(self, name: str) -> bool:
        del name
        return False

    def values(self, path: str) -> "dict[str, Any]":
        """Texts, None for a missing value. Raises TableError for a path without one of the keys."""
        found = {}
        for folder in path.split("/")[:-1]:
            key, equals, value = folder.partition("=")
            if equals and key:
                found[_decoded(key)] = _decoded(value)
        for key in self._keys:
            if key not in found:
                raise TableError(f"{path}: no folder is called {key}=VALUE")
        return {key: None if found[key] == MISSING else found[key] for key in self._keys}
