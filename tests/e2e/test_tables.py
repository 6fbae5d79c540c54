# SPDX-License-Identifier: Apache-2.0
"""Items that are rows of tables: run() gets frames."""

from __future__ import annotations

import signal
import subprocess
import sys

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from table_bench import ROWS, csv, numbers, put, run_inputs, run_table, sizes, table_of
from workbench import Windrow, until

TYPES = """
def run(frame):
    types = " ".join(f"{name}:{dtype.kind}" for name, dtype in frame.dtypes.items())
    return [types] * len(frame)
"""


# C670 C671
def test_a_csv_file_is_cut_about_every_megabyte(windrow: Windrow) -> None:
    put(windrow, "a.csv", csv(0, 3000, width=1019))  # rows of 1 KB and a little
    job = run_table(windrow, ROWS)
    assert job.exit == 0, job
    assert numbers(job) == list(range(3000))
    assert len(sizes(job)) == 3
    assert "3,000 succeeded" in job.text


# C671
def test_a_mini_batch_is_never_of_two_files(windrow: Windrow) -> None:
    put(windrow, "small.csv", csv(0, 100, width=1019))
    put(windrow, "large.csv", csv(100, 10340, width=1014))
    job = run_table(windrow, ROWS, "--mini-batch-size", "1MB")
    assert numbers(job) == [*range(100, 10340), *range(100)]
    assert len(sizes(job)) == 11
    assert sizes(job)[-1] == 100


# C671
def test_small_files_are_a_mini_batch_each(windrow: Windrow) -> None:
    for i in range(5):
        put(windrow, f"{i}.csv", csv(20 * i, 20 * i + 20, width=1019))
    job = run_table(windrow, ROWS)
    assert sizes(job) == [20] * 5


# C671
@pytest.mark.parametrize("size", ["1", "10", "17", "100", "1000", "1KB", "10 rows, 100b", "7 rows"])
def test_whatever_the_size_every_row_comes_once(windrow: Windrow, size: str) -> None:
    put(windrow, "a.csv", csv(0, 40))
    put(windrow, "b.csv", csv(40, 80).rstrip("\n"))
    job = run_table(windrow, ROWS, "--mini-batch-size", size)
    assert job.exit == 0, job
    assert numbers(job) == list(range(80))


# C672
def test_rows_are_counted_exactly_within_each_file(windrow: Windrow) -> None:
    put(windrow, "a.csv", csv(0, 7))
    put(windrow, "b.csv", "n,text\n\n7,a\n \n8,b\r\n\r\n9,c")
    job = run_table(windrow, ROWS, "--mini-batch-size", "3 rows")
    assert sizes(job) == [3, 3, 1, 3]
    assert numbers(job) == list(range(10))


# C672
def test_a_header_may_stand_in_the_first_file_alone(windrow: Windrow) -> None:
    put(windrow, "a.csv", csv(0, 5))
    put(windrow, "b.csv", csv(5, 10, header=False))
    once = ("--set", "table.header=from_first_file")
    job = run_table(windrow, ROWS, "--mini-batch-size", "3 rows", *once)
    assert job.exit == 0, job
    assert numbers(job) == list(range(10))
    assert sizes(job) == [3, 2, 3, 2]


# C672
def test_quoted_line_breaks_stay_within_their_row_where_they_are_declared(windrow: Windrow) -> None:
    rows = "".join(f'{n},"a\nb,""\n{n}"\n' for n in range(50))
    put(windrow, "a.csv", "n,text\n" + rows)
    multi = ("--set", "table.support_multi_line=true")
    job = run_table(windrow, ROWS, "--mini-batch-size", "100", *multi)
    assert job.exit == 0, job
    assert numbers(job) == list(range(50))
    assert len(sizes(job)) > 5
    by_rows = run_table(windrow, ROWS, "--mini-batch-size", "8 rows", *multi, output="by-rows")
    assert sizes(by_rows) == [8] * 6 + [2]


