# SPDX-License-Identifier: Apache-2.0
"""Builds and runs the floor: a bare loop in C++ with workers in Python, see floor/floor.cc."""

import json
import os
import subprocess

from suite import machine, process, windrow

FOLDER = os.path.join(windrow.BENCH, "floor")
TRANSPORTS = ("packet", "stream")


def binary():
    return os.path.join(windrow.BENCH, "..", "build", "bench", "floor")


def build():
    source = os.path.join(FOLDER, "floor.cc")
    if os.path.exists(binary()) and os.path.getmtime(binary()) > os.path.getmtime(source):
        return
    os.makedirs(os.path.dirname(binary()), exist_ok=True)
    subprocess.run(["g++", "-std=c++23", "-O2", source, "-o", binary()], check=True)


def run(given, batch_size, batches, rows, **how):
    """`how`: workers, depth, transport, environment, counted. Returns (what it printed, Ended)."""
    build()
    transport = how.get("transport", "stream")
    command = [binary(), given.list, str(batch_size), str(batches)]
    command += [str(how.get("workers", 2)), str(how.get("depth", 8)), transport, rows]
    command += [machine.interpreter(), os.path.join(FOLDER, "floor_worker.py")]
    ended = process.run(command, 120, how.get("environment"), how.get("counted", False))
    if ended.code != 0:
        raise windrow.Failed(f"floor: {ended.last_words}")
    return json.loads(ended.output), ended
