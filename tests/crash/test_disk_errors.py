# SPDX-License-Identifier: Apache-2.0
"""A disk that refuses: the run ends and says why, and the same command completes the job later."""

import errno
import os
import random
import re
from typing import NamedTuple

import pytest

from harness import Call, World, count_calls, problems_of

SAMPLE = 90
SEED = int(os.environ.get("CRASH_SEED", "1"))
REFUSALS = (errno.EIO, errno.ENOSPC, errno.EDQUOT)


class Fault(NamedTuple):
    at: int
    how: str  # once, forever, short or cut: CRASH_HOW
    error: int


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World.make(tmp_path_factory.mktemp("errors"), files=400, mini_batch_size=2, pause=0.001)


@pytest.fixture(scope="module")
def calls(world: World) -> list[Call]:
    return count_calls(world)


def all_faults(calls: list[Call]) -> list[Fault]:
    out = []
    for call in calls:
        for error in REFUSALS:
            out += [Fault(call.number, how, error) for how in ("once", "forever", "cut")]
        out.append(Fault(call.number, "short", errno.EIO))
    return out


def problem_of_refusal(text: str, folder: str, error: int) -> str:
    """The message must name what could not be written and the reason."""
    if os.strerror(error) not in text:
        return f"it does not give the reason: {text}"
    if not re.search(re.escape(folder) + r"/\w+", text):
        return f"it does not name the file: {text}"
    return ""


class Failing:
    def __init__(self, world: World):
        self.world = world

    def __call__(self, fault: Fault) -> str:
        case = self.world.case(f"{fault.at}{fault.how}{fault.error}")
        ended = case.run({
            "CRASH_AT": str(fault.at),
            "CRASH_HOW": fault.how,
            "CRASH_ERRNO": str(fault.error),
            "CRASH_LOG": str(case.log),
        })  # fmt: skip
        problem = ""
        if ended.code == 0:
            problem = case.problem_of_result()
        elif ended.code not in (1, 2):
            problem = f"it ended with {ended.code}: {ended.text}"
        else:
            problem = problem_of_refusal(ended.text, str(case.folder), fault.error)
        problem = problem or case.finish()
        if not problem:
            case.remove()
        return problem


def test_a_disk_that_refuses_ends_the_run_and_not_the_job(world: World, calls: list[Call]) -> None:
    faults = random.Random(SEED).sample(all_faults(calls), SAMPLE)
    problems = problems_of(Failing(world), faults)
    assert not problems, "\n".join(problems)


@pytest.mark.torture
def test_every_call_may_fail(world: World, calls: list[Call]) -> None:
    problems = problems_of(Failing(world), all_faults(calls))
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("error", REFUSALS, ids=errno.errorcode.get)
def test_logs_that_cannot_be_written_harm_no_result(world: World, error: int) -> None:
    case = world.case(f"logs{error}")
    logs = case.job / "logs"
    # From the first log that is written on; their folders are made before.
    shim = {"CRASH_ROOTS": str(logs), "CRASH_EXCEPT": "", "CRASH_LOG": str(case.log)}
    assert world.case("logs-count").run(shim | {"CRASH_LOG": ""}).code == 0
    ended = case.run(shim | {"CRASH_AT": "40", "CRASH_HOW": "forever", "CRASH_ERRNO": str(error)})
    assert ended.code == 0, ended.text
    assert case.problem_of_result() == ""
