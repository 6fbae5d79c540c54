# SPDX-License-Identifier: Apache-2.0
"""The entry script around frames.total(). The clock begins when all workers are up."""

import frames
import stamp


def init():
    stamp.all_up()


def run(frame):
    row = frames.total(frame)
    stamp.called()
    return [row]


def shutdown():
    stamp.ended()
