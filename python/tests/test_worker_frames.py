# SPDX-License-Identifier: Apache-2.0
"""Frames of other kinds than pandas': those that run() gets, and those that it returns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fake_agent import DONE, FAILED, INIT_FAILED, READY, Agent
from tables_oracle.table_files import Table
from test_worker_parts import HEADER, ROWS, answer_of, parts
from windrow.tables.frames import reader_of
from windrow.tables.reader import TableError
from windrow.worker.context import MiniBatchContext

pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")

CSV = "n,x,s,b\n1,0.5,a,true\n2,,b c,false\n3,2.5,,true\n"


def started(agent: Agent, body: str, content: str = CSV, **description: Any) -> Any:
    """A worker for a table of one file, and the name of the whole of that."""
    path = agent.folder / "data.csv"
    path.write_text(content)
    table = {
        "format": "delimited",
        "files": [str(path)],
        "transformations": [],
        "inference": "",
        **description,
    }
    source = f"def run(frame, context):\n    {body}\n"
    return agent.start(source, table=json.dumps(table)), f"{path}@0+0#0*0"


def result(agent: Agent, body: str, **description: Any) -> str:
    """The one row that run() returns."""
    answer, name = started(agent, body, **description)
    assert answer.kind == READY, answer.payload
    answer = agent.run(name)
    assert answer.kind == DONE, answer.payload
    return parts(answer)[0][3].decode().rstrip("\n")


TYPES = "[type(frame).__module__.split('.')[0] + '.' + type(frame).__name__]"


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (None, "pandas.DataFrame"),
        ("pandas", "pandas.DataFrame"),
        ("pyarrow", "pyarrow.Table"),
        ("polars", "polars.DataFrame"),
        ("numpy", "numpy.ndarray"),
    ],
)
def test_run_gets_the_kind_of_frame_that_the_job_asks_for(
    agent: Agent, kind: str | None, name: str
) -> None:
    pytest.importorskip(kind or "pandas")
    description = {} if kind is None else {"frame": kind}
    assert result(agent, f"return {TYPES}", **description) == name


def test_a_pyarrow_table_has_the_types_that_the_reader_decided(agent: Agent) -> None:
    body = "return [[str(t).replace('large_', '') for t in frame.schema.types], frame.to_pylist()]"
    text = result(agent, body, frame="pyarrow")
    assert text == (
        "['int64', 'double', 'string', 'bool']\n"
        "[{'n': 1, 'x': 0.5, 's': 'a', 'b': True}, {'n': 2, 'x': None, 's': 'b c', 'b': False},"
        " {'n': 3, 'x': 2.5, 's': None, 'b': True}]"
    )


def test_a_polars_frame_has_the_types_that_the_reader_decided(agent: Agent) -> None:
    pytest.importorskip("polars")
    text = result(agent, "return [list(map(str, frame.dtypes)), frame.rows()]", frame="polars")
    assert text == (
        "['Int64', 'Float64', 'String', 'Boolean']\n"
        "[(1, 0.5, 'a', True), (2, None, 'b c', False), (3, 2.5, None, True)]"
    )


LARGE = (1 << 53) + 1
WHOLE = [
    ("delimited", f"id,n\n1,{LARGE}\n2,\n", {}),
    ("delimited", f"id,n\n1,{LARGE}\n2,\n", {"types": "pandas"}),
    ("delimited", f"id,n\n1,{LARGE}\n2,NA\n", {"types": "pandas"}),
    ("delimited", f'id,n\n1,"{LARGE}"\n"2",\n', {"support_multi_line": True}),
    ("json_lines", f'{{"id": 1, "n": {LARGE}}}\n{{"id": 2}}\n', {}),
]


@pytest.mark.parametrize(("form", "text", "more"), WHOLE)
@pytest.mark.parametrize("kind", ["pyarrow", "polars"])
def test_whole_numbers_stay_so_where_some_are_missing(
    agent: Agent, kind: str, form: str, text: str, more: dict[str, str]
) -> None:
    pytest.importorskip(kind)
    body = (
        "g = context.dataset.to_pandas_dataframe();"
        "return [str(frame['n'].dtype if hasattr(frame, 'dtypes') else frame['n'].type).lower(),"
        " frame['n'].to_pylist() if hasattr(frame['n'], 'to_pylist') else frame['n'].to_list(),"
        " g['n'].dtype]"
    )
    said = result(agent, body, content=text, format=form, frame=kind, **more)
    assert said == f"int64\n[{LARGE}, None]\nfloat64"


def test_they_stay_so_in_every_mini_batch(tmp_path: Path) -> None:
    table = Table(tmp_path, frame="pyarrow", types="pandas")
    path = table.add("a.csv", "k,n\nr,1\nr,\n" + f"r,{LARGE}\n" * 300 + "r,1.5\n")
    _, read = reader_of(table.description)
    for offset, length, value in ((4, 4, 1), (8, 3, None), (11, 19, LARGE)):
        found = read([f"{path}@{offset}+{length}#0*1"])
        assert str(found.schema.field("n").type) == "int64"
        assert found.column("n").to_pylist() == [value]
    with pytest.raises(TableError, match=r"line 304, column 'n': '1\.5' does not fit int64"):
        read([f"{path}@0+0#0*0"])


LATE = [
    ("delimited", "n,b\n", f"{LARGE},true\n", ",\n", {}),
    ("delimited", "n,b\n", f"{LARGE},true\n", "NA,\n", {"types": "pandas"}),
    ("delimited", "n,b\n", f"{LARGE},true\n", ",\n", {"transformations": [
        {"convert_column_types": [
            {"columns": "n", "column_type": "int"},
            {"columns": "b", "column_type": "boolean"},
        ]},
    ]}),
    ("json_lines", "", f'{{"n": {LARGE}, "b": true}}\n', '{"n": null}\n', {}),
    ("json_lines", "", '{"n": 18446744073709551615, "b": true}\n', "{}\n", {}),
]  # fmt: skip


@pytest.mark.parametrize(("form", "head", "early", "late", "more"), LATE)
@pytest.mark.parametrize("kind", ["pyarrow", "polars"])
def test_values_may_be_missing_behind_the_first_rows(
    tmp_path: Path, kind: str, form: str, head: str, early: str, late: str, more: dict[str, Any]
) -> None:
    pytest.importorskip(kind)
    table = Table(tmp_path, frame=kind, format=form, **more)
    path = table.add("a", head + early * 300 + late)
    _, read = reader_of(table.description)
    begin, end = len(head) + 299 * len(early), len(head) + 300 * len(early)
    first = read([f"{path}@{begin}+{len(early)}#0*0"])
    last = read([f"{path}@{end}+{len(late)}#0*0"])
    assert first.schema == last.schema
    assert "float" not in str(first.schema).lower()
    for column in (last["n"], last["b"]):
        assert (column.to_list() if kind == "polars" else column.to_pylist()) == [None]
    assert len(read([f"{path}@0+0#0*0"])) == 301


def test_they_stay_so_in_filters_and_conversions(tmp_path: Path) -> None:
    text = f"i,b,n\n{LARGE},1,{LARGE}\n,,\n{LARGE - 1},3,{LARGE - 1}\n"
    steps = [
        {"filter": f"n == {LARGE}"},
        {
            "convert_column_types": [
                {"columns": "i", "column_type": "int"},
                {"columns": "b", "column_type": "boolean"},
            ]
        },
    ]
    table = Table(tmp_path, frame="pyarrow", transformations=steps)
    path = table.add("a.csv", text)
    found = reader_of(table.description)[1]([f"{path}@0+0#0*0"])
    assert found.to_pylist() == [{"i": LARGE, "b": True, "n": LARGE}]
    assert list(map(str, found.schema.types)) == ["int64", "bool", "int64"]
    table.description["transformations"] = steps[1:]
    found = reader_of(table.description)[1]([f"{path}@0+0#0*0"])
    assert found.to_pylist()[1:] == [
        {"i": None, "b": None, "n": None},
        {"i": LARGE - 1, "b": True, "n": LARGE - 1},
    ]


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_they_stay_so_beside_columns_that_are_added(tmp_path: Path, form: str) -> None:
    content = pyarrow.table({"n": [LARGE, None], "b": [True, None]})
    table = Table(tmp_path, format=form, frame="pyarrow", include_path_column=True)
    path = table.add("a", b"")
    if form == "parquet":
        pytest.importorskip("pyarrow.parquet").write_table(content, path)
    else:
        with pyarrow.ipc.new_file(path, content.schema) as writer:
            writer.write_table(content)
    found = reader_of(table.description)[1]([f"{path}@0+0#0*0"])
    assert found.select(["n", "b"]).to_pydict() == content.to_pydict()
    assert list(map(str, found.schema.types))[1:] == ["int64", "bool"]


def test_a_numpy_array_has_a_row_for_each_row(agent: Agent) -> None:
    body = "return [frame.shape, frame.dtype, frame[1, 0]]"
    description = {"transformations": [json.dumps({"keep_columns": ["n", "x"]})]}
    assert result(agent, body, frame="numpy", **description) == "(3, 2)\nfloat64\n2.0"


@pytest.mark.parametrize("kind", ["pandas", "pyarrow", "polars", "numpy"])
def test_the_dataset_gives_pandas_whatever_run_gets(agent: Agent, kind: str) -> None:
    pytest.importorskip(kind)
    body = (
        "f = context.dataset.to_pandas_dataframe(); g = context.dataset.to_pandas_dataframe();"
        " f['n'] = 0; return [type(g).__name__, list(g.columns), list(g['n']), len(frame)]"
    )
    assert result(agent, body, frame=kind) == "DataFrame\n['n', 'x', 's', 'b']\n[1, 2, 3]\n3"


@pytest.mark.parametrize("kind", ["pyarrow", "polars", "numpy"])
def test_a_mini_batch_without_rows_is_never_given_to_the_script(agent: Agent, kind: str) -> None:
    pytest.importorskip(kind)
    filtered = [json.dumps({"filter": 'col("n") > 5'})]
    answer, name = started(agent, "1 / 0", frame=kind, transformations=filtered)
    assert answer.kind == READY
    answer = agent.run(name)
    assert (answer.kind, answer.returned, answer.items) == (DONE, 0, 1)


@pytest.mark.parametrize(
    ("kind", "missing"), [("pyarrow", "pyarrow"), ("polars", "polars"), ("polars", "pyarrow")]
)
def test_what_the_environment_lacks_is_told_before_any_work(
    tmp_path: Path, kind: str, missing: str
) -> None:
    pytest.importorskip(kind)
    (tmp_path / f"{missing}.py").write_text("raise ImportError('not here')\n")
    agent = Agent(tmp_path, PYTHONPATH=str(tmp_path))
    answer, _ = started(agent, "return []", frame=kind)
    agent.close()
    assert (answer.kind, answer.flags) == (INIT_FAILED, 16)
    assert f"frame: {kind} needs {missing} in the environment" in answer.error["message"]


def test_a_kind_that_nobody_knows_is_refused(agent: Agent) -> None:
    answer, _ = started(agent, "return []", frame="spark")
    assert (answer.kind, answer.flags) == (INIT_FAILED, 16)
    assert answer.error["message"].startswith(
        "frame: 'spark' is not one of pandas, pyarrow, polars"
    )


def test_values_that_arrow_cannot_take_are_told(agent: Agent) -> None:
    lines = '{"n": 1, "v": "a"}\n{"n": 2, "v": 7}\n'
    answer, name = started(
        agent, "return []", lines, format="json_lines", frame="pyarrow", mixed_types=True
    )
    assert answer.kind == READY
    answer = agent.run(name)
    assert answer.kind == FAILED
    assert "so that its type is not known" in answer.error["message"]
    assert "column 'n'" in answer.error["message"]


FRAMES = [
    ("pyarrow", 'pyarrow.table({"n": [1, 2], "s": ["a b", None]})'),
    ("pyarrow", 'pyarrow.RecordBatch.from_pydict({"n": [1, 2], "s": ["a b", None]})'),
    ("polars", 'polars.DataFrame({"n": [1, 2], "s": ["a b", None]})'),
]


@pytest.mark.parametrize(("module", "frame"), FRAMES)
@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({}, '1 "a b"\n2 \n'),
        ({"format": "csv"}, "1,a b\n2,\n"),
        ({"format": "jsonl"}, '{"n":1,"s":"a b"}\n{"n":2,"s":null}\n'),
    ],
)
def test_frames_of_pyarrow_and_polars_are_written_as_those_of_pandas(
    agent: Agent, module: str, frame: str, settings: dict[str, object], text: str
) -> None:
    pytest.importorskip(module)
    answer = answer_of(agent, f"return {frame}", f"import {module}", **settings)
    assert answer.returned == 2
    assert parts(answer) == [(ROWS, 0, 0, text.encode())]


VALUES = """{
    "n": [9007199254740993, None], "u": [2**64 - 1, None], "l": [[1, None], None],
    "d": [datetime.date(2026, 1, 2), None], "s": [{"a": 2**53 + 1}, {"a": None}],
    "b": [True, None], "f": [0.5, None], "t": [datetime.datetime(2026, 1, 2, 3), None],
}"""
TABLE_OF_VALUES = (
    "pyarrow.table({k: pyarrow.array(v, pyarrow.uint64() if k == 'u' else None)"
    " for k, v in VALUES.items()})"
)
VALUES_TEXT = {
    None: (
        '9007199254740993 18446744073709551615 "[1, None]" 2026-01-02 '
        '"{\'a\': 9007199254740993}" True 0.5 "2026-01-02 03:00:00"\n'
        "    \"{'a': None}\"   \n"
    ),
    "csv": (
        '9007199254740993,18446744073709551615,"[1, None]",2026-01-02,'
        "{'a': 9007199254740993},True,0.5,2026-01-02 03:00:00\n,,,,{'a': None},,,\n"
    ),
    "jsonl": (
        '{"n":9007199254740993,"u":18446744073709551615,"l":[1,null],"d":"2026-01-02",'
        '"s":{"a":9007199254740993},"b":true,"f":0.5,"t":"2026-01-02T03:00:00"}\n'
        '{"n":null,"u":null,"l":null,"d":null,"s":{"a":null},"b":null,"f":null,"t":null}\n'
    ),
}


# C689
@pytest.mark.parametrize("form", [None, "csv", "jsonl"])
@pytest.mark.parametrize(
    "frame",
    [
        f"t = {TABLE_OF_VALUES}",
        "import polars; t = polars.DataFrame(VALUES, schema_overrides={'u': polars.UInt64})",
    ],
)
def test_values_beside_missing_ones_are_what_they_are(
    agent: Agent, frame: str, form: str | None
) -> None:
    pytest.importorskip("polars" if "polars" in frame else "pyarrow")
    said = {"format": form} if form else {}
    imports = f"import datetime, pyarrow\nVALUES = {VALUES}\n"
    [(kind, _, _, text)] = parts(answer_of(agent, f"{frame}; return t", imports, **said))
    assert (kind, text.decode()) == (ROWS, VALUES_TEXT[form])


TABLES = [
    # An index that pandas has written is not a column of its frame.
    "pyarrow.Table.from_pandas(pandas.DataFrame({'l': [[1], [2]], 'n': [1, 2]}, index=[7, 8]))",
    "pyarrow.table([[[1], [2]], [1, 2]], names=['n', 'n'])",
    "pyarrow.table({'l': [[1], [2]], 'n': pyarrow.array([1, 2]).dictionary_encode()})",
]


@pytest.mark.parametrize("table", TABLES)
def test_lists_stand_in_their_place(agent: Agent, table: str) -> None:
    answer = answer_of(agent, f"return {table}", "import pandas, pyarrow", format="csv")
    assert parts(answer)[0][3].decode() == "[1],1\n[2],2\n"


def test_python_objects_of_polars_are_text(agent: Agent) -> None:
    pytest.importorskip("polars")
    body = "return polars.DataFrame({'o': polars.Series([ValueError('x')], dtype=polars.Object)})"
    assert parts(answer_of(agent, body, "import polars", format="csv"))[0][3] == b"x\n"


@pytest.mark.parametrize(("module", "frame"), FRAMES)
def test_their_columns_are_a_header(agent: Agent, module: str, frame: str) -> None:
    pytest.importorskip(module)
    answer = answer_of(agent, f"return {frame}", f"import {module}", header=True)
    assert parts(answer)[0] == (HEADER, 0, 0, b"n s\n")


@pytest.mark.parametrize(("module", "frame"), FRAMES)
def test_their_rows_are_counted_when_not_wanted(agent: Agent, module: str, frame: str) -> None:
    pytest.importorskip(module)
    answer = answer_of(agent, f"return {frame}", f"import {module}", append_row=False)
    assert (answer.kind, answer.returned, answer.payload) == (DONE, 2, b"")


@pytest.mark.parametrize(("module", "frame"), FRAMES)
def test_they_become_arrow_streams(agent: Agent, module: str, frame: str) -> None:
    pytest.importorskip(module)
    answer = answer_of(agent, f"return {frame}", f"import {module}", format="parquet")
    table = pyarrow.ipc.open_stream(parts(answer)[0][3]).read_all()
    assert table.to_pydict() == {"n": [1, 2], "s": ["a b", None]}
    assert [str(type_) for type_ in table.schema.types] == ["int64", "string"]


COLUMNS = [
    ("pyarrow", "pyarrow.array([9007199254740993, None])"),
    ("pyarrow", "pyarrow.chunked_array([[9007199254740993], [None]])"),
    ("polars", "polars.Series([9007199254740993, None])"),
]


@pytest.mark.parametrize(("module", "column"), COLUMNS)
@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({}, "9007199254740993\nNone\n"),
        ({"format": "csv"}, '9007199254740993\n""\n'),
        ({"format": "jsonl"}, "9007199254740993\nnull\n"),
    ],
)
def test_columns_of_pyarrow_and_polars_are_lists_of_their_values(
    agent: Agent, module: str, column: str, settings: dict[str, object], text: str
) -> None:
    pytest.importorskip(module)
    answer = answer_of(agent, f"return {column}", f"import {module}", **settings)
    assert (answer.kind, answer.returned) == (DONE, 2), answer.payload
    assert parts(answer) == [(ROWS, 0, 0, text.encode())]


@pytest.mark.parametrize(("module", "column"), COLUMNS)
def test_they_become_a_column_of_arrow_streams(agent: Agent, module: str, column: str) -> None:
    pytest.importorskip(module)
    answer = answer_of(agent, f"return {column}", f"import {module}", format="parquet")
    table = pyarrow.ipc.open_stream(parts(answer)[0][3]).read_all()
    assert table.to_pydict() == {"0": [9007199254740993, None]}


LATE = "n,x\n" + "1,2\n" * 300 + "late,2\n"


@pytest.mark.parametrize("kind", ["pandas", "pyarrow"])
def test_what_is_wrong_with_a_table_is_told_without_a_traceback(agent: Agent, kind: str) -> None:
    _, name = started(agent, "return []", LATE, frame=kind)
    answer = agent.run(name)
    assert answer.kind == FAILED
    message = answer.error["message"]
    assert message.startswith(f"{agent.folder}/data.csv line 302, column 'n': 'late' does not fit")
    assert answer.error["traceback"] == f"TableError: {message}\n"


def test_what_a_script_finds_wrong_with_a_table_has_its_lines(agent: Agent) -> None:
    body = "from windrow.tables.reader import TableReader; TableReader({'files': [], 'format': 5})"
    _, name = started(agent, body)
    trace = agent.run(name).error["traceback"].splitlines()
    assert trace[0] == "Traceback (most recent call last):"
    assert trace[1].endswith("in run")
    assert trace[-1].endswith(
        "TableError: format: 5 is not one of delimited, parquet, json_lines, arrow"
    )


def test_the_number_of_the_first_row_is_told_or_why_it_is_not_known(agent: Agent) -> None:
    body = "return [context.global_row_index_lower_bound]"
    answer, whole = started(agent, body)
    assert answer.kind == READY, answer.payload
    counted = whole.replace("#0*0", "#17*3")
    assert parts(agent.run(counted + "/2+1"))[0][3].decode() == "19\n"
    assert parts(agent.run(whole + "/2+1"))[0][3].decode() == "2\n"  # C893


LEAVES_OUT = [
    {"transformations": [json.dumps({"filter": "n > 1"})]},
    {"transformations": [json.dumps({"skip": 1})]},
    {"ragged": "skip"},
    {"invalid_lines": "drop", "format": "json_lines", "content": '{"n": 1}\n' * 3},
]


# C676
@pytest.mark.parametrize("description", LEAVES_OUT)
@pytest.mark.parametrize("window", ["", "/1+1"])
def test_where_rows_may_be_left_out_there_is_no_number(
    agent: Agent, description: dict[str, Any], window: str
) -> None:
    body = "return [context.global_row_index_lower_bound]"
    answer, whole = started(agent, body, **description)
    assert answer.kind == READY, answer.payload
    said = agent.run(whole.replace("#0*0", "#0*3") + window).error["message"]
    assert said.startswith("rows may be left out by steps of the table, ragged: skip or")
    assert said.endswith("give the table a column that numbers its rows")
    assert "count_rows" not in said


# C893
def test_rows_are_counted_when_their_number_is_first_read_and_not_for_keys() -> None:
    class Rows:
        names, first, leaves_out = ("/a=1/b.csv@0+0#0*0",), None, False
        counted = 0

        def frame(self, items: Any) -> Any:
            return items

        def first_row(self, _: object) -> int:
            self.counted += 1
            return 7

    rows: Any = Rows()
    context = MiniBatchContext(0, 0, []).of_rows(rows, [1])
    assert rows.counted == 0
    assert [context.global_row_index_lower_bound for _ in range(3)] == [7, 7, 7]
    assert rows.counted == 1
    context = MiniBatchContext(0, 0, []).of_rows(rows, [1])
    context.partition_key_value = {"a": "1"}
    with pytest.raises(RuntimeError, match="the rows of a key are not counted") as raised:
        assert context.global_row_index_lower_bound
    assert "count_rows" not in str(raised.value)
