# SPDX-License-Identifier: Apache-2.0
"""Mini-batches that are halved until their bad items stand alone."""

from __future__ import annotations

import json
import math
import random

import pytest
from workbench import Job, Windrow, numbered, until

# A bad item says in its name how it is bad.
POISON = """
import os, signal, time

def run(mini_batch):
    names = [os.path.basename(path) for path in mini_batch]
    for name in names:
        if name.endswith("raises"):
            raise ValueError(f"{name} is bad")
        if name.endswith("kills"):
            os.kill(os.getpid(), signal.SIGSEGV)
        if name.endswith("hangs"):
            time.sleep(600)
    return names
"""


def with_bad(count: int, bad: dict[int, str]) -> list[str]:
    return [name + bad.get(number, "") for number, name in enumerate(numbered(count))]


def good(names: list[str]) -> list[str]:
    return [name for name in names if name[-1].isdigit()]


def bad_items(job: Job) -> list[str]:
    return [item["item"].rpartition("/")[2] for item in job.failed_items()]


# C600 C606
@pytest.mark.parametrize("kind", ["raises", "kills", "hangs"])
def test_one_bad_item_costs_no_good_one(windrow: Windrow, kind: str) -> None:
    names = with_bad(20, {13: kind})
    job = windrow.run(POISON, "--bisect", files=names, size=10, retries=0, timeout=0.5)
    assert job.exit == 0
    assert job.rows() == good(names)
    assert bad_items(job) == [names[13]]
    letter = job.failed_items()[0]
    assert letter["mini_batch"] == 1
    expected = {"raises": "ValueError", "kills": "ProcessDied", "hangs": "TimeoutError"}
    assert letter["error_type"] == expected[kind]
    if kind == "raises":
        assert letter["error_message"] == f"{names[13]} is bad"
        assert "in run" in letter["traceback"]
    assert len(job.attempts(1)) - 1 <= 2 * math.log2(10) + 1
    assert "19 succeeded, 1 failed" in job.text
    assert "bad items     1 item failed alone" in job.text
    assert "missing" not in job.text
    assert f"Run the bad items again: windrow retry {job.name}" in job.text


# C606
def test_each_piece_is_a_line_of_the_report_with_its_items(windrow: Windrow) -> None:
    names = with_bad(4, {0: "raises"})
    job = windrow.run(POISON, "--bisect", files=names, size=4, retries=1)
    lines = job.attempts(0)
    items = [json.loads(line["Mini-batch Detail"])["minibatch"] for line in lines]
    assert items == [names, names, names[:2], names[:1], names[1:2], names[2:]]
    assert [line["Status"] for line in lines[:4]] == ["RUN_EXCEPTION"] * 4
    assert [line["Total"] for line in lines] == ["4", "4", "2", "1", "1", "2"]
    assert job.rows() == names[1:]


# C603
def test_without_it_the_good_ones_fail_too(windrow: Windrow) -> None:
    job = windrow.run(POISON, files=with_bad(20, {13: "raises"}), size=10, retries=0)
    assert len(job.failed_items()) == 10


# C602
@pytest.mark.parametrize(("allowed", "code"), [(2, 0), (1, 1)])
def test_the_threshold_counts_bad_items(windrow: Windrow, allowed: int, code: int) -> None:
    names = with_bad(40, {3: "raises", 33: "kills"})
    job = windrow.run(POISON, "--bisect", files=names, size=20, retries=0, threshold=allowed)
    assert job.exit == code, job


# C600 C601
def test_one_percent_of_poison_of_every_kind(windrow: Windrow) -> None:
    chosen = random.Random(5).sample(range(600), 6)
    bad = {number: ("raises", "kills", "hangs")[i % 3] for i, number in enumerate(chosen)}
    names = with_bad(600, bad)
    job = windrow.run(POISON, "--bisect", files=names, size=50, retries=0, timeout=0.3)
    assert job.exit == 0
    assert job.rows() == good(names)
    assert sorted(bad_items(job)) == sorted(names[number] for number in chosen)
    extra = len(job.attempts()) - 600 // 50
    assert extra <= len(bad) * (2 * math.log2(50) + 1)


# C604
def test_a_killed_engine_goes_on_with_the_pieces(windrow: Windrow) -> None:
    names = with_bad(64, {17: "raises", 40: "raises"})
    undisturbed = windrow.run(POISON, "--bisect", files=names, size=32, retries=0, output="all")
    noted = f"    print(1, file=open('{windrow.folder}/done', 'a'))\n    time.sleep(0.05)\n"
    windrow.script(POISON.replace("    return names", noted + "    return names"))
    running = windrow.start(None, "--bisect", size=32, retries=0, name="cut")
    until(lambda: windrow.count("done") > 3, "some pieces are done")
    running.kill()
    job = windrow.run(None, "--bisect", size=32, retries=0, name="cut")
    assert job.exit == 0
    assert "continuing" in job.text
    assert job.bytes() == undisturbed.bytes()


# C605
def test_retry_runs_the_bad_ones_and_keeps_the_others(windrow: Windrow) -> None:
    names = with_bad(20, {13: "raises", 17: "raises"})
    windrow.run(POISON, "--bisect", files=names, size=10, retries=0, name="first")
    windrow.script(POISON.replace("raises", "is mended"))
    job = windrow.command("retry", "first")
    assert job.exit == 0, job
    result = job.folder / "outputs/output/parallel_run_step.txt"
    assert result.read_text().split() == names
    tried = [json.loads(line["Mini-batch Detail"])["minibatch"] for line in job.attempts()]
    assert tried[-2:] == [[names[13]], [names[17]]]


# C607
def test_dead_letters_are_an_input(windrow: Windrow) -> None:
    names = with_bad(20, {13: "raises", 4: "raises"})
    first = windrow.run(POISON, "--bisect", files=names, size=10, retries=0)
    letters = first.folder / "logs/failed_items.jsonl"
    windrow.script("import os\ndef run(b):\n    return [os.path.basename(p) for p in b]")
    job = windrow.run(None, input=f"@{letters}", output="again", name="again")
    assert job.exit == 0
    assert sorted(job.rows()) == [names[4], names[13]]


# C607
def test_a_list_that_is_no_dead_letters_is_refused_with_its_line(windrow: Windrow) -> None:
    (windrow.folder / "list.jsonl").write_text('{"item": null, "missing": 3}\n/in/f0001\n')
    job = windrow.run(files=3, input="@list.jsonl")
    assert job.exit == 2
    assert 'list.jsonl: line 2 has no path under "item"' in job.text
