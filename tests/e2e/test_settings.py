# SPDX-License-Identifier: Apache-2.0
"""Settings: where they may stand, what comes of them, and what says so."""

from __future__ import annotations

import json
import resource
import subprocess
import time
from typing import Any

from workbench import BINARY, NAMES, ROOT, Windrow

ARGUMENTS = """
import sys

def run(mini_batch):
    return [" ".join(sys.argv[1:]) for _ in mini_batch]
"""


def plain_file(windrow: Windrow, **more: Any) -> dict[str, Any]:
    windrow.files(4)
    return {
        "type": "parallel",
        "inputs": {"data": {"path": "in"}},
        "input_data": "${{inputs.data}}",
        "outputs": {"rows": {"type": "uri_file", "path": "rows.txt"}},
        "task": {"entry_script": "score.py", "append_row_to": "${{outputs.rows}}"},
    } | more


def test_settings_among_the_arguments_are_used_and_seen_by_the_script(windrow: Windrow) -> None:
    # C106, C107, C110, C111
    windrow.script(ARGUMENTS)
    said = "--error_threshold 2.5 --nice=3 --resource_monitor_interva 20"
    content = plain_file(windrow, error_threshold=9)
    content["task"]["program_arguments"] = said
    windrow.job_file(content)
    rows = windrow.folder / "rows.txt"
    job = windrow.command("run", "job.yml", "--max-retries", "1", result=rows)
    assert job.exit == 0, job
    assert job.rows() == [said + " --logging_level INFO"] * 4
    assert "did you mean --resource_monitor_interval?" in job.text
    assert "--error_threshold among the arguments takes its place" in job.text
    config = json.loads(job.log("logs/sys/effective_config.json"))
    assert config["error_threshold"]["value"] == 3
    assert config["error_threshold"]["origin"].startswith("--error_threshold in job.yml:")
    assert config["nice"]["value"] == 3
    assert config["retry_settings.max_retries"] == {"value": 1, "origin": "--max-retries"}
    assert config["retry_settings.timeout"] == {"value": 60, "origin": "default"}
    driver = (job.folder / "azureml-logs/70_driver_log.txt").read_text()
    assert "max_retries: 1  # from --max-retries" in driver


def test_a_v1_configuration_runs_with_input_and_output(windrow: Windrow) -> None:
    # C112
    windrow.script(NAMES, "src/digit.py")
    windrow.files(7)
    config = {
        "parallel_run_config": {
            "entry_script": "digit.py",
            "source_directory": "src",
            "error_threshold": 10,
            "output_action": "append_row",
            "append_row_file_name": "digits.txt",
            "compute_target_name": "cpu-cluster",
            "node_count": 4,
            "process_count_per_node": 2,
            "mini_batch_size": "3",
            "run_max_try": 1,
        }
    }
    windrow.job_file(config, "parallel_run_config.yml")
    result = windrow.folder / "out/digits.txt"
    job = windrow.command(
        "run", "parallel_run_config.yml", "--input", "in", "--output", "out", result=result
    )
    assert job.exit == 0, job
    assert len(job.rows()) == 7
    assert "node_count: 4 nodes are asked for; this machine is the only one" in job.text
    assert len(job.attempts()) == 3


def test_a_failure_by_allowed_failed_count_is_named_so(windrow: Windrow) -> None:
    # C971
    windrow.script("def run(mini_batch):\n    raise ValueError('bad')")
    windrow.files(2)
    config = {
        "entry_script": "score.py",
        "error_threshold": -1,
        "output_action": "append_row",
        "compute_target_name": "cpu-cluster",
        "node_count": 1,
        "mini_batch_size": "1",
        "run_max_try": 1,
        "allowed_failed_count": 0,
    }
    windrow.job_file({"parallel_run_config": config}, "prc.yml")
    command = ["run", "prc.yml", "--input", "in", "--output", "out", "--name", "counted"]
    job = windrow.command(*command)
    assert job.exit == 1
    assert "more than allowed_failed_count 0 allows" in job.text
    again = windrow.command("job", "resume", "counted", "--changed-code")
    assert again.exit == 1
    assert "more than allowed_failed_count 0 allows" in again.text


