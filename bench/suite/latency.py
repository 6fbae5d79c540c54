# SPDX-License-Identifier: Apache-2.0
"""One mini-batch at a time, one worker.

Floor and peers: submit, wait for the rows, repeat; the median of the round trips. windrow has no
such call: the median time between the starts of successive run() calls of a job with one worker,
which is a round trip when nothing is queued behind the running mini-batch. `queued` is the share of
calls during which the next mini-batch was already waiting at the worker.

Whether two processes share a core decides most of this number, so both are measured by placing
them: `two cores` puts the worker on another core than everything else, `one core` all on the same.
"""

import functools
import os
import statistics
import tempfile

from suite import floor, inputs, rivals, windrow
from suite.case import Case, Column

BATCH_SIZE = 10
QUEUED_MAX = 0.01
PLACES = {"two": "two cores", "one": "one core"}
RIVALS = [rivals.POOL_1, rivals.FUTURES_1, rivals.JOBLIB_SUBMIT, rivals.MPIRE_1, rivals.DASK]
COLUMNS = [
    Column("two_us", "µs, two cores"),
    Column("one_us", "µs, one core"),
    Column("queued", "queued", 2),
]


class Placed:
    """Inside, this process and what it starts may use one core only; the worker is told its own."""

    def __init__(self, place):
        self.allowed = sorted(os.sched_getaffinity(0))
        self.worker_cpu = self.allowed[-1] if place == "two" else self.allowed[0]

    def __enter__(self):
        os.sched_setaffinity(0, {self.allowed[0]})
        return {"BENCH_WORKER_CPU": str(self.worker_cpu)}

    def __exit__(self, *_):
        os.sched_setaffinity(0, self.allowed)


def windrow_gaps(given, environment):
    # The depth of the queue at a worker has no setting for users: more is never slower for them.
    environment = {"WINDROW_BENCH_DEPTH": "1"} | environment
    with windrow.job("gaps.py", given.folder, BATCH_SIZE, 1, environment) as job:
        job.run(120)
        said = job.read_json("gaps")
        return statistics.median(said["gaps"]) / 1000, said["queued"]


def floor_trips(given, batches, transport, environment):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows")
        how = {"workers": 1, "depth": 1, "transport": transport, "environment": environment}
        said, _ = floor.run(given, BATCH_SIZE, batches, path, **how)
        return said["round_trip_us"]


def rival_trips(given, batches, rival, environment):
    request = {"mode": "one", "list": given.list, "batch_size": BATCH_SIZE, "workers": 1}
    request |= {"batches": max(50, int(batches * min(1.0, 2 * rival.share)))}
    said, _ = rivals.ask(rival, request, 120, environment)
    return said["round_trip_us"]


def both_places(trips):
    """`trips(environment)` on two cores and on one."""
    values = {}
    for place in PLACES:
        with Placed(place) as environment:
            values[f"{place}_us"] = trips(environment)
    return values


def windrow_both_places(given):
    queued = []

    def trips(environment):
        gap, share = windrow_gaps(given, environment)
        queued.append(share)
        return gap

    return both_places(trips) | {"queued": max(queued)}


def measure(options):
    batches = 500 if options.quick else 2_000
    given = inputs.empty_files(batches * BATCH_SIZE)
    case = Case("latency", f"one mini-batch at a time, one worker, {batches:,} times", COLUMNS)
    contenders = [("windrow", functools.partial(windrow_both_places, given))]
    for kind in floor.TRANSPORTS:
        trips = functools.partial(floor_trips, given, batches, kind)
        contenders.append((f"floor, {kind}", functools.partial(both_places, trips)))
    for rival in rivals.with_heavy(RIVALS, rivals.RAY_TASKS):
        trips = functools.partial(rival_trips, given, batches, rival)
        contenders.append((rival.name, functools.partial(both_places, trips)))
    case.measure(contenders, options.repeats)
    floors = [f"floor, {kind}" for kind in floor.TRANSPORTS]
    ours = case.median("windrow", "two_us")
    if (case.median("windrow", "queued") or 0) > QUEUED_MAX:
        ours = None  # a gap between run() calls that overlap with hand-out is not a round trip
    case.at_most("windrow / floor, two cores", case.ratio(ours, case.best(floors, "two_us")), 2)
    return case
