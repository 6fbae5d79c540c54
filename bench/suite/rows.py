# SPDX-License-Identifier: Apache-2.0
"""Are the rows right? Peers may write them in any order, so they are sorted first."""

import hashlib
import os

from suite.windrow import Failed


def digest(lines):
    total = hashlib.sha256()
    for line in sorted(lines):
        total.update(line + b"\n")
    return total.hexdigest()


def check(path, expected_digest):
    with open(path, "rb") as file:
        lines = file.read().splitlines()
    if digest(lines) != expected_digest:
        raise Failed(f"wrong rows ({len(lines)} of them)")
    os.unlink(path)


def check_names(path, names):
    """The first word of a row is a name, each of `names` exactly once. Returns the rows, split."""
    with open(path, "rb") as file:
        rows = [line.split() for line in file.read().splitlines()]
    found = [row[0] for row in rows]
    if sorted(found) != sorted(names):
        lost = len(set(names) - set(found))
        twice = len(found) - len(set(found))
        raise Failed(f"wrong rows: {lost} lost, {twice} twice")
    return rows
