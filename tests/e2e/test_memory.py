# SPDX-License-Identifier: Apache-2.0
"""Out of memory: whom the kernel ends, how it is told, and workers that are replaced in time."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from workbench import BINARY, Job, Windrow

LIMIT = 300 << 20

HUNGRY = """
import os, resource, signal

def run(mini_batch):
    name = os.path.basename(mini_batch[0])
    if name == "eats":
        held = []
        while True:
            held.append(b"x" * (8 << 20))
    if name == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if name == "refused":
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, hard))
        try:
            bytearray(4 << 30)
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    with open("/proc/self/oom_score_adj") as file:
        return [f"{name} {file.read().strip()}"]
"""


@pytest.fixture
def small_group() -> Iterator[Path | None]:
    """A control group with little memory; None where we may not make one."""
    v1, v2 = Path("/sys/fs/cgroup/memory"), Path("/sys/fs/cgroup")
    parent, limit = (v1, "memory.limit_in_bytes") if v1.is_dir() else (v2, "memory.max")
    group = parent / f"windrow-test-{os.getpid()}"
    try:
        group.mkdir()
        (group / limit).write_text(str(LIMIT))
    except OSError:
        if group.is_dir():
            group.rmdir()
        yield None
        return
    yield group
    group.rmdir()


def run_in(group: Path | None, windrow: Windrow, *arguments: str) -> Job:
    enter = f"echo $$ > {group}/cgroup.procs && " if group else ""
    done = subprocess.run(
        ["sh", "-c", f'{enter}exec "$@"', "sh", str(BINARY), *arguments],
        cwd=windrow.folder,
        env=windrow.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
    )
    text = done.stdout.decode("utf-8", "replace")
    return Job(windrow, done.returncode, text, windrow.folder / "out/parallel_run_step.txt")


# C253 C254 C256 C257 C32
def test_out_of_memory_is_told_apart_and_costs_one_try(
    windrow: Windrow, small_group: Path | None
) -> None:
    windrow.script(HUNGRY)
    names = ["good1", "good2", "killed", "refused"] + (["eats"] if small_group else [])
    windrow.files(names)
    flags = ["--mini-batch-size", "1", "--max-retries", "0", "--workers", "2", "--output", "out"]
    job = run_in(small_group, windrow, "run", "score.py", "--input", "in", *flags)
    assert job.exit == 0, job
    assert [row.split()[0] for row in job.rows()] == ["good1", "good2"]
    ours = int(Path("/proc/self/oom_score_adj").read_text())
    assert all(int(row.split()[1]) > ours for row in job.rows())
    items = {item["item"].rpartition("/")[2]: item for item in job.failed_items()}
    assert sorted(items) == sorted(set(names) - {"good1", "good2"})
    killed = items["killed"]["error_message"]
    assert "was killed by SIGKILL in run()" in killed
    assert "for lack of memory in run()" not in killed
    refused = items["refused"]
    assert (refused["status"], refused["error_type"]) == ("RUN_EXCEPTION", "MemoryError")
    assert "the worker's peak was" in refused["error_message"]
    assert "max_rss_per_worker" in refused["error_message"]
    if small_group:
        assert items["eats"]["status"] == "PROCESS_DIED"
        message = items["eats"]["error_message"]
        assert "was killed by the kernel for lack of memory in run(); its peak was " in message
        assert "fewer workers, a smaller mini_batch_size, or max_rss_per_worker" in message
        assert "the kernel has ended nothing here" in killed


# C251 C252
def test_a_worker_that_has_grown_is_replaced_between_two_mini_batches(windrow: Windrow) -> None:
    script = """
import os
held = []

def run(mini_batch):
    if mini_batch[0].endswith(("f0002", "f0004")):
        held.append(b"x" * (100 << 20))
    return [os.environ["WINDROW_PROCESS"]]
