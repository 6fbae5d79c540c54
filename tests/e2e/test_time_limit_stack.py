# SPDX-License-Identifier: Apache-2.0
"""Where a script hung when its time was up."""

from __future__ import annotations

import pytest
from workbench import Job, Windrow

LIMIT = 0.4

# The line and function that each of them hangs in.
HANGS = {
    "run": (
        """
import time

def stuck():
    time.sleep(600)

def run(mini_batch):
    stuck()
""",
        "line 5, in stuck",
    ),
    "native code that holds the interpreter": (
        """
import ctypes

def native():
    while ctypes.PyDLL(None).sleep(600): pass  # which a signal cuts short

def run(mini_batch):
    native()
""",
        "line 5, in native",
    ),
    "own handlers": (
        """
import faulthandler, signal, sys, time

def init():
    faulthandler.enable(open("own.txt", "w"))
    faulthandler.register(signal.SIGUSR1, file=open("own.txt", "w"))
    faulthandler.dump_traceback_later(600)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM, signal.SIGUSR2):
        signal.signal(number, signal.SIG_IGN)
    sys.stderr.close()

def polite():
    while True:
        time.sleep(1)

def run(mini_batch):
    polite()
""",
        "line 14, in polite",
    ),
    "text": (
        """
import time

class Slow:
    def __str__(self):
        time.sleep(600)

def run(mini_batch):
    return [Slow()]
""",
        "line 6, in __str__",
    ),
}


def run_stuck(windrow: Windrow, script: str, *settings: str) -> Job:
    flags = [word for setting in settings for word in ("--set", setting)]
    return windrow.run(script, *flags, files=1, retries=0, workers=1, timeout=LIMIT)


# C580 C581
@pytest.mark.parametrize("way", HANGS)
def test_a_time_limit_shows_the_line_that_the_script_was_in(windrow: Windrow, way: str) -> None:
    script, where = HANGS[way]
    # Short only where it is meant: on a busy machine handing over takes its time.
    job = run_stuck(windrow, script, f"task_overhead_timeout={1 if way == 'text' else 30}")
    assert job.exit == 1
    (item,) = job.failed_items()
    trace = item["traceback"].splitlines()
    assert trace[0] == "Traceback (most recent call last):"
    assert "score.py" in trace[1]
    assert any(line.endswith(where) for line in trace)
    assert trace[-1] == f"TimeoutError: {item['error_message']}"
    assert "windrow/worker" not in item["traceback"]
    assert item["traceback"] in job.log("logs/user/error/0/process000.txt")
    assert where in job.text[job.text.rindex("Traceback") :]


# C581
def test_init_that_takes_too_long_shows_where_too(windrow: Windrow) -> None:
    script = """
import time

def fetch_model():
    time.sleep(600)

def init():
    fetch_model()

def run(mini_batch):
    return mini_batch
"""
    job = run_stuck(windrow, script, "init_timeout=2")  # Python has to start in it
    assert job.exit == 1
    assert "line 5, in fetch_model" in job.log("logs/user/error/0/process000.txt")
    assert "line 5, in fetch_model" in job.text


# C580
def test_all_threads_are_shown_and_the_one_that_called_run_comes_last(windrow: Windrow) -> None:
    script = """
import threading, time

def beside():
    time.sleep(600)

def run(mini_batch):
    threading.Thread(target=beside, daemon=True).start()
    time.sleep(600)
"""
    (item,) = run_stuck(windrow, script).failed_items()
    others, _, own = item["traceback"].rpartition("Traceback (most recent call last):")
    assert "line 5, in beside" in others
    assert "line 9, in run" in own


DEAF = {
    "blocks": "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))",
    "ignores": "[signal.signal(number, signal.SIG_IGN) for number in range(34, 65)]",
    "hears it no more": "[signal.signal(number, signal.SIG_DFL) for number in range(34, 65)]",
}


# C583
def test_a_wait_that_the_question_cuts_short_is_no_success(windrow: Windrow) -> None:
    script = """
import ctypes

def run(mini_batch):
    ctypes.PyDLL(None).sleep(600)
    return mini_batch
"""
    job = run_stuck(windrow, script)
    assert job.exit == 1
    assert job.statuses() == ["RUN_TIMEOUT"]


# C582
@pytest.mark.parametrize("way", DEAF)
def test_a_script_that_does_not_show_where_it_is_ends_all_the_same(
    windrow: Windrow, way: str
) -> None:
    script = f"import signal, time\n\ndef run(mini_batch):\n    {DEAF[way]}\n    time.sleep(600)\n"
    job = run_stuck(windrow, script)
    assert job.exit == 1
    assert job.statuses() == ["RUN_TIMEOUT"]
    assert float(job.attempts(0)[0]["Elapsed Seconds"]) < LIMIT + 2
    assert f"run() took longer than {LIMIT} s" in job.failed_items()[0]["error_message"]
    assert f"exited with 71: run() took longer than {LIMIT} s" in job.log(
        "logs/sys/node/0/_main.txt"
    )
