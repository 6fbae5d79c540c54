# SPDX-License-Identifier: Apache-2.0
"""Tables of delimited text: headers, fields, records, encodings, and cuts."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tables_oracle.table_files import Table, dtypes, rows, table
from windrow.tables.reader import TableError, TableReader


def test_a_reader_is_made_without_pandas_and_without_a_file() -> None:
    program = """
import sys
from windrow.tables.reader import TableReader
for form in ("delimited", "json_lines", "parquet", "arrow"):
    TableReader({"format": form, "files": ["/nowhere/at/all"], "partition_format": "/{a}/b",
                 "transformations": [{"filter": "a > datetime(2020)"}, {"keep_columns": "a"}]})
print([name for name in ("pandas", "numpy", "pyarrow") if name in sys.modules])
"""
    source = Path(__file__).parents[1] / "src"
    environment = {**os.environ, "PYTHONPATH": str(source)}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_a_wrong_description_is_refused_at_once() -> None:
    for wrong, said in (
        ({"format": "excel"}, "format: 'excel' is not one of delimited"),
        ({"delimiter": "ab"}, "delimiter: 'ab' is not one ASCII character"),
        ({"encoding": "ebcdic"}, "encoding: 'ebcdic' is not one of utf8"),
        ({"header": "yes"}, "header: 'yes' is not one of all_files_same_headers"),
        ({"ragged": "maybe"}, "ragged: 'maybe' is not one of error, skip, fill"),
    ):
        with pytest.raises(TableError) as raised:
            TableReader({"format": "delimited", "files": [], **wrong})
        assert str(raised.value).startswith(said)


def test_rows_are_typed_and_numbered_from_zero(tmp_path: Path) -> None:
    frame = table(tmp_path, "a,b,c\n5,x,1.5\n6,,2\n").frame()
    assert dtypes(frame) == {"a": "int64", "b": "text", "c": "float64"}
    assert rows(frame) == [[5, "x", 1.5], [6, None, 2.0]]
    assert list(frame.index) == [0, 1]


def test_a_byte_order_mark_and_carriage_returns_leave_no_trace(tmp_path: Path) -> None:
    frame = table(tmp_path, b"\xef\xbb\xbfa,b\r\n5,x\r\n\r\n6,y").frame()
    assert list(frame.columns) == ["a", "b"]
    assert rows(frame) == [[5, "x"], [6, "y"]]


def test_quotes_hold_delimiters_and_quotes(tmp_path: Path) -> None:
    frame = table(tmp_path, 'a,b\n"x,y","say ""hi"""\nin"ner,"q"z\n').frame()
    assert rows(frame) == [["x,y", 'say "hi"'], ['in"ner', "qz"]]


def test_an_empty_text_is_no_missing_value(tmp_path: Path) -> None:
    text = 'a,b\n"",x\n,y\n'
    assert rows(table(tmp_path, text, types="mltable").frame()) == [["", "x"], [None, "y"]]
    assert rows(table(tmp_path, text, types="pandas").frame()) == [[None, "x"], [None, "y"]]
    filled = table(tmp_path, text, types="mltable", empty_as_string=True).frame()
    assert rows(filled) == [["", "x"], ["", "y"]]


def test_line_breaks_in_quotes_need_to_be_allowed(tmp_path: Path) -> None:
    text = 'a,b\n1,"x\ny"\n2,z\n'
    assert rows(table(tmp_path, text, support_multi_line=True).frame()) == [[1, "x\ny"], [2, "z"]]
    said = table(tmp_path, text).error()
    assert said.startswith("data.csv line 2: a quoted field begins here and does not end in this")
    assert "support_multi_line: true" in said


def test_a_quote_that_is_never_closed_is_found(tmp_path: Path) -> None:
    for multi_line in (False, True):
        made = table(tmp_path, 'a,b\n1,x\n2,"y\n3,z\n', support_multi_line=multi_line)
        assert made.error().startswith("data.csv line 3: a quoted field begins here")
    assert rows(table(tmp_path, 'a,b\n1,"y\n', quotes=False).frame()) == [[1, '"y']]


