# SPDX-License-Identifier: Apache-2.0
"""`windrow plan` tells what a run would do, and the run then does it."""

from __future__ import annotations

import json
from pathlib import Path

from workbench import NAMES, SLOW_NAMES, Windrow, until


def tree(folder: Path) -> dict[str, float]:
    """Every file and its time, but for what the test keeps of the commands."""
    kept = [path for path in sorted(folder.rglob("*")) if not path.name.startswith("said.")]
    return {str(path): path.stat().st_mtime for path in kept}


def test_a_plan_counts_files_and_mini_batches_and_leaves_no_trace(windrow: Windrow) -> None:
    # C118
    windrow.script(NAMES)
    windrow.files(23)
    windrow.files(["x/1", "x/2", "y.tmp"], "more")
    before = tree(windrow.folder)
    flags = ["score.py", "--input", "in", "--input", "more", "--mini-batch-size", "5"]
    flags += ["--workers", "3", "--output", "out", "--set", "inputs.data2.ignore=*.tmp"]
    planned = windrow.command("plan", *flags, "-o", "json")
    assert planned.exit == 0, planned
    plan = json.loads(planned.text)
    assert [one["files"] for one in plan["inputs"]] == [23, 2]
    assert plan["mini_batches"] == 6
    assert plan["mini_batch_sizes"] == [
        {"files": 2, "mini_batches": 1},
        {"files": 3, "mini_batches": 1},
        {"files": 5, "mini_batches": 4},
    ]
    assert plan["workers"]["count"] == 3
    assert plan["targets"][0].endswith("/out/parallel_run_step.txt")
    assert plan["settings"]["mini_batch_size"] == {"value": "5", "origin": "--mini-batch-size"}
    text = windrow.command("plan", *flags).text
    assert "6: 4 with 5 files, 1 with 3 files, 1 with 2 files" in text
    assert "max_concurrency_per_instance: 3  # from --workers" in text
    assert tree(windrow.folder) == before, "nothing was written"
    result = windrow.folder / "out/parallel_run_step.txt"
    job = windrow.command("run", *flags, result=result)
    assert job.exit == 0, job
    assert len(job.attempts()) == plan["mini_batches"]


# C118
def test_a_plan_shows_the_main_settings_and_what_was_said_and_with_v_all(windrow: Windrow) -> None:
    windrow.script(NAMES)
    windrow.files(3)
    flags = ["plan", "score.py", "--input", "in", "--set", "retry_settings.delay=5"]
    text = windrow.command(*flags).text
    settings = [line for line in text.splitlines() if "  # from " in line]
    assert "mini_batch_size: 10  # from default" in settings
    assert "retry_settings.timeout: 60  # from default" in settings
    assert "retry_settings.delay: 5  # from --set retry_settings.delay=5" in settings
    assert len(settings) <= 10
    assert "-v shows all" in text
    everything = windrow.command(*flags, "-v").text
    assert "gpus_per_worker: 1  # from default" in everything
    assert "-v shows all" not in everything


# C118
def test_a_setting_that_is_seldom_used_is_in_the_document_for_programs(windrow: Windrow) -> None:
    windrow.script(NAMES)
    windrow.files(3)
    planned = windrow.command("plan", "score.py", "--input", "in", "-o", "json")
    assert json.loads(planned.text)["settings"]["gpus_per_worker"]["value"] == 1


def test_a_plan_refuses_what_a_run_refuses(windrow: Windrow) -> None:
    # C118
    windrow.script(NAMES)
    windrow.files(3)
    missing = windrow.command("plan", "score.py", "--input", "nowhere")
    assert (missing.exit, "there is no input" in missing.text) == (2, True), missing
    nothing = windrow.command("plan", "nothing.py", "--input", "in")
    assert (nothing.exit, "there is no script" in nothing.text) == (2, True), nothing
    wrong = windrow.command("plan", "score.py", "--input", "in", "--nice", "21")
    assert (wrong.exit, wrong.text) == (
        2,
        "--nice: 21 is out of range; allowed is 0 to 20\n",
    )


# C118
def test_a_plan_of_a_command_says_its_mode_and_where_its_words_stand(windrow: Windrow) -> None:
    windrow.files(3)
    task = {"command": "cat -n", "command_mode": "filter"}
    windrow.job_file(
        {
            "type": "parallel",
            "inputs": {"data": {"path": "in"}},
            "input_data": "${{inputs.data}}",
            "task": task,
        }
    )
    text = windrow.command("plan", "job.yml").text
    assert "task.command_mode: filter  # from job.yml:" in text
    assert 'task.program_arguments: "-n"  # from job.yml:' in text
    both = windrow.command("plan", "job.yml", "--", "-E").text
    assert 'task.program_arguments: "-n -E"  # from job.yml:' in both
    assert " and arguments after --\n" in both
    document = json.loads(windrow.command("plan", "job.yml", "-o", "json").text)
    assert document["settings"]["task.program_arguments"]["origin"].startswith("job.yml:")


# C118, C62
def test_a_plan_takes_the_new_that_it_speaks_of(windrow: Windrow) -> None:
    running = windrow.start(SLOW_NAMES, files=200, size=1, workers=1)
    until(lambda: "job " in running.text, "the job has begun")
    job = running.kill()
    flags = ["plan", "score.py", "--input", "in", "--output", "out", "--mini-batch-size", "1"]
    plan = windrow.command(*flags).text
    assert f"continuing job {job.name}" in plan
    assert "--new starts over" in plan
    afresh = windrow.command(*flags, "--new")
    assert afresh.exit == 0, afresh
    assert "a new one, with a generated name" in afresh.text
    assert "continuing" not in afresh.text
