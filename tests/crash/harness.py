# SPDX-License-Identifier: Apache-2.0
"""One job that is interrupted and run again: the engine, the shim and the result to expect."""

import os
import random
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Callable, NamedTuple, Optional, TypeVar

REPOSITORY = Path(__file__).resolve().parents[2]
WINDROW = Path(os.environ.get("WINDROW", REPOSITORY / "build/release/windrow"))
SHIM = Path(os.environ.get("CRASH_SHIM", WINDROW.parent / "tests/crash/libcrash_shim.so"))
TIME_LIMIT = 60  # seconds; a run takes half of one
AT_ONCE = 2
SEED = int(os.environ.get("CRASH_SEED", "1"))
RESULT = "parallel_run_step.txt"

SCRIPT = """
import os, time

def run(mini_batch):
    time.sleep(float(os.environ["PAUSE"]))
    rows = []
    for path in mini_batch:
        with open(path) as file:
            rows.append(os.path.basename(path) + " " + file.read())
    if os.environ.get("STAGED"):
        for row in rows:
            name = row.split()[0]
            folder = os.environ["AZUREML_BI_OUTPUT_PATH"] + "/" + name[-5]
            os.makedirs(folder, exist_ok=True)
            with open(folder + "/" + name, "w") as file:
                file.write(row)
    return rows
"""


class World(NamedTuple):
    """What all cases of a test share: the input, the script and the right answer."""

    folder: Path
    files: int
    mini_batch_size: int
    pause: float  # seconds that each mini-batch takes
    expected: bytes
    staged: bool = False  # the script writes each row to a file of its own as well

    @classmethod
    def make(
        cls, folder: Path, files: int, mini_batch_size: int, pause: float, staged: bool = False
    ) -> "World":
        (folder / "input").mkdir(parents=True)
        (folder / "code").mkdir()
        (folder / "cases").mkdir()
        (folder / "code" / "score.py").write_text(SCRIPT)
        rows = []
        for number in range(files):
            name, text = f"item{number:05d}.txt", f"holds {number * number}"
            (folder / "input" / name).write_text(text)
            rows.append(f"{name} {text}\n")
        return cls(folder, files, mini_batch_size, pause, "".join(rows).encode(), staged)

    def case(self, name: str) -> "Case":
        folder = self.folder / "cases" / name
        folder.mkdir()
        return Case(self, folder)


class Ended(NamedTuple):
    code: int  # minus the signal when one ended it
    text: str  # what it said


class Case:
    """A job of its own, in a folder of its own that holds nothing else."""

    def __init__(self, world: World, folder: Path):
        self.world = world
        self.folder = folder
        self.job = folder / "job"
        self.output = folder / "output"
        self.beside = folder.with_name(folder.name + ".beside")
        self.beside.mkdir()
        self.log = self.beside / "calls"
        self.said = self.beside / "said"
        self.shadow = self.beside / "shadow"
        self.resumed_by_name = False

    def command(self) -> list[str]:
        return [
            "run", str(self.world.folder / "code" / "score.py"),
            "--input", str(self.world.folder / "input"),
            "--output", str(self.output),
            "--job-dir", str(self.job),
            "--mini-batch-size", str(self.world.mini_batch_size),
            "--workers", "2",
            "--python", sys.executable,
            *(["--set", "staged_outputs=true"] if self.world.staged else []),
        ]  # fmt: skip

    def start(
        self, shim: Optional[dict[str, str]] = None, command: Optional[list[str]] = None
    ) -> "subprocess.Popen[bytes]":
        """Starts the command. With `shim` the preloaded library has these settings."""
        environment = dict(os.environ, WINDROW_HOME=str(self.world.folder / "home"))
        environment["PAUSE"] = str(self.world.pause)
        environment["STAGED"] = "1" if self.world.staged else ""
        if shim is not None:
            logs = ("logs", "azureml-logs", "user_logs", "work")
            environment["LD_PRELOAD"] = str(SHIM)
            environment["CRASH_ROOTS"] = str(self.folder)
            environment["CRASH_EXCEPT"] = ":".join(str(self.job / name) for name in logs)
            environment.update(shim)
        # A file, not a pipe: orphans that are just being ended must not hold us up.
        with open(self.said, "wb") as out:
            return subprocess.Popen(
                [str(WINDROW), *(command or self.command())],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                env=environment,
            )

    def run(
        self, shim: Optional[dict[str, str]] = None, command: Optional[list[str]] = None
    ) -> Ended:
        """Runs the command to its end."""
        process = self.start(shim, command)
        try:
            code = process.wait(TIME_LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            code = -signal.SIGALRM
        return Ended(code, self.said.read_text(errors="replace"))

    def problem_of_result(self) -> str:
        """Empty when the output is the one right file and nothing else."""
        expected = {RESULT: self.world.expected}
        for row in self.world.expected.splitlines() if self.world.staged else []:
            name = row.split()[0].decode()
            expected[f"{name[-5]}/{name}"] = row
        paths = [path for path in self.output.rglob("*") if not path.is_dir()]
        there = {str(path.relative_to(self.output)): path.read_bytes() for path in paths}
        if there.keys() != expected.keys():
            return f"the output folder holds {sorted(there)}"
        if there != expected:
            return "the result is not the one of an undisturbed run"
        for name in ("job.yml", "state/identity"):
            if not (self.job / name).is_file():
                return f"{name} is missing"
        return ""

    def finish(self, shim: Optional[dict[str, str]] = None) -> str:
        """Runs the command again, to complete the job; empty, or what is wrong."""
        ended = self.run(shim)
        if ended.code == 2 and "has failed; `windrow job resume" in ended.text:
            self.resumed_by_name = True
            ended = self.run(shim, ["job", "resume", str(self.job)])
        already = "is finished, and a finished job never changes" in ended.text
        if ended.code != 0 and not (ended.code == 2 and already):
            return f"the next run ended with {ended.code}: {ended.text}"
        return self.problem_of_result()

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.rmtree(self.beside, ignore_errors=True)


class Call(NamedTuple):
    number: int
    name: str
    path: str


def read_calls(log: Path) -> list[Call]:
    calls = []
    for line in log.read_text().splitlines():
        number, name, path = line.split("\t")
        calls.append(Call(int(number), name, path))
    return calls


def count_calls(world: World) -> list[Call]:
    """The calls of an undisturbed run."""
    case = world.case("count")
    ended = case.run({"CRASH_LOG": str(case.log)})
    assert ended.code == 0, ended.text
    assert case.problem_of_result() == ""
    calls = read_calls(case.log)
    case.remove()
    return calls


T = TypeVar("T")


def chosen(cases: list[T], at_most: int) -> list[T]:
    """Some of them, the same ones for the same CRASH_SEED."""
    return random.Random(SEED).sample(cases, min(at_most, len(cases)))


def check_all(check: Callable[[T], str], cases: list[T]) -> None:
    """Checks the cases, two at a time; fails with what is wrong in each bad one."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        results = list(pool.map(check, cases))
    problems = [f"{case}: {result}" for case, result in zip(cases, results) if result]
    assert not problems, "\n".join(problems)
