# SPDX-License-Identifier: Apache-2.0
"""Answers that are more than rows: reported items, headers, several outputs, other formats."""

from __future__ import annotations

import json
import struct

import pytest
from fake_agent import DONE, FAILED, Agent, Answer

PARTS, WRONG_TYPE = 32, 2
ROWS, HEADER, REPORTED = 0, 1, 2


def parts(answer: Answer) -> list[tuple[int, int, int, bytes]]:
    """Kind, output, item and body of each, read as the page says."""
    assert answer.flags & PARTS, answer
    found, left = [], answer.payload
    while left:
        kind, output, zero, item, size = struct.unpack_from("<BBHIQ", left)
        assert zero == 0
        assert len(left) >= 16 + size
        found.append((kind, output, item, left[16 : 16 + size]))
        left = left[16 + size :]
    return found


def answer_of(agent: Agent, body: str, imports: str = "", **settings: object) -> Answer:
    source = f"{imports}\ndef run(mini_batch, context):\n    {body}\n"
    started = agent.start(source, **settings)
    assert started.kind == 1, started.payload
    return agent.run("/data/a", "/data/b", "/data/c", batch=7, tries=2)


# C180
def test_the_context_says_what_the_mini_batch_is(agent: Agent) -> None:
    body = (
        "return [context.minibatch_index, context.retry_count, context.partition_key_value,"
        " context.global_row_index_lower_bound, context.dataset.to_path(), repr(context)]"
    )
    [(kind, _, _, text)] = parts(answer_of(agent, body))
    assert kind == ROWS
    assert text.decode().split("\n")[:-1] == [
        "7",
        "2",
        "None",
        "None",
        "['/data/a', '/data/b', '/data/c']",
        "MiniBatchContext(minibatch_index=7, retry_count=2)",
    ]


# C181
def test_reported_items_come_beside_the_rows_of_the_others(agent: Agent) -> None:
    body = "context.report_failed(2, ValueError('blurred')); context.report_failed(0, 'x')\n"
    body += "    context.report_failed(2, 'again'); return ['row of b']"
    answer = answer_of(agent, body)
    assert (answer.kind, answer.returned) == (DONE, 1)
    assert parts(answer) == [
        (ROWS, 0, 0, b"row of b\n"),
        (REPORTED, 0, 0, b"x"),
        (REPORTED, 0, 2, b"blurred"),
    ]


# C181
def test_without_rows_only_the_reports_come(agent: Agent) -> None:
    body = "context.report_failed(1, '\\udc80' * 2000); return mini_batch"
    answer = answer_of(agent, body, append_row=False)
    assert answer.returned == 3
    [(kind, _, item, reason)] = parts(answer)
    assert (kind, item, len(reason)) == (REPORTED, 1, 6000)  # 1,000 characters, spelled out


# C181
@pytest.mark.parametrize("place", ["3", "-1", "'a'", "1.0"])
def test_a_place_outside_the_mini_batch_raises(agent: Agent, place: str) -> None:
    answer = answer_of(agent, f"context.report_failed({place}, ''); return []")
    assert answer.kind == FAILED
    assert answer.error["type"] in ("IndexError", "TypeError")


# C181
def test_reports_of_an_attempt_that_raised_are_forgotten(agent: Agent) -> None:
    answer = answer_of(agent, "context.report_failed(0, 'x'); raise ValueError('later')")
    assert (answer.kind, answer.error["type"]) == (FAILED, "ValueError")


# C182
@pytest.mark.parametrize(
    ("settings", "expression", "text"),
    [
        ({"format": "csv"}, '["a,b", 3, None]', '"a,b"\n3\n""\n'),
        ({"format": "csv"}, '[[1, "x y"], (2, "z"), {"k": 4, "l": 5}]', "1,x y\n2,z\n4,5\n"),
        ({"format": "csv", "separator": ";"}, '[[1, "a;b"]]', '1;"a;b"\n'),
        (
            {"format": "csv"},
            '[{"id": 1, "x": 2}, {"x": 3, "id": 4}, {"y": 5}]',
            "1,2,\n4,3,\n,,5\n",
        ),
        ({"format": "jsonl"}, '[{"k": "gr\u00fc\u00df"}, "x", [1, None]]',
         '{"k": "gr\u00fc\u00df"}\n"x"\n[1, null]\n'),
        ({"format": "jsonl"}, '[float("nan"), {"v": [float("inf"), 1]}]',
         'null\n{"v": [null, 1]}\n'),
        ({"format": "jsonl"}, '[object, 1]', "\"<class 'object'>\"\n1\n"),
        ({"format": "csv"}, "[]", ""),
        ({"separator": ";"}, '["a b", [1, 2]]', "a b\n[1, 2]\n"),
    ],
)  # fmt: skip
def test_elements_take_the_form_that_the_job_asks_for(
    agent: Agent, settings: dict[str, object], expression: str, text: str
) -> None:
    answer = answer_of(agent, f"return {expression}", **settings)
    assert parts(answer) == [(ROWS, 0, 0, text.encode())]


