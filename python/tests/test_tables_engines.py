# SPDX-License-Identifier: Apache-2.0
"""The fast readers of delimited text give what the exact one gives, and are used."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from tables_oracle import corpus
from tables_oracle.engines import ENGINES, Engines
from tables_oracle.table_files import Table, dtypes, rows, table
from windrow.tables.frames import reader_of
from windrow.tables.kinds import PANDAS_WORDS
from windrow.tables.reader import TableError


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> Engines:
    return Engines(monkeypatch)


def outcome(description: dict[str, Any], names: list[str]) -> Any:
    try:
        frame = reader_of(description)[1](names)
    except TableError as error:
        return str(error)
    if description.get("frame") == "pyarrow":
        return str(frame.schema), frame.to_pylist()
    return dtypes(frame), rows(frame)


MAKERS = [corpus.delimited, corpus.long_table, corpus.different_headers]


@pytest.mark.parametrize("frame", ["pandas", "pyarrow"])
@pytest.mark.parametrize("make", MAKERS)
def test_all_readers_agree(make: Any, frame: str, tmp_path: Path, engines: Engines) -> None:
    outcomes: dict[int, Any] = {}
    for engine in ENGINES:
        engines.use(engine)
        for seed in range(40):
            case = make(seed)
            folder = tmp_path / f"{seed}"
            files = []
            for file in case.files:
                path = folder / file.name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(file.data)
                files.append(str(path))
            names = [f"{path}@0+0#0*0" for path in files]
            found = outcome({**case.description, "files": files, "frame": frame}, names)
            assert found == outcomes.setdefault(seed, found), f"{engine}, seed {seed}"


CELLS = [
    "5",
    "",
    '""',
    "x",
    '"a,b"',
    '"a""b"',
    'a"b',
    '"a"b',
    '"',
    " ",
    "\r",
    "#",
    "1.5",
    "\t",
    "é",
]


def test_all_readers_agree_on_noise(tmp_path: Path, engines: Engines) -> None:
    """Records, quotes and ragged rows at random, under all policies: the same rows, or the same
    complaint."""
    rng = random.Random(1)
    tables = []
    for number in range(250):
        width = rng.randrange(1, 4)
        lines = [",".join("abc"[:width])]
        for _ in range(rng.randrange(1, 8)):
            fields = width if rng.random() < 0.9 else rng.randrange(1, 5)
            lines.append(",".join(rng.choice(CELLS) for _ in range(fields)))
        end = rng.choice(["\n", "\n", "\r\n"])
        made = Table(tmp_path, infer_column_types=rng.random() < 0.5)
        made.description["ragged"] = rng.choice(["error", "skip", "fill"])
        made.description["support_multi_line"] = rng.random() < 0.5
        made.description["types"] = rng.choice(["mltable", "pandas"])
        made.description["comment"] = rng.choice(["", "#"])
        made.add(f"{number}.csv", end.join(lines) + rng.choice(["", end]))
        tables.append(made)
    outcomes = {}
    for engine in ENGINES:
        engines.use(engine)
        for number, made in enumerate(tables):
            found = outcome(made.description, made.names())
            same = outcomes.setdefault(number, found)
            assert found == same, (engine, number, made.description)


def test_ordinary_tables_are_read_by_the_fast_readers(tmp_path: Path, engines: Engines) -> None:
    record = '{},1.5,"text, quoted",true,2020-01-31,2020-01-31T01:02:03Z,31/01/2020,\n'
    text = "i,f,s,b,d,z,e,m\n" + "".join(record.format(i) for i in range(1000))
    for engine in ENGINES[:-1]:
        engines.use(engine)
        frame = table(tmp_path, text, types="mltable").frame()
        assert (len(frame), engines.exact) == (1000, 0), engine


def test_without_pyarrow_text_is_read_all_the_same(tmp_path: Path, engines: Engines) -> None:
    engines.use("pandas")
    text = "a,b,c\n5,true,2020-01-31\n6,,\n"
    frame = table(tmp_path, text, types="mltable").frame()
    assert dtypes(frame) == {"a": "int64", "b": "object", "c": "datetime64[ns]"}
    assert rows(frame)[1] == [6, None, None]


def test_one_odd_value_makes_only_its_part_slow(tmp_path: Path, engines: Engines) -> None:
    lines = [f"{i},text of row {i}\n" for i in range(60000)]
    lines[40000] = "+40000,text of row 40000\n"
    text = "n,s\n" + "".join(lines)
    for engine in ENGINES[:-1]:
        engines.use(engine)
        frame = table(tmp_path, text).frame()
        assert frame["n"].tolist() == list(range(60000))
        assert engines.exact == (1 if engine == "arrow" else 0)
        engines.exact = 0
    lines[50000] = "oops,x\n"
    said = table(tmp_path, "n,s\n" + "".join(lines)).error()
    assert said.startswith("data.csv line 50002, column 'n': 'oops' does not fit int64")


def test_all_readers_count_what_they_leave_out(tmp_path: Path, engines: Engines) -> None:
    text = "a,b\n1,2\n3\n" + "4,5\n" * 300 + "6\n7,8,9\n"
    for engine in ENGINES:
        engines.use(engine)
        made = table(tmp_path, text, ragged="skip")
        reader = made.reader()
        for _ in range(2):
            assert (len(reader.frame(made.names())), reader.left_out) == (301, 3), engine


@pytest.mark.parametrize("word", PANDAS_WORDS.missing)
def test_every_word_for_missing_values_is_one_by_itself(
    tmp_path: Path, engines: Engines, word: str
) -> None:
    for engine in ENGINES:
        engines.use(engine)
        frame = table(tmp_path, f"a,b\n1.5,x\n{word},{word}\n", types="pandas").frame()
        assert dtypes(frame) == {"a": "float64", "b": "text"}, engine
        assert rows(frame) == [[1.5, "x"], [None, None]], engine
        assert engines.exact == 0 or engine == ENGINES[-1], engine


@pytest.mark.parametrize("types", ["mltable", "pandas"])
@pytest.mark.parametrize("value", ["0x10", "0X1f", '"0x10"', " 0x10"])
def test_hexadecimal_digits_are_text(
    tmp_path: Path, engines: Engines, types: str, value: str
) -> None:
    lines = [f"{i},x\n" for i in range(300)]
    for engine in ENGINES:
        engines.use(engine)
        lines[1] = f"{value},x\n"
        frame = table(tmp_path, "n,s\n" + "".join(lines), types=types).frame()
        assert frame["n"].tolist()[:2] == ["0", value.strip('"')], engine
        lines[1], lines[250] = "1,x\n", f"{value},x\n"
        said = table(tmp_path, "n,s\n" + "".join(lines), types=types).error()
        shown = repr(value.strip('"'))
        assert said.startswith(f"data.csv line 252, column 'n': {shown} does not fit int64"), engine


def test_text_of_hexadecimal_digits_does_not_make_a_table_slow(
    tmp_path: Path, engines: Engines
) -> None:
    text = "n,u,s\n" + "".join(f"{i},{2**64 - 1 - i},0x{i:x}\n" for i in range(1000))
    for engine in ENGINES[:-1]:
        engines.use(engine)
        frame = table(tmp_path, text, types="pandas").frame()
        assert dtypes(frame) == {"n": "int64", "u": "uint64", "s": "text"}
        assert rows(frame)[31] == [31, 2**64 - 32, "0x1f"]
        assert engines.exact == 0, engine
