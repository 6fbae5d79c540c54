# SPDX-License-Identifier: Apache-2.0
"""The index of a job that is over, as docs/formats/index.md has it; a part of reader.py."""

import struct
from pathlib import Path
from typing import NamedTuple

from records import Damaged, Fields, RecordFile, crc32c

BLOCK = 4096
STAGES = ("pending", "ended", "committed", "failed")


class IndexedBatch(NamedTuple):
    items: int
    succeeded: int
    tries: int
    losses: int
    stage: str
    plan: int
    attempts: list[tuple[int, int]]  # epoch and offset
    pieces: list[tuple[int, int, str]]


class Index(NamedTuple):
    counts: list[int]
    status: int
    errors: dict[bytes, int]
    seconds: list[float]  # useful, lost, init, start_up, idle, wall
    attempts: int
    slowest: list[tuple[int, float]]
    hungriest: list[tuple[int, int, int]]  # mini-batch, process, bytes
    drawn: int  # attempts on the timelines
    batches: list[IndexedBatch]


def _real(fields: Fields) -> float:
    (value,) = struct.unpack("<d", fields.take(8))
    return float(value)


def _worker(fields: Fields) -> int:
    """How many attempts the timeline of one worker has."""
    fields.varint32(), fields.varint32()
    attempts = 0
    for _ in range(fields.varint()):
        kind, start, end = fields.varint(), fields.wall(), fields.wall()
        _, count = fields.varint32(), fields.varint32()
        if kind > 2 or end < start:
            raise Damaged("a span that cannot be")
        attempts += count if kind else 0
    return attempts


def _summary(fields: Fields, journal: bytes, epoch: int) -> tuple[Index, int, list[int]]:
    if [fields.varint() for _ in range(3)] != [epoch, len(journal), crc32c(journal[-4096:])]:
        raise Damaged("the index is of another journal")
    count = fields.varint32()
    for _ in range(3):
        fields.varint()
    fields.wall()
    for _ in range(3):
        fields.varint()
    counts = [fields.varint() for _ in range(8)]
    for _ in range(3 + 2):
        fields.varint()
    for _ in range(fields.varint()):
        fields.varint(), fields.text(), fields.varint()
    status = fields.varint()
    fields.text(), fields.wall()
    errors = {}
    for _ in range(fields.varint()):
        name = fields.text()
        errors[name] = fields.varint()
        fields.text()
    seconds = [_real(fields) for _ in range(6)]
    fields.varint32()
    attempts = fields.varint()
    fields.varint()
    for _ in range(5):
        _real(fields)
    slowest = []
    for _ in range(fields.varint()):
        batch, _, _, took = fields.varint32(), fields.varint32(), fields.varint32(), _real(fields)
        slowest.append((batch, took))
    hungriest = [
        (fields.varint32(), fields.varint32(), fields.varint()) for _ in range(fields.varint())
    ]
    drawn = sum(_worker(fields) for _ in range(fields.varint()))
    lengths = [fields.varint() for _ in range(fields.varint())]
    fields.done()
    index = Index(counts, status, errors, seconds, attempts, slowest, hungriest, drawn, [])
    return index, count, lengths


def _block(fields: Fields, count: int) -> list[IndexedBatch]:
    numbers = [[fields.varint() for _ in range(count)] for _ in range(6)]
    attempts = [
        [(fields.varint(), fields.varint()) for _ in range(fields.varint())] for _ in range(count)
    ]
    pieces = [
        [
            (fields.varint32(), fields.varint32(), STAGES[fields.varint()])
            for _ in range(fields.varint())
        ]
        for _ in range(count)
    ]
    fields.done()
    items, succeeded, tries, losses, stages, plans = numbers
    words = [STAGES[stage] for stage in stages]
    return [
        IndexedBatch(*row)
        for row in zip(items, succeeded, tries, losses, words, plans, attempts, pieces)
    ]


def read_index(folder: Path, epoch: int) -> Index:
    """That of the newest journal, whose number is `epoch`."""
    file = RecordFile(folder / f"state/index.{epoch}", b"WRI1", versions=(4,))
    journal = (folder / f"state/journal.{epoch}").read_bytes()
    first = file.record_at(8)
    if first is None:
        raise Damaged("the index has no summary")
    index, count, lengths = _summary(Fields(first.payload), journal, epoch)
    at = first.end
    for number, length in enumerate(lengths):
        record = file.record_at(at)
        if record is None or record.end != at + length:
            raise Damaged(f"block {number} of the index is damaged")
        index.batches.extend(_block(Fields(record.payload), min(BLOCK, count - number * BLOCK)))
        at = record.end
    return index
