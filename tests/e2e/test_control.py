# SPDX-License-Identifier: Apache-2.0
"""Jobs that other processes show, follow and cancel: docs/formats/control.md."""

from __future__ import annotations

import json
import os
import pwd
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from workbench import BINARY, SLOW_NAMES, Running, Windrow, is_alive, numbered, until

# Works until the file `go` is there; fails on f0003.
WAITS = """
import os, time

def run(mini_batch):
    while not os.path.exists({go!r}):
        time.sleep(0.01)
    for path in mini_batch:
        if path.endswith("f0003"):
            raise ValueError("this one is bad")
    return [os.path.basename(path) for path in mini_batch]
"""


def waiting(windrow: Windrow, *flags: str, name: str = "held") -> tuple[Running, Path]:
    """A job that runs until the file is made."""
    go = windrow.folder / "go"
    script = WAITS.format(go=str(go))
    job = windrow.start(script, *flags, files=8, size=1, name=name)
    until(lambda: shown(windrow, name).get("progress", {}).get("mini_batches") == 8, "it runs")
    return job, go


def shown(windrow: Windrow, name: str) -> dict[str, Any]:
    done = subprocess.run(
        [BINARY, "job", "show", name, "-o", "json"],
        env=windrow.environment,
        cwd=windrow.folder,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout) if done.stdout.startswith("{") else {}


