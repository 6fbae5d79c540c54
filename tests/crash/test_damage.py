# SPDX-License-Identifier: Apache-2.0
"""Bit flips and cuts in the files of an interrupted job: right bytes or a clear refusal."""

import queue
import random
import shutil
import time
from pathlib import Path
from typing import NamedTuple

import pytest
from harness import AT_ONCE, SEED, Case, Ended, World, check_all
from reader import read_job

PLACES = 1000
SAMPLE = 160
BATCHES = 40


class Damage(NamedTuple):
    number: int
    file: int  # which one, in order of name
    where: float  # of its length
    bit: int  # 8: the file is cut here


class Lane:
    """A job that was killed twice; put back to that state for every damage."""

    def __init__(self, world: World, name: str):
        self.case: Case = world.case(name)
        self.saved = self.case.beside / "saved"
        for wanted in (BATCHES // 4, BATCHES // 2):
            process = self.case.start()
            wait_for_commits(self.case.job, wanted)
            process.kill()
            process.wait()
        # Its workers are being ended; their last words go to the logs, which are not copied.
        self.saved.mkdir()
        shutil.copytree(self.case.job / "state", self.saved / "state", ignore=ignore_sockets)
        shutil.copy(self.case.job / "job.yml", self.saved)

    def restore(self) -> None:
        shutil.rmtree(self.case.folder)
        self.case.folder.mkdir()
        shutil.copytree(self.saved, self.case.job)

    def victim(self, damage: Damage) -> Path:
        state = self.case.job / "state"
        files = sorted([*state.glob("plan.*"), *state.glob("journal.*"), *state.glob("rows/*.seg")])
        return files[damage.file % len(files)]


def ignore_sockets(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if name == "control"]


def wait_for_commits(job: Path, wanted: int) -> None:
    for _ in range(6000):
        try:
            if read_job(job).stages()["committed"] >= wanted:
                return
        except FileNotFoundError:
            pass  # not that far yet
        time.sleep(0.005)
    raise AssertionError("the job commits nothing")


def hurt(path: Path, damage: Damage) -> str:
    data = bytearray(path.read_bytes())
    place = int(damage.where * len(data))
    if damage.bit == 8:
        path.write_bytes(data[:place])
        return f"{path.name} cut at byte {place} of {len(data)}"
    data[place] ^= 1 << damage.bit
    path.write_bytes(data)
    return f"{path.name} bit {damage.bit} of byte {place} of {len(data)}"


def problem_of(case: Case, ended: Ended, path: Path) -> str:
    if ended.code == 0:
        return case.problem_of_result()
    if ended.code not in (1, 2) or "internal error" in ended.text:
        return f"ended with {ended.code}: {ended.text}"
    if path.name not in ended.text:
        return f"the refusal does not name the file: {ended.text}"
    if list(case.output.glob("*")):
        return f"refused, and yet there is {list(case.output.glob('*'))}"
    return ""


@pytest.fixture(scope="module")
def lanes(tmp_path_factory: pytest.TempPathFactory) -> "queue.Queue[Lane]":
    folder = tmp_path_factory.mktemp("damage")
    world = World.make(folder, files=2 * BATCHES, mini_batch_size=2, pause=0.02)
    out: queue.Queue[Lane] = queue.Queue()
    for number in range(AT_ONCE):
        lane = Lane(world, f"lane{number}")
        lane.case.world = world._replace(pause=0)
        out.put(lane)
    return out


def places(count: int) -> list[Damage]:
    chance = random.Random(SEED)
    return [
        Damage(number, chance.randrange(60), chance.random(), chance.choice([*range(8), 8, 8, 8]))
        for number in range(count)
    ]


def check_places(lanes: "queue.Queue[Lane]", count: int) -> None:
    outcomes: list[int] = []

    def check(damage: Damage) -> str:
        lane = lanes.get()
        try:
            lane.restore()
            path = lane.victim(damage)
            what = hurt(path, damage)
            ended = lane.case.run()
            outcomes.append(ended.code)
            problem = problem_of(lane.case, ended, path)
            return problem and f"{what}: {problem}"
        finally:
            lanes.put(lane)

    check_all(check, places(count))
    print(f"{outcomes.count(0)} of {len(outcomes)} completed, the others were refused")


def test_damage_is_found_or_harmless(lanes: "queue.Queue[Lane]") -> None:
    check_places(lanes, SAMPLE)


@pytest.mark.torture
def test_damage_in_a_thousand_places_is_found_or_harmless(lanes: "queue.Queue[Lane]") -> None:
    check_places(lanes, PLACES)
