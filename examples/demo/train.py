# SPDX-License-Identifier: Apache-2.0
"""train.py [MODEL.json]: trains the demo's network, 64 pixels to 96 units to 10 digits.

Plain Python: half a minute. Same seed and Python, same weights. Prints how often it is right on
pictures that it has not seen; the demo's own pictures come from another seed again.
"""

from __future__ import annotations

import json
import math
import os
import random
import sys
from operator import mul

from digits import PIXELS, draw

HIDDEN = 96
TRAINING, TEST, ROUNDS = 8000, 2000, 6
SEED = 20
RATE = 0.05


def examples(count: int, source: random.Random) -> list[tuple[int, list[float]]]:
    drawn = [draw(source) for _ in range(count)]
    return [(digit, [value / 255 for value in pixels]) for digit, pixels in drawn]


class Network:
    def __init__(self, source: random.Random) -> None:
        self.first = [[source.gauss(0, 0.15) for _ in range(PIXELS)] for _ in range(HIDDEN)]
        self.first_bias = [0.0] * HIDDEN
        self.second = [[source.gauss(0, 0.15) for _ in range(HIDDEN)] for _ in range(10)]
        self.second_bias = [0.0] * 10

    def forward(self, pixels: list[float]) -> tuple[list[float], list[float]]:
        hidden = [
            max(0.0, sum(map(mul, row, pixels)) + bias)
            for row, bias in zip(self.first, self.first_bias)
        ]
        scores = [sum(map(mul, row, hidden)) + b for row, b in zip(self.second, self.second_bias)]
        return hidden, scores

    def learn(self, digit: int, pixels: list[float], rate: float) -> None:
        hidden, scores = self.forward(pixels)
        top = max(scores)
        powers = [math.exp(score - top) for score in scores]
        total = sum(powers)
        errors = [power / total - (d == digit) for d, power in enumerate(powers)]
        back = [0.0] * HIDDEN
        for d, error in enumerate(errors):
            row = self.second[d]
            back = [b + error * w for b, w in zip(back, row)]
            step = rate * error
            self.second[d] = [w - step * h for w, h in zip(row, hidden)]
            self.second_bias[d] -= step
        for unit in range(HIDDEN):
            if hidden[unit] > 0:
                step = rate * back[unit]
                self.first[unit] = [w - step * p for w, p in zip(self.first[unit], pixels)]
                self.first_bias[unit] -= step

    def right(self, tests: list[tuple[int, list[float]]]) -> int:
        count = 0
        for digit, pixels in tests:
            scores = self.forward(pixels)[1]
            count += scores.index(max(scores)) == digit
        return count


def save(network: Network, path: str) -> None:
    """One row of weights a line, four digits each: enough, and readable in a diff."""

    def text(row: list[float]) -> str:
        return json.dumps([round(value, 4) for value in row])

    layers = []
    for name in ("first", "second"):
        rows = ",\n".join(map(text, getattr(network, name)))
        biases = text(getattr(network, name + "_bias"))
        layers.append(f'"{name}": [\n{rows}\n],\n"{name}_bias": {biases}')
    with open(path, "w", encoding="ascii") as file:
        file.write("{\n" + ",\n".join(layers) + "\n}\n")


def main(path: str) -> None:
    source = random.Random(SEED)
    training, tests = examples(TRAINING, source), examples(TEST, source)
    network = Network(source)
    for number in range(ROUNDS):
        source.shuffle(training)
        for digit, pixels in training:
            network.learn(digit, pixels, RATE / (1 + number))
        print(f"round {number + 1} of {ROUNDS}: {network.right(tests)} of {TEST} right", flush=True)
    save(network, path)


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "model.json"))
