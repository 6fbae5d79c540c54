# SPDX-License-Identifier: Apache-2.0
"""The demo's entry script: reads 8 x 8 pictures of digits with a small network, in plain Python."""

import json
import math
import os
from operator import mul

network = {}


def init():
    """Once in every worker: loads the weights."""
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "model.json"), encoding="ascii") as file:
        network.update(json.load(file))
    print(f"pid {os.getpid()} has loaded the model")


def run(mini_batch):
    """Gets a list of paths, returns one row for each."""
    rows = [score(path) for path in mini_batch]
    print(f"scored {len(rows)} images")
    return rows


def score(path):
    pixels = [value / 255 for value in read_pgm(path)]
    hidden = [max(0.0, value) for value in layer("first", pixels)]
    powers = [math.exp(value) for value in layer("second", hidden)]
    best = max(powers)
    return f"{os.path.basename(path)} {powers.index(best)} {best / sum(powers):.2f}"


def layer(name, values):
    rows, biases = network[name], network[name + "_bias"]
    return [sum(map(mul, row, values)) + bias for row, bias in zip(rows, biases)]


def read_pgm(path):
    with open(path, "rb") as file:
        header, _, pixels = file.read().partition(b"\n")
    if header != b"P5 8 8 255":
        raise ValueError(f"{os.path.basename(path)} is not an 8 x 8 PGM picture")
    if len(pixels) != 64:
        raise ValueError(f"{os.path.basename(path)} is damaged: {len(pixels)} of 64 pixels")
    return pixels
