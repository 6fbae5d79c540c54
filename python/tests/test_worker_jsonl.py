# SPDX-License-Identifier: Apache-2.0
"""Rows of JSON lines: from their names to what run() gets."""

from __future__ import annotations

import bz2
import gzip
import lzma
from pathlib import Path
from typing import Any

import pytest
from windrow.worker.jsonl import RowError, Rows


def names_of(path: Path, content: bytes) -> list[str]:
    """Writes a file, and names its rows as the engine does."""
    path.write_bytes(content)
    names, offset = [], 0
    for number, line in enumerate(content.split(b"\n"), 1):
        if line.strip(b" \t\r"):
            names.append(f"{path}:{number}@{offset}+{len(line)}#{len(names)}")
        offset += len(line) + 1
    return names


def load(folder: Path, content: bytes | str) -> list[dict[str, Any]]:
    data = content if isinstance(content, bytes) else content.encode()
    return Rows().load(names_of(folder / "a.jsonl", data))


def error(folder: Path, content: bytes | str) -> str:
    with pytest.raises(RowError) as raised:
        load(folder, content)
    return str(raised.value).replace(f"{folder}/", "")


def test_rows_are_what_json_says(tmp_path: Path) -> None:
    text = (
        '\ufeff{"n": 1}\r\n\n  {"v": [1.5, -2e300, null, true, {"x": "\\ud83d\\ude00 \\\\u"}]} \n{}'
    )
    assert load(tmp_path, text) == [{"n": 1}, {"v": [1.5, -2e300, None, True, {"x": "😀 \\u"}]}, {}]


def test_large_numbers_are_kept_as_they_are(tmp_path: Path) -> None:
    """Sums of which would be infinite, or no float."""
    whole = 10**400
    text = f'{{"v": [1e308, 1e308, -1e308], "w": [0.5, {whole}], "n": {whole}}}\n'
    assert load(tmp_path, text) == [{"v": [1e308, 1e308, -1e308], "w": [0.5, whole], "n": whole}]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ('{"n": 1e400}', "a number too large for float64"),
        ('{"n": -1E+999}', "a number too large for float64"),
        ('{"n": ' + "1" * 400 + ".0}", "a number too large for float64"),
        ('{"v": [0.5, 1e400, 0.5]}', "a number too large for float64"),
        ('{"v": [[0.5, 1], [{"x": [0.5, "y", -1e400]}]]}', "a number too large for float64"),
        ('{"v": {"w": [null, 1e400]}}', "a number too large for float64"),
        ('{"n": NaN}', "NaN is not JSON"),
        ('{"n": [-Infinity]}', "-Infinity is not JSON"),
        ('{"s": "\\ud800"}', "half of a surrogate pair"),
        ('{"v": [{"\\uDC00x": 1}]}', "half of a surrogate pair"),
        ('{"n": 1} {"n": 2}', "more than one JSON value"),
        ("xx", "not JSON from character 0 on"),
        ('{"n": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
        ("[1, 2]", "list in place of an object"),
        ("null", "NoneType in place of an object"),
    ],
)
def test_what_is_no_row_is_told_with_its_line(tmp_path: Path, row: str, message: str) -> None:
    assert error(tmp_path, '\n{"n": 1}\n' + row + '\n{"n": 2}\n') == f"a.jsonl line 3: {message}"


ZSTD = bytes.fromhex("28b52ffd2009490000") + b'{"n": 1}'


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("gzip", gzip.compress(b'{"n": 1}\n')),
        ("bz2", bz2.compress(b'{"n": 1}\n')),
        ("xz", lzma.compress(b'{"n": 1}\n')),
        ("zstd", ZSTD),
    ],
    ids=["gzip", "bz2", "xz", "zstd"],
)
def test_a_compressed_file_is_told(tmp_path: Path, kind: str, data: bytes) -> None:
    names = names_of(tmp_path / "a.jsonl", data)
    for name in (names[0], names[-1]):
        with pytest.raises(RowError) as raised:
            Rows().load([name])
        assert str(raised.value).endswith(
            f": the file is compressed ({kind}); unpack it, or read it with --as table"
        )


def test_other_bytes_than_those_of_utf8_are_told(tmp_path: Path) -> None:
    said = error(tmp_path, b'{"n": 1}\n{"n": "\xe4"}\n')
    assert said == "a.jsonl line 2: byte 0xe4 is not UTF-8"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('[\n  {"x": 1},\n  {"x": 2}\n]\n', "a list"),
        ('\ufeff[{"x": 1}, {"x": 2}]', "a list"),
        ('{\n  "x": 1\n}\n', "an object over several lines"),
        ('\n {"x": [\n  1]\n}\n', "an object over several lines"),
    ],
)
def test_a_document_that_is_no_json_lines_is_told(tmp_path: Path, text: str, what: str) -> None:
    line = 2 if text.startswith("\n") else 1
    assert error(tmp_path, text) == (
        f"a.jsonl line {line}: {what} begins here, and JSON lines have one object to a line; write"
        " the file that way, as pandas does with to_json(orient='records', lines=True)"
    )


def test_a_first_row_that_was_cut_off_is_no_document(tmp_path: Path) -> None:
    said = error(tmp_path, '{"x": 1,\n{"x": 2}\n')
    assert said.startswith("a.jsonl line 1: Expecting property name enclosed in double quotes")


def test_a_file_that_became_shorter_is_told(tmp_path: Path) -> None:
    names = names_of(tmp_path / "a.jsonl", b'{"n": 1}\n{"n": 2}\n')
    (tmp_path / "a.jsonl").write_bytes(b'{"n": 1}\n{"n"')
    with pytest.raises(RowError, match=r"a\.jsonl line 2: the file is shorter than it was"):
        Rows().load(names)
    with pytest.raises(RowError, match=r"'a\.jsonl' is not the name of a row"):
        Rows().load(["a.jsonl"])
