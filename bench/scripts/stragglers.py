# SPDX-License-Identifier: Apache-2.0
"""Sleeps for as long as BENCH_LENGTHS says of the mini-batch; the first worker BENCH_SLOWER times
as long, unless that is 0."""

import os
import time

import stamp

with open(os.environ["BENCH_LENGTHS"]) as file:
    LENGTHS = [float(line) for line in file]
FIRST = os.environ["WINDROW_PROCESS"] == "process000"
FACTOR = (int(os.environ["BENCH_SLOWER"]) or 1) if FIRST else 1


def run(mini_batch, context):
    stamp.called()
    start = time.monotonic_ns()
    time.sleep(LENGTHS[context.minibatch_index] * FACTOR)
    stamp.called()
    return [f"{mini_batch[0]} {start} {time.monotonic_ns()}"]


def shutdown():
    stamp.ended()
