# SPDX-License-Identifier: Apache-2.0
"""Jobs that explain themselves, from their folder alone."""

from __future__ import annotations

import json
from pathlib import Path

from workbench import SLOW_NAMES, Windrow, until


# C620 C621
def test_a_running_and_a_killed_job_say_where_they_are(windrow: Windrow) -> None:
    running = windrow.start(SLOW_NAMES, files=400, size=1, name="long")
    until(
        lambda: (
            "1 of" in windrow.command("explain", "long").text
            or "are done" in windrow.command("explain", "long").text
        ),
        "something is done",
    )
    said = windrow.command("explain", "long")
    assert said.exit == 0
    assert "Job long is running: it began" in said.text
    assert "with a worker or wait for one" in said.text
    assert "it waits behind" in windrow.command("explain", "long", "399").text
    running.kill()
    said = windrow.command("explain", "long")
    assert "Job long is not over" in said.text
    assert "`windrow job resume long` continues" in said.text


# C621
def test_each_attempt_is_told_and_programs_get_json(windrow: Windrow) -> None:
    script = (
        "def run(b, c):\n    if c.retry_count < 1:\n        raise ValueError('later')\n    return b"
    )
    windrow.run(script, files=2, size=1, name="twice")
    said = windrow.command("explain", "twice", "1", "-o", "json")
    sentences = json.loads(said.text)["sentences"]
    assert "ValueError: later; charged as try 1." in sentences[1]
    assert "run() returned 1 result; 1 item succeeded." in sentences[2]
    assert sentences[3] == "It is committed: 1 of 1 item succeeded."


# C622
def test_a_replay_has_everything_but_the_outputs_of_the_job(windrow: Windrow) -> None:
    script = (
        "import os, sys\n"
        "def run(b, c):\n"
        "    print('seen', c.minibatch_index, sys.argv[1:3], os.environ['COLOUR'])\n"
        "    open(os.path.join(os.environ['AZUREML_BI_OUTPUT_PATH'], 'side'), 'a').write('x')\n"
        "    return b\n"
    )
    windrow.script(script)
    keys = {"environment_variables": {"COLOUR": "red"}, "mini_batch_size": "2"}
    keys["task"] = {
        "entry_script": "score.py",
        "append_row_to": "${{outputs.rows}}",
        "program_arguments": "--size 3",
    }
    job = windrow.run(None, files=6, keys=keys, name="first")
    assert job.exit == 0, job
    before = {path: path.stat().st_mtime_ns for path in windrow.folder.glob("out/*")}
    again = windrow.command("replay", "first", "2")
    assert again.exit == 0, again
    assert "seen 2 ['--size', '3'] red" in again.text
    assert "mini-batch 2: 2 items, 2 results" in again.text
    rows = Path(again.text.split("rows are in ")[1].split("\n")[0])
    assert rows.read_text() == "".join(f"{row}\n" for row in job.rows()[4:])
    assert {path: path.stat().st_mtime_ns for path in windrow.folder.glob("out/*")} == before
    assert len(job.attempts()) == 3


# C623
def test_a_report_accounts_for_the_time_of_all_workers(windrow: Windrow) -> None:
    windrow.run(SLOW_NAMES, files=40, size=1, name="some")
    text = windrow.command("report", "some").text
    assert "on 2 workers, 40 attempts" in text
    account = json.loads(windrow.command("report", "some", "-o", "json").text)
    assert account["workers"] == 2 and account["attempts_lost"] == 0
    seconds = account["worker_seconds"]
    assert seconds["useful"] >= 40 * 0.02
    assert abs(sum(seconds.values()) - 2 * account["seconds"]) < 0.01
    page = windrow.folder / "page.html"
    assert windrow.command("report", "some", "--html", str(page)).exit == 0
    assert page.read_text().count('class="useful"') > 1


# C909
def test_workers_that_had_nothing_to_do_are_in_the_report(windrow: Windrow) -> None:
    windrow.run(SLOW_NAMES, files=1, size=1, workers=6, name="one")
    account = json.loads(windrow.command("report", "one", "-o", "json").text)
    assert account["workers"] == 6
    assert abs(sum(account["worker_seconds"].values()) - 6 * account["seconds"]) < 0.01


# C912 C913
def test_a_running_job_says_what_its_workers_are_at(windrow: Windrow) -> None:
    script = "import time\ndef run(b):\n    time.sleep(60)\n    return b\n"
    running = windrow.start(script, files=6, size=1, workers=1, name="slow")
    until(
        lambda: "has been at mini-batch 0 since" in windrow.command("explain", "slow").text,
        "it runs",
    )
    assert (
        "process000 has been working on it since 20" in windrow.command("explain", "slow", "0").text
    )
    said = json.loads(windrow.command("explain", "slow", "5", "-o", "json").text)
    assert (said["status"], said["exit_code"]) == ("Running", 0)
    assert "it waits behind 5 mini-batches" in said["sentences"][-1]
    running.kill()
    account = json.loads(windrow.command("report", "slow", "-o", "json").text)
    assert (account["status"], account["exit_code"]) == ("Stopped", 0)


# C621
def test_a_mini_batch_that_is_not_there_is_refused(windrow: Windrow) -> None:
    windrow.run(files=2, size=1, name="two")
    said = windrow.command("explain", "two", "2")
    assert said.exit == 3
    assert "job two has no mini-batch 2: they are numbered from 0 to 1" in said.text
    assert windrow.command("explain", "nothing").exit == 3


# C623 C621
def test_the_memory_of_a_mini_batch_is_its_own(windrow: Windrow) -> None:
    """The second one is large; those after it run in the same worker and are small again."""
    script = """
import time

def run(mini_batch, context):
    held = bytearray(b"x" * (200 << 20)) if context.minibatch_index == 1 else None
    time.sleep(0.02)
    return mini_batch
"""
    windrow.run(script, files=5, size=1, workers=1, name="one")
    found = json.loads(windrow.command("report", "one", "-o", "json").text)
    peaks = {one["mini_batch"]: one["bytes"] for one in found["hungriest"]}
    assert set(peaks) == set(range(5))
    assert found["hungriest"][0]["mini_batch"] == 1
    assert found["memory_peak"] == peaks[1] > 200 << 20
    assert all(peaks[batch] < 150 << 20 for batch in (0, 3, 4))
    text = windrow.command("report", "one").text
    assert "Most memory of a worker\n  mini-batch 1 " in text
    assert " MB): run() returned" in windrow.command("explain", "one", "1").text
