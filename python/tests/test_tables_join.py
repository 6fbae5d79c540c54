# SPDX-License-Identifier: Apache-2.0
"""Pieces of a result that become one Parquet or Arrow file."""

from __future__ import annotations

import datetime
import decimal
import random
from pathlib import Path
from typing import Any

import pytest
from tables_oracle.pieces import FORMS, Result
from windrow.tables import join as joining
from windrow.tables.join import join
from windrow.tables.results import stream_of, table_of
from windrow.tables.unify import Conflict, unified

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def types(table: Any) -> list[str]:
    """Without the names that Parquet files have for parts of lists and maps."""
    texts = [str(type_) for type_ in table.schema.types]
    return [text.replace("element:", "item:").replace(" ('x')", "") for text in texts]


@pytest.mark.parametrize("form", FORMS)
def test_pieces_become_one_file_in_their_order(tmp_path: Path, form: str) -> None:
    pieces = [[{"n": i, "s": f"t{i}"}] * (i % 3 + 1) for i in range(50)]
    table = Result(tmp_path, *pieces).table(form)
    assert table.to_pylist() == [row for piece in pieces for row in piece]
    assert types(table) == ["int64", "string"]


@pytest.mark.parametrize("form", FORMS)
def test_no_pieces_are_a_file_without_rows_and_columns(tmp_path: Path, form: str) -> None:
    table = Result(tmp_path).table(form)
    assert (table.num_rows, table.num_columns) == (0, 0)


@pytest.mark.parametrize("form", FORMS)
def test_columns_that_a_piece_lacks_are_missing_there(tmp_path: Path, form: str) -> None:
    table = Result(tmp_path, [{"a": 1, "b": "x"}], [{"c": 2.5, "a": 3}], [{"b": "y"}]).table(form)
    assert table.to_pydict() == {
        "a": [1, 3, None],
        "b": ["x", None, "y"],
        "c": [None, 2.5, None],
    }


ONE, TWO = datetime.datetime(2020, 1, 31), datetime.datetime(2021, 1, 31, 1, 2, 3)


def array(values: list[object], type_: Any) -> Any:
    return pyarrow.table({"x": pyarrow.array(values, type_)})


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("one", "other", "type_", "values"),
    [
        ([None], [1], "int64", [None, 1]),
        ([None], ["x"], "string", [None, "x"]),
        ([1], [2.5], "double", [1.0, 2.5]),
        ([1.5], [2, None], "double", [1.5, 2.0, None]),
        ([[]], [[1.5]], "list<item: double>", [[], [1.5]]),
        ([[1, None], None], [[2.5]], "list<item: double>", [[1, None], None, [2.5]]),
        ([None], [[1]], "list<item: int64>", [None, [1]]),
        ([decimal.Decimal("1.5")], [decimal.Decimal("10.25")], "decimal128(4, 2)",
         [decimal.Decimal("1.50"), decimal.Decimal("10.25")]),
        (array([1], pyarrow.int8()), array([2], pyarrow.int32()), "int32", [1, 2]),
        (array([1], pyarrow.uint8()), array([-2], pyarrow.int8()), "int16", [1, -2]),
        (array([1], pyarrow.uint64()), array([-2], pyarrow.int8()), "int64", [1, -2]),
        (array([1], pyarrow.uint16()), array([2], pyarrow.uint32()), "uint32", [1, 2]),
        (array([0.5], pyarrow.float32()), array([2], pyarrow.int16()), "double", [0.5, 2]),
        (array([0.5], pyarrow.float32()), array([0.1], pyarrow.float64()), "double", [0.5, 0.1]),
        (array([ONE], pyarrow.timestamp("ms")), array([TWO], pyarrow.timestamp("us")),
         "timestamp[us]", [ONE, TWO]),
        (array([TWO - ONE], pyarrow.duration("s")), array([TWO - ONE], pyarrow.duration("ms")),
         "duration[ms]", [TWO - ONE, TWO - ONE]),
    ],
)  # fmt: skip
def test_types_are_widened_as_far_as_no_value_changes(
    tmp_path: Path, form: str, one: Any, other: Any, type_: str, values: list[object]
) -> None:
    pieces = [column(piece) for piece in (one, other)]
    table = Result(tmp_path, *pieces).table(form)
    assert types(table) == [type_]
    assert table.column(0).to_pylist() == values
    turned = Result(tmp_path, *reversed(pieces)).table(form)
    assert types(turned) == [type_]
    assert turned.column(0).to_pylist() == values[len(one) :] + values[: len(one)]


