# SPDX-License-Identifier: Apache-2.0
"""Tables that are cut by the values of columns into folders of Parquet files."""

from __future__ import annotations

import datetime
import json
import random
import shutil
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import dataset, ipc, parquet
from tables_oracle.table_files import Table, rows, table
from windrow.tables import repartition
from windrow.tables.partition import HiveKeys
from windrow.tables.reader import TableError, TableReader

MEMORY = 64 << 20


class Cut:
    """A table that was cut."""

    def __init__(self, made: Table, *by: str, memory: int = MEMORY, names: Any = None) -> None:
        self.by, self.to = list(by), made.folder / "to"
        self.names = made.folder / "names"
        self.names.write_text("\0".join(made.names() if names is None else names))
        steps = [json.dumps(step) for step in made.description.get("transformations", [])]
        description = {**made.description, "transformations": steps, "inference": ""}
        self.answer = repartition.run(
            {
                "do": "partition",
                "table": description,
                "names": str(self.names),
                "by": self.by,
                "to": str(self.to),
                "memory": memory,
            }
        )

    def files(self) -> list[str]:
        """In the order of the engine."""
        return sorted(str(path.relative_to(self.to)) for path in self.to.rglob("*.parquet"))

    def groups(self) -> dict[tuple[str, ...], list[list[Any]]]:
        """The rows of each key, as a worker would get them."""
        found: dict[tuple[str, ...], list[str]] = {}
        keys = HiveKeys(self.by)
        for name in self.files():
            path = str(self.to / name)
            found.setdefault(tuple(keys.values(path).values()), []).append(path)
        frames = {key: self.reader().frame(_names(paths)) for key, paths in found.items()}
        for frame in frames.values():
            assert list(frame.columns)[-len(self.by) :] == self.by
        return {key: rows(frame.drop(columns=self.by)) for key, frame in frames.items()}

    def reader(self) -> TableReader:
        files = [str(self.to / name) for name in self.files()]
        return TableReader({"format": "parquet", "files": files})


def _names(paths: list[str]) -> list[str]:
    return [f"{path}@0+0#0*0" for path in paths]


def refused(made: Table, *by: str) -> str:
    with pytest.raises(TableError) as raised:
        Cut(made, *by)
    return str(raised.value)


def test_each_combination_of_values_is_a_folder(tmp_path: Path) -> None:
    made = table(tmp_path, "n,store,brand\n1,10,a\n2,20,a\n3,10,b\n4,10,a\n")
    made.add("more.csv", "n,store,brand\n5,20,a\n6,30,c\n")
    cut = Cut(made, "store", "brand")
    assert cut.answer == {"rows": 6, "partitions": 4}
    assert cut.files() == [
        "store=10/brand=a/part-0.parquet",
        "store=10/brand=b/part-0.parquet",
        "store=20/brand=a/part-0.parquet",
        "store=30/brand=c/part-0.parquet",
    ]
    assert cut.groups() == {
        ("10", "a"): [[1], [4]],
        ("10", "b"): [[3]],
        ("20", "a"): [[2], [5]],
        ("30", "c"): [[6]],
    }


def test_any_text_is_the_name_of_a_folder(tmp_path: Path) -> None:
    texts = ["a", "ä b", "x/y", "50%", "k=v", "..", "+", "a\tb", "%41", "", "'\"\\"]
    made = Table(tmp_path, format="parquet")
    path = tmp_path / "t.parquet"
    parquet.write_table(pyarrow.table({"k y%=": texts, "n": list(range(len(texts)))}), path)
    made.description["files"] = [str(path)]
    cut = Cut(made, "k y%=")
    assert cut.groups() == {(text,): [[i]] for i, text in enumerate(texts)}
    one = dataset.dataset(cut.to).to_table()
    found = dict(zip(one.column("n").to_pylist(), one.column("k y%=").to_pylist()))
    assert [found[i] for i in range(len(texts))] == texts


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_the_hour_that_comes_twice_is_two_keys(tmp_path: Path, unit: str) -> None:
    made = Table(tmp_path, format="parquet")
    path = tmp_path / "t.parquet"
    moments = [datetime.datetime(2026, 10, 25, hour, 30) for hour in (0, 1, 0)]
    column = pyarrow.array(moments, pyarrow.timestamp(unit)).cast(
        pyarrow.timestamp(unit, "Europe/Berlin")
    )
    parquet.write_table(pyarrow.table({"t": column, "n": [0, 1, 2]}), path)
    made.description["files"] = [str(path)]
    assert Cut(made, "t").groups() == {
        ("2026-10-25 02:30:00+02:00",): [[0], [2]],
        ("2026-10-25 02:30:00+01:00",): [[1]],
    }


