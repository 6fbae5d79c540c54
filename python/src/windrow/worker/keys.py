# SPDX-License-Identifier: Apache-2.0
"""The values of partition keys, from the path of any file of a mini-batch.

Imported only for jobs with partition_keys whose script takes a context.
"""

import json

from windrow.tables.errors import TableError
from windrow.tables.partition import HiveKeys, PartitionFormat
from windrow.tables.stretch import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class PartitionKeys:
    """Knows where the keys stand in the paths of each input."""

    def __init__(self, description: str) -> None:
        """`description`: JSON text of an object with `keys`, `stretches` (names are those of
        stretches, not of files) and `inputs`, a list of objects with `root` and `format`."""
        said = json.loads(description)
        self._keys: list[str] = said["keys"]
        self._stretches: bool = said["stretches"]
        self._inputs = [
            (one["root"].rstrip("/") + "/", self._form(one["format"])) for one in said["inputs"]
        ]

    def _form(self, text: str) -> "PartitionFormat | HiveKeys":
        return PartitionFormat(text) if text else HiveKeys(self._keys)

    def values(self, name: str) -> "dict[str, Any]":
        """Of the mini-batch that this is a name of, in the order of partition_keys."""
        path = parse(name).path if self._stretches else name
        for root, form in self._inputs:
            if path.startswith(root) or len(self._inputs) == 1:
                found = form.values(path)
                return {key: found[key] for key in self._keys}
        raise TableError(f"{path} lies in none of the inputs")
