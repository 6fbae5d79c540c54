# SPDX-License-Identifier: Apache-2.0
"""Start, packets, times and the page of a worker."""

from __future__ import annotations

import itertools
import json
import mmap
import os
import socket
import struct
import time
from types import SimpleNamespace

import pytest
from fake_agent import (
    BATCH,
    COMMAND,
    DONE,
    FAILED,
    GATE,
    GOODBYE,
    IDLE,
    INIT,
    LOAD,
    READY,
    RUN,
    SERIALISE,
    SHUTTING_DOWN,
    START,
    Agent,
    gate,
    wait_until,
)
from windrow.worker import loop, packets, rows


def test_init_is_called_once_before_the_first_run_and_shutdown_after_the_last(
    agent: Agent,
) -> None:
    source = """
calls = ["import"]
def init(): calls.append("init")
def run(mini_batch):
    calls.append("run")
    return [",".join(calls)]
def shutdown(): print(",".join(calls + ["shutdown"]))
"""
    assert agent.start(source).kind == READY
    assert agent.run("/a").payload == b"import,init,run\n"
    assert agent.run("/b").payload == b"import,init,run,run\n"
    answer = agent.shutdown()
    assert (answer.kind, answer.payload) == (GOODBYE, b"")
    assert agent.exit_code() == 0
    assert agent.user("stdout") == "import,init,run,run,shutdown\n"


def test_a_script_needs_run_alone(agent: Agent) -> None:
    assert agent.start("def run(mini_batch):\n    return mini_batch\n").kind == READY
    assert agent.run("/a", "/b").payload == b"/a\n/b\n"
    assert agent.shutdown().kind == GOODBYE
    assert agent.exit_code() == 0


def test_the_answer_carries_the_token_of_the_command(agent: Agent) -> None:
    agent.start("def run(mini_batch):\n    return mini_batch\n")
    answer = agent.run("/a", batch=4_000_000_000, picked=3)
    assert (answer.epoch, answer.batch, answer.picked) == (77, 4_000_000_000, 3)


def test_times_are_those_of_the_mini_batch(agent: Agent) -> None:
    source = """
import time
def init(): time.sleep(0.02)
def run(mini_batch):
    time.sleep(0.03)
    end = time.process_time() + 0.03
    while time.process_time() < end: pass
    return mini_batch
"""
    before = time.monotonic_ns()
    ready = agent.start(source)
    assert before < ready.start < time.monotonic_ns()
    assert 20_000 <= ready.run_us <= ready.elapsed_us
    before = time.monotonic_ns()
    answer = agent.run("/a")
    assert before < answer.start < time.monotonic_ns()
    assert 60_000 <= answer.run_us <= answer.elapsed_us
    assert 30_000 <= answer.cpu_us < answer.elapsed_us


def test_the_time_inside_run_is_told_when_it_failed_too(agent: Agent) -> None:
    agent.start("import time\ndef run(mini_batch):\n    time.sleep(0.02)\n    raise ValueError\n")
    assert agent.run("/a").run_us >= 20_000


def test_times_that_do_not_fit_are_told_as_the_most_that_fits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    two_hours = itertools.count(7200 * 10**9, 7200 * 10**9)
    monkeypatch.setattr(loop, "monotonic_ns", lambda: next(two_hours))
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    worker = SimpleNamespace(
        commands=theirs,
        answers=theirs,
        forked=[],
        page=packets.Page(mmap.mmap(-1, 64)),
        script=SimpleNamespace(run=list, wants_context=False),
        serialise=rows.serialise,
        done_flags=0,
        settings={},
        rows=None,
    )
    ours.send(COMMAND.pack(0x31445257, BATCH, 77, 1, 1, 0, 0, 0))
    ours.shutdown(socket.SHUT_WR)
    with pytest.raises(loop.AgentGone):
        loop.run_batches(worker)
    elapsed_us, run_us = struct.unpack_from("<II", ours.recv(65536), 48)
    assert (elapsed_us, run_us) == (0xFFFFFFFF, 0xFFFFFFFF)


def test_processor_time_of_others_is_not_charged_to_a_mini_batch(agent: Agent) -> None:
    source = """
import threading, time
def burn():
    end = time.thread_time() + 0.1
    while time.thread_time() < end: pass
def run(mini_batch):
    if mini_batch == ["inside"]: burn()
    if mini_batch == ["outside"]: threading.Timer(0.01, lambda: (burn(), print("over"))).start()
    time.sleep(0.002)
    return mini_batch
"""
    agent.start(source)
    assert agent.run("inside").cpu_us >= 100_000
    assert agent.run("nothing").cpu_us < 50_000
    assert agent.run("outside").cpu_us < 50_000
    wait_until(lambda: agent.user("stdout") == "over\n", "the thread ends")
    assert agent.run("nothing").cpu_us < 50_000


def test_an_empty_mini_batch_is_an_empty_list(agent: Agent) -> None:
    agent.start("def run(mini_batch):\n    return [repr(mini_batch)]\n")
    assert agent.run().payload == b"[]\n"


