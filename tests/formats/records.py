# SPDX-License-Identifier: Apache-2.0
"""Records and their fields, as docs/formats/records.md has them; a part of reader.py."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Optional

PAYLOAD_MAX = 2**30 + 2**16


class Damaged(Exception):
    """The files contradict each other or the pages."""


def _crc_table() -> list[int]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = (byte >> 1) ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


CRC_TABLE = _crc_table()


def crc32c(data: bytes, before: int = 0) -> int:
    crc = before ^ 0xFFFFFFFF
    for byte in data:
        crc = CRC_TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


class Record(NamedTuple):
    offset: int
    end: int
    payload: bytes


class RecordFile:
    """The good prefix of a file."""

    def __init__(self, path: Path, magic: bytes, versions: tuple[int, ...] = (1,)):
        self.path = path
        self.data = path.read_bytes()
        if self.data[:4] != magic or len(self.data) < 8:
            raise Damaged(f"{path} does not begin with {magic.decode()}")
        self.version = int.from_bytes(self.data[4:8], "little")
        if self.version not in versions:
            raise Damaged(f"{path} has version {self.version}")

    def record_at(self, offset: int) -> Optional[Record]:
        head = self.data[offset : offset + 8]
        length = int.from_bytes(head[:4], "little")
        end = offset + 8 + length
        if len(head) < 8 or length > PAYLOAD_MAX or end > len(self.data):
            return None
        payload = self.data[offset + 8 : end]
        if crc32c(payload, crc32c(head[:4])) != int.from_bytes(head[4:], "little"):
            return None
        return Record(offset, end, payload)

    def records(self) -> Iterator[Record]:
        offset = 8
        while record := self.record_at(offset):
            yield record
            offset = record.end


class Fields:
    """The fields of a payload, in order."""

    def __init__(self, payload: bytes):
        self.left = payload

    def take(self, size: int) -> bytes:
        if size > len(self.left):
            raise Damaged("a payload ends within a field")
        taken, self.left = self.left[:size], self.left[size:]
        return taken

    def u8(self) -> int:
        return self.take(1)[0]

    def u32(self) -> int:
        return int.from_bytes(self.take(4), "little")

    def wall(self) -> int:
        return int.from_bytes(self.take(8), "little", signed=True)

    def varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self.u8()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise Damaged("a varint of more than ten bytes")

    def varint32(self) -> int:
        value = self.varint()
        if value >= 2**32:
            raise Damaged("a varint32 that is too large")
        return value

    def text(self) -> bytes:
        return self.take(self.varint())

    def rest(self) -> bytes:
        return self.take(len(self.left))

    def done(self) -> None:
        if self.left:
            raise Damaged("a payload with bytes left over")
