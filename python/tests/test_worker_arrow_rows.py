# SPDX-License-Identifier: Apache-2.0
"""Results as Arrow: what the worker answers when append_row.format is parquet or arrow."""

from __future__ import annotations

import datetime
import decimal
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fake_agent import DONE, FAILED, INIT_FAILED, MAIN, READY, Agent, Answer
from test_worker_parts import REPORTED, ROWS, WRONG_TYPE, answer_of, parts
from windrow.tables.errors import FinalError
from windrow.tables.join import join
from windrow.tables.results import stream_of, table_of
from windrow.worker.arrow_rows import ArrowRows
from windrow.worker.script import Refused

pyarrow = pytest.importorskip("pyarrow")
pandas = pytest.importorskip("pandas")
numpy = pytest.importorskip("numpy")

IMPORTS = "import datetime, numpy, pandas, pyarrow"


def table_in(body: bytes) -> Any:
    """The one stream that a part is, read to its last byte."""
    source = pyarrow.BufferReader(body)
    table = pyarrow.ipc.open_stream(source).read_all()
    assert source.tell() == len(body)
    return table


def table_from(answer: Answer) -> Any:
    assert answer.kind == DONE, answer.payload
    [(kind, output, item, body)] = parts(answer)
    assert (kind, output, item) == (ROWS, 0, 0)
    return table_in(body)


def types(table: Any) -> dict[str, str]:
    return {field.name: str(field.type) for field in table.schema}


@pytest.mark.parametrize("form", ["parquet", "arrow"])
@pytest.mark.parametrize(
    ("expression", "columns"),
    [
        ('pandas.DataFrame({"n": [1, 2], "s": ["x", None]}, index=[7, 8])',
         {"n": [1, 2], "s": ["x", None]}),
        ('pyarrow.table({"n": [1, 2]})', {"n": [1, 2]}),
        ('pyarrow.RecordBatch.from_pydict({"n": [1, 2]})', {"n": [1, 2]}),
        ('[{"a": 1, "b": "x"}, {"b": "y", "c": 2.5}]',
         {"a": [1, None], "b": ["x", "y"], "c": [None, 2.5]}),
        ('[(1, "x"), [2, "y"]]', {"0": [1, 2], "1": ["x", "y"]}),
        ('[(1, "x"), (2,)]', {"0": [1, 2], "1": ["x", None]}),
        ('("x", None)', {"0": ["x", None]}),
        ("[1, 2.5]", {"0": [1, 2.5]}),
        ("numpy.array([1, 2])", {"0": [1, 2]}),
        ("numpy.array([[1, 2], [3, 4]])", {"0": [1, 3], "1": [2, 4]}),
        ("[numpy.array([1, 2]), numpy.array([3, 4])]", {"0": [1, 3], "1": [2, 4]}),
        ("[numpy.float32(0.5), numpy.float32(2)]", {"0": [0.5, 2]}),
        ('pandas.Series([{"a": 1}, {"a": 2}])', {"a": [1, 2]}),
        ('pyarrow.array([{"a": 1}, {"a": 2}])', {"a": [1, 2]}),
        ('pandas.Series(["x", "y"], index=[5, 6])', {"0": ["x", "y"]}),
        ('[{"a": [1, 2], "b": {"c": 1}}, {"a": [], "b": None}]',
         {"a": [[1, 2], []], "b": [{"c": 1}, None]}),
    ],
)  # fmt: skip
def test_results_become_columns(
    agent: Agent, form: str, expression: str, columns: dict[str, list[object]]
) -> None:
    answer = answer_of(agent, f"return {expression}", IMPORTS, format=form)
    assert answer.returned == 2
    assert table_from(answer).to_pydict() == columns


KEYS = 'pandas.DataFrame({"g": ["x", "y", "x"], "h": [1, 2, 1], "n": [1, 2, 3]})'


@pytest.mark.parametrize(
    ("expression", "columns"),
    [
        (f'{KEYS}.groupby("g")[["n"]].sum()', {"g": ["x", "y"], "n": [4, 2]}),
        (f'{KEYS}.groupby(["g", "h"]).sum()', {"g": ["x", "y"], "h": [1, 2], "n": [4, 2]}),
        (f'{KEYS}[:2].set_index("g", drop=False)', {"g": ["x", "y"], "h": [1, 2], "n": [1, 2]}),
        (f'{KEYS}[["n"]][1:].rename_axis("row")', {"row": [1, 2], "n": [2, 3]}),
        (f'{KEYS}[:2].set_index(["g", "h"]).rename_axis(["g", None])',
         {"g": ["x", "y"], "n": [1, 2]}),
        ('pandas.DataFrame(index=pandas.Index(["x", "y"], name="g"))', {"g": ["x", "y"]}),
    ],
)  # fmt: skip
def test_an_index_with_names_becomes_columns(
    agent: Agent, expression: str, columns: dict[str, list[object]]
) -> None:
    answer = answer_of(agent, f"return {expression}", IMPORTS, format="parquet")
    assert answer.returned == 2
    assert table_from(answer).to_pydict() == columns


