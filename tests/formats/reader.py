# SPDX-License-Identifier: Apache-2.0
"""A second reader of a job's plan, journals and segments, written from docs/formats alone.

    python3 tests/formats/reader.py JOB_FOLDER

prints what the job is made of. It shares no code with the engine and needs nothing but Python, so
that the pages are known to say enough.
"""

import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Optional

from journals import Fact, journal_chain
from records import Damaged, Fields, RecordFile, crc32c

# --------------------------------------------------------------------------------------- plan.md


class PlannedBatch(NamedTuple):
    id: int
    input: int
    items: int
    names: list[bytes]


class Plan(NamedTuple):
    roots: list[bytes]
    formation: bytes
    listing_began: int
    batches: list[PlannedBatch]


def read_plan(path: Path, plan_bytes: int) -> Plan:
    """The plan as far as the journal says that it counts."""
    file = RecordFile(path, b"WRP1", versions=(1, 2))
    records = file.records()
    head = next(records, None)
    if head is None:
        raise Damaged(f"{path} has no head")
    fields = Fields(head.payload)
    roots = [fields.text() for _ in range(1 if file.version == 1 else fields.varint())]
    plan = Plan(roots, fields.text(), fields.wall(), [])
    fields.done()
    end = head.end
    for record in records:
        if record.end > plan_bytes:
            break
        fields = Fields(record.payload)
        number, of = fields.varint32(), 0 if file.version == 1 else fields.varint32()
        items, names = fields.varint32(), fields.rest()
        batch = PlannedBatch(number, of, items, names.split(b"\0") if items else [])
        if batch.id != len(plan.batches) or batch.items != len(batch.names):
            raise Damaged(f"{path}: mini-batch {batch.id} is not in its place")
        plan.batches.append(batch)
        end = record.end
    if plan_bytes and end != plan_bytes:
        raise Damaged(f"{path} is good for {end} bytes, not {plan_bytes}")
    return plan


# -------------------------------------------------------------------------------- the state of it

NODE_LOST = 7
OVERTAKEN = 4  # a verdict


@dataclass
class Batch:
    """A mini-batch, or a piece of one that was halved."""

    number: int
    items: int
    first: int = 0  # of a piece
    pieces: list["Batch"] = field(default_factory=list)
    stage: str = "pending"  # ended, committed, failed
    tries: int = 0
    losses: int = 0
    succeeded: int = 0
    segment: int = 0
    offset: int = 0
    length: int = 0

    def piece(self, first: int, items: int) -> "Batch":
        for piece in self.pieces:
            if (piece.first, piece.items, piece.stage) == (first, items, "pending"):
                return piece
        raise Damaged(f"mini-batch {self.number} has no piece of {items} items from {first} on")

    def settle(self) -> None:
        stages = {piece.stage for piece in self.pieces}
        if stages and not stages & {"pending", "ended"}:
            self.stage = "committed" if "committed" in stages else "failed"

    def committed(self) -> list["Batch"]:
        return [one for one in self.pieces or [self] if one.stage == "committed" and one.length]


@dataclass
class Segment:
    file: str
    synced: int = 0
    open: bool = True
    waiting: list[Batch] = field(default_factory=list)


