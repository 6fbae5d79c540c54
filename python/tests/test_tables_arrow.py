# SPDX-License-Identifier: Apache-2.0
"""Tables of Parquet and Arrow files."""

from __future__ import annotations

import datetime
import decimal
from pathlib import Path
from typing import Any

import pytest
from tables_oracle.arrow_files import FORMS, ipc_bytes, made, parquet_bytes
from tables_oracle.table_files import Table, dtypes, rows
from windrow.tables.reader import TableError
from windrow.tables.to_arrow import ArrowTables

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.mark.parametrize("form", FORMS)
def test_rows_are_read_by_their_numbers(tmp_path: Path, form: str) -> None:
    content = pyarrow.table({"n": list(range(100)), "s": [f"t{i}" for i in range(100)]})
    table = Table(tmp_path, format="parquet" if form == "parquet" else "arrow")
    data = parquet_bytes(content, row_group_size=7) if form == "parquet" else None
    path = table.add("data", data or ipc_bytes(content, form, 7))
    reader = table.reader()
    for first, count in ((0, 100), (0, 7), (5, 4), (13, 30), (7, 7), (99, 1), (0, 0), (3, 2)):
        frame = reader.frame([f"{path}@{first}+{count}#{first}*{count}"])
        expected = list(range(first, first + count)) if count else list(range(100))
        assert frame["n"].tolist() == expected
        assert dtypes(frame) == {"n": "int64", "s": "text"}
    both = reader.frame([f"{path}@90+10#0*0", f"{path}@0+2#0*0"])
    assert both["n"].tolist() == [*range(90, 100), 0, 1]
    assert list(both.index) == list(range(12))


@pytest.mark.parametrize("form", FORMS)
def test_types_are_those_that_arrow_gives_pandas(tmp_path: Path, form: str) -> None:
    moment = datetime.datetime(2020, 1, 31, 1, 2, 3)
    content = pyarrow.table(
        {
            "i8": pyarrow.array([1, 2], pyarrow.int8()),
            "f32": pyarrow.array([0.5, None], pyarrow.float32()),
            "s": ["a", None],
            "b": [True, False],
            "bin": [b"a", None],
            "ts": pyarrow.array([moment, None], pyarrow.timestamp("ns")),
            "date": [moment.date(), None],
            "dec": [decimal.Decimal("1.50"), None],
            "cat": pyarrow.array(["x", "y"]).dictionary_encode(),
            "list": [[1, 2], None],
            "struct": [{"a": 1, "b": {"c": ["x"]}}, None],
        }
    )
    frame = made(tmp_path, content, form=form).frame()
    assert {k: v for k, v in dtypes(frame).items() if v != "object"} == {
        "i8": "int8",
        "f32": "float32",
        "s": "text",
        "b": "bool",
        "ts": "datetime64[ns]",
        "cat": "category",
    }
    objects = [name for name, dtype in zip(frame.columns, frame.dtypes) if str(dtype) == "object"]
    assert objects == ["bin", "date", "dec", "list", "struct"]
    assert frame["dec"].tolist() == [decimal.Decimal("1.50"), None]
    assert frame["list"][0].tolist() == [1, 2]
    assert frame["struct"].tolist() == [{"a": 1, "b": {"c": ["x"]}}, None]


def test_what_pandas_wrote_comes_back(tmp_path: Path) -> None:
    import pandas

    written = pandas.DataFrame(
        {"n": pandas.array([1, None], dtype="Int64"), "x": [1.5, 2.5]}, index=[7, 8]
    )
    frame = made(tmp_path, pyarrow.Table.from_pandas(written)).frame()
    assert dtypes(frame) == {"n": "Int64", "x": "float64", "__index_level_0__": "int64"}
    assert frame["__index_level_0__"].tolist() == [7, 8]
    assert list(frame.index) == [0, 1]
    named = written.rename_axis("id")
    kept = made(tmp_path, pyarrow.Table.from_pandas(named)).frame()
    assert sorted(kept.columns) == ["id", "n", "x"]


