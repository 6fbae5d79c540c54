# SPDX-License-Identifier: Apache-2.0
"""logs/perf: what a job and its machine were doing. And how a job shares its machine."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
from pathlib import Path
from typing import Any

from workbench import Windrow, until

NODE_COLUMNS = (
    "Utc Time,Cpu Percent,Memory Total (MB),Memory Available (MB),Memory Used (MB),"
    "Memory Used Percent,Disk Io Read Count,Disk Io Write Count,Disk Io Read (MB),"
    "Disk Io Write (MB),Network Sent (MB),Network Recv (MB),# of TCP Connections,"
    "# of UDP Connections"
)
PROCESS_COLUMNS = (
    "Utc Time,Name,Cpu Percent,Cpu Time User,Cpu Time System,Memory Used Percent,"
    "Disk Io Read Count,Disk Io Write Count,Disk Io Read (MB),Disk Io Write (MB),Thread Num"
)

# Ends when it is told to; meanwhile one child burns CPU time, and files say who is there.
WATCHED = """
import os, subprocess, sys, time
from pathlib import Path

here = Path(os.environ["OF_TEST"])

def init():
    (here / ("pid." + os.environ["WINDROW_PROCESS"])).write_text(str(os.getpid()))

def run(mini_batch):
    child = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    while not (here / "go").exists():
        time.sleep(0.005)
    child.kill()
    child.wait()
    return [str(os.nice(0))] * len(mini_batch)
"""


def job_with(windrow: Windrow, **settings: Any) -> None:
    windrow.job_file(
        {
            "type": "parallel",
            "inputs": {"data": {"path": "in"}},
            "outputs": {"rows": {"path": "out"}},
            "input_data": "${{inputs.data}}",
            "mini_batch_size": "1",
            "task": {"entry_script": "score.py", "append_row_to": "${{outputs.rows}}"},
            "max_concurrency_per_instance": 2,
        }
        | settings
    )


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as lines:
        return list(csv.DictReader(lines))


# C350 C351 C352 C353 C354 C355 C356 C357 C342
def test_the_monitor_samples_at_every_interval_and_at_a_death(windrow: Windrow) -> None:
    windrow.script(WATCHED)
    windrow.files(4)
    job_with(windrow, resource_monitor_interval=1, nice=3)
    job = windrow.begin("run", "job.yml", "--job-dir", "job")
    perf = windrow.folder / "job/logs/perf/0"
    table = perf / "processes_resource_usage.csv"

    def samples(name: str) -> list[dict[str, str]]:
        return [row for row in rows_of(table) if row["Name"] == name] if table.exists() else []

    until(lambda: len(samples("process000")) >= 3, "three samples of a worker")
    os.kill(int((windrow.folder / "pid.process001").read_text()), signal.SIGKILL)
    until(lambda: samples("process002"), "its replacement is sampled")
    # What a child of the worker uses counts for the worker.
    until(lambda: float(samples("process000")[-1]["Cpu Time User"]) > 0.5, "a child's CPU time")
    engine = job.pid
    priority = str(os.getpriority(os.PRIO_PROCESS, engine))
    (windrow.folder / "go").touch()
    ended = job.end()
    assert ended.exit == 0, ended
    # What is written is complete: the columns, and a row of numbers for each sample.
    assert table.read_text().splitlines()[0] == PROCESS_COLUMNS
    node = perf / "node_resource_usage.csv"
    assert node.read_text().splitlines()[0] == NODE_COLUMNS
    for row in rows_of(node):
        assert float(row["Memory Total (MB)"]) > float(row["Memory Used (MB)"]) > 0
        assert all(re.fullmatch(r"[\d.]+", row[name]) for name in NODE_COLUMNS.split(",")[1:])
    times = [row["Utc Time"] for row in samples("manager")]
    assert times == sorted(times) and len(set(times)) == len(times)
    assert [row["Utc Time"] for row in rows_of(node)] == times
    disks = rows_of(perf / "node_disk_usage.csv")
    assert [row["Utc Time"] for row in disks] == times
    setup = json.loads((perf / "setup.json").read_text())
    assert list(disks[0]) == ["Utc Time"] + [
        f"Disk ({mount}) {what}"
        for mount in setup["mounts"]
        for what in ("Total (MB)", "Used (MB)", "Free (MB)", "Used Percent")
    ]
    assert setup["interval_seconds"] == 1 and setup["manager_pid"] == engine
    # One file of ps a minute, its folder by the hour, both by UTC.
    listed = sorted(perf.glob("os/*/*"))
    names = {
        f"os/{time[0:4]}{time[5:7]}{time[8:10]}{time[11:13]}/processes_{time[14:16]}"
        for time in times
    }
    assert {str(path.relative_to(perf)) for path in listed} == names
    lines = "".join(path.read_text("utf-8", "replace") for path in listed).splitlines()
    assert sum(line.split()[:2] == lines[0].split()[:2] for line in lines) == len(times)
    assert any("windrow/worker/__main__.py" in line or "python" in line for line in lines)
    # The other names.
    assert (perf.parent / "127.0.0.1").resolve() == perf.resolve()
    assert (windrow.folder / "job/logs/sys/perf").resolve() == perf.parent.resolve()
    rows = (windrow.folder / "out/parallel_run_step.txt").read_text().splitlines()
    assert set(rows) == {str(os.nice(0) + 3)} == {priority}


# Dies once.
MORTAL = """
import os

