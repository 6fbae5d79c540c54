# SPDX-License-Identifier: Apache-2.0
"""The job file, and what it says when something is wrong with it."""

from __future__ import annotations

import json
import re

import pytest
from workbench import NAMES, Windrow, numbered

EVERYTHING = """
$schema: https://example.org/parallelJob.schema.json
type: parallel
name: every-key
display_name: All of it
description: Says everything that can be said
experiment_name: trials
tags:
  team: hay
inputs:
  images:
    type: uri_folder
    path: in
    mode: ro_mount
  labels:
    path: ./labels
outputs:
  rows:
    type: uri_file
    path: results/rows.txt
    mode: rw_mount
  extra:
    type: uri_folder
input_data: ${{inputs.images}}
mini_batch_size: 3
mini_batch_error_threshold: 5
error_threshold: 10
logging_level: DEBUG
max_concurrency_per_instance: 2
retry_settings:
  max_retries: 1
  timeout: 30
resources:
  instance_count: 1
environment_variables:
  GREETING: hello there
compute: local
task:
  type: run_function
  code: code
  entry_script: score.py
  program_arguments: --labels ${{inputs.labels}} --extra "${{outputs.extra}}" 'two words'
  append_row_to: ${{outputs.rows}}
  environment: azureml:anything@latest
"""

SAYS_ARGUMENTS = """
import json, os, sys

def run(mini_batch):
    return [json.dumps([os.path.basename(p), sys.argv[1:], os.environ["GREETING"]])
            for p in mini_batch]
"""


# C72 C75 C60 C9 C6 C56
def test_every_key_that_is_built_works(windrow: Windrow) -> None:
    windrow.files(7)
    windrow.files(1, folder="labels")
    windrow.script(SAYS_ARGUMENTS, "code/score.py")
    windrow.job_file(EVERYTHING)
    job = windrow.command("run", "job.yml", result=windrow.folder / "results/rows.txt")
    assert job.exit == 0, job
    assert job.folder == windrow.home / "jobs/every-key"
    extra = str(job.folder / "outputs/extra")
    arguments = ["--labels", str(windrow.folder / "labels"), "--extra", extra, "two words"]
    arguments += ["--logging_level", "DEBUG"]
    assert [json.loads(row) for row in job.rows()] == [
        [name, arguments, "hello there"] for name in numbered(7)
    ]
    assert "task.environment: is not used" in job.text
    effective = job.log("job.yml")
    for line in ("mini_batch_size: 3", "  timeout: 30", "  code: "):
        number = EVERYTHING[: EVERYTHING.index("\n" + line)].count("\n") + 2
        assert re.search(rf"^{line}.*  # from job\.yml:{number}:", effective, re.MULTILINE)


# C520
def test_an_input_that_only_the_script_reads_must_be_there_too(windrow: Windrow) -> None:
    windrow.files(1)
    windrow.script(NAMES, "code/score.py")
    windrow.job_file(EVERYTHING)
    for command in ("run", "plan"):
        refused = windrow.command(command, "job.yml")
        assert refused.exit == 2
        labels = windrow.folder / "labels"
        assert f"the input labels is not there: no file or folder '{labels}'" in refused.text
    assert not (windrow.home / "jobs/every-key").exists()


# C521
def test_the_folders_of_all_outputs_are_there_before_the_script(windrow: Windrow) -> None:
    windrow.files(1)
    windrow.script("import os, sys\ndef run(batch): return list(map(os.path.isdir, sys.argv[1:3]))")
    windrow.job_file(
        {
            "type": "parallel",
            "inputs": {"data": {"path": "in"}},
            "input_data": "${{inputs.data}}",
            "outputs": {"rows": {"path": "out"}, "pictures": {"path": "far/pictures"}, "more": {}},
            "task": {
                "entry_script": "score.py",
                "append_row_to": "${{outputs.rows}}",
                "program_arguments": "${{outputs.pictures}} ${{outputs.more}}",
            },
        }
    )
    job = windrow.command("run", "job.yml", result=windrow.folder / "out/parallel_run_step.txt")
    assert job.rows() == ["True", "True"], job