def test_text_of_the_settings_file_chooses_the_format_too(agent: Agent) -> None:
    settings = '{"append_row": {"format": "arrow"}}'
    answer = answer_of(agent, "return [1]", row_settings=settings)
    assert table_from(answer).to_pydict() == {"0": [1]}


@pytest.mark.parametrize("expression", ["[]", "pandas.DataFrame({'a': []})", "numpy.zeros((0, 3))"])
def test_no_rows_are_no_bytes(agent: Agent, expression: str) -> None:
    answer = answer_of(agent, f"return {expression}", IMPORTS, format="arrow")
    assert (answer.kind, answer.returned, answer.payload) == (DONE, 0, b"")


def test_outputs_have_streams_and_types_of_their_own(agent: Agent) -> None:
    body = 'return {"b": [1, 2], "a": ["x"], "c": []} if mini_batch[0] == "/data/a" else ["y"]'
    answer = answer_of(agent, body, row_outputs=["a", "b", "c"], format="arrow")
    assert answer.returned == 2
    found = [(kind, output, table_in(body).to_pydict()) for kind, output, _, body in parts(answer)]
    assert found == [(ROWS, 1, {"0": [1, 2]}), (ROWS, 0, {"0": ["x"]})]
    assert table_from(agent.run("/other")).to_pydict() == {"0": ["y"]}


def test_reports_stand_behind_streams(agent: Agent) -> None:
    answer = answer_of(agent, "context.report_failed(1, 'why'); return [1]", format="parquet")
    (first, second) = parts(answer)
    assert table_in(first[3]).num_rows == 1
    assert second == (REPORTED, 0, 1, b"why")


def test_types_are_plain() -> None:
    frame = pandas.DataFrame(
        {
            "cat": pandas.Categorical(["x", "y"]),
            "text": ["a", "b"],
            "f32": numpy.array([1, 2], "float32"),
            "int": pandas.array([1, None], dtype="Int16"),
            "when": pandas.to_datetime(["2020-01-31", None]).astype("datetime64[ns]"),
            "zone": pandas.array(["2020-01-31", None], dtype="datetime64[ns, UTC]"),
            "flag": [True, None],
            "gone": pandas.Series([None, float("nan")], dtype=object),
            7: [datetime.date(2020, 1, 31), None],
        }
    )
    table = table_of(frame)
    assert types(table) == {
        "cat": "string",
        "text": "string",
        "f32": "float",
        "int": "int16",
        "when": "timestamp[ns]",
        "zone": "timestamp[ns, tz=UTC]",
        "flag": "bool",
        "gone": "null",
        "7": "date32[day]",
    }
    assert table.schema.metadata is None
    given = pyarrow.table(
        {
            "d": pyarrow.array(["x", None, "x"]).dictionary_encode(),
            "l": pyarrow.array([["x"], [], None], pyarrow.large_list(pyarrow.large_string())),
            "b": pyarrow.array([b"x", b"", None], pyarrow.large_binary()),
            "s": pyarrow.array([{"k": "v"}] * 3, pyarrow.struct([("k", pyarrow.large_string())])),
        }
    )
    assert list(types(table_of(given)).values()) == [
        "string", "list<item: string>", "binary", "struct<k: string>",
    ]  # fmt: skip
    assert table_of(given).to_pydict() == given.to_pydict()
    assert table_of(given.slice(1, 1)).to_pydict() == given.slice(1, 1).to_pydict()


def test_extension_types_become_what_they_store() -> None:
    spans = pandas.Series(pandas.IntervalIndex.from_breaks([0, 1, 2]))
    expected = {"s": "struct<left: int64, right: int64>"}
    assert types(table_of(pandas.DataFrame({"s": spans}))) == expected


