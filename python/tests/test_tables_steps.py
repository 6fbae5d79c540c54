# SPDX-License-Identifier: Apache-2.0
"""Transformations of tables, and columns from paths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tables_oracle.stepped import refused, steps
from tables_oracle.table_files import Table, rows
from windrow.tables.reader import TableError, TableReader


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
    assert "is not the name of a column" in refused({"keep_columns": 5})
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
        ("/{a:MM/dd}.csv", "is not a date"),
        ("/{a:int}.csv", "is not a date"),
        ("/{a/q.csv", "'{' stands alone"),
    ):
        with pytest.raises(TableError) as raised:
            TableReader({"format": "delimited", "files": [], "partition_format": form})
        assert said in str(raised.value)
