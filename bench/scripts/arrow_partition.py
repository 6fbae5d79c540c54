# SPDX-License-Identifier: Apache-2.0
"""A CSV file by the column `group`, as Arrow's own reader and partitioned writer do it."""

import resource
import sys

import pyarrow as pa
from pyarrow import dataset

pa.set_cpu_count(2)
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
source = dataset.dataset(sys.argv[1], format="csv")
dataset.write_dataset(
    source,
    sys.argv[2],
    format="parquet",
    partitioning=dataset.partitioning(pa.schema([("group", pa.int64())]), flavor="hive"),
    max_open_files=1100,  # more than there are values, or it opens and closes without end
    min_rows_per_group=20_000,
)
