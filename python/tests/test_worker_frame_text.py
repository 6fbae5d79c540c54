# SPDX-License-Identifier: Apache-2.0
"""Whatever frame run() returns, its rows are the text that pandas' to_csv makes of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from windrow.worker import parts
from windrow.worker.rows import serialise
from windrow.worker.styles import Writer

pandas = pytest.importorskip("pandas")

TEXTS = some.text(some.sampled_from('aä😀 ,;\t"\n\r\\0.#'), max_size=4)
CELLS = {
    "int64": some.integers(-(2**63), 2**63 - 1),
    "Int64": some.one_of(some.none(), some.integers(-5, 5)),
    "float64": some.floats(),
    "float32": some.floats(width=32),
    "bool": some.booleans(),
    "category": TEXTS,
    "datetime64[ns]": some.datetimes(pandas.Timestamp(1900, 1, 1), pandas.Timestamp(2100, 1, 1)),
    "object": some.one_of(some.none(), TEXTS, some.integers(), some.floats(), some.just([1, "x"])),
    "str": some.one_of(some.none(), TEXTS),
}


@some.composite
def frames(draw: some.DrawFn) -> Any:
    count = draw(some.integers(0, 4))
    columns = []
    for kind in draw(some.lists(some.sampled_from(list(CELLS)), max_size=4)):
        cells = draw(some.lists(CELLS[kind], min_size=count, max_size=count))
        columns.append(pandas.Series(cells, dtype=kind))
    frame = pandas.concat(columns, axis=1) if columns else pandas.DataFrame(index=range(count))
    frame.columns = draw(some.lists(TEXTS, min_size=len(columns), max_size=len(columns)))
    return frame.set_axis(draw(some.permutations(range(count))))


SEEDED = settings(
    max_examples=500,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)


@SEEDED
@given(frames(), some.sampled_from(" ,;\t"), some.booleans())
def test_rows_of_frames_are_what_to_csv_writes(frame: Any, separator: str, header: bool) -> None:
    text = frame.to_csv(sep=" ", header=False, index=False)
    assert serialise(frame) == (len(frame), text.encode())
    writer = Writer({"format": "csv", "separator": separator, "header": header})
    count, payload = writer.serialise(frame)
    text = frame.to_csv(sep=separator, header=header and len(frame) > 0, index=False)
    assert count == len(frame)
    assert b"".join(body for _, _, _, body in parts.split(payload)).decode() == text