@pytest.mark.parametrize("form", FORMS)
def test_only_the_columns_that_are_kept_need_to_agree(tmp_path: Path, form: str) -> None:
    first = pyarrow.table({"a": [1, 2], "b": ["x", "y"]})
    for second, said in (
        (pyarrow.table({"a": [3]}), "no column 'b', which 0"),
        (pyarrow.table({"a": [3], "b": ["z"], "c": [1]}), "column 'c', which 0"),
        (pyarrow.table({"a": [1.5], "b": ["z"]}), "column 'a': double, and int64 in 0"),
        (pyarrow.table({"a": ["q"], "b": ["z"]}), "column 'a': string, and int64 in 0"),
        (pyarrow.table({"a": [3], "b": [4]}), "column 'b': int64, and string in 0"),
    ):
        assert said in made(tmp_path, first, second, form=form).error().replace("1.", "", 1)
    table = made(tmp_path, first, pyarrow.table({"a": [3]}), form=form)
    table.description["transformations"] = [{"keep_columns": ["a"]}]
    assert rows(table.frame()) == [[1], [2], [3]]


@pytest.mark.parametrize("form", FORMS)
def test_narrower_types_are_promoted(tmp_path: Path, form: str) -> None:
    wide = pyarrow.table(
        {
            "i": [1],
            "f": [1.5],
            "s": ["x"],
            "t": pyarrow.array([0], pyarrow.timestamp("us")),
            "c": pyarrow.array(["x"]).dictionary_encode(),
        }
    )
    narrow = pyarrow.table(
        {
            "f": pyarrow.array([2], pyarrow.int32()),
            "c": ["y"],
            "i": pyarrow.array([2], pyarrow.uint8()),
            "s": pyarrow.array(["y"], pyarrow.large_string()),
            "t": pyarrow.array([0], pyarrow.timestamp("ms")),
        }
    )
    table = made(tmp_path, wide, narrow, form=form)
    frame = table.frame()
    assert list(frame.columns) == ["i", "f", "s", "t", "c"]
    assert frame["i"].tolist() == [1, 2]
    assert frame["c"].tolist() == ["x", "y"]
    reader = table.reader()
    assert [list(reader.frame([name]).dtypes)[:4] for name in table.names()] == [
        list(frame.dtypes)[:4]
    ] * 2
    assert str(frame["c"].dtype) == "category"


@pytest.mark.parametrize("form", FORMS)
def test_the_widest_type_of_the_first_files_is_that_of_all(tmp_path: Path, form: str) -> None:
    array = pyarrow.array
    first = {
        "i": array([1], pyarrow.int32()),
        "u": array([1], pyarrow.uint8()),
        "f": array([1], pyarrow.int16()),
        "n": array([None], pyarrow.null()),
        "s": array([None], pyarrow.null()),
        "t": array([0], pyarrow.timestamp("ms")),
    }
    second = {
        "i": array([1 << 40]),
        "u": array([-1], pyarrow.int16()),
        "f": array([0.5]),
        "n": array([7]),
        "s": ["x"],
        "t": array([1], pyarrow.timestamp("us")),
    }
    table = made(tmp_path, pyarrow.table(first), pyarrow.table(second), form=form)
    reader = table.reader()
    frames = [reader.frame([name]) for name in table.names()]
    assert dtypes(frames[0]) == dtypes(frames[1])
    assert list(dtypes(frames[1]).values())[:5] == ["int64", "int16", "float64", "float64", "text"]
    assert [rows(frame)[0][:5] for frame in frames] == [
        [1, 1, 1.0, None, None],
        [1 << 40, -1, 0.5, 7.0, "x"],
    ]
    direct = ArrowTables({**table.description, "frame": "pyarrow"}).whole(table.names())
    assert direct.column("i").to_pylist() == [1, 1 << 40]
    assert str(direct.schema.field("n").type) == "int64"
    last = made(tmp_path, *[pyarrow.table({"i": x}) for x in (first["i"], second["i"], ["x"])])
    assert "2.parquet, column 'i': string, and int64 in 1.parquet;" in last.error()
    assert len(last.reader().frame(last.names()[:2])) == 2


def test_an_index_without_a_name_is_a_column_where_all_files_have_it(tmp_path: Path) -> None:
    import pandas

    def content(*index: str) -> Any:
        frame = pandas.DataFrame({"v": [1.0, 2.0]}, index=index or None)
        return pyarrow.Table.from_pandas(frame)

    table = made(tmp_path, content("AAPL", "MSFT"), content("IBM", "SAP"))
    frame = table.frame()
    assert dtypes(frame) == {"v": "float64", "__index_level_0__": "text"}
    assert frame["__index_level_0__"].tolist() == ["AAPL", "MSFT", "IBM", "SAP"]
    direct = ArrowTables({**table.description, "frame": "pyarrow"}).whole(table.names())
    assert direct.column("__index_level_0__").to_pylist()[-1] == "SAP"
    for tables in ((content("AAPL", "MSFT"), content()), (content(), content("AAPL", "MSFT"))):
        assert rows(made(tmp_path, *tables).frame()) == [[1.0], [2.0]] * 2


