# SPDX-License-Identifier: Apache-2.0
"""Tables made from seeds: files, where their records end, and how they are to be read.

Only what both readers promise to read alike is made here; README.md lists the rest.
"""

from __future__ import annotations

import io
import json
import random
from dataclasses import dataclass, field
from typing import Any

WORDS = ["alpha", "beta gamma", "naïve", "", "ÅÄÖ", "x", "0x10", "1_000", "NA", "null", "- 5", "€"]
DELIMITERS = [",", ";", "\t", "|"]


@dataclass
class File:
    """`ends`: of the head and of each record, in bytes; of rows in Parquet files."""

    name: str
    data: bytes
    ends: list[int]


@dataclass
class Case:
    """One table for both readers."""

    kind: str
    seed: int
    files: list[File]
    steps: list[Any]  # of the MLTable file
    description: dict[str, Any] = field(default_factory=dict)
    cut: bool = True  # whether it may be read in several stretches


def _ints(rng: random.Random) -> str:
    return str(rng.choice([rng.randrange(-50, 1000), rng.randrange(-(2**62), 2**62)]))


def _floats(rng: random.Random) -> str:
    kinds = [
        lambda: f"{rng.uniform(-1e3, 1e3):.4f}",
        lambda: repr(rng.gauss(0, 1e9)),
        lambda: f"{rng.uniform(-1, 1):e}",
        lambda: rng.choice(["1.", ".5", "+.25", "1e400", "nan", "inf", "-Infinity", " 7.5 "]),
    ]
    return rng.choice(kinds)()


def _date(rng: random.Random) -> str:
    return f"{rng.randrange(1700, 2200)}-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}"


def _clock(rng: random.Random) -> str:
    return f"{rng.randrange(24):02d}:{rng.randrange(60):02d}:{rng.randrange(60):02d}"


def _moment(rng: random.Random) -> str:
    text = f"{_date(rng)}{rng.choice('T ')}{_clock(rng)}"
    return text + rng.choice(
        ["", "", f".{rng.randrange(1000):03d}", f".{rng.randrange(10**6):06d}"]
    )


def _zoned(rng: random.Random) -> str:
    return f"{_date(rng)}T{_clock(rng)}{rng.choice(['Z', '+02:00', '-0530'])}"


def _day_first(rng: random.Random) -> str:
    text = f"{rng.randrange(13, 29)}/{rng.randrange(1, 13):02d}/{rng.randrange(1950, 2050)}"
    return text + rng.choice(["", "", f" {_clock(rng)}", f" {rng.randrange(1, 13)}:07 PM"])


def _month_first(rng: random.Random) -> str:
    return f"{rng.randrange(1, 13)}-{rng.randrange(13, 29)}-{rng.randrange(1950, 2050)}"


def _month_name(rng: random.Random) -> str:
    return f"{rng.randrange(1, 29)}-{rng.choice(['Jan', 'feb', 'DEC'])}-{rng.randrange(1950, 2050)}"


def _bools(rng: random.Random) -> str:
    return rng.choice(["true", "false", "True", "FALSE", "1", "0", "t", "F", "Yes", "NO", " true"])


def _text(rng: random.Random) -> str:
    return rng.choice(WORDS) + rng.choice(["", "", "!", " z", str(rng.randrange(9))])


CELLS = {
    "int": _ints,
    "padded": lambda rng: rng.choice([" {}", "{} ", "+{}", "00{}"]).format(rng.randrange(2, 99)),
    "float": _floats,
    "date": _date,
    "moment": _moment,
    "zoned": _zoned,
    "day_first": _day_first,
    "month_first": _month_first,
    "month_name": _month_name,
    "bool": _bools,
    "zero_one": lambda rng: rng.choice("01"),
    "text": _text,
    "quoted": lambda rng: _text(rng) + rng.choice([",", ";", '"', '""', "\t", "|", " 'q' "]),
    "mixed": lambda rng: rng.choice([_ints, _floats, _text, _date])(rng),
}


def _cell(text: str, delimiter: str, rng: random.Random) -> str:
    """As a writer would put it: quoted where it must be, and sometimes where it need not."""
    must = any(c in text for c in (delimiter, '"', "\n", "\r"))
    if must or (text and rng.random() < 0.05):
        return '"' + text.replace('"', '""') + '"'
    return text


