# SPDX-License-Identifier: Apache-2.0
"""Where the script's print, stderr and logging go: files of the user, one pair per process.

Descriptors 1 and 2 stay as they are: native code and child processes write there.
"""

import sys

from windrow.worker.logfile import open_log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import TextIO

_opened: "list[TextIO]" = []


def redirect(stdout_path: str, stderr_path: str, size_max: int = 0, level: str = "") -> None:
    """Appends sys.stdout and sys.stderr to two files and sends `logging` to the first, from
    `level` on. A file that has `size_max` bytes (0: any number) is put aside.

    Line-buffered, so that what was printed is there when the process is killed.
    """
    for path in (stdout_path, stderr_path):
        _opened.append(open_log(path, size_max))
    sys.stdout, sys.stderr = _opened
    log_to(sys.stdout, level)


def log_to(stream: "TextIO", level: str) -> None:
    """Sends `logging` to a stream, from `level` on."""
    if "logging" in sys.modules:
        _configure(sys.modules["logging"], stream, level)
    else:
        sys.meta_path.insert(0, _LoggingFinder(stream, level))


def flush() -> None:
    """Writes out what the script printed. A disk that is full has no one left to complain to."""
    for stream in (sys.stdout, sys.stderr, *_opened):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):  # replaced, or closed, by the script
            pass


def _configure(logging: "ModuleType", stream: "TextIO", level: str) -> None:
    if not hasattr(logging, "root"):  # a module of the user's that happens to have this name
        return
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(levelname)s:%(name)s:%(message)s"))
    logging.root.addHandler(handler)
    if level:
        logging.root.setLevel(level)


class _LoggingFinder:
    """Sets the root logger's handler in the moment somebody imports logging.

    Importing it here for everyone would cost 5 to 13 ms before the first run(). Looking after the
    script's import would be too late: a first logging.warning() at module level sets a handler of
    its own, on stderr.
    """

    def __init__(self, stream: "TextIO", level: str) -> None:
        self._stream = stream
        self._level = level

    def find_spec(
        self, name: str, path: "Sequence[str] | None" = None, target: "ModuleType | None" = None
    ) -> "ModuleSpec | None":
        if name != "logging":
            return None
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target)
            if spec is not None and spec.loader is not None:
                self._configure_after(spec.loader)
                return spec
        return None

    def _configure_after(self, loader: object) -> None:
        execute = loader.exec_module  # type: ignore[attr-defined]

        def exec_module(module: "ModuleType") -> None:
            execute(module)
            _configure(module, self._stream, self._level)

        loader.exec_module = exec_module  # type: ignore[attr-defined]