# C673
def test_parquet_is_cut_by_row_groups(windrow: Windrow) -> None:
    path = put(windrow, "a.parquet", b"")
    pq.write_table(table_of(1000), path, row_group_size=250, compression="none", use_dictionary=[])
    group = pq.ParquetFile(path).metadata.row_group(0)
    size = sum(group.column(i).total_compressed_size for i in range(group.num_columns))
    two = run_table(windrow, ROWS, "--mini-batch-size", str(2 * size + 100))
    assert sizes(two) == [500, 500]
    assert numbers(two) == list(range(1000))
    one = run_table(windrow, ROWS, "--mini-batch-size", "1b", output="one")
    assert sizes(one) == [250] * 4


# C673
def test_one_row_group_is_one_mini_batch_unless_rows_are_said(windrow: Windrow) -> None:
    pq.write_table(table_of(1000), put(windrow, "a.parquet", b""))
    assert sizes(run_table(windrow, ROWS, "--mini-batch-size", "1KB")) == [1000]
    job = run_table(windrow, ROWS, "--mini-batch-size", "300 rows", output="by-rows")
    assert sizes(job) == [300, 300, 300, 100]
    assert numbers(job) == list(range(1000))


# C673
def test_arrow_files_are_cut_by_record_batches(windrow: Windrow) -> None:
    table = table_of(1000)
    with pa.ipc.new_file(str(put(windrow, "a.arrow", b"")), table.schema) as file:
        file.write_table(table, max_chunksize=250)
    assert sizes(run_table(windrow, ROWS, "--mini-batch-size", "1KB")) == [250] * 4
    job = run_table(windrow, ROWS, "--mini-batch-size", "300 rows", output="by-rows")
    assert numbers(job) == list(range(1000))


# C670
def test_json_lines_become_frames_too(windrow: Windrow) -> None:
    text = "".join(f'{{"n": {n}, "deep": {{"a": [{n}]}}}}\n' for n in range(100))
    put(windrow, "a.jsonl", text)
    job = run_table(windrow, ROWS, "--mini-batch-size", "1KB")
    assert job.exit == 0, job
    assert numbers(job) == list(range(100))
    assert len(sizes(job)) > 2


# C674
def test_types_are_those_of_the_first_rows_in_every_mini_batch(windrow: Windrow) -> None:
    rows = "".join(f"{n},{n / 2 if n < 100 else n},{'' if n % 3 else n},t{n}\n" for n in range(400))
    put(windrow, "a.csv", "a,b,c,d\n" + rows)
    job = run_table(windrow, TYPES, "--mini-batch-size", "1KB")
    assert len(sizes(job)) > 3
    assert len(set(job.rows())) == 1
    assert job.rows()[0].startswith("a:i b:f c:f d:")


# C674
def test_a_value_of_another_type_is_told_with_its_place(windrow: Windrow) -> None:
    path = put(windrow, "a.csv", "n,m\n" + "".join(f"{n},{n}\n" for n in range(300)) + "300,late\n")
    job = run_table(windrow, ROWS, "--mini-batch-size", "1KB", retries=0)
    failed = [one for one in job.attempts() if one["Status"] == "DATA_EXCEPTION"]
    assert len(failed) == 1
    message = failed[0]["Error Message"]
    assert f"{path} line 302" in message
    assert "'m'" in message
    assert "late" in message
    assert len(job.rows()) > 200, "the other mini-batches are not touched"
    assert "Traceback" not in job.log("logs/failed_items.jsonl")


# C101 C670
@pytest.mark.parametrize(
    ("said", "encoding"),
    [("UTF-8", "utf-8"), ("utf_8_sig", "utf-8-sig"), ("cp1252", "cp1252"), ("utf-16", "utf-16")],
)
def test_an_encoding_may_be_spelled_as_python_spells_it(
    windrow: Windrow, said: str, encoding: str
) -> None:
    put(windrow, "a.csv", "n,text\n1,\u20ac\n".encode(encoding))
    script = "def run(frame):\n    return list(frame['n'].astype(str) + frame['text'])\n"
    job = run_table(windrow, script, "--set", f"table.encoding={said}")
    assert job.rows() == ["1\u20ac"]