def test_periods_become_text_as_pandas_writes_it() -> None:
    periods = pandas.Series([*pandas.period_range("2020-01", periods=2, freq="M"), None])
    periods = periods.astype("period[M]")
    frame = pandas.DataFrame({"p": periods, "c": periods.astype("category")})
    texts = ["2020-01", "2020-02", None]
    assert table_of(frame).to_pydict() == {"p": texts, "c": texts}
    assert table_of(periods).to_pydict() == {"0": texts}
    assert table_of(pyarrow.Table.from_pandas(frame[["p"]])).to_pydict() == {"p": texts}
    assert types(table_of(frame[2:])) == {"p": "string", "c": "string"}


@pytest.mark.parametrize(
    ("item", "values"),
    [
        (pyarrow.int64(), [[("a", 1), ("b", 2)], [], None]),
        (pyarrow.string(), [None, [("a", "x"), ("a", None)]]),
        (pyarrow.list_(pyarrow.int64()), [[("a", [1, 2])], [("b", [])]]),
        (pyarrow.map_(pyarrow.string(), pyarrow.float64()), [[("a", [("b", 0.5)])]]),
    ],
)
def test_maps_come_back_from_frames(item: Any, values: list[Any]) -> None:
    table = pyarrow.table({"m": pyarrow.array(values, pyarrow.map_(pyarrow.string(), item))})
    found = table_of(table.to_pandas())
    assert types(found) == types(table)
    assert found.to_pydict() == table.to_pydict()
    gone = pandas.DataFrame({"m": [*values, float("nan")]})
    assert table_of(gone).to_pydict() == {"m": [*values, None]}


@pytest.mark.parametrize(
    ("values", "type_"),
    [
        ([[(1.5, 2.5)]], "list<item: list<item: double>>"),
        ([[("a", "b", "c")]], "list<item: list<item: string>>"),
        ([[["a", "b"]]], "list<item: list<item: string>>"),
        ([[("a", "b")], ["a"]], ""),
        ([[]], "list<item: null>"),
    ],
)
def test_other_lists_are_no_maps(values: list[Any], type_: str) -> None:
    frame = pandas.DataFrame({"x": values})
    if type_:
        assert types(table_of(frame)) == {"x": type_}
    else:
        with pytest.raises(TypeError, match="column 'x': Arrow cannot take its values"):
            table_of(frame)


def test_nan_is_missing_unless_it_comes_from_arrow() -> None:
    nan = float("nan")
    for result in ([nan, 1.0], numpy.array([nan, 1]), pandas.DataFrame({"0": [nan, 1.0]})):
        assert table_of(result).to_pydict() == {"0": [None, 1.0]}
    assert table_of([{"0": "x"}, {"0": nan}]).to_pydict() == {"0": ["x", None]}
    assert table_of(pyarrow.table({"x": [nan]})).column("x").null_count == 0


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ('pandas.DataFrame({"a": [1], "x": [object()]})', "column 'x': Arrow cannot take its"),
        ('[{"x": 1}, {"x": "text"}]', "column 'x': Arrow cannot take its values"),
        ("[(1, 2), (1, 'b')]", "column '1': Arrow cannot take its values"),
        ("[1, 'b']", "column '0': Arrow cannot take its values"),
        ("[{'x': [('a', 1), ('b', 'c')]}]", "column 'x': Arrow cannot take its values: Could not"),
        ("[2 ** 70]", "column '0': Arrow cannot take its values"),
        ("['\\udcff']", "column '0': Arrow cannot take its values"),
        ("[numpy.array([1j])]", "column '0': Arrow cannot take its values"),
        ('[{"x": 1}, (1,)]', "element 0 is a dict and element 1 is a list of fields"),
        ('[{"x": 1}, {"x": 2}, None]', "element 0 is a dict and element 2 is a single value"),
        ("pandas.DataFrame([[1, 2]], columns=['a', 'a'])", "two columns are called 'a'"),
        ("[{1: 'x', '1': 'y'}]", "two columns are called '1'"),
        ("pyarrow.table([[1], [2]], names=['a', 'a'])", "two columns are called 'a'"),
        ("pandas.DataFrame(index=range(3))", "run() returned 3 rows without columns"),
        ("[{}, {}]", "run() returned 2 rows without columns"),
    ],
)
def test_what_arrow_cannot_take_is_told_with_its_column(
    agent: Agent, expression: str, said: str
) -> None:
    answer = answer_of(agent, f"return {expression}", IMPORTS, format="arrow")
    assert answer.kind == FAILED
    assert answer.error["type"] == "TypeError"
    assert said in answer.error["message"]