def column(values: Any) -> Any:
    return [{"x": value} for value in values] if isinstance(values, list) else values


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("values", "type_"),
    [
        ([(1 << 53) + 1], "int64"),
        (["x"], "string"),
        ([True], "bool"),
        ([ONE], "timestamp[us]"),
        ([ONE.date()], "date32[day]"),
        ([[1]], "list<item: int64>"),
        ([None], "double"),
        ([0.5], "double"),
    ],
)
def test_floats_that_are_all_missing_take_the_type_of_the_others(
    tmp_path: Path, form: str, values: list[object], type_: str
) -> None:
    missing = array([None, None], pyarrow.float64())
    pieces = [missing, column(values), missing]
    table = Result(tmp_path, *pieces).table(form)
    assert types(table) == [type_]
    assert table.column(0).to_pylist() == [None, None, *values, None, None]
    turned = Result(tmp_path, *pieces[1:]).table(form)
    assert types(turned) == [type_]
    assert turned.column(0).to_pylist() == [*values, None, None]


@pytest.mark.parametrize("form", FORMS)
def test_floats_that_are_all_missing_everywhere_stay_floats(tmp_path: Path, form: str) -> None:
    short, long = array([None], pyarrow.float32()), array([None], pyarrow.float64())
    assert types(Result(tmp_path, short).table(form)) == ["float"]
    assert types(Result(tmp_path, short, column([None]), long, short).table(form)) == ["double"]


@pytest.mark.parametrize("form", FORMS)
def test_structs_get_the_fields_of_all_pieces(tmp_path: Path, form: str) -> None:
    pieces = [
        [{"box": {"x": 1, "tag": None}}, {"box": None}],
        [{"box": {"x": 2.5, "tag": "cat", "more": [{"k": 1}]}}, {"box": None}],
        [{"box": {"more": [None, {"l": "v"}, {"k": 2.5}]}}, {"box": {"more": []}}],
    ]
    table = Result(tmp_path, *pieces).table(form)
    assert table.column("box").to_pylist() == [
        {"x": 1.0, "tag": None, "more": None},
        None,
        {"x": 2.5, "tag": "cat", "more": [{"k": 1.0, "l": None}]},
        None,
        {"x": None, "tag": None, "more": [None, {"k": None, "l": "v"}, {"k": 2.5, "l": None}]},
        {"x": None, "tag": None, "more": []},
    ]


@pytest.mark.parametrize("form", FORMS)
def test_maps_are_widened_too(tmp_path: Path, form: str) -> None:
    pieces: list[list[Any]] = [
        [[], None],
        [[("a", 1)], None, [("b", None), ("c", 2)]],
        [[("a", None)], []],
        [[("a", 2.5)]],
        [None],
    ]
    for order in (pieces, pieces[::-1]):
        table = Result(tmp_path, *map(column, order)).table(form)
        assert types(table) == ["map<string, double>"]
        assert table.column(0).to_pylist() == [value for piece in order for value in piece]
    wrong = Result(tmp_path, column([[("a", 1)]]), column([[None]])).error()
    assert wrong.startswith("column 'x': list<item: null> in piece 1 does not become map<string,")
    told = Result(tmp_path, column([[("a", 1)]]), column([[("a", "x")]])).error()
    assert told.startswith("column 'x' is map<string, int64> in piece 0 and map<string, string>")


def test_types_that_have_nothing_in_common_are_told_with_column_and_pieces(tmp_path: Path) -> None:
    said = Result(tmp_path, [{"a": None}], [{"b": 1}], [{"a": 1}], [{"a": "x"}]).error()
    assert said == (
        "column 'a' is int64 in piece 2 and string in piece 3; return the same type always, or"
        " make text of the column in run()"
    )
    assert "'a' is int64 in piece 0 and string in piece 2" in (
        Result(tmp_path, [{"a": 1}], [{"b": 1}], [{"a": "x"}]).error()
    )
    for one, other in (
        ([True], [1]),
        (["x"], [b"x"]),
        ([decimal.Decimal("1.5")], [1.5]),
        (column([[1]]), column([["x"]])),
        ([{"x": {"y": 1}}], [{"x": {"y": "z"}}]),
        (array([ONE], pyarrow.timestamp("us")), array([ONE], pyarrow.timestamp("us", "UTC"))),
        ([ONE.date()], [ONE]),
    ):
        assert "in piece 0 and " in Result(tmp_path, one, other).error()


def test_a_value_that_would_change_is_told(tmp_path: Path) -> None:
    said = Result(tmp_path, [{"a": 0.5}], [{"a": 1}], [{"a": (1 << 60) + 1}]).error()
    assert said.startswith("column 'a': int64 in piece 2 does not become double, which other ")
    unsigned = array([(1 << 64) - 1], pyarrow.uint64())
    assert (
        "uint64 in piece 0 does not become int64" in Result(tmp_path, unsigned, [{"x": 1}]).error()
    )


