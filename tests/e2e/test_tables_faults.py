# SPDX-License-Identifier: Apache-2.0
"""Tables that break: readers that die, files that change meanwhile, files that are not tables."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from table_bench import ROWS, csv, numbers, put, run_inputs, run_table, table_of
from workbench import Windrow, until

# Dies once, while it reads b.csv.
DIES = """
import os, pathlib, signal
from windrow.tables.reader import TableReader

read = TableReader.frames
mark = pathlib.Path({!r})

def frames(self, names):
    if names[0].rpartition("/")[2].startswith("b.csv") and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGSEGV)
    return read(self, names)

TableReader.frames = frames
"""


# C32 C670
def test_a_worker_that_dies_while_it_reads_costs_one_try(windrow: Windrow) -> None:
    for i, name in enumerate("abc"):
        put(windrow, f"{name}.csv", csv(10 * i, 10 * i + 10))
    job = run_table(windrow, DIES.format(str(windrow.folder / "died")) + ROWS, retries=1)
    assert job.exit == 0, job
    assert numbers(job) == list(range(30))
    assert job.statuses() == ["RUN_DONE", "PROCESS_DIED", "RUN_DONE", "RUN_DONE"]
    died, again = job.attempts(1)
    assert "was killed by SIGSEGV while it loaded its mini-batch (native" in died["Error Message"]
    assert again["Picked Count"] == "2"


WAITS = """
import os, time

def run(frame):
    open("{0}/begun", "a").write("x\\n")
    while not os.path.exists("{0}/calm"):
        time.sleep(0.005)
    return list(frame["n"])
