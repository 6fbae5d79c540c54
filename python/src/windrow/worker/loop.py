# SPDX-License-Identifier: Apache-2.0
"""Mini-batches, one at a time. The only hot code: tests/bench_worker.py measures it.

For its speed everything is a local name, and the page and the header are packed in place. One
packet is read at a time, with one mini-batch or a bundle of short ones: the agent takes back what
was not read.
"""

import sys
from os import get_inheritable
from struct import error as struct_error
from time import monotonic_ns, process_time_ns

from windrow.worker import packets, rows
from windrow.worker.packets import (
    ANCILLARY_SIZE,
    BATCH,
    BUNDLE,
    DONE,
    FAILED,
    HEADER_SIZE,
    INLINE_MAX,
    NO_BATCH,
    PACKET_MAX,
    PHASE_IDLE,
    PHASE_LOAD,
    PHASE_RUN,
    PHASE_SERIALISE,
    RECEIVE_FLAGS,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
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
# Answers to the mini-batches of a bundle are sent together, unless that takes this long or one has
# so many bytes. A script that closes the socket is to be noticed with the mini-batch that did it.
_HELD_NS = 200_000
_HELD_MAX = 4096


class AgentGone(Exception):
    """End of file on the commands."""


def run_batches(worker: "Worker") -> bytes:
    """Answers batch commands until another one comes, which it returns. Raises AgentGone, and
    OSError when descriptors are gone; nothing that the script raises."""
    receive, send = worker.commands.recvmsg, worker.answers.send
    memory, sequence, write = worker.page.memory, worker.page.sequence, packets.PAGE.pack_into
    unpack, pack, serialise = packets.COMMAND.unpack_from, packets.ANSWER.pack, worker.serialise
    unpack_size, bundle, at = packets.COMMAND_SIZE.unpack_from, b"", 0
    held: list[bytes] = []
    held_since, answers, check_open = 0, worker.answers.fileno(), get_inheritable
    run, wants_context, forked = worker.script.run, worker.script.wants_context, worker.forked
    encoding, errors = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()
    load, done_flags, answered, cpu = worker.rows and worker.rows.load, worker.done_flags, 0, 0
    while True:
        if at < len(bundle):
            packet = bundle[at : at + HEADER_SIZE + unpack_size(bundle, at)[0]]
            at += len(packet)
        else:
            packet, attached, _, _ = receive(PACKET_MAX, ANCILLARY_SIZE, RECEIVE_FLAGS)
        began = run_began = run_ended = monotonic_ns()
        if not packet:
            raise AgentGone
        what, epoch, token, size = unpack(packet)
        if what != BATCH:
            if what == BUNDLE:
                bundle, at = packet, HEADER_SIZE
                continue
            worker.page.sequence = sequence
            return packet
        if began - answered > _IDLE_NS:  # what threads of the script used while idle is not ours
            cpu = process_time_ns()
        phase = PHASE_LOAD
        sequence += 1
        try:
            payload = packet[HEADER_SIZE:]
            if len(payload) != size:  # else loading takes no time that is worth a phase of its own
                write(memory, 0, sequence, PHASE_LOAD, token, began, sequence)
                sequence += 1
                payload = packets.read_attached(attached, size)
                run_began = monotonic_ns()
            write(memory, 0, sequence, PHASE_RUN, token, run_began, sequence)
            mini_batch = payload.decode(encoding, errors).split("\0") if size else []
            items = load(mini_batch) if load else mini_batch
            phase = PHASE_RUN
            result = run(items, packet) if wants_context else run(items)
            run_ended = monotonic_ns()
            if forked:
                worker.check_fork()
            phase = PHASE_SERIALISE
            sequence += 1
            write(memory, 0, sequence, PHASE_SERIALISE, token, run_ended, sequence)
            kind, flags, (returned, payload) = DONE, done_flags, serialise(result)
        except BaseException as error:
            if phase == PHASE_RUN:
                run_ended = monotonic_ns()
            worker.check_fork(error)
            kind, returned, (flags, payload) = FAILED, 0, _failure(worker, error, phase, token)
        mini_batch = items = result = None  # type: ignore[assignment]  # not kept while waiting
        answered = monotonic_ns()
        elapsed, inside = answered - began, run_ended - run_began
        if elapsed < _SHORT_NS and sequence & 31:
            used = elapsed
            cpu += used
        else:
            cpu_before, cpu = cpu, process_time_ns()
            used = cpu - cpu_before
        try:
            header = pack(
                kind, epoch, token, returned, flags, len(payload),
                began, elapsed // 1000, inside // 1000, used // 1000,
            )  # fmt: skip
        except struct_error:  # over 71 minutes, or the guess above was a little too high
            spans = map(packets.microseconds, (elapsed, inside, used))
            header = pack(kind, epoch, token, returned, flags, len(payload), began, *spans)
        if len(payload) > INLINE_MAX:
            _send_held(worker, held)
            packets.send(worker.answers, header, payload)
        elif at == len(bundle) and not held:
            send(header + payload)
        else:
            held_since = held_since if held else answered
            held.append(header + payload)
            check_open(answers)
            late = answered - held_since > _HELD_NS or len(payload) > _HELD_MAX
            if late or kind == FAILED or at == len(bundle):
                _send_held(worker, held)
        payload = b""
        sequence += 1
        write(memory, 0, sequence, PHASE_IDLE, NO_BATCH, answered, sequence)


def _send_held(worker: "Worker", held: "list[bytes]") -> None:
    """Sends the answers that were held back, as one packet if all fit in."""
    together = b"".join(held)
    if len(held) > 1 and len(together) <= INLINE_MAX:
        worker.answers.send(packets.ANSWERS_HEAD.pack(packets.ANSWERS, len(together)) + together)
    else:
        for answer in held:
            worker.answers.send(answer)
    held.clear()


def _failure(
    worker: "Worker", error: BaseException, phase: int, token: bytes
) -> "tuple[int, bytes]":
    method, flags = _METHODS[phase]
    if isinstance(error, rows.WrongType):
        method, flags = "run", packets.FLAG_WRONG_TYPE
    batch, picked = packets.TOKEN.unpack(token)
    what = f"mini-batch {batch} picked {picked}: {method}"
    return flags, worker.failure(error, method, what)
