# SPDX-License-Identifier: Apache-2.0
"""windrow prune: what goes, what stays, and what a prune that is killed leaves behind."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest
from workbench import BINARY, NAMES, SLOW_NAMES, Job, Windrow, is_stopped, until

CRASH = BINARY.parent / "tests/crash/libcrash_shim.so"
CLOCK = BINARY.parent / "tests/crash/libclock_shim.so"

HALF = """
import os

def run(mini_batch):
    if not os.path.exists(os.path.join(os.environ["OF_TEST"], "mended")):
        if mini_batch[0].endswith("f0001"):
            raise ValueError("no good")
    return [os.path.basename(path) for path in mini_batch]
"""


def finished(windrow: Windrow, *names: str) -> None:
    """Completed jobs, the oldest first, with their results in their folders."""
    for name in names:
        job = windrow.run(NAMES, files=2, size=1, workers=1, name=name, output=None)
        assert job.exit == 0, job


def killed(windrow: Windrow, name: str) -> None:
    running = windrow.start(SLOW_NAMES, files=200, size=1, name=name, output=f"out-{name}")
    journal = windrow.home / "jobs" / name / "state/journal.1"
    until(lambda: journal.exists() and journal.stat().st_size > 400, "some mini-batches")
    running.kill()
    windrow.expect_no_orphans()


def names(windrow: Windrow) -> list[str]:
    return sorted(path.name for path in windrow.job_folders())


def entries(windrow: Windrow, *flags: str) -> dict[str, dict[str, Any]]:
    said = windrow.command("prune", "-o", "json", *flags)
    assert said.exit == 0, said
    return {entry["name"]: entry for entry in json.loads(said.text)["entries"]}


# C630
def test_without_yes_a_prune_shows_what_would_go_and_removes_nothing(windrow: Windrow) -> None:
    finished(windrow, "first", "second")
    said = windrow.command("prune", "--keep", "1")
    assert said.exit == 0
    header, line, total, advice = said.text.splitlines()
    assert header.split() == ["job", "state", "age", "size", "why"]
    assert line.split()[:2] == ["first", "completed"]
    assert line.endswith("not among the newest 1; its result goes too")
    assert total.startswith("1 would go and free ")
    assert advice == "Nothing was removed; `windrow prune --keep 1 --yes` does it."
    assert names(windrow) == ["first", "second"]

    done = windrow.command("prune", "--keep", "1", "--yes")
    assert done.exit == 0
    assert "Removed 1, which frees " in done.text
    assert names(windrow) == ["second"]
    assert windrow.command("explain", "first").exit == 3
    assert "Nothing to remove" in windrow.command("prune", "--keep", "1", "--yes").text


# C630
def test_programs_get_every_entry_with_its_reason(windrow: Windrow) -> None:
    finished(windrow, "first", "second")
    found = entries(windrow, "--keep", "1")
    assert set(found) >= {"first", "second"}
    first = found["first"]
    assert (first["kind"], first["state"], first["goes"]) == ("job", "completed", True)
    found_on_disk = [path.lstat() for path in (windrow.home / "jobs/first").rglob("*")]
    size = sum({one.st_ino: one.st_blocks * 512 for one in found_on_disk}.values())
    assert size <= first["bytes"] <= size + 65536
    assert found["second"] | {"goes": False, "why": "among the newest 1"} == found["second"]


# C631
def test_age_is_counted_from_the_end_of_a_job(windrow: Windrow) -> None:
    if not CLOCK.exists():
        pytest.skip("the clock cannot be moved: build the tests, `./dev build`")
    finished(windrow, "yesterday")
    (windrow.folder / "tomorrow").touch()
    windrow.environment |= {"LD_PRELOAD": str(CLOCK), "NEXT_DAY": str(windrow.folder / "tomorrow")}
    assert not entries(windrow)["yesterday"]["goes"]
    assert not entries(windrow, "--older-than", "25h")["yesterday"]["goes"]
    assert entries(windrow, "--older-than", "1d")["yesterday"]["why"].startswith("older than 1 d")


# C631
def test_a_rule_that_cannot_be_read_is_refused(windrow: Windrow) -> None:
    for flag, value in (("--older-than", "30"), ("--keep", "-1"), ("--quota", "much")):
        said = windrow.command("prune", flag, value, "--yes")
        assert said.exit == 2, said
        assert f"{flag}: " in said.text
    assert windrow.command("prune", "--state", "odd").exit == 2


# C632
def test_a_quota_takes_the_eldest_until_the_rest_fits(windrow: Windrow) -> None:
    finished(windrow, "first", "second", "third")
    for name in ("first", "second", "third"):
        (windrow.home / "jobs" / name / "outputs/large").write_bytes(os.urandom(4 << 20))
    assert windrow.command("prune", "--quota", "12MB", "--yes").exit == 0
    assert names(windrow) == ["second", "third"]
    assert windrow.command("prune", "--quota", "0", "--yes").exit == 0
    assert names(windrow) == []


# C633
def test_a_job_that_runs_stays_even_if_its_engine_is_paused(windrow: Windrow) -> None:
    running = windrow.start(SLOW_NAMES, files=300, size=1, name="runs")
    control = windrow.home / "jobs/runs/state/control"
    until(control.exists, "the engine answers")
    everything = ["--older-than", "0h", "--unfinished"]
    said = windrow.command("prune", *everything, "--yes")
    assert "Nothing to remove" in said.text
    running.signal(signal.SIGSTOP)
    until(lambda: is_stopped(running.pid), "the engine is paused")
    assert entries(windrow, *everything)["runs"]["why"] == "it is running"
    assert "Nothing to remove" in windrow.command("prune", *everything, "--yes").text
    running.signal(signal.SIGCONT)
    assert running.end().exit == 0
    assert windrow.command("prune", *everything, "--yes").exit == 0
    assert names(windrow) == []


# C633
def test_a_job_that_could_go_on_stays_until_asked_for(windrow: Windrow) -> None:
    killed(windrow, "cut")
    said = windrow.command("prune", "--older-than", "0h", "--yes")
    assert "1 could resume and stays: --unfinished removes such jobs too." in said.text
    assert windrow.command("job", "resume", "cut").exit == 0
    killed(windrow, "again")
    everything = ["prune", "--older-than", "0h", "--unfinished", "--state", "unfinished"]
    assert windrow.command(*everything, "--yes").exit == 0
    assert names(windrow) == ["cut"]
    assert windrow.run(files=3, size=1, name="again", output="out-again").exit == 0


# C633
def test_a_trial_at_work_stays(windrow: Windrow) -> None:
    ready = windrow.folder / "ready"
    script = f"import time\n\ndef run(b):\n    open({str(ready)!r}, 'w')\n    time.sleep(600)\n"
    windrow.script(script)
    windrow.files(1)
    running = windrow.begin("run", "score.py", "--input", "in", "--local")
    until(ready.exists, "the trial runs")
    (name,) = [name for name in entries(windrow) if name.startswith("local/")]
    found = entries(windrow, "--older-than", "0h", "--yes")[name]
    assert found["why"] == f"process {running.pid} is at work in it"
    running.kill()
    assert entries(windrow, "--older-than", "0h", "--yes")[name]["goes"]
    assert not (windrow.home / name).exists()


# C634
def test_the_old_job_stays_while_a_retry_has_its_result_in_it(windrow: Windrow) -> None:
    windrow.run(HALF, files=3, size=1, workers=1, retries=0, name="old", output=None)
    (windrow.folder / "mended").touch()
    assert windrow.command("retry", "old", "--replace", "--name", "new").exit == 0
    result = windrow.home / "jobs/old/outputs/output/parallel_run_step.txt"
    assert result.read_text().count("\n") == 3
    found = entries(windrow, "--keep", "1", "--yes")
    assert found["old"]["why"] == "new needs it"
    assert result.exists()
    both = entries(windrow, "--keep", "0", "--yes")
    assert both["old"]["goes"] and both["new"]["goes"]
    assert names(windrow) == []


# C634
def test_a_job_stays_while_its_rows_are_the_input_of_another(windrow: Windrow) -> None:
    finished(windrow, "source")
    rows = windrow.home / "jobs/source/outputs"
    windrow.script(NAMES)
    flags = ("--workers", "1", "--name", "sink", "--output", "sunk")
    assert windrow.command("run", "score.py", "--input", str(rows), *flags).exit == 0
    assert entries(windrow, "--keep", "1")["source"]["why"] == "sink needs it"


# C636
def test_what_lies_elsewhere_stays_and_links_are_not_followed(windrow: Windrow) -> None:
    job = windrow.run(NAMES, files=2, size=1, name="linked", output="out")
    outside = windrow.folder / "outside"
    outside.mkdir()
    (outside / "kept").write_text("kept")
    for place in ("outputs", "work", "state"):
        folder = windrow.home / "jobs/linked" / place
        folder.mkdir(exist_ok=True)
        (folder / "link").symlink_to(outside)
    moved = windrow.folder / "moved"
    finished(windrow, "far")
    (windrow.home / "jobs/far").rename(moved)
    (windrow.home / "jobs/far").symlink_to(moved)
    assert windrow.command("prune", "--keep", "0", "--yes").exit == 0
    assert [path.name for path in (windrow.home / "jobs").iterdir()] == ["far"]
    assert (outside / "kept").read_text() == "kept"
    assert (moved / "state/identity").exists()
    assert job.rows() == ["f0000", "f0001"]
    assert len(list((windrow.folder / "in").iterdir())) == 2


def outdated(home: Path) -> Path:
    """What an earlier version has unpacked."""
    old = home / "cache/worker-0123456789abcdef"
    (old / "windrow").mkdir(parents=True)
    (old / "complete").touch()
    return old


# C637
def test_the_worker_of_this_version_stays_in_the_cache(windrow: Windrow) -> None:
    finished(windrow, "one")
    (current,) = (windrow.home / "cache").iterdir()
    old = outdated(windrow.home)
    other = windrow.home / "cache/of-somebody-else"
    other.mkdir()
    found = entries(windrow, "--keep", "0", "--yes")
    assert found[f"cache/{current.name}"]["why"] == "this windrow uses it"
    assert current.exists() and other.exists() and not old.exists()


# C637
def test_environments_go_by_the_same_rules(windrow: Windrow) -> None:
    used = windrow.home / "environments/used"
    (used / "bin").mkdir(parents=True)
    (used / "bin/python").symlink_to(windrow.environment["WINDROW_PYTHON"])
    job = windrow.run(NAMES, "--python", str(used / "bin/python"), files=1, name="user")
    assert job.exit == 0, job
    (windrow.home / "environments/newer").mkdir()
    found = entries(windrow, "--keep", "1", "--yes")
    assert found["environments/used"]["why"] == "user needs it"
    assert found["environments/newer"]["why"] == "among the newest 1"
    found = entries(windrow, "--keep", "0", "--yes")
    assert found["environments/used"]["goes"]
    assert list((windrow.home / "environments").iterdir()) == []


# C633
def test_a_job_that_cannot_be_read_counts_as_unfinished(windrow: Windrow) -> None:
    finished(windrow, "damaged")
    journal = windrow.home / "jobs/damaged/state/journal.1"
    journal.write_bytes(b"no journal at all, whoever reads it")
    (windrow.home / "jobs/begun/state").mkdir(parents=True)
    found = entries(windrow, "--keep", "0", "--yes")
    assert {found[name]["state"] for name in ("damaged", "begun")} == {"unfinished"}
    assert names(windrow) == ["begun", "damaged"]
    assert windrow.command("prune", "--keep", "0", "--state", "unfinished", "--yes").exit == 0
    assert names(windrow) == []


# C636
def test_what_is_no_job_stays_and_does_not_count(windrow: Windrow) -> None:
    for name in ("one", "two"):
        finished(windrow, name)
    (windrow.home / "jobs/stuff").mkdir()
    (windrow.home / "jobs/stuff/x").write_text("precious")
    assert windrow.command("prune", "--keep", "1", "--unfinished", "--yes").exit == 0
    assert names(windrow) == ["stuff", "two"]
    assert windrow.command("prune", "--keep", "0", "--unfinished", "--yes").exit == 0
    assert names(windrow) == ["stuff"]


def hurt(windrow: Windrow, at: int, how: str) -> Job:
    """A prune with something happening to its call number `at` that changes the workspace."""
    before = dict(windrow.environment)
    windrow.environment |= {
        "LD_PRELOAD": str(CRASH),
        "CRASH_ROOTS": str(windrow.home),
        "CRASH_AT": str(at),
        "CRASH_HOW": how,
    }
    said = windrow.command("prune", "--keep", "0", "--yes")
    windrow.environment = before
    return said


# C635
def test_killed_at_any_call_a_prune_leaves_a_job_whole_or_not_there(windrow: Windrow) -> None:
    if not CRASH.exists():
        pytest.skip("nothing can be made to fail: build the tests, `./dev build`")
    finished(windrow, "kept")
    whole = windrow.home / "jobs/kept"
    copy = windrow.folder / "copy"
    shutil.copytree(whole, copy, symlinks=True)
    count = len(list(copy.rglob("*")))
    seen = set()
    for at in (1, 2, 3, 4, 5, count // 2, count + 1, count + 2):
        for how in ("before", "after"):
            shutil.rmtree(windrow.home / "jobs")
            shutil.copytree(copy, whole, symlinks=True)
            said = hurt(windrow, at, how)
            seen.add((said.exit != 0, whole.exists()))
            if whole.exists():
                assert len(list(whole.rglob("*"))) == count, (at, how)
            elif left := list((windrow.home / "jobs").iterdir()):
                assert windrow.command("explain", "kept").exit == 3
                shown = entries(windrow, "--older-than", "9w")[f"jobs/{left[0].name}"]
                assert shown["why"] == "left by a prune that was stopped"
            assert windrow.command("prune", "--keep", "0", "--yes").exit == 0
            assert list((windrow.home / "jobs").iterdir()) == [], (at, how)
    assert {(True, True), (True, False)} <= seen


# C638
def test_what_cannot_be_removed_is_told_and_the_others_go(windrow: Windrow) -> None:
    if not CRASH.exists():
        pytest.skip("nothing can be made to fail: build the tests, `./dev build`")
    finished(windrow, "first", "second")
    said = hurt(windrow, 4, "once")
    assert said.exit == 1, said
    assert re.search(r"windrow: first was not removed: cannot remove .*: Input/output", said.text)
    assert "Removed 1, which frees " in said.text
    (left,) = (windrow.home / "jobs").iterdir()
    assert left.name.startswith(".pruned.")
    assert windrow.command("prune", "--yes").exit == 0
    assert not left.exists()
