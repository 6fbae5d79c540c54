# SPDX-License-Identifier: Apache-2.0
"""make_images.py FOLDER COUNT SEED: COUNT pictures as FOLDER/digit-00000.pgm and so on, and beside
the folder FOLDER.labels with the digit of each, which nobody but the demo's last step reads."""

from __future__ import annotations

import os
import random
import sys

from digits import SIDE, draw


def main(folder: str, count: int, seed: int) -> None:
    os.makedirs(folder)
    source = random.Random(seed)
    header = f"P5 {SIDE} {SIDE} 255\n".encode()
    with open(folder + ".labels", "w", encoding="ascii") as labels:
        for number in range(count):
            digit, pixels = draw(source)
            name = f"digit-{number:05}.pgm"
            with open(os.path.join(folder, name), "wb", buffering=0) as file:
                file.write(header + pixels)
            labels.write(f"{name} {digit}\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
