# SPDX-License-Identifier: Apache-2.0
"""Which columns a transformation means: a name, a list of names, or a pattern."""

import re

from windrow.tables.errors import TableError


class Selection:
    """`names`: those that are given one by one, in their order; without a pattern, only these are
    meant."""

    def __init__(self, value: object, step: str) -> None:
        """Raises TableError."""
        self.names: dict[str, None] = {}
        self._pattern: re.Pattern[str] | None = None
        self._inverted = False
        if isinstance(value, str):
            self.names = {value: None}
        elif isinstance(value, (list, tuple)) and all(isinstance(name, str) for name in value):
            self.names = dict.fromkeys(value)
        elif isinstance(value, dict) and isinstance(value.get("pattern"), str):
            flags = re.IGNORECASE if value.get("ignore_case") else 0
            self._inverted = bool(value.get("invert"))
            try:
                self._pattern = re.compile(value["pattern"], flags)
            except re.error as error:
                raise TableError(f"{step}: pattern {value['pattern']!r}: {error}") from None
        else:
            raise TableError(f"{step}: {value!r} is not the name of a column or a list of names")

    def has(self, name: str) -> bool:
        if self._pattern is None:
            return name in self.names
        return (self._pattern.search(name) is not None) != self._inverted
