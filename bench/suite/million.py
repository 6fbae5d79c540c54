# SPDX-License-Identifier: Apache-2.0
"""One million mini-batches of one file each, one folder: memory, first result, kill -9, resume.

`redone` is the number of run() calls beyond one per mini-batch, over both lives of the killed job.
"""

import functools
import glob
import struct

from suite import inputs, machine, rows, windrow
from suite.case import Case, Column

COLUMNS = [
    Column("first_s", "s to the first run()", 3),
    Column("us", "µs/mini-batch"),
    Column("peak_mb", "master peak MB", 0),
    Column("whole_s", "whole, s"),
    Column("redone", "redone %", 3),
]
WHOLE = "from start to end"
KILLED = "killed at half"
RESUMED = "started again"
LIMIT_SECONDS = 300


def calls(job):
    """How often run() was called in the latest life so far."""
    total = 0
    for path in glob.glob(f"{job.stamps}/calls.*"):
        with open(path, "rb") as file:
            data = file.read(8)
        total += struct.unpack("Q", data)[0] if len(data) == 8 else 0
    return total


def watch(job, until_calls=None):
    """One life of the job, to its end or to kill -9 after so many calls: columns, calls, Ended."""
    running = job.start()
    peak = 0
    while not running.has_ended(0.01 if until_calls else 0.05):
        peak = max(peak, machine.peak_memory(running.pid))
        if until_calls and calls(job) >= until_calls:
            running.kill()
            break
    ended = running.wait(LIMIT_SECONDS)
    first = job.first_ns()
    if first is None:
        raise windrow.Failed(f"no run() was called: {ended.last_words}")
    count = calls(job)
    values = {
        "first_s": (first - ended.start_ns) / 1e9,
        "us": (ended.end_ns - first) / 1e3 / max(1, count),
        "peak_mb": peak / 1e6,
        "whole_s": ended.seconds,
    }
    return values, count, ended


def finished(ended):
    if ended.code != 0:
        raise windrow.Failed(f"windrow ended with {ended.code}: {ended.last_words}")


class Work:
    def __init__(self, options):
        self.count = 50_000 if options.quick else 1_000_000
        self.input = inputs.empty_files(self.count)
        self.expected = rows.digest(self.input.paths())

    def whole(self):
        with windrow.job("count_names.py", self.input.folder, 1) as job:
            values, _, ended = watch(job)
            finished(ended)
            rows.check(job.rows, self.expected)
            return values

    def killed(self, case):
        """Adds the second line too: the two lives belong to one job."""
        with windrow.job("count_names.py", self.input.folder, 1) as job:
            before, first_calls, _ = watch(job, until_calls=self.count // 2)
            after, second_calls, ended = watch(job)
            finished(ended)
            rows.check(job.rows, self.expected)
        redone = 100 * (first_calls + second_calls - self.count) / self.count
        case.measure_one(RESUMED, lambda: after | {"redone": redone})
        return before | {"note": f"after {first_calls:,} calls"}


def measure(options):
    the = Work(options)
    title = f"{the.count:,} mini-batches of one file, one folder, 2 workers"
    case = Case("million", title, COLUMNS)
    contenders = [(WHOLE, the.whole), (KILLED, functools.partial(the.killed, case))]
    case.measure(contenders, 1)
    peaks = [case.median(name, "peak_mb") for name in (WHOLE, KILLED, RESUMED)]
    peak = None if None in peaks else max(peaks)
    case.at_most("first run(), s", case.median(WHOLE, "first_s"), 1.5)
    case.at_most("master's peak, MB", peak, 300)
    case.at_most("first run() after the restart, s", case.median(RESUMED, "first_s"), 1)
    case.at_most("redone, %", case.median(RESUMED, "redone"), 2)
    return case
