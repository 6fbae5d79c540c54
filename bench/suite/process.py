# SPDX-License-Identifier: Apache-2.0
"""Runs one command in a session of its own, with a time limit, and says what it cost."""

import contextlib
import dataclasses
import functools
import os
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time


@dataclasses.dataclass
class Ended:
    code: int  # negative: the signal
    timed_out: bool
    start_ns: int  # CLOCK_MONOTONIC just before the command was started
    end_ns: int
    cpu_seconds: float  # user and system, with all descendants that were waited for
    instructions: int | None  # user mode, where the machine can count them
    output: str
    errors: str

    @property
    def seconds(self):
        return (self.end_ns - self.start_ns) / 1e9

    @property
    def last_words(self):
        """The exception it ended with, if any, else its last line of errors."""
        lines = [line.strip() for line in self.errors.splitlines() if line.strip()]
        raised = [line for line in lines if re.match(r"[\w.]+(Error|Exception|Pool)\b", line)]
        return (raised or lines or [""])[-1][:100]


class Running:
    """A started command. Its output goes to files, so a chatty one never blocks."""

    def __init__(self, command, environment=None, counted=False):
        self.folder = tempfile.TemporaryDirectory(prefix="windrow-bench-")
        self.counts = os.path.join(self.folder.name, "perf") if counted and can_count() else None
        if self.counts:
            command = [*PERF, "-o", self.counts, "--", *command]
        with open(self.path("out"), "wb") as out, open(self.path("err"), "wb") as err:
            self.start_ns = time.monotonic_ns()
            self.child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=os.environ | (environment or {}),
                start_new_session=True,
            )
        self.pid = self.child.pid
        self.pidfd = os.pidfd_open(self.pid)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def has_ended(self, within_seconds=0.0):
        return bool(select.select([self.pidfd], [], [], max(0.0, within_seconds))[0])

    def kill(self):
        """The process itself only, as a user's kill -9 would."""
        os.kill(self.pid, signal.SIGKILL)

    def wait(self, limit_seconds):
        left = limit_seconds - (time.monotonic_ns() - self.start_ns) / 1e9
        timed_out = not self.has_ended(left)
        if timed_out:
            self.kill()
        _, status, usage = os.wait4(self.pid, 0)
        end_ns = time.monotonic_ns()
        os.close(self.pidfd)
        self.child.returncode = os.waitstatus_to_exitcode(status)
        kill_session(self.pid)
        ended = Ended(
            code=self.child.returncode,
            timed_out=timed_out,
            start_ns=self.start_ns,
            end_ns=end_ns,
            cpu_seconds=usage.ru_utime + usage.ru_stime,
            instructions=self.read_instructions(),
            output=self.read("out"),
            errors=self.read("err"),
        )
        self.folder.cleanup()
        return ended

    def read(self, name):
        with open(self.path(name), errors="replace") as file:
            return file.read()

    def read_instructions(self):
        if not self.counts:
            return None
        count = self.read("perf").strip().splitlines()[-1].split(",")[0]
        return int(count) if count.isdigit() else None


def run(command, limit_seconds, environment=None, counted=False):
    return Running(command, environment, counted).wait(limit_seconds)


def kill_session(session):
    """Ends whatever a command left behind in the session that was made for it."""
    for entry in os.listdir("/proc"):
        if not entry.isdigit() or int(entry) == session:
            continue
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if os.getsid(int(entry)) == session:
                os.kill(int(entry), signal.SIGKILL)


PERF = ["perf", "stat", "-x", ",", "-e", "instructions:u"]


@functools.cache
def can_count():
    if not shutil.which("perf"):
        return False
    done = subprocess.run([*PERF, "true"], capture_output=True, text=True, check=False)
    return done.returncode == 0 and done.stderr.strip().split(",")[0].isdigit()
