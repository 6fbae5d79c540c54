# SPDX-License-Identifier: Apache-2.0
"""Rows that are kept by what is in them: filter."""

from __future__ import annotations

from pathlib import Path

import pytest
from tables_oracle.stepped import refused, steps
from tables_oracle.table_files import dtypes, rows


@pytest.mark.parametrize(
    ("expression", "kept"),
    [
        ('col("i") > 5', [1]),
        ("i == 5 or i == 6", [0, 1]),
        ("i > 4 and not f > 1.5", [0]),
        ('s == "x"', [0]),
        ('s != "x"', [1]),
        ('not s == "x"', [1]),
        ('s != "q" or i < 0', [0, 1, 2]),
        ("b", [0, 2]),
        ("not b", [1]),
        ("b == False", [1]),
        ("d == datetime(2020, 1, 3)", [1]),
        ("d > datetime(2020)", [0, 1]),
        ("not d > datetime(2020, 1, 2)", [0]),
        ("m > 7", [2]),
        ("not m > 7", [0]),
        ("-i < -5", [1]),
        ("i % 2 == 0 and i // 2 == 3 and i / 2 == 3.0", [1]),
        ("i / 0 > 1", []),
        ('s.startswith("3")', [1]),
        ('starts_with(s, "x")', [0]),
        ("i == 5.0", [0]),
        ("True", [0, 1, 2]),
        ("1 > 2", []),
    ],
)
def test_rows_are_filtered(tmp_path: Path, expression: str, kept: list[int]) -> None:
    whole = rows(steps(tmp_path).frame())
    frame = steps(tmp_path, {"filter": expression}).frame()
    assert rows(frame) == [whole[i] for i in kept]
    assert list(frame.index) == list(range(len(kept)))
    assert dtypes(frame) == dtypes(steps(tmp_path).frame())


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "a >",
        "a = 5",
        "a in (1, 2)",
        "a is None",
        "a == None",
        "1 < a < 2",
        "a & b",
        "a < 5 & b",
        "~a",
        "lambda: 1",
        "a if b else c",
        "[a]",
        "a.b",
        "a[0]",
        "f'{a}'",
        "__import__('os')",
        "open('x')",
        "col(a)",
        "col('a', 'b')",
        "a.__class__()",
        "datetime('2020')",
        "datetime(2020, 13)",
        "len(a) > 1",
        "(" * 300 + "a" + ")" * 300,
        "not " * 250 + "a",
        "a > 1j",
    ],
)
def test_other_expressions_are_refused_before_anything_runs(expression: str) -> None:
    assert refused({"filter": expression}).startswith(f"filter {expression!r}")


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("(i > 5) & (f < 1)", "& is unknown; write `and`"),
        ("(i > 5) | b", "| is unknown; write `or`"),
        ("~b", "~ is unknown; write `not`"),
        ("i ^ 2 > 5", "BinOp is unknown; allowed are"),
    ],
)
def test_signs_of_pandas_are_told_by_their_words(expression: str, said: str) -> None:
    assert refused({"filter": expression}).startswith(f"filter {expression!r}: {said}")


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("zz > 5", "no column 'zz'; there are 'i', 'f'"),
        ("b == true", "no column 'true'.*write True"),
        ("i", "the whole is a number"),
        ("s > 5", "a text is compared with a number"),
        ('i == "5"', 'a number is compared with a text; write 5 for a number and "5" for a text'),
        ('i != "5"', "a number is compared with a text"),
        ('b == "true"', "a boolean is compared with a text; write True or False, without quotes"),
        ("b != 1", "a boolean is compared with a number; write True or False"),
        ('"2020-01-02" == d', "a text is compared with a datetime; write datetime"),
        ("d == i", "a datetime is compared with a number"),
        ("i and b", "join what is true or false"),
        ('s + "x" == "xx"', "arithmetic with a text"),
        ('i.startswith("5")', "startswith with a number"),
    ],
)
def test_expressions_that_do_not_fit_the_table_are_told(
    tmp_path: Path, expression: str, said: str
) -> None:
    import re

    assert re.search(said, steps(tmp_path, {"filter": expression}).error())
