# SPDX-License-Identifier: Apache-2.0
"""Draws digits: 8 x 8 grey pixels, a shifted glyph, uneven ink and noise. Seeds repeat."""

from __future__ import annotations

import random

SIDE = 8
PIXELS = SIDE * SIDE

_FONT = """
.###. ..#.. .###. ####. ...#. ##### .###. ##### .###. .###.
#...# .##.. #...# ....# ..##. #.... #.... ....# #...# #...#
#..## ..#.. ....# ....# .#.#. ####. #.... ...#. #...# #...#
#.#.# ..#.. ..##. .###. #..#. ....# ####. ..#.. .###. .####
##..# ..#.. .#... ....# ##### ....# #...# ..#.. #...# ....#
#...# ..#.. #.... ....# ...#. #...# #...# ..#.. #...# ....#
.###. .###. ##### ####. ...#. .###. .###. ..#.. .###. .###.
"""

# What a random byte becomes where there is ink, and where there is none: one pixel in 25 is
# noise that looks like the other.
_INK = bytes(255 - value // 2 if value < 246 else value // 4 for value in range(256))
_PAPER = bytes(value // 2 if value < 246 else 255 - value // 4 for value in range(256))


def _masks() -> list[list[int]]:
    """For each digit its glyph at all places where it fits: 0xff bytes where there is ink."""
    rows = [line.split() for line in _FONT.split("\n") if line]
    masks = []
    for digit in range(10):
        places = []
        for down in range(SIDE - 7 + 1):
            for right in range(SIDE - 5 + 1):
                canvas = bytearray(PIXELS)
                for y in range(7):
                    for x in range(5):
                        if rows[y][digit][x] == "#":
                            canvas[(y + down) * SIDE + x + right] = 0xFF
                places.append(int.from_bytes(canvas, "big"))
        masks.append(places)
    return masks


_MASKS = _masks()
_ALL = (1 << 8 * PIXELS) - 1


def draw(source: random.Random) -> tuple[int, bytes]:
    """A digit and its picture, PIXELS bytes, 0 is black paper and 255 white ink."""
    digit = source.randrange(10)
    ink = source.choice(_MASKS[digit])
    noise = source.randbytes(PIXELS)
    bright = int.from_bytes(noise.translate(_INK), "big")
    dark = int.from_bytes(noise.translate(_PAPER), "big")
    return digit, (bright & ink | dark & ~ink & _ALL).to_bytes(PIXELS, "big")
