# SPDX-License-Identifier: Apache-2.0
"""What one mini-batch costs when the work itself costs nothing; and what being durable costs.

Clock of everyone: from the first mini-batch handed out, workers up, to the file of rows complete
and closed; for windrow from the first run() to the end of the command, which includes merging,
syncing and publishing. `whole` adds start-up and, for windrow alone, listing the folder.
"""

import functools
import os
import tempfile

from suite import floor, inputs, rivals, rows, windrow
from suite.case import Case, Column

BATCH_SIZE = 10
COLUMNS = [
    Column("us", "µs/mini-batch"),
    Column("runs_us", "first to last run()"),
    Column("whole_us", "whole"),
    Column("cpu_us", "CPU µs/mini-batch"),
    Column("instructions", "instructions/mini-batch", 0),
]
FLOORS = {f"floor, {transport}": transport for transport in floor.TRANSPORTS}
RIVALS = [
    rivals.POOL_1,
    rivals.POOL_16,
    rivals.POOL_16_ANY,
    rivals.FUTURES_1,
    rivals.FUTURES_16,
    rivals.JOBLIB,
    rivals.MPIRE_16,
    rivals.MPIRE,
    rivals.DASK,
]


class Work:
    """The mini-batches, and the rows that anyone must make of the first so many of them."""

    def __init__(self, options):
        self.batches = 10_000 if options.quick else 100_000
        self.input = inputs.empty_files(self.batches * BATCH_SIZE)

    @functools.cache  # noqa: B019 (one object, alive to the end)
    def expected(self, batches):
        return rows.digest(self.input.paths(batches * BATCH_SIZE))

    def check(self, path, batches):
        rows.check(path, self.expected(batches))

    def per_batch(self, batches, seconds, ended):
        """Processor time and instructions are those of the whole command for everybody."""
        instructions = ended.instructions
        return {
            "us": seconds / batches * 1e6,
            "whole_us": ended.seconds / batches * 1e6,
            "cpu_us": ended.cpu_seconds / batches * 1e6,
            "instructions": instructions / batches if instructions else None,
        }

    def windrow(self, environment=None, script="names.py"):
        with windrow.job(script, self.input.folder, BATCH_SIZE, 2, environment) as job:
            ended = job.run(300, counted=True)
            self.check(job.rows, self.batches)
            first, last = job.first_ns(), job.last_ns()
            values = self.per_batch(self.batches, (ended.end_ns - first) / 1e9, ended)
            return values | {"runs_us": (last - first) / 1e3 / self.batches if last else None}

    def windrow_native(self):
        return self.windrow(script=windrow.native_worker("names"))

    def floor(self, transport):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rows")
            how = {"transport": transport, "counted": True}
            said, ended = floor.run(self.input, BATCH_SIZE, self.batches, path, **how)
            self.check(path, self.batches)
            return self.per_batch(self.batches, said["seconds"], ended)

    def rival(self, rival):
        batches = int(self.batches * rival.share)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rows")
            request = {"mode": "map", "function": "names", "list": self.input.list, "rows": path}
            request |= {"batch_size": BATCH_SIZE, "batches": batches}
            said, ended = rivals.ask(rival, request, 120, counted=True)
            self.check(path, batches)
            note = {} if rival.share == 1 else {"note": f"{batches:,} mini-batches"}
            return self.per_batch(batches, said["seconds"], ended) | note


def measure(options):
    work = Work(options)
    title = (
        f"{work.batches:,} mini-batches of {BATCH_SIZE} paths, 2 workers, rows appended to one file"
    )
    case = Case("dispatch", title, COLUMNS)
    contenders = [("windrow", work.windrow), ("windrow, C++ worker", work.windrow_native)]
    contenders += [(name, functools.partial(work.floor, kind)) for name, kind in FLOORS.items()]
    for rival in rivals.with_heavy(RIVALS, rivals.RAY_DATA, rivals.RAY_TASKS):
        contenders.append((rival.name, functools.partial(work.rival, rival)))
    case.measure(contenders, options.repeats)
    ours = case.median("windrow", "us")
    case.at_least("floor / windrow", case.ratio(case.best(FLOORS, "us"), ours), 0.60)
    for rival, limit in (
        (rivals.POOL_16, 1),
        (rivals.POOL_16_ANY, 1),
        (rivals.JOBLIB, 1),
        (rivals.POOL_1, 3),
        (rivals.RAY_DATA, 15),
        (rivals.RAY_TASKS, 50),
        (rivals.DASK, 150),
    ):
        if rival.name in case.samples:
            ratio = case.ratio(case.median(rival.name, "us"), ours)
            case.at_least(f"{rival.name} / windrow", ratio, limit)
    return case


def measure_durability(options):
    work = Work(options)
    title = f"{work.batches:,} mini-batches of {BATCH_SIZE} paths, with and without syncing to disk"
    case = Case("durability", title, COLUMNS)
    unsafe = functools.partial(work.windrow, {"WINDROW_BENCH_NO_SYNC": "1"})
    contenders = [("windrow", work.windrow), ("windrow, no sync", unsafe)]
    case.measure(contenders, max(options.repeats, 3))
    ratio = case.ratio(case.median("windrow", "us"), case.median("windrow, no sync", "us"))
    case.at_most("windrow / without sync", ratio, 1.10)
    return case
