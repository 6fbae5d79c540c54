# SPDX-License-Identifier: Apache-2.0
"""What else is done with tables: memory into the worker, many partitions, rows put together.

bulk_in: an Arrow file of 4 GB, one column of floats, 1 MiB to a mini-batch, each summed in run().
From all workers up to the end of the last run(). The peer hands arrays to a Pool, which
pickles them. partitions: 100,000 folders key=value with a file each; `windrow plan`, which lists
and cuts them. repartition: the table of CSV by a column of a thousand values, from the start of
the command to all workers up; the peer is Arrow's own reader and partitioned writer.
"""

import functools
import importlib.util
import json
import os
import shutil
import subprocess
import tempfile
import time

from suite import inputs, machine, process, rows, tables, windrow
from suite.case import Case, Column

MB = 1 << 20
VALUES = MB // 8  # floats of a mini-batch
POOL = "Pool, arrays as arguments"
ARROW = "Arrow alone, two threads"


def needs_pyarrow(case):
    if importlib.util.find_spec("pyarrow") is not None:
        return False
    case.notes["windrow"] = "pandas and pyarrow are not installed"
    return True


def make_floats(path, batches):
    import numpy as np
    import pyarrow as pa

    if os.path.exists(path):
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    batch = pa.record_batch([np.arange(VALUES, dtype="float64")], names=["x"])
    with pa.OSFile(path + ".part", "wb") as sink, pa.ipc.new_file(sink, batch.schema) as writer:
        for _ in range(batches):
            writer.write_batch(batch)
    os.rename(path + ".part", path)


def read_through(path):
    """Into the page cache."""
    with open(path, "rb", buffering=0) as file:
        while file.read(16 * MB):
            pass


def bulk_in(options):
    batches = 400 if options.quick else 4000
    case = Case(
        "bulk_in",
        f"{batches:,} mini-batches of 1 MiB of floats into run(), summed, 2 workers",
        [Column("rate", "GB/s", 2)],
    )
    if needs_pyarrow(case):
        return case
    path = os.path.join(inputs.cache_folder(), f"floats-{batches}.arrow")
    make_floats(path, batches)
    read_through(path)
    line = str(float(sum(range(VALUES)))).encode()

    def ours(frame):
        flags = ["--as", "table", "--set", f"frame={frame}"]
        with windrow.job("sum_floats.py", path, "1b", flags=flags) as job:
            job.run(120)
            rows.check(job.rows, rows.digest([line] * batches))
            seconds = (job.last_ns() - job.first_ns()) / 1e9
            return {"rate": batches * MB / 1e9 / seconds}

    def pool():
        program = os.path.join(windrow.BENCH, "scripts", "pool_arrays.py")
        command = [machine.interpreter(), program, str(batches // 4), str(VALUES)]
        ended = process.run(command, 120)
        if ended.code != 0:
            raise windrow.Failed(f"fails: {ended.last_words}")
        return {"rate": batches // 4 * MB / 1e9 / float(ended.output.split()[-1])}

    contenders = [
        (f"windrow, frame: {frame}", functools.partial(ours, frame))
        for frame in ("pyarrow", "pandas")
    ]
    case.measure([*contenders, (POOL, pool)], options.repeats)
    case.at_least(f"{contenders[0][0]}, GB/s", case.median(contenders[0][0], "rate"), 5)
    return case


def partitions(options):
    count = 10_000 if options.quick else 100_000
    case = Case(
        "partitions",
        f"{count:,} partitions by the names of their folders, planned",
        [Column("seconds", "s", 2)],
    )
    folder = os.path.join(inputs.cache_folder(), f"partitions-{count}")
    if not os.path.exists(folder + ".made"):
        shutil.rmtree(folder, ignore_errors=True)
        for number in range(count):
            inner = f"{folder}/store={number // 100}/day={number % 100}"
            os.makedirs(inner)
            open(f"{inner}/sales.csv", "w").close()
        open(folder + ".made", "w").close()
    script = os.path.join(windrow.BENCH, "scripts", "names.py")

    def ours():
        command = [windrow.binary(), "plan", script, "--input", folder]
        command += ["--set", "partition_keys=store,day", "-o", "json"]
        begin = time.monotonic()
        done = subprocess.run(command, capture_output=True, check=False)
        seconds = time.monotonic() - begin
        if done.returncode != 0 or json.loads(done.stdout)["mini_batches"] != count:
            raise windrow.Failed(f"fails: {done.stderr.decode()}")
        return {"seconds": seconds}

    case.measure([("windrow", ours)], options.repeats)
    case.at_most("windrow, seconds", case.median("windrow", "seconds"), 2)
    return case


def repartition(options):
    megabytes = 50 if options.quick else 500
    case = Case(
        "repartition",
        f"{megabytes} MB of CSV put together by a column of 1,000 values",
        [Column("rate", "MB/s", 0)],
    )
    if needs_pyarrow(case):
        return case
    folder = os.path.join(inputs.cache_folder(), f"table-{megabytes}")
    tables.make_table(folder, megabytes)
    path = os.path.join(folder, "table.csv")
    read_through(path)
    size = os.path.getsize(path) / MB

    def ours():
        flags = ["--as", "table", "--set", "partition_by=group"]
        with windrow.job("sum_frame.py", path, "1MB", flags=flags) as job:
            begin = time.monotonic_ns()
            job.run(300)
            return {"rate": size / (job.first_ns() - begin) * 1e9}

    def arrow():
        with tempfile.TemporaryDirectory() as target:
            program = os.path.join(windrow.BENCH, "scripts", "arrow_partition.py")
            begin = time.monotonic()
            ended = process.run([machine.interpreter(), program, path, target], 300)
            if ended.code != 0:
                raise windrow.Failed(f"fails: {ended.last_words}")
            return {"rate": size / (time.monotonic() - begin)}

    case.measure([("windrow", ours), (ARROW, arrow)], options.repeats)
    ratio = case.ratio(case.median("windrow", "rate"), case.median(ARROW, "rate"))
    case.at_least(f"windrow / {ARROW}", ratio, 0.5)
    return case
