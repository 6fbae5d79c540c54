# SPDX-License-Identifier: Apache-2.0
"""EntryScript: where the script is running, for its own logs and files.

Inside a worker, and in processes that it starts, all of it comes from the environment. Anywhere
else, under pytest for example, folders below the current one take the place of the job's.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import logging

_LOGGER = "azureml_user.parallel_run"
_LOG_DIR = os.path.join("logs", "user", "entry_script_log", "0")


class EntryScript:
    """One object per process: EntryScript() is EntryScript(). Its folders exist once they are
    asked for; creating them again does no harm."""

    _only: EntryScript | None = None
    _lock = threading.Lock()

    def __new__(cls) -> EntryScript:
        with cls._lock:
            if cls._only is None:
                cls._only = super().__new__(cls)
            return cls._only

    @property
    def logger(self) -> logging.Logger:
        """Lines go to <agent_name>.log.txt in log_dir: debug() too, unless the job sets a logging
        level of its own."""
        import logging

        logger = logging.getLogger(_LOGGER)
        with self._lock:
            if not logger.handlers:
                logger.addHandler(
                    _handler(os.path.join(self.log_dir, f"{self.agent_name}.log.txt"))
                )
                logger.setLevel(os.environ.get("WINDROW_ENTRY_LOG_LEVEL") or "DEBUG")
                logger.propagate = False
        return logger

    @property
    def log_dir(self) -> str:
        """For log files of the script's own; the same for all processes of a node."""
        return _made(os.environ.get("WINDROW_LOG_DIR") or os.path.abspath(_LOG_DIR))

    @property
    def output_dir(self) -> str:
        """For files that are results; the same for all processes of the job."""
        return _made(os.environ.get("AZUREML_BI_OUTPUT_PATH") or os.path.abspath("outputs"))

    @property
    def agent_name(self) -> str:
        """processNNN: keeps names of files apart on one node."""
        return os.environ.get("WINDROW_PROCESS") or "process000"

    @property
    def working_dir(self) -> str:
        """The folder that this process has for itself."""
        return os.environ.get("WINDROW_WORKING_DIR") or os.getcwd()

    @property
    def node_id(self) -> int:
        """Number of the machine within the job, from 0."""
        return int(os.environ.get("WINDROW_NODE_ID") or 0)

    def __repr__(self) -> str:
        return f"EntryScript(node_id={self.node_id}, agent_name={self.agent_name!r})"


def _made(folder: str) -> str:
    os.makedirs(folder, exist_ok=True)
    return folder


def _handler(path: str) -> logging.Handler:
    import logging
    import time

    try:
        from windrow.worker.logfile import open_log

        stream = open_log(path, int(os.environ.get("WINDROW_USER_LOG_MAX") or 0))
    except ImportError:  # this package alone was copied somewhere
        stream = open(path, "a", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115
    handler = logging.StreamHandler(stream)
    formatter = logging.Formatter("%(asctime)s|%(levelname)s|%(process)d|%(message)s")
    formatter.converter = time.gmtime
    handler.setFormatter(formatter)
    return handler