@pytest.mark.parametrize(
    ("values", "folders"),
    [
        ([1, 2, None, 1], ["1", "2", None, "1"]),
        ([1.5, 2.0, float("nan"), None], ["1.5", "2", None, None]),
        ([0.0, -0.0, 1e300, 2.0**60], ["0", "0", "1e%2B300", "1.152921504606847e%2B18"]),
        ([True, False, None, True], ["true", "false", None, "true"]),
        (["a", None, "", "a"], ["a", None, "", "a"]),
        (
            [datetime.date(2026, 11, 16), None, datetime.date(1, 1, 1), None],
            ["2026-11-16", None, "0001-01-01", None],
        ),
        (
            [
                datetime.datetime(2026, 11, 16),
                None,
                datetime.datetime(2026, 11, 16, 3, 4, 5),
                datetime.datetime(2026, 11, 16, 0, 0, 0, 5),
            ],
            ["2026-11-16", None, "2026-11-16%2003%3A04%3A05", "2026-11-16%2000%3A00%3A00.000005"],
        ),
    ],
)
def test_values_become_names(tmp_path: Path, values: list[Any], folders: list[str | None]) -> None:
    made = Table(tmp_path, format="parquet")
    for form in ("plain", "dictionary"):
        column = pyarrow.array(values)
        if form == "dictionary":
            column = column.dictionary_encode()
        path = tmp_path / f"{form}.parquet"
        parquet.write_table(pyarrow.table({"k": column, "n": [0, 1, 2, 3]}), path)
        made.description["files"] = [str(path)]
        made.folder = tmp_path / form
        made.folder.mkdir()
        cut = Cut(made, "k")
        expected: dict[str, list[int]] = {}
        for number, text in enumerate(folders):
            expected.setdefault(text or ("" if text == "" else "__HIVE_DEFAULT_PARTITION__"), [])
            expected[text or ("" if text == "" else "__HIVE_DEFAULT_PARTITION__")].append(number)
        found = {
            name.split("/")[0][2:]: parquet.read_table(cut.to / name, partitioning=None)
            for name in cut.files()
        }
        assert {name: one.column("n").to_pylist() for name, one in found.items()} == expected


