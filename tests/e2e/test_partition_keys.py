# SPDX-License-Identifier: Apache-2.0
"""Files with the same keys in their paths are one mini-batch; MLTable files."""

from __future__ import annotations

import signal
from typing import Any

import pytest
from workbench import Job, Windrow, until

KEYS = """
import os

def run(files, context):
    names = " ".join(os.path.basename(name) for name in files)
    key = context.partition_key_value
    return [f"{key} {names}"] * len(files)
"""
FRAMES = """
def run(frame, context):
    key = context and context.partition_key_value
    return [f"{key} {list(frame.columns)} {list(row)}" for row in frame.itertuples(index=False)]
"""


def put(windrow: Windrow, name: str, text: str = "x") -> None:
    path = windrow.folder / "in" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def run_keys(windrow: Windrow, script: str, keys: Any, format: str = "", **more: Any) -> Job:
    """A job file, because a format is a key of an input."""
    windrow.script(script)
    data: dict[str, Any] = {"path": "in"}
    if format:
        data["partition_format"] = format
    content = {
        "type": "parallel",
        "inputs": {"data": data},
        "input_data": "${{inputs.data}}",
        "partition_keys": keys,
        "outputs": {"rows": {"type": "uri_file", "path": "out/rows"}},
        "task": {"entry_script": "score.py", "append_row_to": "${{outputs.rows}}"},
    } | more
    file = windrow.job_file(content)
    return windrow.command("run", str(file), "--new", result=windrow.folder / "out/rows")


def four(windrow: Windrow) -> None:
    for name in ("a/x/1.bin", "a/x/2.bin", "a/y/3.bin", "b/x/4.bin"):
        put(windrow, name)


# C680
def test_each_combination_of_values_is_one_mini_batch(windrow: Windrow) -> None:
    four(windrow)
    job = run_keys(windrow, KEYS, ["p", "q"], "{p}/{q}/{f}.bin")
    assert job.exit == 0, job
    assert list(dict.fromkeys(job.rows())) == [
        "{'p': 'a', 'q': 'x'} 1.bin 2.bin",
        "{'p': 'a', 'q': 'y'} 3.bin",
        "{'p': 'b', 'q': 'x'} 4.bin",
    ]
    assert len(job.attempts()) == 3


# C680 C682
@pytest.mark.parametrize("keys", ["p", '["p"]', "[p]", ["p"]])
def test_one_key_alone_and_every_way_to_say_it(windrow: Windrow, keys: Any) -> None:
    four(windrow)
    job = run_keys(windrow, KEYS, keys, "{p}/{q}/{f}.bin")
    assert list(dict.fromkeys(job.rows())) == [
        "{'p': 'a'} 1.bin 2.bin 3.bin",
        "{'p': 'b'} 4.bin",
    ]


# C680
def test_dates_are_dates(windrow: Windrow) -> None:
    put(windrow, "North/2020/03/01/data.csv")
    job = run_keys(windrow, KEYS, ["Day"], "/{Region}/{Day:yyyy/MM/dd}/data.csv")
    assert job.rows() == ["{'Day': datetime.datetime(2020, 3, 1, 0, 0)} data.csv"]


# C681
def test_folders_may_name_their_keys(windrow: Windrow) -> None:
    put(windrow, "shop=n%20w/day=2/a")
    put(windrow, "shop=n%20w/day=10/b")
    put(windrow, "shop=east/c")
    job = run_keys(windrow, KEYS, ["shop"])
    assert list(dict.fromkeys(job.rows())) == ["{'shop': 'east'} c", "{'shop': 'n w'} b a"]


# C682
def test_keys_win_over_a_size_and_say_so(windrow: Windrow) -> None:
    four(windrow)
    job = run_keys(windrow, KEYS, ["p"], "{p}/{q}/{f}.bin", mini_batch_size=1)
    assert job.exit == 0
    assert "has no effect: partition_keys decide what a mini-batch is" in job.text
    assert len(job.attempts()) == 2
    strict = run_keys(windrow, KEYS, ["p"], "{p}/{q}/{f}.bin", mini_batch_size=1, strict=True)
    assert strict.exit == 2


# C682
@pytest.mark.parametrize(
    ("keys", "format", "message"),
    [
        (["r"], "{p}/{q}/{f}.bin", "there is no partition key 'r'; there are p, q, f"),
        (["p"], "{p}/{q}.txt", "{p}/{q}.txt"),
        (["p"], "", "there is no partition key 'p'; there is none (partition_by goes"),
        (["p"], "{p", "{p"),
    ],
)
def test_keys_that_are_not_there_are_told(
    windrow: Windrow, keys: list[str], format: str, message: str
) -> None:
    four(windrow)
    job = run_keys(windrow, KEYS, keys, format)
    assert job.exit != 0
    assert message in job.text


