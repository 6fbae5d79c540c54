# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a job is said at once, before anything is started or left behind."""

from __future__ import annotations

import os
from typing import Any

import pytest
from workbench import Windrow

NAMES = """
import os

def run(files):
    return [os.path.basename(name) for name in files]
"""


def job_of(**more: Any) -> dict[str, Any]:
    return {
        "type": "parallel",
        "inputs": {"data": {"path": "in"}},
        "input_data": "${{inputs.data}}",
        "outputs": {"rows": {"type": "uri_file", "path": "out/rows"}},
        "task": {"entry_script": "score.py", "append_row_to": "${{outputs.rows}}"},
    } | more


def jobs(windrow: Windrow) -> list[str]:
    folder = windrow.home / "jobs"
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


# C950
@pytest.mark.parametrize("command", ["validate", "run", "plan"])
def test_file_script_and_inputs_are_told_together(windrow: Windrow, command: str) -> None:
    content = job_of(mini_batch_size="none", inputs={"data": {"path": "in"}, "side": {"path": "x"}})
    windrow.job_file(content)
    job = windrow.command(command, "job.yml")
    assert job.exit == 2
    here = windrow.folder
    assert "mini_batch_size: 'none'" in job.text
    assert f"there is no script '{here}/score.py'" in job.text
    assert f"the input data is not there: no file or folder '{here}/in'" in job.text
    assert f"the input side is not there: no file or folder '{here}/x'" in job.text
    assert jobs(windrow) == []


# C950
def test_validate_looks_for_script_and_inputs(windrow: Windrow) -> None:
    windrow.job_file(job_of())
    missing = windrow.command("validate", "job.yml")
    assert missing.exit == 2
    assert "job.yml:" in missing.text
    assert "there is no script" in missing.text
    assert "the input data is not there" in missing.text
    windrow.script(NAMES)
    windrow.files(1)
    assert windrow.command("validate", "job.yml").exit == 0


# C951
def test_a_script_without_run_is_refused_before_a_worker_starts(windrow: Windrow) -> None:
    windrow.script("import subprocess\n\ndef runn(files):\n    return subprocess.run(files)\n")
    windrow.files(1)
    windrow.job_file(job_of(error_threshold="many"))
    for command in ("validate", "run"):
        job = windrow.command(command, "job.yml")
        assert job.exit == 2
        assert f"the script '{windrow.folder}/score.py' has no function run(mini_batch)" in job.text
        assert "error_threshold" in job.text
    assert windrow.command("run", "score.py", "--input", "in").exit == 2
    assert jobs(windrow) == []


# C953
def test_an_unknown_partition_key_leaves_nothing_behind(windrow: Windrow) -> None:
    windrow.script(NAMES)
    for name in ("in/k=a/1", "in/k=b/2"):
        (windrow.folder / name).parent.mkdir(parents=True)
        (windrow.folder / name).write_text("x")
    windrow.job_file(job_of(partition_keys=["q"]))
    job = windrow.command("run", "job.yml")
    assert job.exit == 2
    assert "there is no partition key 'q'; there are k" in job.text
    assert jobs(windrow) == []
    windrow.job_file(job_of(partition_keys=["k"]))
    right = windrow.command("run", "job.yml", result=windrow.folder / "out/rows")
    assert right.exit == 0, right
    assert right.rows() == ["1", "2"]


# C954
def test_an_unknown_column_leaves_nothing_behind(windrow: Windrow) -> None:
    windrow.script("def run(frame):\n    return list(frame['id'])\n")
    (windrow.folder / "in").mkdir()
    (windrow.folder / "in/a.csv").write_text("id,store\n1,a\n")
    flags = ["--name", "same", "--output", "out"]
    content = job_of(input_as="table", partition_by=["shop"])
    windrow.job_file(content)
    job = windrow.command("run", "job.yml", *flags)
    assert job.exit == 2
    assert "partition_by: no column 'shop'" in job.text
    assert jobs(windrow) == []
    windrow.job_file(content | {"partition_by": ["store"]})
    assert windrow.command("run", "job.yml", *flags).exit == 0


def v1(windrow: Windrow, **more: Any) -> None:
    config = {
        "entry_script": "score.py",
        "error_threshold": 10,
        "output_action": "append_row",
        "compute_target_name": "local",
        "node_count": 1,
    }
    windrow.job_file({"parallel_run_config": config | more}, "prc.yml")