# C524
def test_a_job_that_keeps_no_rows_says_so(windrow: Windrow) -> None:
    windrow.files(1)
    windrow.script(NAMES)
    windrow.job_file(
        {
            "type": "parallel",
            "inputs": {"data": {"path": "in"}},
            "input_data": "${{inputs.data}}",
            "task": {"entry_script": "score.py"},
        }
    )
    job = windrow.command("run", "job.yml")
    assert "result        none: without append_row_to rows are counted and not kept" in job.text


# C72
def test_the_short_form_and_a_job_file_give_the_same_bytes(windrow: Windrow) -> None:
    short = windrow.run(NAMES, files=23, size=5)
    windrow.job_file(
        {
            "type": "parallel",
            "inputs": {"data": {"path": "in"}},
            "input_data": "${{inputs.data}}",
            "outputs": {"output": {"path": "out2"}},
            "mini_batch_size": 5,
            "task": {"entry_script": "score.py", "append_row_to": "${{outputs.output}}"},
        }
    )
    long = windrow.command("run", "job.yml", result=windrow.folder / "out2/parallel_run_step.txt")
    assert long.exit == 0
    assert long.bytes() == short.bytes()


# C60
def test_the_effective_job_file_runs_as_a_job_file(windrow: Windrow) -> None:
    job = windrow.run(NAMES, files=5, size=2)
    before = job.bytes()
    job.result.unlink()
    again = windrow.command("run", str(job.folder / "job.yml"), result=job.result)
    assert again.exit == 0, again
    assert job.bytes() == before


# C74
def test_set_and_flags_go_over_the_file(windrow: Windrow) -> None:
    windrow.files(6)
    windrow.script(NAMES, "code/score.py")
    windrow.script("", "code/x.py")
    windrow.job_file(EVERYTHING.replace("--labels ${{inputs.labels}}", ""))
    windrow.files(0, folder="labels")
    job = windrow.command(
        *("run", "job.yml", "--set", "mini_batch_size=2", "--set", "retry_settings.timeout=7"),
        *("--max-retries", "0", "--name", "other"),
        *("--set", "outputs.rows.path=elsewhere.txt", "--set", "environment_variables.A=b=c"),
    )
    assert job.exit == 0, job
    assert job.name == "other"
    assert len(job.attempts()) == 3
    assert (windrow.folder / "elsewhere.txt").read_text().split() == numbered(6)
    effective = job.log("job.yml")
    assert "mini_batch_size: 2  # from --set mini_batch_size=2" in effective
    assert "timeout: 7  # from --set retry_settings.timeout=7" in effective
    assert "max_retries: 0  # from --max-retries" in effective
    assert 'A: "b=c"' in effective


TEN_MISTAKES = """type: parallel
inputs:
  data:
    path: in
    mod: ro_mount
outputs:
  rows:
    type: uri_fille
input_data: ${{inputs.dta}}
mini_batch_size: ten
mini_batch_eror_threshold: 3
error_threshold: -2
max_concurrency_per_instance: 0
streaming_window: true
retry_settings:
  timeout: 0
  max_retries: 1.5
task:
  entry_script: score.py
  append_row_to: ${{outputs.row}}
"""

TEN_FINDINGS = [
    r"job\.yml:5:\d+: .*mod\b.*did you mean 'mode'",
    r"job\.yml:8:\d+: .*uri_fille",
    r"job\.yml:9:\d+: .*no input 'dta' is declared; did you mean 'data'",
    r"job\.yml:10:\d+: .*ten",
    r"job\.yml:11:\d+: .*did you mean 'mini_batch_error_threshold'",
    r"job\.yml:12:\d+: .*-2",
    r"job\.yml:13:\d+: .*0 is out of range",
    r"job\.yml:14:\d+: .*streaming_window.*not supported yet",
    r"job\.yml:16:\d+: .*timeout",
    r"job\.yml:17:\d+: .*1\.5",
    r"job\.yml:20:\d+: .*no output 'row' is declared; did you mean 'rows'",
]


