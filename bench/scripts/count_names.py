# SPDX-License-Identifier: Apache-2.0
"""Like names.py, and counts its calls in a shared mapping of a file, which survives kill -9."""

import mmap
import os
import struct

import stamp

COUNT = struct.Struct("Q")
calls = 0
page = None


def init():
    global page
    with open(f"{os.environ['BENCH_STAMPS']}/calls.{os.getpid()}", "w+b") as file:
        file.truncate(COUNT.size)
        page = mmap.mmap(file.fileno(), COUNT.size)


def run(mini_batch):
    global calls
    stamp.called()
    calls += 1
    COUNT.pack_into(page, 0, calls)
    return mini_batch


def shutdown():
    stamp.ended()
