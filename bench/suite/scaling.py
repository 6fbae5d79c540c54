# SPDX-License-Identifier: Apache-2.0
"""Do the workers work all the time? Pure Python of a known length in every mini-batch.

Efficiency is the processor time spent inside run(), over workers times the time from the start of
the first run() to the end of the last. What the engine takes from the workers' cores, and every
moment in which a worker waits, lowers it; so does any other program on the machine, hence the plain
processes beside it, which share and schedule nothing. Occupancy counts wall time inside run().
"""

import functools
import os
import tempfile

from suite import calibrate, inputs, machine, rivals, rows, windrow
from suite.case import Case, Column

COLUMNS = [
    Column("efficiency", "efficiency %", 2),
    Column("occupancy", "occupancy %", 2),
    Column("seconds", "first to last run(), s", 2),
    Column("master", "master CPU %", 2),
]
RIVALS = [rivals.PLAIN_TWO, rivals.POOL_1, rivals.JOBLIB, rivals.MPIRE_1]


class Work:
    def __init__(self, batches, milliseconds, workers):
        self.batches = batches
        self.workers = workers
        self.input = inputs.empty_files(batches)
        self.environment = {"BENCH_LOOPS": str(calibrate.loops_for(milliseconds))}

    def read(self, path):
        """The columns that follow from the rows `name start end cpu`, which everybody writes."""
        found = rows.check_names(path, self.input.paths())
        starts, ends, cpu = ([int(row[i]) for row in found] for i in (1, 2, 3))
        span = max(ends) - min(starts)
        inside = sum(ends) - sum(starts)
        return {
            "efficiency": 100 * sum(cpu) / (self.workers * span),
            "occupancy": 100 * inside / (self.workers * span),
            "seconds": span / 1e9,
        }

    def windrow(self):
        with windrow.job("burn.py", self.input.folder, 1, self.workers, self.environment) as job:
            running = job.start()
            cpu = 0.0
            while not running.has_ended(0.1):
                cpu = machine.processor_seconds(running.pid)
            ended = running.wait(120)
            if ended.code != 0:
                raise windrow.Failed(f"windrow ended with {ended.code}: {ended.last_words}")
            values = self.read(job.rows)
            return values | {"master": 100 * cpu / values["seconds"]}

    def rival(self, rival):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rows")
            request = {"mode": "map", "function": "burn", "list": self.input.list, "rows": path}
            request |= {"batch_size": 1, "batches": self.batches, "workers": self.workers}
            rivals.ask(rival, request, 180, self.environment)
            return self.read(path)


def measure(options):
    the = Work(100 if options.quick else 800, 50, 2)
    case = Case("scaling", f"{the.batches} × 50 ms of pure Python, 2 workers", COLUMNS)
    contenders = [("windrow", the.windrow)]
    contenders += [(rival.name, functools.partial(the.rival, rival)) for rival in RIVALS]
    case.measure(contenders, 1 if options.quick else options.repeats)
    case.at_least("efficiency %", case.median("windrow", "efficiency"), 98)
    case.at_most("master, % of one core", case.median("windrow", "master"), 1)
    return case


def measure_16(options):
    """For a machine with 16 cores; needs the windrow binary and Python, and nothing else."""
    workers = 16
    the = Work(8_000 if options.quick else 80_000, 1, workers)
    title = f"{the.batches:,} × 1 ms of pure Python, {workers} workers on {os.cpu_count()} cores"
    case = Case("scaling16", title, COLUMNS)
    plain = rivals.Rival(f"{workers} plain processes", "plain", str(workers))
    pool = rivals.Rival("Pool imap chunk 16", "pool", "imap 16")
    contenders = [("windrow", the.windrow)]
    contenders += [(rival.name, functools.partial(the.rival, rival)) for rival in (plain, pool)]
    case.measure(contenders, options.repeats)
    case.at_least("efficiency %", case.median("windrow", "efficiency"), 95)
    return case
