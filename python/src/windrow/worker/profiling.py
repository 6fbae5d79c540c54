# SPDX-License-Identifier: Apache-2.0
"""Where the script's time goes, by cProfile or profile, in a file that pstats reads.

Written every minute and at the end, so that a script that never comes back can be looked into.
"""

import atexit
import importlib
import marshal
import os
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from windrow.worker.script import Script

WRITE_EVERY_S = 60.0


class Profiling:
    """Counts what is called through it. Calls on one thread; a second one writes the file."""

    def __init__(self, module: str, path: str) -> None:
        """`module`: cProfile or profile."""
        self._profile: Any = importlib.import_module(module).Profile()
        # `profile` is written in Python and must be told where its outermost call ended.
        self._complete = getattr(self._profile, "simulate_cmd_complete", lambda: None)
        self._path = path
        self._lock = threading.Lock()
        self._process = os.getpid()
        atexit.register(self.write)
        threading.Thread(
            target=self._write_now_and_then, name="windrow-profile", daemon=True
        ).start()

    def call(self, function: "Callable[..., Any]", *arguments: object) -> "Any":
        try:
            return self._profile.runcall(function, *arguments)
        finally:
            self._complete()

    def watch(self, script: "Script") -> None:
        """From now on the functions of the script are called through this."""
        script.init = self._watched(script.init)
        script.run = self._watched(script.run)
        script.shutdown = self._watched(script.shutdown)

    def _watched(self, function: "Callable[..., Any]") -> "Callable[..., Any]":
        return lambda *arguments: self.call(function, *arguments)

    def write(self) -> None:
        """Puts what was counted so far in place of the file. Never raises."""
        if os.getpid() != self._process:  # a child that the script forked
            return
        with self._lock:
            beside = f"{self._path}.new"
            try:
                self._profile.snapshot_stats()
                with open(beside, "wb") as file:
                    marshal.dump(self._profile.stats, file)
                os.replace(beside, self._path)
            except Exception as error:  # counted on meanwhile: the next time will do
                os.write(2, f"windrow worker: no profile written: {error}\n".encode())

    def _write_now_and_then(self) -> None:
        while True:
            time.sleep(WRITE_EVERY_S)
            self.write()
