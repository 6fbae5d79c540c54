# SPDX-License-Identifier: Apache-2.0
"""Which columns a transformation means: a name, a list of names, or a pattern."""

import re

from windrow.tables.errors import TableError


class Selection:
    """Names that the table does not have mean nothing, as with the mltable package."""

    def __init__(self, value: object, step: str) -> None:
        """Raises TableError."""
        self._names: set[str] = set()
        self._pattern: re.Pattern[str] | None = None
        self._inverted = False
        if isinstance(value, str):
            self._names = {value}
        elif isinstance(value, (list, tuple)) and all(isinstance(name, str) for name in value):
            self._names = set(value)
        elif isinstance(value, dict) and isinstance(value.get("pattern"), str):
            flags = re.IGNORECASE if value.get("ignore_case") else 0
            self._inverted = bool(value.get("invert"))
            try:
                self._pattern = re.compile(value["pattern"], flags)
            except re.error as error:
                raise TableError(f"{step}: pattern {value['pattern']!r}: {error}") from None
        else:
            raise TableError(f"{step}: {value!r} is no name of a column, nor a list of names")

    def has(self, name: str) -> bool:
        if self._pattern is None:
            return name in self._names
        return (self._pattern.search(name) is not None) != self._inverted
