# SPDX-License-Identifier: Apache-2.0
"""From the command to the first run(), with an empty init().

The clock starts just before the command is executed, and stops inside the worker at its first call.
Floor: floor.cc starts two plain Python workers and hands one the first mini-batch. Peers: a fresh
Python that imports the library, makes its pool of two and calls a function in it.
"""

import functools
import os
import tempfile

from suite import floor, inputs, rivals, windrow
from suite.case import Case, Column

RIVALS = [rivals.POOL_1, rivals.FUTURES_1, rivals.JOBLIB, rivals.MPIRE_1, rivals.DASK]


def of_windrow(given):
    with windrow.job("names.py", given.folder, 10) as job:
        ended = job.run(60)
        return {
            "first_ms": (job.first_ns() - ended.start_ns) / 1e6,
            "whole_ms": ended.seconds * 1e3,
        }


def of_floor(given):
    with tempfile.TemporaryDirectory() as folder:
        how = {"environment": {"BENCH_STAMPS": folder}}
        _, ended = floor.run(given, 10, 2, os.path.join(folder, "rows"), **how)
        firsts = []
        for name in os.listdir(folder):
            if name.startswith("first."):
                with open(os.path.join(folder, name)) as file:
                    firsts.append(int(file.read()))
        first = min(firsts)
        return {"first_ms": (first - ended.start_ns) / 1e6, "whole_ms": ended.seconds * 1e3}


def of_rival(rival):
    said, ended = rivals.ask(rival, {"mode": "first"}, 60)
    first_ms = (said["first_ns"] - ended.start_ns) / 1e6
    return {"first_ms": first_ms, "whole_ms": ended.seconds * 1e3}


def measure(options):
    given = inputs.empty_files(20)
    columns = [Column("first_ms", "ms to the first run()"), Column("whole_ms", "ms to the end")]
    case = Case("startup", "command to the first run(), init() empty, 2 mini-batches", columns)
    quick_ones = [("windrow", functools.partial(of_windrow, given))]
    quick_ones += [("floor", functools.partial(of_floor, given))]
    case.measure(quick_ones, 3 if options.quick else 10)
    slow_ones = [
        (rival.name, functools.partial(of_rival, rival))
        for rival in rivals.with_heavy(RIVALS, rivals.RAY_TASKS)
    ]
    case.measure(slow_ones, options.repeats)
    case.at_most("windrow, ms", case.median("windrow", "first_ms"), 100)
    return case
