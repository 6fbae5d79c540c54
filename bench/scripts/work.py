# SPDX-License-Identifier: Apache-2.0
"""The work itself: what entry scripts, peers and plain loops all call. Standard library only."""

import os
import signal
import time
import zlib

LOOPS = int(os.environ.get("BENCH_LOOPS", "0"))
MARKERS = os.environ.get("BENCH_MARKERS", "")
DOOMED = int(os.environ.get("BENCH_DOOMED", "20"))  # one mini-batch in so many kills its worker


def names(mini_batch):
    return mini_batch


def sums(mini_batch):
    """Reads each file and adds its bytes up (Adler-32)."""
    rows = []
    for path in mini_batch:
        with open(path, "rb") as file:
            rows.append(f"{path} {zlib.adler32(file.read())}")
    return rows


def burn(mini_batch):
    """BENCH_LOOPS turns of pure Python; one row with when, and how much processor time it took."""
    start = time.monotonic_ns()
    cpu = time.process_time_ns()
    spin(LOOPS)
    cpu = time.process_time_ns() - cpu
    return [f"{mini_batch[0]} {start} {time.monotonic_ns()} {cpu}"]


def burn_or_die(mini_batch):
    """Like burn, but one mini-batch in BENCH_DOOMED kills its process when it is first tried."""
    name = os.path.basename(mini_batch[0])
    if int(name[1:]) % DOOMED == 0:
        try:
            os.close(os.open(f"{MARKERS}/{name}", os.O_CREAT | os.O_EXCL))
            os.kill(os.getpid(), signal.SIGKILL)
        except FileExistsError:
            pass
    return burn(mini_batch)


def spin(loops):
    total = 0
    for i in range(loops):
        total += i & 7
    return total