@pytest.mark.parametrize("header", ["all_files_same_headers", "no_header"])
@pytest.mark.parametrize(
    ("bad", "said", "multi_line"),
    [
        (b"6\n", "1 field where", False),
        (b"6,y,z\n", "3 fields where", True),
        (b'6,"y\n', "a quoted field begins here", False),
        (b"6,\xe4\n", "byte 0xe4 is not UTF-8", False),
    ],
)
def test_a_bad_row_among_the_first_fails_no_other_mini_batch(
    tmp_path: Path, header: str, bad: bytes, said: str, multi_line: bool
) -> None:
    made = Table(tmp_path, header=header, support_multi_line=multi_line)
    first = b"" if header == "no_header" else b"a,b\n"
    begin = len(first)
    path = made.add("1.csv", first + b"5,x\n" + bad + b"7,z\n")
    reader = made.reader()
    with pytest.raises(TableError, match=f"1.csv line {3 if first else 2}: {said}"):
        reader.frame([f"{path}@{begin + 4}+{len(bad)}#0*0"])
    for offset, row in ((begin, [5, "x"]), (begin + 4 + len(bad), [7, "z"])):
        frame = reader.frame([f"{path}@{offset}+4#0*0"])
        assert list(dtypes(frame).values()) == ["int64", "text"]
        assert rows(frame) == [row]


def test_a_quote_that_is_never_closed_fails_no_row_before_it(tmp_path: Path) -> None:
    made = Table(tmp_path, support_multi_line=True)
    path = made.add("1.csv", 'a,b\n5,x\n6,"y\n7,z\n')
    assert rows(made.reader().frame([f"{path}@0+8#0*0"])) == [[5, "x"]]


@pytest.mark.parametrize("header", ["all_files_same_headers", "all_files_different_headers"])
def test_a_file_that_cannot_be_read_fails_no_other(tmp_path: Path, header: str) -> None:
    made = Table(tmp_path, header=header)
    made.add("1.csv", "a,b\n5,x\n")
    made.add("2.csv.gz", gzip.compress(b"a,b\n" + b"5,x\n" * 1000)[:30])
    made.add("3.csv", 'a,"b\n5,x\n')
    made.add("4.csv", "a,b\n6,y\n")
    first, second, third, last = made.names()
    reader = made.reader()
    assert rows(reader.frame([first, last])) == [[5, "x"], [6, "y"]]
    for name, said in ((second, "cannot be decompressed"), (third, "line 1: a quoted field")):
        with pytest.raises(TableError, match=said):
            reader.frame([name])


def test_without_a_row_that_can_be_read_columns_are_text(tmp_path: Path) -> None:
    made = Table(tmp_path)
    path = made.add("1.csv", "a,b\n" + "5\n" * 200 + "6,y\n")
    frame = made.reader().frame([f"{path}@404+4#0*0"])
    assert (dtypes(frame), rows(frame)) == ({"a": "text", "b": "text"}, [["6", "y"]])
    assert made.error().startswith("1.csv line 2: 1 field where the table has 2 columns")


@pytest.mark.parametrize("end", ['"y\n3,z"\n', '"y', '"y\n', '"y\n\n \n'])
def test_a_late_open_quote_is_found_too(tmp_path: Path, end: str) -> None:
    text = "a,b\n" + "5,x\n" * 500 + f"5,{end}"
    assert table(tmp_path, text).error().startswith("data.csv line 502: a quoted field")


def test_rows_with_too_many_or_too_few_fields(tmp_path: Path) -> None:
    text = "a,b\n1,2\n3\n4,5,6\n7,8\n"
    said = table(tmp_path, text).error()
    assert said.startswith("data.csv line 3: 1 field where the table has 2 columns; set ragged")
    assert rows(table(tmp_path, text, ragged="skip").frame()) == [[1, 2], [7, 8]]
    filled = table(tmp_path, text, ragged="fill").frame()
    assert list(filled.columns) == ["a", "b", "Column3"]
    assert rows(filled) == [[1, 2, None], [3, None, None], [4, 5, 6], [7, 8, None]]


def test_columns_that_were_filled_are_in_no_header(tmp_path: Path) -> None:
    made = table(tmp_path, "a,b\n1,2\n3,4,5\n", ragged="fill", types="pandas")
    made.add("more.csv", "a,b\n6,7\n")
    assert rows(made.frame()) == [[1, 2, None], [3, 4, 5], [6, 7, None]]
    made.add("other.csv", "a,c\n6,7\n")
    assert "the header has the columns 'a', 'c', and that of data.csv 'a', 'b';" in made.error()


