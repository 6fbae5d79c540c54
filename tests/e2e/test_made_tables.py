# SPDX-License-Identifier: Apache-2.0
"""Tables that are made before they are cut: queries of databases, rows put together by columns."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest
from workbench import Job, Windrow, until

ROWS = """
def run(frame):
    return [f"{row.id} {row.store} {row.price}" for row in frame.itertuples()]
"""
KEYS = """
def run(frame, context):
    return [f"{context.partition_key_value} {list(frame.columns)} {row.id}" for row in
            frame.itertuples()]
"""


ABC = dict(enumerate("abc"))


def shop(windrow: Windrow, count: int = 100) -> None:
    with sqlite3.connect(windrow.folder / "shop.db") as base:
        base.execute("create table sales (id integer, store text, price real)")
        base.executemany(
            "insert into sales values (?, ?, ?)",
            [(number, "abc"[number % 3], number / 4) for number in range(count)],
        )
    base.close()


def run_file(windrow: Windrow, data: dict[str, Any], *flags: str, **more: Any) -> Job:
    content = {
        "type": "parallel",
        "inputs": {"data": data},
        "input_data": "${{inputs.data}}",
        "outputs": {"rows": {"type": "uri_file", "path": "out/rows"}},
        "task": {"entry_script": "score.py", "append_row_to": "${{outputs.rows}}"},
    } | more
    file = windrow.job_file(content)
    return windrow.command("run", str(file), *flags, result=windrow.folder / "out/rows")


QUERY = {
    "type": "sql",
    "connection": "sqlite:///shop.db",
    "query": "select id, store, price from sales order by id",
}


def expected(count: int) -> list[str]:
    return [f"{number} {'abc'[number % 3]} {number / 4}" for number in range(count)]


# C686
def test_a_query_without_rows_is_told_by_its_name(windrow: Windrow) -> None:
    shop(windrow, 0)
    windrow.script(ROWS)
    job = run_file(windrow, QUERY)
    assert job.exit == 1
    assert "the input 'data' holds no row" in job.text


# C686
def test_a_query_is_one_mini_batch_whatever_the_size(windrow: Windrow) -> None:
    shop(windrow)
    windrow.script(ROWS)
    job = run_file(windrow, QUERY, mini_batch_size="1KB")
    assert job.exit == 0, job
    assert job.rows() == expected(100)
    assert len(job.attempts()) == 1


# C686
def test_rows_cut_a_query_exactly(windrow: Windrow) -> None:
    shop(windrow)
    windrow.script("def run(frame):\n    return [len(frame)] * len(frame)\n")
    job = run_file(windrow, QUERY, mini_batch_size="30 rows")
    assert [int(row) for row in job.rows()] == [30] * 90 + [10] * 10
    assert len(job.attempts()) == 4


# C686
def test_a_job_goes_on_with_the_rows_that_it_began_with(windrow: Windrow) -> None:
    shop(windrow)
    begun = windrow.folder / "begun"
    slow = f"open({str(begun)!r}, 'a').write('x\\n')\n    import time; time.sleep(0.02)\n    return"
    windrow.script(ROWS.replace("return", slow))
    job_file = windrow.job_file(
        {
            "type": "parallel",
            "inputs": {"data": QUERY},
            "input_data": "${{inputs.data}}",
            "outputs": {"rows": {"type": "uri_file", "path": "out/rows"}},
            "task": {"entry_script": "score.py", "append_row_to": "${{outputs.rows}}"},
            "mini_batch_size": "2 rows",
            "name": "frozen",
        }
    )
    running = windrow.begin("run", str(job_file))
    until(lambda: windrow.count("begun") >= 8, "eight mini-batches begun")
    running.kill()
    with sqlite3.connect(windrow.folder / "shop.db") as base:
        base.execute("delete from sales")
    base.close()
    job = windrow.command("run", str(job_file), result=windrow.folder / "out/rows")
    assert job.exit == 0, job
    assert job.rows() == expected(100)


# C687
def test_what_the_database_says_is_told_and_can_be_mended(windrow: Windrow) -> None:
    windrow.script(ROWS)
    job = run_file(windrow, QUERY)
    assert job.exit == 2
    assert "shop.db" in job.text
    shop(windrow)
    wrong = run_file(windrow, QUERY | {"query": "select x from nowhere"})
    assert wrong.exit == 2
    assert "no such table: nowhere" in wrong.text
    assert run_file(windrow, QUERY).rows() == expected(100)


# C686
def test_a_query_is_not_asked_for_a_plan(windrow: Windrow) -> None:
    windrow.script(ROWS)
    run_file(windrow, QUERY)
    job = windrow.command("plan", "job.yml")
    assert job.exit == 0, job
    assert "the rows of a query, asked for when the job begins" in job.text
    assert "known when the job has made its table" in job.text


# C688
def test_rows_with_the_same_values_are_one_mini_batch(windrow: Windrow) -> None:
    folder = windrow.folder / "in"
    folder.mkdir()
    for part in range(3):
        lines = [f"{n},{'abc'[n % 3]},x{n % 2}" for n in range(part * 10, part * 10 + 10)]
        (folder / f"{part}.csv").write_text("id,store,brand\n" + "\n".join(lines) + "\n")
    windrow.script(KEYS)
    job = run_file(windrow, {"path": "in"}, input_as="table", partition_by=["store"])
    assert job.exit == 0, job
    assert job.rows() == [
        f"{{'store': '{'abc'[store]}'}} ['id', 'brand', 'store'] {n}"
        for store in range(3)
        for n in range(30)
        if n % 3 == store
    ]
    assert len(job.attempts()) == 3


# C688
def test_fewer_keys_than_columns_and_a_query_together(windrow: Windrow) -> None:
    shop(windrow, 12)
    windrow.script(KEYS)
    job = run_file(windrow, QUERY, partition_by=["store", "price"], partition_keys=["store"])
    assert job.exit == 0, job
    assert len(job.attempts()) == 3
    assert sorted(job.rows())[0] == "{'store': 'a'} ['id', 'store', 'price'] 0"
    assert len(set(job.rows())) == 12


# C688
@pytest.mark.parametrize(
    ("column", "advice"), [("stores", "did you mean 'store'?"), ("x", "there are 'id', 'store'")]
)
def test_a_column_that_is_not_there_is_told(windrow: Windrow, column: str, advice: str) -> None:
    (windrow.folder / "in").mkdir()
    (windrow.folder / "in" / "a.csv").write_text("id,store\n1,a\n")
    windrow.script(KEYS)
    job = run_file(windrow, {"path": "in"}, input_as="table", partition_by=[column])
    assert job.exit == 2
    assert f"windrow: partition_by: no column '{column}'; {advice}\n" in job.text


# C686 C688
def test_a_retry_reads_the_tables_of_the_job_before_it(windrow: Windrow) -> None:
    shop(windrow, 12)
    windrow.script(ROWS.replace("return", "assert 4 not in set(frame['id'])\n    return"))
    run_file(
        windrow,
        QUERY,
        mini_batch_size="3 rows",
        name="first",
        retry_settings={"max_retries": 0},
    )
    windrow.script(ROWS)
    out = windrow.folder / "again"
    job = windrow.command("retry", "first", "--append-row-to", str(out), result=out)
    assert job.exit == 0, job
    assert job.rows() == expected(12)


# C693
def test_a_script_may_import_mltable(windrow: Windrow) -> None:
    folder = windrow.folder / "table"
    folder.mkdir()
    (folder / "a.csv").write_text("n,word\n1,x\n2,y\n3,z\n")
    (folder / "MLTable").write_text(
        "type: mltable\npaths:\n  - file: ./a.csv\ntransformations:\n"
        "  - read_delimited: {delimiter: ','}\n  - filter: col('n') > 1\n"
    )
    script = f"""
