# SPDX-License-Identifier: Apache-2.0
"""`windrow run --local` and `windrow replay`: the script in one process, at the user's terminal.

Loads, calls and serialises as a worker does; but print, input() and breakpoint() have the terminal,
nothing has a time limit, and the first failure ends the run with its traceback.
"""

import os
import sys
import time
from importlib import import_module

from windrow.worker import packets, parts, rows, streams
from windrow.worker.items import keys_of, rows_of
from windrow.worker.script import Refused, Script, link_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, BinaryIO

    from windrow.worker.jsonl import Rows
    from windrow.worker.table import TableRows

FAILED, REFUSED, STOPPED = 1, 2, 130
NAMES_MAX = 3  # of a mini-batch, in a message


class Trial:
    """One run over the mini-batches of a settings file (below: what the engine wrote into it)."""

    def __init__(self, settings: "dict[str, Any]") -> None:
        self._settings = settings
        self._files: list[BinaryIO] = []
        self._kept: list[Any] = self._files  # where rows go
        self._has_header: set[int] = set()
        self._items = self._rows = self._failed = 0
        self._what = "loading the script"
        self._reader: Rows | TableRows | None = None  # where the items are rows

    def run(self) -> int:
        """To the end, or to the first failure. The exit code."""
        if self._settings.get("debugpy") and not _wait_for_debugger(self._settings["debugpy"]):
            return REFUSED
        code = FAILED
        try:
            code = self._try()
        except Refused as error:
            code = self._show(error.__cause__ or error, REFUSED)
        except KeyboardInterrupt:
            code = STOPPED
        except BaseException as error:
            if type(error).__name__ == "BdbQuit":  # `q` at a breakpoint
                code = STOPPED
            else:
                code = self._show(error, FAILED)
        for file in self._files:
            file.close()
            if code != 0:  # half a result helps nobody and would be in the way of the next try
                os.unlink(file.name)
        _say(
            self._sum()
            if code == 0
            else f"{'stopped' if code == STOPPED else 'failed'} in {self._what}"
        )
        return code

    def _try(self) -> int:
        functions = self._load()
        for path in self._settings["targets"]:
            self._files.append(open(path, "xb"))  # noqa: SIM115
        pieces = self._pieces()
        for number, paths in enumerate(self._settings["batches"], self._settings.get("first", 0)):
            self._what = f"mini-batch {number} ({_some_names(paths)})"
            self._one(number, paths, functions)
        self._what = "shutdown()"
        self._script.shutdown()
        for number, file in enumerate(pieces):
            from windrow.tables.join import join

            self._what = "writing the result"
            file.flush()
            target = self._settings["targets"][number]
            join(f"/proc/self/fd/{file.fileno()}", target, self._settings["format"])
        return 0

    def _pieces(self) -> "list[Any]":
        """Files without a name for what becomes one Parquet or Arrow file in the end."""
        if self._settings.get("format") not in ("parquet", "arrow"):
            return []
        import tempfile

        self._kept = [tempfile.TemporaryFile() for _ in self._files]  # noqa: SIM115
        return self._kept

    def _load(self) -> "tuple[Any, Any, bool]":
        settings = self._settings
        streams.log_to(sys.stdout, settings["python_logging_level"])
        sys.argv[:] = settings["argv"]
        link_code(settings["code_root"])
        source = (os.path.realpath(settings["script"]), settings["code_root"])
        self._script = Script(*source, settings.get("module", ""))
        serialise, in_parts = _form(settings)
        run = self._script.run
        self._reader = rows_of(settings)
        if self._script.wants_context:
            from windrow.worker.context import with_context

            run, serialise = with_context(run, serialise, in_parts, self._reader, keys_of(settings))
            in_parts = True
        self._script.init()
        return run, serialise, in_parts

    def _one(self, number: int, paths: "list[str]", functions: "tuple[Any, Any, bool]") -> None:
        run, serialise, in_parts = functions
        began = time.monotonic()
        items = self._reader.load(paths) if self._reader else list(paths)
        total = len(items)
        if self._reader and self._reader.counts and not total:
            _say(f"mini-batch {number}: no rows")  # which the script never gets
            return
        if self._script.wants_context:
            token = packets.TOKEN_AND_COUNTS.pack(number, 1, total, 0)
            result = run(items, bytes(packets.TOKEN_OFFSET) + token)
        else:
            result = run(items)
        took = time.monotonic() - began
        returned, payload = serialise(result)
        made = parts.split(payload) if in_parts else [(parts.ROWS, 0, 0, payload)]
        reported = [part for part in made if part[0] == parts.REPORTED]
        for kind, output, _, body in made:
            if kind != parts.REPORTED:
                self._keep(kind, output, body)
        for _, _, item, reason in reported:
            name = paths[item] if len(paths) == total else f"row {item}"
            _say(f"  {name} failed: {reason.decode('utf-8', 'replace')}")
        missing = total - len(reported) - min(returned, total - len(reported))
        self._items += total
        self._rows += returned
        self._failed += len(reported) + missing
        short = f", {_counted(missing, 'item')} without one" if missing else ""
        got, made_of_it = _counted(total, "item"), _counted(returned, "result")
        _say(f"mini-batch {number}: {got}, {made_of_it}{short}, {took:.3f} s")

    def _keep(self, kind: int, output: int, body: bytes) -> None:
        if not self._files or (kind == parts.HEADER and output in self._has_header):
            return
        if kind == parts.HEADER:
            self._has_header.add(output)
        self._kept[output].write(body)

    def _show(self, error: BaseException, code: int) -> int:
        from windrow.worker import failure

        sys.stdout.flush()
        _say(failure.trace(error).rstrip("\n"))
        if self._settings.get("pdb"):
            import pdb

            pdb.post_mortem(error.__traceback__)
        return code

    def _sum(self) -> str:
        count, succeeded = len(self._settings["batches"]), self._items - self._failed
        lines = [
            f"{_counted(count, 'mini-batch')}, {_counted(self._items, 'item')}: "
            f"{succeeded} succeeded, {self._failed} failed; {_counted(self._rows, 'result')}"
        ]
        return "\n".join(lines + [f"rows are in {path}" for path in self._settings["targets"]])


