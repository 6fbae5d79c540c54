# SPDX-License-Identifier: Apache-2.0
"""Like names.py, and keeps the time between the starts of successive calls.

Descriptor 3 is the socket that mini-batches come by (docs/formats/worker-protocol.md). Whether one
already waits there while another runs tells apart one at a time from a queue, so it is counted.
"""

import json
import select
import time

import stamp

starts = []
queued = 0
commands = select.poll()


def init():
    stamp.place()
    commands.register(3, select.POLLIN)


def run(mini_batch):
    global queued
    starts.append(time.monotonic_ns())
    stamp.called()
    queued += bool(commands.poll(0))
    return mini_batch


def shutdown():
    stamp.ended()
    gaps = [after - before for before, after in zip(starts, starts[1:], strict=False)]
    stamp.write("gaps", json.dumps({"gaps": gaps, "queued": queued / max(1, len(starts))}))
