# SPDX-License-Identifier: Apache-2.0
"""What scripts use of the package mltable, where that is not installed: tables from files, with the
reader that also makes mini-batches of them."""

from .sources import (
    MLTableFileEncoding,
    MLTableHeaders,
    from_delimited_files,
    from_delta_lake,
    from_json_lines_files,
    from_parquet_files,
    from_paths,
    load,
)
from .table import DataType, MLTable

__all__ = [
    "DataType",
    "MLTable",
    "MLTableFileEncoding",
    "MLTableHeaders",
    "from_delimited_files",
    "from_delta_lake",
    "from_json_lines_files",
    "from_parquet_files",
    "from_paths",
    "load",
]
