# SPDX-License-Identifier: Apache-2.0
"""What run() returns, and what stands in the result."""

from __future__ import annotations

import pytest
from workbench import NAMES, Windrow, numbered


def returning(expression: str, imports: str = "") -> str:
    return f"{imports}\ndef run(mini_batch):\n    return {expression}\n"


# C17 C18
@pytest.mark.parametrize(
    ("expression", "imports", "rows"),
    [
        ("['x', 3, [1, 2]]", "", ["x", "3", "[1, 2]"]),
        ("('x', 3, [1, 2])", "", ["x", "3", "[1, 2]"]),
        ("[{'a': 1}, None, 2.50]", "", ["{'a': 1}", "None", "2.5"]),
        ("numpy.array([1, 2, 3])", "import numpy", ["1", "2", "3"]),
        ("numpy.array([[1, 2], [3, 4], [5, 6]])", "import numpy", ["[1 2]", "[3 4]", "[5 6]"]),
        ("pandas.Series(['a b', 2, None])", "import pandas", ["a b", "2", "None"]),
        ("['é', '漢', '\\u2028']", "", ["é", "漢", "\u2028"]),
    ],
    ids=["list", "tuple", "odd elements", "array", "matrix", "series", "unicode"],
)
def test_each_element_becomes_the_text_that_str_makes_of_it(
    windrow: Windrow, expression: str, imports: str, rows: list[str]
) -> None:
    job = windrow.run(returning(expression, imports), files=3)
    assert job.exit == 0
    assert job.rows() == rows


# C17 C19
def test_a_frame_becomes_lines_with_spaces_between_quoted_where_needed(windrow: Windrow) -> None:
    frame = 'pandas.DataFrame([(1, "a b", 2.5), (2, None, 0.1)], index=[7, 9])'
    job = windrow.run(returning(frame, "import pandas"), files=2)
    assert job.exit == 0
    assert job.bytes() == b'1 "a b" 2.5\n2  0.1\n'


# C17 C29
@pytest.mark.parametrize(
    "expression",
    ["None", "'abc'", "(x for x in mini_batch)", "{'a': 1}", "7", "b'abc'", "{1, 2}"],
)
def test_any_other_type_fails_the_attempt(windrow: Windrow, expression: str) -> None:
    job = windrow.run(returning(expression), files=2, retries=0)
    assert job.exit == 1
    assert job.statuses() == ["RUN_WRONG_TYPE"]
    assert "TypeError: run() returned" in job.text
    assert len(job.failed_items()) == 2


# C22
def test_more_results_than_items_are_all_written_and_warned_about_once(windrow: Windrow) -> None:
    job = windrow.run(returning("list(range(7))"), files=10, size=5)
    assert job.exit == 0
    assert job.rows() == [str(n) for n in range(7)] * 2
    assert [(a["Succeeded"], a["Failed"]) for a in job.attempts()] == [("5", "0")] * 2
    assert job.log("azureml-logs/70_driver_log.txt").count("5 items and returned 7 results") == 1
    assert job.failed_items() == []


# C21
def test_fewer_results_than_items_are_failed_items_and_not_tried_again(windrow: Windrow) -> None:
    job = windrow.run(returning("mini_batch[:3]"), files=5, size=5)
    assert job.exit == 0
    assert len(job.rows()) == 3
    (attempt,) = job.attempts()
    assert (attempt["Status"], attempt["Succeeded"], attempt["Failed"]) == ("RUN_DONE", "3", "2")
    (item,) = job.failed_items()
    assert (item["mini_batch"], item["item"], item["missing"]) == (0, None, 2)
    assert item["error_message"] == "run() returned 3 results for 5 items"


# C25
def test_a_job_without_a_single_result_fails(windrow: Windrow) -> None:
    job = windrow.run(returning("[]"), files=4, size=2)
    assert job.exit == 1
    assert "no result" in job.text
    assert not job.result.exists()


# C26 C11
def test_without_append_row_to_only_the_number_of_results_counts(windrow: Windrow) -> None:
    job = windrow.run(
        returning("[]"),
        *("--set", "mini_batch_error_threshold=5", "--set", "mini_batch_size=1"),
        files=99,
        output=None,
        summary_only=True,
    )
    assert job.exit == 0
    assert len(job.attempts()) == 99
    assert not list(job.folder.rglob("parallel_run_step.txt"))


# C20
def test_a_line_break_inside_a_row_stays_and_is_warned_about_once(windrow: Windrow) -> None:
    job = windrow.run(returning(r"['a\nb'] * len(mini_batch)"), files=4, size=2)
    assert job.bytes() == b"a\nb\n" * 4
    assert job.log("azureml-logs/70_driver_log.txt").count("holds a line break") == 1


# C18
def test_an_empty_string_is_an_empty_line(windrow: Windrow) -> None:
    job = windrow.run(returning("['', 'x', '']"), files=3)
    assert job.bytes() == b"\nx\n\n"


# C17
def test_an_element_whose_text_cannot_be_made_fails_the_attempt(windrow: Windrow) -> None:
    script = """
class Odd:
    def __str__(self):
        raise RuntimeError("no text for you")

def run(mini_batch):
    return [Odd()]
"""
    job = windrow.run(script, files=1, retries=0)
    assert job.exit == 1
    assert "no text for you" in job.text


# C18 C23
def test_rows_of_many_megabytes_arrive_whole(windrow: Windrow) -> None:
    job = windrow.run(returning("[c * 3_000_000 for c in 'abcd']"), files=8, size=4)
    assert job.bytes() == b"".join(c * 3_000_000 + b"\n" for c in (b"a", b"b", b"c", b"d")) * 2


# C11 C23
def test_the_result_is_the_same_for_one_worker_and_for_four(windrow: Windrow) -> None:
    one = windrow.run(NAMES, files=203, size=5, workers=1, output="one")
    four = windrow.run(NAMES, size=5, workers=4, output="four")
    assert one.rows() == numbered(203)
    assert four.bytes() == one.bytes()
    assert sorted(int(a["Total"]) for a in four.attempts()) == [3] + [5] * 40


OTHER_COLUMNS = """
import pandas as pd

def run(mini_batch, context):
    names = ["b", "a"] if context.minibatch_index == 2 else ["a", "b"]
    return pd.DataFrame([[1, 2]], columns=names)
"""


# C271
def test_rows_below_the_names_of_other_columns_make_no_csv_file(windrow: Windrow) -> None:
    flags = ["--set", "append_row.format=csv", "--set", "append_row.header=true"]
    job = windrow.run(OTHER_COLUMNS, *flags, files=4, size=1)
    assert job.exit == 1, job
    assert "Failed: the rows cannot be merged: mini-batch 2 has the columns 'b,a', and " in job.text
    assert "begins with 'a,b': its rows do not fit below them" in job.text
    assert "Fix the cause, then run the same command again" in job.text
    merged = windrow.command("job", "merge", job.folder.name)
    assert merged.exit == 0, merged
    assert job.bytes() == b"a,b\n1,2\n1,2\n1,2\n1,2\n"


# C271
def test_other_columns_than_at_the_top_of_a_text_file_are_told(windrow: Windrow) -> None:
    job = windrow.run(OTHER_COLUMNS, "--set", "append_row.header=true", files=4, size=1)
    assert job.exit == 0, job
    assert "mini-batch 2 has the columns 'b a', and " in job.text
    assert job.bytes().count(b"a b") == 1