def _column(name: str, kind: str, rows: int, missing: float, rng: random.Random) -> list[str]:
    cells = [CELLS[kind](rng) for _ in range(rows)]
    # An empty text in quotes is not a missing value; one way to write nothing is chosen.
    cells = [cell or "x" for cell in cells]
    return ["" if rng.random() < missing else cell for cell in cells]


def _names(count: int, rng: random.Random) -> list[str]:
    names = [f"c{i}" for i in range(count)]
    odd = rng.random()
    if odd < 0.1 and count > 1:
        names[1] = names[0]
    elif odd < 0.2 and count > 1:
        names[rng.randrange(count)] = ""
    elif odd < 0.3:
        names[rng.randrange(count)] = " spaced name "
    return names


def _lines(
    names: list[str] | None,
    rows: list[list[str]],
    delimiter: str,
    end: str,
    rng: random.Random,
    blanks: bool = True,
) -> tuple[str, list[str]]:
    """The text of the header, and of each record, some with a blank line behind them."""
    blanks = blanks and end == "\n"
    head = delimiter.join(_cell(n, delimiter, rng) for n in names) + end if names else ""
    records = []
    for row in rows:
        line = delimiter.join(_cell(cell, delimiter, rng) for cell in row)
        if not line.strip(" \t"):  # a blank line is not a record to us
            line = '"' + (row[0] or "x") + '"' + delimiter * (len(row) - 1)
        blank = end if blanks and rng.random() < 0.03 else ""
        records.append(line + end + blank)
    return head, records


def _file(name: str, head: str, records: list[str], codec: str, mark: bytes) -> File:
    data = mark + head.encode(codec)
    ends = [len(data)]
    for record in records:
        data += record.encode(codec)
        ends.append(len(data))
    return File(name, data, ends)


