# SPDX-License-Identifier: Apache-2.0
"""A job whose rows are put together by a column first and become one Parquet file at the end:
whichever call is the engine's last, the same command completes it.

Killed only, not without power: part of the files is written by a program beside the engine, whose
calls the shim does not see.
"""

import signal

import pytest
from harness import RESULT, Call, Case, World, check_all, chosen, count_calls

SAMPLE = 16
SCRIPT = """
def run(frame):
    return frame.assign(double=frame["number"] * 2)
"""


class TableCase(Case):
    def command(self) -> list[str]:
        return [
            *super().command(),
            "--as", "table", "--set", "partition_by=group",
            "--append-row-to", str(self.output / RESULT), "--set", "append_row.format=parquet",
        ]  # fmt: skip


class TableWorld(World):
    def case(self, name: str) -> Case:
        folder = self.folder / "cases" / name
        folder.mkdir()
        return TableCase(self, folder)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("tables")
    for name in ("input", "code", "cases"):
        (folder / name).mkdir()
    (folder / "code/score.py").write_text(SCRIPT)
    rows = "".join(f"{number},{number % 5}\n" for number in range(100))
    (folder / "input/a.csv").write_text("number,group\n" + rows)
    empty = TableWorld(folder, files=1, mini_batch_size=1, pause=0, expected=b"")
    reference = empty.case("reference")
    ended = reference.run()
    assert ended.code == 0, ended.text
    expected = (reference.output / RESULT).read_bytes()
    assert expected.startswith(b"PAR1")
    return TableWorld(folder, files=1, mini_batch_size=1, pause=0, expected=expected)


class Killed:
    """Kills a job at a call, and completes it."""

    def __init__(self, world: World):
        self.world = world
        self.reached = 0

    def __call__(self, death: "tuple[int, str]") -> str:
        at, how = death
        case = self.world.case(f"{at}{how}")
        ended = case.run({"CRASH_AT": str(at), "CRASH_HOW": how})
        if ended.code == -signal.SIGKILL:
            self.reached += 1
        elif ended.code != 0:
            return f"ended with {ended.code}: {ended.text}"
        problem = case.finish()
        if not problem:
            case.remove()
        return problem


def deaths(calls: list[Call]) -> "list[tuple[int, str]]":
    return [(call.number, how) for call in calls for how in ("before", "after", "torn")]


# C688 C690
def test_a_killed_job_of_tables_completes_with_the_same_bytes(world: World) -> None:
    killed = Killed(world)
    check_all(killed, chosen(deaths(count_calls(world)), SAMPLE))
    assert killed.reached > SAMPLE * 0.7


# C688 C690
@pytest.mark.torture
def test_every_call_of_a_job_of_tables_may_be_the_last(world: World) -> None:
    check_all(Killed(world), deaths(count_calls(world)))
