# SPDX-License-Identifier: Apache-2.0
"""Does the same with the mltable package and with ours, in one interpreter.

    compare_package.py FOLDER RESULT

Writes one JSON line per attempt to RESULT: what was done, and what differs, or "".
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "src"))
sys.path.insert(0, str(Path(__file__).parent))

import compare
import corpus
import mltable

COMPAT = Path(__file__).parents[2] / "compat/mltable"


def _ours() -> Any:
    """Under another name: the real one is imported too."""
    spec = importlib.util.spec_from_file_location("ours", COMPAT / "__init__.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["ours"] = module
    spec.loader.exec_module(module)
    return module


def files(folder: Path) -> None:
    (folder / "csv").mkdir()
    (folder / "deep/sub").mkdir(parents=True)
    (folder / "json").mkdir()
    (folder / "parquet").mkdir()
    rows = [(i, i * 0.5, f"name {i}", f"2026-11-{i % 28 + 1:02}", i % 3 > 0) for i in range(60)]
    names = ["n", "half", "name", "day", "flag"]
    for part, place in enumerate(("csv/b", "csv/a", "deep/sub/c")):
        own = rows[part * 20 : part * 20 + 20]
        text = "".join(",".join(map(str, row)) + "\n" for row in own)
        (folder / f"{place}.csv").write_text(",".join(names) + "\n" + text)
    lines = [json.dumps(dict(zip(names, row))) + "\n" for row in rows]
    (folder / "json/a.jsonl").write_text("".join(lines))
    import pandas

    pandas.DataFrame(rows, columns=names).to_parquet(folder / "parquet/a.parquet")


def tables(package: Any, folder: Path) -> dict[str, Any]:
    delimited = package.from_delimited_files
    csv = [{"folder": str(folder / "csv")}]
    return {
        "folder": delimited(csv),
        "pattern": delimited([{"pattern": str(folder / "csv/*.csv")}]),
        "deep pattern": delimited([{"pattern": str(folder / "**/*.csv")}]),
        "files": delimited([{"file": f"{folder}/csv/{name}.csv"} for name in "ba"]),
        "no header": delimited(csv, header=package.MLTableHeaders.no_header, encoding="ascii"),
        "text": delimited(csv, infer_column_types=False, include_path_column=True),
        "encoding": delimited(csv, encoding=package.MLTableFileEncoding.latin1),
        "json": package.from_json_lines_files([{"file": str(folder / "json/a.jsonl")}]),
        "parquet": package.from_parquet_files([{"folder": str(folder / "parquet")}]),
    }


def steps(package: Any) -> dict[str, Any]:
    kind = package.DataType
    typed = {
        "n": kind.to_string(),
        ("half",): kind.to_int(),
        "flag": kind.to_bool(),
        "day": kind.to_datetime("%Y-%m-%d"),
    }
    return {
        "nothing": lambda table: table,
        "take": lambda table: table.take(25),
        "skip": lambda table: table.skip(25).take(3),
        "keep": lambda table: table.keep_columns(["name", "n"]),
        "drop": lambda table: table.drop_columns("half").drop_columns(("name",)),
        "filter": lambda table: table.filter('col("n") > 10').skip(2).take(5),
        "sample of all": lambda table: table.take_random_sample(0.999999999, seed=1),
        "convert": lambda table: table.filter("n >= 0").convert_column_types(typed),
    }


def paths_alike(frame: Any) -> Any:
    """The package writes them as addresses."""
    if "Path" in frame.columns:
        frame["Path"] = [str(path).replace("file://", "") for path in frame["Path"]]
    return frame


def main() -> None:
    folder, result = Path(sys.argv[1]), Path(sys.argv[2])
    files(folder)
    ours = _ours()
    theirs, mine = tables(mltable, folder), tables(ours, folder)
    their_steps, my_steps = steps(mltable), steps(ours)
    case = corpus.Case("transformed", 0, [], [])
    with result.open("w", encoding="utf-8") as out:
        for name in theirs:
            for step in their_steps:
                if name in ("text", "no header") and step in ("filter", "convert", "keep", "drop"):
                    continue  # there is no number n, or none at all
                try:
                    expected = paths_alike(their_steps[step](theirs[name]).to_pandas_dataframe())
                    frame = my_steps[step](mine[name]).to_pandas_dataframe()
                    problem = compare.difference(case, expected, frame)
                except Exception as error:
                    problem = f"{type(error).__name__}: {error}"
                out.write(json.dumps([f"{name}, {step}", problem]) + "\n")


if __name__ == "__main__":
    main()
