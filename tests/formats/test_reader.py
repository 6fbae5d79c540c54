# SPDX-License-Identifier: Apache-2.0
"""The formats are what their pages say: a reader made from them reads what the engine wrote."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from index import read_index
from journals import read_fact
from reader import Job, read_job
from records import Damaged, Fields, RecordFile, crc32c

REPOSITORY = Path(__file__).resolve().parents[2]
WINDROW = os.environ.get("WINDROW", str(REPOSITORY / "build/release/windrow"))
RESULT = "parallel_run_step.txt"

SCRIPT = """
import os, time

def run(mini_batch):
    time.sleep(0.005)
    if any("bad" in path for path in mini_batch):
        raise ValueError("a bad file")
    return [os.path.basename(path) + "\\n" + "more" for path in mini_batch]
"""


class Made:
    """A job in a folder."""

    def __init__(self, folder: Path, names: list[str]):
        self.folder = folder
        self.job = folder / "job"
        self.result = folder / "output" / RESULT
        (folder / "input").mkdir()
        (folder / "code").mkdir()
        (folder / "code" / "score.py").write_text(SCRIPT)
        self.names = sorted(names)
        for name in names:
            (folder / "input" / name).write_text(name)

    def start(self, *flags: str) -> "subprocess.Popen[bytes]":
        command = [
            WINDROW, "run", str(self.folder / "code" / "score.py"),
            "--input", str(self.folder / "input"), "--output", str(self.folder / "output"),
            "--job-dir", str(self.job), "--mini-batch-size", "3", "--workers", "2",
            "--python", sys.executable, *flags,
        ]  # fmt: skip
        environment = dict(os.environ, WINDROW_HOME=str(self.folder / "home"))
        with open(self.folder / "said", "ab") as said:
            return subprocess.Popen(command, stdout=said, stderr=said, env=environment)

    def run(self, *flags: str) -> int:
        return self.start(*flags).wait(60)

    def read(self) -> Job:
        job = read_job(self.job)
        names = [name for batch in job.read_plan().batches for name in batch.names]
        assert names == [name.encode() for name in self.names]
        return job


ITEMS = [f"item{number:04d}" for number in range(400)]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return Made(tmp_path, ITEMS)


@pytest.fixture
def flawed(tmp_path: Path) -> Made:
    """One mini-batch of 134 fails, so that the rows of the others are kept for a retry."""
    return Made(tmp_path, [*ITEMS, "item9999bad"])


def test_the_checksum_is_castagnolis() -> None:
    assert crc32c(b"123456789") == 0xE3069283
    assert crc32c(b"56789", crc32c(b"1234")) == 0xE3069283


def test_numbers_take_seven_bits_a_byte() -> None:
    assert Fields(b"\xac\x02").varint() == 300
    with pytest.raises(Damaged):
        Fields(b"\x80" * 11).varint()


def test_a_finished_job_gives_the_published_bytes(flawed: Made) -> None:
    made = flawed
    assert made.run() == 0
    job = made.read()
    assert job.stages() == {"committed": 133, "failed": 1}
    assert job.finished and job.finished.number("status") == 1
    assert job.merged() == made.result.read_bytes()
    assert job.publishing and job.publishing.number("crc") == crc32c(job.merged())
    assert job.publishing.number("length") == len(job.merged())
    assert job.publishing.bytes("path") == os.fsencode(made.result)


# C944
def test_a_finished_job_without_failures_has_its_rows_in_the_result_alone(made: Made) -> None:
    assert made.run() == 0
    job = made.read()
    assert job.stages() == {"committed": 134}
    assert not list((made.job / "state" / "rows").iterdir())
    published = made.result.read_bytes()
    assert job.publishing and job.publishing.number("crc") == crc32c(published)
    assert job.publishing.number("length") == len(published)


def test_a_job_that_was_killed_and_went_on_is_read_through_its_chain(flawed: Made) -> None:
    made = flawed
    for wanted in (10, 30):
        process = made.start()
        wait_for_commits(made.job, wanted)
        process.kill()
        process.wait(60)
    halfway = made.read()
    assert halfway.epoch == 2
    assert 0 < halfway.stages()["committed"] < 134
    early = halfway.merged()
    assert made.run() == 0
    job = made.read()
    assert job.epoch == 3
    assert job.stages() == {"committed": 133, "failed": 1}
    assert job.merged() == made.result.read_bytes()
    assert len(early) < len(job.merged())


# C641
def test_the_index_is_what_the_journals_add_up_to(tmp_path: Path) -> None:
    names = [f"item{number:04d}" for number in range(200)] + ["item0050bad", "item0120bad"]
    made = Made(tmp_path, names)
    process = made.start("--bisect", "--max-retries", "1")
    wait_for_commits(made.job, 10)
    process.kill()
    process.wait(60)
    assert made.run("--bisect", "--max-retries", "1") == 0
    job = made.read()
    index = read_index(made.job, job.epoch)
    assert job.finished and index.status == job.finished.number("status")
    assert [batch.stage for batch in index.batches] == [batch.stage for batch in job.batches]
    assert [batch.items for batch in index.batches] == [batch.items for batch in job.batches]
    assert index.errors[b"ValueError"] > 2
    assert index.drawn == index.attempts > 0
    assert all(memory > 1 << 20 for _, _, memory in index.hungriest) and index.hungriest
    halved = [batch for batch in index.batches if batch.pieces]
    assert sum(stage == "failed" for batch in halved for *_, stage in batch.pieces) == 2
    journals = {
        epoch: RecordFile(made.job / f"state/journal.{epoch}", b"WRJ1")
        for epoch in range(1, job.epoch + 1)
    }
    for number, batch in enumerate(index.batches):
        assert batch.attempts
        for epoch, offset in batch.attempts:
            record = journals[epoch].record_at(offset)
            assert record
            fact = read_fact(record.payload)
            assert (fact.kind, fact.number("batch")) == ("AttemptEnded", number)
        planned = RecordFile(made.job / "state/plan.1", b"WRP1", (2,)).record_at(batch.plan)
        assert planned and Fields(planned.payload).varint32() == number


def wait_for_commits(folder: Path, wanted: int) -> None:
    """Until the journals on disk have so many committed mini-batches."""
    for _ in range(2000):
        try:
            if read_job(folder).stages()["committed"] >= wanted:
                return
        except FileNotFoundError:
            pass  # not that far yet
        time.sleep(0.01)
    raise AssertionError("the job commits nothing")


def test_a_failed_job_tells_what_it_had(tmp_path: Path) -> None:
    names = [f"item{number:04d}" for number in range(60)] + ["item0050bad"]
    made = Made(tmp_path, names)
    assert made.run("--error-threshold", "0", "--max-retries", "1") == 1
    job = made.read()
    stages = job.stages()
    assert stages["failed"] == 1
    assert job.finished and job.finished.number("status") == 2
    assert job.publishing is None and not made.result.exists()
    failed = next(batch for batch in job.batches if batch.stage == "failed")
    assert failed.tries == 2
    rows = job.merged().decode().splitlines()
    assert sum(row.startswith("item") for row in rows) == sum(
        batch.items for batch in job.batches if batch.stage == "committed"
    )


def test_a_changed_byte_is_noticed(flawed: Made) -> None:
    made = flawed
    assert made.run() == 0
    segment = next((made.job / "state" / "rows").glob("*.seg"))
    data = bytearray(segment.read_bytes())
    data[len(data) // 2] ^= 1
    segment.write_bytes(bytes(data))
    job = made.read()
    with pytest.raises(Damaged):
        job.merged()


def test_the_good_part_of_a_file_ends_where_it_is_cut(made: Made) -> None:
    assert made.run() == 0
    journal = made.job / "state" / "journal.1"
    whole = list(RecordFile(journal, b"WRJ1").records())
    journal.write_bytes(journal.read_bytes()[: whole[-1].end - 1])
    assert list(RecordFile(journal, b"WRJ1").records()) == whole[:-1]
    assert read_job(made.job).finished is None
