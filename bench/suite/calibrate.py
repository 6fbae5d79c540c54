# SPDX-License-Identifier: Apache-2.0
"""How many turns of a plain Python loop last so long on this machine."""

import time

import work


def loops_for(milliseconds):
    """The fastest of several tries counts: noise only ever makes a loop slower."""
    loops = 200_000
    fastest = min(timed(loops) for _ in range(20))
    return max(1, int(loops * milliseconds / 1000 / fastest))


def timed(loops):
    begin = time.perf_counter()
    work.spin(loops)
    return time.perf_counter() - begin
