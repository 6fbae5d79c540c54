# SPDX-License-Identifier: Apache-2.0
"""What peers call in their workers: a mini-batch in, the text of its rows out.

The rows are joined in the worker: one string costs every peer less than a list of them.
"""

import time

import stamp
import work


def text(rows):
    return "".join([f"{row}\n" for row in rows])


def names(mini_batch):
    return text(work.names(mini_batch))


def sums(mini_batch):
    return text(work.sums(mini_batch))


def burn(mini_batch):
    return text(work.burn(mini_batch))


def burn_or_die(mini_batch):
    return text(work.burn_or_die(mini_batch))


def csv_ranges(mini_batch):
    import frames

    return text(frames.csv_ranges(mini_batch))


def csv_ranges_arrow(mini_batch):
    import frames

    return text(frames.csv_ranges_arrow(mini_batch))


def parquet_groups(mini_batch):
    import frames

    return text(frames.parquet_groups(mini_batch))


def ready(_):
    """A moment of sleep, so that every worker gets one of them."""
    stamp.place()
    time.sleep(0.01)
    return ""


def ready_for_tables(_):
    """Libraries are loaded before the clock starts."""
    import frames

    frames.warm_up()
    time.sleep(0.1)
    return ""


def moment(_):
    return str(time.monotonic_ns())
