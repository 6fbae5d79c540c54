# SPDX-License-Identifier: Apache-2.0
"""Reads each table of the corpus with the mltable package and with ours, in one interpreter.

    compare.py FOLDER RESULT

Writes one JSON line per table to RESULT: kind, seed, and what differs, or null.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "src"))
sys.path.insert(0, str(Path(__file__).parent))

import corpus
import differences
import mltable
import pandas
import yaml
from windrow.tables.reader import TableReader


def oracle(folder: Path, case: corpus.Case) -> Any:
    paths = [{"file": f"./{file.name}"} for file in case.files]
    text = {"type": "mltable", "paths": paths, "transformations": case.steps}
    (folder / "MLTable").write_text(yaml.safe_dump(text, sort_keys=False))
    return mltable.load(str(folder)).to_pandas_dataframe()


def ours(folder: Path, case: corpus.Case, parts: int, rng: random.Random) -> list[Any]:
    """The frames of the table, cut into about so many stretches."""
    files = [str(folder / file.name) for file in case.files]
    reader = TableReader({**case.description, "files": files})
    names = []
    row = 0
    for path, file in zip(files, case.files):
        records = len(file.ends) - 1
        cuts = {0, records}
        if parts > 1 and records > 1:
            cuts |= set(rng.sample(range(1, records), min(parts - 1, records - 1)))
        edges = sorted(cuts)
        for first, last in zip(edges, edges[1:]):
            begin = 0 if first == 0 else file.ends[first]
            length = file.ends[last] - begin
            names.append(f"{path}@{begin}+{length}#{row + first}*{last - first}")
        row += records
    if parts == 1:
        return [reader.frame(names)]
    return [reader.frame([name]) for name in names]


def difference(case: corpus.Case, expected: Any, frame: Any) -> str:
    """ "" when the two are alike, but for what README.md lists."""
    if len(expected) != len(frame):
        return f"{len(frame)} rows, not {len(expected)}"
    if len(expected) == 0:
        return ""  # the oracle gives no columns for no rows
    if list(expected.columns) != list(frame.columns):
        return f"columns {list(frame.columns)}, not {list(expected.columns)}"
    filtered = case.kind == "transformed"
    for name in expected.columns:
        want, have = expected[name], frame[name]
        empty = bool(want.isna().all())
        if not empty and not _same_type(want.dtype, have.dtype, filtered):
            return f"{name}: {have.dtype}, not {want.dtype}; {want.tolist()[:3]}"
        if want.isna().tolist() != have.isna().tolist():
            return f"{name}: other values are missing"
        for i, (a, b) in enumerate(zip(want.tolist(), have.tolist())):
            if not _same(a, b, case.kind == "json_lines"):
                return f"{name}, row {i}: {b!r}, not {a!r}"
    return ""


def _same_type(want: Any, have: Any, filtered: bool) -> bool:
    """The oracle gives the unit of datetimes as it happens; and it decides after rows were left
    out, among them those with missing values."""
    if want == have or (want.kind == "M" and have.kind == "M"):
        return True
    return filtered and (want.kind, have.kind) in (("i", "f"), ("b", "O"))


def _same(a: Any, b: Any, roughly: bool) -> bool:
    if roughly and isinstance(a, float) and isinstance(b, float) and a == a:
        return abs(a - b) <= abs(b) * 1e-15  # its JSON reader rounds a bit wrong
    if hasattr(a, "tolist"):
        return bool(a.tolist() == getattr(b, "tolist", lambda: b)())
    return bool(a == b or (pandas.isna(a) and pandas.isna(b)))


def compared(folder: Path, case: corpus.Case) -> str:
    rng = random.Random(case.seed)
    for file in case.files:
        (folder / file.name).parent.mkdir(parents=True, exist_ok=True)
        (folder / file.name).write_bytes(file.data)
    expected = oracle(folder, case)
    whole = ours(folder, case, 1, rng)[0]
    problem = difference(case, expected, whole)
    if problem or not case.cut:
        return problem
    pieces = ours(folder, case, 4, rng)
    for piece in pieces:
        if list(piece.dtypes) != list(whole.dtypes) or list(piece.columns) != list(whole.columns):
            return f"a piece has {dict(piece.dtypes)}, the whole {dict(whole.dtypes)}"
    joined = pandas.concat(pieces, ignore_index=True)
    problem = difference(case, expected, joined)
    return f"in pieces: {problem}" if problem else ""


def differed(folder: Path, number: int) -> str:
    """Whether the two still differ in the way that is written down."""
    case = differences.DIFFERENCES[number]
    data = differences.text_of(case).encode()
    table = corpus.Case("difference", number, [corpus.File("a.csv", data, [])], [])
    table.steps = [{"read_delimited": case.options}, *case.steps]
    (folder / "a.csv").write_bytes(data)
    steps = {"transformations": case.steps, "types": "mltable", "ragged": "fill"}
    table.description = {"format": "delimited", **case.options, **steps}
    description = {**table.description, "files": [str(folder / "a.csv")]}

    def of_ours() -> Any:
        return TableReader(description).frame([f"{folder}/a.csv@0+0#0*0"])

    for reader, read, expected in (
        ("the oracle", lambda: oracle(folder, table), case.oracle),
        ("ours", of_ours, case.ours),
    ):
        try:
            found = differences.outcome(read(), expected)
        except Exception as error:
            found = differences.REFUSED
            if expected != found:
                return f"{reader}: {type(error).__name__}: {error}"
        if found != expected:
            return f"{reader}: {found!r}, not {expected!r}"
    return ""


def main() -> None:
    root, result = Path(sys.argv[1]), Path(sys.argv[2])
    with result.open("w", encoding="utf-8") as out:
        for case in corpus.cases():
            folder = root / f"{case.kind}{case.seed}"
            folder.mkdir()
            try:
                problem = compared(folder, case)
            except Exception as error:
                problem = f"{type(error).__name__}: {error}"
            out.write(json.dumps([case.kind, case.seed, problem]) + "\n")
        for number in range(len(differences.DIFFERENCES)):
            folder = root / f"difference{number}"
            folder.mkdir()
            out.write(json.dumps(["difference", number, differed(folder, number)]) + "\n")


if __name__ == "__main__":
    main()
