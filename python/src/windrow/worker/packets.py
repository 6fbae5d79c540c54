# SPDX-License-Identifier: Apache-2.0
"""The packets and the page of docs/formats/worker-protocol.md, version 1.

Magic and kind are read and written as one number, and the parts of the token as bytes: they are
only compared or passed on, and this way a mini-batch costs fewer objects.
"""

import os
from _socket import MSG_CMSG_CLOEXEC, SCM_RIGHTS, SOL_SOCKET  # `socket` costs 3 ms more
from errno import EFBIG
from struct import Struct

TYPE_CHECKING = False  # importing typing costs 2 ms; type checkers know this name
if TYPE_CHECKING:
    from _socket import socket
    from mmap import mmap

HEADER_SIZE = 64
PAGE_SIZE = 64
PACKET_MAX = 65536
INLINE_MAX = PACKET_MAX - HEADER_SIZE
ANSWER_MAX = 1 << 30

_COMMAND_MAGIC = 0x31445257
START, BATCH, SHUTDOWN, BUNDLE = (_COMMAND_MAGIC | kind << 32 for kind in range(1, 5))
_ANSWER_MAGIC = 0x31415257
READY, INIT_FAILED, DONE, FAILED, GOODBYE, ANSWERS = (
    _ANSWER_MAGIC | kind << 32 for kind in range(1, 7)
)

PHASE_INIT, PHASE_IDLE, PHASE_LOAD, PHASE_RUN, PHASE_SERIALISE, PHASE_SHUTDOWN = range(1, 7)

FLAG_WRONG_TYPE = 2
FLAG_LOAD = 4
FLAG_SERIALISE = 8
FLAG_REFUSED = 16
FLAG_PARTS = 32
FLAG_BUNDLES = 64

COMMAND = Struct("<Q8s8s8xQ24x")  # magic and kind, epoch, batch and picked, payload size
COMMAND_SIZE = Struct("<32xQ")  # the last of these alone
TOKEN_OFFSET = 16
TOKEN = Struct("<II")  # batch, picked
TOKEN_AND_COUNTS = Struct("<IIII")  # batch, picked, items, tries
# magic and kind, epoch, batch and picked, returned, flags, payload size, start, elapsed, run, cpu,
# and one more than the number of items where the agent does not know it
ANSWER = Struct("<Q8s8sIIQQIIII")
ANSWERS_HEAD = Struct("<Q24xQ24x")  # magic and kind, payload size: a bundle of answers
PAGE = Struct("<QI8sIQQ")  # sequence, phase, batch and picked, items, since, sequence
NO_BATCH = bytes(8)
_DESCRIPTOR = Struct("i")

ANCILLARY_SIZE = 24  # CMSG_SPACE of one descriptor
RECEIVE_FLAGS = MSG_CMSG_CLOEXEC
_U32_MAX = 0xFFFFFFFF


def microseconds(nanoseconds: int) -> int:
    """As the answer holds it: at most 2^32-1, which is 71 minutes."""
    return min(max(nanoseconds // 1000, 0), _U32_MAX)


def read_attached(attached: "list[tuple[int, int, bytes]]", size: int) -> bytes:
    """The payload of a command that came without it: from the descriptor beside the packet.

    Closes the descriptor. Raises EOFError when there is none, or other than `size` bytes in it.
    """
    payload = b""
    for level, kind, data in attached:
        if level == SOL_SOCKET and kind == SCM_RIGHTS:
            descriptor = _DESCRIPTOR.unpack_from(data)[0]
            try:
                payload = os.pread(descriptor, size + 1, 0)
            finally:
                os.close(descriptor)
    if len(payload) != size:
        raise EOFError(f"payload has {len(payload)} bytes of {size}")
    return payload


def _write_all(descriptor: int, payload: bytes) -> None:
    """Raises OSError, in words about the answer."""
    view = memoryview(payload)
    try:
        while view:
            view = view[os.write(descriptor, view) :]
    except OSError as error:
        limit = "; `ulimit -f` limits what a process may write" if error.errno == EFBIG else ""
        raise OSError(
            error.errno, f"no room for an answer of {len(payload)} bytes: {error.strerror}{limit}"
        ) from None


def send(answers: "socket", header: bytes, payload: bytes) -> None:
    """Sends an answer; a payload that does not fit the packet goes into a memory file."""
    if len(payload) <= INLINE_MAX:
        answers.send(header + payload)
        return
    descriptor = os.memfd_create("windrow-answer")
    try:
        _write_all(descriptor, payload)
        answers.sendmsg([header], [(SOL_SOCKET, SCM_RIGHTS, _DESCRIPTOR.pack(descriptor))])
    finally:
        os.close(descriptor)


class Page:
    """The page that tells the agent what this process is doing. One thread writes it."""

    __slots__ = ("memory", "sequence")

    def __init__(self, memory: "mmap") -> None:
        self.memory = memory
        self.sequence = 0

    def enter(self, phase: int, since: int) -> None:
        """Writes a phase that belongs to no mini-batch. The loop writes the others itself."""
        self.sequence += 1
        PAGE.pack_into(self.memory, 0, self.sequence, phase, NO_BATCH, 0, since, self.sequence)
