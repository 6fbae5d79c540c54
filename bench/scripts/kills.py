# SPDX-License-Identifier: Apache-2.0
"""The entry script around work.burn_or_die()."""

import stamp
import work


def run(mini_batch):
    stamp.called()
    rows = work.burn_or_die(mini_batch)
    stamp.called()
    return rows


def shutdown():
    stamp.ended()
