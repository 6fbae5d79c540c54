# SPDX-License-Identifier: Apache-2.0
"""The worker as a process: its end, its descriptors, its children, signals and surroundings."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from fake_agent import (
    BATCH,
    COMMAND,
    DONE,
    FAILED,
    GATE,
    GOODBYE,
    MAIN,
    READY,
    RUN,
    START,
    Agent,
    gate,
)


def test_end_of_file_on_the_commands_ends_the_worker(agent: Agent) -> None:
    agent.start("def run(mini_batch):\n    return []\n")
    agent.commands.close()
    agent.taker.close()
    assert agent.exit_code() == 0


def test_end_of_file_before_start_ends_the_worker(agent: Agent) -> None:
    agent.commands.close()
    agent.taker.close()
    assert agent.exit_code() == 0


def test_an_agent_that_no_longer_listens_ends_the_worker(agent: Agent) -> None:
    agent.start("def run(mini_batch):\n    return []\n")
    agent.answers.close()
    agent.send(BATCH, b"/a")
    assert agent.exit_code() == 0


@pytest.mark.parametrize(
    ("packet", "reason"),
    [
        (b"x" * 64, "the first command is not start"),
        (b"x", "unpack_from requires a buffer"),
        (COMMAND.pack(0x31445257, START, 77, 0, 0, 0, 0, 4) + b"[12]", "not a JSON object"),
        (COMMAND.pack(0x31445257, START, 77, 0, 0, 0, 0, 4) + b'{"a"', "not a JSON object"),
        (COMMAND.pack(0x31445257, START, 77, 0, 0, 0, 0, 0), "not a JSON object"),
        (COMMAND.pack(0x31445257, START, 77, 0, 0, 0, 0, 9), "payload has 0 bytes of 9"),
    ],
    ids=range(6),
)
def test_an_agent_that_does_not_speak_the_protocol_is_left(
    agent: Agent, packet: bytes, reason: str
) -> None:
    agent.commands.send(packet)
    assert agent.exit_code() == 70
    assert reason in agent.raw("stderr").read_text()


@pytest.mark.parametrize("descriptor", [3, 4])
def test_a_script_that_closes_our_descriptors_ends_the_worker_with_a_reason(
    agent: Agent, descriptor: int
) -> None:
    source = f"import os\ndef run(mini_batch):\n    os.close({descriptor})\n    return []\n"
    agent.start(source)
    agent.send(BATCH, b"/a")
    assert agent.exit_code() == 70
    assert "Bad file descriptor; the worker ends" in agent.raw("stderr").read_text()


def test_closing_descriptor_5_harms_nothing(agent: Agent) -> None:
    agent.start("import os\ndef run(mini_batch):\n    os.closerange(5, 6)\n    return mini_batch\n")
    assert agent.run("/a").kind == DONE
    assert agent.run("/a").kind == DONE


def test_children_inherit_none_of_our_descriptors(agent: Agent) -> None:
    source = """
import subprocess
def run(mini_batch):
    command = ["sh", "-c", "ls -l /proc/$$/fd"]
    text = subprocess.run(command, capture_output=True, text=True, close_fds=False).stdout
    return [line.split(" -> ")[1] for line in text.splitlines() if " -> " in line]
"""
    agent.start(source)
    answer = agent.run("/a")
    assert b"socket" not in answer.payload
    assert b"memfd" not in answer.payload


def test_a_forked_child_that_returns_from_run_never_answers(agent: Agent) -> None:
    source = """
import os
def run(mini_batch):
    child = os.fork()
    if child == 0:
        print("child")
        if mini_batch == ["raise"]: raise ValueError("in the child")
        if mini_batch == ["exit"]: raise SystemExit(7)
        return ["child"]
    _, status = os.waitpid(child, 0)
    return [status >> 8]
"""
    agent.start(source)
    assert agent.run("return").payload == b"0\n"
    assert agent.run("exit").payload == b"7\n"
    assert agent.run("raise").payload == b"1\n"
    assert "ValueError: in the child" in agent.user("stderr")
    assert agent.user("stdout") == "child\n" * 3
    assert agent.run("return").payload == b"0\n"
    assert agent.shutdown().kind == GOODBYE
    assert agent.exit_code() == 0


def test_a_daemon_of_the_script_does_not_hold_the_streams_open(agent: Agent) -> None:
    way = gate(agent, "gate")
    source = (
        GATE
        + """
def run(mini_batch):
    if os.fork() == 0:
        wait_at("gate")
        os._exit(0)
    return mini_batch
"""
    )
    agent.start(source)
    agent.run("/a")
    agent.shutdown()
    assert agent.exit_code() == 0
    assert agent.answers.recv(1) == b""  # while the daemon still waits
    way.write_text("x")


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_multiprocessing_works_inside_run(agent: Agent, method: str) -> None:
    source = f"""
import multiprocessing
def square(x): return x * x
def run(mini_batch):
    with multiprocessing.get_context("{method}").Pool(2) as pool:
        return pool.map(square, [1, 2, 3])
