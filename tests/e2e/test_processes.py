# SPDX-License-Identifier: Apache-2.0
"""Real processes, killed, stopped and woken at random: the result never differs.

Every case compares bytes with an undisturbed run of the same job and looks for orphans afterwards.
"""

from __future__ import annotations

import os
import random
import signal
import time

import pytest
from workbench import NAMES, Running, Windrow, children_of, is_stopped, named, numbered, until

# Rows that depend on the file, not only on its name; long enough for kills to hit something.
WORK = """
import os, time, zlib

def run(mini_batch):
    time.sleep({seconds})
    rows = []
    for path in mini_batch:
        with open(path, "rb") as file:
            rows.append(f"{{os.path.basename(path)}} {{zlib.crc32(file.read())}}")
    return rows
"""

ALWAYS = "1000000"  # tries: whoever is killed from outside must not run out of them


def reference(windrow: Windrow, files: int, size: int) -> bytes:
    job = windrow.run(WORK.format(seconds=0), files=files, size=size, output="reference")
    assert job.exit == 0
    assert len(job.rows()) == files
    return job.bytes()


def kill_one_worker(running: Running, dice: random.Random) -> int:
    workers = running.workers()
    if not workers:
        return 0
    try:
        os.kill(dice.choice(workers), signal.SIGKILL)
    except ProcessLookupError:
        return 0
    return 1


def a_worker_is_killed_every_200_ms(windrow: Windrow, seconds: float, files: int) -> None:
    dice = random.Random(20)
    expected = reference(windrow, files, size=5)
    running = windrow.start(
        WORK.format(seconds=0.02), "--max-retries", ALWAYS, size=5, output="killed"
    )
    kills, begin = 0, time.monotonic()
    while running.is_running() and time.monotonic() - begin < seconds:
        next_kill = time.monotonic() + 0.2
        kills += kill_one_worker(running, dice)
        until(lambda next_kill=next_kill: time.monotonic() >= next_kill, "200 ms are over")
    job = running.end(120)
    assert job.exit == 0, job
    assert job.bytes() == expected
    assert kills > 3 * seconds, "the job was long enough for many kills"
    died = job.statuses().count("PROCESS_DIED")
    assert 0 < died <= kills, "nobody was charged for nothing"
    assert job.failed_items() == []
    windrow.expect_no_orphans()


# C32 C23 C31
def test_a_worker_killed_every_200_ms_changes_nothing(windrow: Windrow) -> None:
    a_worker_is_killed_every_200_ms(windrow, seconds=20, files=9000)


# C32 C23 C31
@pytest.mark.torture
def test_a_worker_killed_every_200_ms_for_two_minutes_changes_nothing(windrow: Windrow) -> None:
    a_worker_is_killed_every_200_ms(windrow, seconds=120, files=50000)


def the_engine_is_killed(windrow: Windrow, kills: int, seed: int) -> None:
    dice = random.Random(seed)
    expected = reference(windrow, files=3000, size=3)
    script = WORK.format(seconds=0.015)
    done = 0
    while True:
        running = windrow.start(script, size=3, output="killed")
        if done == kills:
            break
        # From before the first instruction of a worker to deep inside the work.
        moment = time.monotonic() + dice.choice([0.0, 0.02, 0.1, 0.2, 0.3]) + dice.random() * 0.1
        until(lambda moment=moment: time.monotonic() >= moment, "the moment has come")
        if not running.is_running():
            break
        running.kill()
        done += 1
    job = running.end(120)
    assert job.exit == 0, job
    assert done == kills, f"the job was over after {done} kills"
    assert job.bytes() == expected
    assert os.listdir(windrow.folder / "killed") == ["parallel_run_step.txt"]
    assert len(windrow.job_folders()) <= 2 + kills
    charged = set(job.statuses()) - {"RUN_DONE", "RETURNED", "NODE_LOST"}
    assert not charged, "the death of an engine is charged to nobody"
    windrow.expect_no_orphans()


# C61 C68 C55
def test_the_engine_killed_at_20_random_moments_changes_nothing(windrow: Windrow) -> None:
    the_engine_is_killed(windrow, kills=20, seed=3)


# C61 C68 C55
@pytest.mark.torture
@pytest.mark.parametrize("seed", range(100, 120))
def test_the_engine_killed_at_random_moments_of_many_jobs_changes_nothing(
    windrow: Windrow, seed: int
) -> None:
    the_engine_is_killed(windrow, kills=20, seed=seed)


