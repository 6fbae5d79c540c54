# SPDX-License-Identifier: Apache-2.0
"""The exact text of append_row, and what run() may return."""

from __future__ import annotations

import os

import pytest
from fake_agent import DONE, FAILED, IDLE, Agent, wait_until

WRONG_TYPE, SERIALISE_FAILED = 2, 8


def returning(agent: Agent, expression: str, imports: str = "", **settings: object) -> object:
    """What the worker answers when run() returns this expression."""
    source = f"{imports}\ndef run(mini_batch):\n    return {expression}\n"
    started = agent.start(source, **settings)
    assert started.kind == 1, started.payload
    return agent.run("/data/a", "/data/b")


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ('["x"]', b"x\n"),
        ('["x", "y"]', b"x\ny\n"),
        ('("x", "y")', b"x\ny\n"),
        ("[3, 2.5, None, True]", b"3\n2.5\nNone\nTrue\n"),
        ("[[1, 2], ('a',)]", b"[1, 2]\n('a',)\n"),
        ("[{'k': 'v'}]", b"{'k': 'v'}\n"),
        ("['', '']", b"\n\n"),
        ("['gr\\u00fc\\u00df', '\\U0001f600']", "grüß\n😀\n".encode()),
        ("[b'raw']", b"b'raw'\n"),
        ("['a', 1]", b"a\n1\n"),
        ("('a\\tb', 'c d')", b"a\tb\nc d\n"),
        ("['nul\\0 inside']", b"nul\0 inside\n"),
        ("mini_batch", b"/data/a\n/data/b\n"),
    ],
)
def test_each_element_becomes_its_str_and_one_line_break(
    agent: Agent, expression: str, text: bytes
) -> None:
    answer = returning(agent, expression)
    assert (answer.kind, answer.flags, answer.payload) == (DONE, 0, text)
    assert (answer.returned, answer.items) == (text.count(b"\n"), 0)


@pytest.mark.parametrize("expression", ["[]", "()"])
def test_an_empty_result_writes_nothing(agent: Agent, expression: str) -> None:
    answer = returning(agent, expression)
    assert (answer.kind, answer.returned, answer.flags, answer.payload) == (DONE, 0, 0, b"")


def test_a_subclass_of_str_is_written_by_its_own_str(agent: Agent) -> None:
    imports = "class Loud(str):\n    def __str__(self):\n        return self.upper()"
    assert returning(agent, '[Loud("quiet"), "b"]', imports).payload == b"QUIET\nb\n"


def test_subclasses_of_list_and_tuple_are_rows(agent: Agent) -> None:
    imports = "from collections import namedtuple\nP = namedtuple('P', 'x y')"
    assert returning(agent, "P(1, 'b')", imports).payload == b"1\nb\n"


def test_names_that_are_not_utf8_come_back_as_the_same_bytes(agent: Agent) -> None:
    agent.start("def run(mini_batch):\n    return [p + ' ok' for p in mini_batch]\n")
    assert agent.run(b"/data/\xff\xe9.txt", "/data/é").payload == b"/data/\xff\xe9.txt ok\n" + (
        "/data/é ok\n".encode()
    )


# C895
@pytest.mark.parametrize("expression", [r"['a\ud800b\udc7f\udcff']", r"('a\ud800b', 1)"])
def test_half_of_a_surrogate_pair_fails_its_mini_batch(agent: Agent, expression: str) -> None:
    answer = returning(agent, expression)
    assert answer.kind == FAILED
    said = answer.error["message"]
    assert said.startswith(r"a row has half of a surrogate pair, '\ud800' in 'a\ud800b")
    assert "replace it in run(): text.encode('utf-8', 'replace').decode()" in said


@pytest.mark.parametrize("expression", [r"['a\nb', 'c']", r"('a', 'b\n')", r"[{1}, 'a\nb']"])
def test_a_line_break_inside_an_element_stays_and_counts_no_row(
    agent: Agent, expression: str
) -> None:
    answer = returning(agent, expression)
    assert (answer.kind, answer.flags, answer.returned) == (DONE, 0, 2)
    assert answer.payload.count(b"\n") == 3


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ("None", "None"),
        ("'text'", "str"),
        ("b'text'", "bytes"),
        ("{'a': 1}", "dict"),
        ("{1, 2}", "set"),
        ("7", "int"),
        ("(x for x in mini_batch)", "generator"),
        ("map(str, mini_batch)", "map"),
        ("range(2)", "range"),
    ],
)
@pytest.mark.parametrize("append_row", [True, False])
def test_anything_else_is_refused_by_its_type_name(
    agent: Agent, expression: str, name: str, append_row: bool
) -> None:
    answer = returning(agent, expression, append_row=append_row)
    assert (answer.kind, answer.flags, answer.returned) == (FAILED, WRONG_TYPE, 0)
    error = answer.error
    assert error["message"] == (
        f"run() returned {name}; return a list, tuple, numpy array, pandas Series or DataFrame"
        " with one element per item"
    )
    assert (error["type"], error["method"]) == ("TypeError", "run")
    assert error["traceback"] == f"TypeError: {error['message']}\n"


def test_a_coroutine_is_refused(agent: Agent) -> None:
    """An async run() itself is refused before it runs: test_worker_script.py."""
    agent.start("async def one():\n    return []\n\ndef run(mini_batch):\n    return one()\n")
    assert "run() returned coroutine;" in agent.run("/a").error["message"]


def test_an_element_whose_str_raises_fails_while_serialising(agent: Agent) -> None:
    imports = "class Bad:\n    def __str__(self):\n        raise ValueError('no text')"
    answer = returning(agent, "['a', Bad()]", imports)
    assert (answer.kind, answer.flags) == (FAILED, SERIALISE_FAILED)
    assert (answer.error["type"], answer.error["method"]) == ("ValueError", "serialise")
    assert answer.error["message"] == "no text (while making rows of what run() returned)"  # C461
    assert "in __str__" in answer.error["traceback"]
    assert "windrow" not in answer.error["traceback"]