"""
    agent.start(source)
    answer = agent.run("/a")
    assert answer.payload == b"1\n4\n9\n", (answer, agent.user("stderr"))
    assert agent.shutdown().kind == GOODBYE
    assert agent.exit_code() == 0


def test_sigint_is_ignored(agent: Agent) -> None:
    agent.start("def run(mini_batch):\n    return mini_batch\n")
    os.kill(agent.process.pid, signal.SIGINT)
    assert agent.run("/a").payload == b"/a\n"


def test_exit_functions_of_the_script_are_called_and_its_threads_joined(agent: Agent) -> None:
    source = """
import atexit, threading
go = threading.Event()
def later():
    go.wait()
    print("thread")
atexit.register(print, "atexit")
def init(): threading.Thread(target=later).start()
def run(mini_batch): return []
def shutdown(): threading.Timer(0.05, go.set).start()
"""
    agent.start(source)
    assert agent.shutdown().kind == GOODBYE
    assert agent.exit_code() == 0
    assert agent.user("stdout") == "thread\natexit\n"


def test_a_crash_in_native_code_is_told_on_raw_stderr(agent: Agent) -> None:
    source = "import faulthandler\ndef run(mini_batch):\n    faulthandler._sigsegv()\n"
    agent.start(source)
    agent.send(BATCH, b"/a", 5, 1)
    assert agent.exit_code() == -signal.SIGSEGV
    assert (agent.page().phase, agent.page().batch) == (RUN, 5)
    assert "in run" in agent.raw("stderr").read_text()


def test_nothing_of_a_mini_batch_is_kept_alive_while_waiting(agent: Agent) -> None:
    source = """
import weakref
class Row: pass
class Rows(list): pass
alive = []
def run(mini_batch):
    dead = [r() is None for r in alive]
    rows = Rows([Row()])
    alive[:] = [weakref.ref(rows), weakref.ref(rows[0])]
    if mini_batch == ["raise"]: raise ValueError(rows)
    return dead if dead else rows
"""
    agent.start(source)
    agent.run("/a")
    assert agent.run("/b").payload == b"True\nTrue\n"
    assert agent.run("raise").kind == FAILED
    assert agent.run("/c").payload == b"True\nTrue\n"


@pytest.mark.parametrize(
    "environment",
    [{"PYTHONSAFEPATH": "1"}, {"LC_ALL": "C"}, {"PYTHONHASHSEED": "0", "PYTHONUTF8": "0"}],
    ids=lambda environment: next(iter(environment)),
)
def test_the_environment_of_the_user_does_not_matter(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    agent = Agent(tmp_path, **environment)
    agent.script("OURS = False\n", "rows.py")
    assert agent.start("import rows\ndef run(mini_batch):\n    return mini_batch\n").kind == READY
    assert agent.run("/ü", b"/\xff").payload == "/ü\n/".encode() + b"\xff\n"
    agent.close()


def test_the_worker_may_be_reached_through_a_link(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(MAIN.parents[2])
    agent = Agent(tmp_path, main=link / "windrow" / "worker" / "__main__.py")
    agent.script("OURS = False\n", "rows.py")
    assert agent.start("import rows\ndef run(mini_batch):\n    return [rows.OURS]\n").kind == READY
    assert agent.run("/a").payload == b"False\n"
    agent.close()


# C894
def test_a_thread_that_does_not_end_is_named_and_not_waited_for(agent: Agent) -> None:
    agent.start(
        "import threading, time\n"
        "def send_all(): time.sleep(600)\n"
        "def init(): threading.Thread(target=send_all, name='uploader').start()\n"
        "def run(x): return x\n"
    )
    began = time.monotonic()
    assert agent.shutdown().payload == b""
    said = agent.receive()
    assert said.kind == GOODBYE
    assert said.error["method"] == "threads"
    sentence = "the thread 'uploader' (send_all) of the script still ran 5 s after its end and was"
    assert said.error["message"].startswith(sentence)
    assert agent.exit_code() == 0
    assert 4 < time.monotonic() - began < 25
    assert agent.user("stderr").startswith("windrow: " + sentence)


# C896
def test_an_answer_that_has_no_room_is_said_to_have_none(agent: Agent) -> None:
    agent.start(
        "import resource\n"
        "def run(x):\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "    return ['x' * 1_000_000]\n"
    )
    agent.send(BATCH, b"/a")
    assert agent.exit_code() == 70
    said = agent.raw("stderr").read_text()
    assert "no room for an answer of 1000001 bytes: File too large; `ulimit -f` limits" in said


# C894
def test_idle_threads_of_a_pool_hold_up_nothing(agent: Agent) -> None:
    agent.start(
        "from concurrent.futures import ThreadPoolExecutor\n"
        "pool = ThreadPoolExecutor(2)\n"
        "def run(x): return list(pool.map(str, x))\n"
    )
    assert agent.run("/a", "/b").payload == b"/a\n/b\n"
    began = time.monotonic()
    agent.shutdown()
    assert agent.exit_code() == 0
    assert time.monotonic() - began < 4
    assert agent.user("stderr") == ""
