# SPDX-License-Identifier: Apache-2.0
"""A disk that refuses: the run ends and says why, and the same command completes the job later."""

import errno
import os
import re
from typing import NamedTuple

import pytest
from harness import Call, World, check_all, chosen, read_calls

SAMPLE = 90
LOG_SAMPLE = 6
REFUSALS = (errno.EIO, errno.ENOSPC, errno.EDQUOT)


class Fault(NamedTuple):
    at: int
    how: str  # once, forever, short or cut: CRASH_HOW
    error: int


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
    if not re.search(re.escape(folder), text):
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
    check_all(Failing(world), chosen(all_faults(calls), SAMPLE))


@pytest.mark.torture
def test_every_call_may_fail(world: World, calls: list[Call]) -> None:
    check_all(Failing(world), all_faults(calls))


@pytest.mark.parametrize("how", ["once", "forever"])
def test_logs_that_cannot_be_written_lose_nothing(world: World, how: str) -> None:
    case = world.case(f"logs-count-{how}")
    shim = {"CRASH_ROOTS": str(case.job / "logs"), "CRASH_EXCEPT": "", "CRASH_LOG": str(case.log)}
    assert case.run(shim).code == 0
    # Not what is made before the job begins: that is refused, and nothing is lost.
    calls = [call for call in read_calls(case.log) if call.name in ("open", "write")]
    calls = [call for call in calls if "readme" not in call.path]

    def check(call: Call) -> str:
        one = world.case(f"logs-{how}-{call.number}")
        ended = one.run({
            "CRASH_ROOTS": str(one.job / "logs"),
            "CRASH_EXCEPT": "",
            "CRASH_AT": str(call.number),
            "CRASH_HOW": how,
            "CRASH_ERRNO": str(errno.ENOSPC),
        })  # fmt: skip
        if ended.code == 0:
            return one.problem_of_result()
        if how == "once":
            return f"{ended.code}: {ended.text}"
        # No worker starts without its own two files. That is said, and nothing is lost.
        return problem_of_refusal(ended.text, str(one.job), errno.ENOSPC) or one.finish()

    check_all(check, chosen(calls, LOG_SAMPLE))
