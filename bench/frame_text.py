# SPDX-License-Identifier: Apache-2.0
"""Whether text of a frame can be made faster than by to_csv.

    .venv/bin/python bench/frame_text.py

Prints, for frames that become about 1 MB, the processor time of to_csv and of three other ways, and
whether their text is the same; then frames on which a way has to be right as well. Needs pandas and
pyarrow.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy
import pandas
import pyarrow
import pyarrow.compute as compute
from pyarrow import csv

ROUNDS = 15
SIZE = 1_000_000


def to_csv(frame: Any) -> str:
    return str(frame.to_csv(sep=" ", header=False, index=False))


def python(frame: Any) -> str:
    """Columns of Python's own texts, joined."""
    columns = [_texts(frame.iloc[:, i]) for i in range(frame.shape[1])]
    return "\n".join(map(" ".join, zip(*columns))) + "\n"


def _texts(series: Any) -> list[str]:
    values, kind = series.tolist(), series.dtype.kind
    if kind in "iu":
        return list(map(str, values))
    if kind == "f":
        return ["" if value != value else repr(value) for value in values]
    if kind == "b":
        return [("False", "True")[value] for value in values]
    return ["" if value is None or value != value else _quoted(value) for value in values]


def _quoted(text: str) -> str:
    if '"' in text or " " in text or "\n" in text:
        return '"' + text.replace('"', '""') + '"'
    return text


def arrow_csv(frame: Any) -> str:
    """pyarrow's own writer."""
    sink = pyarrow.BufferOutputStream()
    options = csv.WriteOptions(include_header=False, delimiter=" ", quoting_style="needed")
    csv.write_csv(pyarrow.Table.from_pandas(frame, preserve_index=False), sink, options)
    return bytes(sink.getvalue()).decode()


def arrow_join(frame: Any) -> str:
    """Columns of Arrow's texts, joined by Arrow; floats by Python, which writes them otherwise."""
    columns = [_array(frame.iloc[:, i]) for i in range(frame.shape[1])]
    lines = compute.binary_join_element_wise(*columns, " ")
    return bytes(compute.binary_join_element_wise(lines, "", "\n").buffers()[2]).decode()


def _array(series: Any) -> Any:
    kind = series.dtype.kind
    if kind in "iu":
        return pyarrow.array(series).cast(pyarrow.string())
    if kind == "f":
        return pyarrow.array(_texts(series))
    if kind == "b":
        return compute.if_else(pyarrow.array(series), "True", "False")
    array = pyarrow.array(series, from_pandas=True).cast(pyarrow.string())
    if isinstance(array, pyarrow.ChunkedArray):
        array = array.combine_chunks()
    array = array.fill_null("")
    special = compute.match_substring_regex(array, '[ "\n]')
    doubled = compute.replace_substring(array, '"', '""')
    return compute.if_else(special, compute.binary_join_element_wise('"', doubled, '"', ""), array)


WAYS: list[Callable[[Any], str]] = [to_csv, python, arrow_join, arrow_csv]


def frames() -> dict[str, Any]:
    """About SIZE bytes of text each."""
    random, count = numpy.random.default_rng(1), 100_000
    paths = [f"images/{i:07d}.jpg" for i in range(count)]
    labels = random.choice(["cat", "dog", "a label"], count)
    scores = random.random(count)
    made = {
        "3 x int64": {name: random.integers(0, 10**9, count) for name in "abc"},
        "3 x float64": {name: random.random(count) * 1000 for name in "abc"},
        "3 x bool": {name: random.random(count) < 0.5 for name in "abc"},
        "2 x text": {"path": paths, "label": labels},
        "mixed": {"id": range(count), "path": paths, "score": scores, "ok": scores < 0.5},
    }
    cut = {}
    for name, columns in made.items():
        frame = pandas.DataFrame(columns)
        rows = min(count, count * SIZE // len(to_csv(frame)))
        cut[name] = frame.iloc[:rows].reset_index(drop=True)
    return cut


def best(frame: Any) -> list[float]:
    """Milliseconds of each way, the ways in turn so that a noisy moment hits them all."""
    spans = [float("inf")] * len(WAYS)
    for _ in range(ROUNDS):
        for i, way in enumerate(WAYS):
            began = time.process_time()
            way(frame)
            spans[i] = min(spans[i], 1000 * (time.process_time() - began))
    return spans


HARD = {
    "small and large floats": [1e-5, 1e15, 1e16, 1e22, -0.0, 5e-324, float("inf"), 1.0],
    "one column, one missing": ["a", None],
    "carriage return": ["a\rb", "c"],
    "a byte of a file name": numpy.array(["a\udcff", "c"], dtype=object),
    "dates": list(pandas.to_datetime(["2020-01-31", "2021-01-31"])),
    "Int64 with one missing": pandas.array([1, None], dtype="Int64"),
    "categories": pandas.Categorical(["a b", "c"]),
    "float32": numpy.array([0.1, 1e10], "float32"),
}


def _dtype(values: Any) -> Any:
    """Text that is not Unicode stays an object."""
    return object if str(getattr(values, "dtype", "")) == "object" else None


def same(way: Callable[[Any], str], frame: Any) -> str:
    try:
        return "same" if way(frame) == to_csv(frame) else "OTHER"
    except Exception as error:
        return type(error).__name__


def main() -> None:
    print(f"pandas {pandas.__version__}, pyarrow {pyarrow.__version__}, best of {ROUNDS}, CPU time")
    for name, frame in frames().items():
        spans = best(frame)
        line = f"{name:12}"
        for way, span in zip(WAYS, spans):
            ratio = f"{spans[0] / span:5.1f}x {same(way, frame)}"
            line += f"  {way.__name__} {span:5.1f} ms" + (ratio if way is not to_csv else "")
        print(line)
    for name, values in HARD.items():
        frame = pandas.DataFrame({"x": pandas.Series(values, dtype=_dtype(values))})
        print(f"{name:24}", *(f"{way.__name__}: {same(way, frame)}" for way in WAYS[1:]))


if __name__ == "__main__":
    main()
