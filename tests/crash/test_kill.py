# SPDX-License-Identifier: Apache-2.0
"""Crash at every write: whichever call is the engine's last, the same command completes the job."""

import contextlib
import os
import random
import shutil
import signal
import time
from pathlib import Path
from typing import NamedTuple

import pytest
from harness import SEED, Call, Case, World, check_all, chosen, count_calls, read_calls
from power_cut import PowerCut, snapshot
from reader import read_job
from records import crc32c

SAMPLE = 200
STAGED_SAMPLE = 30


class Death(NamedTuple):
    at: int
    how: str  # before, after or torn: CRASH_HOW
    form: str  # kill; synced: only what was synced is left; mixed: that and some of the rest


def all_deaths(calls: list[Call]) -> list[Death]:
    """Every call of the job, and some more: the number differs from run to run."""
    last = len(calls) + len(calls) // 10
    return [
        Death(at, how, form)
        for at in range(1, last + 1)
        for how in ("before", "after", "torn")
        for form in ("kill", "synced", "mixed")
    ]


def wait_for_workers(folder: Path) -> None:
    """Until nobody works below the folder: workers outlive a killed engine by a moment."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        folders = []
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                folders.append(os.readlink(process / "cwd"))
        if not any(one.startswith(f"{folder}/") for one in folders):
            return
        time.sleep(0.01)


class Dying:
    """Kills a job as told, completes it, and cuts the power once more when it is finished."""

    def __init__(self, world: World):
        self.world = world
        self.reached = 0

    def __call__(self, *deaths: Death) -> str:
        case = self.world.case("-".join(f"{d.at}{d.how}{d.form}" for d in deaths))
        snapshot(case.folder, case.shadow)
        shim = {"CRASH_SHADOW": str(case.shadow)}
        for death in deaths:
            ended = case.run(shim | {"CRASH_AT": str(death.at), "CRASH_HOW": death.how})
            if ended.code == -signal.SIGKILL:
                self.reached += 1
                self.cut_power(case, death)
            elif ended.code != 0 and "a finished job never changes" not in ended.text:
                return f"ended with {ended.code}: {ended.text}"
        problem = case.finish(shim)
        if not problem:
            PowerCut(case.shadow).happen(case.folder)
            problem = self.problem_of_durability(case)
        if not problem:
            case.remove()
        return problem

    @staticmethod
    def cut_power(case: Case, death: Death) -> None:
        if death.form == "kill":
            return  # what was not synced stays in the page cache, and may be lost later
        wait_for_workers(case.folder)  # a power cut would have ended them too
        chance = random.Random(repr(death)) if death.form == "mixed" else None
        PowerCut(case.shadow, chance).happen(case.folder)
        shutil.rmtree(case.shadow)
        snapshot(case.folder, case.shadow)

    @staticmethod
    def problem_of_durability(case: Case) -> str:
        """The result stays, even if the power goes at that moment."""
        problem = case.problem_of_result()
        if problem:
            return f"not durable: {problem}"
        job = read_job(case.job)
        if job.finished:
            published = job.publishing
            if published is None or published.number("crc") != crc32c(case.world.expected):
                return "not durable: the journal does not know the result"
            return ""
        if job.merged() != case.world.expected:
            return "not durable: the journal does not know the rows"
        # Only the fact Finished of a killed master may be lost: then the job finishes once more.
        return case.finish()


def test_a_killed_job_completes_with_the_same_bytes(world: World, calls: list[Call]) -> None:
    print(f"{len(calls)} calls change a file in a job of 200 mini-batches")
    dying = Dying(world)
    check_all(dying, chosen(all_deaths(calls), SAMPLE))
    assert dying.reached > SAMPLE * 0.8


@pytest.fixture(scope="module")
def staged_world(tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("staged")
    return World.make(folder, files=24, mini_batch_size=2, pause=0.002, staged=True)


# C444
def test_staged_files_of_a_killed_job_are_there_once(staged_world: World) -> None:
    calls = count_calls(staged_world)
    print(f"{len(calls)} calls change a file in a job of 12 mini-batches with staged files")
    dying = Dying(staged_world)
    check_all(dying, chosen(all_deaths(calls), STAGED_SAMPLE))
    assert dying.reached > STAGED_SAMPLE * 0.7


# C444
@pytest.mark.torture
def test_every_call_of_a_job_with_staged_files_may_be_the_last(staged_world: World) -> None:
    check_all(Dying(staged_world), all_deaths(count_calls(staged_world)))


@pytest.mark.torture
def test_every_call_may_be_the_last(world: World, calls: list[Call]) -> None:
    check_all(Dying(world), all_deaths(calls))


def test_a_job_may_be_killed_again_and_again(world: World, calls: list[Call]) -> None:
    chance = random.Random(SEED)
    deaths = all_deaths(calls)
    dying = Dying(world)
    rounds = 200 if os.environ.get("WINDROW_TORTURE") else 12
    series = [tuple(chance.sample(deaths, 3)) for _ in range(rounds)]
    check_all(lambda three: dying(*three), series)


def test_without_unnamed_files_nothing_is_left_beside_the_result(world: World) -> None:
    named = {"CRASH_NAMED": "1"}
    count = world.case("named-count")
    assert count.run(named | {"CRASH_LOG": str(count.log)}).code == 0
    assert count.problem_of_result() == ""
    calls = [call for call in read_calls(count.log) if f"{count.output}/" in call.path]

    def check(call: Call) -> str:
        case = world.case(f"named-{call.number}")
        case.run(named | {"CRASH_AT": str(call.number), "CRASH_HOW": "after"})
        return case.finish(named)

    check_all(check, calls)
