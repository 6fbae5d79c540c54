# SPDX-License-Identifier: Apache-2.0
"""Commands as they come, and answers as they go: many in one packet when mini-batches are short.

Hot, like loop.py.
"""

from os import get_inheritable

from windrow.worker import packets
from windrow.worker.packets import (
    ANCILLARY_SIZE,
    BUNDLE,
    HEADER_SIZE,
    INLINE_MAX,
    PACKET_MAX,
    RECEIVE_FLAGS,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Iterator

_BUNDLE_KIND = BUNDLE >> 32
# Answers wait for those of the same bundle no longer than this, and not with more bytes than that.
_HELD_NS = 200_000
_HELD_MAX = 4096


def commands(
    source: "socket",
) -> "Iterator[tuple[bytes, list[tuple[int, int, bytes]], bool]]":
    """Each command, what was attached to it, and whether more of its bundle is at hand. An empty
    one is the end of the file."""
    receive, unpack_size = source.recvmsg, packets.COMMAND_SIZE.unpack_from
    while True:
        packet, attached, _, _ = receive(PACKET_MAX, ANCILLARY_SIZE, RECEIVE_FLAGS)
        if len(packet) <= HEADER_SIZE or packet[4] != _BUNDLE_KIND:
            yield packet, attached, False
            continue
        at, end = HEADER_SIZE, len(packet)
        while at < end:
            behind = at + HEADER_SIZE + unpack_size(packet, at)[0]
            yield packet[at:behind], attached, behind < end
            at = behind


class Answers:
    """Sends answers, those to the mini-batches of a bundle together."""

    __slots__ = ("_descriptor", "_held", "_since", "_target")

    def __init__(self, target: "socket") -> None:
        self._target = target
        self._descriptor = target.fileno()
        self._held: list[bytes] = []
        self._since = 0

    def send(self, header: bytes, payload: bytes, now: int, wait: bool) -> bool:
        """False when it is held back. `wait`: more of its bundle is at hand, and nothing failed."""
        held = self._held
        if len(payload) > INLINE_MAX:
            self._flush()
            packets.send(self._target, header, payload)
        elif not wait and not held:
            self._target.send(header + payload)
        else:
            # Who closes the socket is to be noticed with the mini-batch that did it.
            get_inheritable(self._descriptor)
            if not held:
                self._since = now
            held.append(header + payload)
            if wait and now - self._since <= _HELD_NS and len(payload) <= _HELD_MAX:
                return False
            self._flush()
        return True

    def _flush(self) -> None:
        """As one packet if all fit in."""
        together = b"".join(self._held)
        if len(self._held) > 1 and len(together) <= INLINE_MAX:
            head = packets.ANSWERS_HEAD.pack(packets.ANSWERS, len(together))
            self._target.send(head + together)
        else:
            for answer in self._held:
                self._target.send(answer)
        self._held.clear()
