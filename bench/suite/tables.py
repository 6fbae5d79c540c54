# SPDX-License-Identifier: Apache-2.0
"""A table of 500 MB of CSV, and the same as Parquet, summed in run(DataFrame), in the page cache.

windrow: from all workers up, pandas imported, to the end of the last run(). Others: from the
first mini-batch, workers up, to the file of rows closed; they are given the places to read, as
windrow is not. Rates are megabytes of the CSV text in a second, for Parquet too.
"""

import functools
import importlib.util
import os
import tempfile

from suite import inputs, rivals, rows, windrow
from suite.case import Case, Column

MB = 1 << 20
RIVALS = [
    rivals.PLAIN,
    rivals.PLAIN_TWO,
    rivals.POOL_1_ANY,
    rivals.FUTURES_1_ALL,
    rivals.JOBLIB,
    rivals.MPIRE_1,
    rivals.DASK_ALL,
]


def make_table(folder, megabytes):
    """CSV and Parquet with the same rows, made of the same block again and again."""
    import numpy as np
    import pandas as pd
    import pyarrow as pa
    from pyarrow import parquet

    csv, size = os.path.join(folder, "table.csv"), megabytes * MB
    if os.path.exists(os.path.join(folder, "made")):
        return
    os.makedirs(folder, exist_ok=True)
    random = np.random.default_rng(7)
    count = 100_000
    block = pd.DataFrame(
        {
            "id": np.arange(count),
            "group": random.integers(0, 1000, count),
            "x": random.random(count).round(6),
            "y": random.normal(0, 1e6, count).round(3),
            "flag": random.integers(0, 2, count),
            "word": random.choice(["meadow", "hedge", "barn", "windrow", "furrow"], count),
        }
    )
    text = block.to_csv(index=False, header=False).encode()
    with open(csv, "wb") as file:
        file.write((",".join(block.columns) + "\n").encode())
        blocks = 0
        while file.tell() < size:
            file.write(text)
            blocks += 1
    table = pa.Table.from_pandas(block, preserve_index=False)
    for name, rows_of_group in (("1", count // 4), ("16", count * 4)):
        path = os.path.join(folder, f"table-{name}.parquet")
        with parquet.ParquetWriter(path, table.schema) as writer:
            whole = pa.concat_tables([table] * blocks)
            writer.write_table(whole, row_group_size=rows_of_group)
    open(os.path.join(folder, "made"), "w").close()


def line_ranges(path, size):
    """As windrow cuts: a line belongs to the range of `size` bytes in which it begins."""
    end, cuts = os.path.getsize(path), [0]
    with open(path, "rb") as file:
        header = len(file.readline())
        for place in range(size, end, size):
            file.seek(place - 1)
            file.readline()
            cuts.append(min(file.tell(), end))
    cuts = [header, *cuts[1:], end]
    pairs = zip(cuts, cuts[1:], strict=False)
    return [f"{path}|{begin}|{stop - begin}" for begin, stop in pairs if stop > begin]


class Work:
    def __init__(self, options, kind, megabytes):
        self.kind = kind
        whole = 50 if options.quick else 500
        folder = os.path.join(inputs.cache_folder(), f"table-{whole}")
        make_table(folder, whole)
        csv = os.path.join(folder, "table.csv")
        self.size = os.path.getsize(csv)
        self.batch = megabytes * MB
        if kind == "csv":
            self.path, self.places = csv, line_ranges(csv, self.batch)
            self.functions = {"pandas": "csv_ranges", "Arrow": "csv_ranges_arrow"}
        else:
            from pyarrow import parquet

            self.path = os.path.join(folder, f"table-{megabytes}.parquet")
            with parquet.ParquetFile(self.path) as file:
                groups = file.metadata.num_row_groups
            self.batch = 1  # every row group alone
            self.places = [f"{self.path}|{group}|1" for group in range(groups)]
            self.functions = {"pandas": "parquet_groups"}
        import frames

        function = getattr(frames, self.functions["pandas"])
        self.lines = [row.encode() for row in function(self.places)]  # warms the page cache too

    def windrow(self):
        flags = ["--as", "table"]
        with windrow.job("sum_frame.py", self.path, f"{self.batch}b", flags=flags) as job:
            ended = job.run(120)
            rows.check(job.rows, rows.digest(self.lines))
            seconds = (job.last_ns() - job.first_ns()) / 1e9
            to_end = (ended.end_ns - job.first_ns()) / 1e9
            return {"rate": self.size / MB / seconds, "to_end": self.size / MB / to_end}

    def rival(self, rival, reader="pandas"):
        with tempfile.TemporaryDirectory() as folder:
            path, places = os.path.join(folder, "rows"), os.path.join(folder, "places")
            with open(places, "w") as file:
                file.write("\0".join(self.places))
            request = {"mode": "map", "function": self.functions[reader], "list": places}
            request |= {"rows": path, "batch_size": 1, "batches": len(self.places)}
            request["warm"] = "ready_for_tables"
            said, _ = rivals.ask(rival, request, 120)
            rows.check(path, rows.digest(self.lines))
            return {"rate": self.size / MB / said["seconds"]}


def measure_one(options, kind, megabytes):
    name = f"{kind}_{megabytes}"
    columns = [Column("rate", "MB/s", 0), Column("to_end", "MB/s, to the command's end", 0)]
    title = f"a table of CSV text summed, {kind}, mini-batches of {megabytes} MB, 2 workers"
    case = Case(name, title, columns)
    if importlib.util.find_spec("pyarrow") is None:
        case.notes["windrow"] = "pandas and pyarrow are not installed"
        return case
    the = Work(options, kind, megabytes)
    contenders = [("windrow", the.windrow)]
    for rival in rivals.with_heavy(RIVALS, rivals.RAY_DATA_ALL, rivals.SPARK_ALL):
        contenders.append((rival.name, functools.partial(the.rival, rival)))
    alone = [rivals.PLAIN.name]
    if "Arrow" in the.functions:
        alone.append("one plain process, Arrow")
        contenders.append((alone[-1], functools.partial(the.rival, rivals.PLAIN, "Arrow")))
        two = functools.partial(the.rival, rivals.PLAIN_TWO, "Arrow")
        contenders.append(("two plain processes, Arrow", two))
    case.measure(contenders, options.repeats)
    fastest = max((m for one in alone if (m := case.median(one, "rate")) is not None), default=None)
    ours = case.median("windrow", "rate")
    case.at_least(
        "windrow / (2 × the fastest alone)", case.ratio(ours, fastest and 2 * fastest), 0.9
    )
    for rival in rivals.with_heavy(
        [rivals.POOL_1_ANY, rivals.DASK_ALL], rivals.RAY_DATA_ALL, rivals.SPARK_ALL
    ):
        case.at_least(
            f"windrow / {rival.name}", case.ratio(ours, case.median(rival.name, "rate")), 1
        )
    return case


csv_1 = functools.partial(measure_one, kind="csv", megabytes=1)
csv_16 = functools.partial(measure_one, kind="csv", megabytes=16)
parquet_1 = functools.partial(measure_one, kind="parquet", megabytes=1)
parquet_16 = functools.partial(measure_one, kind="parquet", megabytes=16)