def _form(settings: "dict[str, Any]") -> "tuple[Any, bool]":
    """What makes rows of a result, and whether it makes parts."""
    if not settings.get("append_row", True):
        return rows.count, False
    if rows.styled(settings):
        from windrow.worker.styles import Writer

        return Writer(settings).serialise, True
    return rows.serialise, False


def _some_names(paths: "list[str]") -> str:
    names = [os.path.basename(path) for path in paths[:NAMES_MAX]]
    more = len(paths) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")


def _wait_for_debugger(port: int) -> bool:
    try:
        debugpy = import_module("debugpy")
    except ImportError:
        _say(f"--debugpy needs the package debugpy: {sys.executable} -m pip install debugpy")
        return False
    debugpy.listen(("127.0.0.1", port))
    _say(f"waiting for a debugger on 127.0.0.1:{port}")
    debugpy.wait_for_client()
    return True


def _counted(count: int, noun: str) -> str:
    many = "es" if noun.endswith("ch") else "s"
    return f"{count} {noun}{'' if count == 1 else many}"


def _say(text: str) -> None:
    """For people: standard output is the script's."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def main(path: str) -> None:
    """`path`: JSON with the members of a worker's start object, and `batches` (lists of absolute
    paths), `targets` (files to create, one for each output that gets rows); perhaps `debugpy` (a
    port), `first` (the number of the first mini-batch) and `pdb` (an exception ends in it)."""
    import json

    with open(path, encoding="utf-8") as file:
        settings = json.load(file)
    os.unlink(path)
    sys.exit(Trial(settings).run())