def test_unified_types_are_those_of_pyarrow_where_it_loses_nothing() -> None:
    """pyarrow's own rule, which newer versions have, as far as ours means to be the same."""
    try:
        pyarrow.unify_schemas([pyarrow.schema([])], promote_options="permissive")
    except TypeError:
        pytest.skip("this pyarrow does not widen types")
    kinds = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 string null bool_"
    found = [getattr(pyarrow, kind)() for kind in kinds.split()]
    found += [pyarrow.list_(type_) for type_ in found]
    for one in found:
        for other in found:
            schemas = [pyarrow.schema([("x", type_)]) for type_ in (one, other)]
            try:
                ours = unified({"x": one}, schemas[1])["x"]
            except Conflict:
                with pytest.raises(pyarrow.ArrowException):
                    pyarrow.unify_schemas(schemas, promote_options="permissive")
                continue
            theirs = pyarrow.unify_schemas(schemas, promote_options="permissive").field(0).type
            small = {str(theirs), str(ours)} in ({"float", "double"}, {
                "list<item: float>", "list<item: double>"})  # fmt: skip
            assert ours == theirs or small, (one, other)


@pytest.mark.parametrize("form", FORMS)
def test_small_pieces_are_joined_and_large_ones_cut(
    tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joining, "_GROUP_ROWS", 100)
    monkeypatch.setattr(joining, "_GROUP_BYTES", {"parquet": 4000, "arrow": 4000})
    monkeypatch.setattr(joining, "_SMALL_MAX", 7)
    pieces = [[1] * 5] * 60 + [[2] * 450]
    result = Result(tmp_path, *pieces)
    assert result.table(form).column(0).to_pylist() == [1] * 300 + [2] * 450
    assert group_rows(result, form) == [100] * 7 + [50]
    wide = Result(tmp_path, *[["x" * 1000] * 3] * 5)
    assert wide.table(form).num_rows == 15
    assert group_rows(wide, form) == [4, 4, 4, 3]


def group_rows(result: Result, form: str) -> list[int]:
    path = str(result.target)
    if form == "parquet":
        metadata = parquet.ParquetFile(path).metadata
        return [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
    file = pyarrow.ipc.open_file(path)
    return [file.get_batch(i).num_rows for i in range(file.num_record_batches)]


@pytest.mark.parametrize("form", FORMS)
def test_random_pieces_come_back_and_the_bytes_are_the_same(
    tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joining, "_SMALL_MAX", 3)
    for seed in range(60):
        chance = random.Random(seed)
        monkeypatch.setattr(joining, "_GROUP_ROWS", chance.choice([1, 7, 1000]))
        values = [None, 7, -1, 0.5, [], [1, None], [2.5], {"k": 1}, {"k": None, "l": "x"}, "t", ""]
        kinds = {"n": values[:4], "l": [None, *values[4:7]], "s": [None, *values[7:9]],
                 "t": [None, *values[9:]]}  # fmt: skip
        pieces = []
        for _ in range(chance.randrange(1, 12)):
            names = chance.sample(sorted(kinds), chance.randrange(1, 5))
            rows = range(chance.randrange(1, 9))
            pieces.append([{name: chance.choice(kinds[name]) for name in names} for _ in rows])
        result = Result(tmp_path, *pieces)
        table = result.table(form)
        first = result.target.read_bytes()
        assert result.table(form).equals(table)
        assert result.target.read_bytes() == first
        expected = [row for piece in pieces for row in piece]
        for found, row in zip(table.to_pylist(), expected):
            for name, value in found.items():
                assert same(value, row.get(name)), (seed, name)
        assert table.num_rows == len(expected)


def same(found: object, given: object) -> bool:
    """Equal but for fields that only other pieces have."""
    if isinstance(given, dict) and isinstance(found, dict):
        return all(value == given.get(key) for key, value in found.items())
    return found == given


def test_a_result_is_never_whole_in_memory(tmp_path: Path) -> None:
    piece = stream_of(table_of([{"n": i, "s": "x" * 1000} for i in range(4000)]))
    source = tmp_path / "pieces"
    with open(source, "wb") as file:
        for _ in range(100):
            file.write(piece)
    before = pyarrow.default_memory_pool().max_memory()
    for form in FORMS:
        assert join(str(source), str(tmp_path / form), form) == 400_000
    assert source.stat().st_size > 400_000_000
    assert pyarrow.default_memory_pool().max_memory() - before < 200_000_000


@pytest.mark.parametrize("cut", [4, 100, -20, -3])
def test_pieces_that_are_cut_off_are_told(tmp_path: Path, cut: int) -> None:
    result = Result(tmp_path, [{"a": 1}], [{"a": 2}])
    whole = result.source.read_bytes()
    half = len(whole) // 2
    result.source.write_bytes(whole[: half + cut if cut > 0 else cut])
    assert ": piece 1 cannot be read: " in result.error()
