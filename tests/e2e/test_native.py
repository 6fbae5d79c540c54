# SPDX-License-Identifier: Apache-2.0
"""Workers in other languages: a C++ program of include/windrow/worker.h, and programs of lines."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from workbench import ROOT, Job, Windrow, numbered, until

HERE = Path(__file__).parent
EXAMPLE = ROOT / "examples/native-worker"


def compiled(source: Path, target: Path) -> Path:
    """With nothing but the header: as its manual page says."""
    command = ["g++", "-std=c++23", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/include"]
    subprocess.run([*command, "-o", str(target), str(source)], check=True, timeout=300)
    return target


@pytest.fixture(scope="session")
def moody(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A worker that does with each item what its name says."""
    folder = tmp_path_factory.mktemp("native")
    return compiled(HERE / "moody_worker.cc", folder / "moody")


def run_program(windrow: Windrow, program: str | Path, *flags: str, **settings: Any) -> Job:
    """As Windrow.run, with a program in place of the script."""
    settings = {"--workers": 2, "--output": "out", **settings}
    said = [str(word) for pair in settings.items() for word in pair]
    result = windrow.folder / "out/parallel_run_step.txt"
    return windrow.command("run", str(program), "--input", "in", *said, *flags, result=result)


def script_of_lines(windrow: Windrow, text: str) -> Path:
    path = windrow.script("#!/usr/bin/env python3\n" + text, "lines")
    path.chmod(0o755)
    return path


# ---- The header.


# C650 C651
def test_the_example_is_a_worker(windrow: Windrow) -> None:
    program = compiled(EXAMPLE / "count_words.cc", windrow.folder / "count_words")
    texts = windrow.folder / "in"
    shutil.copytree(ROOT / "examples/first-job/texts", texts)
    (texts / "empty.txt").touch()
    job = run_program(windrow, "./" + program.name)
    assert job.exit == 0
    counts = {path.name: len(path.read_text().split()) for path in sorted(texts.iterdir())}
    del counts["empty.txt"]
    assert job.rows() == [f"{name} {count}" for name, count in counts.items()]
    assert "1 failed" in job.text
    assert [item["error_message"] for item in job.failed_items()] == ["the file has no words"]
    assert "process000 begins\n" in job.logs("logs/user/stdout/0/*")
    assert f"command {program} (protocol)" in job.text


# C650 C651
def test_rows_of_every_size_come_in_order(windrow: Windrow, moody: Path) -> None:
    names = [
        f"{name}{'.large' if number % 7 == 0 else ''}" for number, name in enumerate(numbered(60))
    ]
    windrow.files(names)
    job = run_program(windrow, moody, **{"--mini-batch-size": 4})
    assert job.exit == 0
    assert [row.split()[0] for row in job.rows()] == names
    assert all(len(row) > 200_000 for row in job.rows() if "large" in row)


# C650
def test_a_mini_batch_of_very_many_items_arrives_whole(windrow: Windrow, moody: Path) -> None:
    names = [f"{number:05}-{'x' * 40}" for number in range(3000)]
    windrow.files([*names[:-1], b"name-\xff"])
    job = run_program(windrow, moody, **{"--mini-batch-size": 3000})
    assert job.exit == 0
    assert job.rows() == [*names[:-1], "name-\udcff"]
    assert "1 of 1 done" in job.text


# C650 C652
@pytest.mark.parametrize(
    ("mood", "error", "message"),
    [
        ("throws", "BadMood", "f0003.throws is in a bad mood"),
        ("standard", "std::runtime_error", 'f0003.standard said "no" \\ \u00e4 \\xff'),
        ("other", "exception", "something was thrown that is not a std::exception"),
        ("aborts", "ProcessDied", "was killed by SIGABRT"),
        ("hangs", "TimeoutError", "0.5 s"),
    ],
)
def test_what_goes_wrong_costs_its_mini_batch(
    windrow: Windrow, moody: Path, mood: str, error: str, message: str
) -> None:
    names = numbered(12)
    names[3] += f".{mood}"
    windrow.files(names)
    job = run_program(
        windrow, moody, **{"--mini-batch-size": 2, "--max-retries": 1, "--timeout": 0.5}
    )
    assert job.exit == 0
    assert job.rows() == names[:2] + names[4:]
    letter = job.failed_items()[0]
    assert (letter["mini_batch"], letter["error_type"]) == (1, error)
    assert message in letter["error_message"]
    assert len(job.attempts(1)) == 2
    if mood in ("throws", "standard", "other"):
        assert f"mini-batch 1 picked 2: run\n{error}: " in job.logs("logs/user/error/0/*")
    windrow.expect_no_orphans()


