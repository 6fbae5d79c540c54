# SPDX-License-Identifier: Apache-2.0
"""What shells, terminals and other programs do to ours."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys

import pytest
from workbench import BINARY, NAMES, SLOW_NAMES, Windrow, numbered, until

COMMAND = ["run", "score.py", "--input", "in", "--output", "out"]
COMMAND += ["--mini-batch-size", "2", "--workers", "2"]


def prepare(windrow: Windrow, script: str = NAMES, files: int = 20) -> None:
    windrow.script(script)
    windrow.files(files)


def result(windrow: Windrow) -> list[str]:
    return (windrow.folder / "out/parallel_run_step.txt").read_text().split()


# C43 C46
def test_ctrl_c_at_a_terminal_reaches_the_whole_group_and_stops_cleanly(windrow: Windrow) -> None:
    prepare(windrow, SLOW_NAMES, files=400)
    with subprocess.Popen(
        [BINARY, *COMMAND],
        cwd=windrow.folder,
        env=windrow.environment,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        until(lambda: list(windrow.home.glob("jobs/*/work/0/process001")), "two workers")
        os.killpg(process.pid, signal.SIGINT)
        assert process.stderr
        text = process.stderr.read().decode()
        assert process.wait(20) == 130, text
    assert "windrow job resume" in text
    windrow.expect_no_orphans()
    again = windrow.command(*COMMAND)
    assert again.exit == 0
    assert result(windrow) == numbered(400)
    assert "PROCESS_DIED" not in again.statuses(), "no worker took the interrupt for its own"


# C40
def test_a_reader_that_goes_away_does_not_end_the_job(windrow: Windrow) -> None:
    prepare(windrow)
    read, write = os.pipe()
    os.close(read)
    code = subprocess.run(
        [BINARY, *COMMAND], cwd=windrow.folder, env=windrow.environment, stdout=write, stderr=write
    ).returncode
    os.close(write)
    assert code == 0
    assert result(windrow) == numbered(20)


# C40
@pytest.mark.parametrize("closed", ["<&-", "<&- >&- 2>&-", "2>&-", "</dev/full 2>/dev/full"])
def test_closed_and_full_standard_descriptors_do_no_harm(windrow: Windrow, closed: str) -> None:
    prepare(windrow)
    command = f'exec "{BINARY}" {" ".join(COMMAND)} {closed}'
    code = subprocess.run(["sh", "-c", command], cwd=windrow.folder, env=windrow.environment)
    assert code.returncode == 0
    assert result(windrow) == numbered(20)


# C40
def test_few_descriptors_are_enough(windrow: Windrow) -> None:
    prepare(windrow)
    command = f'ulimit -n 64; exec "{BINARY}" {" ".join(COMMAND)}'
    code = subprocess.run(["sh", "-c", command], cwd=windrow.folder, env=windrow.environment)
    assert code.returncode == 0
    assert result(windrow) == numbered(20)


# C40
def test_a_terminal_gets_a_bar_and_the_summary(windrow: Windrow) -> None:
    prepare(windrow, SLOW_NAMES, files=60)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [BINARY, *COMMAND],
        cwd=windrow.folder,
        env=windrow.environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    text = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        text += piece
    os.close(ours)
    assert process.wait(20) == 0
    said = text.decode()
    # Each bar ends with the cursor at its start, so that a narrower window leaves nothing behind.
    assert re.search(r"\r +\d+ % [^\r\n]*\x1b\[J\r", said)
    assert said.count("\x1b[J") > 1
    summary = said.rpartition("\x1b[J")[2]
    assert summary.startswith("Completed\r\n")
    assert "30 of 30 done, 0 failed" in summary


# C3 C11
def test_a_mini_batch_of_many_long_names_arrives_whole(windrow: Windrow) -> None:
    names = [f"{number:05}" + "x" * 200 for number in range(3000)]
    job = windrow.run(NAMES, files=names, size=3000)
    assert job.exit == 0
    assert job.rows() == names


# C8
def test_a_script_may_do_anything_to_its_working_directory(windrow: Windrow) -> None:
    script = """
import os, shutil

def run(mini_batch):
    cwd = os.getcwd()
    shutil.rmtree(cwd)
    os.chdir("/")
    return [os.path.basename(path) for path in mini_batch]

def shutdown():
    os.chdir("/proc")
"""
    job = windrow.run(script, files=4, workers=1)
    assert job.exit == 0
    assert job.rows() == numbered(4)


# C7
def test_a_script_behind_a_link_finds_what_lies_beside_it(windrow: Windrow) -> None:
    windrow.script("ANSWER = 42", "real/beside.py")
    windrow.script(
        "import beside\ndef run(mini_batch):\n    return [__file__, beside.ANSWER]",
        "real/score_real.py",
    )
    (windrow.folder / "score.py").symlink_to("real/score_real.py")
    windrow.files(2)
    job = windrow.command(*COMMAND, result=windrow.folder / "out/parallel_run_step.txt")
    assert job.exit == 0, job
    assert job.rows() == [str(windrow.folder / "real/score_real.py"), "42"]


# C42
@pytest.mark.parametrize(
    ("flag", "value"), [("--output", "a-file"), ("--job-dir", "a-file"), ("--input", "nowhere")]
)
def test_a_file_where_a_folder_should_be_is_refused_by_its_path(
    windrow: Windrow, flag: str, value: str
) -> None:
    prepare(windrow)
    (windrow.folder / "a-file").write_text("precious")
    flags = {"--input": "in", "--output": "out", flag: value}
    words = [word for pair in flags.items() for word in pair]
    job = windrow.command("run", "score.py", *words)
    assert job.exit == 2, job
    assert str(windrow.folder / value) in job.text
    assert (windrow.folder / "a-file").read_text() == "precious"


# C59
def test_two_jobs_at_a_time_in_one_home_do_not_meet(windrow: Windrow) -> None:
    windrow.files(30)
    windrow.script(SLOW_NAMES)
    jobs = [windrow.start(size=2, output=f"out{n}") for n in range(4)]
    for job in [running.end() for running in jobs]:
        assert job.exit == 0
        assert job.rows() == numbered(30)
    assert len(windrow.job_folders()) == 4


# C9
def test_a_script_sees_neither_our_descriptors_nor_our_standard_input(windrow: Windrow) -> None:
    script = """