# C683
def test_the_rows_of_a_key_are_one_frame(windrow: Windrow) -> None:
    put(windrow, "k=a/1.csv", "n,m\n1,2\n")
    put(windrow, "k=b/2.csv", "n,m\n3,4\n")
    put(windrow, "k=a/3.csv", "n,m\n5,6\n")
    job = run_keys(windrow, FRAMES, ["k"], input_as="table")
    assert job.exit == 0, job
    assert job.rows() == [
        "{'k': 'a'} ['n', 'm', 'k'] [1, 2, 'a']",
        "{'k': 'a'} ['n', 'm', 'k'] [5, 6, 'a']",
        "{'k': 'b'} ['n', 'm', 'k'] [3, 4, 'b']",
    ]
    assert "3 succeeded" in job.text


def mltable(windrow: Windrow, steps: str, paths: str = "- pattern: ./*.csv") -> None:
    put(windrow, "MLTable", f"type: mltable\npaths:\n  {paths}\ntransformations:\n{steps}")


def run_mltable(windrow: Windrow, script: str, **more: Any) -> Job:
    mode = more.pop("mode", "direct")
    inputs = {"data": {"type": "mltable", "path": "in", "mode": mode}}
    more["inputs"] = inputs
    return run_keys(windrow, script, more.pop("keys", []), **more)


VALUES = """
def run(frame):
    return [" ".join(map(str, row)) for row in frame.itertuples(index=False)]
"""


# C684
def test_an_mltable_file_says_how_its_files_are_read(windrow: Windrow) -> None:
    put(windrow, "a.csv", "n;flag;day\n1;0;2020-01-01\n2;1;2020-01-02\n3;1;2020-01-03\n")
    mltable(
        windrow,
        "  - read_delimited: {delimiter: ';'}\n  - filter: col(\"n\") > 1\n  - drop_columns: day\n",
    )
    job = run_mltable(windrow, VALUES)
    assert job.exit == 0, job
    assert job.rows() == ["2 True", "3 True"]
    assert "2 succeeded, 0 failed" in job.text


# C684
@pytest.mark.parametrize("mode", ["eval_mount", "ro_mount", "direct"])
def test_without_a_read_step_or_with_another_mode_it_is_a_list_of_files(
    windrow: Windrow, mode: str
) -> None:
    put(windrow, "a.csv", "n\n1\n")
    put(windrow, "b.csv", "n\n1\n")
    put(windrow, "c.txt")
    mltable(windrow, "  - read_delimited: {delimiter: ','}\n" if mode != "direct" else "  []\n")
    script = "import os\ndef run(files):\n    return [os.path.basename(f) for f in files]\n"
    job = run_mltable(windrow, script, mode=mode)
    assert job.exit == 0, job
    assert job.rows() == ["a.csv", "b.csv"]


# C684
@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ("  - read_delimitd: {}\n", "MLTable:5:"),
        ("  - read_delta_lake: {}\n", "read_delta_lake"),
        ("  - read_delimited: {delimitr: x}\n", "did you mean 'delimiter'?"),
        ("  - read_delimited: {}\n  - take: -1\n", "MLTable:6:"),
        ("  - read_delimited: {}\n  - tak: 1\n", "MLTable:6:"),
    ],
)
def test_mistakes_in_an_mltable_file_are_told_before_anything_starts(
    windrow: Windrow, steps: str, message: str
) -> None:
    put(windrow, "a.csv", "n\n1\n")
    mltable(windrow, steps)
    job = run_mltable(windrow, VALUES)
    assert job.exit == 2
    assert message in job.text


# C685
def test_a_table_that_stays_whole_is_not_bisected(windrow: Windrow) -> None:
    for name in ("a.csv", "b.csv"):
        put(windrow, name, "n\n1\n2\n3\n")
    mltable(windrow, "  - read_delimited: {}\n  - filter: col('n') > 1\n  - take: 3\n")
    assert run_mltable(windrow, VALUES).exit == 0
    job = run_mltable(windrow, VALUES, bisect_failed=True)
    assert job.exit == 2
    assert "bisect_failed cannot cut that" in job.text


