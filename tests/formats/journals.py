# SPDX-License-Identifier: Apache-2.0
"""Journals and the facts in them, as docs/formats/journal.md has them; a part of reader.py."""

from collections.abc import Iterator
from pathlib import Path
from typing import Callable, NamedTuple, Optional, Union

from records import Damaged, Fields, RecordFile, crc32c

Value = Union[int, bytes, list[tuple[int, int]], list[tuple[int, bytes]]]


class Fact(NamedTuple):
    kind: str
    values: dict[str, Value]

    def number(self, name: str) -> int:
        value = self.values[name]
        assert isinstance(value, int)
        return value

    def bytes(self, name: str) -> bytes:
        value = self.values[name]
        assert isinstance(value, bytes)
        return value


def _runs(fields: Fields) -> list[tuple[int, int]]:
    return [(fields.varint32(), fields.varint32()) for _ in range(fields.varint())]


def _reported(fields: Fields) -> list[tuple[int, bytes]]:
    return [(fields.varint32(), fields.text()) for _ in range(fields.varint())]


def _files(fields: Fields) -> list[tuple[int, bytes, int]]:
    return [(fields.varint32(), fields.text(), fields.varint()) for _ in range(fields.varint())]


_v, _v32, _u8, _u32 = Fields.varint, Fields.varint32, Fields.u8, Fields.u32
_text, _wall = Fields.text, Fields.wall
_ERROR = {"error_type": _text, "error_message": _text, "traceback": _text}

Layout = dict[str, Callable[[Fields], Value]]
KINDS: dict[int, tuple[str, Layout]] = {
    1: ("EpochBegan", {"epoch": _v, "plan": _v, "wall": _wall}),
    2: ("Planned", {"plan_bytes": _v, "runs": _runs}),
    3: ("ListingEnded", {}),
    4: ("SegmentOpened", {"segment": _v32, "agent": _v32, "file": _text}),
    5: ("SegmentSynced", {"segment": _v32, "up_to": _v, "job_time": _v}),
    6: ("AgentLost", {"agent": _v32, "segment": _v32}),
    7: ("LoadEnded", {"agent": _v32, "process": _v32, "status": _u8, "start": _wall,
                      "elapsed_us": _v32, "cpu_us": _v32, **_ERROR}),
    8: ("AttemptEnded", {"epoch": _v, "batch": _v32, "picked": _v32, "agent": _v32,
                         "process": _v32, "status": _u8, "verdict": _u8, "line_break": _u8,
                         "returned": _v32, "succeeded": _v32, "segment": _v32, "offset": _v,
                         "length": _v32, "start": _wall, "elapsed_us": _v32, "run_us": _v32,
                         "cpu_us": _v32, "memory_peak": _v, **_ERROR}),
    9: ("Stopped", {"status": _u8, "cause": _text, "for_good": lambda _: 0}),
    10: ("Publishing", {"path": _text, "length": _v, "crc": _u32}),
    11: ("Finished", {"status": _u8, "cause": _text, "wall": _wall}),
    12: ("Reopened", {"failed_afresh": _u8}),
    13: ("Halved", {"batch": _v32, "first": _v32, "count": _v32}),
    14: ("Counted", {"batch": _v32, "items": _v32}),
    15: ("Stopped", {"status": _u8, "cause": _text, "for_good": lambda _: 1}),
    16: ("WorkerStarted", {"agent": _v32, "process": _v32, "wall": _wall}),
    17: ("WorkerEnded", {"agent": _v32, "process": _v32, "wall": _wall}),
}  # fmt: skip


def read_fact(payload: bytes) -> Fact:
    fields = Fields(payload)
    kind = fields.u8()
    if kind not in KINDS:
        raise Damaged(f"a fact of unknown kind {kind}")
    name, layout = KINDS[kind]
    fact = Fact(name, {key: read(fields) for key, read in layout.items()})
    if name == "AttemptEnded" and fields.left:
        fact.values["reported"] = _reported(fields)
        if fields.left:
            fact.values["files"] = _files(fields)
        if fields.left:
            fact.values["first"], fact.values["count"] = fields.varint32(), fields.varint32()
    fields.done()
    return fact


class Journal:
    def __init__(self, path: Path):
        self.file = RecordFile(path, b"WRJ1")
        self.records = list(self.file.records())
        if not self.records:
            raise Damaged(f"{path} has no whole header")
        fields = Fields(self.records[0].payload)
        self.epoch, self.previous, self.length = fields.varint(), fields.varint(), fields.varint()
        self.crc = fields.u32()
        fields.done()
        if path.name != f"journal.{self.epoch}":
            raise Damaged(f"{path} says that it is epoch {self.epoch}")

    def facts(self, successor: Optional["Journal"]) -> Iterator[Fact]:
        """Those that count: all good ones, or as many as the next journal builds upon."""
        limit = successor.length if successor else len(self.file.data)
        records = [record for record in self.records if record.end <= limit]
        if successor:
            good = records[-1].end if records else 0
            if good != limit or crc32c(self.file.data[:limit]) != successor.crc:
                raise Damaged(f"{self.file.path} is good for {good} bytes, not {limit}")
        for record in records[1:]:
            yield read_fact(record.payload)


def journal_chain(state: Path) -> list[Journal]:
    """The journals that count, oldest first."""
    numbers = [path.name[len("journal.") :] for path in state.glob("journal.*")]
    epochs = sorted(int(number) for number in numbers if number.isdigit())
    chain: list[Journal] = []
    while epochs and not chain:
        try:
            chain.append(Journal(state / f"journal.{epochs.pop()}"))
        except Damaged:
            pass  # its master died while creating it
    while chain and chain[-1].previous:
        chain.append(Journal(state / f"journal.{chain[-1].previous}"))
    return chain[::-1]
