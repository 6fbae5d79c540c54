# SPDX-License-Identifier: Apache-2.0
"""What run() writes into outputs, where outputs are staged: kept apart by attempt.

The script has the same folders all the time, and nobody else has them. After each call of run()
what lies in them is taken aside, under the name of the attempt; what comes of it is up to the
agent. Imported only for jobs with staged_outputs.
"""

import os
from struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from windrow.worker.serve import Worker

_TOKEN = Struct("<QII")  # epoch, batch, picked
_TOKEN_OFFSET = 8


class StagedFileError(Exception):
    """An output holds something that cannot be staged."""


class Staging:
    """The folders of one worker."""

    __slots__ = ("_done", "_folders", "_private")

    def __init__(self, private: str, done: str, outputs: "list[str]") -> None:
        self._private = private
        self._done = done
        self._folders = [os.path.join(private, name) for name in outputs]

    def check(self) -> None:
        """Raises StagedFileError for what is neither a file nor a folder: what a link means would
        change with its place."""
        folders = list(self._folders)
        for folder in folders:  # grows while it is read
            try:
                with os.scandir(folder) as entries:
                    for entry in entries:
                        if entry.is_dir(follow_symlinks=False):
                            folders.append(entry.path)
                        elif not entry.is_file(follow_symlinks=False):
                            name = os.path.relpath(entry.path, self._private)
                            raise StagedFileError(f"{name} is neither a file nor a folder")
            except FileNotFoundError:
                pass  # the script has removed it

    def take_aside(self, attempt: str) -> None:
        """Raises OSError."""
        if not any(map(_has_entries, self._folders)):
            return
        here = _working_folder()
        os.rename(self._private, os.path.join(self._done, attempt))
        for folder in self._folders:
            os.makedirs(folder, exist_ok=True)
        if f"{here}/".startswith(f"{self._private}/"):  # else it would continue in the old one
            os.makedirs(here, exist_ok=True)
            os.chdir(here)


def _working_folder() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:  # the script has removed it
        return ""


def _has_entries(folder: str) -> bool:
    try:
        with os.scandir(folder) as entries:
            return next(entries, None) is not None
    except FileNotFoundError:  # so have scripts been seen to begin
        os.makedirs(folder, exist_ok=True)
        return False


def stage(worker: "Worker") -> None:
    """Puts itself around the script's run() and what is made of its result. A child that the script
    forked touches nothing."""
    settings, forked, script = worker.settings, worker.forked, worker.script
    staging = Staging(settings["staging"], settings["staging_done"], settings["staging_outputs"])
    run: Callable[..., Any] = script.run
    serialise, wants_context = worker.serialise, script.wants_context
    attempt = ""

    def run_staged(mini_batch: "list[str]", packet: bytes) -> object:
        nonlocal attempt
        attempt = "{}.{}.{}".format(*_TOKEN.unpack_from(packet, _TOKEN_OFFSET))
        try:
            return run(mini_batch, packet) if wants_context else run(mini_batch)
        except BaseException:
            if not forked:
                staging.take_aside(attempt)
            raise

    def serialise_staged(result: object) -> "tuple[int, bytes]":
        try:
            staging.check()
            return serialise(result)
        finally:
            staging.take_aside(attempt)

    script.run, worker.serialise, script.wants_context = run_staged, serialise_staged, True