def test_types_of_pandas_own_are_widened_too(tmp_path: Path) -> None:
    import pandas

    def content(dtype: str, value: int) -> Any:
        frame = pandas.DataFrame({"n": pandas.array([value, None], dtype=dtype)})
        return pyarrow.Table.from_pandas(frame)

    frame = made(tmp_path, content("Int8", 1), content("Int64", 1 << 40)).frame()
    assert dtypes(frame) == {"n": "Int64"}
    assert rows(frame) == [[1], [None], [1 << 40], [None]]
    mixed = made(tmp_path, content("UInt8", 1), pyarrow.table({"n": [1 << 40]})).frame()
    assert (dtypes(mixed), rows(mixed)) == ({"n": "Int64"}, [[1], [None], [1 << 40]])


@pytest.mark.parametrize("form", FORMS)
def test_a_file_without_rows_has_columns(tmp_path: Path, form: str) -> None:
    frame = made(tmp_path, pyarrow.table({"a": pyarrow.array([], pyarrow.int64())}), form=form)
    assert dtypes(frame.frame()) == {"a": "int64"}


@pytest.mark.parametrize("first", [True, False])
def test_a_file_without_a_row_group_has_columns(tmp_path: Path, first: bool) -> None:
    schema = pyarrow.schema([("a", pyarrow.int64()), ("s", pyarrow.string())])
    path = tmp_path / "none.parquet"
    parquet.ParquetWriter(path, schema).close()
    assert parquet.ParquetFile(path).num_row_groups == 0
    alone = Table(tmp_path, format="parquet", files=[str(path)])
    assert (dtypes(alone.frame()), len(alone.frame())) == ({"a": "int64", "s": "text"}, 0)
    table = made(tmp_path, pyarrow.table({"a": [1, 2], "s": ["x", None]}))
    table.description["files"].insert(0 if first else 1, str(path))
    frame = table.frame()
    assert (dtypes(frame), rows(frame)) == (dtypes(alone.frame()), [[1, "x"], [2, None]])
    table.description["transformations"] = [{"skip": 1}]
    assert [rows(table.reader().frame([name])) for name in table.names()] == (
        [[], [[2, None]]] if first else [[[2, None]], []]
    )


