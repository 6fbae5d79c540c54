# SPDX-License-Identifier: Apache-2.0
"""Jobs that are killed or stopped, and resume."""

from __future__ import annotations

import json
import re
import signal
import time
from pathlib import Path

import pytest
from workbench import NAMES, SLOW_NAMES, Running, Windrow, numbered, until

# Says in a file of its own what it does, so that a test can wait for it.
COUNTING = """
import os, time

def run(mini_batch):
    with open({log!r}, "a") as file:
        file.write(os.path.basename(mini_batch[0]) + "\\n")
    time.sleep({seconds})
    return [os.path.basename(path) for path in mini_batch]
"""


def counting(windrow: Windrow, seconds: float = 0.02) -> str:
    return COUNTING.format(log=str(windrow.folder / "calls"), seconds=seconds)


def half_done(windrow: Windrow, calls: int = 20, name: str | None = None) -> Running:
    """A running job of 60 mini-batches of which some are done."""
    running = windrow.start(counting(windrow), files=60, size=1, name=name)
    until(lambda: windrow.count("calls") >= calls, f"{calls} calls of run()")
    return running


# C61 C55 C68
def test_killed_with_9_the_same_command_goes_on_and_ends_with_the_same_bytes(
    windrow: Windrow,
) -> None:
    killed = half_done(windrow).kill()
    windrow.expect_no_orphans()
    assert not killed.result.exists()
    job = windrow.run(size=1)
    assert job.exit == 0
    assert "continuing job" in job.text
    assert job.rows() == numbered(60)
    assert windrow.count("calls") < 80, "what was committed is not done again"
    assert len(windrow.job_folders()) == 1
    done = [a["Mini-batch Id"] for a in job.attempts() if a["Status"] == "RUN_DONE"]
    assert len(done) >= 60
    assert set(done) == {str(n) for n in range(60)}
    assert not (windrow.home / "unfinished").exists() or not list(
        (windrow.home / "unfinished").iterdir()
    )


# C78
def test_workers_that_were_killed_in_init_keep_their_log_files_to_themselves(
    windrow: Windrow,
) -> None:
    script = """
import os, sys, time

def init():
    print("init", flush=True)
    if not os.path.exists({calm!r}):
        open({here!r} + os.environ["WINDROW_PROCESS"], "w").close()
        time.sleep(1000)

def run(mini_batch):
    return mini_batch
"""
    calm, here = windrow.folder / "calm", windrow.folder / "here"
    script = script.format(calm=str(calm), here=str(here) + "-")
    running = windrow.start(script, files=2, size=1)
    until(lambda: len(list(windrow.folder.glob("here-*"))) == 2, "two calls of init()")
    running.kill()
    calm.touch()
    job = windrow.run(size=1)
    assert job.exit == 0
    assert {load["Process"] for load in job.loads()} <= {"process002", "process003"}
    said = [path.read_text() for path in job.folder.glob("logs/user/stdout/0/*")]
    assert len(said) > 2
    assert set(said) <= {"init\n", ""}, "one that the end overtook may not have got that far"


# C43 C46 C61
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_one_interrupt_stops_cleanly_and_says_how_to_go_on(windrow: Windrow, number: int) -> None:
    running = half_done(windrow)
    running.signal(number)
    stopped = running.end()
    assert stopped.exit == 130
    assert "Canceled" in stopped.text
    assert f"windrow job resume {stopped.name}" in stopped.text
    assert not stopped.result.exists()
    windrow.expect_no_orphans()
    calls = windrow.count("calls")
    job = windrow.run(size=1)
    assert job.exit == 0
    assert job.rows() == numbered(60)
    assert windrow.count("calls") == 60, f"{calls} were done before and none of them again"
    assert job.folder == stopped.folder


# C46 C43
def test_a_second_interrupt_stops_at_once(windrow: Windrow) -> None:
    script = counting(windrow, seconds=1000)
    running = windrow.start(script, files=4, size=1)
    until(lambda: windrow.count("calls") == 2, "two calls of run()")
    running.signal(signal.SIGINT)
    until(lambda: "stopping" in running.text, "the first one is answered")
    assert running.is_running()
    begin = time.monotonic()
    running.signal(signal.SIGINT)
    stopped = running.end()
    assert stopped.exit == 130
    assert time.monotonic() - begin < 5
    windrow.expect_no_orphans()
    assert {a["Status"] for a in stopped.attempts()} <= {"RETURNED"}, "nobody is charged"


# C46
@pytest.mark.torture
def test_one_interrupt_waits_ten_seconds_and_no_longer(windrow: Windrow) -> None:
    running = windrow.start(counting(windrow, seconds=1000), files=4, size=1)
    until(lambda: windrow.count("calls") == 2, "two calls of run()")
    begin = time.monotonic()
    running.signal(signal.SIGINT)
    assert running.end().exit == 130
    assert 10 <= time.monotonic() - begin < 15
    windrow.expect_no_orphans()


# C63
def test_a_changed_script_starts_a_new_job_and_says_so(windrow: Windrow) -> None:
    old = half_done(windrow).kill()
    job = windrow.run(NAMES + "\n# changed\n", size=1)
    assert job.exit == 0
    assert f"not continuing job {old.name}" in job.text
    assert "changed since it began" in job.text
    assert job.folder != old.folder
    assert job.rows() == numbered(60)


# C63
@pytest.mark.parametrize("change", [{"size": 2}, {"output": "other"}, {"input": "in2"}])
def test_other_settings_are_another_job(windrow: Windrow, change: dict[str, object]) -> None:
    windrow.files(5, folder="in2")
    old = half_done(windrow).kill()
    job = windrow.run(**({"size": 1} | change))  # type: ignore[arg-type]
    assert job.exit == 0
    assert job.folder != old.folder
    assert "continuing" not in job.text