# C684
def test_a_folder_without_its_file_is_told(windrow: Windrow) -> None:
    put(windrow, "a.csv", "n\n1\n")
    job = run_mltable(windrow, VALUES)
    assert job.exit == 2
    assert "has type mltable, and there is no file" in job.text


# C684
def test_a_job_does_not_go_on_with_another_mltable_file(windrow: Windrow) -> None:
    put(windrow, "a.csv", "n\n" + "".join(f"{n}\n" for n in range(40)))
    mltable(windrow, "  - read_delimited: {delimiter: ','}\n")
    calm = windrow.folder / "calm"
    script = (
        "import os, time\n"
        "def run(frame):\n"
        f"    open({str(windrow.folder / 'begun')!r}, 'a').write('x\\n')\n"
        f"    while frame['n'].max() > 5 and not os.path.exists({str(calm)!r}):\n"
        "        time.sleep(0.01)\n"
        "    return list(frame['n'])\n"
    )
    windrow.script(script)
    content = {
        "type": "parallel",
        "name": "held",
        "inputs": {"data": {"type": "mltable", "path": "in", "mode": "direct"}},
        "input_data": "${{inputs.data}}",
        "mini_batch_size": "3 rows",
        "outputs": {"rows": {"type": "uri_file", "path": "out/rows"}},
        "task": {"entry_script": "score.py", "append_row_to": "${{outputs.rows}}"},
    }
    running = windrow.begin("run", str(windrow.job_file(content)))
    until(lambda: windrow.count("begun") >= 3, "three mini-batches begun")
    running.signal(signal.SIGKILL)
    running.end()
    calm.touch()
    mltable(windrow, "  - read_delimited: {delimiter: ','}\n  - filter: col(\"n\") > 100\n")
    changed = windrow.command("job", "resume", "held")
    assert changed.exit != 0
    assert "how its tables are read has changed" in changed.text
    mltable(windrow, "  - read_delimited: {delimiter: ','}\n")
    again = windrow.command("job", "resume", "held", result=windrow.folder / "out/rows")
    assert again.exit == 0, again
    assert again.rows() == [str(n) for n in range(40)]


# C685
@pytest.mark.parametrize("size", ["1 rows", "7 rows", "100b", "1MB"])
@pytest.mark.parametrize(
    ("steps", "numbers"),
    [
        ("  - skip: 5\n  - take: 10\n", [*range(5, 15)]),
        ('  - filter: col("n") > 20\n  - take: 3\n', [21, 22, 23]),
    ],
)
def test_steps_that_count_rows_do_not_depend_on_the_cut(
    windrow: Windrow, size: str, steps: str, numbers: list[int]
) -> None:
    put(windrow, "a.csv", "n\n" + "".join(f"{n}\n" for n in range(12)))
    put(windrow, "b.csv", "n\n" + "".join(f"{n}\n" for n in range(12, 40)))
    mltable(windrow, "  - read_delimited: {delimiter: ','}\n" + steps)
    job = run_mltable(windrow, VALUES, mini_batch_size=size)
    assert job.exit == 0, job
    assert job.rows() == [str(n) for n in numbers]


# C685
def test_a_sample_is_the_same_however_the_table_is_cut(windrow: Windrow) -> None:
    put(windrow, "a.csv", "n\n" + "".join(f"{n}\n" for n in range(400)))
    step = "  - take_random_sample: {probability: 0.25, seed: 7}\n"
    mltable(windrow, "  - read_delimited: {delimiter: ','}\n" + step)
    few = run_mltable(windrow, VALUES, mini_batch_size="17 rows").rows()
    one = run_mltable(windrow, VALUES, output_exists="overwrite").rows()
    assert few == one
    assert 50 < len(one) < 150


# C681 C684
def test_keys_of_an_mltable_file(windrow: Windrow) -> None:
    put(windrow, "a/1.csv", "n\n1\n")
    put(windrow, "b/2.csv", "n\n2\n")
    put(windrow, "a/3.csv", "n\n3\n")
    mltable(
        windrow,
        "  - read_delimited: {delimiter: ','}\n"
        "  - extract_columns_from_partition_format: {partition_format: '/{k}/{f}.csv'}\n",
        paths="- pattern: ./**/*.csv",
    )
    job = run_mltable(windrow, FRAMES, keys=["k"])
    assert job.exit == 0, job
    assert [row.split("} ")[0] for row in job.rows()] == ["{'k': 'a'", "{'k': 'a'", "{'k': 'b'"]
    assert len(job.attempts()) == 2