import os, sys

def run(mini_batch):
    assert sys.stdin.read() == ""
    names = [f"/proc/self/fd/{fd}" for fd in os.listdir("/proc/self/fd")]
    return [os.readlink(name) for name in names if os.path.lexists(name)]
"""
    job = windrow.run(script, files=1, workers=1)
    assert job.exit == 0
    for target in job.rows():
        assert "journal" not in target
        assert ".seg" not in target


# C538 C42
def test_an_interpreter_that_is_too_old_is_refused_before_anything_starts(
    windrow: Windrow,
) -> None:
    old = windrow.folder / "python3.6"
    old.write_text("#!/bin/sh\n")
    old.chmod(0o755)
    job = windrow.run(NAMES, "--python", str(old), files=1, workers=1)
    assert job.exit == 2
    assert f"'{old}' (from --python) is Python 3.6; scripts need Python 3.7 or newer" in job.text
    assert windrow.job_folders() == []


# C76
def test_a_broken_interpreter_says_so_itself(windrow: Windrow) -> None:
    broken = windrow.folder / "python3"
    broken.write_text("#!/bin/sh\necho 'I am not Python' >&2\nexit 3\n")
    broken.chmod(0o755)
    job = windrow.run(NAMES, "--python", str(broken), files=1, workers=1)
    assert job.exit == 1
    assert "exit code 3" in job.text
    assert "I am not Python" in job.logs("logs/sys/node/0/*.stderr.txt")
    assert sys.executable not in job.text


# C59
@pytest.mark.parametrize("name", ["job.yml", "precious.txt", "logs"])
def test_a_folder_that_is_no_job_is_not_made_one(windrow: Windrow, name: str) -> None:
    windrow.files(2)
    windrow.script(NAMES)
    mine = windrow.folder / "mine"
    mine.mkdir()
    (mine / name).mkdir() if name == "logs" else (mine / name).write_text("mine")
    job = windrow.command("run", "score.py", "--input", "in", "--job-dir", "mine")
    assert job.exit == 2
    assert f"holds '{name}', which is of no job; choose a new folder" in job.text
    assert [path.name for path in mine.iterdir()] == [name]
    empty = windrow.folder / "empty"
    empty.mkdir()
    assert windrow.command("run", "score.py", "--input", "in", "--job-dir", "empty").exit == 0


def test_a_misspelt_script_and_a_home_that_is_a_file_are_told(windrow: Windrow) -> None:
    windrow.files(2)
    windrow.script(NAMES)
    job = windrow.command("run", "scor.py", "--input", "in")
    assert "scor.py'; did you mean score.py?" in job.text
    windrow.environment["WINDROW_HOME"] = str(windrow.folder / "score.py")
    job = windrow.command("run", "score.py", "--input", "in")
    assert job.exit == 2 and "set WINDROW_HOME to a folder of yours" in job.text


# C52
def test_a_list_of_failures_without_names_says_so(windrow: Windrow) -> None:
    few = windrow.run("def run(b):\n    return b[:1]", files=4, size=2, workers=1)
    job = windrow.command("run", "score.py", "--input", f"@{few.folder}/logs/failed_items.jsonl")
    assert job.exit == 2
    assert "names no item: run() returned too few results" in job.text
    again = windrow.run(None, "--set", "retry_short_returns=true", "--new", size=2, output="two")
    assert "2 items have no row" in again.text
    assert "retry_short_returns" not in again.text


# C927
@pytest.mark.parametrize("command", [("run", "score.py", "--input", "in"), ("job", "list")])
def test_without_a_home_nothing_goes_to_a_folder_that_others_can_guess(
    windrow: Windrow, command: tuple[str, ...]
) -> None:
    windrow.script(NAMES)
    windrow.files(1)
    for name in ("HOME", "WINDROW_HOME"):
        windrow.environment.pop(name, None)
    job = windrow.command(*command)
    assert job.exit == 2, job
    assert "neither WINDROW_HOME nor HOME is set" in job.text
    assert "set WINDROW_HOME to a folder of yours" in job.text
    assert windrow.command("help", "settings").exit == 0
    assert windrow.command("doctor").exit != 0


# C928
def test_the_home_of_jobs_is_its_users_alone(windrow: Windrow) -> None:
    before = os.umask(0)
    try:
        job = windrow.run(NAMES, files=1)
    finally:
        os.umask(before)
    assert job.exit == 0, job
    assert windrow.home.stat().st_mode & 0o7777 == 0o700