# C63 C66 C401
def test_limits_and_workers_may_change_on_the_way(windrow: Windrow) -> None:
    old = half_done(windrow, name="hay").kill()
    job = windrow.run(size=1, workers=1, timeout=30, retries=5, threshold=3)
    assert job.exit == 0
    assert job.folder == old.folder
    assert job.rows() == numbered(60)
    effective = job.log("job.yml")
    assert "timeout: 30  # from --timeout" in effective
    assert "max_retries: 5  # from --max-retries" in effective
    assert "name: hay  # from " in effective, "it keeps its name"
    config = json.loads(job.log("logs/sys/effective_config.json"))
    assert config["retry_settings.timeout"] == {"value": 30, "origin": "--timeout"}


FAILS_ONCE = """
import os, time

def run(mini_batch):
    name = os.path.basename(mini_batch[0])
    if not os.path.exists({calm!r}):
        if name == "f0000":
            raise ValueError("not calm")
        time.sleep(1000)
    return [name]
"""


# C400 C53
def test_the_first_error_of_a_job_is_told_however_often_it_was_killed(windrow: Windrow) -> None:
    calm = windrow.folder / "calm"
    script = FAILS_ONCE.format(calm=str(calm))
    running = windrow.start(script, files=3, size=1, workers=1, retries=0)
    journals = "jobs/*/state/journal.*"
    until(
        lambda: any(b"not calm" in path.read_bytes() for path in windrow.home.glob(journals)),
        "the failed attempt in the journal",
    )
    running.kill()
    calm.touch()
    job = windrow.run(size=1, workers=1, retries=0)
    assert job.exit == 0
    assert job.rows() == ["f0001", "f0002"]
    assert "  first error   ValueError: not calm\n" in job.text
    assert "ValueError: not calm" in job.outcome()
    where = re.search("^where: (.*)$", job.outcome(), re.MULTILINE)
    assert where
    assert "ValueError: not calm" in Path(where[1]).read_text()


# C62
def test_new_starts_afresh(windrow: Windrow) -> None:
    old = half_done(windrow).kill()
    job = windrow.run(None, "--new", size=1)
    assert job.exit == 0
    assert job.folder != old.folder
    assert job.rows() == numbered(60)


def change_one(root: Path) -> None:
    (root / "f0055").write_text("something else")


def touch_a_done_one(root: Path) -> None:
    (root / "f0000").write_text("something else")


def add_one(root: Path) -> None:
    (root / "f0003b").write_text("new")


def remove_one(root: Path) -> None:
    (root / "f0050").unlink()


# C64
@pytest.mark.parametrize(
    ("change", "shown"),
    [
        (change_one, "f0055' is changed"),
        (touch_a_done_one, "'f0000' is changed"),
        (add_one, "'f0003b' is additional"),
        (remove_one, "f0050' is missing"),
    ],
)
def test_an_input_that_is_not_what_it_was_is_refused_with_the_list(
    windrow: Windrow, change: object, shown: str
) -> None:
    half_done(windrow).kill()
    change(windrow.folder / "in")  # type: ignore[operator]
    job = windrow.run(size=1)
    assert job.exit in (1, 2)
    assert "not what it was when the job began" in job.text
    assert shown in job.text
    assert not job.result.exists()
    windrow.expect_no_orphans()


# C65
def test_a_finished_job_is_refused_by_name_and_by_folder(windrow: Windrow) -> None:
    done = windrow.run(NAMES, files=3, name="hay")
    assert done.exit == 0
    before = done.bytes()
    for flags in (["--name", "hay"], ["--job-dir", str(done.folder)]):
        again = windrow.run(None, *flags)
        assert again.exit == 2
        assert "job hay is finished" in again.text
    resumed = windrow.command("job", "resume", "hay")
    assert resumed.exit == 2
    assert "finished" in resumed.text
    assert done.bytes() == before


# C65 C57 C63
def test_the_same_command_after_the_end_is_a_new_job(windrow: Windrow) -> None:
    first = windrow.run(NAMES, files=3)
    first.result.rename(windrow.folder / "kept")
    second = windrow.run()
    assert second.exit == 0
    assert second.folder != first.folder


# C67 C71
def test_a_second_engine_beside_a_living_one_is_refused(windrow: Windrow) -> None:
    first = windrow.start(SLOW_NAMES, files=100, size=1)
    folder = until(windrow.job_folders, "the job folder")[0]
    until(lambda: first.workers(), "a worker")
    for command in (
        ["run", "score.py", "--input", "in", "--output", "out", "--mini-batch-size", "1"],
        ["job", "resume", folder.name],
        ["job", "merge", folder.name],
        ["retry", folder.name],
    ):
        second = windrow.command(*command)
        assert second.exit == 2, second
        assert f"in process {first.pid}" in second.text
    job = first.end()
    assert job.exit == 0
    assert job.rows() == numbered(100)


# C55
def test_what_is_tried_again_is_no_dead_letter(windrow: Windrow) -> None:
    """A job that failed, was fixed and resumed lists nothing that its result holds."""
    broken = """
import os

def run(mini_batch):
    names = [os.path.basename(path) for path in mini_batch]
    if "f0003" in names:
        raise ValueError("three")
    return names[:-1] if "f0009" in names else names
"""
    job = windrow.run(broken, files=12, size=2, threshold=1, retries=0, name="mended", workers=1)
    assert job.exit == 1
    assert len(job.failed_items()) >= 2
    windrow.script(NAMES)
    done = windrow.command("job", "resume", "mended", "--changed-code", "-o", "json")
    assert done.exit == 0, done
    assert '"first_error": null' in done.text or "three" not in done.text
    letters = job.failed_items()
    assert all(letter["item"] is None for letter in letters), letters
