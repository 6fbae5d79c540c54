# SPDX-License-Identifier: Apache-2.0
"""When `run()` was called: the clock of the benchmark, inside the entry scripts.

With BENCH_STAMPS set, each worker writes `first.PID` at its first call and `last.PID` at its end,
both CLOCK_MONOTONIC nanoseconds, so that they compare with the clock of whoever started it.
BENCH_WORKERS is how many workers there are.
BENCH_WORKER_CPU is a core that the worker moves to, for the benchmark of latency.
"""

import os
import time

FOLDER = os.environ.get("BENCH_STAMPS")

now = time.monotonic_ns
last = 0


def place():
    """For init(): onto the core that the benchmark says, if any."""
    if cpu := os.environ.get("BENCH_WORKER_CPU"):
        for thread in os.listdir("/proc/self/task"):
            os.sched_setaffinity(int(thread), {int(cpu)})


def all_up():
    """For init(): the clock begins when all workers are up, as it does for pools."""
    write("up", now())
    workers, end = int(os.environ.get("BENCH_WORKERS", "1")), now() + 30_000_000_000
    while FOLDER and now() < end:
        if sum(name.startswith("up.") for name in os.listdir(FOLDER)) >= workers:
            break
        time.sleep(0.001)
    called()


def called():
    """For the first line of run(), and the last one where run() takes any time."""
    global last
    if last == 0:
        write("first", now())
    last = now()


def ended():
    """For shutdown()."""
    write("last", last)


def write(name, text):
    if FOLDER:
        with open(f"{FOLDER}/{name}.{os.getpid()}", "w") as file:
            file.write(str(text))