# C652
def test_errors_are_known_by_the_names_of_their_classes(windrow: Windrow, moody: Path) -> None:
    windrow.files(["a.standard", "b.throws"])
    rule = "retry_settings.fail_fast_on=std.runtime_error"
    job = run_program(windrow, moody, "--set", rule, **{"--mini-batch-size": 1})
    assert (len(job.attempts(0)), len(job.attempts(1))) == (1, 3)


# C650
def test_init_that_throws_ends_the_job(windrow: Windrow, moody: Path) -> None:
    windrow.files(2)
    job = run_program(windrow, moody, "--", "--no-model")
    assert job.exit == 1
    assert "std::runtime_error: there is no model" in job.text


# C650 C653
def test_a_job_file_names_a_program_with_its_arguments(windrow: Windrow, moody: Path) -> None:
    shutil.copy(moody, windrow.folder / "moody")
    windrow.files(3)
    (windrow.folder / "model.bin").write_text("m")
    windrow.job_file(
        {
            "type": "parallel",
            "inputs": {"data": {"path": "in"}, "model": {"type": "uri_file", "path": "model.bin"}},
            "outputs": {"rows": {"path": "out"}},
            "input_data": "${{inputs.data}}",
            "task": {
                "command": "./moody --model ${{inputs.model}} 'two words'",
                "program_arguments": "--nice 5",
                "append_row_to": "${{outputs.rows}}",
            },
        }
    )
    job = windrow.command("run", "job.yml", result=windrow.folder / "out/parallel_run_step.txt")
    assert job.exit == 0
    assert job.rows() == numbered(3)
    words = [str(windrow.folder / "moody"), "--model", f"{windrow.folder}/model.bin", "two words"]
    assert f"arguments: {'|'.join([*words, '--nice', '5'])}\n" in job.logs("logs/user/stdout/0/*")
    assert "command: " in job.log("job.yml")


# C650 C653
def test_killed_at_any_time_it_goes_on_to_the_same_bytes(windrow: Windrow, moody: Path) -> None:
    names = [f"{name}.slow" for name in numbered(60)]
    windrow.files(names)
    flags = ["--input", "in", "--output", "out", "--mini-batch-size", "1", "--workers", "2"]
    result = windrow.folder / "out/parallel_run_step.txt"
    first = windrow.begin("run", str(moody), *flags, result=result)
    until(lambda: len(list(windrow.home.glob("jobs/*/logs/user/stdout/0/*"))) > 0, "workers began")
    until(lambda: windrow.count("begun") > 10, "ten mini-batches have begun")
    first.kill()
    windrow.expect_no_orphans()
    job = windrow.command("run", str(moody), *flags, result=result)
    assert "continuing" in job.text
    assert job.rows() == names


# C653
def test_another_program_under_the_same_name_is_noticed(windrow: Windrow, moody: Path) -> None:
    shutil.copy(moody, windrow.folder / "mine")
    windrow.files([f"{name}.slow" for name in numbered(40)])
    flags = ["--input", "in", "--output", "out", "--mini-batch-size", "1"]
    running = windrow.begin("run", "./mine", *flags)
    until(lambda: windrow.count("begun") > 3, "it has begun")
    job = running.kill()
    windrow.expect_no_orphans()
    with (windrow.folder / "mine").open("ab") as program:
        program.write(b"\0")
    again = windrow.command("job", "resume", job.name)
    assert again.exit == 2
    assert "mine' is changed" in again.text


