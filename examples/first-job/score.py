# SPDX-License-Identifier: Apache-2.0
"""A first entry script: how long is each text, and which is its longest word?"""

import os


def init():
    """Once in every worker, before the first run(): load a model here. May be left out."""
    print("ready")


def run(mini_batch):
    """Gets a list of paths, returns one row for each."""
    rows = []
    for path in mini_batch:
        with open(path, encoding="utf-8") as file:
            words = file.read().split()
        rows.append(f"{os.path.basename(path)} {len(words)} {max(words, key=len)}")
    return rows