# C675
def test_a_file_without_rows_is_no_item(windrow: Windrow) -> None:
    put(windrow, "a.csv", csv(0, 3))
    put(windrow, "b.csv", "n,text\n")
    put(windrow, "c.csv", "")
    job = run_table(windrow, ROWS)
    assert job.exit == 0, job
    assert numbers(job) == [0, 1, 2]
    assert "3 succeeded, 0 failed" in job.text


# C676 C893
def test_the_context_knows_the_rows(windrow: Windrow) -> None:
    put(windrow, "a.csv", csv(0, 5))
    put(windrow, "b.csv", csv(5, 9))
    script = (
        "def run(frame, context):\n"
        "    assert context.dataset.to_pandas_dataframe().equals(frame)\n"
        "    first = context.global_row_index_lower_bound\n"
        "    return [f'{first} {n}' for n in frame['n']]\n"
    )
    job = run_table(windrow, script, "--mini-batch-size", "2 rows")
    assert job.rows() == ["0 0", "0 1", "2 2", "2 3", "4 4", "5 5", "5 6", "7 7", "7 8"]
    inputs = {name: {"type": "uri_file", "path": f"in/{name}.csv"} for name in ("b", "a")}
    both = run_inputs(windrow, script, inputs, "--as", "table", "--mini-batch-size", "3 rows")
    assert both.rows()[2:6] == ["0 7", "3 8", "4 0", "4 1"]
    counted = run_table(windrow, script, "--set", "table.count_rows=true", output="counted")
    assert counted.rows()[-1] == "5 8"
    assert counted.rows() == run_table(windrow, script, output="when-read").rows()
    small = run_table(windrow, script, "--mini-batch-size", "8b", output="small")
    found: dict[int, list[int]] = {}
    for first, n in (map(int, row.split()) for row in small.rows()):
        found.setdefault(first, []).append(n)
    assert len(found) > 2
    assert all(first == rows[0] for first, rows in found.items())
    assert sorted(n for rows in found.values() for n in rows) == list(range(9))


# C893
def test_rows_of_a_list_that_nobody_counted_have_no_number(windrow: Windrow) -> None:
    put(windrow, "a.csv", csv(0, 5))
    put(windrow, "b.csv", csv(5, 9))
    bad = (
        "def run(frame):\n"
        "    if 6 in set(frame['n']): raise ValueError('no')\n"
        "    return list(frame['n'])\n"
    )
    job = run_table(windrow, bad, retries=0)
    windrow.script("def run(f, c): return [c.global_row_index_lower_bound] * len(f)\n", "ask.py")
    failed = f"@{job.folder}/logs/failed_items.jsonl"
    again = windrow.command(
        "run", "ask.py", "--as", "table", "--input", failed, "--output", "o", "--max-retries", "0"
    )
    assert again.exit == 1
    assert "the input is a list of rows of another job, which had not counted" in again.text


# C677
def test_a_bad_row_is_found_and_the_others_are_kept(windrow: Windrow) -> None:
    put(windrow, "a.csv", csv(0, 100))
    script = (
        "def run(frame):\n"
        "    if (frame['n'] == 77).any():\n"
        "        raise ValueError('seventy-seven')\n"
        "    return list(frame['n'])\n"
    )
    job = run_table(windrow, script, "--bisect", retries=0)
    assert job.exit == 0, job
    assert [int(row) for row in job.rows()] == [n for n in range(100) if n != 77]
    letters = job.failed_items()
    assert [letter["item"].rsplit("/", 1)[1] for letter in letters] == ["77+1"]
    windrow.script("def run(frame):\n    return list(frame['n'])\n")
    again = windrow.run(
        None, "--as", "table", input=f"@{job.folder}/logs/failed_items.jsonl", output="again"
    )
    assert again.rows() == ["77"]


