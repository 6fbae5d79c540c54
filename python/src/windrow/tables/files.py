# SPDX-License-Identifier: Apache-2.0
"""Whether files are still those that a reader has begun with: rows are found by their places, and
in another file other rows stand there."""

import os

from windrow.tables.errors import TableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn


class Files:
    """Remembers what each file was when it was noted or first read. Text that grows is left alone:
    where rows stand in it does not change by that."""

    def __init__(self, may_grow: bool) -> None:
        self._may_grow = may_grow
        self._known: dict[str, os.stat_result] = {}

    def note(self, paths: "list[str]") -> None:
        """For when their types are decided; those that are gone are told by who reads them."""
        for path in paths:
            try:
                self._known[path] = os.stat(path)
            except OSError:
                continue

    def reading(self, path: str, read: "Callable[[], Any]") -> "Any":
        """What `read` returns. Raises TableError when the file is another one by then, whatever
        `read` made of it; and OSError, and what `read` raises. One that has changed before is not
        read: what is mapped of it would end the process."""
        if path in self._known:
            self._check(path)
        else:
            self._known[path] = os.stat(path)
        try:
            return read()
        finally:
            self._check(path)

    def _check(self, path: str) -> None:
        known, now = self._known[path], os.stat(path)
        if (known.st_size, known.st_mtime_ns) == (now.st_size, now.st_mtime_ns):
            return
        same = (known.st_dev, known.st_ino) == (now.st_dev, now.st_ino)
        if not (self._may_grow and same and now.st_size > known.st_size):
            changed(path)


def changed(path: str) -> "NoReturn":
    """Raises TableError."""
    raise TableError(f"{path}: the file has changed; input must not change while a job runs")
