# SPDX-License-Identifier: Apache-2.0
"""Windrow's own processes, stopped by SIGSTOP: nothing waits for them without a limit."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import threading
import time
from collections.abc import Iterator

import pytest
from workbench import Running, Windrow, named, numbered, until

# Says that it is there, and ends when it is told to.
WAITS = """
import os, time
from pathlib import Path

here = Path(os.environ["OF_TEST"])

def run(mini_batch):
    (here / "there").touch()
    while not (here / "go").exists():
        time.sleep(0.005)
    return [os.path.basename(path) for path in mini_batch]
"""


def start(windrow: Windrow) -> tuple[Running, int, int]:
    """A job whose only worker is inside run(); its zygote and its reaper."""
    running = windrow.start(WAITS, files=2, size=1, workers=1)
    until(lambda: (windrow.folder / "there").exists(), "the worker is in run()")
    (zygote,) = named("windrow-zygote", running.pid)
    (reaper,) = named("windrow-reaper", zygote)
    return running, zygote, reaper


def go(windrow: Windrow) -> None:
    (windrow.folder / "go").touch()


PTRACE_ATTACH, PTRACE_DETACH, WALL = 16, 17, 0x40000000


def hold(pid: int, attached: threading.Event, free: threading.Event) -> None:
    """As a debugger does: no SIGCONT wakes it, only SIGKILL helps."""
    ptrace = ctypes.CDLL(None, use_errno=True).ptrace
    if ptrace(PTRACE_ATTACH, pid, None, None) != 0:
        return
    attached.set()
    while not free.wait(0.01):
        ended, status = os.waitpid(pid, os.WNOHANG | WALL)
        if ended and not os.WIFSTOPPED(status):
            return
    ptrace(PTRACE_DETACH, pid, None, None)


@contextlib.contextmanager
def held(pid: int) -> Iterator[None]:
    attached, free = threading.Event(), threading.Event()
    thread = threading.Thread(target=hold, args=(pid, attached, free))
    thread.start()
    try:
        if not attached.wait(5):
            pytest.skip("no process can be traced here")
        yield
    finally:
        free.set()
        thread.join()


# C920
@pytest.mark.parametrize("who", ["zygote", "reaper"])
def test_a_stopped_helper_is_woken_at_the_end_of_the_job(windrow: Windrow, who: str) -> None:
    running, zygote, reaper = start(windrow)
    os.kill(zygote if who == "zygote" else reaper, signal.SIGSTOP)
    go(windrow)
    job = running.end(20)
    assert job.exit == 0, job
    assert job.rows() == numbered(2)
    if who == "reaper":
        assert "was stopped (SIGSTOP)" in job.text
        assert "was stopped (SIGSTOP)" in job.log("azureml-logs/70_driver_log.txt")
    windrow.expect_no_orphans()


# C920
def test_a_stopped_zygote_is_woken_when_a_worker_is_to_be_started(windrow: Windrow) -> None:
    running, zygote, _ = start(windrow)
    os.kill(zygote, signal.SIGSTOP)
    os.kill(running.workers()[0], signal.SIGKILL)
    go(windrow)
    job = running.end(20)
    assert job.exit == 0, job
    assert job.rows() == numbered(2)
    windrow.expect_no_orphans()


# C921
def test_a_reaper_that_stays_stopped_is_killed_and_the_job_ends_right(windrow: Windrow) -> None:
    running, _, reaper = start(windrow)
    with held(reaper):
        go(windrow)
        job = running.end(30)
    assert job.exit == 0, job
    assert job.rows() == numbered(2)
    assert "did not answer and was killed" in job.text
    windrow.expect_no_orphans()


# C921
def test_a_zygote_that_stays_stopped_ends_the_job_with_a_reason(windrow: Windrow) -> None:
    running, zygote, _ = start(windrow)
    with held(zygote):
        os.kill(running.workers()[0], signal.SIGKILL)
        job = running.end(30)
    assert job.exit == 1, job
    assert "the process that starts workers did not answer and was killed" in job.text
    windrow.expect_no_orphans()


# C921
def test_a_zygote_that_stays_stopped_does_not_hold_up_the_end(windrow: Windrow) -> None:
    running, zygote, _ = start(windrow)
    began = time.monotonic()
    with held(zygote):
        go(windrow)
        job = running.end(30)
    assert time.monotonic() - began > 3, "it was not woken, but killed"
    assert job.exit == 0, job
    assert job.rows() == numbered(2)
    windrow.expect_no_orphans()