# C677
@pytest.mark.parametrize("first", ["header=no_header", "comment=#", "ragged=skip", ""])
def test_bad_rows_are_found_again_only_where_they_are_counted_alike(
    windrow: Windrow, first: str
) -> None:
    put(windrow, "a.csv", csv(0, 100))
    script = (
        "def run(frame):\n    if (frame.iloc[:, 0].astype(str) == '77').any():\n        1 / 0\n"
    )
    script += "    return list(frame.iloc[:, 0])\n"
    said = ("--set", f"table.{first}") if first else ()
    job = run_table(windrow, script, "--bisect", *said, retries=0)
    assert job.exit == 0, job
    windrow.script("def run(frame):\n    return [str(frame.iloc[0, 0])] * len(frame)\n")
    letters = f"@{job.folder}/logs/failed_items.jsonl"
    said += ("--set", "table.text_columns=n") if first == "comment=#" else ()
    alike = windrow.run(None, "--as", "table", *said, input=letters, output="alike")
    assert alike.rows() == ["77"]
    other = ("--set", "table.delimiter=;") if not first else ()
    again = windrow.run(None, "--as", "table", *other, input=letters, output="again")
    assert again.exit == 2
    assert "names rows of a table that was read in another way" in again.text
    assert "windrow retry JOB" in again.text


# C677
def test_rows_that_the_script_reports_are_dead_letters(windrow: Windrow) -> None:
    put(windrow, "a.csv", csv(0, 10))
    script = (
        "def run(frame, context):\n"
        "    context.report_failed(4, 'four')\n"
        "    return [n for n in frame['n'] if n != 4]\n"
    )
    job = run_table(windrow, script)
    assert job.rows() == [str(n) for n in range(10) if n != 4]
    (letter,) = job.failed_items()
    assert letter["item"].endswith("/4+1")
    assert letter["error_message"] == "four"


# C678
def test_a_killed_job_goes_on_with_the_rest(windrow: Windrow) -> None:
    put(windrow, "a.csv", csv(0, 400))
    script = (
        "import time\n"
        "def run(frame):\n"
        f"    open({str(windrow.folder / 'begun')!r}, 'a').write('x\\n')\n"
        "    time.sleep(0.02)\n"
        "    return list(frame['n'])\n"
    )
    flags = ("--as", "table", "--mini-batch-size", "10 rows")
    running = windrow.start(script, *flags)
    until(lambda: windrow.count("begun") >= 10, "ten mini-batches begun")
    running.signal(signal.SIGKILL)
    running.end()
    job = windrow.run(None, *flags)
    assert job.exit == 0, job
    assert "continuing job" in job.text
    assert job.rows() == [str(n) for n in range(400)]
    assert sum(sizes(job)) >= 400


# C678
def test_a_retry_says_once_that_a_table_has_changed(windrow: Windrow) -> None:
    put(windrow, "a.csv", csv(0, 300) + "x,bad\n")
    job = run_table(windrow, ROWS, "--max-retries", "0", "--mini-batch-size", "100 rows")
    assert "1 failed" in job.text
    put(windrow, "a.csv", csv(0, 300) + "301,mended\n302,new\n")
    again = windrow.command("retry", job.folder.name)
    assert again.exit == 1
    assert "when the job began: 'a.csv' is changed\n" in again.text
    assert "Start over, with all that was fixed: the command of the first job" in again.text


# C678
def test_a_table_that_changed_is_not_gone_on_with(windrow: Windrow) -> None:
    path = put(windrow, "a.csv", csv(0, 100))
    script = (
        "import time\n"
        "def run(frame):\n"
        f"    open({str(windrow.folder / 'begun')!r}, 'a').write('x\\n')\n"
        "    time.sleep(0.1)\n"
        "    return list(frame['n'])\n"
    )
    flags = ("--as", "table", "--mini-batch-size", "10 rows")
    running = windrow.start(script, *flags)
    until(lambda: windrow.count("begun") >= 3, "three mini-batches begun")
    running.signal(signal.SIGKILL)
    running.end()
    path.write_text(csv(0, 101))
    job = windrow.run(None, *flags)
    assert job.exit != 0
    assert "the input is not what it was when the job began" in job.text


# C679
def test_without_pandas_nothing_starts(windrow: Windrow) -> None:
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", windrow.folder / "bare"], check=True
    )
    put(windrow, "a.csv", csv(0, 10))
    job = run_table(windrow, ROWS, "--python", str(windrow.folder / "bare/bin/python"))
    assert job.exit == 2
    assert "pandas" in job.text
    assert len(job.loads()) <= 2, "no worker is started in place of one that refused"


