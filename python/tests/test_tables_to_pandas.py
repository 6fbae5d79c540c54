# SPDX-License-Identifier: Apache-2.0
"""Frames that take over the memory of Arrow tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tables_oracle.arrow_files import FORMS, made
from windrow.tables import to_pandas as converter
from windrow.tables.to_pandas import to_pandas

pyarrow = pytest.importorskip("pyarrow")
compute = pytest.importorskip("pyarrow.compute")
testing = pytest.importorskip("pandas.testing")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every size is worth it."""
    monkeypatch.setattr(converter, "_WORTH_IT", 1)


def mixed(rows: int) -> Any:
    numbers = pyarrow.array(range(rows), pyarrow.int64())
    columns = {
        str(type_): compute.add(compute.bit_wise_and(numbers, 7).cast(type_), 1)
        for type_ in (pyarrow.int8(), pyarrow.uint16(), pyarrow.int64(), pyarrow.float32())
    }
    columns["float64"] = compute.divide(numbers.cast("float64"), 3.0)
    columns["text"] = compute.cast(numbers, pyarrow.string())
    columns["bool"] = compute.greater(numbers, 3)
    columns["time"] = numbers.cast(pyarrow.timestamp("ns"))
    columns["some"] = compute.if_else(compute.greater(numbers, 3), numbers, None)
    columns["none"] = pyarrow.nulls(rows, pyarrow.float64())
    return pyarrow.table(columns)


def places(frame: Any) -> list[int]:
    """Where the numbers of a frame are."""
    columns = [frame[name].to_numpy() for name in frame if frame[name].dtype.kind in "iuf"]
    return [column.__array_interface__["data"][0] for column in columns]


@pytest.mark.parametrize("rows", [0, 1, 1000])
@pytest.mark.parametrize("cut", [slice(0, None), slice(3, 20)])
def test_frames_are_the_same_with_and_without_a_copy(rows: int, cut: slice) -> None:
    table = mixed(rows)[cut]
    copied, taken = to_pandas(table), to_pandas(table, owned=True)
    testing.assert_frame_equal(taken, copied)
    assert taken.columns.equals(copied.columns)
    assert list(taken.index) == list(copied.index)
    if len(taken):
        assert set(places(taken)) & set(places(to_pandas(table, owned=True)))
        assert not set(places(copied)) & set(places(to_pandas(table)))


def test_frames_can_be_written_to(tmp_path: Path) -> None:
    frame = to_pandas(mixed(100), owned=True)
    frame.loc[3, "int64"] = 77
    frame["float64"] *= 2
    frame["new"] = frame["int8"] + 1
    frame.iloc[0, 0] = 9
    assert frame.loc[3, "int64"] == 77
    assert frame.iloc[0, 0] == 9


def test_memory_that_is_not_to_be_written_to_is_copied() -> None:
    column = pyarrow.Array.from_buffers(pyarrow.int64(), 2, [None, pyarrow.py_buffer(bytes(16))])
    frame = to_pandas(pyarrow.table({"n": column}), owned=True)
    frame.loc[0, "n"] = 5
    assert column.to_pylist() == [0, 0]


def test_wide_frames_are_not_in_pieces() -> None:
    table = pyarrow.table({str(i): pyarrow.array([i]) for i in range(converter._COLUMNS_MAX + 1)})
    assert len(to_pandas(table, owned=True)._mgr.blocks) == 1


@pytest.mark.parametrize("form", FORMS)
def test_what_a_script_does_to_its_frame_is_in_no_other(tmp_path: Path, form: str) -> None:
    content = pyarrow.table({"n": list(range(100)), "x": [float(i) for i in range(100)]})
    table = made(tmp_path, content, form=form)
    reader, path = table.reader(), table.description["files"][0]
    for first, count in ((0, 100), (0, 50), (50, 50), (0, 50), (0, 100)):
        frame = reader.frame([f"{path}@{first}+{count}#{first}*{count}"])
        assert frame["n"].tolist() == frame["x"].tolist() == list(range(first, first + count))
        frame.iloc[0, 0] = 7
        frame.loc[:, "x"] = -1.0
