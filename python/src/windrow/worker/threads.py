# SPDX-License-Identifier: Apache-2.0
"""Threads of the script that keep the interpreter from ending.

Python waits for every thread that is not a daemon, for ever. A worker waits a while, says which
ones they are, and ends. Imported only when there are some.
"""

import os
import sys
import threading
from _thread import start_new_thread
from time import sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

WAIT_SECONDS = 5.0


def left() -> "list[str]":
    """The names of those that keep it, each with its function."""
    main = threading.main_thread()
    return [
        _named(thread)
        for thread in threading.enumerate()
        if thread is not main and not thread.daemon and thread.is_alive()
    ]


def end_in_time(end: "Callable[[str], None]") -> None:
    """To be called when the script is done: if threads are left after a while, calls end() with a
    sentence about them. It does not return."""
    if not left():
        return
    process = os.getpid()

    def watch() -> None:
        sleep(WAIT_SECONDS)
        names = left()
        if os.getpid() == process and names:
            end(_sentence(names))

    start_new_thread(watch, ())


def _named(thread: threading.Thread) -> str:
    target = getattr(getattr(thread, "_target", None), "__qualname__", "")
    return f"{thread.name!r}" if target in thread.name else f"{thread.name!r} ({target})"


def _sentence(names: "list[str]") -> str:
    many = len(names) > 1
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return (
        f"the thread{'s' if many else ''} {shown} of the script still ran {WAIT_SECONDS:.0f} s"
        f" after its end and {'were' if many else 'was'} ended with the worker: end"
        f" {'them' if many else 'it'} in shutdown(), or start {'them' if many else 'it'} with"
        " daemon=True"
    )


def say(text: str) -> None:
    """Where the script's own words are."""
    try:
        print("windrow: " + text, file=sys.stderr, flush=True)
    except Exception:  # a stream of the user's in the way, or closed
        pass
