# SPDX-License-Identifier: Apache-2.0
"""Mini-batches, one at a time. The only hot code: tests/bench_worker.py measures it.

For its speed everything is a local name, and the page and the header are packed in place. One
packet is read at a time, with one mini-batch or a bundle of short ones: the agent takes back what
was not read.
"""

import os
import sys
from struct import error as struct_error
from time import monotonic_ns, process_time_ns

from windrow.worker import bundles, packets, rows
from windrow.worker.packets import (
    BATCH,
    DONE,
    FAILED,
    HEADER_SIZE,
    NO_BATCH,
    PHASE_IDLE,
    PHASE_LOAD,
    PHASE_RUN,
    PHASE_SERIALISE,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from windrow.worker.serve import Worker

_METHODS = {
    PHASE_LOAD: ("load", packets.FLAG_LOAD),
    PHASE_RUN: ("run", 0),
    PHASE_SERIALISE: ("serialise", packets.FLAG_SERIALISE),
}
_IDLE_NS = 1_000_000
# The clock of processor time costs 0.3 us, a mini-batch 6. One shorter than this counts as busy
# from beginning to end, and the clock is read every 32nd time to stay near the truth.
_SHORT_NS = 50_000


class AgentGone(Exception):
    """End of file on the commands."""


def run_batches(worker: "Worker") -> bytes:
    """Answers batch commands until another one comes, which it returns. Raises AgentGone, and
    OSError when descriptors are gone; nothing that the script raises."""
    send = bundles.Answers(worker.answers).send
    memory, sequence, write = worker.page.memory, worker.page.sequence, packets.PAGE.pack_into
    unpack, pack, serialise = packets.COMMAND.unpack_from, packets.ANSWER.pack, worker.serialise
    run, wants_context, forked = worker.script.run, worker.script.wants_context, worker.forked
    encoding, errors = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()
    load, done_flags, answered, cpu = worker.rows and worker.rows.load, worker.done_flags, 0, 0
    counts = worker.rows is not None and worker.rows.counts
    for packet, attached, more in bundles.commands(worker.commands):
        began = run_began = run_ended = monotonic_ns()
        if not packet:
            break
        what, epoch, token, size = unpack(packet)
        if what != BATCH:
            worker.page.sequence = sequence
            return packet
        if began - answered > _IDLE_NS:  # what threads of the script used while idle is not ours
            cpu = process_time_ns()
        phase, found = PHASE_LOAD, 0
        sequence += 1
        try:
            payload = packet[HEADER_SIZE:]
            if counts or len(payload) != size:  # else loading is not worth a phase of its own
                write(memory, 0, sequence, PHASE_LOAD, token, 0, began, sequence)
                sequence += 1
                items, found = _loaded(worker, payload, attached, size)
                run_began = monotonic_ns()
                write(memory, 0, sequence, PHASE_RUN, token, found, run_began, sequence)
            else:
                write(memory, 0, sequence, PHASE_RUN, token, 0, run_began, sequence)
                items = payload.decode(encoding, errors).split("\0") if size else []
                if load:
                    items = load(items)
            phase = PHASE_RUN
            result = run(items, packet) if wants_context else run(items)
            run_ended = monotonic_ns()
            if forked:
                worker.check_fork()
            phase = PHASE_SERIALISE
            sequence += 1
            write(memory, 0, sequence, PHASE_SERIALISE, token, found, run_ended, sequence)
            kind, flags, (returned, payload) = DONE, done_flags, serialise(result)
        except BaseException as error:
            run_ended = monotonic_ns() if phase == PHASE_RUN else run_ended
            found = found or _counted(worker, phase)
            worker.check_fork(error)
            kind, returned, (flags, payload) = FAILED, 0, _failure(worker, error, phase, token)
        items = result = None  # not kept while waiting
        answered = monotonic_ns()
        elapsed, inside = answered - began, run_ended - run_began
        if elapsed < _SHORT_NS and sequence & 31:
            used = elapsed
            cpu += used
        else:
            cpu_before, cpu = cpu, process_time_ns()
            used = cpu - cpu_before
        head = (kind, epoch, token, returned, flags, len(payload), began)
        try:
            header = pack(*head, elapsed // 1000, inside // 1000, used // 1000, found)
        except struct_error:  # over 71 minutes, or the guess above was a little too high
            header = pack(*head, *map(packets.microseconds, (elapsed, inside, used)), found)
        told = send(header, payload, answered, more and kind == DONE)
        payload = b""
        if not told:  # if it dies now, this is still the one it died with
            continue
        sequence += 1
        write(memory, 0, sequence, PHASE_IDLE, NO_BATCH, 0, answered, sequence)
    raise AgentGone


def _loaded(
    worker: "Worker", payload: bytes, attached: "list[tuple[int, int, bytes]]", size: int
) -> "tuple[Any, int]":
    """What run() gets, where that takes a while; and one more than the number of rows, where the
    agent does not know it, else 0."""
    if len(payload) != size:
        payload = packets.read_attached(attached, size)
    names = os.fsdecode(payload).split("\0") if size else []
    if worker.rows is None:
        return names, 0
    items = worker.rows.load(names)
    return items, len(items) + 1 if worker.rows.counts else 0


def _counted(worker: "Worker", phase: int) -> int:
    """As _loaded() has it, of rows that could not be loaded."""
    if phase != PHASE_LOAD or worker.rows is None:
        return 0
    count = worker.rows.count()
    return 0 if count is None else count + 1


def _failure(
    worker: "Worker", error: BaseException, phase: int, token: bytes
) -> "tuple[int, bytes]":
    method, flags = _METHODS[phase]
    if isinstance(error, rows.WrongType):
        method, flags = "run", packets.FLAG_WRONG_TYPE
    batch, picked = packets.TOKEN.unpack(token)
    what = f"mini-batch {batch} picked {picked}: {method}"
    return flags, worker.failure(error, method, what)