# C73 C42
def test_all_mistakes_are_told_at_once_each_with_its_place(windrow: Windrow) -> None:
    windrow.files(1)
    windrow.script(NAMES)
    windrow.job_file(TEN_MISTAKES)
    job = windrow.command("run", "job.yml")
    assert job.exit == 2
    for finding in TEN_FINDINGS:
        assert re.search(finding, job.text), finding
    assert len(job.text.strip().splitlines()) == len(TEN_FINDINGS)
    assert windrow.job_folders() == []


# C73 C42
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", "is empty"),
        ("type: parallel\n  broken: [", "job.yml:2"),
        ("type: pipeline\njobs: {}", "pipeline"),
        ("- a\n- b", "job.yml:1"),
        ("a: &a [x,x]\n" * 1 + "b: *a\ntype: parallel", "job.yml"),
        ("type: parallel\ntype: parallel", "job.yml:2"),
    ],
    ids=["empty", "no yaml", "other type", "a list", "alias", "twice"],
)
def test_a_file_that_is_no_job_is_refused_with_its_place(
    windrow: Windrow, text: str, shown: str
) -> None:
    windrow.job_file(text)
    job = windrow.command("run", "job.yml")
    assert job.exit == 2
    assert shown in job.text


# C42
@pytest.mark.parametrize("kind", ["custom_model", "mlflow_model", "triton_model"])
def test_models_and_remote_paths_are_refused_with_what_to_use(windrow: Windrow, kind: str) -> None:
    # C109
    file = {
        "type": "parallel",
        "inputs": {
            "data": {"type": "uri_folder", "path": "azureml:images:1"},
            "model": {"type": kind, "path": "azureml:model:1"},
        },
        "outputs": {"trained": {"type": kind}},
        "input_data": "${{inputs.data}}",
        "task": {"entry_script": "score.py"},
    }
    windrow.job_file(file)
    windrow.script(NAMES)
    said = windrow.command("validate", "job.yml")
    assert said.exit == 2
    data, model, trained = said.text.splitlines()
    assert data.endswith("(with type uri_folder or uri_file) or by --input")
    assert f"'{kind}' is not supported yet; use uri_folder, or uri_file for a model in" in model
    assert model.endswith("with its path on this machine")
    assert f"outputs.trained.type: '{kind}' is not supported yet; use uri_folder" in trained


def test_a_job_file_that_is_not_there_is_refused(windrow: Windrow) -> None:
    job = windrow.command("run", "nowhere.yml")
    assert job.exit == 2
    assert "nowhere.yml" in job.text


# C42 C44
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["run"], 2),
        (["run", "score.txt", "--input", "in"], 2),
        (["fly"], 2),
        (["job", "resume", "no-such-job"], 3),
        (["job", "merge", "no-such-job"], 3),
        (["retry", "no-such-job"], 3),
        (["job", "resume", "./no/such/folder"], 3),
        (["--help"], 0),
        (["--version"], 0),
        (["run", "--help"], 0),
    ],
)
def test_exit_codes_tell_bad_words_from_missing_jobs(
    windrow: Windrow, arguments: list[str], code: int
) -> None:
    job = windrow.command(*arguments)
    assert job.exit == code
    assert job.text


# C550 C554
@pytest.mark.parametrize(
    ("flags", "shown"),
    [
        (["--batch-size", "5"], "did you mean --mini-batch-size?"),
        (["--dry-run"], "`windrow plan` with the same words shows what would run"),
        (["--retries=3"], "did you mean --max-retries?"),
        (["in/b", "in/c"], "does not take 'in/b'; put a glob in quotes"),
    ],
)
def test_words_from_elsewhere_are_told_ours(windrow: Windrow, flags: list[str], shown: str) -> None:
    job = windrow.command("run", "score.py", "--input", "in/a", *flags)
    assert job.exit == 2
    assert shown in job.text


# C550
def test_help_of_a_command_is_its_help(windrow: Windrow) -> None:
    for words in (["run"], ["job"], ["job", "resume"], ["retry"]):
        asked = windrow.command("help", *words)
        assert asked.exit == 0
        assert asked.text == windrow.command(*words, "--help").text
    assert windrow.command("help", "settings").exit == 0
    assert windrow.command("help", "rnu").exit == 2
