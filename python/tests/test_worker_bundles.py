# SPDX-License-Identifier: Apache-2.0
"""Bundles: many short mini-batches in one packet, and their answers in another."""

from __future__ import annotations

import signal

from fake_agent import BATCH, DONE, FAILED, GATE, READY, RUN, Agent, Answer, gate, wait_until

BUNDLES = 64
ECHO = "def run(mini_batch):\n    return mini_batch\n"


def collect(agent: Agent, count: int) -> list[Answer]:
    answers: list[Answer] = []
    while len(answers) < count:
        answers += agent.receive_answers()
    return answers


def test_a_worker_says_that_it_understands_bundles(agent: Agent) -> None:
    ready = agent.start(ECHO)
    assert (ready.kind, ready.flags) == (READY, BUNDLES)


def test_all_of_a_bundle_are_answered_in_order_and_together(agent: Agent) -> None:
    agent.start(ECHO)
    agent.send_bundle(b"/a", b"/b\0/c", b"/d")
    answers = agent.receive_answers()
    assert [(a.kind, a.epoch, a.batch, a.picked) for a in answers] == [
        (DONE, 77, number, 1) for number in range(3)
    ]
    assert [a.payload for a in answers] == [b"/a\n", b"/b\n/c\n", b"/d\n"]
    assert [a.returned for a in answers] == [1, 2, 1]
    assert all(a.start > 0 for a in answers)
    assert agent.run("/e").payload == b"/e\n", "and then it reads on"


def test_the_context_is_that_of_each_mini_batch(agent: Agent) -> None:
    agent.start("def run(mini_batch, context):\n    return [context.minibatch_index]\n")
    agent.send_bundle(b"/a", b"/b", b"/c")
    assert [a.payload[16:] for a in agent.receive_answers()] == [b"0\n", b"1\n", b"2\n"]


def test_a_failure_is_told_at_once_with_what_was_before_it(agent: Agent) -> None:
    agent.start("def run(mini_batch):\n    return [1 // (mini_batch[0] != '/bad')]\n")
    agent.send_bundle(b"/a", b"/bad", b"/c")
    assert [a.kind for a in agent.receive_answers()] == [DONE, FAILED]
    assert [a.kind for a in agent.receive_answers()] == [DONE]


def test_answers_do_not_wait_for_each_other_when_mini_batches_take_longer(agent: Agent) -> None:
    agent.start("import time\ndef run(mini_batch):\n    time.sleep(0.01)\n    return mini_batch\n")
    agent.send_bundle(b"/a", b"/b", b"/c", b"/d")
    packets = [agent.receive_answers()]
    while sum(map(len, packets)) < 4:
        packets.append(agent.receive_answers())
    assert max(map(len, packets)) <= 2


def test_a_large_answer_goes_alone_and_in_its_place(agent: Agent) -> None:
    agent.start("def run(mini_batch):\n    return ['x' * int(mini_batch[0])]\n")
    agent.send_bundle(b"1", b"100000", b"2", b"60000", b"3")
    answers = collect(agent, 5)
    assert [a.batch for a in answers] == list(range(5))
    assert [len(a.payload) for a in answers] == [2, 100001, 3, 60001, 4]


def test_the_page_names_the_one_that_runs(agent: Agent) -> None:
    source = (
        GATE + "def run(mini_batch):\n    return mini_batch[0] == '/b' and wait_at('gate') or []\n"
    )
    agent.start(source)
    opening = gate(agent, "gate")
    agent.send_bundle(b"/a", b"/b", b"/c")
    wait_until(lambda: agent.page()[1:4] == (RUN, 1, 1), "the second one runs")
    opening.write_text("x")
    assert [a.batch for a in collect(agent, 3)] == [0, 1, 2]


def test_what_was_not_read_behind_a_bundle_can_be_taken_back(agent: Agent) -> None:
    agent.start(GATE + "def run(mini_batch):\n    return wait_at('gate')\n")
    opening = gate(agent, "gate")
    agent.send_bundle(b"/a", b"/b")
    wait_until(lambda: agent.page().phase == RUN, "the first one runs")
    agent.send(BATCH, b"/c", batch=2, picked=1)
    assert agent.taker.recv(65536).endswith(b"/c")
    for number in range(2):
        wait_until(lambda: agent.page()[1:3] == (RUN, number), f"{number} runs")  # noqa: B023
        opening.write_text("x")
    assert [a.batch for a in collect(agent, 2)] == [0, 1]


def test_a_death_takes_what_was_held_back_with_it(agent: Agent) -> None:
    source = "import os\ndef run(mini_batch):\n    return '/x' in mini_batch and os.abort() or []\n"
    agent.start(source)
    agent.send_bundle(b"/a", b"/x", b"/c")
    assert agent.exit_code() == -signal.SIGABRT
    assert agent.page()[1:4] == (RUN, 1, 1), "the second one is to blame"
    assert agent.answers.recv(65536) == b""


def test_who_closes_the_socket_is_to_blame(agent: Agent) -> None:
    source = (
        "import os\ndef run(mini_batch):\n    return '/x' in mini_batch and os.close(4) or []\n"
    )
    agent.start(source)
    agent.send_bundle(b"/a", b"/x", b"/c")
    assert agent.exit_code() == 70
    assert agent.page()[2:4] == (1, 1)
