# SPDX-License-Identifier: Apache-2.0
"""judge.py LABELS ROWS: how often the network is right."""

from __future__ import annotations

import sys


def main(labels_path: str, rows_path: str) -> None:
    with open(labels_path, encoding="ascii") as file:
        labels = dict(line.split() for line in file)
    with open(rows_path, encoding="ascii") as file:
        rows = [line.split() for line in file]
    right = sum(labels[name] == digit for name, digit, _ in rows)
    share = 100 * right / len(rows)
    print(f"the network read {right:,} of {len(rows):,} digits right ({share:.1f} %)")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