# C61 C68
def test_workers_and_engine_killed_in_turns_change_nothing(windrow: Windrow) -> None:
    dice = random.Random(7)
    expected = reference(windrow, files=900, size=3)
    script = WORK.format(seconds=0.02)
    for _ in range(6):
        running = windrow.start(script, "--max-retries", ALWAYS, size=3, output="killed")
        until(lambda running=running: kill_one_worker(running, dice), "a worker to kill")
        until(lambda running=running: kill_one_worker(running, dice), "another one")
        try:
            os.kill(dice.choice(running.descendants()), signal.SIGKILL)
        except ProcessLookupError:
            pass  # it has ended by itself meanwhile
        running.kill()
        windrow.expect_no_orphans()
    job = windrow.run(script, "--max-retries", ALWAYS, size=3, output="killed")
    assert job.exit == 0, job
    assert job.bytes() == expected
    windrow.expect_no_orphans()


# C67 C61
def test_a_paused_engine_is_taken_over_and_ends_by_itself_when_woken(windrow: Windrow) -> None:
    expected = reference(windrow, files=120, size=2)
    script = WORK.format(seconds=0.05)
    first = windrow.start(script, size=2, output="out")
    folder = until(lambda: windrow.job_folders()[1:], "the job folder")[0]
    rows = folder / "state/rows"
    until(lambda: any(f.stat().st_size > 200 for f in rows.glob("*.seg")), "the first rows")
    first.signal(signal.SIGSTOP)
    until(lambda: is_stopped(first.pid), "the first engine is stopped")
    begin = time.monotonic()
    second = windrow.run(script, size=2, output="out")
    assert second.exit == 0, second
    assert "continuing job" in second.text
    assert time.monotonic() - begin > 2, "it was asked, and did not answer for two seconds"
    assert second.bytes() == expected
    first.signal(signal.SIGCONT)
    paused = first.end(20)
    assert paused.exit == 1
    assert "taken this job over" in paused.text
    assert second.bytes() == expected
    assert "status: Completed" in second.outcome()
    windrow.expect_no_orphans()


# C67 C61
def test_a_paused_engine_woken_in_the_middle_of_its_successors_work_does_no_harm(
    windrow: Windrow,
) -> None:
    expected = reference(windrow, files=120, size=2)
    script = WORK.format(seconds=0.05)
    first = windrow.start(script, size=2, output="out")
    folder = until(lambda: windrow.job_folders()[1:], "the job folder")[0]
    until(lambda: first.workers(), "workers")
    first.signal(signal.SIGSTOP)
    second = windrow.start(script, size=2, output="out")
    until(lambda: (folder / "state/journal.2").exists(), "the second engine's journal")
    first.signal(signal.SIGCONT)
    paused = first.end(30)
    job = second.end(60)
    assert job.exit == 0, job
    assert paused.exit == 1, paused
    assert job.bytes() == expected
    windrow.expect_no_orphans()


# C68 C31
@pytest.mark.parametrize("who", ["engine", "zygote", "reaper"])
def test_no_process_outlives_the_engine_whoever_is_killed(windrow: Windrow, who: str) -> None:
    script = """
import os, subprocess, time

def run(mini_batch):
    subprocess.Popen(["sleep", "1000"], start_new_session=True)
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(1000)
        os._exit(0)
    time.sleep(1000)
"""
    running = windrow.start(script, files=2, size=1, timeout=2)
    until(lambda: len(running.descendants()) >= 9, "everybody is there")
    (zygote,) = named("windrow-zygote", running.pid)  # beside it may be a ps of the monitor
    victim = {"engine": running.pid, "zygote": zygote, "reaper": children_of(zygote)[0]}[who]
    os.kill(victim, signal.SIGKILL)
    if who == "zygote":  # no new worker can be started: the job ends by itself
        job = running.end()
        assert job.exit == 1
        assert "could not be started" in job.text
    elif who == "reaper":  # the engine lives and continues
        until(lambda: list(windrow.home.rglob("process002.txt")), "a new worker")
        running.kill()
    else:
        running.end()
    windrow.expect_no_orphans()


# C31 C68 C40
def test_an_ordinary_job_leaves_no_process_and_no_socket(windrow: Windrow) -> None:
    job = windrow.run(NAMES, files=10, size=1)
    assert job.exit == 0
    assert job.rows() == numbered(10)
    assert windrow.processes() == []
    assert not (job.folder / "state/control").exists()
