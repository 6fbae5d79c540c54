# SPDX-License-Identifier: Apache-2.0
"""Work on tables: what the entry script, peers and plain loops all call. Needs pandas."""

import io
import os

import pandas as pd

NAMES = ["id", "group", "x", "y", "flag", "word"]
TYPES = {"id": "int64", "group": "int64", "x": "float64", "y": "float64", "flag": "int64"}


def total(frame):
    """The same number however the frame was made."""
    numbers = frame[["id", "group", "x", "y", "flag"]]
    return f"{len(frame)} {numbers.to_numpy(dtype='float64').sum():.9g}"


def warm_up():
    """Loads what is loaded with first use."""
    from pyarrow import csv, parquet  # noqa: F401

    pd.read_csv(io.BytesIO(b"1,2,3,4,5,a\n"), header=None, names=NAMES, dtype=TYPES)


def csv_ranges(mini_batch):
    """Each item is PATH|OFFSET|LENGTH: bytes of whole lines, without the header."""
    rows = []
    for item in mini_batch:
        path, offset, length = item.rsplit("|", 2)
        file = os.open(path, os.O_RDONLY)
        data = os.pread(file, int(length), int(offset))
        os.close(file)
        rows.append(total(pd.read_csv(io.BytesIO(data), header=None, names=NAMES, dtype=TYPES)))
    return rows


def csv_ranges_arrow(mini_batch):
    """The same by Arrow's reader, on one thread."""
    from pyarrow import csv

    read = csv.ReadOptions(column_names=NAMES, use_threads=False, block_size=64 << 20)
    rows = []
    for item in mini_batch:
        path, offset, length = item.rsplit("|", 2)
        file = os.open(path, os.O_RDONLY)
        data = os.pread(file, int(length), int(offset))
        os.close(file)
        table = csv.read_csv(io.BytesIO(data), read_options=read)
        rows.append(total(table.to_pandas(use_threads=False)))
    return rows


def parquet_groups(mini_batch):
    """Each item is PATH|FIRST|COUNT: row groups."""
    from pyarrow import parquet

    rows = []
    for item in mini_batch:
        path, first, count = item.rsplit("|", 2)
        with parquet.ParquetFile(path) as file:
            groups = range(int(first), int(first) + int(count))
            table = file.read_row_groups(groups, use_threads=False)
        rows.append(total(table.to_pandas(use_threads=False)))
    return rows