"""


def rewrite(path: Path) -> None:
    path.write_text(csv(50, 90))


def replace(path: Path) -> None:
    other = path.parent.parent / "other.csv"
    other.write_text(csv(50, 90))
    os.utime(other, (1, 1))
    other.rename(path)


def shorten(path: Path) -> None:
    os.truncate(path, len(csv(0, 15)))


# C674 C678
@pytest.mark.parametrize("change", [shorten, rewrite, replace])
@pytest.mark.parametrize("workers_for_each", [False, True])
def test_a_table_that_changes_meanwhile_fails_the_rest(
    windrow: Windrow, change: Callable[[Path], None], workers_for_each: bool
) -> None:
    path = put(windrow, "a.csv", csv(10, 50))
    flags = ["--as", "table", "--mini-batch-size", "10 rows"]
    if workers_for_each:
        flags += ["--set", "max_batches_per_worker=1"]
    running = windrow.start(WAITS.format(windrow.folder), *flags, workers=1, retries=0)
    until(lambda: windrow.count("begun"), "the first mini-batch has begun")
    change(path)
    (windrow.folder / "calm").touch()
    job = running.end()
    assert numbers(job) == list(range(10, 20))
    assert job.statuses() == ["RUN_DONE"] + ["DATA_EXCEPTION"] * 3
    message = f"TableError: {path}: the file has changed; input must not change while a job"
    assert all(one["Error Message"].startswith(message) for one in job.attempts()[1:])


# C678
@pytest.mark.parametrize("change", [lambda path: path.chmod(0o600), lambda path: path.touch()])
def test_text_that_grows_and_other_rights_are_no_change(
    windrow: Windrow, change: Callable[[Path], None]
) -> None:
    path = put(windrow, "a.csv", csv(10, 50))
    flags = ["--as", "table", "--mini-batch-size", "10 rows", "--set", "max_batches_per_worker=1"]
    running = windrow.start(WAITS.format(windrow.folder), *flags, workers=1, retries=0)
    until(lambda: windrow.count("begun"), "the first mini-batch has begun")
    with path.open("a") as file:
        file.write("77,x\n")
    change(path)
    (windrow.folder / "calm").touch()
    assert numbers(running.end()) == list(range(10, 50))


# C670
@pytest.mark.parametrize("end", ["os._exit(3)", "time.sleep(60)"])
def test_rows_of_a_worker_that_dies_count_one_by_one(windrow: Windrow, end: str) -> None:
    put(windrow, "a.csv", csv(0, 40))
    put(windrow, "b.csv", csv(40, 100))
    script = f"import os, time\n\ndef run(frame):\n    if frame['n'][0] == 40:\n        {end}\n"
    script += "    return list(frame['n'])\n"
    flags = ["--timeout", "1", "--error-threshold", "59"]
    job = run_table(windrow, script, *flags, retries=0)
    assert job.exit == 1
    assert "60 failed items are more than error_threshold 59 allows" in job.text
    job = run_table(windrow, script, "--timeout", "1", output="all", retries=0)
    assert job.exit == 0, job
    assert "items         40 succeeded, 60 failed" in job.text


# C670 C677
def test_rows_that_cannot_be_read_count_one_by_one_and_are_not_halved(windrow: Windrow) -> None:
    put(windrow, "a.csv", csv(0, 300))
    put(windrow, "b.csv", csv(300, 400) + "oops,x\n" + csv(400, 450, header=False))
    job = run_table(windrow, ROWS, "--bisect", retries=0)
    assert job.exit == 0, job
    assert "items         300 succeeded, 151 failed" in job.text
    assert len(job.attempts()) == 2


def fake_pyarrow(windrow: Windrow, text: str) -> None:
    """What an `import pyarrow` meets."""
    (windrow.folder / "lib").mkdir()
    (windrow.folder / "lib/pyarrow.py").write_text(text)
    windrow.environment["PYTHONPATH"] = str(windrow.folder / "lib")


# C688
def test_a_program_of_tables_that_dies_is_told(windrow: Windrow) -> None:
    put(windrow, "a.csv", "id,store\n1,a\n")
    fake_pyarrow(windrow, "import os\nos._exit(9)\n")
    more = {"input_as": "table", "partition_by": ["store"]}
    job = run_inputs(windrow, ROWS, {"data": {"path": "in"}}, **more)
    assert job.exit == 2
    log = job.folder / "logs/sys/tables.txt"
    said = "the program that works on tables ended without a result (exit code 9)"
    assert f"windrow: {said}; what it printed is in {log}\n" in job.text
    assert log.exists()


def parquet() -> bytes:
    out = io.BytesIO()
    pq.write_table(table_of(10), out)
    return out.getvalue()


FOOTER = parquet()[-8:-4]

BROKEN = {
    "empty": (b"", "is not a Parquet file: it is empty"),
    "short": (b"PAR1", "is not a Parquet file: it has 4 bytes"),
    "magic": (
        parquet()[:-4] + b"RAP1",
        "is not a Parquet file, or was cut off: it ends in 'RAP1' and not in 'PAR1'",
    ),
    "truncated": (
        parquet()[:-10] + b"text",
        "is not a Parquet file, or was cut off: it ends in 'text' and not in 'PAR1'",
    ),
    "beginning": (
        parquet()[-100:],
        f"is a damaged Parquet file: its footer should have {int.from_bytes(FOOTER, 'little')}"
        " bytes, and it has 100 in all",
    ),
    "footer": (
        b"PAR1" + b"\xff" * 64 + b"\x40\0\0\0PAR1",
        "has a footer that cannot be read: unknown type",
    ),
}


# C673
@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_parquet_file_is_told_before_any_mini_batch(windrow: Windrow, what: str) -> None:
    content, message = BROKEN[what]
    put(windrow, "a.parquet", parquet())
    path = put(windrow, "b.parquet", content)
    job = run_table(windrow, ROWS)
    assert job.exit == 1
    assert f"Stopped: '{path}' {message}\n" in job.text
    assert job.attempts() == []


# C673 C675
def test_pages_that_are_damaged_fail_their_mini_batch_alone(windrow: Windrow) -> None:
    damaged = bytearray(parquet())
    damaged[10:60] = bytes(50)
    put(windrow, "a.parquet", parquet())
    path = put(windrow, "b.parquet", bytes(damaged))
    pq.write_table(table_of(0), put(windrow, "c.parquet", b""))
    job = run_table(windrow, ROWS, workers=1, retries=0)
    assert job.exit == 0, job
    assert numbers(job) == list(range(10))
    assert job.statuses() == ["RUN_DONE", "DATA_EXCEPTION"]
    (letter,) = job.failed_items()
    assert letter["error_message"].startswith(f"{path}: cannot be read:")


# C679
def test_without_pyarrow_no_parquet_is_read(windrow: Windrow) -> None:
    put(windrow, "a.parquet", parquet())
    fake_pyarrow(windrow, "raise ImportError('none here')\n")
    job = run_table(windrow, ROWS)
    assert job.exit == 2
    assert "tables of format parquet need pyarrow in the environment of the script (" in job.text
    assert set(job.statuses()) <= {"RETURNED"}