def test_a_payload_in_a_descriptor_is_read(agent: Agent) -> None:
    agent.start("def run(mini_batch):\n    return [len(mini_batch), mini_batch[-1]]\n")
    names = [f"/data/{'x' * 90}/{i}" for i in range(2_000)]
    answer = agent.run(*names)
    assert answer.payload == f"2000\n{names[-1]}\n".encode()
    before = len(os.listdir(f"/proc/{agent.process.pid}/fd"))
    agent.run(*names)
    assert len(os.listdir(f"/proc/{agent.process.pid}/fd")) == before


def test_a_payload_that_is_missing_fails_the_mini_batch_while_loading(agent: Agent) -> None:
    agent.start("def run(mini_batch):\n    return mini_batch\n")
    agent.commands.send(COMMAND.pack(0x31445257, BATCH, 77, 1, 1, 1, 0, 100))
    answer = agent.receive()
    assert (answer.kind, answer.flags, answer.error["method"]) == (FAILED, 4, "load")
    assert agent.run("/a").kind == DONE


@pytest.mark.parametrize(
    "signature",
    ["mini_batch, mini_batch_context", "mini_batch, context=None", "*args", "first, /, second"],
)
def test_run_gets_the_context_when_it_takes_two_arguments(agent: Agent, signature: str) -> None:
    source = f"""
import sys
def run({signature}):
    values = list(sys._getframe().f_locals.values())
    c = values[0][1] if isinstance(values[0], tuple) else values[1]
    return [c.minibatch_index, c.retry_count, c.partition_key_value]
"""
    agent.start(source)
    answer = agent.run("/a", batch=41, picked=9, tries=2)
    assert answer.payload[16:] == b"41\n2\nNone\n"  # behind the head of a part


@pytest.mark.parametrize(
    "source",
    [
        "def run(mini_batch):\n    return mini_batch",
        "def run(mini_batch, *, keyword=1):\n    return mini_batch",
        "def run(mini_batch, **keywords):\n    return mini_batch",
        "import functools\ndef wrap(f):\n    @functools.wraps(f)\n    def inner(*args):\n"
        "        return f(*args)\n    return inner\n@wrap\ndef run(mini_batch):\n"
        "    return mini_batch",
        "class Model:\n    def run(self, batch):\n        return batch\nrun = Model().run",
        "class Model:\n    def __call__(self, batch):\n        return batch\nrun = Model()",
        "run = list",
    ],
)
def test_run_gets_one_argument_when_it_takes_one(agent: Agent, source: str) -> None:
    assert agent.start(source).kind == READY
    assert agent.run("/a").payload == b"/a\n"


def test_packets_are_read_one_at_a_time(agent: Agent) -> None:
    way = gate(agent, "gate")
    agent.start(GATE + "def run(mini_batch):\n    return [wait_at('gate')]\n")
    for batch in (1, 2, 3):
        agent.send(BATCH, b"/a", batch, 1)
    wait_until(lambda: agent.page().phase == RUN, "run() begins")
    taken = [agent.taker.recv(65536, socket.MSG_DONTWAIT) for _ in range(2)]
    assert [int.from_bytes(packet[16:20], "little") for packet in taken] == [2, 3]
    way.write_text("one")
    assert agent.receive().payload == b"one\n"
    assert agent.page().phase in (SERIALISE, IDLE)


def test_the_page_says_what_the_worker_is_doing(agent: Agent) -> None:
    ways = {name: gate(agent, name) for name in ("init", "run", "text", "shutdown")}
    source = (
        GATE
        + """
def init(): wait_at("init")
class Row:
    def __str__(self): return wait_at("text")
def run(mini_batch):
    wait_at("run")
    return [Row()]
def shutdown(): wait_at("shutdown")
"""
    )
    assert agent.page() == (0, 0, 0, 0, 0)
    agent.send(START, json.dumps(agent.settings(agent.script(source))).encode())
    phases = []

    def pass_through(name: str, phase: int) -> None:
        page = wait_until(lambda: agent.page().phase == phase and agent.page(), name)
        assert 0 < page.since < time.monotonic_ns()
        phases.append(page)
        ways[name].write_text("x")

    pass_through("init", INIT)
    assert agent.receive().kind == READY
    wait_until(lambda: agent.page().phase == IDLE)
    agent.send(BATCH, b"/a", 12, 3)
    pass_through("run", RUN)
    pass_through("text", SERIALISE)
    assert agent.receive().payload == b"x\n"
    idle = wait_until(lambda: agent.page().phase == IDLE and agent.page())
    agent.send(3)
    pass_through("shutdown", SHUTTING_DOWN)
    assert agent.receive().kind == GOODBYE
    assert [(page.batch, page.picked) for page in phases] == [(0, 0), (12, 3), (12, 3), (0, 0)]
    assert (idle.batch, idle.picked) == (0, 0)
    sequences = [page.sequence for page in phases]
    assert sequences[0] == 1
    assert sequences == sorted(set(sequences))


def test_a_payload_in_a_descriptor_is_loaded_in_a_phase_of_its_own(agent: Agent) -> None:
    agent.start("def run(mini_batch):\n    return []\n")
    wait_until(lambda: agent.page().phase == IDLE)
    before = agent.page().sequence
    agent.run(*["/" + "x" * 1000] * 100)
    page = wait_until(lambda: agent.page().phase == IDLE and agent.page())
    assert page.sequence - before == len((LOAD, RUN, SERIALISE, IDLE))