@dataclass
class Job:
    folder: Path
    batches: list[Batch] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)
    facts: Counter[str] = field(default_factory=Counter)
    epoch: int = 0
    plan: int = 0
    plan_bytes: int = 0
    listing_ended: bool = False
    stopped: Optional[Fact] = None
    publishing: Optional[Fact] = None
    finished: Optional[Fact] = None

    def apply(self, fact: Fact) -> None:
        self.facts[fact.kind] += 1
        take = getattr(self, "on_" + fact.kind, None)
        if take:
            take(fact)

    def on_EpochBegan(self, fact: Fact) -> None:  # noqa: N802
        if fact.number("epoch") <= self.epoch:
            raise Damaged("an epoch that is not new")
        self.epoch, self.plan = fact.number("epoch"), fact.number("plan")
        for segment in self.segments:
            self.close(segment)

    def on_Planned(self, fact: Fact) -> None:  # noqa: N802
        if self.listing_ended:
            raise Damaged("planned after the listing ended")
        runs = fact.values["runs"]
        assert isinstance(runs, list)
        for batches, items in runs:
            self.batches += [Batch(len(self.batches) + i, items) for i in range(batches)]
        self.plan_bytes = fact.number("plan_bytes")

    def on_ListingEnded(self, _: Fact) -> None:  # noqa: N802
        self.listing_ended = True

    def on_SegmentOpened(self, fact: Fact) -> None:  # noqa: N802
        if fact.number("segment") != len(self.segments):
            raise Damaged("a segment out of order")
        self.segments.append(Segment(fact.bytes("file").decode()))

    def on_SegmentSynced(self, fact: Fact) -> None:  # noqa: N802
        segment = self.segments[fact.number("segment")]
        if not segment.open:
            raise Damaged("a sync of a closed segment")
        segment.synced = max(segment.synced, fact.number("up_to"))
        while segment.waiting and self.is_synced(segment.waiting[0]):
            done = segment.waiting.pop(0)
            done.stage = "committed"
            self.batches[done.number].settle()

    def on_AgentLost(self, fact: Fact) -> None:  # noqa: N802
        self.close(self.segments[fact.number("segment")])

    def on_AttemptEnded(self, fact: Fact) -> None:  # noqa: N802
        batch = self.batches[fact.number("batch")]
        if fact.number("verdict") == OVERTAKEN:
            return
        if batch.stage != "pending":
            raise Damaged(
                f"an attempt at mini-batch {fact.number('batch')}, which is {batch.stage}"
            )
        verdict, lost = fact.number("verdict"), fact.number("status") == NODE_LOST
        piece = "count" in fact.values
        batch.losses += lost
        batch.tries += verdict in (1, 2) and not lost and not piece
        if verdict in (1, 3):
            return
        if bool(batch.pieces) != piece:
            raise Damaged(f"an attempt at the whole of mini-batch {batch.number}, or at no piece")
        one = batch.piece(fact.number("first"), fact.number("count")) if piece else batch
        if verdict == 2:
            one.stage = "failed"
        else:
            one.segment, one.offset = fact.number("segment"), fact.number("offset")
            one.length, one.succeeded = fact.number("length"), fact.number("succeeded")
            one.stage = "committed" if self.is_synced(one) else "ended"
        if one.stage == "ended":
            self.segments[one.segment].waiting.append(one)
        batch.settle()

    def on_Counted(self, fact: Fact) -> None:  # noqa: N802
        batch = self.batches[fact.number("batch")]
        if batch.pieces or batch.stage != "pending":
            raise Damaged(f"a count of items of mini-batch {batch.number}")
        batch.items = fact.number("items")

    def on_Halved(self, fact: Fact) -> None:  # noqa: N802
        batch = self.batches[fact.number("batch")]
        batch.pieces = batch.pieces or [Batch(batch.number, batch.items)]
        whole = batch.piece(fact.number("first"), fact.number("count"))
        at, left = batch.pieces.index(whole), whole.items // 2
        if left == 0:
            raise Damaged(f"half of one item of mini-batch {batch.number}")
        batch.pieces[at : at + 1] = [
            Batch(batch.number, left, whole.first),
            Batch(batch.number, whole.items - left, whole.first + left),
        ]

    def on_Stopped(self, fact: Fact) -> None:  # noqa: N802
        self.stopped = fact

    def on_Publishing(self, fact: Fact) -> None:  # noqa: N802
        self.publishing = fact

    def on_Finished(self, fact: Fact) -> None:  # noqa: N802
        self.finished = fact

    def on_Reopened(self, fact: Fact) -> None:  # noqa: N802
        self.stopped = self.publishing = self.finished = None
        if not self.batches:
            self.listing_ended = False
        for batch in self.batches if fact.number("failed_afresh") else []:
            if batch.stage == "failed":
                batch.stage, batch.pieces = "pending", []
            for piece in batch.pieces:
                if piece.stage == "failed":
                    piece.stage = batch.stage = "pending"
            if batch.stage == "pending":
                batch.losses = 0
                batch.tries = batch.tries if batch.pieces else 0

    def is_synced(self, batch: Batch) -> bool:
        return batch.offset + batch.length <= self.segments[batch.segment].synced

    def close(self, segment: Segment) -> None:
        segment.open = False
        for ended in segment.waiting:
            ended.stage = "pending"
        segment.waiting = []

    def stages(self) -> Counter[str]:
        return Counter(batch.stage for batch in self.batches)

    def read_plan(self) -> Plan:
        plan = read_plan(self.folder / "state" / f"plan.{self.plan}", self.plan_bytes)
        if [batch.items for batch in plan.batches] != [batch.items for batch in self.batches]:
            raise Damaged("plan and journal differ")
        return plan

    def merged(self) -> bytes:
        """The rows of all committed mini-batches in order."""
        files: dict[int, RecordFile] = {}
        rows = []
        for batch in self.batches:
            for one in batch.committed():
                if one.segment not in files:
                    files[one.segment] = open_segment(self.folder, self.segments[one.segment])
                rows.append(read_rows(files[one.segment], one))
        return b"".join(rows)


# ------------------------------------------------------------------------------------ segment.md


def open_segment(folder: Path, segment: Segment) -> RecordFile:
    file = RecordFile(folder / "state" / "rows" / segment.file, b"WRS1")
    head = file.record_at(8)
    if head is None:
        raise Damaged(f"{file.path} has no head")
    fields = Fields(head.payload)
    if f"{fields.varint32()}.{fields.varint()}.seg" != segment.file:
        raise Damaged(f"{file.path} is another agent's")
    fields.done()
    return file


def read_rows(file: RecordFile, batch: Batch) -> bytes:
    record = file.record_at(batch.offset)
    if record is None or record.end != batch.offset + batch.length:
        raise Damaged(f"{file.path} has no chunk at {batch.offset}")
    fields = Fields(record.payload)
    _, found, _ = fields.varint(), fields.varint32(), fields.varint32()
    output, kind, form = fields.u8(), fields.u8(), fields.u8()
    first, items = fields.varint32(), fields.varint32()
    if (found, output, kind, form, first, items) != (batch.number, 0, 0, 0, 0, batch.items):
        raise Damaged(f"{file.path} holds something else at {batch.offset}")
    return fields.rest()


def read_job(folder: Path) -> Job:
    """The job as its journals tell it. Raises Damaged."""
    job = Job(folder)
    chain = journal_chain(folder / "state")
    for journal, successor in zip(chain, [*chain[1:], None]):
        for fact in journal.facts(successor):
            job.apply(fact)
    return job


def main() -> None:
    job = read_job(Path(sys.argv[1]))
    plan = job.read_plan()
    rows = job.merged()
    print(f"epoch {job.epoch}, plan.{job.plan}, {sum(b.items for b in plan.batches)} items")
    print("mini-batches:", dict(job.stages()))
    print("facts:", dict(job.facts))
    print(f"rows: {len(rows)} bytes, crc {crc32c(rows):08x}")
    print("finished" if job.finished else "not finished")


if __name__ == "__main__":
    main()
