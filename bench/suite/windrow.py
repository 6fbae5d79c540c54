# SPDX-License-Identifier: Apache-2.0
"""Runs our own command and reads what its entry script and its job folder say."""

import contextlib
import dataclasses
import glob
import json
import os
import shutil
import subprocess
import tempfile

from suite import machine, process

BENCH = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROWS = "rows.txt"


def binary():
    return os.environ.get("WINDROW") or os.path.join(BENCH, "..", "build", "release", "windrow")


def is_built():
    return os.access(binary(), os.X_OK)


@dataclasses.dataclass
class Job:
    """One job in a scratch folder. A second start() with the same folder resumes it."""

    scratch: str
    script: str
    input: str
    batch_size: int
    workers: int = 2
    environment: dict = dataclasses.field(default_factory=dict)
    flags: list = dataclasses.field(default_factory=list)
    lives: int = 0

    @property
    def rows(self):
        return os.path.join(self.scratch, "out", ROWS)

    @property
    def stamps(self):
        return os.path.join(self.scratch, f"stamps{self.lives}")

    def command(self):
        return [
            *[binary(), "run", os.path.join(BENCH, "scripts", self.script)],
            *["--input", self.input, "--output", os.path.join(self.scratch, "out")],
            *["--append-row-to", ROWS, "--mini-batch-size", str(self.batch_size)],
            *["--workers", str(self.workers), "--python", machine.interpreter()],
            *["--job-dir", os.path.join(self.scratch, "job"), *self.flags],
        ]

    def start(self, counted=False):
        if not is_built():
            raise Failed("not built")
        self.lives += 1
        os.makedirs(self.stamps)
        environment = {"BENCH_STAMPS": self.stamps, "BENCH_WORKERS": str(self.workers)}
        environment |= self.environment
        return process.Running(self.command(), environment, counted)

    def run(self, limit_seconds, counted=False):
        ended = self.start(counted).wait(limit_seconds)
        if ended.timed_out:
            raise Failed(f"windrow did not end within {limit_seconds} s")
        if ended.code != 0:
            raise Failed(f"windrow ended with {ended.code}: {ended.last_words}")
        return ended

    def stamp(self, name):
        """The numbers that the workers of the latest life wrote under this name."""
        values = []
        for path in glob.glob(f"{self.stamps}/{name}.*"):
            with open(path) as file, contextlib.suppress(ValueError):
                values.append(int(file.read()))
        return values

    def first_ns(self):
        return min(self.stamp("first"), default=None)

    def last_ns(self):
        return max(self.stamp("last"), default=None)

    def read_json(self, name):
        (path,) = glob.glob(f"{self.stamps}/{name}.*")
        with open(path) as file:
            return json.load(file)


def native_worker(name):
    """A worker in C++ of scripts/, compiled when it or the header is newer than what is there."""
    source = os.path.join(BENCH, "scripts", f"{name}.cc")
    include = os.path.join(BENCH, "..", "include")
    target = os.path.join(BENCH, "..", "build", "bench", name)
    headers = glob.glob(f"{include}/**/*.h", recursive=True)
    newest = max(map(os.path.getmtime, [source, *headers]))
    if not os.path.exists(target) or os.path.getmtime(target) < newest:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        command = ["g++", "-std=c++23", "-O2", f"-I{include}", source, "-o", target]
        subprocess.run(command, check=True)
    return os.path.abspath(target)


class Failed(Exception):
    """A contender could not do the work; the text says why and goes into the table."""


@contextlib.contextmanager
def job(script, folder, batch_size, workers=2, environment=None, flags=None):
    scratch = tempfile.mkdtemp(prefix="windrow-bench-job-")
    try:
        yield Job(scratch, script, folder, batch_size, workers, environment or {}, flags or [])
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
