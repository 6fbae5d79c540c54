# SPDX-License-Identifier: Apache-2.0
"""disturb.py JOB_FOLDER BATCHES COMMAND...: runs a job and treats it badly.

Kills a worker when a quarter of the mini-batches are scored, and the engine, all with -9, at half
of them. Waits for what the script itself printed, never for time to pass. Ends with 0 when both
were killed and nothing of the job is left running.
"""

from __future__ import annotations

import glob
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable

DEADLINE_S = 60


def printed(job: str) -> str:
    """What the script has printed so far, in all of its processes."""
    text = ""
    for path in sorted(glob.glob(f"{job}/logs/user/stdout/*/*.txt")):
        with open(path, encoding="utf-8") as file:
            text += file.read()
    return text


def is_worker(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return b"windrow/worker" in file.read()
    except OSError:
        return False


def live_workers(job: str) -> list[int]:
    pids = [int(pid) for pid in re.findall(r"^pid (\d+) has loaded", printed(job), re.MULTILINE)]
    return [pid for pid in pids if is_worker(pid)]


def say(text: str) -> None:
    clear = "\r\x1b[K" if sys.stderr.isatty() else ""
    print(f"{clear}-- {text}", file=sys.stderr, flush=True)


def wait(condition: Callable[[], bool], engine: subprocess.Popen[bytes] | None, what: str) -> None:
    end = time.monotonic() + DEADLINE_S
    while not condition():
        if engine is not None and engine.poll() is not None:
            sys.exit(f"the job ended before {what}")
        if time.monotonic() > end:
            sys.exit(f"{DEADLINE_S} s have passed without: {what}")
        time.sleep(0.01)


def main(job: str, batches: int, command: list[str]) -> None:
    engine = subprocess.Popen(command)
    quarter, half = batches // 4, batches // 2

    def scored() -> int:
        return printed(job).count("scored")

    wait(lambda: scored() >= quarter and bool(live_workers(job)), engine, "a quarter was scored")
    victim = live_workers(job)[0]
    os.kill(victim, signal.SIGKILL)
    say(f"{scored()} mini-batches are scored: kill -9 {victim}, a worker")
    wait(lambda: not is_worker(victim), None, "the worker was gone")
    wait(lambda: scored() >= half, engine, "half was scored")
    orphans = live_workers(job)
    engine.kill()
    engine.wait()
    say(f"{scored()} mini-batches are scored: kill -9 {engine.pid}, the engine")
    wait(lambda: not any(map(is_worker, orphans)), None, "the workers were gone")
    say("its workers ended with it, and nothing is left running")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
