# SPDX-License-Identifier: Apache-2.0
"""A CSV file by the column `group`, as Arrow's own reader and partitioned writer do it."""

import sys

import pyarrow as pa
from pyarrow import dataset

pa.set_cpu_count(2)
source = dataset.dataset(sys.argv[1], format="csv")
dataset.write_dataset(
    source,
    sys.argv[2],
    format="parquet",
    partitioning=dataset.partitioning(pa.schema([("group", pa.int64())]), flavor="hive"),
    max_open_files=1000,
)