@pytest.mark.parametrize("memory", [1 << 12, 1 << 17, 64 << 20])
@pytest.mark.parametrize("form", ["delimited", "parquet", "arrow", "json_lines"])
def test_rows_of_a_key_stay_in_order_whatever_the_memory(
    tmp_path: Path, form: str, memory: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Little memory makes many row groups, and few open files make many files."""
    monkeypatch.setattr(repartition, "OPEN_MAX", 7)
    rng = random.Random(memory)
    made = Table(tmp_path, format=form, types="pandas")
    expected: dict[tuple[str, ...], list[list[Any]]] = {}
    number = 0
    for i in range(30):
        keys = [(rng.randrange(6), rng.choice("abc")) for _ in range(rng.randrange(200))]
        columns: dict[str, list[Any]] = {"n": [], "store": [], "brand": [], "x": []}
        for store, brand in keys:
            values = (number, store, brand, "x" * rng.randrange(40) + "y")
            for name, value in zip(columns, values):
                columns[name].append(value)
            expected.setdefault((str(store), brand), []).append([number, values[3]])
            number += 1
        _write(tmp_path / f"{i:02}", form, columns, made)
    cut = Cut(made, "store", "brand", memory=memory)
    assert cut.answer == {"rows": number, "partitions": len(expected)}
    assert cut.groups() == expected
    assert (max(len(Path(name).name) for name in cut.files()) > len("part-0.parquet")) == (
        memory == 1 << 12
    )


@pytest.mark.parametrize("keys", [3, 300])
@pytest.mark.parametrize("form", ["delimited", "parquet", "arrow"])
def test_no_more_memory_is_used_than_was_said(tmp_path: Path, form: str, keys: int) -> None:
    """Of Arrow's memory, where the rows are: 100 MB of them."""
    made = Table(tmp_path, format=form, types="pandas")
    for i in range(100):
        numbers = list(range(1000 * i, 1000 * i + 1000))
        columns = {"n": numbers, "k": [n * 7919 % keys for n in numbers], "s": ["x" * 1000] * 1000}
        _write(tmp_path / f"{i:03}", form, columns, made)
    usual = pyarrow.default_memory_pool()
    for memory in (8 << 20, 33 << 20):
        pool = pyarrow.proxy_memory_pool(usual)
        pyarrow.set_memory_pool(pool)
        try:
            cut = Cut(made, "k", memory=memory)
        finally:
            pyarrow.set_memory_pool(usual)
        assert cut.answer == {"rows": 100_000, "partitions": keys}
        assert memory // 4 < pool.max_memory() < memory
        shutil.rmtree(cut.to)


def _write(path: Path, form: str, columns: dict[str, list[Any]], made: Table) -> None:
    one = pyarrow.table(columns)
    if form == "parquet":
        parquet.write_table(one, path, row_group_size=100)
    elif form == "arrow":
        with ipc.new_file(path, one.schema) as writer:
            writer.write_table(one, 100)
    elif form == "delimited":
        one.to_pandas().to_csv(path, index=False)
    else:
        one.to_pandas().to_json(path, orient="records", lines=True)
    made.description["files"].append(str(path))


def test_transformations_and_columns_from_paths_come_first(tmp_path: Path) -> None:
    steps = [
        {"filter": "n > 1"},
        {"convert_column_types": [{"columns": "n", "column_type": "string"}]},
        {"drop_columns": "z"},
        {"take": 2},
    ]
    made = Table(tmp_path, partition_hive=["day"], transformations=steps, whole=True)
    made.add("day=1/a.csv", "n,k,z\n1,5,0\n2,6,0\n")
    made.add("day=2/a.csv", "n,k,z\n3,5,0\n4,6,0\n")
    cut = Cut(made, "day", "k")
    assert cut.answer == {"rows": 2, "partitions": 2}
    assert cut.groups() == {("1", "6"): [["2"]], ("2", "5"): [["3"]]}


@pytest.mark.parametrize("form", ["delimited", "json_lines", "parquet", "arrow"])
def test_types_of_frames_stay_what_they_were(tmp_path: Path, form: str) -> None:
    """Also where the only missing values are those of a key whose files nobody looks at first."""
    made = Table(tmp_path, format=form, types="pandas")
    columns = {
        "k": [*"aab"],
        "whole": [1, 2, 3],
        "some": [1, 2, None],
        "float": [1.5, 2.5, None],
        "bool": [True, False, True],
        "maybe": [True, False, None],
        "text": ["x", None, "y"],
    }
    _write(tmp_path / "t", form, columns, made)
    before = made.frame()
    cut = Cut(made, "k")
    names = _names([str(cut.to / name) for name in cut.files()])
    first = {"format": "parquet", "files": [str(cut.to / cut.files()[0])]}
    for name in names:
        frame = TableReader(first).frame([name])
        expected = before[[*before.columns[1:], "k"]]
        assert list(frame.dtypes) == list(expected.dtypes)
    whole = cut.reader().frame(names)
    assert rows(whole) == rows(before[[*before.columns[1:], "k"]])


def test_arrow_types_stay_what_they_were(tmp_path: Path) -> None:
    import pandas

    frame = pandas.DataFrame(
        {
            "k": ["a", "b"],
            "own": pandas.array([1, None], dtype="Int64"),
            "list": [[1], [2, 3]],
            "category": pandas.Categorical(["x", "y"]),
            "date": [datetime.date(2026, 11, 16), None],
        }
    )
    made = Table(tmp_path, format="parquet")
    frame.to_parquet(tmp_path / "t.parquet")
    made.description["files"] = [str(tmp_path / "t.parquet")]
    cut = Cut(made, "k")
    for name in cut.files():
        have = cut.reader().frame(_names([str(cut.to / name)]))
        kinds = list(made.frame().dtypes.map(str))
        assert list(have.dtypes.map(str)) == [*kinds[1:], kinds[0]]
    assert str(parquet.read_schema(cut.to / cut.files()[0]).field("list").type).startswith("list")


def test_no_rows_make_no_folders(tmp_path: Path) -> None:
    made = table(tmp_path, "n,k\n")
    assert Cut(made, "k").answer == {"rows": 0, "partitions": 0}
    assert Cut(made, "k", names=[]).answer == {"rows": 0, "partitions": 0}


def test_windows_and_parts_of_files_are_stretches(tmp_path: Path) -> None:
    made = table(tmp_path, "n,k\n1,a\n2,a\n3,b\n4,b\n")
    path = made.description["files"][0]
    names = [f"{path}@0+8#0*1", f"{path}@12+8#0*0/1+1"]
    assert Cut(made, "k", names=names).groups() == {("a",): [[1]], ("b",): [[4]]}
    other = Table(tmp_path / "2", format="parquet")
    other.folder.mkdir()
    _write(tmp_path / "p", "parquet", {"n": [1, 2, 3, 4], "k": [*"aabb"]}, other)
    name = f"{tmp_path}/p@1+3#1*3/1+2"
    assert Cut(other, "k", names=[name]).groups() == {("b",): [[3], [4]]}


def test_what_cannot_be_cut_is_told(tmp_path: Path) -> None:
    made = table(tmp_path, "n,store,k\n1,5,a\n")
    assert refused(made, "stroe") == "partition_by: no column 'stroe'; did you mean 'store'?"
    assert refused(made, "qqq").endswith("no column 'qqq'; there are 'n', 'store', 'k'")
    assert refused(made, "k", "k") == "partition_by: 'k' is there twice; leave one out"
    assert refused(made) == "partition_by: names no column"
    long = table(tmp_path, "n,k\n1," + "ä" * 50 + "\n")
    assert "'" + "ä" * 50 + "' of column 'k' is too long for the name of a folder" in refused(
        long, "k"
    )
    nul = table(tmp_path, "n,k\n1,a\0b\n")
    assert "has a NUL character for the name of a folder" in refused(nul, "k")
    missing = table(tmp_path, "n,k\n1,\n2,__HIVE_DEFAULT_PARTITION__\n3,a\n")
    assert refused(missing, "k") == (
        "partition_by: '__HIVE_DEFAULT_PARTITION__' of column 'k' is what the folder of rows"
        " without a value is called; leave the field empty in the files if a missing value is"
        " meant, or write another text"
    )
    (tmp_path / "to/something").write_text("x")
    assert refused(made, "k").endswith("to is not empty")


def test_keys_and_columns_of_lists_are_told(tmp_path: Path) -> None:
    made = Table(tmp_path, format="parquet")
    _write(tmp_path / "t", "parquet", {"n": [1], "k": [[1, 2]]}, made)
    assert "column 'k' is of type list<" in refused(made, "k")
    made = Table(tmp_path, format="parquet")
    _write(tmp_path / "b", "parquet", {"n": [1], "k": [b"x"]}, made)
    assert "column 'k' is of type binary; name columns of text" in refused(made, "k")
    made = table(tmp_path, '{"n": 1, "k": "a", "l": [1]}\n', format="json_lines")
    said = refused(made, "k")
    assert said.startswith("column 'l' holds lists in the first rows, so that its type is not")


def test_a_value_that_does_not_fit_is_told_as_to_a_script(tmp_path: Path) -> None:
    made = table(tmp_path, "n,k\n" + "1,a\n" * 300 + "oops,b\n")
    said = refused(made, "k")
    assert "data.csv line 302, column 'n': 'oops' does not fit" in said
    assert "; --set table.text_columns=NAME,... makes text of some columns" in said
    made.description["partition_first"] = True  # an MLTable file describes it
    assert "--set" not in refused(made, "k")