def test_broken_parquet_files_are_told(tmp_path: Path) -> None:
    whole = parquet_bytes(pyarrow.table({"a": list(range(1000))}))
    for data, said in (
        (b"", "bad.parquet: the file is empty"),
        (b"hello world", "bad.parquet: not a Parquet file: it does not begin with PAR1"),
        (whole[:-5], "bad.parquet: the end of the file is missing"),
        (whole[: len(whole) // 2] + b"PAR1", "bad.parquet: "),
    ):
        table = Table(tmp_path, format="parquet")
        table.add("bad.parquet", data)
        assert table.error().startswith(said)


def test_damaged_pages_are_told(tmp_path: Path) -> None:
    content = pyarrow.table({"a": [f"some text {i}" for i in range(5000)]})
    whole = bytearray(parquet_bytes(content, compression="snappy"))
    whole[20:2000] = bytes(1980)
    table = Table(tmp_path, format="parquet")
    table.add("bad.parquet", bytes(whole))
    assert table.error().startswith("bad.parquet: cannot be read:")


def test_broken_arrow_files_are_told(tmp_path: Path) -> None:
    whole = ipc_bytes(pyarrow.table({"a": list(range(1000))}), "file")
    for data, said in (
        (b"", "bad.arrow: not an Arrow file: the file is empty"),
        (b"hello world, this is not an arrow file", "bad.arrow: not an Arrow file:"),
        (whole[:-50], "bad.arrow: not an Arrow file:"),
        (b"FEA1" + bytes(20), "bad.arrow: Feather, version 1"),
    ):
        table = Table(tmp_path, format="arrow")
        table.add("bad.arrow", data)
        assert table.error().startswith(said)


@pytest.mark.parametrize("form", FORMS)
def test_rows_that_are_gone_are_told(tmp_path: Path, form: str) -> None:
    table = made(tmp_path, pyarrow.table({"a": [1, 2]}), form=form)
    path = table.description["files"][0]
    with pytest.raises(TableError, match="2 rows where there were 9 when the job began"):
        table.reader().frame([f"{path}@1+8#1*8"])


@pytest.mark.parametrize("form", FORMS)
def test_a_file_that_was_rewritten_is_told(tmp_path: Path, form: str) -> None:
    table = made(tmp_path, pyarrow.table({"a": [1, 2]}), form=form)
    reader = table.reader()
    assert len(reader.frame(table.names())) == 2
    path = Path(table.description["files"][0])
    made(tmp_path / "new", pyarrow.table({"a": [7, 8, 9]}), form=form)
    path.write_bytes((tmp_path / "new" / path.name).read_bytes())
    with pytest.raises(TableError, match=f"{path.name}: the file has changed; input must not"):
        reader.frame(table.names())


def test_a_row_group_that_is_cut_is_decoded_once(tmp_path: Path) -> None:
    table = made(tmp_path, pyarrow.table({"a": list(range(1000))}))
    path = table.description["files"][0]
    reader = table.reader()
    reader.frame([f"{path}@0+10#0*10"])
    source: Any = reader._source
    decoded = source._group[2]
    assert reader.frame([f"{path}@500+2#0*0"])["a"].tolist() == [500, 501]
    assert source._group[2] is decoded


@pytest.mark.parametrize("form", FORMS)
def test_rows_of_earlier_files_are_counted(tmp_path: Path, form: str) -> None:
    table = made(tmp_path, pyarrow.table({"a": [1, 2]}), pyarrow.table({"a": [3, 4]}), form=form)
    second = table.description["files"][1]
    table.description["transformations"] = [{"take": 3}]
    assert rows(table.reader().frame([f"{second}@0+0#0*0"])) == [[3]]
    assert rows(table.reader().frame([f"{second}@1+1#0*0"])) == []


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    content = pyarrow.table([[1], [2]], names=["a", "a"])
    assert "two columns are called 'a'" in made(tmp_path, content, form="file").error()


@pytest.mark.parametrize("form", FORMS)
def test_the_path_alone_can_be_kept(tmp_path: Path, form: str) -> None:
    table = made(tmp_path, pyarrow.table({"a": [1, 2, 3]}), form=form)
    table.description["include_path_column"] = True
    table.description["transformations"] = [{"keep_columns": "Path"}]
    assert rows(table.frame()) == [[table.description["files"][0]]] * 3


def test_decimals_dates_and_categories_are_converted_and_filtered(tmp_path: Path) -> None:
    content = pyarrow.table(
        {
            "d": pyarrow.array([decimal.Decimal("1.50"), decimal.Decimal("2.75")]),
            "t": [datetime.date(2020, 1, 31), datetime.date(2021, 1, 31)],
            "c": pyarrow.array(["x", "y"]).dictionary_encode(),
        }
    )
    table = made(tmp_path, content)
    for expression in ("d > 2", "t > datetime(2020, 6)", 'c == "y"'):
        table.description["transformations"] = [{"filter": expression}]
        assert table.frame()["c"].tolist() == ["y"]
    table.description["transformations"] = [
        {
            "convert_column_types": [
                {"columns": "d", "column_type": "float"},
                {"columns": "t", "column_type": {"datetime": {"formats": ["%Y"]}}},
                {"columns": "c", "column_type": "string"},
            ]
        }
    ]
    assert dtypes(table.frame()) == {"d": "float64", "t": "datetime64[ns]", "c": "text"}


@pytest.mark.parametrize(("name", "form"), [("Parquet", "parquet"), ("Arrow", "arrow")])
def test_one_that_is_called_text_is_told_by_its_beginning(
    tmp_path: Path, name: str, form: str
) -> None:
    content = pyarrow.table({"n": list(range(100)), "x": [i / 7 for i in range(100)]})
    data = parquet_bytes(content) if form == "parquet" else ipc_bytes(content, "file")
    said = f"b.csv: a file of {name}; --set table.format={form} reads it"
    for kind in ("delimited", "json_lines"):
        first = Table(tmp_path, format=kind)
        first.add("b.csv", data)
        assert first.error() == said
        second = Table(tmp_path, format=kind)
        second.add("a.csv", "n,x\n1,2\n" if kind == "delimited" else '{"n": 1}\n')
        second.add("b.csv", data)
        assert second.error() == said
    text = Table(tmp_path)
    text.add("c.csv", "PAR1,ARROW1\n1,2\n")
    assert list(text.frame().columns) == ["PAR1", "ARROW1"]