def delimited(seed: int) -> Case:
    rng = random.Random(seed)
    delimiter = rng.choice(DELIMITERS)
    header = rng.choice(["all_files_same_headers"] * 3 + ["no_header", "from_first_file"])
    encoding = rng.choice(["utf8"] * 5 + ["latin1", "windows1252", "utf16"])
    multi_line = rng.random() < 0.3
    codec = {"latin1": "cp1252", "windows1252": "cp1252", "utf16": "utf-16-le"}.get(
        encoding, encoding
    )
    mark = b"\xff\xfe" if encoding == "utf16" else rng.choice([b"", b"\xef\xbb\xbf"])
    if codec == "cp1252" or (multi_line and header != "all_files_same_headers"):
        mark = b""  # the oracle does not see a quote behind a mark
    width = rng.randrange(1, 7)
    kinds = [rng.choice(list(CELLS)) for _ in range(width)]
    gaps = [rng.choice([0, 0, 0.3]) for _ in range(width)]
    end = rng.choice(["\n", "\r\n"])
    names = _names(width, rng)
    files = []
    total = rng.choice([1, 3, 40, 150])
    for number in range(rng.choice([1, 1, 2, 3])):
        count = max(1, total // (number + 1))
        columns = [_column(n, k, count, g, rng) for n, k, g in zip(names, kinds, gaps)]
        rows = [list(row) for row in zip(*columns)]
        if multi_line and "text" in kinds:
            rows[0][kinds.index("text")] = "two\nlines"
        headed = header == "all_files_same_headers" or (header == "from_first_file" and not number)
        head, records = _lines(names if headed else None, rows, delimiter, end, rng, not multi_line)
        if rng.random() < 0.3:
            records[-1] = records[-1].rstrip("\r\n")
        files.append(_file(f"part{number}.csv", head, records, codec, mark))
    options: dict[str, Any] = {"delimiter": delimiter, "header": header, "encoding": encoding}
    options["support_multi_line"] = multi_line
    options["infer_column_types"] = rng.random() < 0.9
    options["empty_as_string"] = rng.random() < 0.1
    options["include_path_column"] = "" not in names and rng.random() < 0.2
    case = Case("delimited", seed, files, [{"read_delimited": options}], dict(options))
    case.description.update(format="delimited", types="mltable", ragged="fill")
    case.cut = encoding != "utf16"
    return case


def long_table(seed: int) -> Case:
    """More rows than types are told by; the later ones fit."""
    rng = random.Random(seed)
    kinds = [rng.choice(["int", "float", "moment", "zero_one", "text", "bool"]) for _ in range(4)]
    columns = [_column(f"c{i}", kind, 700, 0, rng) for i, kind in enumerate(kinds)]
    rows = [list(row) for row in zip(*columns)]
    head, records = _lines([f"c{i}" for i in range(4)], rows, ",", "\n", rng)
    case = Case("long", seed, [_file("a.csv", head, records, "utf8", b"")], ["read_delimited"])
    case.description = {"format": "delimited", "types": "mltable"}
    return case


def different_headers(seed: int) -> Case:
    rng = random.Random(seed)
    files = []
    every = [f"c{i}" for i in range(5)]
    kinds = {name: rng.choice(["int", "float", "date", "text"]) for name in every}
    for number in range(3):
        names = rng.sample(every, rng.randrange(1, 6))
        columns = [_column(name, kinds[name], 20, 0, rng) for name in names]
        head, records = _lines(names, [list(row) for row in zip(*columns)], ",", "\n", rng)
        files.append(_file(f"part{number}.csv", head, records, "utf8", b""))
    options = {"header": "all_files_different_headers"}
    case = Case("different_headers", seed, files, [{"read_delimited": options}], dict(options))
    case.description.update(format="delimited", types="mltable", ragged="fill")
    return case


def _json_value(kind: str, rng: random.Random) -> Any:
    return {
        "int": lambda: rng.randrange(-(2**40), 2**40),
        "float": lambda: rng.gauss(0, 1e3),
        "bool": lambda: rng.random() < 0.5,
        "text": lambda: rng.choice(WORDS),
        "date": lambda: _date(rng),
    }[kind]()


def json_lines(seed: int) -> Case:
    rng = random.Random(seed)
    kinds = {f"k{i}": rng.choice(["int", "float", "bool", "text", "date"]) for i in range(4)}
    gap = rng.choice([0, 0, 0.2])
    files = []
    for number in range(rng.choice([1, 2])):
        records = []
        for _ in range(rng.choice([1, 30, 120])):
            row = {k: _json_value(kind, rng) for k, kind in kinds.items() if rng.random() >= gap}
            row = {k: None if rng.random() < gap else v for k, v in row.items()}
            row["id"] = len(records)
            text = json.dumps(row, ensure_ascii=rng.random() < 0.5)
            records.append(text + "\n" + ("\n" if rng.random() < 0.05 else ""))
        files.append(_file(f"part{number}.jsonl", "", records, "utf8", b""))
    case = Case("json_lines", seed, files, [{"read_json_lines": {}}])
    case.description = {"format": "json_lines", "types": "mltable"}
    return case


def parquet(seed: int) -> Case:
    import pyarrow
    from pyarrow import parquet

    rng = random.Random(seed)
    rows = rng.choice([1, 50, 400])
    gap = rng.choice([0, 0.2])

    def column(make: Any, type_: Any) -> Any:
        return pyarrow.array([None if rng.random() < gap else make() for _ in range(rows)], type_)

    makers = {
        "i64": (lambda: rng.randrange(2**40), pyarrow.int64()),
        "i8": (lambda: rng.randrange(100), pyarrow.int8()),
        "u32": (lambda: rng.randrange(2**32), pyarrow.uint32()),
        "f64": (rng.random, pyarrow.float64()),
        "f32": (lambda: rng.randrange(100) / 4, pyarrow.float32()),
        "s": (lambda: rng.choice(WORDS), pyarrow.string()),
        "b": (lambda: rng.random() < 0.5, pyarrow.bool_()),
        "ts": (lambda: rng.randrange(2**50), pyarrow.timestamp("us")),
        "tz": (lambda: rng.randrange(2**50), pyarrow.timestamp("us", "UTC")),
        "d": (lambda: rng.randrange(20000), pyarrow.date32()),
        "l": (lambda: [1, 2], pyarrow.list_(pyarrow.int64())),
    }
    chosen = rng.sample(list(makers), rng.randrange(1, 6))
    table = pyarrow.table({name: column(*makers[name]) for name in chosen})
    buffer = io.BytesIO()
    parquet.write_table(table, buffer, row_group_size=rng.choice([7, 64, 1000]))
    file = File("a.parquet", buffer.getvalue(), list(range(rows + 1)))
    case = Case("parquet", seed, [file], [{"read_parquet": {}}])
    case.description = {"format": "parquet"}
    return case


CONVERSIONS: list[Any] = [
    {"convert_column_types": [{"columns": ["i", "m"], "column_type": "float"}]},
    {"convert_column_types": [{"columns": "f", "column_type": "int"}]},
    {"convert_column_types": [{"columns": "i", "column_type": "string"}]},
    {"convert_column_types": [{"columns": ["i", "f"], "column_type": "boolean"}]},
    {
        "convert_column_types": [
            {
                "columns": "y",
                "column_type": {
                    "boolean": {
                        "true_values": ["on"],
                        "false_values": ["off"],
                        "mismatch_as": "true",
                    }
                },
            }
        ]
    },
    {
        "convert_column_types": [
            {"columns": "s", "column_type": {"datetime": {"formats": ["%d.%m.%Y"]}}}
        ]
    },
]
FILTERS = [
    'col("i") > 500',
    "i >= 100 and i < 800",
    'not (t == "x")',
    't == "x" or i < 300',
    't != "x"',
    "m > 20",
    "not m > 20",
    "b and not i > 500",
    "b == False",
    "d > datetime(1990, 6, 1)",
    "not d < datetime(1990, 6, 1, 12)",
    "i + 1 > 500 and f * 2 < 100",
    "i % 3 == 0",
    'y.startswith("o")',
    '"beta" < t',
    "True",
]


def transformed(seed: int) -> Case:
    """Steps of all kinds on one table."""
    rng = random.Random(seed)
    rows = []
    for _ in range(120):
        row = [rng.randrange(2, 1000), f"{rng.uniform(0, 100):.3f}"]
        row += [rng.choice(["x", "y", "z z"]), rng.choice(["true", "false"])]
        row += [f"19{rng.randrange(80, 99)}-{rng.randrange(1, 13):02d}-15"]
        row += [rng.choice(["", str(rng.randrange(2, 40))]), rng.choice(["on", "off", "maybe"])]
        row += [f"{rng.randrange(1, 29):02d}.{rng.randrange(1, 13):02d}.2020"]
        rows.append(list(map(str, row)))
    names = ["i", "f", "t", "b", "d", "m", "y", "s"]
    head, records = _lines(names, rows, ",", "\n", rng)
    steps: list[Any] = []
    filtered = False
    for _ in range(rng.randrange(1, 4)):
        kind = rng.random()
        if kind < 0.35 and not any("convert_column_types" in step for step in steps):
            steps.append({"filter": rng.choice(FILTERS)})
            filtered = True
        elif kind < 0.55 and not any("convert_column_types" in step for step in steps):
            steps.append(rng.choice(CONVERSIONS))
        elif kind < 0.7:
            steps.append({"skip": rng.randrange(30)})
        elif kind < 0.85:
            steps.append({"take": rng.randrange(1, 90)})
    if rng.random() < 0.5:
        steps.append({"keep_columns": rng.sample(names, 4)})
    elif rng.random() < 0.5:
        steps.append({"drop_columns": rng.choice(["t", ["b", "d", "none"]])})
    case = Case("transformed", seed, [_file("a.csv", head, records, "utf8", b"")], [])
    case.steps = [{"read_delimited": {}}, *steps]
    case.description = {"format": "delimited", "types": "mltable", "transformations": steps}
    case.cut = not (filtered and any("skip" in step or "take" in step for step in steps))
    return case


FORMATS = [
    ("/{region}/{day:yyyy/MM/dd}/data.csv", "north/2020/03/{:02d}/data.csv"),
    ("/{a}/{b}/{c}.csv", "p/q/file{}.csv"),
    ("/{a}-{b}.csv", "p/x-y-z{}.csv"),
    ("{day:yyyyMMdd}.csv", "p/202001{:02d}.csv"),
    ("/k={a}/part.csv", "k=v{}/part.csv"),
]


def partitioned(seed: int) -> Case:
    """The extraction before the read step: its columns stand first."""
    rng = random.Random(seed)
    form, path = rng.choice(FORMATS)
    files = []
    for number in range(3):
        rows = [[_text(rng) or "x", str(rng.randrange(2, 99))] for _ in range(5)]
        head, records = _lines(["x", "n"], rows, ",", "\n", rng)
        files.append(_file(path.format(number + 1), head, records, "utf8", b""))
    step = {"extract_columns_from_partition_format": {"partition_format": form}}
    case = Case("partitioned", seed, files, [step, {"read_delimited": {}}])
    case.description = {"format": "delimited", "types": "mltable", "partition_format": form}
    return case


MAKERS = [
    (delimited, 160),
    (long_table, 10),
    (different_headers, 20),
    (json_lines, 30),
    (parquet, 25),
    (transformed, 80),
    (partitioned, 15),
]


def cases() -> list[Case]:
    return [make(seed) for make, count in MAKERS for seed in range(count)]
