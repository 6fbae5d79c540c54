# SPDX-License-Identifier: Apache-2.0
"""The whole benchmark: one command, one table, one JSON. README.md explains it.

PEERS=all adds Ray and Spark; WINDROW names another binary than build/release/windrow.
"""

import argparse
import json
import os
import sys
import time

BENCH = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [BENCH, os.path.join(BENCH, "scripts")]

from suite import (  # noqa: E402 (the path comes first)
    dispatch,
    inputs,
    kills,
    latency,
    machine,
    million,
    process,
    rivals,
    scaling,
    small_files,
    startup,
    stragglers,
    table_work,
    tables,
    windrow,
)

CASES = {
    "dispatch": dispatch.measure,
    "latency": latency.measure,
    "durability": dispatch.measure_durability,
    "startup": startup.measure,
    "small_files": small_files.measure,
    "scaling": scaling.measure,
    "million": million.measure,
    "kills": kills.measure,
    "stragglers": stragglers.measure,
    "csv_1": tables.csv_1,
    "csv_16": tables.csv_16,
    "parquet_1": tables.parquet_1,
    "parquet_16": tables.parquet_16,
    "bulk_in": table_work.bulk_in,
    "partitions": table_work.partitions,
    "repartition": table_work.repartition,
}
EXTRA = {"scaling16": scaling.measure_16}  # only when asked for


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    names = ", ".join([*CASES, *EXTRA])
    parser.add_argument("--only", help=f"some of {names}, separated by commas")
    parser.add_argument(
        "--repeats", type=int, default=3, help="default 3; median and min-max are shown"
    )
    parser.add_argument(
        "--quick", action="store_true", help="a tenth of the work, for a first look"
    )
    parser.add_argument("--scaling16", action="store_true", help="only 16 workers × 1 ms")
    parser.add_argument("--out", default=os.path.join(BENCH, "..", "build", "bench", "result.json"))
    parser.add_argument(
        "--drop-inputs", action="store_true", help="delete the cached inputs at the end"
    )
    options = parser.parse_args()
    asked = "scaling16" if options.scaling16 else options.only
    options.cases = asked.split(",") if asked else list(CASES)
    for name in options.cases:
        if name not in CASES | EXTRA:
            parser.error(f"there is no benchmark {name}; there are {names}")
    return options


def describe(options):
    return {
        "machine": machine.describe(),
        "instructions": "counted" if process.can_count() else "this machine cannot count them",
        "versions": rivals.versions(),
        "repeats": options.repeats,
        "quick": options.quick,
    }


def main():
    options = parse()
    if not windrow.is_built():
        print(f"{windrow.binary()} is not there: its lines will say so", file=sys.stderr)
    result = describe(options)
    print(" · ".join(f"{key} {value}" for key, value in result["machine"].items()), flush=True)
    result["cases"] = {}
    for name in options.cases:
        begin = time.monotonic()
        case = (CASES | EXTRA)[name](options)
        result["cases"][name] = case.as_json() | {"took_s": round(time.monotonic() - begin, 1)}
        print(f"\n{case.as_text()}", flush=True)
        save(result, options.out)
    if options.drop_inputs:
        inputs.drop()
    print(f"\n{os.path.relpath(options.out)}")
    missed = [t for c in result["cases"].values() for t in c["targets"] if not t["met"]]
    return 1 if missed else 0


def save(result, path):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        json.dump(result, file, indent=2, ensure_ascii=False)
        file.write("\n")


if __name__ == "__main__":
    sys.exit(main())
