# SPDX-License-Identifier: Apache-2.0
"""Where our reader differs from the mltable package on purpose: what each of the two gives.

One column `x` beside a column `k`, so that no line is blank. An outcome is the dtype and the values
of x, "refused", or a number of rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

REFUSED = "refused"


@dataclass
class Difference:
    """`why`: what speaks for ours."""

    why: str
    cells: list[str]
    oracle: Any
    ours: Any
    options: dict[str, Any] = field(default_factory=dict)  # of read_delimited
    steps: list[Any] = field(default_factory=list)


def _converted(kind: Any) -> list[Any]:
    return [{"convert_column_types": [{"columns": "x", "column_type": kind}]}]


LOSS = "a value is lost without a word"
NEVER = "values of two types are never equal: nobody means that"
ABSENT = "a column that is not there is a mistake"
SAID = "what the table says counts more than what was guessed"
ONCE = "types are decided once, so that all mini-batches are alike"

DIFFERENCES = [
    Difference(LOSS, ["5"] * 200 + ["abc"], ("float64", [5.0, None]), REFUSED),
    Difference(LOSS, ["5"] * 200 + ["1.5"], ("int64", [5, 1]), REFUSED),
    Difference(LOSS, ["1"] * 200 + ["7"], ("object", [True, None]), REFUSED),
    Difference(
        LOSS, ["2020-01-02"] * 200 + ["abc"], ("datetime64[ns]", ["2020-01-02", None]), REFUSED
    ),
    Difference(ONCE, ["5"] * 200 + [""], ("float64", [5.0, None]), REFUSED),
    Difference(ONCE, ["true"] * 200 + [""], ("object", [True, None]), REFUSED),
    Difference(LOSS, ["00", "01"], ("object", [None, None]), ("int64", [0, 1])),
    Difference(LOSS, ["+1", "0"], ("object", [None, False]), ("int64", [1, 0])),
    Difference(LOSS, ["01/02/2020"], ("object", [None]), ("str", ["01/02/2020"])),
    Difference(LOSS, ["9999-12-31"], ("datetime64[ns]", [None]), ("str", ["9999-12-31"])),
    Difference(LOSS, ["13/02/20"], ("datetime64[ns]", [None]), ("str", ["13/02/20"])),
    Difference(ONCE, ["", ""], ("object", [None, None]), ("str", [None, None])),
    Difference("a file with a broken quote is broken", ['"a', "b"], ("str", ['"a', "b"]), REFUSED),
    Difference(LOSS, ["abc", "5"], ("float64", [None, 5.0]), REFUSED, steps=_converted("int")),
    Difference(
        LOSS,
        ["true", "false"],
        ("object", [None, None]),
        REFUSED,
        steps=[{"filter": "x == x"}, *_converted("int")],
    ),
    Difference(
        LOSS,
        ["20200102"],
        ("object", [None]),
        ("datetime64[ns]", ["2020-01-02"]),
        steps=_converted({"datetime": {"formats": ["%Y%m%d"]}}),
    ),
    Difference(
        "the text of the file is what is meant, and the way out of a type that was guessed",
        ["007", "8"],
        ("str", ["7", "8"]),
        ("str", ["007", "8"]),
        steps=_converted("string"),
    ),
    Difference(
        "the same for words",
        ["true"],
        ("str", ["True"]),
        ("str", ["true"]),
        steps=_converted("string"),
    ),
    Difference(
        SAID,
        ["2020-01-02"],
        ("datetime64[ns]", ["2020-01-02"]),
        ("datetime64[ns]", ["2020-02-01"]),
        steps=_converted({"datetime": {"formats": ["%Y-%d-%m"]}}),
    ),
    Difference(
        SAID,
        ["13/02/2020", "03/04/2020"],
        ("datetime64[ns]", ["2020-02-13", "2020-04-03"]),
        REFUSED,
        steps=_converted({"datetime": {"formats": ["%m/%d/%Y"]}}),
    ),
    Difference(
        SAID,
        ["1", "0"],
        ("bool", [True, False]),
        ("bool", [False, True]),
        steps=_converted({"boolean": {"true_values": ["0"], "false_values": ["1"]}}),
    ),
    Difference(
        SAID,
        ["2", "3"],
        ("bool", [True, True]),
        ("bool", [True, False]),
        steps=_converted({"boolean": {"true_values": ["2"], "false_values": ["3"]}}),
    ),
    Difference(ABSENT, ["5"], 0, REFUSED, steps=[{"filter": "zz > 5"}]),
    Difference(ABSENT, ["5"], 1, REFUSED, steps=[{"keep_columns": ["x", "zz"]}]),
    Difference(
        ABSENT,
        ["5"],
        ("int64", [5]),
        REFUSED,
        steps=[{"convert_column_types": [{"columns": "zz", "column_type": "string"}]}],
    ),
    Difference("text and numbers have no order", ["a"], 1, REFUSED, steps=[{"filter": "x > 5"}]),
    Difference(NEVER, ["true", "false"], 0, REFUSED, steps=[{"filter": 'x == "true"'}]),
    Difference(NEVER, ["true", "false"], 2, REFUSED, steps=[{"filter": "x != 1"}]),
    Difference(NEVER, ["5", "6"], 0, REFUSED, steps=[{"filter": 'x == "5"'}]),
    Difference(NEVER, ["2020-01-02"], 0, REFUSED, steps=[{"filter": 'x == "2020-01-02"'}]),
    Difference("nothing equals None", ["a", ""], 0, REFUSED, steps=[{"filter": "x == None"}]),
    Difference(
        "this reads as Python does", ["5", "9"], 2, REFUSED, steps=[{"filter": "6 < x < 10"}]
    ),
    Difference("an empty text can be compared", ["a"], REFUSED, 0, steps=[{"filter": 'x == ""'}]),
    Difference(ONCE, ["5", ""], ("int64", [5]), ("float64", [5.0]), steps=[{"filter": "x > 2"}]),
]


def text_of(difference: Difference) -> str:
    return "k,x\n" + "".join(f"r,{cell}\n" for cell in difference.cells)


def outcome(frame: Any, like: Any) -> Any:
    """Of a frame, in the form of an expected outcome."""
    if isinstance(like, int):
        return len(frame)
    values = []
    for value in frame["x"].tolist():
        missing = value is None or value != value
        values.append(None if missing else str(value)[:10] if hasattr(value, "year") else value)
    if len(values) > 100:
        values = [values[0], values[-1]]
    return str(frame["x"].dtype), values
