# SPDX-License-Identifier: Apache-2.0
"""Transformations of tables, and columns from paths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tables_oracle.table_files import Table, dtypes, rows, table
from windrow.tables.reader import TableError, TableReader

TEXT = "i,f,s,b,d,m\n5,1.5,x,true,2020-01-02,7\n6,2.0,3.0,false,2020-01-03,\n-7,-2.7,,true,,8\n"


def steps(folder: Path, *transformations: Any, text: str = TEXT, **description: Any) -> Table:
    options = {"types": "mltable", **description}
    return table(folder, text, transformations=list(transformations), **options)


def refused(*transformations: Any) -> str:
    with pytest.raises(TableError) as raised:
        TableReader({"format": "delimited", "files": [], "transformations": transformations})
    return str(raised.value)


def test_columns_are_kept_in_the_order_of_the_table(tmp_path: Path) -> None:
    assert list(steps(tmp_path, {"keep_columns": ["s", "i", "s"]}).frame().columns) == ["i", "s"]
    assert list(steps(tmp_path, {"keep_columns": "f"}).frame().columns) == ["f"]
    assert list(steps(tmp_path, {"drop_columns": ["i", "f", "s"]}).frame().columns) == [*"bdm"]
    pattern = {"pattern": "^[IF]$", "ignore_case": True}
    assert list(steps(tmp_path, {"keep_columns": pattern}).frame().columns) == ["i", "f"]
    inverted = {"pattern": "^[if]$", "invert": True}
    assert list(steps(tmp_path, {"keep_columns": inverted}).frame().columns) == [*"sbdm"]
    assert "no column is left" in steps(tmp_path, {"drop_columns": [*"ifsbdm"]}).error()


def test_columns_that_are_not_there_are_neither_kept_nor_converted(tmp_path: Path) -> None:
    listed = "'i', 'f', 's', 'b', 'd', 'm'"
    converted = {"convert_column_types": [{"columns": ["i", "F"], "column_type": "float"}]}
    for first, said in (
        ({"keep_columns": ["i", "none"]}, f"keep_columns: no column 'none'; there are {listed}"),
        ({"keep_columns": "I"}, f"keep_columns: no column 'I'; there are {listed}"),
        (converted, f"convert_column_types: no column 'F'; there are {listed}"),
    ):
        assert steps(tmp_path, first).error() == said
        assert steps(tmp_path, {"drop_columns": "none"}, first).error() == said
    kept = {"keep_columns": ["f", "i"]}
    lost = steps(tmp_path, kept, {"keep_columns": "s"}).error()
    assert lost == "keep_columns: no column 's'; there are 'i', 'f'"
    overridden = {"column_type_overrides": {"zz": "string"}}
    assert "no column 'zz'" in steps(tmp_path, infer_column_types=overridden).error()
    assert len(steps(tmp_path, converted, text="").frame()) == 0


def test_a_column_that_is_not_kept_may_hold_anything(tmp_path: Path) -> None:
    text = "a,b\n" + "5,6\n" * 200 + "7,oops\n"
    assert len(steps(tmp_path, {"keep_columns": "a"}, text=text).frame()) == 201


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
        ("int", "abc", "convert to float"),
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

    assert "none of int, float" in refused(convert("double"))
    assert "none of int, float" in refused(convert("stream_info"))
    assert "datetime needs formats" in refused(convert("datetime"))
    assert "datetime needs formats" in refused(convert({"datetime": {"formats": []}}))
    assert "is no format" in refused(convert({"datetime": {"formats": ["yyyy-MM-dd"]}}))
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


def numbered(folder: Path, *transformations: Any) -> Table:
    made = Table(folder, transformations=list(transformations))
    for number in range(3):
        text = "".join(f"{i}\n" for i in range(number * 10 + 100, number * 10 + 110))
        made.add(f"{number}.csv", "n\n" + text)
    return made


def stretches(made: Table) -> list[str]:
    """Each file in two, with the numbers of the rows."""
    names = []
    for number, path in enumerate(made.description["files"]):
        first = number * 10
        names += [f"{path}@0+14#{first}*3", f"{path}@14+28#{first + 3}*7"]
    return names


@pytest.mark.parametrize(
    ("transformations", "expected"),
    [
        ([{"skip": 12}], list(range(112, 130))),
        ([{"take": 12}], list(range(100, 112))),
        ([{"skip": 5}, {"take": 10}, {"skip": 1}], list(range(106, 115))),
        ([{"take": 0}], []),
        ([{"skip": 100}], []),
    ],
)
def test_rows_are_skipped_and_taken_by_their_numbers(
    tmp_path: Path, transformations: list[Any], expected: list[int]
) -> None:
    made = numbered(tmp_path, *transformations)
    reader = made.reader()
    one_by_one = [n for name in stretches(made) for n in reader.frame([name])["n"].tolist()]
    assert one_by_one == expected
    assert reader.frame(stretches(made))["n"].tolist() == expected
    assert made.frame()["n"].tolist() == expected


def test_after_a_filter_rows_are_counted_over_the_whole_table(tmp_path: Path) -> None:
    made = numbered(tmp_path, {"filter": "n % 2 == 0"}, {"skip": 4}, {"take": 5})
    reader = made.reader()
    assert reader.frame(stretches(made))["n"].tolist() == [108, 110, 112, 114, 116]
    with pytest.raises(TableError, match="needs the whole table at once"):
        reader.frame(stretches(made)[1:])


def many_files(folder: Path, count: int, *transformations: Any, packed: bool = False) -> Table:
    """Files of two rows each, of which the description names the first 200."""
    import gzip

    made = Table(folder, transformations=list(transformations), whole=True)
    for number in range(count):
        text = f"n\n{number * 2}\n{number * 2 + 1}\n".encode()
        end = ".csv.gz" if packed else ".csv"
        made.add(f"{number:04}{end}", gzip.compress(text) if packed else text)
    return made


def whole_call(made: Table) -> list[int]:
    names = made.names()
    made.description["files"] = made.description["files"][:200]
    return [int(n) for n in made.reader().frame(names)["n"]]


def test_a_call_with_the_whole_table_counts_on_behind_the_files_that_are_named(
    tmp_path: Path,
) -> None:
    even = {"filter": "n % 2 == 0"}
    found = whole_call(many_files(tmp_path / "1", 250, even, {"skip": 240}, {"take": 5}))
    assert found == [480, 482, 484, 486, 488]
    found = whole_call(many_files(tmp_path / "2", 250, {"skip": 495}, packed=True))
    assert found == [495, 496, 497, 498, 499]
    found = whole_call(many_files(tmp_path / "3", 250, {"take": 450}, even, {"skip": 223}))
    assert found == [446, 448]


def test_a_sample_of_the_whole_table_does_not_depend_on_what_is_known_of_it(tmp_path: Path) -> None:
    step = {"take_random_sample": {"probability": 0.5, "seed": 7}}
    made = many_files(tmp_path, 250, step)
    names, files = made.names(), made.description["files"]
    expected = Table(tmp_path, transformations=[step], files=files).reader().frame(names)
    assert 150 < len(expected) < 350
    assert whole_call(made) == expected["n"].tolist()


def test_a_call_with_the_end_of_the_table_is_refused(tmp_path: Path) -> None:
    made = many_files(tmp_path, 3, {"filter": "n > 0"}, {"take": 4})
    assert made.reader().frame(made.names()[:2])["n"].tolist() == [1, 2, 3]
    with pytest.raises(TableError, match="needs the whole table at once"):
        made.reader().frame(made.names()[1:])


def test_a_sample_is_the_same_whatever_the_cuts(tmp_path: Path) -> None:
    step = {"take_random_sample": {"probability": 0.5, "seed": 7}}
    made = numbered(tmp_path, step)
    whole = made.frame()["n"].tolist()
    assert 5 < len(whole) < 25
    reader = made.reader()
    assert [n for name in stretches(made) for n in reader.frame([name])["n"].tolist()] == whole
    other = {"take_random_sample": {"probability": 0.5, "seed": 8}}
    assert numbered(tmp_path, other).frame()["n"].tolist() != whole
    for probability, count in ((0, 0), (1, 30)):
        sure = {"take_random_sample": {"probability": probability, "seed": 7}}
        assert len(numbered(tmp_path, sure).frame()) == count


def test_steps_that_are_none_are_refused() -> None:
    assert "unknown step 'explode'" in refused({"explode": 1})
    assert "is not one step" in refused({"take": 1, "skip": 2})
    assert "take: a number of rows" in refused({"take": -1})
    assert "skip: a number of rows" in refused({"skip": 1.5})
    assert "probability is 1.5" in refused({"take_random_sample": {"probability": 1.5, "seed": 1}})
    assert "seed is None" in refused({"take_random_sample": {"probability": 0.5}})
    assert "no name of a column" in refused({"keep_columns": 5})
    assert "pattern '['" in refused({"keep_columns": {"pattern": "["}})


@pytest.mark.parametrize(
    ("form", "path", "expected"),
    [
        (
            "/{Region}/{Day:yyyy/MM/dd}/data.csv",
            "base/North/2020/03/01/data.csv",
            ["North", "2020-03-01"],
        ),
        (
            "{Region}/{Day:yyyy-MM-dd}/data.csv",
            "North/2020-03-01/data.csv",
            ["North", "2020-03-01"],
        ),
        ("/{Day:yyyyMMdd}.csv", "x/20200301.csv", ["2020-03-01"]),
        ("/{Day:yyyy}/{a}.csv", "2020/r.csv", ["r", "2020-01-01"]),
        ("/{Day:yyyy_MM_dd_HH_mm_ss}.csv", "2020_03_01_04_05_06.csv", ["2020-03-01 04:05:06"]),
        ("/{a}/{b}.csv", "p/q/r.csv", ["q", "r"]),
        ("/{a}_{b}.csv", "p_q_r.csv", ["p_q", "r"]),
        ("/k={a}/*.csv", "k=a%20b/q.csv", ["a b"]),
        ("/{a}/q.csv", "50%/q.csv", ["50%"]),
        ("/year={y}/month={m}", "year=2020/month=3/x/y.csv", ["2020", "3"]),
        ("/{a}/", "p/q.csv", ["p"]),
    ],
)
def test_columns_come_from_paths(tmp_path: Path, form: str, path: str, expected: list[str]) -> None:
    import pandas

    made = Table(tmp_path, partition_format=form, partition_root=str(tmp_path))
    made.add(path, "x\n5\n")
    values = rows(made.frame())[0]
    texts = [str(pandas.Timestamp(v)) if hasattr(v, "year") else v for v in values[:-1]]
    wanted = [str(pandas.Timestamp(v)) if v[:2] == "20" and "-" in v else v for v in expected]
    assert (texts, values[-1]) == (wanted, 5)


def test_columns_from_paths_stand_where_they_are_made(tmp_path: Path) -> None:
    step = {"extract_columns_from_partition_format": {"partition_format": "/{a}/q.csv"}}
    for transformation in (step, {"extract_columns_from_partition_format": "/{a}/q.csv"}):
        made = Table(tmp_path, transformations=[transformation, {"keep_columns": ["x", "a"]}])
        made.add("1/q.csv", "x,y\n5,6\n")
        made.add("2/q.csv", "x,y\n7,8\n")
        assert rows(made.frame()) == [[5, "1"], [7, "2"]]
    last = Table(tmp_path, partition_format="/{a}/q.csv", partition_first=False)
    last.add("1/q.csv", "x\n5\n")
    assert list(last.frame().columns) == ["x", "a"]


def test_columns_come_from_folders_called_key_and_value(tmp_path: Path) -> None:
    made = Table(tmp_path, partition_hive=["year", "place"], partition_first=False)
    made.add("year=2020/place=a%20b/q.csv", "x\n5\n")
    assert rows(made.frame()) == [[5, "2020", "a b"]]
    made.add("year=2020/q.csv", "x\n5\n")
    assert "no folder is called place=VALUE" in made.error()


def test_paths_and_formats_that_do_not_match_are_told(tmp_path: Path) -> None:
    made = Table(tmp_path, partition_format="/{d:yyyy/MM}/q.csv")
    made.add("2020/13/q.csv", "x\n5\n")
    assert "2020/13/q.csv: 'd' of partition_format" in made.error()
    made = Table(tmp_path, partition_format="/{d:yyyy/MM}/q.csv")
    made.add("2020/q.csv", "x\n5\n")
    assert made.error().startswith("2020/q.csv: does not match partition_format")
    made = Table(tmp_path, partition_format="/{x}/q.csv")
    made.add("p/q.csv", "x\n5\n")
    assert "the table has a column 'x' already" in made.error()
    for form, said in (
        ("/q.csv", "it has no {key}"),
        ("/{}/q.csv", "a key needs a name"),
        ("/{a}/{a}.csv", "two keys are called 'a'"),
        ("/{a:MM/dd}.csv", "is no date"),
        ("/{a:int}.csv", "is no date"),
        ("/{a/q.csv", "'{' stands alone"),
    ):
        with pytest.raises(TableError) as raised:
            TableReader({"format": "delimited", "files": [], "partition_format": form})
        assert said in str(raised.value)