# C182 C183 C184
@pytest.mark.parametrize(
    ("settings", "header", "rows"),
    [
        ({"format": "csv"}, None, '1,"a,b"\n2,\n'),
        ({"separator": "|"}, None, "1|a,b\n2|\n"),
        ({"header": True}, "n t\n", "1 a,b\n2 \n"),
        ({"format": "jsonl", "header": True}, None,
         '{"n":1,"t":"a,b"}\n{"n":2,"t":null}\n'),
        ({"row_settings": {"append_row": {"pandas.DataFrame.to_csv": {
            "sep": ";", "index": True, "header": True, "mode": "w", "na_rep": "none"}}}},
         ";n;t\n", "0;1;a,b\n1;2;none\n"),
        ({"row_settings": {"append_row": {"format": "csv"}}, "header": True},
         "n,t\n", '1,"a,b"\n2,\n'),
        ({"row_settings": {"append_row": {"pandas.DataFrame.to_csv": {"header": False}}},
          "header": True}, None, "1 a,b\n2 \n"),
    ],
)  # fmt: skip
def test_a_frame_takes_the_form_that_the_job_asks_for(
    agent: Agent, settings: dict[str, object], header: str | None, rows: str
) -> None:
    pytest.importorskip("pandas")
    if "row_settings" in settings:
        settings = {**settings, "row_settings": json.dumps(settings["row_settings"])}
    frame = 'pandas.DataFrame({"n": [1, 2], "t": ["a,b", None]})'
    answer = answer_of(agent, f"return {frame}", "import pandas", **settings)
    assert answer.returned == 2
    wanted = [(HEADER, 0, 0, header.encode())] if header is not None else []
    wanted.append((ROWS, 0, 0, rows.encode()))
    assert parts(answer) == wanted
    assert parts(agent.run("/again")) == wanted


@pytest.mark.parametrize(
    ("expression", "header"),
    [
        ("pandas.Series([1, 2], name='x,y')", b'"x,y"\n'),
        ("list(pandas.DataFrame({'n': [1, 2], 's': 'a'}).itertuples())", b"Index,n,s\n"),
        ("[P(1, 2), P(3, 4)]", b"a,b\n"),
    ],
)
def test_names_of_series_and_of_namedtuples_are_a_header(
    agent: Agent, expression: str, header: bytes
) -> None:
    pytest.importorskip("pandas")
    imports = "import collections, pandas\nP = collections.namedtuple('P', 'a b')\n"
    answer = answer_of(agent, f"return {expression}", imports, format="csv", header=True)
    assert parts(answer)[0] == (HEADER, 0, 0, header)
    assert "windrow:" not in agent.user("stderr")


NAMELESS = ["[1, 2]", "[(1, 2), (3, 4)]", "[P(1, 2), (3, 4)]", "pandas.Series([1, 2])"]


@pytest.mark.parametrize("expression", NAMELESS)
def test_that_there_is_no_header_is_told_once(agent: Agent, expression: str) -> None:
    pytest.importorskip("pandas")
    imports = "import collections, pandas\nP = collections.namedtuple('P', 'a b')\n"
    answer = answer_of(agent, f"return {expression}", imports, format="csv", header=True)
    assert [kind for kind, _, _, _ in parts(answer)] == [ROWS]
    assert parts(agent.run("/data/d"))
    said = agent.user("stderr")
    assert said.count("windrow: append_row.header: what run() returns has no names") == 1


# C182
def test_numpy_values_become_json_and_fields(agent: Agent) -> None:
    pytest.importorskip("numpy")
    body = "return [numpy.array([1, 2]), numpy.float64(0.5), {'v': numpy.int64(3)}]"
    answer = answer_of(agent, body, "import numpy", format="jsonl")
    assert parts(answer) == [(ROWS, 0, 0, b'[1, 2]\n0.5\n{"v": 3}\n')]


# C185
def test_a_dict_fills_several_outputs_and_the_longest_counts(agent: Agent) -> None:
    body = 'return {"b": ["1", "2"], "a": ("x",), "c": []} if mini_batch[0] == "/data/a" else ["y"]'
    answer = answer_of(agent, body, row_outputs=["a", "b", "c"])
    assert answer.returned == 2
    assert parts(answer) == [(ROWS, 1, 0, b"1\n2\n"), (ROWS, 0, 0, b"x\n"), (ROWS, 2, 0, b"")]
    assert parts(agent.run("/other")) == [(ROWS, 0, 0, b"y\n")]


# C185
@pytest.mark.parametrize(
    ("expression", "settings"),
    [
        ('{"d": []}', {"row_outputs": ["a", "b"]}),
        ('{"a": None}', {"row_outputs": ["a", "b"]}),
        ('{"a": {"a": []}}', {"row_outputs": ["a", "b"]}),
        ('{"a": []}', {}),
        ('{"a": []}', {"header": True}),
    ],
)
def test_any_other_dict_is_a_wrong_type(
    agent: Agent, expression: str, settings: dict[str, object]
) -> None:
    answer = answer_of(agent, f"return {expression}", **settings)
    assert (answer.kind, answer.flags) == (FAILED, WRONG_TYPE)


# C181 C184
def test_reports_stand_behind_headers_and_rows(agent: Agent) -> None:
    body = "context.report_failed(1, 'why'); return [{'k': 1}]"
    answer = answer_of(agent, body, format="csv", header=True)
    assert parts(answer) == [
        (HEADER, 0, 0, b"k\n"),
        (ROWS, 0, 0, b"1\n"),
        (REPORTED, 0, 1, b"why"),
    ]
