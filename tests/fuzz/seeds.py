#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the seeds of the fuzz targets: seeds.py FOLDER makes FOLDER/TARGET/NAME for each of them.

Footers are the hexadecimal tables of the unit tests; texts stand below. Standard library only.
"""

from __future__ import annotations

import re
import struct
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2] / "src/core/table"

FORMATS = [
    "/{Region}/{Day:yyyy/MM/dd}/data.csv\nbase/North/2020/03/01/data.csv",
    "/{a}_{b}{c}.csv\nq/x_y_z.csv",
    "/year={y}/month={m}\nt/year=2015/month=3/part-0.parquet",
    "{d:yyyyMMddHHmmss}*{f}\n20200301040506-x%20y",
    "{*}/*\na%2Fb=%C3%BC/c",
]

TABLES = [
    """\
type: mltable
paths:
  - pattern: ./**/*.csv
  - file: file:///a.csv
transformations:
  - extract_columns_from_partition_format:
      partition_format: /{x}.csv
  - read_delimited:
      delimiter: ';'
      header: no_header
      encoding: utf-8
      infer_column_types:
        sample_size: 5
        column_type_overrides: [{columns: a, column_type: string}]
  - keep_columns: [a, b]
  - convert_column_types:
      - columns: a
        column_type: {boolean: {true_values: ['1'], false_values: ['0'], mismatch_as: error}}
      - columns: [b]
        column_type: {datetime: {formats: '%Y'}}
  - filter: col("a") > 3
  - take: 5
  - take_random_sample: {probability: 0.5, seed: 3}
""",
    "paths: [folder: .]\ntransformations: [read_parquet: {include_path_column: true}, skip: 1]\n",
    "paths: [file: a]\ntransformations: [read_json_lines: {invalid_lines: drop}, take: 7]\n",
    "paths: [file: 'azureml://a']\ntransformations: [read_delta_lake, take, {a: 1, b: 2}]\n",
]


def hex_tables(test: str) -> list[bytes]:
    text = (TESTS / test).read_text()
    found = re.findall(r'constexpr std::string_view k\w+ =\s*((?:"[0-9a-f]+"\s*)+);', text)
    return [bytes.fromhex("".join(re.findall(r"[0-9a-f]+", digits))) for digits in found]


def write(folder: Path, seeds: list[bytes]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds):
        (folder / f"seed{number}").write_bytes(seed)


def main() -> None:
    folder = Path(sys.argv[1])
    footers = hex_tables("parquet_footer_test.cc")
    tails = [b"PAR1" + footer + struct.pack("<I", len(footer)) + b"PAR1" for footer in footers]
    write(folder / "parquet_footer", footers + tails)
    footers = hex_tables("arrow_footer_test.cc")
    tails = [bytes(8) + footer + struct.pack("<i", len(footer)) + b"ARROW1" for footer in footers]
    write(folder / "arrow_footer", footers + tails)
    write(folder / "partition_format", [text.encode() for text in FORMATS])
    write(folder / "mltable", [text.encode() for text in TABLES])


if __name__ == "__main__":
    main()
