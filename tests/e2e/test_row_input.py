# SPDX-License-Identifier: Apache-2.0
"""Items that are rows of JSON lines."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import Any

import pytest
from workbench import ROOT, Job, Windrow, until

NUMBERS = """
def run(mini_batch):
    return [row["n"] for row in mini_batch]
"""

SLOW = """
import os, time

def run(mini_batch):
    with open(os.environ["OF_TEST"] + "/begun", "a") as file:
        file.write("x\\n")
    time.sleep(0.02)
    return [row["n"] for row in mini_batch]
"""


def lines(*numbers: int) -> str:
    return "".join(f'{{"custom_id": "id-{n}", "n": {n}}}\n' for n in numbers)


def put(windrow: Windrow, name: str, text: str | bytes) -> None:
    path = windrow.folder / "in" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)


def run_rows(windrow: Windrow, script: str | None, *flags: str, **settings: Any) -> Job:
    return windrow.run(script, "--as", "jsonl", *flags, **settings)


# C660
def test_rows_come_as_dicts_in_order(windrow: Windrow) -> None:
    put(windrow, "a.jsonl", lines(*range(23)))
    put(windrow, "b.jsonl", "\n \r\n" + lines(*range(23, 30)).replace("\n", "\r\n\n") + '{"n": 30}')
    job = run_rows(windrow, NUMBERS, size=5)
    assert job.exit == 0
    assert job.rows() == [str(n) for n in range(31)]
    assert "31 succeeded" in job.text
    assert len(job.attempts()) == 7


# C660
def test_a_mini_batch_of_rows_closes_by_bytes_too(windrow: Windrow) -> None:
    put(windrow, "a.jsonl", "".join(json.dumps({"n": n, "x": "x" * 988}) + "\n" for n in range(10)))
    job = windrow.run(NUMBERS, "--as", "jsonl", "--mini-batch-size", "3KB")
    assert job.rows() == [str(n) for n in range(10)]
    assert len(job.attempts()) == 4


# C660
def test_the_context_knows_where_the_rows_are(windrow: Windrow) -> None:
    put(windrow, "a.jsonl", lines(*range(4)))
    put(windrow, "b.jsonl", lines(*range(4, 9)))
    script = (
        "def run(rows, context):\n"
        "    return [(context.global_row_index_lower_bound, row['n']) for row in rows]\n"
    )
    job = run_rows(windrow, script, size=3)
    assert job.rows() == [str((n // 3 * 3, n)) for n in range(9)]


# C661
@pytest.mark.parametrize(
    ("row", "message"),
    [
        ('{"n": 1,}', "line 3: "),
        ('{"n": "\udcff"}', "line 3: byte 0xff is not UTF-8"),
        ("[1, 2]", "line 3: list in place of an object"),
        ('{"n": ' + "[" * 100_000, "line 3: nested too deeply"),
        ('{"n": 1e400}', "line 3: a number too large for float64"),
        ('{"n": "\\ud800"}', "line 3: half of a surrogate pair"),
    ],
    ids=["comma", "bytes", "list", "deep", "large", "surrogate"],
)
def test_a_bad_row_is_named_and_costs_no_other(windrow: Windrow, row: str, message: str) -> None:
    text = lines(0, 1) + row + "\n" + lines(3, 4)
    put(windrow, "a.jsonl", text.encode("utf-8", "surrogateescape"))
    job = run_rows(windrow, NUMBERS, "--bisect", retries=0)
    assert job.exit == 0
    assert job.rows() == ["0", "1", "3", "4"]
    (letter,) = job.failed_items()
    assert letter["item"].startswith(f"{windrow.folder}/in/a.jsonl:3@")
    assert letter["error_type"] == "RowError"
    assert message in letter["error_message"]


# C662
def test_failed_rows_keep_their_id_and_can_be_sent_again(windrow: Windrow) -> None:
    put(windrow, "a.jsonl", lines(*range(20)))
    script = (
        "def run(rows, context):\n"
        "    if any(row['n'] == 13 for row in rows): raise ValueError('thirteen')\n"
        "    for i, row in enumerate(rows):\n"
        "        if row['n'] == 4: context.report_failed(i, 'four')\n"
        "    return [row['n'] for row in rows if row['n'] != 4]\n"
    )
    job = run_rows(windrow, script, "--bisect", size=5, retries=0)
    letters = job.failed_items()
    assert [letter["custom_id"] for letter in letters] == ["id-4", "id-13"]
    assert job.rows() == [str(n) for n in range(20) if n not in (4, 13)]
    windrow.script(NUMBERS)
    failed = f"@{job.folder}/logs/failed_items.jsonl"
    again = windrow.command(
        "run", "score.py", "--as", "jsonl", "--input", failed, "--output", "again",
        result=windrow.folder / "again/parallel_run_step.txt",
    )  # fmt: skip
    assert again.exit == 0
    assert again.rows() == ["4", "13"]


# C662
def test_rows_of_a_file_that_has_changed_are_not_guessed(windrow: Windrow) -> None:
    put(windrow, "a.jsonl", lines(*range(10, 30)))
    script = "def run(rows):\n    return [1 / (row['n'] - 20) for row in rows]\n"
    job = run_rows(windrow, script, "--bisect", retries=0)
    failed = f"@{job.folder}/logs/failed_items.jsonl"
    flags = ["--input", failed, "--output", "again"]
    as_files = windrow.command("run", "score.py", *flags)
    assert as_files.exit == 2
    assert "and rows of files with --as jsonl" in as_files.text
    put(windrow, "a.jsonl", lines(*range(11, 30)))
    again = windrow.command("run", "score.py", "--as", "jsonl", *flags)
    assert again.exit == 2
    assert "a.jsonl' has changed since" in again.text


# C662
def test_killed_at_any_time_it_goes_on_to_the_same_rows(windrow: Windrow) -> None:
    put(windrow, "a.jsonl", lines(*range(100)))
    first = windrow.start(SLOW, "--as", "jsonl", size=1)
    until(lambda: windrow.count("begun") > 20, "twenty rows have begun")
    first.kill()
    job = windrow.run(None, "--as", "jsonl", size=1)
    assert "continuing" in job.text
    assert job.rows() == [str(n) for n in range(100)]


# C662
def test_rows_that_are_not_what_they_were_stop_the_job(windrow: Windrow) -> None:
    put(windrow, "a.jsonl", lines(*range(100)))
    first = windrow.start(SLOW, "--as", "jsonl", size=1)
    until(lambda: windrow.count("begun") > 20, "twenty rows have begun")
    first.kill()
    put(windrow, "a.jsonl", lines(*range(50, 150)))
    job = windrow.run(None, "--as", "jsonl", size=1)
    assert job.exit == 1
    assert "the input is not what it was" in job.text


# C660
def test_other_ways_to_say_it(windrow: Windrow) -> None:
    put(windrow, "a.jsonl", lines(1, 2))
    for number, flags in enumerate(
        [
            ["--set", "input_as=jsonl"],
            ["--", "--amlbi_pf_enabled", "True"],
            ["--", "--amlbi_file_format", "jsonl", "--amlbi_mini_batch_rows", "1"],
        ]
    ):
        job = windrow.run(NUMBERS, *flags, output=f"out{number}")
        assert job.exit == 0, job
        assert job.rows() == ["1", "2"]


# C706
def test_of_json_texts_the_field_output_alone_can_be_the_row(windrow: Windrow) -> None:
    put(windrow, "a.jsonl", lines(1, 2))
    script = (
        "import json\n"
        "def run(rows):\n"
        "    return [json.dumps({'output': {'v': row['n']}, 'cost': 1}) for row in rows]\n"
    )
    flags = ["--as", "jsonl", "--", "--amlbi_pf_run_mode", "component"]
    job = windrow.run(script, *flags)
    assert job.exit == 0, job
    assert job.rows() == ['{"v": 1}', '{"v": 2}']
    job = windrow.run(NUMBERS, *flags, output="other", retries=0, threshold=0)
    assert job.exit == 1
    assert "takes the field output of each element that run() returns; return JSON" in job.text
    job = windrow.run(script, "--as", "jsonl", "--set", "append_row.field=cost", output="cost")
    assert job.rows() == ["1", "1"]


# C660
def test_rows_without_a_job(windrow: Windrow) -> None:
    put(windrow, "a.jsonl", lines(*range(7)))
    windrow.script(NUMBERS)
    flags = ["score.py", "--as", "jsonl", "--input", "in", "--output", "out"]
    plan = windrow.command("plan", *flags)
    assert "7 rows" in plan.text
    assert "1 with 7 rows" in plan.text
    local = windrow.command("run", *flags, "--local")
    assert local.exit == 0, local
    assert (windrow.folder / "out/parallel_run_step.txt").read_text() == "0\n1\n2\n3\n4\n5\n6\n"


# C660
def test_an_input_without_rows_is_refused(windrow: Windrow) -> None:
    put(windrow, "a.jsonl", "\n\n")
    job = run_rows(windrow, NUMBERS)
    assert job.exit == 1
    assert "holds no row" in job.text


# C660
def test_rows_are_for_scripts(windrow: Windrow) -> None:
    put(windrow, "a.jsonl", lines(1))
    job = windrow.command("run", "cat", "--as", "jsonl", "--input", "in", "--output", "out")
    assert job.exit == 2
    assert "--as: is only for Python scripts" in job.text


# C660 C662
def test_the_example_keeps_every_request(windrow: Windrow) -> None:
    folder = windrow.folder / "example"
    shutil.copytree(ROOT / "examples/openai-batch", folder)
    made = subprocess.run(
        [sys.executable, "make_requests.py", "300"], cwd=folder, capture_output=True, check=True
    )
    (folder / "requests.jsonl").write_bytes(made.stdout)
    with subprocess.Popen(
        [sys.executable, "stand_in.py", "0"], cwd=folder, stdout=subprocess.PIPE, text=True
    ) as stand_in:
        assert stand_in.stdout is not None
        server = stand_in.stdout.readline().strip()
        job = windrow.command("run", str(folder / "job.yml"), "--", "--server", server)
        stand_in.terminate()
    assert job.exit == 0, job
    results = [json.loads(line) for line in (folder / "out/output.jsonl").read_text().splitlines()]
    errors = [json.loads(line) for line in (folder / "out/errors.jsonl").read_text().splitlines()]
    good = [n for n in range(300) if n % 50 != 49]
    assert [one["custom_id"] for one in results] == [f"request-{n}" for n in good]
    said = [one["response"]["body"]["choices"][0]["message"]["content"] for one in results]
    assert said == [f"SAY {n}" for n in good]
    assert [one["custom_id"] for one in errors] == [f"request-{n}" for n in range(49, 300, 50)]
    assert {one["error"]["code"] for one in errors} == {"400"}
    letters = sorted(letter["custom_id"] for letter in job.failed_items())
    assert letters == sorted(one["custom_id"] for one in errors)
