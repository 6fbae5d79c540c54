# SPDX-License-Identifier: Apache-2.0
"""COUNT arrays of so many floats through a Pool of two, summed there: prints the seconds."""

import multiprocessing
import sys
import time

import numpy as np


def total(values):
    return float(values.sum())


if __name__ == "__main__":
    count, values = int(sys.argv[1]), np.arange(int(sys.argv[2]), dtype="float64")
    with multiprocessing.Pool(2) as pool:
        pool.map(total, [values[:1]] * 8)
        begin = time.monotonic()
        for _ in pool.imap_unordered(total, (values for _ in range(count))):
            pass
        print(time.monotonic() - begin)