@pytest.mark.parametrize("expression", ["None", "'text'", "{'a': [1]}", "7", "numpy.array(5)"])
def test_what_is_no_collection_is_a_wrong_type(agent: Agent, expression: str) -> None:
    answer = answer_of(agent, f"return {expression}", IMPORTS, format="arrow")
    assert (answer.kind, answer.flags) == (FAILED, WRONG_TYPE)


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_types_of_mini_batches_that_do_not_fit_are_left_to_the_joining(
    agent: Agent, form: str
) -> None:
    agent.start("def run(mini_batch):\n    return [{'k': eval(mini_batch[0])}]\n", format=form)
    pieces = agent.folder / "pieces"
    with pieces.open("wb") as file:
        for value in ("None", "1", "'text'", "2.5"):
            answer = agent.run(value)
            assert table_from(answer).to_pylist() == [{"k": eval(value)}]
            file.write(parts(answer)[0][3])
    with pytest.raises(FinalError, match=r"column 'k' is int64 in .* and string in "):
        join(str(pieces), str(agent.folder / "result"), form)


def test_a_type_that_parquet_lacks_is_told_by_the_first_mini_batch() -> None:
    empty = pyarrow.array([{}], pyarrow.struct([]))
    result = pyarrow.table({"a": [1], "x": empty})
    assert ArrowRows("arrow").serialise([(0, result)])[0] == 1
    rows = ArrowRows("parquet")
    for _ in range(2):
        assert rows.serialise([(0, [1])])[0] == 1
        with pytest.raises(TypeError, match="column 'x': struct<> does not go into a Parquet file"):
            rows.serialise([(0, result)])


def test_a_result_that_is_too_large_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("windrow.worker.rows.ANSWER_MAX", 4000)
    rows = ArrowRows("arrow")
    assert rows.serialise([(0, [1] * 100)])[0] == 100
    with pytest.raises(OverflowError, match="at most 4000 are allowed: make mini-batches smaller"):
        rows.serialise([(0, [1] * 1000)])


def test_decimals_keep_their_digits() -> None:
    table = table_of([decimal.Decimal("1.50")])
    assert table_in(stream_of(table)).to_pydict() == {"0": [decimal.Decimal("1.50")]}


@pytest.mark.parametrize("form", ["parquet", "arrow"])
@pytest.mark.parametrize("values", ["mini_batch", "1 / 0"])
def test_a_trial_writes_the_file_itself(tmp_path: Path, form: str, values: str) -> None:
    script, target, request = (tmp_path / name for name in ("score.py", "result", "request"))
    script.write_text(f"def run(mini_batch):\n    return {values}\n")
    settings = {
        "script": str(script), "code_root": str(tmp_path), "argv": [str(script)],
        "python_logging_level": "INFO", "format": form, "targets": [str(target)],
        "batches": [["/a", "/b"], ["/c"]],
    }  # fmt: skip
    request.write_text(json.dumps(settings))
    command = [sys.executable, str(MAIN), str(request)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    if values == "1 / 0":
        assert (done.returncode, target.exists()) == (1, False)
        return
    assert done.returncode == 0, done.stderr
    if form == "parquet":
        table = pytest.importorskip("pyarrow.parquet").ParquetFile(str(target)).read()
    else:
        table = pyarrow.ipc.open_file(str(target)).read_all()
    assert table.to_pydict() == {"0": ["/a", "/b", "/c"]}


def without_pyarrow(folder: Path) -> None:
    """A module that is found before pyarrow and cannot be imported."""
    (folder / "pyarrow.py").write_text("raise ImportError('No module named pyarrow')\n")


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_without_pyarrow_no_worker_begins(tmp_path: Path, form: str) -> None:
    without_pyarrow(tmp_path)
    agent = Agent(tmp_path, PYTHONPATH=str(tmp_path))
    answer = agent.start("def run(mini_batch):\n    return []\n", format=form)
    agent.close()
    assert (answer.kind, answer.flags) == (INIT_FAILED, 16)
    assert f"append_row.format {form} needs pyarrow in the environment" in answer.error["message"]


def test_other_formats_do_not_need_pyarrow(tmp_path: Path) -> None:
    without_pyarrow(tmp_path)
    agent = Agent(tmp_path, PYTHONPATH=str(tmp_path))
    assert agent.start("def run(mini_batch):\n    return []\n", format="csv").kind == READY
    agent.close()


def test_refused_is_what_the_writer_raises(tmp_path: Path) -> None:
    without_pyarrow(tmp_path)
    source = Path(__file__).parents[1] / "src"
    code = (
        f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(source)!r}]\n"
        "from windrow.worker.styles import Writer\n"
        "try:\n    Writer({'format': 'arrow'})\n"
        "except Exception as error:\n    print(type(error).__name__)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == Refused.__name__ + "\n"
