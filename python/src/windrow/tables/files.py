# SPDX-License-Identifier: Apache-2.0
"""Whether files are still those that were cut: rows are found by their places, and in another file
other rows stand there."""

import os

from windrow.tables.errors import TableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn


class _Seen:
    """What a file was: its size, when it was written, when anything of it was changed, and its
    number."""

    __slots__ = ("changed", "inode", "size", "written")

    def __init__(self, size: int, written: int, changed: int, inode: int) -> None:
        self.size, self.written, self.changed, self.inode = size, written, changed, inode

    def is_of(self, now: os.stat_result) -> bool:
        """Whether its content is what it was. Another owner, or another link to it, changes none;
        and on some file systems the same file has another number later."""
        same = (now.st_size, now.st_mtime_ns) == (self.size, self.written)
        return same and (now.st_ino == self.inode or now.st_ctime_ns <= self.changed)

    def has_grown(self, now: os.stat_result) -> bool:
        return now.st_ino == self.inode and now.st_size > self.size


class Files:
    """Knows what each file was when it was cut, noted or first read. Text that grows is left alone:
    where rows stand in it does not change by that."""

    def __init__(self, may_grow: bool, seen: "dict[str, list[int]] | None" = None) -> None:
        """`seen`: what files were: size, times, number; or nothing, if they were not there."""
        self._may_grow = may_grow
        self._known = {path: _Seen(*what) for path, what in (seen or {}).items() if what}

    def note(self, paths: "list[str]") -> None:
        """For when their types are decided; those that are gone are told by who reads them."""
        for path in paths:
            if path in self._known:
                continue
            try:
                self._known[path] = _seen(os.stat(path))
            except OSError:
                continue

    def reading(self, path: str, read: "Callable[[], Any]") -> "Any":
        """What `read` returns. Raises TableError when the file is another one by then, whatever
        `read` made of it; and OSError, and what `read` raises. One that has changed before is not
        read: what is mapped of it would end the process."""
        if path in self._known:
            self._check(path)
        else:
            self._known[path] = _seen(os.stat(path))
        try:
            return read()
        finally:
            self._check(path)

    def _check(self, path: str) -> None:
        known, now = self._known[path], os.stat(path)
        if not known.is_of(now) and not (self._may_grow and known.has_grown(now)):
            changed(path)


def _seen(now: os.stat_result) -> _Seen:
    changed_at = max(now.st_mtime_ns, now.st_ctime_ns)
    return _Seen(now.st_size, now.st_mtime_ns, changed_at, now.st_ino)


def changed(path: str) -> "NoReturn":
    """Raises TableError."""
    raise TableError(f"{path}: the file has changed; input must not change while a job runs")