def test_late_ragged_rows_are_treated_alike(tmp_path: Path) -> None:
    text = "a,b\n" + "1.5,x\n" * 300 + "2.5\n3.5,y\n"
    assert table(tmp_path, text).error().startswith("data.csv line 302: 1 field where")
    assert len(table(tmp_path, text, ragged="skip").frame()) == 301
    assert rows(table(tmp_path, text, ragged="fill").frame())[-2:] == [[2.5, None], [3.5, "y"]]
    longer = text + "1,2,3\n"
    said = table(tmp_path, longer, ragged="fill").error()
    assert said.startswith("data.csv line 304: 3 fields where the table has 2 columns; fields beyo")


def test_comments_skipped_lines_and_blank_lines_are_no_records(tmp_path: Path) -> None:
    text = "made by hand\n\n#c\na,b\n#x,y\n5,6\n  \n\n#\n7,8 #9\n"
    frame = table(tmp_path, text, comment="#", skip_lines=1).frame()
    assert rows(frame) == [[5, "6"], [7, "8 #9"]]


def test_a_carriage_return_within_a_line_is_text(tmp_path: Path) -> None:
    assert rows(table(tmp_path, "a,b\nx\ry,z\n").frame()) == [["x\ry", "z"]]


def test_the_delimiter_can_be_guessed_by_the_reader_of_the_message(tmp_path: Path) -> None:
    said = table(tmp_path, "a;b\n5;6\n7;8\n").error()
    assert said == "data.csv: with delimiter ',' there is one column, 'a;b'; set delimiter: ';'"
    one_column = table(tmp_path, "a;b\nfree text\nmore\n").frame()
    assert list(one_column.columns) == ["a;b"]


@pytest.mark.parametrize("early", ["x;1,5", "x"])
def test_a_wrong_delimiter_is_guessed_where_fields_hold_the_one_that_is_set(
    tmp_path: Path, early: str
) -> None:
    text = "name;price\n" + f"{early}\n" * 300 + "x;1,5\n"
    said = table(tmp_path, text).error()
    line = 2 if "," in early else 302
    assert said == (
        f"data.csv line {line}: 2 fields where the table has 1 column, 'name;price'; set delimiter:"
        " ';' if that stands between fields; set ragged: skip to leave such rows out, or ragged:"
        " fill to fill them"
    )
    assert "delimiter" not in table(tmp_path, "name\nx\n1;2,5\n").error()
    assert "delimiter" not in table(tmp_path, "a;b,c\nx\n1;2,5\n").error()


@pytest.mark.parametrize("delimiter", [";", "\t", "|", "\x01", "^", "]", "-", "\\t"])
def test_any_character_can_be_the_delimiter(tmp_path: Path, delimiter: str) -> None:
    text = 'a,b\n5,"x,y"\n'.replace(",", "\t" if delimiter == "\\t" else delimiter)
    inside = "x\ty" if delimiter == "\\t" else f"x{delimiter}y"
    assert rows(table(tmp_path, text, delimiter=delimiter).frame()) == [[5, inside]]


@pytest.mark.parametrize(
    ("encoding", "codec"),
    [
        ("utf8", "utf-8"),
        ("utf8bom", "utf-8-sig"),
        ("ascii", "utf-8"),
        ("iso88591", "cp1252"),
        ("latin1", "cp1252"),
        ("windows1252", "cp1252"),
        ("utf16", "utf-16"),
        ("utf16", "utf-16-le"),
        ("utf16", "utf-16-be"),
        ("utf32", "utf-32"),
        ("utf32", "utf-32-le"),
        ("utf32", "utf-32-be"),
    ],
)
def test_text_is_decoded(tmp_path: Path, encoding: str, codec: str) -> None:
    text = "a,grün\n5,ä€\n6,z\n"
    frame = table(tmp_path, text.encode(codec), encoding=encoding).frame()
    assert list(frame.columns) == ["a", "grün"]
    assert rows(frame) == [[5, "ä€"], [6, "z"]]


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_the_byte_order_needs_no_mark_and_no_latin_letters(tmp_path: Path, codec: str) -> None:
    text = "имя,число\nдом,5\n"
    frame = table(tmp_path, text.encode(codec), encoding=codec[:-3].replace("-", "")).frame()
    assert (list(frame.columns), rows(frame)) == (["имя", "число"], [["дом", 5]])


