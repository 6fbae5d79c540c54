# SPDX-License-Identifier: Apache-2.0
"""What a command says: to people, to programs, and last of all."""

from __future__ import annotations

import json
import re
import subprocess
from typing import Any

import pytest
from workbench import BINARY, NAMES, Windrow, until

HALF = """
import os

def run(mini_batch):
    if mini_batch[0].endswith("f0001"):
        raise ValueError("no good")
    return [os.path.basename(path) for path in mini_batch]
"""


def said(windrow: Windrow, *arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output, standard error."""
    done = subprocess.run(
        [BINARY, *arguments],
        cwd=windrow.folder,
        env=windrow.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stdout, done.stderr


def prepare(windrow: Windrow, script: str = NAMES, files: int = 3) -> list[str]:
    """The words of a run with one worker, one file to a mini-batch."""
    windrow.script(script)
    windrow.files(files)
    flags = "--workers 1 --mini-batch-size 1 --max-retries 0 --name it --output out"
    return ["run", "score.py", "--input", "in", *flags.split()]


def document(text: str) -> dict[str, Any]:
    assert text.count("\n") == 1, text
    value: dict[str, Any] = json.loads(text)
    return value


# C410
def test_quiet_says_status_and_result_and_nothing_else(windrow: Windrow) -> None:
    code, out, err = said(windrow, *prepare(windrow), "-q")
    assert (code, out) == (0, "")
    assert err == f"Completed\n  result        {windrow.folder}/out/parallel_run_step.txt\n"


# C410 C415
def test_quiet_still_says_why_a_job_failed(windrow: Windrow) -> None:
    code, _, err = said(windrow, *prepare(windrow, HALF), "--error-threshold", "0", "-q")
    assert code == 1
    assert err.startswith("Failed: 1 failed item is more than error_threshold 0 allows")
    assert "mini-batches  " not in err
    assert "Fix the cause, then: windrow job resume " in err
    assert "ValueError: no good\n  from " in err
    assert err.splitlines()[-1].startswith("  from ")


# C411
def test_verbose_tells_of_workers_failures_and_tries(windrow: Windrow) -> None:
    words = prepare(windrow, HALF)
    words[words.index("--max-retries") + 1] = "1"
    code, out, err = said(windrow, *words, "-v")
    assert (code, out) == (0, "")
    lines = err.splitlines()
    first = lines.index("node 0 process000 mini-batch 1, hand-out 1: ValueError: no good")
    again = lines.index("mini-batch 1 is tried again")
    second = lines.index("node 0 process000 mini-batch 1, hand-out 2: ValueError: no good")
    assert lines.index("process000 starts") < first < again < second
    assert "process000 exited with 82: told to stop" in lines
    assert "process000 starts" not in said(windrow, *words, "--new", "--job-dir", "other")[2]


# C412
def test_json_is_one_document_whatever_came_of_the_run(windrow: Windrow) -> None:
    words = prepare(windrow, HALF)
    code, out, err = said(windrow, *words, "--error-threshold", "0", "-o", "json")
    failed = document(out)
    assert code == failed["exit_code"] == 1
    assert failed["status"] == "Failed"
    assert "error_threshold" in failed["cause"]
    assert failed["results"] == []
    assert failed["first_error"]["text"].endswith("ValueError: no good\n")
    assert "process000" in failed["first_error"]["where"]
    assert "Failed" not in err, "the document stands for the summary"

    code, out, _ = said(windrow, "job", "merge", "it", "-o", "json")
    merged = document(out)
    assert (code, merged["status"]) == (0, "Merged")
    assert merged["results"] == [f"{windrow.folder}/out/parallel_run_step.txt"]

    code, out, err = said(windrow, "job", "resume", "nobody", "-o", "json")
    assert code == 3
    assert document(out)["status"] == "NotFound"
    assert "there is no job 'nobody'" in err


# C412
def test_json_of_a_completed_run_names_results_and_counts(windrow: Windrow) -> None:
    code, out, err = said(windrow, *prepare(windrow, HALF), "-q", "-o", "json")
    done = document(out)
    assert (code, err) == (0, "")
    assert done["status"] == "Completed"
    assert done["job"] == "it"
    assert done["results"] == [f"{windrow.folder}/out/parallel_run_step.txt"]
    assert (done["mini_batches"], done["mini_batches_done"], done["mini_batches_failed"]) == (
        3,
        2,
        1,
    )
    assert (done["items_succeeded"], done["items_failed"]) == (2, 1)
    assert done["failed_items"].endswith("logs/failed_items.jsonl")

    windrow.script(NAMES)
    code, out, _ = said(windrow, "retry", "it", "-o", "json")
    assert code == 0
    assert document(out)["mini_batches_done"] == 3


# C412 C115
def test_json_of_a_refusal_lists_every_problem(windrow: Windrow) -> None:
    windrow.job_file("type: parallel\nmini_batch_sise: 3\nerror_threshold: many\n")
    for command in ("validate", "plan", "run"):
        code, out, err = said(windrow, command, "job.yml", "-o", "json")
        refused = document(out)
        assert code == refused["exit_code"] == 2
        places = [problem["where"] for problem in refused["problems"]]
        assert "job.yml:2:1" in places
        assert all(problem["message"] in err for problem in refused["problems"])


# C412
def test_a_trial_at_the_terminal_has_no_document(windrow: Windrow) -> None:
    code, out, _ = said(windrow, *prepare(windrow), "--local", "-o", "json")
    assert code == 2
    assert "--local" in document(out)["problems"][0]["message"]


# C413
def test_every_help_has_examples_with_flags_that_exist(windrow: Windrow) -> None:
    waiting = [["run"], ["plan"], ["validate"], ["job"], ["retry"], ["help"], ["completion"]]
    waiting += [["explain"], ["replay"], ["report"], ["doctor"], ["prune"]]
    top = said(windrow, "--help")[1]
    listed = re.findall(r"^  ([a-z]+)  +[A-Z]", top, re.MULTILINE)
    assert sorted(listed) == sorted(words[0] for words in waiting)
    waiting += [["job", "resume"], ["job", "merge"], ["help", "settings"]]
    for words in waiting:
        text = said(windrow, *words, "--help")[1]
        examples = re.findall(r"^  (windrow .*?)(?:  +.*)?$", text.partition("Examples:")[2], re.M)
        assert examples, text
        assert max(map(len, text.splitlines())) <= 80
        for example in examples:
            assert example.startswith(" ".join(["windrow", *words])), example
            for flag in re.findall(r" (--?[a-z][a-z-]*)", example.partition(" -- ")[0]):
                assert re.search(rf"(^  |,){flag}\b", text, re.MULTILINE), (example, flag)


FAILURES = {
    "run": ("def run(mini_batch):\n    raise ValueError('no good')\n", "ValueError: no good"),
    "init": (
        "def init():\n    raise OSError('no model')\n\ndef run(mini_batch):\n    pass\n",
        "OSError: no model",
    ),
    "import": (
        "import nothing_of_this_name\n\ndef run(mini_batch):\n    return mini_batch\n",
        "ModuleNotFoundError: No module named",
    ),
    "syntax": ("def run(mini_batch) return 1\n", "SyntaxError: "),
    "kill": (
        "import os\n\ndef run(mini_batch):\n    os.kill(os.getpid(), 9)\n",
        "ProcessDied: process000 was killed by SIGKILL in run()",
    ),
    "time": (
        "import time\n\ndef run(mini_batch):\n    time.sleep(600)\n",
        "TimeoutError: run() took longer than 0.2 s",
    ),
}


# C415 C41
@pytest.mark.parametrize("way", FAILURES)
def test_the_first_error_and_its_file_are_the_last_thing_printed(
    windrow: Windrow, way: str
) -> None:
    script, error = FAILURES[way]
    limit = ["--timeout", "0.2"] if way == "time" else []
    code, _, err = said(windrow, *prepare(windrow, script, files=1), *limit)
    assert code == (2 if way == "syntax" else 1)
    *before, last = err.rstrip("\n").split("\n")
    # A sentence with advice may stand below the error itself.
    assert any(line.startswith(error) for line in before[-2:]), err
    file = re.fullmatch(r"  from (/.*)", last)
    assert file, err
    with open(file[1], encoding="utf-8") as story:
        assert error.partition(": ")[2] in story.read()
    if way in ("run", "init", "import"):
        assert "\n\nTraceback (most recent call last):\n" in err


# C415
def test_advice_stands_before_the_traceback(windrow: Windrow) -> None:
    words = [*prepare(windrow, HALF), "--error-threshold", "0"]
    for command in (words, ["job", "resume", "it"]):
        code, _, err = said(windrow, *command)
        assert code == 1
        assert err.index("windrow job resume it") < err.index("\nTraceback")
        assert re.search(r"ValueError: no good\n  from \S+\n$", err)


# C420 C252
def test_the_log_of_a_process_has_pid_and_two_times_for_each_mini_batch(windrow: Windrow) -> None:
    script = "import os\n\ndef run(mini_batch):\n    return [os.getpid()]\n"
    code, _, err = said(windrow, *prepare(windrow, script), "-q")
    assert code == 0, err
    pid = (windrow.folder / "out/parallel_run_step.txt").read_text().split()[0]
    log = (windrow.home / "jobs/it/logs/sys/node/0/process000.txt").read_text()
    words = [re.findall(r"\|INFO\|(\d+)\|(\w+) address=127.0.0.1 pid=(\d+)(?: task=(\d))?", log)]
    expected = [(pid, "LOAD_DONE", pid, "")]
    for task in "012":
        expected += [(pid, "PICKED", pid, task), (pid, "RUN_DONE", pid, task)]
    assert words[0] == expected
    times = [line[:23] for line in log.splitlines()]
    assert times == sorted(times)


# C420
def test_a_long_mini_batch_shows_as_picked_before_it_ends(windrow: Windrow) -> None:
    windrow.script("import time\n\ndef run(mini_batch):\n    time.sleep(600)\n")
    windrow.files(1)
    running = windrow.start(workers=1, name="long")
    log = windrow.home / "jobs/long/logs/sys/node/0/process000.txt"
    until(lambda: log.exists() and "|PICKED " in log.read_text(), "the line PICKED", 60)
    assert "task=0 picked=1 total=1\n" in log.read_text()
    running.kill()


# C252
def test_a_failed_init_has_an_exit_code_of_its_own(windrow: Windrow) -> None:
    script = "def init():\n    raise OSError('no model')\n\ndef run(mini_batch):\n    pass\n"
    said(windrow, *prepare(windrow, script, files=1))
    main = (windrow.home / "jobs/it/logs/sys/node/0/_main.txt").read_text()
    assert "process000 exited with 72: process000 ended with exit code 72 in init()" in main