# C651
def test_staged_files_of_a_program_count_once(windrow: Windrow, moody: Path) -> None:
    names = ["a", "b.writes", "c.writes", "d.writes.throws"]
    windrow.files(names)
    flags = ["--set", "staged_outputs=true"]
    job = run_program(windrow, moody, *flags, **{"--mini-batch-size": 1, "--max-retries": 1})
    assert job.exit == 0
    written = sorted(path.name for path in (windrow.folder / "out").iterdir())
    assert written == ["b.writes.copy", "c.writes.copy", "parallel_run_step.txt"]


def test_by_hand_it_says_what_it_is(moody: Path) -> None:
    done = subprocess.run([moody], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 70
    assert "is a worker of windrow" in done.stderr


# ---- Lines.


# C654
def test_any_filter_is_a_worker(windrow: Windrow) -> None:
    names = [*numbered(25), "with space", "it's"]
    windrow.files(names)
    job = run_program(
        windrow, "xargs", "--command-mode", "filter", "--", "-d", "\\n", "md5sum",
        **{"--mini-batch-size": 4},
    )  # fmt: skip
    assert job.exit == 0
    expected = [
        f"{hashlib.md5(name.encode()).hexdigest()}  {windrow.folder}/in/{name}"
        for name in sorted(names)
    ]
    assert job.rows() == expected


# C654
def test_a_filter_that_fails_says_why(windrow: Windrow) -> None:
    windrow.files(4)
    program = script_of_lines(
        windrow,
        "import sys\n"
        "lines = sys.stdin.read().split()\n"
        "if lines[0].endswith('f0002'): sys.exit('no such model')\n"
        "print(*lines, sep='\\n')\n",
    )
    job = run_program(
        windrow, program, "--command-mode", "filter",
        **{"--mini-batch-size": 2, "--max-retries": 1},
    )  # fmt: skip
    assert job.exit == 0
    assert len(job.rows()) == 2
    letter = job.failed_items()[0]
    assert letter["error_type"] == "CommandFailed"
    assert letter["error_message"] == f"{program} exited with 1: no such model"
    assert "no such model" in job.logs("logs/user/stderr/0/*")


# C654
def test_fewer_lines_than_items_are_counted_as_rows_are(windrow: Windrow) -> None:
    windrow.files(10)
    job = run_program(windrow, "grep", "--command-mode", "filter", "--", "[0-4]$")
    assert job.exit == 0
    assert [Path(row).name for row in job.rows()] == numbered(5)
    assert "5 succeeded, 5 failed" in job.text


ECHO = """
import os, sys
print("loaded", file=sys.stderr)
for line in sys.stdin:
    path = line.rstrip("\\n")
    if path.endswith("dies"):
        sys.exit(3)
    extra = "\\nand more" if path.endswith("chatty") else ""
    print(os.getpid(), os.path.basename(path) + extra, flush=True)
"""


# C655
def test_a_program_of_lines_is_started_once(windrow: Windrow) -> None:
    names = numbered(40)
    windrow.files(names)
    program = script_of_lines(windrow, ECHO)
    job = run_program(
        windrow, program, "--command-mode", "lines", **{"--mini-batch-size": 3, "--workers": 1}
    )
    assert job.exit == 0
    assert [row.split()[1] for row in job.rows()] == names
    assert len({row.split()[0] for row in job.rows()}) == 1
    assert job.logs("logs/user/stderr/0/*") == "loaded\n"
    windrow.expect_no_orphans()


# C655
@pytest.mark.parametrize(
    ("kind", "message"), [("dies", "exited with 3"), ("chatty", "gave more lines than it got")]
)
def test_a_program_of_lines_that_misbehaves_costs_its_mini_batch(
    windrow: Windrow, kind: str, message: str
) -> None:
    names = numbered(9)
    names[4] += kind
    windrow.files(names)
    program = script_of_lines(windrow, ECHO)
    job = run_program(
        windrow, program, "--command-mode", "lines",
        **{"--mini-batch-size": 1, "--max-retries": 1, "--workers": 1},
    )  # fmt: skip
    assert job.exit == 0
    assert [row.split()[1] for row in job.rows()] == names[:4] + names[5:]
    assert message in job.failed_items()[0]["error_message"]


# C891
@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize(
    "extra",
    [
        "if path.endswith('f0004'): print('and more', flush=True)",
        "time.sleep(0.05); print('late', flush=True)",
        "print('and no line break', end='', flush=True)",
    ],
)
def test_a_line_too_many_never_becomes_the_answer_of_another(
    windrow: Windrow, extra: str, count: int
) -> None:
    names = numbered(9)
    windrow.files(names)
    program = script_of_lines(
        windrow,
        "import os, sys, time\n"
        "for line in sys.stdin:\n"
        "    path = line.rstrip()\n"
        "    print(os.path.basename(path), flush=True)\n"
        f"    {extra}\n",
    )
    job = run_program(
        windrow, program, "--command-mode", "lines",
        **{"--mini-batch-size": count, "--max-retries": 0, "--workers": 1},
    )  # fmt: skip
    bad = {4 // count * count + place for place in range(count)} if "f0004" in extra else range(9)
    assert (job.rows() if job.exit == 0 else []) == [
        name for number, name in enumerate(names) if number not in bad
    ]
    letters = job.failed_items()
    assert len(letters) == len(bad)
    assert all("gave more lines than it got" in letter["error_message"] for letter in letters)
    assert "print everything else to stderr" in letters[0]["error_message"]


# C892
@pytest.mark.parametrize("greeting", ["print('Welcome!', flush=True)", "input('Welcome!')"])
@pytest.mark.parametrize("reader", ["sys.stdin", "by_poll()", "by_select()", "by_epoll()"])
def test_a_greeting_is_not_an_answer(windrow: Windrow, greeting: str, reader: str) -> None:
    windrow.files(6)
    program = script_of_lines(
        windrow,
        "import os, select, sys, time\n"
        "def lines(wait):\n"
        "    while wait():\n"
        "        text = os.read(0, 1 << 16).decode()\n"
        "        if not text: return\n"
        "        yield from text.splitlines()\n"
        "def by_select(): return lines(lambda: select.select([0], [], []))\n"
        "def by_poll():\n"
        "    poll = select.poll(); poll.register(0, select.POLLIN)\n"
        "    return lines(poll.poll)\n"
        "def by_epoll():\n"
        "    epoll = select.epoll(); epoll.register(0, select.EPOLLIN)\n"
        "    return lines(epoll.poll)\n"
        "time.sleep(0.3)  # loads a model\n"
        "if len(sys.argv) == 1:\n"
        f"    {greeting}\n"
        f"for line in {reader}: time.sleep(0.01); print(line.strip(), flush=True)\n",
    )
    flags = {"--workers": 1, "--mini-batch-size": 2}
    job = run_program(windrow, program, "--command-mode", "lines", **flags)
    assert job.exit == 1
    assert "lines wrote 'Welcome!' before it was asked anything; it must answer" in job.text
    assert not job.result.exists()
    quiet = run_program(windrow, program, "--command-mode", "lines", "--", "--quiet", **flags)
    assert quiet.exit == 0
    assert [Path(row).name for row in quiet.rows()] == numbered(6)


# C891
def test_a_program_behind_a_shell_is_seen_to_wait(windrow: Windrow) -> None:
    windrow.files(6)
    program = script_of_lines(windrow, ECHO)
    job = run_program(
        windrow, "sh", "--command-mode", "lines", "--", "-c", f"{program}; true",
        **{"--workers": 1, "--mini-batch-size": 2},
    )  # fmt: skip
    assert job.exit == 0
    assert [row.split()[1] for row in job.rows()] == numbered(6)


# C704
def test_a_program_that_keeps_its_lines_back_is_told_so(windrow: Windrow) -> None:
    windrow.files(2)
    deaf = "import os, sys\nfor line in sys.stdin: os.path.exists(line)\n"
    program = script_of_lines(windrow, deaf)
    flags = {"--timeout": 1, "--max-retries": 0, "--workers": 1}
    job = run_program(windrow, program, "--command-mode", "lines", **flags)
    assert job.exit == 1
    hint = "does the program answer each line with one line, and flush it at once (flush=True, "
    assert hint in job.text
    assert hint in job.failed_items()[0]["error_message"]
    other = run_program(windrow, program, "--command-mode", "filter", **flags)
    assert hint not in other.text


# C654 C655
@pytest.mark.parametrize("mode", ["lines", "filter"])
def test_a_name_with_a_line_break_is_not_two_names(windrow: Windrow, mode: str) -> None:
    windrow.files(["a", "b\nc", "d"])
    program = script_of_lines(windrow, ECHO)
    job = run_program(
        windrow, program, "--command-mode", mode, **{"--mini-batch-size": 1, "--max-retries": 0}
    )
    assert [row.split()[1] for row in job.rows()] == ["a", "d"]
    assert job.failed_items()[0]["error_type"] == "LineBreakInName"


# C654
def test_a_filter_that_hangs_is_ended_with_its_children(windrow: Windrow) -> None:
    windrow.files(2)
    job = run_program(
        windrow, "sh", "--command-mode", "filter", "--", "-c", "sleep 600 & sleep 600",
        **{"--max-retries": 0, "--timeout": 0.5},
    )  # fmt: skip
    assert job.failed_items()[0]["error_type"] == "TimeoutError"
    windrow.expect_no_orphans()


# C654
def test_more_goes_through_than_a_pipe_holds(windrow: Windrow) -> None:
    names = [f"{number:05}-{'x' * 100}" for number in range(3000)]
    windrow.files(names)
    job = run_program(windrow, "cat", "--command-mode", "filter", **{"--mini-batch-size": 3000})
    assert [os.path.basename(row) for row in job.rows()] == names


# ---- What is refused.


# C656
def test_what_cannot_be_a_program_is_refused(windrow: Windrow) -> None:
    windrow.files(1)
    (windrow.folder / "notes.txt").write_text("?")
    cases = [
        ("nosuch", "there is no program 'nosuch' in PATH; a job begins with a Python file"),
        ("notes.txt", "did you mean ./notes.txt?"),
        ("./notes.txt", "notes.txt' cannot be executed"),
        ("./missing", "there is no program '"),
    ]
    for program, message in cases:
        job = windrow.command("run", program, "--input", "in", "--output", "out")
        assert job.exit == 2, job
        assert message in job.text
    assert windrow.job_folders() == []


# C656
def test_a_program_that_does_not_speak_is_told_of_the_modes(windrow: Windrow) -> None:
    windrow.files(3)
    job = run_program(windrow, "wc")
    assert job.exit == 1
    assert "--command-mode filter" in job.text


# C656
def test_a_command_and_a_script_are_one_too_many(windrow: Windrow) -> None:
    windrow.files(1)
    windrow.script("def run(x): return x\n")
    for keys, message in [
        ({"command": "./a", "entry_script": "score.py"}, "stands in place of entry_script"),
        ({"command": " "}, "is empty; it begins with a program"),
        ({"command": "./a", "command_mode": "line"}, "allowed is protocol, lines or filter"),
        ({"command_mode": "lines", "entry_script": "score.py"}, "needs task.command"),
        ({"command": "./a ${{inputs.modle}}"}, "modle"),
    ]:
        job_file = windrow.keys_file("in", "out", {"task": keys})
        job = windrow.command("run", str(job_file))
        assert job.exit == 2, job
        assert message in job.text


# C656
def test_a_program_is_not_tried_in_this_terminal(windrow: Windrow, moody: Path) -> None:
    windrow.files(1)
    job = windrow.command("run", str(moody), "--input", "in", "--output", "out", "--local")
    assert job.exit == 2
    assert "this works with Python scripts" in job.text
    plan = windrow.command("plan", str(moody), "--input", "in", "--output", "out")
    assert plan.exit == 0
    assert f"command       {moody}" in plan.text
    assert "python " not in plan.text.split("\n\n")[0]
