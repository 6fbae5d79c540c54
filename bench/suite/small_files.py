# SPDX-License-Identifier: Apache-2.0
"""Files of 4 KiB, read and summed in run(), ten per mini-batch, files in the page cache.

windrow: from the first run() to the end of the last. Others: from the first mini-batch, workers up,
to the file of rows closed. The plain process calls the same function in a loop, no pool; two plain
processes with half of the mini-batches each are what the machine can do at all.
"""

import functools
import os
import tempfile

import work

from suite import inputs, rivals, rows, windrow
from suite.case import Case, Column

BATCH_SIZE = 10
RIVALS = [
    rivals.PLAIN,
    rivals.PLAIN_TWO,
    rivals.POOL_16,
    rivals.POOL_16_ANY,
    rivals.FUTURES_16,
    rivals.JOBLIB,
    rivals.MPIRE,
    rivals.DASK,
]


class Work:
    def __init__(self, options):
        self.count = 10_000 if options.quick else 100_000
        self.input = inputs.small_files(self.count)
        paths = [os.fsdecode(path) for path in self.input.paths()]
        self.lines = [os.fsencode(row) for row in work.sums(paths)]  # warms the page cache too

    def windrow(self):
        with windrow.job("sum_files.py", self.input.folder, BATCH_SIZE) as job:
            ended = job.run(120)
            rows.check(job.rows, rows.digest(self.lines))
            to_end = self.count / (ended.end_ns - job.first_ns()) * 1e9
            seconds = (job.last_ns() - job.first_ns()) / 1e9
            return {"rate": self.count / seconds, "to_end": to_end}

    def rival(self, rival):
        batches = int(self.count * rival.share) // BATCH_SIZE
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rows")
            request = {"mode": "map", "function": "sums", "list": self.input.list, "rows": path}
            request |= {"batch_size": BATCH_SIZE, "batches": batches}
            said, _ = rivals.ask(rival, request, 120)
            rows.check(path, rows.digest(self.lines[: batches * BATCH_SIZE]))
            return {"rate": batches * BATCH_SIZE / said["seconds"]}


def measure(options):
    the = Work(options)
    columns = [Column("rate", "files/s", 0), Column("to_end", "files/s, to the command's end", 0)]
    case = Case("small_files", f"{the.count:,} files of 4 KiB read and summed, 2 workers", columns)
    contenders = [("windrow", the.windrow)]
    for rival in rivals.with_heavy(RIVALS, rivals.RAY_DATA):
        contenders.append((rival.name, functools.partial(the.rival, rival)))
    case.measure(contenders, options.repeats)
    ours = case.median("windrow", "rate")
    plain = case.median(rivals.PLAIN.name, "rate")
    case.at_least("windrow / one plain process", case.ratio(ours, plain), 1.8)
    return case