class Client:
    """Speaks the protocol by hand."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(path))
        self._socket.settimeout(20)
        self._lines = self._socket.makefile("r")

    def next(self) -> dict[str, Any]:
        line = self._lines.readline()
        assert line, "hung up on"
        value: dict[str, Any] = json.loads(line)
        return value

    def ask(self, request: dict[str, Any] | str) -> dict[str, Any]:
        self.send(request)
        return self.next()

    def send(self, request: dict[str, Any] | str) -> None:
        text = request if isinstance(request, str) else json.dumps(request)
        self._socket.sendall(text.encode() + b"\n")


# C983
def test_a_running_job_is_shown_without_its_journal(windrow: Windrow) -> None:
    job, go = waiting(windrow)
    state = windrow.home / "jobs/held/state"
    journals = list(state.glob("journal.*"))
    for journal in journals:
        journal.rename(journal.with_name("away." + journal.name))
    said = windrow.command("job", "show", "held")
    document = shown(windrow, "held")
    for journal in journals:
        journal.with_name("away." + journal.name).rename(journal)
    assert said.exit == 0, said
    assert "Running" in said.text
    assert "of 8 mini-batches" in said.text
    assert document["pid"] == job.pid
    assert document["progress"]["mini_batches"] == 8
    go.touch()
    assert job.end().exit == 0
    said = windrow.command("job", "show", "held")
    assert "Completed" in said.text
    assert shown(windrow, "held")["items_failed"] == 1
    assert windrow.command("job", "show", "nobody").exit == 3


# C984
def test_a_follower_sees_errors_and_the_end(windrow: Windrow) -> None:
    job, go = waiting(windrow)
    follower = subprocess.Popen(
        [BINARY, "job", "stream", "held"],
        env=windrow.environment,
        cwd=windrow.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    until(lambda: is_alive(follower.pid), "the follower runs")
    go.touch()
    text, _ = follower.communicate(timeout=30)
    assert follower.returncode == 0
    assert "ValueError: this one is bad" in text
    assert "Traceback" in text
    assert "Completed" in text
    assert job.end().exit == 0
    after = windrow.command("job", "stream", "held")
    assert after.exit == 0
    assert "ValueError: this one is bad" in after.text
    assert "Completed" in after.text
    assert "mini_batch_size:" not in after.text


# C984
def test_ctrl_c_ends_the_follower_and_not_the_job(windrow: Windrow) -> None:
    job, go = waiting(windrow)
    follower = subprocess.Popen(
        [BINARY, "job", "stream", "held"],
        env=windrow.environment,
        cwd=windrow.folder,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert follower.stderr is not None
    follower.stderr.readline()
    follower.send_signal(signal.SIGINT)
    assert follower.wait(20) != 0
    assert job.is_running()
    go.touch()
    assert job.end().exit == 0


# C984
def test_a_failed_job_gives_the_follower_its_exit_code(windrow: Windrow) -> None:
    job, go = waiting(windrow, "--set", "mini_batch_error_threshold=0")
    follower = subprocess.Popen(
        [BINARY, "job", "stream", "held", "-q"],
        env=windrow.environment,
        cwd=windrow.folder,
        stderr=subprocess.PIPE,
        text=True,
    )
    until(lambda: shown(windrow, "held"), "the job answers")
    go.touch()
    assert follower.wait(30) == 1
    assert job.end().exit == 1


# C985
def test_a_job_is_cancelled_from_another_terminal(windrow: Windrow) -> None:
    job, _ = waiting(windrow)
    said = windrow.command("job", "cancel", "held", "--now")
    assert said.exit == 0, said
    assert "Canceled" in said.text
    assert job.end().exit == 130
    again = windrow.command("job", "cancel", "held")
    assert again.exit == 2
    assert "is not running" in again.text
    assert windrow.command("job", "cancel", "nobody").exit == 3


# C986
def test_a_detached_job_runs_on_without_the_command(windrow: Windrow) -> None:
    go = windrow.folder / "go"
    windrow.script(WAITS.format(go=str(go)))
    windrow.files(8)
    command = [BINARY, "run", "score.py", "--input", "in", "--mini-batch-size", "1"]
    done = subprocess.run(
        [*command, "--name", "held", "--detach", "-q"],
        env=windrow.environment,
        cwd=windrow.folder,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "held\n"
    engine = shown(windrow, "held")["pid"]
    assert os.getsid(engine) == engine, "it has left the session of the terminal"
    assert Path(f"/proc/{engine}/fd/2").readlink() == Path("/dev/null")
    go.touch()
    assert windrow.command("job", "stream", "held").exit == 0
    assert shown(windrow, "held")["status"] == "Completed"


# C986
def test_a_detached_job_that_cannot_run_says_why(windrow: Windrow) -> None:
    windrow.script("def run(mini_batch): return mini_batch\n")
    done = windrow.command("run", "score.py", "--input", "nowhere", "--detach")
    assert done.exit == 2
    assert "nowhere" in done.text
    both = windrow.command("run", "score.py", "--input", ".", "--detach", "--local")
    assert both.exit == 2
    assert "--detach" in both.text


# C987
def test_of_identical_commands_one_runs(windrow: Windrow) -> None:
    go = windrow.folder / "go"
    windrow.script(WAITS.format(go=str(go)))
    windrow.files(8)
    command = [BINARY, "run", "score.py", "--input", "in", "--mini-batch-size", "1"]
    jobs = [
        subprocess.Popen(
            command, env=windrow.environment, cwd=windrow.folder, stderr=subprocess.PIPE, text=True
        )
        for _ in range(4)
    ]
    until(lambda: sum(job.poll() is not None for job in jobs) == 3, "three are refused")
    go.touch()
    texts = [job.communicate(timeout=30)[1] for job in jobs]
    assert sorted(job.returncode for job in jobs) == [0, 2, 2, 2], texts
    refused = [text for job, text in zip(jobs, texts, strict=True) if job.returncode == 2]
    assert all("is running" in text and "windrow job stream" in text for text in refused)
    assert len(list((windrow.home / "jobs").iterdir())) == 1


# C982
def test_a_job_that_reads_its_list_answers(windrow: Windrow) -> None:
    windrow.script("def run(mini_batch): return mini_batch\n")
    windrow.files(3)
    job = subprocess.Popen(
        [BINARY, "run", "score.py", "--input", "-", "--name", "listed"],
        env=windrow.environment,
        cwd=windrow.folder,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    until(lambda: shown(windrow, "listed").get("status") == "Preparing", "it answers")
    again = windrow.command("run", "score.py", "--input", "-", "--name", "listed")
    assert again.exit == 2
    assert "is running" in again.text
    _, text = job.communicate("".join(f"{windrow.folder / 'in' / name}\n" for name in numbered(3)))
    assert job.returncode == 0, text


# C982 C988
def test_ctrl_c_while_it_is_prepared_leaves_nothing(windrow: Windrow) -> None:
    windrow.script("def run(mini_batch): return mini_batch\n")
    job = subprocess.Popen(
        [BINARY, "run", "score.py", "--input", "-", "--name", "listed"],
        env=windrow.environment,
        cwd=windrow.folder,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    until(lambda: shown(windrow, "listed").get("status") == "Preparing", "it answers")
    job.send_signal(signal.SIGINT)
    assert job.wait(20) == -signal.SIGINT
    assert not (windrow.home / "jobs/listed").exists()


# C988
@pytest.mark.parametrize("flags", [["--name", "odd"], [], ["--job-dir", "there"]])
def test_a_refused_job_leaves_no_folder(windrow: Windrow, flags: list[str]) -> None:
    windrow.script("def run(mini_batch): return mini_batch\n")
    said = windrow.command("run", "score.py", "--input", "nowhere", *flags)
    assert said.exit == 2
    jobs = windrow.home / "jobs"
    assert not jobs.exists() or not list(jobs.iterdir())
    assert not (windrow.folder / "there").exists()
    assert not list((windrow.home / "unfinished").glob("*"))


# C980 C981
def test_the_protocol_as_its_page_says(windrow: Windrow) -> None:
    job, go = waiting(windrow)
    control = windrow.home / "jobs/held/state/control"
    client = Client(control)
    greeting = client.next()
    assert greeting == {"windrow": 1, "pid": job.pid, "job": "held", "stage": "running"}
    for odd in ("", "{", "[]", '{"do":"fly"}', "\\x00" * 100):
        assert client.ask(odd)["answer"] == "refused"
    status = client.ask({"do": "status"})
    assert status["progress"]["mini_batches"] == 8
    client.send({"do": "watch", "after": 0})
    go.touch()
    events = []
    while not events or events[-1]["event"] != "ended":
        events.append(client.next())
    numbers = [event["number"] for event in events if "number" in event]
    assert numbers == list(range(1, len(numbers) + 1))
    assert events[-1]["exit_code"] == 0
    assert json.loads(events[-1]["document"])["status"] == "Completed"
    assert job.end().exit == 0
    assert not control.exists()


# C980
def test_clients_that_read_nothing_do_not_hold_up_the_job(windrow: Windrow) -> None:
    job, go = waiting(windrow)
    control = windrow.home / "jobs/held/state/control"
    idle = [Client(control) for _ in range(70)]
    for client in idle[:60]:
        client.send({"do": "watch"})
    assert shown(windrow, "held")["status"] == "Running"
    go.touch()
    assert job.end().exit == 0


# C989
def test_the_socket_is_for_its_user(windrow: Windrow) -> None:
    before = os.umask(0)
    try:
        job, go = waiting(windrow)
    finally:
        os.umask(before)
    control = windrow.home / "jobs/held/state/control"
    assert stat.S_IMODE(control.stat().st_mode) == 0o600
    if os.getuid() == 0:
        # Even where it could reach the file.
        control.chmod(0o666)
        folder = os.open(control.parent, os.O_PATH)
        asks = (
            "import socket, os, sys\n"
            f"os.setuid({pwd.getpwnam('nobody').pw_uid})\n"
            "s = socket.socket(socket.AF_UNIX)\n"
            f"s.connect('/proc/self/fd/{folder}/control')\n"
            "sys.exit(len(s.recv(100)))\n"
        )
        done = subprocess.run([sys.executable, "-c", asks], pass_fds=(folder,))
        os.close(folder)
        assert done.returncode in (0, 1), "nothing, or no permission"
    go.touch()
    assert job.end().exit == 0


# C982
def test_a_job_of_slow_mini_batches_answers_at_once(windrow: Windrow) -> None:
    job = windrow.start(SLOW_NAMES, files=200, size=1, name="slow")
    until(lambda: shown(windrow, "slow").get("status") == "Running", "the job runs")
    began = time.monotonic()
    shown(windrow, "slow")
    assert time.monotonic() - began < 5
    assert job.end().rows() == numbered(200)
