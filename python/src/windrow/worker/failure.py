# SPDX-License-Identifier: Apache-2.0
"""An exception of the script -> the error object of the answer, and a block in the error file.

Imported when the first failure happens: formatting a traceback costs 10 ms of imports.
"""

import os
import sys
import time

from windrow.worker.advice import advice, explained, last_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

MESSAGE_MAX = 16 << 10
TRACEBACK_MAX = 128 << 10
CAPTURED_MAX = 4 << 10
BASES_MAX = 32

_HERE = os.path.dirname(__file__) + os.sep
_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep


def report(
    error: BaseException,
    method: str,
    heading: str,
    error_file: str,
    stderr_file: str = "",
    of_files: bool = False,
) -> bytes:
    """Appends the whole trace to the error file; returns the JSON object, long texts shortened.
    `stderr_file`: where the script's own words are; `of_files`: as explained() has it.

    Never raises: whatever happens, the agent gets an answer.
    """
    kind = type(error).__qualname__
    try:
        message = str(error)
    except BaseException as second:
        message = f"(its text cannot be made: str() raised {type(second).__name__})"
    if method == "serialise":
        message += " (while making rows of what run() returned)"
    try:
        message = explained(error, message, method, stderr_file, of_files)
        text = trace(error, stderr_file)
    except BaseException as second:  # no memory, or a module of the user's in the way
        text = f"{kind}: {message}\n(no traceback: {type(second).__name__})\n"
    _append(error_file, f"{heading}\n{text}\n")
    texts = (kind, _shortened(message, MESSAGE_MAX), _shortened(text, TRACEBACK_MAX), method)
    members = zip(("type", "message", "traceback", "method"), texts)
    bases = ", ".join(map(quoted, _bases(error)))
    parts = [f'"{k}": {quoted(v)}' for k, v in members] + [f'"bases": [{bases}]']
    return ("{" + ", ".join(parts) + "}").encode("ascii")


def heading(process: str, what: str) -> str:
    """The first line of a block in the error file."""
    now = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
    return f"==== {now} UTC {process} {what}"


def _bases(error: BaseException) -> "list[str]":
    """The class of the error and those it is derived from, for the rules about retries."""
    try:
        kinds = type(error).__mro__[:-1][:BASES_MAX]
        return [f"{kind.__module__}.{kind.__qualname__}"[:256] for kind in kinds]
    except BaseException:  # a metaclass of the user's in the way
        return []


def trace(error: BaseException, stderr_file: str = "") -> str:
    """The traceback as people know it, from the first frame of the script's on, and what helps. Of
    a table that cannot be read only the message, which says all: no line is the script's."""
    import traceback

    errors = getattr(sys.modules.get("windrow.tables.errors"), "TableError", ())
    if isinstance(error, errors) and _users_part(error.__traceback__, _PACKAGE) is None:
        return f"{type(error).__qualname__}: {error}\n"
    lines = traceback.format_exception(type(error), error, _users_part(error.__traceback__, _HERE))
    said = last_lines(stderr_file) if isinstance(error, SystemExit) else ""
    if said:
        lines.append(f"the last lines of its stderr:\n{said}\n")
    what_helps = advice(error)
    return "".join(lines) + _captured_stderr(error) + (what_helps and what_helps + "\n")


def _users_part(trace: "TracebackType | None", ours: str) -> "TracebackType | None":
    """The traceback from the first frame on that is neither of a file below `ours` nor of the
    import machinery."""
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if not name.startswith((ours, "<frozen importlib")):
            break
        trace = trace.tb_next
    return trace


def _captured_stderr(error: BaseException) -> str:
    """What a child process wrote, when its failure was raised by subprocess."""
    subprocess = sys.modules.get("subprocess")
    if subprocess is None or not isinstance(error, getattr(subprocess, "SubprocessError", ())):
        return ""
    captured = getattr(error, "stderr", None)
    if not captured:
        return ""
    tail = captured[-CAPTURED_MAX:]
    text = tail.decode("utf-8", "replace") if isinstance(tail, bytes) else str(tail)
    return "captured stderr of the child process:\n" + text.rstrip("\n") + "\n"


def _shortened(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n... {len(text) - limit} characters left out ...\n{text[-half:]}"


def quoted(text: str) -> str:
    """A JSON string in ASCII without lone surrogates, which many readers refuse."""
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    try:
        from _json import encode_basestring_ascii as quote
    except ImportError:
        from json.encoder import encode_basestring_ascii as quote
    return quote(text)


def _append(path: str, block: str) -> None:
    """One write, so that blocks never mix. The answer carries the trace too: a disk that is full
    here is said on our own stderr and costs nothing else."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            os.write(descriptor, block.encode("utf-8", "backslashreplace"))
        finally:
            os.close(descriptor)
    except OSError as error:
        os.write(2, f"windrow worker: cannot write {path!r}: {error}\n".encode())
