# SPDX-License-Identifier: Apache-2.0
"""Columns that are given another type: convert_column_types."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tables_oracle.stepped import refused, steps
from tables_oracle.table_files import Table, dtypes, rows


@pytest.mark.parametrize(
    ("column", "kind", "dtype", "values"),
    [
        ("i", "float", "float64", [5.0, 6.0, -7.0]),
        ("f", "int", "int64", [1, 2, -2]),
        ("m", "int", "float64", [7.0, None, 8.0]),
        ("i", "string", "text", ["5", "6", "-7"]),
        ("f", "string", "text", ["1.5", "2.0", "-2.7"]),
        ("d", "string", "text", ["2020-01-02", "2020-01-03", None]),
        ("i", "boolean", "bool", [True, True, True]),
        ("m", "boolean", "object", [True, None, True]),
        ("b", "boolean", "bool", [True, False, True]),
    ],
)
def test_columns_are_converted(
    tmp_path: Path, column: str, kind: str, dtype: str, values: list[Any]
) -> None:
    step = {"convert_column_types": [{"columns": [column], "column_type": kind}]}
    frame = steps(tmp_path, step, {"keep_columns": column}).frame()
    assert dtypes(frame) == {column: dtype}
    assert [row[0] for row in rows(frame)] == values


def test_typed_columns_become_text_as_the_mltable_package_writes_it(tmp_path: Path) -> None:
    """Where a filter looks at a column first, its type must be known by then."""
    step = {"convert_column_types": [{"columns": [*"ifbd"], "column_type": "string"}]}
    frame = steps(tmp_path, {"filter": "d == d and b == b and f < 1000000"}, step).frame()
    assert rows(frame)[0][:5] == ["5", "1.5", "x", "True", "2020-01-02T00:00:00+00:00"]
    assert rows(frame)[1][1] == "2"
    large = "f\n1e22\n1e-7\n123456789.125\n"
    only = {"convert_column_types": [{"columns": "f", "column_type": "string"}]}
    values = rows(steps(tmp_path, {"filter": "f > 0"}, only, text=large).frame())
    assert values == [["10000000000000000000000"], ["0.0000001"], ["123456789.125"]]


def test_what_a_column_is_converted_to_overrules_what_was_inferred(tmp_path: Path) -> None:
    text = "a,b\n" + "007,5\n" * 200 + "oops,6.5\n"
    step = {
        "convert_column_types": [
            {"columns": "a", "column_type": "string"},
            {"columns": "b", "column_type": "float"},
        ]
    }
    frame = steps(tmp_path, step, text=text).frame()
    assert (rows(frame)[0], rows(frame)[-1]) == (["007", 5.0], ["oops", 6.5])


@pytest.mark.parametrize(
    ("kind", "late", "advice"),
    [
        ("int", "abc", "convert to string"),
        ("int", "", "convert to float"),
        ("int", "1e30", "convert to float"),
        ("boolean", "abc", "convert to string"),
        ({"datetime": {"formats": ["%Y"]}}, "abc", "convert to string"),
    ],
)
def test_what_cannot_be_converted_is_told(
    tmp_path: Path, kind: Any, late: str, advice: str
) -> None:
    early = "yes!" if kind == "boolean" else "2020"
    text = "k,a\n" + f"r,{early}\n" * 200 + f"r,{late}\n"
    options: Any = kind
    if kind == "boolean":
        options = {"boolean": {"true_values": ["yes!"], "false_values": ["no!"]}}
    step = {"convert_column_types": [{"columns": "a", "column_type": options}]}
    said = steps(tmp_path, step, text=text).error()
    value = repr(late) if late else "a missing value"
    assert said.startswith(f"data.csv line 202, column 'a': {value} cannot be made")
    assert advice in said


@pytest.mark.parametrize("before", [1, 200])
def test_what_is_no_float_is_told_by_the_reader_itself(tmp_path: Path, before: int) -> None:
    text = "a,b\n" + "1,5\n" * before + "1,n.a.\n"
    step = {"convert_column_types": [{"columns": "b", "column_type": "float"}]}
    made = steps(tmp_path, step, text=text)
    assert made.error() == (
        f"data.csv line {before + 2}, column 'b': 'n.a.' cannot be made float by"
        " convert_column_types; convert to string, or repair the file"
    )
    made.reader().check()
    good = f"{made.description['files'][0]}@4+4#0*0"
    assert rows(made.reader().frame([good]))[0][1] == 5.0


def test_dates_take_the_first_format_that_fits(tmp_path: Path) -> None:
    import pandas

    text = "a\n31.12.2020\n2020-01-02 03:04\n 3 Feb 2021\n"
    formats = ["%d.%m.%Y", "%Y-%m-%d %H:%M", "%d %b %Y"]
    kind = {"datetime": {"formats": formats}}
    step = {"convert_column_types": [{"columns": "a", "column_type": kind}]}
    frame = steps(tmp_path, step, text=text).frame()
    assert dtypes(frame) == {"a": "datetime64[ns]"}
    expected = ["2020-12-31", "2020-01-02 03:04", "2021-02-03"]
    assert frame["a"].tolist() == [pandas.Timestamp(text) for text in expected]
    numbers = {"datetime": {"formats": "%Y%m%d"}}
    step = {"convert_column_types": [{"columns": "a", "column_type": numbers}]}
    frame = steps(tmp_path, step, text="a\n20200131\n20200201\n").frame()
    assert frame["a"].tolist() == [pandas.Timestamp("2020-01-31"), pandas.Timestamp("2020-02-01")]


def dated(folder: Path, cells: list[str], *formats: str) -> Table:
    kind = {"datetime": {"formats": list(formats)}}
    step = {"convert_column_types": [{"columns": "x", "column_type": kind}]}
    return steps(folder, step, text="k,x\n" + "".join(f"r,{cell}\n" for cell in cells))


def test_formats_overrule_dates_that_were_inferred(tmp_path: Path) -> None:
    frame = dated(tmp_path, ["2020-01-02", "", "2020-03-04"], "%Y-%d-%m").frame()
    assert [str(value)[:10] for value in frame["x"]] == ["2020-02-01", "NaT", "2020-04-03"]
    said = dated(tmp_path, ["13/02/2020", "03/04/2020"], "%m/%d/%Y").error()
    assert said.startswith("data.csv line 2, column 'x': '13/02/2020' cannot be made datetime by")
    for form in ("%Y-%m-%d", "%d.%m.%Y"):
        frame = dated(tmp_path, ["2020-01-02", "2020-01-02T03:04:05"], form).frame()
        assert [str(value) for value in frame["x"]] == [
            "2020-01-02 00:00:00",
            "2020-01-02 03:04:05",
        ]


@pytest.mark.parametrize(
    ("cells", "true", "false", "mismatch", "values"),
    [
        (["1", "0"], "0", "1", "error", [False, True]),
        (["Y", "", "N"], "N", "Y", "error", [False, None, True]),
        (["2", "3"], "2", "3", "error", [True, False]),
        (["true", "false"], "true", "off", "true", [True, True]),
        (["true", "false", "Yes"], "true", "false", "error", [True, False, True]),
        (["true", "false"], "on", "off", "error", [True, False]),
        (["2", "0", "7"], "2", "0", "error", "line 4, column 'x': '7' cannot be made boolean"),
        (["N", "Y", "Yes"], "N", "Y", "error", "line 4, column 'x': 'Yes' cannot be made boolean"),
    ],
)
def test_words_overrule_truth_that_was_inferred(
    tmp_path: Path, cells: list[str], true: str, false: str, mismatch: str, values: Any
) -> None:
    words = {"true_values": [true], "false_values": [false], "mismatch_as": mismatch}
    step = {"convert_column_types": [{"columns": "x", "column_type": {"boolean": words}}]}
    made = steps(tmp_path, step, text="k,x\n" + "".join(f"r,{cell}\n" for cell in cells))
    if isinstance(values, str):
        assert values in made.error()
    else:
        assert [row[1] for row in rows(made.frame())] == values


@pytest.mark.parametrize(("mismatch", "value"), [("true", True), ("false", False)])
def test_other_words_can_be_true_or_false(tmp_path: Path, mismatch: str, value: bool) -> None:
    words = {"true_values": ["on"], "false_values": ["off"], "mismatch_as": mismatch}
    step = {"convert_column_types": [{"columns": "a", "column_type": {"boolean": words}}]}
    frame = steps(tmp_path, step, text="a,k\non,1\noff,1\nhm,1\n,1\n").frame()
    assert frame["a"].tolist() == [True, False, value, None]


def test_conversions_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    def convert(kind: Any) -> Any:
        return {"convert_column_types": [{"columns": "a", "column_type": kind}]}

    assert "not one of int, float" in refused(convert("double"))
    assert "not one of int, float" in refused(convert("stream_info"))
    assert "datetime needs formats" in refused(convert("datetime"))
    assert "datetime needs formats" in refused(convert({"datetime": {"formats": []}}))
    assert "is not a format" in refused(convert({"datetime": {"formats": ["yyyy-MM-dd"]}}))
    together = {"boolean": {"true_values": ["x"]}}
    assert "given together or not at all" in refused(convert(together))
    both = {"boolean": {"true_values": ["x"], "false_values": ["x"]}}
    assert "'x' is in true_values and in false_values" in refused(convert(both))
    assert "mismatch_as is error" in refused(convert({"boolean": {"mismatch_as": "maybe"}}))
    assert "a list of" in refused({"convert_column_types": {"columns": "a"}})
    assert "is not {columns, column_type}" in refused({"convert_column_types": [{}]})
    step = {"convert_column_types": [{"columns": "b", "column_type": "int"}]}
    filtered = steps(tmp_path, {"filter": "b"}, step).error()
    assert "boolean cannot be made int" in filtered