"""
    job = windrow.run(script, keys={"max_rss_per_worker": "80mb"}, files=7, size=1, workers=1)
    assert job.exit == 0, job
    assert job.rows() == ["process000"] * 3 + ["process001"] * 2 + ["process002"] * 2
    assert job.failed_items() == []
    assert set(job.statuses()) <= {"RUN_DONE", "RETURNED"}
    main = job.log("logs/sys/node/0/_main.txt")
    assert "process000 exited with 82: replaced: it holds " in main
    assert "more than max_rss_per_worker 80.0 MB" in main


def kernel_kills(group: Path) -> int:
    """How many processes of the group the kernel has ended for lack of memory."""
    events = group / "memory.events"
    text = (events if events.exists() else group / "memory.oom_control").read_text()
    return int(re.findall(r"^oom_kill (\d+)$", text, re.MULTILINE)[0])


GROWS = """
import os, time

def run(mini_batch):
    held = [b"x" * (60 << 20)]
    for _ in range(60):
        held.append(b"x" * (1 << 20))
        time.sleep(0.05)
    return [os.path.basename(mini_batch[0])]
"""


# C692
def test_a_job_stays_below_its_own_limit(windrow: Windrow) -> None:
    keys = {"memory_limit": "300MB"}
    job = windrow.run(GROWS, keys=keys, files=4, size=1, workers=4, retries=0)
    assert job.exit == 0, job
    assert job.rows() == ["f0000", "f0001", "f0002", "f0003"]
    assert set(job.statuses()) == {"RUN_DONE", "RETURNED"}
    assert re.search(r"of 300\.0 MB available by memory_limit\): until there is more", job.text)
    assert "and it is the youngest worker" in job.log("logs/sys/node/0/_main.txt")


# C692
def test_nobody_watches_when_the_limit_is_nothing(windrow: Windrow) -> None:
    grown = GROWS.replace("0.05", "0.02")  # longer than memory is looked at anew
    for limit, low in (("100MB", True), ("0", False)):
        keys = {"memory_limit": limit}
        job = windrow.run(grown, "--new", keys=keys, files=8, size=1, output=f"out{limit}")
        assert job.exit == 0, job
        assert ("memory is low" in job.text) == low


# C692
def test_progress_says_that_memory_is_low(windrow: Windrow) -> None:
    calm = windrow.folder / "calm"
    windrow.script(f"""
import os, time

def run(mini_batch):
    held = b"x" * (60 << 20)  # more than there may be
    while not os.path.exists({str(calm)!r}):
        time.sleep(0.01)
    return [os.path.basename(mini_batch[0])]
""")
    windrow.files(2)
    file = windrow.keys_file("in", "out", {"memory_limit": "50MB", "mini_batch_size": 1})
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [BINARY, "run", str(file), "--workers", "2"],
        cwd=windrow.folder,
        env=windrow.environment,
        stdin=subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    said = b""
    deadline = time.monotonic() + 20
    while process.poll() is None:
        assert time.monotonic() < deadline, said
        if select.select([ours], [], [], 0.05)[0]:
            with suppress(OSError):  # the other side is closed
                said += os.read(ours, 4096)
        if re.search(rb"\r  0 % [^\r]*0/2, memory is low, ", said):
            calm.touch()
    os.close(ours)
    assert process.returncode == 0


# C570 C571 C572 C573 C574
def test_workers_that_need_too_much_together_go_on_one_by_one(
    windrow: Windrow, small_group: Path | None
) -> None:
    if small_group is None:
        pytest.skip("no control group can be made here")
    windrow.script(GROWS)
    names = [f"f{number}" for number in range(4)]
    windrow.files(names)
    flags = ["--mini-batch-size", "1", "--max-retries", "0", "--workers", "4", "--output", "out"]
    job = run_in(small_group, windrow, "run", "score.py", "--input", "in", *flags)
    assert job.exit == 0, job
    assert job.rows() == names
    assert job.failed_items() == []
    assert set(job.statuses()) == {"RUN_DONE", "RETURNED"}
    assert kernel_kills(small_group) == 0
    assert job.text.count("warning: memory is low (") == 1
    main = job.log("logs/sys/node/0/_main.txt")
    assert "memory is low (" in main
    room = r"of (300\.0 MB available|240\.0 MB available by memory_limit)"
    assert re.search(room + r"\) and it is the youngest worker", main)
    assert "fewer workers, a smaller mini_batch_size, or max_rss_per_worker" in main
