# SPDX-License-Identifier: Apache-2.0
"""The entry script around frames.total(). The clock begins when a worker is up."""

import frames
import stamp


def init():
    stamp.called()


def run(frame):
    row = frames.total(frame)
    stamp.called()
    return [row]


def shutdown():
    stamp.ended()
