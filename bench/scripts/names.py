# SPDX-License-Identifier: Apache-2.0
"""Returns the paths it is given and opens nothing: all that is left to measure is the engine."""

import stamp


def init():
    stamp.place()


def run(mini_batch):
    stamp.called()
    return mini_batch


def shutdown():
    stamp.ended()