def run(mini_batch):
    died = os.path.join(os.environ["OF_TEST"], "died")
    if not os.path.exists(died):
        open(died, "w").close()
        os._exit(7)
    return mini_batch
"""


# C350 C355
def test_with_interval_0_there_is_no_monitor(windrow: Windrow) -> None:
    windrow.script(MORTAL)
    windrow.files(2)
    job_with(windrow, resource_monitor_interval=0)
    job = windrow.command("run", "job.yml", "--job-dir", "job")
    assert job.exit == 0, job
    assert (windrow.folder / "died").exists()
    assert not (job.folder / "logs/perf").exists()


# C350 C355
def test_by_default_there_is_a_sample_at_the_start_and_one_at_a_death(windrow: Windrow) -> None:
    job = windrow.run(MORTAL, files=4, size=1)
    assert job.exit == 0
    assert len(rows_of(job.folder / "logs/perf/0/node_resource_usage.csv")) == 2


# Grows by 300 MB and is killed, between two samples of the monitor.
GROWS = """
import os, signal

def run(mini_batch):
    died = os.path.join(os.environ["OF_TEST"], "died")
    if not os.path.exists(died):
        open(died, "w").close()
        memory = bytearray(300 << 20)
        os.kill(os.getpid(), signal.SIGKILL)
    return mini_batch
"""


# C926
def test_a_killed_worker_has_a_last_row_with_its_peak(windrow: Windrow) -> None:
    job = windrow.run(GROWS, files=2, size=1, workers=1)
    assert job.exit == 0, job
    rows = rows_of(job.folder / "logs/perf/0/processes_resource_usage.csv")
    last = [row for row in rows if row["Name"] == "process000"][-1]
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert float(last["Memory Used Percent"]) >= 100 * (300 << 20) / total - 0.1
    assert float(last["Cpu Time User"]) + float(last["Cpu Time System"]) > 0


# C340 C341 C343
def test_a_worker_gets_its_part_of_the_machine(windrow: Windrow) -> None:
    script = """
import os

def run(mini_batch):
    adjusted = open("/proc/self/oom_score_adj").read().strip()
    return [os.environ["OMP_NUM_THREADS"] + os.environ["MKL_NUM_THREADS"] +
            os.environ["OPENBLAS_NUM_THREADS"] + os.environ["NUMEXPR_NUM_THREADS"] +
            " " + adjusted] * len(mini_batch)
"""
    windrow.environment |= {"CUDA_VISIBLE_DEVICES": "", "SLURM_CPUS_ON_NODE": "1"}
    windrow.environment["MKL_NUM_THREADS"] = "7"
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS"):
        windrow.environment.pop(name, None)
    job = windrow.run(script, files=1, workers=None)
    assert job.exit == 0
    assert "\n1 worker: one for each of 1 CPU that may be used, no GPU\n" in job.text
    own = int(Path("/proc/self/oom_score_adj").read_text())
    assert job.rows() == [f"1711 {min(1000, own + 500)}"]
