# SPDX-License-Identifier: Apache-2.0
"""Mini-batches of lognormal length, three of them twenty times as long; once more with one worker
that takes ten times as long for everything.

Work is sleep, so that eight workers need no eight cores. The bound is what no scheduler can beat:
all of the work spread evenly, or the longest mini-batch alone. Time is from the start of the first
run() to the end of the last that counts, as the rows tell.
"""

import functools
import random
import tempfile

from suite import inputs, rows, windrow
from suite.case import Case, Column

WORKERS = 8
LONG = 3
SLOWER = 10
COLUMNS = [
    Column("seconds", "first to last run(), s", 2),
    Column("ratio", "× bound", 3),
]


def draw_lengths(count):
    """In seconds; about 10 ms each."""
    chance = random.Random(1)
    lengths = [0.008 * chance.lognormvariate(0, 0.6) for _ in range(count)]
    for place in chance.sample(range(count), LONG):
        lengths[place] = 20 * 0.010
    return lengths


class Work:
    def __init__(self, options):
        self.lengths = draw_lengths(300 if options.quick else 1_000)
        self.input = inputs.empty_files(len(self.lengths))

    def bound(self, slow):
        power = WORKERS - 1 + 1 / SLOWER if slow else WORKERS
        return max(sum(self.lengths) / power, max(self.lengths))

    def windrow(self, slow, flags):
        with tempfile.NamedTemporaryFile("w") as lengths:
            lengths.write("\n".join(map(repr, self.lengths)))
            lengths.flush()
            environment = {"BENCH_LENGTHS": lengths.name, "BENCH_SLOWER": str(slow * SLOWER)}
            with windrow.job(
                "stragglers.py", self.input.folder, 1, WORKERS, environment, flags
            ) as job:
                job.run(60)
                found = rows.check_names(job.rows, self.input.paths())
        seconds = (max(int(row[2]) for row in found) - min(int(row[1]) for row in found)) / 1e9
        return {"seconds": seconds, "ratio": seconds / self.bound(slow)}


def measure(options):
    the = Work(options)
    title = f"{len(the.lengths):,} mini-batches of about 10 ms, {LONG} of 200 ms, {WORKERS} workers"
    case = Case("stragglers", title, COLUMNS)
    contenders = [
        (
            f"windrow{', one worker slow' if slow else ''}{' --speculate' if flags else ''}",
            functools.partial(the.windrow, slow, flags),
        )
        for slow in (False, True)
        for flags in ([], ["--speculate"])
    ]
    case.measure(contenders, 1 if options.quick else options.repeats)
    case.at_most("speculate / bound", case.median("windrow --speculate", "ratio"), 1.05)
    slow = case.median("windrow, one worker slow --speculate", "ratio")
    case.at_most("speculate / bound, one worker slow", slow, 1.3)
    return case