def test_only_the_number_is_sent_when_rows_are_not_wanted(agent: Agent) -> None:
    imports = "class Bad:\n    def __str__(self):\n        raise ValueError('no text')"
    answer = returning(agent, "[Bad(), Bad(), Bad()]", imports, append_row=False)
    assert (answer.kind, answer.returned, answer.payload) == (DONE, 3, b"")


def test_rows_up_to_the_limit_are_in_the_packet_and_longer_ones_in_a_descriptor(
    agent: Agent,
) -> None:
    agent.start("def run(mini_batch):\n    return ['x' * int(mini_batch[0])]\n")
    descriptors = set()
    for size, in_descriptor in ((65471, False), (65472, True), (200_000, True), (5, False)):
        answer = agent.run(str(size))
        assert (answer.kind, answer.in_descriptor) == (DONE, in_descriptor)
        assert answer.payload == b"x" * size + b"\n"
        wait_until(lambda: agent.page().phase == IDLE)
        descriptors.add(len(os.listdir(f"/proc/{agent.process.pid}/fd")))
    assert len(descriptors) == 1


NUMPY = "import numpy as np"
PANDAS = "import numpy as np, pandas as pd"


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("np.array([1, 2, 3])", b"1\n2\n3\n"),
        ("np.array([0.5, float('nan')])", b"0.5\nnan\n"),
        ("np.array([[1, 2], [3, 4]])", b"[1 2]\n[3 4]\n"),
        ("np.array(['a', 'b c'])", b"a\nb c\n"),
        ("np.array(['x', None, 1], dtype=object)", b"x\nNone\n1\n"),
        ("np.array([])", b""),
        ("[np.int64(3), np.float64(2.5), np.str_('s')]", b"3\n2.5\ns\n"),
    ],
)
def test_a_numpy_array_is_written_along_its_first_axis(
    agent: Agent, expression: str, text: bytes
) -> None:
    pytest.importorskip("numpy")
    answer = returning(agent, expression, NUMPY)
    assert (answer.kind, answer.payload, answer.returned) == (DONE, text, text.count(b"\n"))


def test_a_numpy_array_without_dimensions_is_refused(agent: Agent) -> None:
    pytest.importorskip("numpy")
    answer = returning(agent, "np.array(5)", NUMPY)
    assert (answer.kind, answer.flags) == (FAILED, WRONG_TYPE)
    assert "without dimensions" in answer.error["message"]


@pytest.mark.parametrize(
    ("expression", "text", "rows"),
    [
        ('pd.DataFrame([(1, "a b", 2.5)])', b'1 "a b" 2.5\n', 1),
        ('pd.DataFrame({"n": [1, 2], "s": ["x", None]}, index=[7, 8])', b"1 x\n2 \n", 2),
        ('pd.DataFrame({"f": [0.1, float("nan")], "g": [1, 2]})', b"0.1 1\n 2\n", 2),
        ('pd.DataFrame({"a": []})', b"", 0),
        ("pd.DataFrame()", b"", 0),
        ('pd.DataFrame({"p": ["/x/\\udcff"]}, dtype=object)', b"/x/\xff\n", 1),
        ("pd.Series([1, 2])", b"1\n2\n", 2),
        ("pd.Series([0.5, None])", b"0.5\nnan\n", 2),
        ('pd.Series(["a b", "c"], index=["i", "j"])', b"a b\nc\n", 2),
    ],
)
def test_pandas_results_have_the_promised_text(
    agent: Agent, expression: str, text: bytes, rows: int
) -> None:
    pytest.importorskip("pandas")
    answer = returning(agent, expression, PANDAS)
    assert (answer.kind, answer.payload, answer.returned) == (DONE, text, rows), answer
    assert answer.flags == 0


def test_a_line_break_inside_a_cell_stays_and_counts_no_row(agent: Agent) -> None:
    pytest.importorskip("pandas")
    answer = returning(agent, r"pd.DataFrame({'a': ['x\ny', 'z']})", PANDAS)
    assert (answer.kind, answer.flags, answer.returned) == (DONE, 0, 2)
    assert answer.payload == b'"x\ny"\nz\n'


@pytest.mark.parametrize("expression", ["pd.DataFrame({'a': [1, 2, 3]})", "pd.Series([1, 2, 3])"])
def test_rows_of_pandas_results_are_counted_when_not_wanted(agent: Agent, expression: str) -> None:
    pytest.importorskip("pandas")
    answer = returning(agent, expression, PANDAS, append_row=False)
    assert (answer.kind, answer.returned, answer.payload) == (DONE, 3, b"")


HINT = "; run() gets a list of paths here; --as table gives it the rows of the files as frames"


@pytest.mark.parametrize(
    ("body", "imports", "hint"),
    [
        ("mini_batch.shape", "", HINT),
        ("mini_batch.iterrows()", "", HINT),
        ("mini_batch.nunique()", "import pandas", HINT),
        ("mini_batch.no_such_thing", "import pandas", ""),
        ("(1).shape", "", ""),
    ],
)
def test_a_list_that_is_taken_for_a_frame_is_told(
    agent: Agent, body: str, imports: str, hint: str
) -> None:
    if imports:
        pytest.importorskip("pandas")
    agent.start(f"{imports}\ndef run(mini_batch):\n    {body}\n")
    message = agent.run("/data/a").error["message"]
    name = body.rpartition(".")[2].rstrip("()")
    assert message.endswith(f"object has no attribute '{name}'{hint}")