# C679
@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--as", "table", "--mini-batch-size", "10 files"], "counts files; a mini-batch of a"),
        (["--mini-batch-size", "10 rows"], "counts rows, and the items are files; input_as: table"),
        (["--as", "tables"], "'tables' is not known; allowed is files, jsonl or table"),
        (["--as", "table", "--set", "table.header=none"], "allowed is all_files_same_headers"),
        (["--as", "table", "--set", "table.delimitre=x"], "did you mean 'delimiter'?"),
        (["--as", "table", "--set", "table.delimiter=ab"], "one ASCII character"),
    ],
)
def test_what_does_not_go_with_tables_is_refused(
    windrow: Windrow, flags: list[str], message: str
) -> None:
    put(windrow, "a.csv", csv(0, 10))
    job = windrow.run(ROWS, *flags)
    assert job.exit == 2
    assert message in job.text


# C705
def test_columns_that_are_said_to_be_text_are_text(windrow: Windrow) -> None:
    put(windrow, "a.csv", "zip,n\n00123,7\n00045,8\n")
    script = "def run(frame):\n    return [z + str(n) for z, n in zip(frame['zip'], frame['n'])]\n"
    job = run_table(windrow, script, "--set", "table.text_columns=zip")
    assert job.exit == 0, job
    assert job.rows() == ["001237", "000458"]
    put(windrow, "a.jsonl", '{"zip": 1}\n')
    (windrow.folder / "in/a.csv").unlink()
    job = run_table(windrow, script, "--set", "table.text_columns=zip", "--new")
    assert job.exit == 2
    assert "table.text_columns is only for delimited text" in job.text


# C679
def test_a_file_that_is_no_table_is_told_and_can_be_left_out(windrow: Windrow) -> None:
    put(windrow, "a.csv", csv(0, 10))
    put(windrow, "_SUCCESS", "")
    put(windrow, ".part-0.csv.crc", "")
    job = run_table(windrow, ROWS)
    assert job.exit == 2
    assert "leave one out with --set inputs.data.ignore='[._]*'" in job.text
    flags = ("--set", "inputs.data.ignore=[._]*")
    assert numbers(run_table(windrow, ROWS, *flags)) == list(range(10))


# C679
def test_a_name_that_says_nothing_is_asked_about(windrow: Windrow) -> None:
    put(windrow, "a.data", csv(0, 10).replace(",", ";"))
    job = run_table(windrow, ROWS)
    assert job.exit == 2
    assert "does not say what kind of table it is: add --set table.format=" in job.text
    flags = ("--set", "table.format=delimited", "--set", "table.delimiter=;")
    assert numbers(run_table(windrow, ROWS, *flags)) == list(range(10))


# C670
def test_compressed_text_is_one_mini_batch(windrow: Windrow) -> None:
    path = put(windrow, "a.csv.gz", b"")
    pd.DataFrame({"n": range(1000)}).to_csv(path, index=False)
    job = run_table(windrow, ROWS, "--mini-batch-size", "1KB")
    assert sizes(job) == [1000]
    refused = run_table(windrow, ROWS, "--mini-batch-size", "10 rows", output="by-rows")
    assert refused.exit != 0
    assert "is compressed, so it cannot be cut by rows" in refused.text


# C670
def test_a_table_can_be_tried_at_the_terminal(windrow: Windrow) -> None:
    put(windrow, "a.csv", csv(0, 10))
    windrow.script(ROWS)
    job = windrow.command("run", "score.py", "--input", "in", "--as", "table", "--local")
    assert job.exit == 0, job
    assert "mini-batch 0: 10 items, 10 results" in job.text


# C674
def test_a_message_says_where_a_job_says_what_it_advises(windrow: Windrow) -> None:
    put(windrow, "a.csv", "n,m\n" + "1,2\n" * 300 + "1,2,3\n")
    job = run_table(windrow, "def run(frame):\n    return [1] * len(frame)\n", retries=0)
    said = job.log("logs/failed_items.jsonl")
    assert "set ragged: skip" in said
    assert "in a job, set it under table, as in --set table.KEY=VALUE" in said
