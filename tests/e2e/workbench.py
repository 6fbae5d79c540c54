# SPDX-License-Identifier: Apache-2.0
"""The vocabulary of the end-to-end tests: run the real program, then ask what came of it.

    job = windrow.run(script="...", files=23, size=5)
    assert job.exit == 0
    assert job.rows() == [...]

Every test has a folder and a WINDROW_HOME of its own. Nothing sleeps for a while and hopes:
`until` waits for a condition and fails with its name.
"""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("WINDROW", ROOT / "build/release/windrow")).absolute()

NAMES = """
import os

def run(mini_batch):
    return [os.path.basename(path) for path in mini_batch]
"""

# As NAMES, but slow enough for something to happen meanwhile.
SLOW_NAMES = """
import os, time

def run(mini_batch):
    time.sleep(0.02)
    return [os.path.basename(path) for path in mini_batch]
"""


def until(condition: Callable[[], Any], what: str, seconds: float = 20) -> Any:
    """The first true value of `condition`. Fails when there is none in time."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.005)


def is_alive(pid: int) -> bool:
    """Whether the process exists and is not a zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def is_stopped(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def numbered(count: int) -> list[str]:
    """Names of `count` files, in the order of their bytes."""
    return [f"f{number:04}" for number in range(count)]


class Job:
    """What a command left behind."""

    def __init__(self, bench: Windrow, exit_code: int, text: str, result: Path) -> None:
        self._bench = bench
        self.exit = exit_code
        self.text = text  # all that was said
        self.result = result

    def __repr__(self) -> str:
        return f"<exit {self.exit}>\n{self.text}"

    @property
    def folder(self) -> Path:
        said = re.findall(r"^  job folder    (.*)$", self.text, re.MULTILINE)
        if said:
            return Path(said[-1])
        name = re.findall(r"^(?:continuing )?job (\S+)", self.text, re.MULTILINE)
        return self._bench.home / "jobs" / name[-1]

    @property
    def name(self) -> str:
        return self.folder.name

    def bytes(self) -> bytes:
        return self.result.read_bytes()

    def rows(self) -> list[str]:
        text = self.bytes().decode("utf-8", "surrogateescape")
        assert not text or text.endswith("\n"), f"the last line is torn: {text[-50:]!r}"
        return text.split("\n")[:-1]

    def log(self, path: str) -> str:
        return (self.folder / path).read_text("utf-8", "surrogateescape")

    def logs(self, pattern: str) -> str:
        """All files that match, one after another."""
        return "".join(self.log(str(path)) for path in sorted(self.folder.glob(pattern)))

    def report(self) -> list[dict[str, str]]:
        path = self.folder / "logs/sys/job_report/processed_mini-batches.csv"
        with path.open(newline="", encoding="utf-8") as lines:
            return list(csv.DictReader(lines))

    def attempts(self, batch: int | None = None) -> list[dict[str, str]]:
        """By mini-batch; those of one mini-batch in the order of their ends."""
        lines = [line for line in self.report() if line["Mini-batch Id"]]
        if batch is not None:
            lines = [line for line in lines if line["Mini-batch Id"] == str(batch)]
        return sorted(lines, key=lambda line: int(line["Mini-batch Id"]))

    def statuses(self, batch: int | None = None) -> list[str]:
        return [line["Status"] for line in self.attempts(batch)]

    def loads(self) -> list[dict[str, str]]:
        return [line for line in self.report() if not line["Mini-batch Id"]]

    def failed_items(self) -> list[dict[str, Any]]:
        """By mini-batch; which of two mini-batches fails first is up to the workers."""
        path = self.folder / "logs/failed_items.jsonl"
        if not path.exists():
            return []
        items = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        return sorted(items, key=lambda item: int(item["mini_batch"]))

    def outcome(self) -> str:
        return self.log("logs/job_result.txt")


class Running:
    """A command that has not ended yet."""

    def __init__(self, bench: Windrow, arguments: list[str | bytes], result: Path) -> None:
        self._bench = bench
        self._result = result
        self._said = bench.folder / f"said.{bench.next_number()}"
        with self._said.open("wb") as said:
            self._process = subprocess.Popen(
                [os.fsencode(BINARY), *map(os.fsencode, arguments)],
                cwd=bench.folder,
                env=bench.environment,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def text(self) -> str:
        return self._said.read_text("utf-8", "replace")

    def is_running(self) -> bool:
        return self._process.poll() is None

    def signal(self, number: int) -> None:
        self._process.send_signal(number)

    def kill(self) -> Job:
        self.signal(signal.SIGKILL)
        return self.end()

    def end(self, seconds: float = 60) -> Job:
        """Waits for its end."""
        self._process.wait(seconds)
        return Job(self._bench, self._process.returncode, self.text, self._result)

    def descendants(self) -> list[int]:
        """All processes below the engine: zygote, reapers, workers and what those have started."""
        return descendants_of(self.pid)

    def workers(self) -> list[int]:
        return [pid for pid in self.descendants() if is_worker(pid)]


def children_of(pid: int) -> list[int]:
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        return [int(n) for task in tasks for n in (task / "children").read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def descendants_of(pid: int) -> list[int]:
    found = children_of(pid)
    for child in found:  # grows while it is read
        found += children_of(child)
    return found


def named(name: str, parent: int) -> list[int]:
    """Children of that name: the monitor has others for a moment."""
    names = {pid: Path(f"/proc/{pid}/comm") for pid in children_of(parent)}
    return [pid for pid, comm in names.items() if comm.exists() and comm.read_text() == name + "\n"]


def is_worker(pid: int) -> bool:
    try:
        return b"windrow/worker/__main__.py" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False


class Windrow:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if name not in ("VIRTUAL_ENV", "CONDA_PREFIX") and not name.startswith("WINDROW")
        }
        self.environment |= {
            "WINDROW_HOME": str(self.home),
            "WINDROW_PYTHON": sys.executable,
            "OF_TEST": str(folder),  # found again in whatever a test leaves behind
        }
        self._number = 0
        self._running: list[Running] = []

    # ---- What a job is made of.

    def script(self, text: str, name: str = "score.py") -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def files(self, names: int | Iterable[str | bytes], folder: str = "in") -> Path:
        """An input folder; each file holds its own name."""
        root = self.folder / folder
        root.mkdir(exist_ok=True)
        for name in numbered(names) if isinstance(names, int) else names:
            path = os.path.join(os.fsencode(root), os.fsencode(name))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(os.fsencode(name))
        return root

    # ---- Commands.

    def run(
        self,
        script: str | None = None,
        *flags: str | bytes,
        files: int | Iterable[str | bytes] | None = None,
        seconds: float = 60,
        **settings: Any,
    ) -> Job:
        """A whole job, to its end."""
        return self.start(script, *flags, files=files, **settings).end(seconds)

    def start(
        self,
        script: str | None = None,
        *flags: str | bytes,
        files: int | Iterable[str | bytes] | None = None,
        input: str = "in",
        output: str | None = "out",
        size: int | None = None,
        workers: int | None = 2,
        timeout: float | None = None,
        retries: int | None = None,
        threshold: int | None = None,
        name: str | None = None,
        summary_only: bool = False,
        keys: dict[str, Any] | None = None,
    ) -> Running:
        """A job in the background. Without `script` and `files`: those of the job before."""
        if script is not None or not (self.folder / "score.py").exists():
            self.script(script or NAMES)
        if files is not None:
            self.files(files)
        values = {
            "--output": output,
            "--mini-batch-size": size,
            "--workers": workers,
            "--timeout": timeout,
            "--max-retries": retries,
            "--error-threshold": threshold,
            "--name": name,
        }
        first = ["score.py", "--input", input]
        if summary_only:
            first = [str(self.summary_only_file(input))]
        if keys is not None:
            first = [str(self.keys_file(input, output or "out", keys))]
            values["--output"] = None
        said = [str(x) for pair in values.items() if pair[1] is not None for x in pair]
        target = self.folder / (output or "out") / "parallel_run_step.txt"
        return self.begin("run", *first, *said, *flags, result=target)

    def summary_only_file(self, input: str) -> Path:
        return self.job_file(
            {
                "type": "parallel",
                "inputs": {"data": {"path": input}},
                "input_data": "${{inputs.data}}",
                "task": {"entry_script": "score.py"},
            }
        )

    def keys_file(self, input: str, output: str, keys: dict[str, Any]) -> Path:
        """A job with settings that have no flag."""
        return self.job_file(
            {
                "type": "parallel",
                "inputs": {"data": {"path": input}},
                "outputs": {"rows": {"path": output}},
                "input_data": "${{inputs.data}}",
                "task": {"entry_script": "score.py", "append_row_to": "${{outputs.rows}}"},
                **keys,
            }
        )

    def job_file(self, content: dict[str, Any] | str, name: str = "job.yml") -> Path:
        path = self.folder / name
        path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
        return path

    def begin(self, *arguments: str | bytes, result: Path | None = None) -> Running:
        running = Running(self, list(arguments), result or self.folder / "none")
        self._running.append(running)
        return running

    def command(self, *arguments: str | bytes, result: Path | None = None) -> Job:
        return self.begin(*arguments, result=result).end()

    # ---- What is there.

    def job_folders(self) -> list[Path]:
        jobs = self.home / "jobs"
        found = list(jobs.iterdir()) if jobs.exists() else []
        return sorted(found, key=lambda path: path.stat().st_ctime_ns)

    def processes(self) -> list[int]:
        """Everything that lives, was started in this test and is not the test itself."""
        mark = f"OF_TEST={self.folder}\0".encode()
        found = []
        for path in Path("/proc").iterdir():
            if not path.name.isdigit() or int(path.name) == os.getpid():
                continue
            try:
                ours = mark in (path / "environ").read_bytes() + b"\0"
                ours = ours or os.readlink(path / "cwd").startswith(f"{self.folder}/")
            except OSError:
                continue
            if ours and is_alive(int(path.name)):
                found.append(int(path.name))
        return found

    def expect_no_orphans(self, seconds: float = 10) -> None:
        until(lambda: not self.processes(), f"processes {self.processes()} are gone", seconds)

    def count(self, name: str) -> int:
        """How many lines a script has appended to this file of the test's folder."""
        path = self.folder / name
        return path.read_bytes().count(b"\n") if path.exists() else 0

    def next_number(self) -> int:
        self._number += 1
        return self._number

    def close(self) -> None:
        """No test leaves anything running, whatever became of it."""
        for running in self._running:
            if running.is_running():
                running.kill()
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
