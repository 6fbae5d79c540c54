# SPDX-License-Identifier: Apache-2.0
"""What the pages about ParallelRunStep show in their samples, as scripts do it."""

from __future__ import annotations

import pytest
from workbench import Windrow, numbered

LEVELS = """
import argparse, logging

def init():
    parser = argparse.ArgumentParser()
    parser.add_argument("--logging_level", type=str)
    known, unknown_args = parser.parse_known_args()
    print(f"logging_level: {known.logging_level}, others: {unknown_args}")
    global log
    log = logging.getLogger(__name__)
    log.setLevel(known.logging_level.upper())
    log.info("info in init")
    log.debug("debug in init")

def run(mini_batch):
    return mini_batch
"""


# C6 C48
@pytest.mark.parametrize(("level", "shown"), [("info", ["info"]), ("DEBUG", ["info", "debug"])])
def test_a_script_that_reads_its_logging_level_logs_at_it(
    windrow: Windrow, level: str, shown: list[str]
) -> None:
    keys = {"logging_level": level, "max_concurrency_per_instance": 1}
    job = windrow.run(LEVELS, keys=keys, files=1, workers=None)
    assert job.exit == 0, job
    said = job.log("logs/user/stdout/0/process000.stdout.txt").splitlines()
    assert said[0] == f"logging_level: {level.upper()}, others: []"
    assert said[1:] == [f"{word.upper()}:score:{word} in init" for word in shown]


CHILDREN = """
import subprocess
from pathlib import Path
from azureml_user.parallel_run import EntryScript

def init():
    # Every worker makes the same folder, as all of them are told to.
    Path(EntryScript().output_dir, "shared", "deep").mkdir(parents=True, exist_ok=True)

def run(mini_batch):
    entry = EntryScript()
    log = Path(entry.log_dir)
    log.mkdir(parents=True, exist_ok=True)
    with (log / f"{entry.agent_name}_child.txt").open("ab") as file:
        code = subprocess.Popen(["sh", "-c", "echo out; echo err >&2; exit 3"],
                                stdout=file, stderr=file).wait()
    done = subprocess.run(["cat"], input=b"through", capture_output=True, check=True)
    return [f"{Path(path).name} {code} {done.stdout.decode()}" for path in mini_batch]
"""


# C2 C49 C186
def test_children_have_their_pipes_their_files_and_their_return_codes(windrow: Windrow) -> None:
    job = windrow.run(CHILDREN, files=6, size=1, workers=3)
    assert job.exit == 0, job
    assert job.rows() == [f"{name} 3 through" for name in numbered(6)]
    written = job.logs("logs/user/entry_script_log/0/*_child.txt")
    assert (written.count("out\n"), written.count("err\n")) == (6, 6)
    assert job.logs("logs/sys/node/0/process*.std*.txt") == ""
    assert (windrow.folder / "out/shared/deep").is_dir()


TOGETHER = """
import os, time

def run(mini_batch):
    here = os.environ["OF_TEST"]
    mine = os.path.join(here, f"inside.{os.getpid()}")
    with open(mine, "x"):  # fails when this worker is inside run() already
        pass
    everybody = os.path.join(here, "everybody")
    while True:
        inside = [name for name in os.listdir(here) if name.startswith("inside.")]
        assert len(inside) <= 3
        if len(inside) == 3:
            open(everybody, "w").close()
        if os.path.exists(everybody):
            break
        time.sleep(0.002)
    os.remove(mine)
    return mini_batch
"""


# C462
def test_as_many_runs_go_on_at_a_time_as_there_are_workers(windrow: Windrow) -> None:
    job = windrow.run(TOGETHER, files=30, size=1, workers=3, retries=0)
    assert job.exit == 0, job
    assert len(job.rows()) == 30
