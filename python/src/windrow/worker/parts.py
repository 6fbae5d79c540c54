# SPDX-License-Identifier: Apache-2.0
"""Answers that are more than the rows of one output: the parts of docs/formats/worker-protocol.md.

Imported only by what makes them.
"""

from struct import Struct

from windrow.worker.rows import check_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

ROWS, HEADER, REPORTED = range(3)

_PART = Struct("<BBHIQ")  # kind, output, zero, item, size
REASONS_MAX = 4 << 20  # bytes of all reasons of one answer; later ones are left out


def join(parts: "Iterable[tuple[int, int, int, bytes]]") -> bytes:
    """Each part is kind, output, item and body. Raises OverflowError."""
    pieces = []
    for kind, output, item, body in parts:
        pieces += [_PART.pack(kind, output, 0, item, len(body)), body]
    payload = b"".join(pieces)
    check_size(len(payload))
    return payload


def split(payload: bytes) -> "list[tuple[int, int, int, bytes]]":
    """The opposite of join()."""
    parts, at = [], 0
    while at < len(payload):
        kind, output, _, item, size = _PART.unpack_from(payload, at)
        at += _PART.size + size
        parts.append((kind, output, item, payload[at - size : at]))
    return parts


def reports(reported: "dict[int, str]") -> "list[tuple[int, int, int, bytes]]":
    """A part for each item that the script called failed."""
    parts, left = [], REASONS_MAX
    for item, reason in sorted(reported.items()):
        body = reason.encode("utf-8", "backslashreplace")
        body = body if len(body) <= left else b""
        left -= len(body)
        parts.append((REPORTED, 0, item, body))
    return parts
