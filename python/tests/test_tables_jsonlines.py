# SPDX-License-Identifier: Apache-2.0
"""Tables of JSON lines."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from tables_oracle.table_files import Table, dtypes, rows
from windrow.tables.frames import reader_of
from windrow.tables.reader import TableError
from windrow.tables.to_arrow import ArrowTables


def lines(folder: Path, *texts: str, **description: object) -> Table:
    made = Table(folder, format="json_lines", **description)
    made.add("data.jsonl", "".join(text + "\n" for text in texts))
    return made


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "-2"], "int64"),
        (["0", "1"], "int64"),
        (["1", "1.5"], "float64"),
        (["1", "null"], "float64"),
        (["1", "9223372036854775808"], "uint64"),
        (["18446744073709551615"], "uint64"),
        (["18446744073709551616"], "object"),
        (["-1", "9223372036854775808"], "object"),
        (["-9223372036854775809"], "object"),
        (["9223372036854775808", "null"], "object"),
        (["9223372036854775808", "1.5"], "float64"),
        (["true", "false"], "bool"),
        (["true", "null"], "object"),
        (['"x"', "null"], "text"),
        (['"2020-01-31"'], "text"),
        (['"x"', "1"], "object"),
        (["[1]", '{"a": 2}'], "object"),
        (["null"], "object"),
    ],
)
def test_types_are_those_of_the_first_rows(tmp_path: Path, values: list[str], kind: str) -> None:
    made = lines(tmp_path, *[f'{{"k": "r", "x": {value}}}' for value in values])
    assert dtypes(made.frame()) == {"k": "text", "x": kind} or kind == "object"
    assert str(made.frame()["x"].dtype) == kind or kind == "text"


def test_large_whole_numbers_keep_all_digits(tmp_path: Path) -> None:
    for numbers in ([2**64 - 1, 2**64 - 2], [2**63, -1], [2**64, 2**64 + 1], [2**63 + 1, None]):
        texts = [json.dumps({"x": number}) for number in numbers]
        assert lines(tmp_path, *texts).frame()["x"].tolist() == numbers


def test_a_large_whole_number_does_not_become_a_negative_one(tmp_path: Path) -> None:
    steps = [{"convert_column_types": [{"columns": "x", "column_type": "int"}]}]
    made = lines(tmp_path, '{"x": 1}', '{"x": 9223372036854775808}', transformations=steps)
    assert "9223372036854775808" in made.error()
    assert "cannot be made int by convert_column_types" in made.error()


@pytest.mark.parametrize("kind", ["pyarrow", "polars"])
def test_large_whole_numbers_keep_all_digits_in_other_frames(tmp_path: Path, kind: str) -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip(kind)
    made = lines(tmp_path, '{"x": 18446744073709551615}', '{"x": 1}', frame=kind)
    _, read = reader_of(made.description)
    assert list(read(made.names())["x"].to_pandas()) == [2**64 - 1, 1]
    made = lines(tmp_path, '{"x": 18446744073709551616}', '{"x": 1}', frame=kind)
    with pytest.raises(TableError, match="its type is not known"):
        reader_of(made.description)[1](made.names())


@pytest.mark.parametrize("kind", ["pyarrow", "polars"])
def test_a_column_of_nothing_is_one_of_nulls_in_other_frames(tmp_path: Path, kind: str) -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip(kind)
    early = ['{"a": 1, "c": null}'] * 200
    made = lines(tmp_path, *early, '{"a": 2, "c": 5}', frame=kind)
    _, read = reader_of(made.description)
    [path] = made.description["files"]
    length = 200 * (len(early[0]) + 1)
    found = read([f"{path}@0+{length}#0*0"])
    assert list(found["c"].to_pandas()) == [None] * 200
    with pytest.raises(TableError) as raised:
        read([f"{path}@{length}+0#0*0"])
    assert str(raised.value) == (
        f"{path}, column 'c': a value, and the first rows of the table, which decide types, have"
        " none; begin with a row that has one, or leave the column out with keep_columns"
    )


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (("1", '"a"'), "values of several kinds (numbers and text)"),
        (("[1]", "true", "null"), "values of several kinds (lists and true or false)"),
        (("18446744073709551616",), "whole numbers that do not fit into 64 bits"),
        (("-1", "18446744073709551615"), "whole numbers that do not fit into 64 bits"),
        (('[1, "a"]',), "lists with values of several kinds, or numbers beyond 64 bits,"),
        (
            ('{"a": 1}', '{"a": "b"}'),
            "objects with values of several kinds, or numbers beyond 64 bits,",
        ),
    ],
)
def test_why_a_column_has_no_type_is_told(
    tmp_path: Path, values: tuple[str, ...], reason: str
) -> None:
    pytest.importorskip("pyarrow")
    made = lines(tmp_path, *(f'{{"x": {value}}}' for value in values), frame="pyarrow")
    with pytest.raises(TableError) as raised:
        reader_of(made.description)[1](made.names())
    assert f"column 'x' holds {reason} in the first rows, so that its" in str(raised.value)


def test_columns_stand_in_the_order_of_their_first_appearance(tmp_path: Path) -> None:
    made = lines(tmp_path, '{"b": 1}', "", '{"c": 2, "a": [1], "b": 3}', "  ")
    frame = made.frame()
    assert list(frame.columns) == ["b", "c", "a"]
    assert rows(frame) == [[1, None, None], [3, 2, [1]]]


def test_values_of_mixed_types_stay_as_they_are(tmp_path: Path) -> None:
    frame = lines(tmp_path, '{"x": 1}', '{"x": "y"}', '{"x": {"z": null}}').frame()
    assert frame["x"].tolist() == [1, "y", {"z": None}]
    late = ['{"x": 1}'] * 200 + ['{"x": "y"}']
    for chosen in ({"mixed_types": True}, {"infer_column_types": False}):
        frame = lines(tmp_path, *late, **chosen).frame()
        assert frame["x"].tolist()[-2:] == [1, "y"]
        assert str(frame["x"].dtype) == "object"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("xx", "not JSON from character 0 on"),
        ('{"x": 1,}', "double quotes"),
        ("{x: 1}", "double quotes"),
        ('{"x": 1} {"x": 2}', "more than one JSON value"),
        ('{"x": 1},', "more than one JSON value"),
        ("[1]", "list in place of an object"),
        ("5", "int in place of an object"),
        ("null", "NoneType in place of an object"),
        ('{"x": NaN}', "NaN is not JSON"),
        ('{"x": -Infinity}', "-Infinity is not JSON"),
        ('{"x": "\\ud800"}', "half of a surrogate pair"),
        ('{"\\uD800x": 1}', "half of a surrogate pair"),
        ('{"x": 1e400}', "a number too large for float64"),
        ('{"x": [{"y": -2E+999}]}', "a number too large for float64"),
        ('{"x": ' + "[" * 100000 + "]" * 100000 + "}", "nested too deeply"),
    ],
)
def test_a_broken_line_is_told_or_dropped(tmp_path: Path, line: str, reason: str) -> None:
    for before in (1, 300):
        texts = ['{"x": 7}'] * before + [line, '{"x": 8}']
        said = lines(tmp_path, *texts).error()
        assert said.startswith(f"data.jsonl line {before + 1}: ")
        assert reason in said
        assert said.endswith("set invalid_lines: drop")
        dropped = lines(tmp_path, *texts, invalid_lines="drop").frame()
        assert dropped["x"].tolist() == [7] * before + [8]


@pytest.mark.parametrize(
    "bad",
    [b"xx", b'{"x": 1', b"[1]", b'{"x": NaN}', b'{"x": "\xe4"}', b'{"x": 1' + b"0" * 400 + b"}"],
)
@pytest.mark.parametrize("before", [0, 1])
def test_a_broken_line_among_the_first_fails_no_other_mini_batch(
    tmp_path: Path, bad: bytes, before: int
) -> None:
    made = Table(tmp_path, format="json_lines")
    good = b'{"x": 0.5}\n'
    begin = len(good) * before
    path = made.add("data.jsonl", good * before + bad + b"\n" + good)
    reader = made.reader()
    with pytest.raises(TableError, match=rf"data.jsonl line {before + 1}\b"):
        reader.frame([f"{path}@{begin}+{len(bad) + 1}#0*0"])
    frame = reader.frame([f"{path}@{begin + len(bad) + 1}+{len(good)}#0*0"])
    assert (dtypes(frame), rows(frame)) == ({"x": "float64"}, [[0.5]])


def test_a_later_file_that_is_no_json_lines_fails_no_other(tmp_path: Path) -> None:
    made = Table(tmp_path, format="json_lines")
    made.add("a.jsonl", '{"x": 1}\n')
    made.add("b.json", '[\n{"x": 1},\n{"x": 2}\n]\n')
    first, second = made.names()
    reader = made.reader()
    assert rows(reader.frame([first])) == [[1]]
    with pytest.raises(TableError, match=r"b\.json line 1: a list begins here"):
        reader.frame([second])


@pytest.mark.parametrize("form", ['[\n{"x": 1},\n{"x": 2}\n]\n', '{\n"x": 1,\n"y": 2\n}\n'])
def test_every_mini_batch_of_a_document_is_told_what_it_is(tmp_path: Path, form: str) -> None:
    made = Table(tmp_path, format="json_lines")
    path = made.add("data.json", form)
    with pytest.raises(TableError, match=r"data\.json line 1: an? .* begins here, and JSON lines"):
        made.reader().frame([f"{path}@2+7#0*0"])


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('[\n  {"x": 1},\n  {"x": 2}\n]\n', "a list"),
        ('[{"x": 1},\n {"x": 2}]\n', "a list"),
        ('[{"x": 1}, {"x": 2}]', "a list"),
        ('{\n  "x": 1\n}\n', "an object over several lines"),
        ('\n{"x": [\n  1]\n}\n', "an object over several lines"),
        ('{"x": 1,\n"y": 2}\n', "an object over several lines"),
    ],
)
def test_a_document_that_is_no_json_lines_is_told(tmp_path: Path, text: str, what: str) -> None:
    made = Table(tmp_path, format="json_lines")
    made.add("data.json", text)
    line = 2 if text.startswith("\n") else 1
    assert made.error() == (
        f"data.json line {line}: {what} begins here, and JSON lines have one object to a line;"
        " write the file that way, as pandas does with to_json(orient='records', lines=True)"
    )


@pytest.mark.parametrize("text", ['{"x": 1', '{"x": 1,\n{"x": 2}\n'])
def test_a_first_line_that_was_cut_off_is_a_broken_line(tmp_path: Path, text: str) -> None:
    assert lines(tmp_path, text).error().endswith("set invalid_lines: drop")


def test_a_number_that_no_float_holds_is_told(tmp_path: Path) -> None:
    for number in ("1e400", "-1e400", "1" + "0" * 400):
        for before in (['{"x": 0.5}'], ['{"x": 0.5}'] * 300):
            said = lines(tmp_path, *before, f'{{"x": {number}}}').error()
            line = len(before) + 1
            assert said.startswith(f"data.jsonl line {line}")
            assert "a number too large for float64" in said


@pytest.mark.parametrize("late", ["[0.5, 1e400]", '{"y": [null, -1e400]}', "1e400"])
def test_a_number_that_no_float_holds_is_told_among_objects(tmp_path: Path, late: str) -> None:
    texts = ['{"x": [0.5]}', '{"x": "y"}', '{"x": [1e308, 1e308]}'] * 100
    assert len(lines(tmp_path, *texts).frame()) == 300
    texts.append(f'{{"x": {late}}}')
    said = lines(tmp_path, *texts).error()
    assert said.startswith("data.jsonl line 301: a number too large for float64; repair")
    dropped = lines(tmp_path, *texts, invalid_lines="drop").frame()
    assert len(dropped) == 300


@pytest.mark.parametrize(
    ("early", "late", "kind"),
    [
        ("1", '"x"', "int64"),
        ("1", "1.5", "int64"),
        ("1", "null", "int64"),
        ("1", "true", "int64"),
        ("1", "99999999999999999999", "int64"),
        ("1", "9223372036854775808", "int64"),
        ("9223372036854775808", "18446744073709551616", "uint64"),
        ("9223372036854775808", "-1", "uint64"),
        ("1.5", '"x"', "float64"),
        ("true", "1", "bool"),
        ("true", "null", "bool"),
        ('"x"', "1", "text"),
    ],
)
def test_a_late_value_that_does_not_fit_is_named(
    tmp_path: Path, early: str, late: str, kind: str
) -> None:
    said = lines(tmp_path, *[f'{{"x": {early}}}'] * 200, f'{{"x": {late}}}').error()
    assert said.startswith("data.jsonl line 201, column 'x': ")
    assert f"does not fit {kind}, the type decided from the first rows" in said


def test_a_late_key_is_named_unless_columns_are_chosen(tmp_path: Path) -> None:
    texts = ['{"x": 1}'] * 200 + ['{"x": 2, "new": 3}']
    said = lines(tmp_path, *texts).error()
    assert said.startswith("data.jsonl line 201: 'new' is in none of the first rows, which have")
    chosen = lines(tmp_path, *texts, transformations=[{"keep_columns": "x"}]).frame()
    assert len(chosen) == 201


def test_stretches_and_encodings(tmp_path: Path) -> None:
    made = Table(tmp_path, format="json_lines", encoding="latin1")
    first, second = '{"x": "ä"}\r\n'.encode("cp1252"), b'{"x": "b"}\n'
    path = made.add("data.jsonl", first + second)
    reader = made.reader()
    assert rows(reader.frame([f"{path}@{len(first)}+{len(second)}#1*1"])) == [["b"]]
    assert rows(reader.frame([f"{path}@0+0#0*0"])) == [["ä"], ["b"]]
    made.description["transformations"] = [{"skip": 1}]
    assert rows(made.reader().frame([f"{path}@{len(first)}+{len(second)}#0*0"])) == [["b"]]
    wrong = Table(tmp_path, format="json_lines")
    wrong.add("wrong.jsonl", first)
    assert wrong.error().startswith("wrong.jsonl line 1: byte 0xe4 is not UTF-8")


def test_a_mark_and_compression(tmp_path: Path) -> None:
    made = Table(tmp_path, format="json_lines")
    made.add("a.jsonl", b"\xef\xbb\xbf" + b'{"x": 1}\n')
    packed = made.add("b.jsonl.gz", gzip.compress(b'{"x": 2}\n' * 1000))
    assert len(made.frame()) == 1001
    made.description["transformations"] = [{"take": 1}]
    assert len(made.reader().frame([f"{packed}@0+0#0*0"])) == 0
    made.description["transformations"] = [{"take": 2}]
    assert rows(made.reader().frame([f"{packed}@0+0#0*0"])) == [[2]]


NESTED = [
    ("[1, 2]", "[]", "list<item: int64>"),
    ('["a", null]', "null", "list<item: string>"),
    ('{"y": 1, "z": [0.5]}', '{"z": [7]}', "struct<y: int64, z: list<item: double>>"),
    ('[{"y": true}]', "[{}, null]", "list<item: struct<y: bool>>"),
]


@pytest.mark.parametrize(("early", "late", "type_"), NESTED)
def test_lists_and_objects_have_the_type_of_the_first_rows(
    tmp_path: Path, early: str, late: str, type_: str
) -> None:
    pytest.importorskip("pyarrow")
    texts = [f'{{"x": {early}}}'] * 200 + [f'{{"x": {late}}}']
    made = lines(tmp_path, *texts, frame="pyarrow")
    found = ArrowTables(made.description).whole(made.names())
    assert str(found.schema.field("x").type) == type_
    value, expected = found.column("x")[200].as_py(), json.loads(late)
    if isinstance(expected, dict):
        expected = {"y": None, **expected}
    assert value == ([{"y": None}, None] if late == "[{}, null]" else expected)


@pytest.mark.parametrize("late", [
    '{"y": "a"}', '{"y": 1, "new": 2}', '{"y": 1.5}', f'{{"y": {1 << 70}}}', "[1]", "7",
])  # fmt: skip
def test_an_object_of_another_type_fails_its_mini_batch(tmp_path: Path, late: str) -> None:
    pytest.importorskip("pyarrow")
    made = lines(tmp_path, *['{"x": {"y": 1}}'] * 200, f'{{"x": {late}}}', frame="polars")
    path = made.description["files"][0]
    reader = ArrowTables(made.description)
    with pytest.raises(TableError) as raised:
        reader.whole([f"{path}@3200+0#0*0"])
    assert f"{path}, column 'x': values that do not fit struct<y: int64>" in str(raised.value)
    assert reader.whole([f"{path}@0+16#0*0"]).to_pylist() == [{"x": {"y": 1}}]


@pytest.mark.parametrize("other", ["7", "[1]", '{"y": "a"}', f'{{"y": {1 << 70}}}'])
def test_what_arrow_has_no_type_for_is_told(tmp_path: Path, other: str) -> None:
    pytest.importorskip("pyarrow")
    made = lines(tmp_path, '{"x": {"y": 1}}', f'{{"x": {other}}}', frame="pyarrow")
    with pytest.raises(TableError, match=r"column 'x' holds .*values of several kinds"):
        ArrowTables(made.description).schema()


def test_nothing_at_all_has_no_columns(tmp_path: Path) -> None:
    for texts in ([], [""], ["{}"]):
        frame = lines(tmp_path, *texts).frame()
        assert list(frame.columns) == []
        assert len(frame) == len([text for text in texts if text])


def test_a_file_that_changed_is_told(tmp_path: Path) -> None:
    made = lines(tmp_path, '{"x": 1}')
    path = made.description["files"][0]
    with pytest.raises(TableError, match="1 lines where there were 3 when the job began"):
        made.reader().frame([f"{path}@0+0#0*3"])
