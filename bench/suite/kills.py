# SPDX-License-Identifier: Apache-2.0
"""One mini-batch in twenty kills its worker with SIGKILL when first tried; 20 ms of work in each.

The ideal is what two plain processes need for the same work without any kill, plus one bare start
of Python per kill, shared by two workers. Time is from the start of the first run() to the end of
the last, as the rows tell. Rows must be complete, none twice.
"""

import functools
import os
import tempfile

from suite import calibrate, inputs, rivals, rows, startup, windrow
from suite.case import Case, Column

EVERY = 20
WORKERS = 2
PLAIN = "two plain processes, no kills"
RIVALS = [rivals.POOL_1, rivals.FUTURES_1, rivals.JOBLIB, rivals.MPIRE_1, rivals.DASK]
COLUMNS = [
    Column("seconds", "first to last run(), s", 2),
    Column("ratio", "× ideal", 2),
    Column("useful", "× work alone", 2),
]


class Work:
    def __init__(self, options):
        self.batches = 200 if options.quick else 1_000
        self.kills = -(-self.batches // EVERY)
        self.input = inputs.empty_files(self.batches)
        self.loops = str(calibrate.loops_for(20))
        starts = [startup.of_floor(inputs.empty_files(20))["first_ms"] for _ in range(5)]
        self.start_seconds = min(starts) / 1e3
        self.work_seconds = None  # of the plain processes

    def environment(self, markers):
        return {"BENCH_LOOPS": self.loops, "BENCH_MARKERS": markers, "BENCH_DOOMED": str(EVERY)}

    def read(self, path):
        found = rows.check_names(path, self.input.paths())
        seconds = (max(int(row[2]) for row in found) - min(int(row[1]) for row in found)) / 1e9
        if self.work_seconds is None:
            self.work_seconds = seconds
        ideal = self.work_seconds + self.kills * self.start_seconds / WORKERS
        return {"seconds": seconds, "ratio": seconds / ideal, "useful": seconds / self.work_seconds}

    def windrow(self):
        with tempfile.TemporaryDirectory() as markers:
            environment = self.environment(markers)
            with windrow.job("kills.py", self.input.folder, 1, WORKERS, environment) as job:
                job.run(60)
                self.check_kills(markers)
                return self.read(job.rows)

    def rival(self, rival, function):
        with tempfile.TemporaryDirectory() as folder:
            markers = os.path.join(folder, "markers")
            os.mkdir(markers)
            path = os.path.join(folder, "rows")
            request = {"mode": "map", "function": function, "list": self.input.list, "rows": path}
            request |= {"batch_size": 1, "batches": self.batches}
            rivals.ask(rival, request, 60, self.environment(markers))
            if function == "burn_or_die":
                self.check_kills(markers)
            return self.read(path)

    def check_kills(self, markers):
        if len(os.listdir(markers)) != self.kills:
            raise windrow.Failed(f"{len(os.listdir(markers))} kills instead of {self.kills}")


def measure(options):
    the = Work(options)
    title = f"{the.batches:,} mini-batches of 20 ms, {the.kills} of them kill their worker once"
    case = Case("kills", title, COLUMNS)
    plain = functools.partial(the.rival, rivals.PLAIN_TWO, "burn")
    case.measure(
        [(PLAIN, plain), ("windrow", the.windrow)], 1 if options.quick else options.repeats
    )
    case.measure(
        [
            (rival.name, functools.partial(the.rival, rival, "burn_or_die"))
            for rival in rivals.with_heavy(RIVALS, rivals.RAY_TASKS)
        ],
        1,
    )
    case.at_most("windrow / ideal", case.median("windrow", "ratio"), 1.10)
    return case
