# SPDX-License-Identifier: Apache-2.0
"""Periods and intervals, which pandas writes to Parquet and Feather files as types of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tables_oracle.table_files import Table, dtypes
from test_tables_repartition import Cut
from windrow.tables import arrows
from windrow.tables.frames import reader_of

pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")
pytest.importorskip("pandas.core.arrays.arrow.extension_types")

TYPES = {"p": "period[M]", "i": "interval[int64, right]", "n": "int64"}


def frame(*months: Any) -> Any:
    count = len(months)
    return pandas.DataFrame(
        {
            "p": pandas.Series(pandas.PeriodIndex(months, freq="M")),
            "i": pandas.interval_range(0, count),
            "n": range(count),
        }
    )


def made(folder: Path, form: str, *frames: Any, **more: Any) -> Table:
    table = Table(folder, format=form, **more)
    for i, one in enumerate(frames):
        path = table.add(f"{i}.{form}", b"")
        one.to_parquet(path) if form == "parquet" else one.to_feather(path)
    return table


# Another process: what writes such a file makes its types known here.
READ = """
import sys
from windrow.tables.reader import TableReader
form, path = sys.argv[1:]
frame = TableReader({"format": form, "files": [path]}).frame([path + "@0+0#0*0"])
print(*frame["p"], *frame["i"], *frame.dtypes, sep=";")
"""


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_they_are_what_pandas_reads(tmp_path: Path, form: str) -> None:
    path = made(tmp_path, form, frame("2026-01", "2026-02", None)).description["files"][0]
    command = [sys.executable, "-c", READ, form, path]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
    texts = ["2026-01", "2026-02", "NaT", "(0, 1]", "(1, 2]", "(2, 3]", *TYPES.values()]
    assert done.stdout.strip() == ";".join(texts)


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_they_stay_so_over_files_and_steps(tmp_path: Path, form: str) -> None:
    empty = frame("2026-03").assign(p=None)
    steps = [{"filter": "n == 0"}]
    table = made(tmp_path, form, frame("2026-01", None), empty, transformations=steps)
    found = table.frame()
    assert dtypes(found) == TYPES
    assert list(map(str, found["p"])) == ["2026-01", "NaT"]


def test_those_of_another_kind_are_refused(tmp_path: Path) -> None:
    days = frame("2026-01").assign(p=pandas.PeriodIndex(["2026-01-02"], freq="D"))
    said = made(tmp_path, "parquet", frame("2026-01"), days).error()
    assert said.startswith("1.parquet, column 'p': extension<pandas.period")


@pytest.mark.parametrize("form", ["parquet", "arrow"])
@pytest.mark.parametrize("more", [{}, {"include_path_column": True}])
@pytest.mark.parametrize("kind", ["pyarrow", "polars"])
def test_they_are_numbers_in_other_frames(
    tmp_path: Path, kind: str, more: dict[str, Any], form: str
) -> None:
    """Whether pandas has made its types known, as it has here, or does so between two files."""
    pytest.importorskip(kind)
    table = made(tmp_path, form, frame("2026-01", None), frame("2026-02"), frame=kind, **more)
    reader, read = reader_of(table.description)
    found = read(table.names()[:1])
    found = found if kind == "pyarrow" else found.to_arrow()
    assert str(found.schema.field("p").type) == "int64"
    assert found.column("p").to_pylist() == [672, None]
    assert found.column("i").to_pylist()[0] == {"left": 0, "right": 1}
    assert str(reader.frame(table.names()[:1])["p"].dtype) == "period[M]"
    assert len(read(table.names())) == 3


@pytest.mark.parametrize("more", [{}, {"transformations": [{"filter": "n < 9"}]}])
def test_a_table_is_cut_by_periods(tmp_path: Path, more: dict[str, Any]) -> None:
    table = made(tmp_path, "parquet", frame("2026-01", "2026-02", None, "2026-01"), **more)
    cut = Cut(table, "p")
    groups = {key: [row[-1] for row in rows] for key, rows in cut.groups().items()}
    assert groups == {("2026-01",): [0, 3], ("2026-02",): [1], (None,): [2]}
    whole = cut.reader().frame([f"{cut.to / name}@0+0#0*0" for name in cut.files()])
    assert dtypes(whole[list(TYPES)]) == TYPES


def test_a_pandas_without_such_types_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrows, "_PANDAS_MODULES", ("nowhere",))
    arrows.know_pandas_types()
