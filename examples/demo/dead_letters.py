# SPDX-License-Identifier: Apache-2.0
"""dead_letters.py FAILED_ITEMS NAME: shows the dead letter of one file, and how many there are."""

from __future__ import annotations

import json
import os
import sys


def main(path: str, name: str) -> None:
    with open(path, encoding="utf-8") as file:
        letters = [json.loads(line) for line in file]
    (letter,) = [one for one in letters if os.path.basename(one["item"]) == name]
    print(f"{len(letters)} items have no row: run() gets ten files at once and fails as a whole.")
    print(f"  item      {letter['item']}")
    print(f"  reason    {letter['error_type']}: {letter['error_message']}")
    print(f"  attempts  {letter['tries']}, the last in {letter['process']}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
