# SPDX-License-Identifier: Apache-2.0
"""Log files of the script's: appended to, of limited size, and never a reason to fail.

A full file is put aside as NAME.1.txt; the one that was .1 becomes .2, and so on to .3, which is
dropped when the next one comes: the highest number is the oldest.
"""

import io
import os

from windrow.worker.rows import NAMES

KEPT = 3  # full files beside the one that is written
LINE_MAX = 16 << 20  # bytes by which a file may be too large for the sake of a line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO


def open_log(path: str, size_max: int) -> "TextIO":
    """A line-buffered text stream; characters that stand for bytes of names become those."""
    raw = LogFile(path, size_max)
    buffered = io.BufferedWriter(raw, 64 << 10)  # type: ignore[type-var]
    return io.TextIOWrapper(
        buffered, encoding="utf-8", errors=NAMES, newline="\n", line_buffering=True
    )


class LogFile(io.RawIOBase):
    """The bytes of one log. Only the process that opened it puts files aside: children that were
    forked write on into the file they know.

    The first write that fails, on a full disk for example, is said on descriptor 2; what cannot be
    written is dropped, because no print may fail a mini-batch.
    """

    def __init__(self, path: str, size_max: int) -> None:
        """Raises OSError when the file cannot be opened."""
        self.name = path
        self._size_max = size_max
        self._process = os.getpid()
        self._complained = False
        self._line_ended = True
        self._descriptor = self._open()
        self._size = os.fstat(self._descriptor).st_size

    def fileno(self) -> int:
        """Stays the same when files are put aside: children may have it."""
        return self._descriptor

    def writable(self) -> bool:
        return True

    def write(self, data: "memoryview | bytes") -> int:  # type: ignore[override]
        size = len(data)
        full = self._size_max and self._size and self._size + size > self._size_max
        # Not within a line, unless that has no end.
        if full and (self._line_ended or self._size > self._size_max + LINE_MAX):
            self._put_aside()
        try:
            written = os.write(self._descriptor, data)
        except OSError as error:
            self._complain(error)
            return size
        self._size += written
        self._line_ended = data[written - 1] == 0x0A
        return written

    def _open(self) -> int:
        return os.open(self.name, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)

    def _put_aside(self) -> None:
        if os.getpid() != self._process:
            return
        stem, extension = os.path.splitext(self.name)
        try:
            for number in range(KEPT, 0, -1):
                before = f"{stem}.{number - 1}{extension}" if number > 1 else self.name
                if os.path.exists(before):
                    os.replace(before, f"{stem}.{number}{extension}")
            fresh = self._open()
            os.dup2(fresh, self._descriptor, inheritable=False)
            os.close(fresh)
            self._size = 0
        except OSError as error:
            self._size_max = 0  # better a file too large than no log
            self._complain(error)

    def _complain(self, error: OSError) -> None:
        if self._complained:
            return
        self._complained = True
        try:
            os.write(2, f"windrow worker: cannot write {self.name!r}: {error}\n".encode())
        except OSError:
            pass