def test_a_setting_that_only_v2_has_can_be_said_beside_a_v1_file(windrow: Windrow) -> None:
    # C112, C74
    windrow.script(NAMES)
    windrow.files(7)
    config = {
        "entry_script": "score.py",
        "error_threshold": 10,
        "output_action": "append_row",
        "compute_target_name": "cpu-cluster",
        "node_count": 1,
    }
    windrow.job_file({"parallel_run_config": config}, "prc.yml")
    result = windrow.folder / "out/parallel_run_step.txt"
    result.parent.mkdir()
    result.write_text("old\n")
    command = ["run", "prc.yml", "--input", "in", "--output", "out"]
    refused = windrow.command(*command)
    assert refused.exit == 2
    assert "replace it with --set output_exists=overwrite" in refused.text
    sets = ["output_exists=overwrite", "mini_batch_size=4", "parallel_run_config.run_max_try=1"]
    said = [word for one in sets for word in ("--set", one)]
    job = windrow.command(*command, *said, result=result)
    assert job.exit == 0, job
    assert len(job.rows()) == 7
    config = json.loads(job.log("logs/sys/effective_config.json"))
    assert config["mini_batch_size"]["value"] == "4"
    assert config["retry_settings.max_retries"]["value"] == 0
    wrong = windrow.command(*command, "--set", "output_exist=overwrite")
    assert wrong.exit == 2
    assert "did you mean 'output_exists'?" in wrong.text


def test_validate_says_all_problems_and_runs_nothing(windrow: Windrow) -> None:
    # C115, C73
    windrow.script(NAMES)
    windrow.files(1)
    windrow.job_file(plain_file(windrow))
    good = windrow.command("validate", "job.yml")
    assert (good.exit, good.text) == (0, "job.yml is valid\n")
    windrow.job_file(plain_file(windrow, nice=21, gpu_surplus="some", mini_batch_sise=3))
    bad = windrow.command("validate", "job.yml")
    assert bad.exit == 2
    assert len(bad.text.splitlines()) == 3
    assert "did you mean 'mini_batch_size'?" in bad.text
    assert windrow.job_folders() == []


def test_the_manual_has_the_table_of_the_program(windrow: Windrow) -> None:
    # C116
    table = windrow.command("help", "settings", "-o", "markdown").text
    assert table in (ROOT / "docs/manual/settings.md").read_text(), (
        "docs/manual/settings.md is old: `windrow help settings -o markdown` gives its table"
    )
    rows = json.loads(windrow.command("help", "settings", "-o", "json").text)
    text = windrow.command("help", "settings").text
    assert len(rows) > 80
    for row in rows:
        assert f"\n{row['key']}\n" in text
        assert row["allowed"] and row["meaning"]
    assert "argument: --run_invocation_timeout, --score_run_timeout" in text


def test_a_file_that_grows_by_its_aliases_is_refused_quickly_and_cheaply(windrow: Windrow) -> None:
    # C117
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    for level in range(1, 12):
        lines.append(f"a{level}: &a{level} [" + ", ".join([f"*a{level - 1}"] * 9) + "]")
    windrow.job_file("\n".join(lines) + "\n", "bomb.yml")
    large = "tags:\n" + "".join(f"  tag_{n}: {'x' * 80}\n" for n in range(10000))
    windrow.job_file("type: parallel\n" + large, "large.yml")

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (50 << 20, 50 << 20))

    for name, says in [("bomb.yml", "aliases"), ("large.yml", "task is missing")]:
        begin = time.monotonic()
        done = subprocess.run(
            [BINARY, "validate", name],
            cwd=windrow.folder,
            capture_output=True,
            text=True,
            preexec_fn=limited,
        )
        assert done.returncode == 2, done
        assert says in done.stderr, done.stderr
        assert time.monotonic() - begin < 5, "a second, and room for a busy machine"
