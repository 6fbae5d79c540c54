# SPDX-License-Identifier: Apache-2.0
"""How many branches of src/core/ the simulation takes, and which it does not.

Builds the coverage preset, runs worlds and storms, and fails under FLOOR percent. What does not
count is said in README.md beside this file. Needs gcovr (requirements-coverage.txt);
`./dev torture coverage` calls it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "coverage"
SIM = BUILD / "tests" / "sim" / "sim_tests"
SEEDS = 2000
TESTS = "Simulation.Every*:*Storm*"
NOT_COUNTED = r".*(CHECK\(|operator==|planted\().*"
FLOOR = 95.0


class Line(NamedTuple):
    """One line of one file, with how many of its branches were taken."""

    path: str
    number: int
    taken: int
    branches: int


def run(*command: str | Path, **variables: str) -> None:
    """Runs a command in the root, and ends the script when it fails."""
    done = subprocess.run(command, cwd=ROOT, env=os.environ | variables, check=False)
    if done.returncode != 0:
        sys.exit(f"coverage: failed with {done.returncode}: {' '.join(map(str, command))}")


def measure() -> Iterator[Line]:
    """Runs the simulation from counters of zero and reads them."""
    run("cmake", "--preset", "coverage", "-DWINDROW_TESTS=ON")
    run("cmake", "--build", BUILD, "--target", "sim_tests")
    for counters in BUILD.rglob("*.gcda"):
        counters.unlink()
    run(SIM, "--gtest_brief=1", f"--gtest_filter={TESTS}", WINDROW_SIM_SEEDS=str(SEEDS))
    report = BUILD / "core.json"
    run(
        *(sys.executable, "-m", "gcovr", "-r", ROOT, "--object-directory", BUILD),
        *("--filter", "src/core/", "--exclude-throw-branches", "--exclude-unreachable-branches"),
        *("--exclude-branches-by-pattern", NOT_COUNTED, "--json", report),
    )
    for file in json.loads(report.read_text())["files"]:
        for line in file["lines"]:
            counted = [one for one in line["branches"] if not one.get("gcovr/excluded")]
            if counted:
                taken = sum(1 for one in counted if one["count"] > 0)
                yield Line(file["file"], line["line_number"], taken, len(counted))


def main() -> None:
    by_file: dict[str, list[Line]] = defaultdict(list)
    for line in measure():
        by_file[line.path].append(line)
    taken = total = 0
    print("\nbranches of src/core/ that the simulation takes")
    for path, lines in sorted(by_file.items()):
        of_file = sum(line.branches for line in lines)
        taken_of_file = sum(line.taken for line in lines)
        taken += taken_of_file
        total += of_file
        print(f"{100 * taken_of_file / of_file:6.1f} %  {taken_of_file:5} of {of_file:5}  {path}")
        missed = [line for line in lines if line.taken < line.branches]
        for line in missed:
            print(f"{'':26}{path}:{line.number}: {line.branches - line.taken} not taken")
    share = 100 * taken / total
    print(f"{share:6.1f} %  {taken:5} of {total:5}  together; at least {FLOOR} % are asked for")
    sys.exit(0 if share >= FLOOR else 1)


if __name__ == "__main__":
    main()
