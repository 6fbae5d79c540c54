# SPDX-License-Identifier: Apache-2.0
"""`windrow run --local`: a script tried out at the terminal."""

from __future__ import annotations

import os
import pty
import subprocess

import pytest
from workbench import BINARY, Windrow, numbered

SCRIPT = """
import os, sys
from azureml_user.parallel_run import EntryScript

def init():
    print("init", open("beside.txt").read(), sys.argv[1:])
    EntryScript().logger.debug("logged")

def run(mini_batch, context):
    print("answer:", input())
    if context.minibatch_index == 1:
        context.report_failed(0, "too dark")
        return []
    return [os.path.basename(path) for path in mini_batch]

def shutdown():
    print("shutdown", EntryScript().agent_name)
"""


def local(windrow: Windrow, *flags: str, answers: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(BINARY), "run", "score.py", "--input", "in", "--local", *flags],
        cwd=windrow.folder,
        env=windrow.environment,
        input=answers,
        capture_output=True,
        text=True,
        timeout=60,
    )


# C198
def test_a_trial_runs_the_script_in_one_process_with_our_standard_streams(windrow: Windrow) -> None:
    windrow.script(SCRIPT)
    (windrow.folder / "beside.txt").write_text("beside")
    windrow.files(5)
    flags = ("--output", "out", "--mini-batch-size", "3", "--", "--model", "m")
    done = local(windrow, *flags, answers="one\ntwo\n")
    assert done.returncode == 0, done
    assert done.stdout.splitlines() == [
        "init beside ['--model', 'm', '--logging_level', 'INFO']",
        "answer: one",
        "answer: two",
        "shutdown process000",
    ]
    assert "mini-batch 0: 3 items, 3 results" in done.stderr
    assert "f0003 failed: too dark" in done.stderr
    assert "mini-batch 1: 2 items, 0 results, 1 item without one" in done.stderr
    assert "2 mini-batches, 5 items: 3 succeeded, 2 failed; 3 results" in done.stderr
    rows = (windrow.folder / "out/parallel_run_step.txt").read_text()
    assert rows.split() == numbered(3)
    assert windrow.job_folders() == []
    logs = windrow.home.glob("local/*/logs/user/entry_script_log/0/process000.log.txt")
    assert [path.read_text()[-7:] for path in logs] == ["logged\n"]


# C199
@pytest.mark.parametrize(
    ("script", "code", "said"),
    [
        ("def run(b):\n    raise ValueError('no good')", 1, "ValueError: no good"),
        ("def run(b):\n    return None", 1, "TypeError: run() returned None"),
        ("def init():\n    1 / 0\ndef run(b): pass", 1, "ZeroDivisionError"),
        ("def run(b:\n", 2, "SyntaxError"),
        ("from os.path import *\n", 2, "has no function run(mini_batch)"),
    ],
)
def test_the_first_failure_ends_a_trial_with_its_traceback(
    windrow: Windrow, script: str, code: int, said: str
) -> None:
    windrow.script(script)
    windrow.files(30)
    done = local(windrow, "--output", "out")
    assert done.returncode == code, done
    assert said in done.stderr
    in_run = "run() returned" in said or "no good" in said
    where = "mini-batch 0 (f0000, f0001, f0002 and 7 more)" if in_run else "loading"  # C537
    assert f"failed in {where}" in done.stderr
    assert "windrow/worker" not in done.stderr
    assert not (windrow.folder / "out/parallel_run_step.txt").exists()  # the next try can begin


# C199
def test_what_is_wrong_before_the_script_is_refused(windrow: Windrow) -> None:
    windrow.script("def run(b): return b")
    (windrow.folder / "in").mkdir()
    empty = local(windrow)
    assert (empty.returncode, "holds no file" in empty.stderr) == (2, True), empty
    windrow.files(1)
    assert local(windrow, "--debugpy", "70000").returncode == 2
    job = windrow.command("run", "score.py", "--input", "in", "--debugpy", "5678")
    assert (job.exit, "--debugpy needs --local" in job.text) == (2, True)


# C198
def test_breakpoint_stops_in_the_script_at_the_terminal(windrow: Windrow) -> None:
    windrow.script(
        "def run(mini_batch):\n    word = 'found'\n    breakpoint()\n    return mini_batch"
    )
    windrow.files(1)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [str(BINARY), "run", "score.py", "--input", "in", "--local"],
        cwd=windrow.folder,
        env={**windrow.environment, "TERM": "dumb"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    os.write(ours, b"print(word.upper())\ncontinue\n")
    said = b""
    while True:
        try:
            said += os.read(ours, 4096)
        except OSError:  # nobody is left at the other end
            break
    os.close(ours)
    assert process.wait(30) == 0, said
    assert b"(Pdb)" in said
    assert b"FOUND" in said
    assert b"1 succeeded" in said


# C198
def test_a_debugger_is_waited_for_when_asked(windrow: Windrow) -> None:
    windrow.script("def run(mini_batch): return mini_batch")
    windrow.files(1)
    windrow.script(
        "def listen(place): print('listens', place)\ndef wait_for_client(): print('waits')",
        "lib/debugpy.py",
    )
    windrow.environment["PYTHONPATH"] = str(windrow.folder / "lib")
    done = local(windrow, "--debugpy", "5678")
    assert done.returncode == 0, done
    assert done.stdout == "listens ('127.0.0.1', 5678)\nwaits\n"
    assert "waiting for a debugger on 127.0.0.1:5678" in done.stderr