# C955
def test_a_v1_folder_may_stand_in_a_list(windrow: Windrow) -> None:
    windrow.script(NAMES, "src/score.py")
    windrow.files(2)
    command = ["run", "prc.yml", "--input", "in", "--output", "out"]
    v1(windrow, source_directory=["src"])
    job = windrow.command(*command, result=windrow.folder / "out/parallel_run_step.txt")
    assert job.exit == 0, job
    v1(windrow, source_directory=["src", "more"])
    several = windrow.command(*command)
    assert several.exit == 2
    assert "parallel_run_config.source_directory: is one folder, the one with" in several.text


# C956
@pytest.mark.parametrize("script", ["../score.py", "{here}/score.py"])
def test_a_v1_script_outside_of_its_folder_is_refused(windrow: Windrow, script: str) -> None:
    windrow.script(NAMES)
    windrow.files(1)
    (windrow.folder / "src").mkdir()
    v1(windrow, source_directory="src", entry_script=script.format(here=windrow.folder))
    job = windrow.command("run", "prc.yml", "--input", "in", "--output", "out")
    assert job.exit == 2
    assert "parallel_run_config.entry_script: " in job.text
    assert "does not lie in source_directory" in job.text


# C957
def test_validate_needs_no_data_for_a_v1_file(windrow: Windrow) -> None:
    windrow.script(NAMES)
    v1(windrow, append_row_file_name="digits.txt")
    job = windrow.command("validate", "prc.yml")
    assert job.exit == 0, job
    assert "prc.yml is valid" in job.text
    run = windrow.command("run", "prc.yml")
    assert run.exit == 2
    assert "--input: is missing" in run.text


# C959
def test_a_table_of_rows_is_no_side_input(windrow: Windrow) -> None:
    windrow.script(NAMES)
    windrow.files(1)
    (windrow.folder / "side").mkdir()
    (windrow.folder / "side/a.csv").write_text("n\n1\n")
    table = windrow.folder / "side/MLTable"
    paths = "type: mltable\npaths:\n  - file: ./a.csv\n"
    table.write_text(paths + "transformations:\n  - read_delimited\n")
    side = {"type": "mltable", "path": "side"}
    windrow.job_file(job_of(inputs={"data": {"path": "in"}, "labels": side}))
    job = windrow.command("run", "job.yml")
    assert job.exit == 2
    assert "the input labels is not in input_data, and " in job.text
    assert jobs(windrow) == []
    table.write_text(paths)
    assert windrow.command("run", "job.yml").exit == 0


# C960
def test_home_and_file_urls_are_paths(windrow: Windrow) -> None:
    windrow.script(NAMES)
    windrow.files(2)
    here = windrow.folder
    windrow.environment["HOME"] = str(here)
    os.rename(here / "in", here / "my in")
    for flags in (
        ["--input=~/my in", "--output=~/out1"],
        ["--input", f"file://{here}/my%20in", "--output", f"file://{here}/out1"],
    ):
        job = windrow.command(
            "run", "score.py", *flags, "--new", result=here / "out1/parallel_run_step.txt"
        )
        assert job.exit == 0, job
        assert len(job.rows()) == 2
        os.remove(here / "out1/parallel_run_step.txt")
    content = job_of(inputs={"data": {"path": f"file://{here}/my%20in"}})
    content["outputs"] = {"rows": {"type": "uri_file", "path": f"file://{here}/out2/rows"}}
    windrow.job_file(content)
    job = windrow.command("run", "job.yml", result=here / "out2/rows")
    assert job.exit == 0, job
    assert len(job.rows()) == 2


# C961
def test_a_flag_with_nothing_behind_its_sign_is_refused(windrow: Windrow) -> None:
    windrow.script(NAMES)
    windrow.files(1)
    job = windrow.command("run", "score.py", "--error-threshold=", "--input", "in")
    assert job.exit == 2
    assert "windrow: --error-threshold= needs a value" in job.text


# C962
def test_an_mltable_of_paths_takes_and_skips_files(windrow: Windrow) -> None:
    windrow.script(NAMES)
    (windrow.folder / "in/sub").mkdir(parents=True)
    for name in "abcdef":
        (windrow.folder / "in/sub" / name).write_text("x")
    table = windrow.folder / "in/MLTable"
    paths = "type: mltable\npaths:\n  - folder: ./sub\ntransformations:\n"
    table.write_text(paths + "  - skip: 1\n  - take: 3\n")
    windrow.job_file(job_of(inputs={"data": {"type": "mltable", "path": "in"}}))
    job = windrow.command("run", "job.yml", result=windrow.folder / "out/rows")
    assert job.exit == 0, job
    assert job.rows() == ["b", "c", "d"]
    table.write_text(paths + "  - filter: col('Path') > 'a'\n")
    other = windrow.command("run", "job.yml", "--set", "output_exists=overwrite")
    assert other.exit == 2
    assert "a job knows take and skip of those" in other.text