def test_the_wrong_encoding_is_told_with_its_line(tmp_path: Path) -> None:
    early = b"a,b\n5,x\n6,\xe4\n"
    said = table(tmp_path, early).error()
    assert said.startswith("data.csv line 3: byte 0xe4 is not UTF-8; set encoding")
    late = b"a,b\n" + b"5,x\n" * 20000 + b"6,\xe4\n"
    assert table(tmp_path, late).error().startswith("data.csv line 20002: byte 0xe4")
    assert "not utf-16" in table(tmp_path, b"\xff\xfea", encoding="utf16").error()


@pytest.mark.parametrize(
    ("kind", "pack"), [("gzip", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)]
)
def test_compressed_files_are_read_whole(tmp_path: Path, kind: str, pack: object) -> None:
    packed = pack(b"a,b\n" + b"5,x\n" * 1000)  # type: ignore[operator]
    made = Table(tmp_path)
    path = made.add("data.csv.packed", packed)
    frame = made.frame()
    assert (len(frame), rows(frame)[0]) == (1000, [5, "x"])
    Path(path).write_bytes(packed[: len(packed) // 2])
    assert made.error() == (
        f"data.csv.packed: cannot be decompressed ({kind}): it ends in the middle; is it complete?"
    )


def test_zstandard_is_read_with_pyarrow(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    data = pyarrow.compress(b"a,b\n5,x\n", codec="zstd", asbytes=True)
    assert rows(table(tmp_path, data).frame()) == [[5, "x"]]


def test_the_path_can_be_a_column(tmp_path: Path) -> None:
    made = Table(tmp_path, include_path_column=True)
    first = made.add("1.csv", "a\n5\n")
    second = made.add("d/2.csv", "a\n6\n")
    assert rows(made.frame()) == [[first, 5], [second, 6]]
    said = table(tmp_path, "Path,b\n1,2\n", include_path_column=True).error()
    assert "there is a column 'Path' already" in said


@pytest.mark.parametrize(
    ("form", "module"),
    [
        ("delimited", "pandas"),
        ("json_lines", "pandas"),
        ("parquet", "pandas"),
        ("parquet", "pyarrow.parquet"),
        ("arrow", "pyarrow.ipc"),
    ],
)
def test_the_environment_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, module: str
) -> None:
    pytest.importorskip(module)
    made = table(tmp_path, "a\n5\n", format=form)
    made.reader().check()
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(TableError) as raised:
        made.reader().check()
    assert str(raised.value) == (
        f"tables of format {form} need {module.split('.')[0]} in the environment of the script"
        f" (import of {module} halted; None in sys.modules); install it there, or name another one"
        " with --python"
    )


def test_the_path_alone_can_be_kept(tmp_path: Path) -> None:
    for form, text in (("delimited", "a,b\n1,2\n3,4\n"), ("json_lines", '{"a": 1}\n{"a": 2}\n')):
        made = table(tmp_path, text, format=form, include_path_column=True)
        made.description["transformations"] = [{"keep_columns": "Path"}]
        assert rows(made.frame()) == [[made.description["files"][0]]] * 2


def test_numbers_of_thousands_of_digits_are_no_integers(tmp_path: Path) -> None:
    long = "9" * 5000
    assert dtypes(table(tmp_path, f"a\n{long}\n").frame()) in ({"a": "float64"}, {"a": "text"})
    late = "a\n" + "5\n" * 200 + long + "\n"
    assert table(tmp_path, late).error().startswith("data.csv line 202, column 'a': '99999")


def test_an_empty_field_that_is_text_makes_text_of_its_column(tmp_path: Path) -> None:
    made = table(tmp_path, "id,x\n1,2\n2,\n", types="pandas", empty_as_string=True)
    assert rows(made.frame()) == [[1, "2"], [2, ""]]


def test_lines_that_end_with_a_carriage_return_alone_are_told(tmp_path: Path) -> None:
    made = table(tmp_path, "a,b\r1,2\r3,4\r", types="pandas")
    with pytest.raises(TableError, match="line 1: lines end with a carriage return alone"):
        made.frame()
