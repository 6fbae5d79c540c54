# SPDX-License-Identifier: Apache-2.0
"""The types of delimited text: decided once, the same in every mini-batch."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from tables_oracle.engines import ENGINES, Engines
from tables_oracle.table_files import Table, dtypes, rows, table
from windrow.tables import fast_arrow, fast_pandas

MLTABLE: list[tuple[list[str], str]] = [
    (["5", "-6"], "int64"),
    (["007", " 8", "+9"], "int64"),
    (["5", ""], "float64"),
    (["5", "1.5"], "float64"),
    (["9223372036854775808"], "float64"),
    (["1e400", "nan", "-inf", ".5"], "float64"),
    (["0", "1"], "bool"),
    (["true", "F", "Yes"], "bool"),
    (["true", ""], "object"),
    (["0", "1", "2"], "int64"),
    (["00", "01"], "int64"),
    (["yes", "no"], "text"),
    (["2020-01-31", ""], "datetime64[ns]"),
    (["2020-01-31 01:02:03", "2020-01-31"], "datetime64[ns]"),
    (["2020-01-31T01:02:03.5Z"], "datetime64[ns]"),
    (["31/01/2020", "01/02/2020"], "datetime64[ns]"),
    (["01/02/2020"], "text"),
    (["31/01/2020", "01/31/2020"], "text"),
    (["2020-02-30"], "text"),
    (["9999-12-31"], "text"),
    (["2020-01-31 01:02"], "text"),
    (["NA", "5"], "text"),
    (["0x10", "5"], "text"),
    (["1_000"], "text"),
    (["", ""], "text"),
]
PANDAS: list[tuple[list[str], str]] = [
    (["5", "-6"], "int64"),
    (["0", "1"], "int64"),
    (["5", ""], "float64"),
    (["NA", "5"], "float64"),
    (["null", "N/A"], "float64"),
    (["9223372036854775808", "1"], "uint64"),
    (["true", "False"], "bool"),
    (["True", ""], "object"),
    (["yes", "no"], "text"),
    (["2020-01-31"], "text"),
    (["0x10", "5"], "text"),
]


def column(folder: Path, cells: list[str], **description: Any) -> Table:
    return table(folder, "k,x\n" + "".join(f"r,{cell}\n" for cell in cells), **description)


@pytest.mark.parametrize(("cells", "kind"), MLTABLE)
def test_types_as_the_mltable_package_decides(tmp_path: Path, cells: list[str], kind: str) -> None:
    assert dtypes(column(tmp_path, cells, types="mltable").frame())["x"] == kind


@pytest.mark.parametrize(("cells", "kind"), PANDAS)
def test_types_as_pandas_decides(tmp_path: Path, cells: list[str], kind: str) -> None:
    assert dtypes(column(tmp_path, cells, types="pandas").frame())["x"] == kind


QUOTED: list[list[str]] = [
    ["1", "", "3"],
    ["", "2"],
    ["1.5", "", "NA"],
    ["True", ""],
    ["True", "False", ""],
    ["a", ""],
    ["", ""],
]


@pytest.mark.parametrize("cells", QUOTED)
@pytest.mark.parametrize("engine", ENGINES)
def test_an_empty_field_in_quotes_is_missing_as_pandas_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cells: list[str], engine: str
) -> None:
    import pandas

    Engines(monkeypatch).use(engine)
    text = '"k","x"\n' + "".join(f'"r","{cell}"\n' for cell in cells)
    expected = pandas.read_csv(io.StringIO(text))
    found = table(tmp_path, text, types="pandas").frame()
    assert (dtypes(found), rows(found)) == (dtypes(expected), rows(expected))
    filled = table(tmp_path, text, types="pandas", empty_as_string=True).frame()
    assert dtypes(filled)["x"] == "text"


@pytest.mark.parametrize("engine", ENGINES)
def test_an_empty_field_in_quotes_leaves_whole_numbers_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    Engines(monkeypatch).use(engine)
    found = table(tmp_path, 'a,b\n1,2\n"",3\n', types="pandas", frame="pyarrow").frame()
    assert dtypes(found)["a"] == "Int64"
    assert rows(found) == [[1, 2], [None, 3]]


def test_values_are_what_the_text_says(tmp_path: Path) -> None:
    import pandas

    cells = ["2020-01-31T01:02:03.25", "2020-01-31 23:59:60", "1999-1-2", ""]
    found = column(tmp_path, cells, types="mltable").frame()["x"]
    expected = ["2020-01-31T01:02:03.25", "2020-02-01", "1999-01-02", None]
    assert found.tolist()[:3] == [pandas.Timestamp(text) for text in expected[:3]]
    zoned = column(tmp_path, ["2020-01-31T01:02:03+02:00"], types="mltable").frame()["x"]
    assert zoned.tolist() == [pandas.Timestamp("2020-01-30T23:02:03")]
    clocks = column(tmp_path, ["31/01/2020 12:07 AM", "1/2/2020 3:07 pm"], types="mltable")
    assert clocks.frame()["x"].tolist() == [
        pandas.Timestamp("2020-01-31T00:07"),
        pandas.Timestamp("2020-02-01T15:07"),
    ]
    months = column(tmp_path, ["31-Jan-2020", "1-FEB-99"], types="mltable")
    assert months.frame()["x"].tolist() == [
        pandas.Timestamp("2020-01-31"),
        pandas.Timestamp("1999-02-01"),
    ]


LATE = [
    ("5", "abc", "int64"),
    ("5", "1.5", "int64"),
    ("5", "0x10", "int64"),
    ("5", "", "int64"),
    ("5", "99999999999999999999", "int64"),
    ("1.5", "abc", "float64"),
    ("true", "abc", "bool"),
    ("true", "", "bool"),
    ("1", "7", "bool"),
    ("2020-01-31", "abc", "datetime64"),
    ("31/01/2020", "01/31/2020", "datetime64"),
]


@pytest.mark.parametrize(("early", "late", "kind"), LATE)
def test_a_late_value_that_does_not_fit_is_named(
    tmp_path: Path, early: str, late: str, kind: str
) -> None:
    said = column(tmp_path, [early] * 200 + [late], types="mltable").error()
    value = repr(late) if late else "a missing value"
    assert said.startswith(f"data.csv line 202, column 'x': {value} does not fit {kind}, the type")
    assert "convert_column_types" in said
    assert "infer_column_types: false" in said
    assert "mixed types" in said


def test_the_line_is_right_in_a_later_stretch(tmp_path: Path) -> None:
    made = column(tmp_path, ["5"] * 300 + ["abc", "6"])
    path = made.description["files"][0]
    size = Path(path).stat().st_size
    for begin in (4 + 4 * 250, 4 + 4 * 300):
        with pytest.raises(Exception, match="line 302, column 'x': 'abc'"):
            made.reader().frame([f"{path}@{begin}+{size - begin}#0*0"])


@pytest.mark.parametrize("late", ["", "abc"])
def test_text_takes_everything(tmp_path: Path, late: str) -> None:
    for description in ({"infer_column_types": False}, {"mixed_types": True}):
        frame = column(tmp_path, ["5"] * 200 + [late], **description).frame()
        assert dtypes(frame)["x"] == "text"
        assert rows(frame)[0] == ["r", "5"]


@pytest.mark.parametrize("types", ["pandas", "mltable"])
@pytest.mark.parametrize("reader", [fast_arrow, fast_pandas])
def test_columns_that_are_said_to_be_text_keep_their_digits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, types: str, reader: object
) -> None:
    monkeypatch.setattr(fast_arrow, "available", lambda: reader is fast_arrow)
    made = Table(tmp_path, types=types, text_columns=["zip"])
    made.add("a.csv", "zip,n\n00123,007\n1.50,8\n,9\n")
    frame = made.frame()
    assert dtypes(frame) == {"zip": "text", "n": "int64"}
    assert rows(frame) == [["00123", 7], ["1.50", 8], [None, 9]]
    made.description["text_columns"] = ["zap"]
    assert made.error() == "text_columns: there is no column 'zap', only 'zip', 'n'"


def test_missing_floats_and_dates_fit_later(tmp_path: Path) -> None:
    for early, kind in (("1.5", "float64"), ("2020-01-31", "datetime64[ns]")):
        frame = column(tmp_path, [early] * 200 + [""], types="mltable").frame()
        assert dtypes(frame)["x"] == kind
        assert rows(frame)[-1] == ["r", None]


def test_types_are_those_of_the_first_files_whatever_a_stretch_holds(tmp_path: Path) -> None:
    made = Table(tmp_path, types="mltable")
    made.add("1.csv", "a,b\n5,1.5\n0,2\n")
    made.add("2.csv", "a,b\n1,1\n0,0\n")
    reader = made.reader()
    for name in made.names():
        assert dtypes(reader.frame([name])) == {"a": "int64", "b": "float64"}


def test_odd_numbers_are_read_exactly_once_the_type_is_known(tmp_path: Path) -> None:
    early = ["5"] * 200
    frame = column(tmp_path, [*early, "+6", " 7 ", "007", "\t8"]).frame()
    assert frame["x"].tolist()[-4:] == [6, 7, 7, 8]


def test_the_number_of_rows_looked_at_can_be_said(tmp_path: Path) -> None:
    short = {"infer_column_types": {"sample_size": 1}}
    assert "line 3" in column(tmp_path, ["5", "abc"], **short).error()
    longer = {"infer_column_types": {"sample_size": 300}}
    assert dtypes(column(tmp_path, ["5"] * 250 + ["a"], **longer).frame())["x"] == "text"


def test_types_can_be_overridden(tmp_path: Path) -> None:
    as_list = [{"columns": "x", "column_type": "string"}]
    for overrides in (as_list, {"x": "string"}):
        infer = {"infer_column_types": {"column_type_overrides": overrides}}
        frame = column(tmp_path, ["007", "8"], **infer).frame()
        assert rows(frame) == [["r", "007"], ["r", "8"]]
