# SPDX-License-Identifier: Apache-2.0
"""Who gets which GPU. A count that is preset makes a GPU machine of any other."""

from __future__ import annotations

import os
import re
import signal
from collections import defaultdict
from pathlib import Path

import pytest
from workbench import Windrow, until

# Each worker says what it sees, and waits for `go` so that every one of them starts.
SEE = """
import os, time

def init():
    name = "seen." + os.environ["WINDROW_PROCESS"]
    with open(os.path.join(os.environ["OF_TEST"], name), "w") as f:
        f.write("%d %s %s" % (os.getpid(), os.environ.get("CUDA_VISIBLE_DEVICES", "absent"),
                              os.environ["AZ_BATCHAI_GPU_COUNT_FOUND"]))

def run(mini_batch):
    while not os.path.exists(os.path.join(os.environ["OF_TEST"], "go")):
        time.sleep(0.005)
    return mini_batch
"""


def seen(windrow: Windrow, process: int) -> list[str]:
    """PID, CUDA_VISIBLE_DEVICES and the count in processNNN, once it has said them."""
    path = windrow.folder / f"seen.process{process:03}"
    text = until(lambda: path.exists() and path.read_text(), f"process{process:03} starts")
    return str(text).split(" ")


def devices(windrow: Windrow, count: int) -> list[str]:
    return [seen(windrow, process)[1] for process in range(count)]


def without_gpus(windrow: Windrow) -> None:
    """Whatever the machine of the test has."""
    for name in ("CUDA_VISIBLE_DEVICES", "AZ_BATCHAI_GPU_COUNT_FOUND"):
        windrow.environment.pop(name, None)


# C330 C331 C332 C337
def test_the_gpu_of_a_killed_worker_goes_to_the_next_one(windrow: Windrow) -> None:
    without_gpus(windrow)
    windrow.environment["AZ_BATCHAI_GPU_COUNT_FOUND"] = "2"
    job = windrow.start(SEE, files=20, size=1, workers=4)
    surplus = "" if list(Path("/dev").glob("nvidia[0-9]*")) else "absent"
    assert devices(windrow, 4) == ["0", "1", surplus, surplus]
    assert {seen(windrow, process)[2] for process in range(4)} == {"2"}
    os.kill(int(seen(windrow, 0)[0]), signal.SIGKILL)
    assert seen(windrow, 4)[1] == "0"
    (windrow.folder / "go").touch()
    ended = job.end()
    assert ended.exit == 0
    started = defaultdict(str)
    for name, how in re.findall(
        r"(process\d+) starts (.*)", ended.log("logs/sys/node/0/_main.txt")
    ):
        started[name] = how
    assert started["process000"] == started["process004"] == "with GPU 0 (CUDA_VISIBLE_DEVICES=0)"
    assert started["process001"] == "with GPU 1 (CUDA_VISIBLE_DEVICES=1)"
    assert started["process003"].startswith("without a GPU: none is free")


# C330 C332 C333
def test_gpus_are_handed_out_from_those_that_the_engine_may_see(windrow: Windrow) -> None:
    without_gpus(windrow)
    windrow.environment["CUDA_VISIBLE_DEVICES"] = "GPU-8932f937,MIG-6a,7"
    windrow.environment["AZ_BATCHAI_GPU_COUNT_FOUND"] = "3"
    job = windrow.start(SEE, files=20, size=1, workers=4)
    surplus = "" if list(Path("/dev").glob("nvidia[0-9]*")) else "absent"
    assert devices(windrow, 4) == ["GPU-8932f937", "MIG-6a", "7", surplus]
    assert seen(windrow, 0)[2] == "3"
    (windrow.folder / "go").touch()
    assert job.end().exit == 0


# C334 C336 C925
@pytest.mark.parametrize("visible", ["", "0"])
def test_without_gpus_the_variable_stays_as_it_is(windrow: Windrow, visible: str) -> None:
    if visible and list(Path("/dev").glob("nvidia[0-9]*")):
        pytest.skip("this machine has a GPU")
    without_gpus(windrow)
    windrow.environment["CUDA_VISIBLE_DEVICES"] = visible
    (windrow.folder / "go").touch()
    job = windrow.run(SEE, files=2, size=1, workers=None)
    assert job.exit == 0
    assert seen(windrow, 0)[1:] == [visible, "0"]
    said = re.search(
        r"^(\d+) workers?: one for each of \1 CPUs? that may be used, no GPU$", job.text, re.M
    )
    assert said, job.text
    assert said[0] in job.log("azureml-logs/70_driver_log.txt")
    assert int(said[1]) <= len(os.sched_getaffinity(0))


# C336
def test_a_machine_with_gpus_has_one_worker_unless_told(windrow: Windrow) -> None:
    without_gpus(windrow)
    windrow.environment["AZ_BATCHAI_GPU_COUNT_FOUND"] = "2"
    (windrow.folder / "go").touch()
    job = windrow.run(SEE, files=8, size=1, workers=None)
    assert job.exit == 0
    assert "\n1 worker: this machine has 2 GPUs (AZ_BATCHAI_GPU_COUNT_FOUND" in job.text
    assert [line["Process"] for line in job.loads()] == ["process000"]


# C330 C331 C335 C337
@pytest.mark.parametrize(
    ("gpus", "share", "expected"),
    [
        ("2", None, ["0", "1", "-", "-"]),
        ("2", 0.5, ["0", "1", "0", "1"]),
        ("4", 2, ["0,1", "2,3", "-", "-"]),
    ],
)
def test_workers_have_a_gpu_a_part_of_one_or_several(
    windrow: Windrow, gpus: str, share: float | None, expected: list[str]
) -> None:
    without_gpus(windrow)
    keys = {"gpu_surplus": "unset"} | ({} if share is None else {"gpus_per_worker": share})
    job = windrow.start(SEE, "--gpus", gpus, keys=keys, files=8, size=1, workers=4)
    assert devices(windrow, 4) == [word.replace("-", "absent") for word in expected]
    assert {seen(windrow, process)[2] for process in range(4)} == {gpus}
    (windrow.folder / "go").touch()
    ended = job.end()
    assert ended.exit == 0, ended
    main = ended.log("logs/sys/node/0/_main.txt")
    for process, devices_said in enumerate(expected):
        with_some = f"process{process:03} starts with GPU"
        assert (with_some in main) == (devices_said != "-"), main
        if devices_said != "-":
            assert f"(CUDA_VISIBLE_DEVICES={devices_said})" in main