import mltable

def init():
    global total
    table = mltable.load({str(folder)!r})
    total = int(table.to_pandas_dataframe()["n"].sum())
    assert table.take(1).to_pandas_dataframe()["word"].tolist() == ["y"]

def run(files):
    return [total] * len(files)
"""
    job = windrow.run(script, files=3)
    assert job.exit == 0, job
    assert job.rows() == ["5"] * 3


# C678 C683 C688
@pytest.mark.parametrize("made", [True, False])
def test_a_killed_job_with_keys_goes_on(windrow: Windrow, made: bool) -> None:
    lines = {store: [f"{n},{store}" for n in range(30) if n % 3 == i] for i, store in ABC.items()}
    for store in "abc":
        folder = windrow.folder / "in" / ("" if made else f"store={store}")
        folder.mkdir(parents=True, exist_ok=True)
        text = "\n".join(lines[store]) if made else "\n".join(x[:-2] for x in lines[store])
        header = "id,store\n" if made else "id\n"
        (folder / f"{store}.csv").write_text(header + text + "\n")
    begun, calm = windrow.folder / "begun", windrow.folder / "calm"
    windrow.script(f"""
import os, time

def run(frame, context):
    open({str(begun)!r}, "a").write("x\\n")
    while context.partition_key_value["store"] == "b" and not os.path.exists({str(calm)!r}):
        time.sleep(0.01)
    return list(frame["id"])
""")
    keys = {"partition_by": ["store"]} if made else {"partition_keys": ["store"]}
    content = {
        "type": "parallel",
        "name": "held",
        "input_as": "table",
        "inputs": {"data": {"path": "in"}},
        "input_data": "${{inputs.data}}",
        "outputs": {"rows": {"type": "uri_file", "path": "out/rows"}},
        "task": {"entry_script": "score.py", "append_row_to": "${{outputs.rows}}"},
    } | keys
    file = windrow.job_file(content)
    running = windrow.begin("run", str(file), "--workers", "2")
    until(lambda: windrow.count("begun") >= 3, "three mini-batches begun")
    running.kill()
    calm.touch()
    job = windrow.command("run", str(file), result=windrow.folder / "out/rows")
    assert job.exit == 0, job
    assert [int(row) for row in job.rows()] == [n for i in range(3) for n in range(i, 30, 3)]
