# SPDX-License-Identifier: Apache-2.0
"""The entry script around work.burn()."""

import stamp
import work


def run(mini_batch):
    stamp.called()
    rows = work.burn(mini_batch)
    stamp.called()
    return rows


def shutdown():
    stamp.ended()
