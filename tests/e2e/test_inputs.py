# SPDX-License-Identifier: Apache-2.0
"""Inputs beyond one folder: several of them, globs, lists, byte caps, and none at all."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from typing import Any

import pytest
from workbench import BINARY, NAMES, Windrow, numbered, until

# One row for each item: number of the mini-batch and the path below the folder of the test.
BATCHES = """
import os

HERE = os.environ["HERE"]

def run(mini_batch, context):
    return [f"{context.minibatch_index} {os.path.relpath(path, HERE)}" for path in mini_batch]
"""

SLOW = """
import os, time

def run(mini_batch):
    with open(os.environ["HERE"] + "/ran", "a") as ran:
        ran.write("x\\n")
    time.sleep(0.02)
    return [os.path.basename(path) for path in mini_batch]
"""


def job(
    windrow: Windrow, inputs: dict[str, Any], script: str = BATCHES, **settings: Any
) -> list[str]:
    """Writes a job file; gives the command that runs it."""
    windrow.script(script)
    content = {
        "type": "parallel",
        "inputs": {
            name: {"path": value} if not isinstance(value, dict) else value
            for name, value in inputs.items()
        },
        "input_data": [f"${{{{inputs.{name}}}}}" for name in inputs],
        "outputs": {"rows": {"path": "out"}},
        "environment_variables": {"HERE": str(windrow.folder)},
        "task": {"entry_script": "score.py", "append_row_to": "${{outputs.rows}}"},
        **settings,
    }
    if not inputs:
        del content["inputs"], content["input_data"]
    return ["run", str(windrow.job_file(content)), "--workers", "2"]


def run(windrow: Windrow, inputs: dict[str, Any], **settings: Any) -> Any:
    command = job(windrow, inputs, **settings)
    return windrow.command(*command, result=windrow.folder / "out/parallel_run_step.txt")


# C150 C51 C52
def test_several_inputs_are_taken_one_after_another_and_never_mixed(windrow: Windrow) -> None:
    windrow.files(7, folder="seven")
    windrow.files(8, folder="eight")
    done = run(windrow, {"a": "seven", "b": "eight"}, mini_batch_size=5)
    assert done.exit == 0
    expected = [f"{i // 5} seven/{name}" for i, name in enumerate(numbered(7))]
    expected += [f"{2 + i // 5} eight/{name}" for i, name in enumerate(numbered(8))]
    assert done.rows() == expected
    by_batch = sorted(done.attempts(), key=lambda a: int(a["Mini-batch Id"]))
    assert [int(a["Total"]) for a in by_batch] == [5, 2, 5, 3]
    roots = [json.loads(a["Mini-batch Detail"])["root"] for a in by_batch]
    assert roots == [str(windrow.folder / name) for name in ("seven", "seven", "eight", "eight")]


# C151 C153 C164 C152 C156
def test_paths_of_one_input_are_taken_in_the_order_given(windrow: Windrow) -> None:
    windrow.files(["b.jpg", "a.jpg", ".c.jpg", "d.png", "deep/er/e.jpg", "x.tmp"])
    windrow.files(["odd"], folder="in[1]")
    done = run(
        windrow,
        {
            "a": {
                "path": ["in/d.png", "in/*.jpg", "in[1]", "in/**/*.jpg", "in/[x-z].*"],
                "ignore": ["*.tmp", "a.*"],
            }
        },
        mini_batch_size=3,
    )
    assert done.exit == 0
    paths = ["in/d.png", "in/.c.jpg", "in/b.jpg", "in[1]/odd"]
    paths += ["in/.c.jpg", "in/b.jpg", "in/deep/er/e.jpg"]
    assert done.rows() == [f"{i // 3} {path}" for i, path in enumerate(paths)]


# C153 C154 C42
@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("in/*.gif", "the glob '{here}/in/*.gif' matches no file"),
        ("nowhere/*.gif", "there is no folder '{here}/nowhere'"),
        ("@nowhere", "there is no list of paths '{here}/nowhere'"),
        ("@list", "6 of the 7 paths in {here}/list are not there: 'in/x0', 'in/x1'"),
        (["in", "gone"], "there is no input '{here}/gone'"),
    ],
)
def test_what_is_not_there_is_refused_by_name(windrow: Windrow, path: Any, message: str) -> None:
    windrow.files(["a"])
    (windrow.folder / "list").write_text("in/a\n" + "".join(f"in/x{i}\n" for i in range(6)))
    done = run(windrow, {"a": path})
    assert done.exit == 2
    assert message.format(here=windrow.folder) in done.text
    assert windrow.job_folders() == []


# C154 C12 C52
def test_a_list_keeps_its_order_and_names_any_file(windrow: Windrow) -> None:
    names = [b"-rf", b"two\nlines", b"caf\xe9", b"--input", b"a", b"b" * 255]
    windrow.files(names)
    elsewhere = windrow.files(["c"], folder="elsewhere") / "c"
    listed = [*names, os.fsencode(elsewhere), b"a"]
    (windrow.folder / "in/list").write_bytes(b"".join(name + b"\0" for name in listed))
    done = run(windrow, {"a": "@in/list"}, mini_batch_size=3)
    assert done.exit == 0
    expected = [b"in/" + name for name in names] + [b"elsewhere/c", b"in/a"]
    rows = b"".join(b"%d %s\n" % (i // 3, path) for i, path in enumerate(expected))
    assert done.bytes() == rows
    done.result.unlink()
    failed = run(windrow, {"a": "@in/list"}, script="def run(mini_batch):\n    1 / 0")
    assert str(elsewhere) in [item["item"] for item in failed.failed_items()]


def piped(windrow: Windrow, text: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [BINARY, *arguments],
        cwd=windrow.folder,
        env=windrow.environment,
        input=text,
        capture_output=True,
        timeout=60,
    )


# C155 C670
@pytest.mark.parametrize("flags", [[], ["--local"]])
def test_a_list_on_standard_input_may_name_tables(windrow: Windrow, flags: list[str]) -> None:
    windrow.script("def run(frame):\n    return [f'{n} {len(frame)}' for n in frame['n']]\n")
    (windrow.folder / "b.csv").write_text("n\n0\n1\n2\n")
    (windrow.folder / "a.csv").write_text("n\n3\n4\n")
    command = ["run", "score.py", "--as", "table", "--input", "-", "--output", "out", *flags]
    done = piped(windrow, b"b.csv\na.csv\n", *command)
    assert done.returncode == 0, done.stderr
    rows = (windrow.folder / "out/parallel_run_step.txt").read_text().splitlines()
    assert rows == ["0 3", "1 3", "2 3", "3 2", "4 2"]


# C155 C61
def test_a_list_on_standard_input_is_kept_for_the_job_that_goes_on(windrow: Windrow) -> None:
    windrow.files(400)
    names = numbered(400)[::-1]
    text = "".join(f"in/{name}\n" for name in names).encode()
    command = job(windrow, {"a": "-"}, script=SLOW, mini_batch_size=2)
    with subprocess.Popen(
        [BINARY, *command],
        cwd=windrow.folder,
        env=windrow.environment,
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as first:
        assert first.stdin is not None
        first.stdin.write(text)
        first.stdin.close()
        until(lambda: windrow.count("ran") >= 20, "twenty mini-batches ran")
        first.send_signal(signal.SIGKILL)
    assert len(windrow.job_folders()) == 1
    other = piped(windrow, text[:-9], *command)
    assert other.returncode == 2
    assert b"the list on standard input is not the one that job" in other.stderr
    same = piped(windrow, text, *command)
    assert same.returncode == 0, same.stderr
    assert b"continuing job" in same.stderr
    assert (windrow.folder / "out/parallel_run_step.txt").read_text().split() == names


# C155
def test_standard_input_is_looked_at_before_anything_starts(windrow: Windrow) -> None:
    windrow.files(2)
    command = job(windrow, {"a": "-"})
    refused = piped(windrow, b"in/f0000\nin/gone\n", *command)
    assert refused.returncode == 2
    assert b"1 of the 2 paths in standard input are not there: 'in/gone'" in refused.stderr
    assert windrow.job_folders() == []


# C157 C158
def test_byte_caps_close_mini_batches_and_the_largest_go_first(windrow: Windrow) -> None:
    root = windrow.files(0)
    sizes = {"a": 600, "b": 600, "c": 300, "d": 5000, "e": 10, "f": 1024, "g": 0}
    for name, size in sizes.items():
        (root / name).write_bytes(b"x" * size)
    done = run(windrow, {"a": "in"}, mini_batch_size="1KB")
    assert done.rows() == ["0 in/a", "1 in/b", "1 in/c", "2 in/d", "3 in/e", "4 in/f", "4 in/g"]
    done.result.unlink()
    done = run(windrow, {"a": "in"}, mini_batch_size="1KB", largest_first=True)
    assert done.rows() == ["0 in/d", "1 in/f", "1 in/g", "2 in/b", "2 in/c", "3 in/a", "4 in/e"]


# C159 C3
def test_a_job_without_inputs_runs_mini_batches_without_items(windrow: Windrow) -> None:
    script = """
def run(mini_batch, context):
    assert mini_batch == []
    return [context.minibatch_index]
"""
    done = run(windrow, {}, script=script, rank_mini_batch_count=7)
    assert done.exit == 0, done
    assert done.rows() == [str(i) for i in range(7)]


# C160 C45
def test_an_empty_input_is_allowed_when_the_job_says_so(windrow: Windrow) -> None:
    windrow.files(0)
    windrow.files(2, folder="full")
    done = run(windrow, {"a": "full", "b": "in"})
    assert done.exit == 1
    assert f"the input '{windrow.folder}/in' holds no file" in done.text
    done = run(windrow, {"a": "in"}, allow_empty_input=True)
    assert done.exit == 0, done
    assert done.bytes() == b""
    done.result.unlink()
    done = run(windrow, {"a": "full", "b": "in"}, allow_empty_input=True)
    assert done.exit == 0, done
    assert done.rows() == ["0 full/f0000", "0 full/f0001"]


# C161
def test_what_is_no_file_is_counted(windrow: Windrow) -> None:
    root = windrow.files(["a"])
    os.mkfifo(root / "pipe")
    (root / "dangling").symlink_to("nowhere")
    done = run(windrow, {"a": "in"})
    assert done.rows() == ["0 in/a"]
    assert "2 entries in the input are left out" in done.text


# C586
def test_folders_of_tools_are_items_and_told_with_what_leaves_them_out(windrow: Windrow) -> None:
    windrow.script(NAMES)
    windrow.files(["a", "sub/.git/deep/config", "sub/__pycache__/score.pyc", "git/.gitignore"])
    flags = ["score.py", "--input", "in", "--output", "out"]
    line = (
        "files in folders named .git, __pycache__ are items too; "
        """`--set inputs.data.ignore='[".git","__pycache__"]'` leaves them out, """
        "or ignore of the input in a job file\n"
    )
    planned = windrow.command("plan", *flags)
    assert planned.text.count(line) == 1
    notices = json.loads(windrow.command("plan", *flags, "-o", "json").text)["notices"]
    assert notices == [line.rstrip("\n")]
    done = windrow.command("run", *flags, result=windrow.folder / "out/parallel_run_step.txt")
    assert done.text.count(line) == 1
    assert done.rows() == ["a", ".gitignore", "config", "score.pyc"]
    done.result.unlink()
    done = windrow.command(*("run", *flags, "--set", "inputs.data.ignore=.git"), result=done.result)
    assert done.rows() == ["a", ".gitignore", "score.pyc"]
    assert "files in folders named __pycache__ are items too" in done.text
    both = """inputs.data.ignore=[".git","__pycache__"]"""
    done.result.unlink()
    done = windrow.command(*("run", *flags, "--set", both), result=done.result)
    assert done.rows() == ["a", ".gitignore"]
    keys = {"inputs": {"data": {"path": "in", "ignore": [".git", "__pycache__"]}}}
    done = windrow.run(None, output="again", keys=keys)
    assert done.rows() == ["a", ".gitignore"]
    assert "are items too" not in done.text


# C586
def test_a_glob_that_passes_by_and_a_list_are_taken_at_their_word(windrow: Windrow) -> None:
    windrow.files([".git/config", ".git/b.txt", "a.txt"])
    (windrow.folder / "list").write_text("in/.git/config\n")
    done = run(windrow, {"a": "in/*.txt", "b": "@list", "c": "in/.git"})
    assert done.exit == 0, done
    assert "are items too" not in done.text


# C165
def test_the_input_folder_may_be_the_output_folder(windrow: Windrow) -> None:
    windrow.files(["a", "b"])
    done = windrow.run(NAMES, output="in/")
    assert done.exit == 0, done
    assert done.rows() == ["a", "b"]
    assert "--output: is the input folder too: " in done.text
    assert "is an item of the next run" in done.text
    again = windrow.run(NAMES, "--set", "output_exists=overwrite", output="in")
    assert again.rows() == ["a", "b"], "the old result is not an item"
    assert "is the input folder too" not in windrow.run(NAMES, output="in/below").text


# C163 C64
@pytest.mark.parametrize("change", ["list", "glob"])
def test_a_changed_list_or_glob_is_refused_on_resume(windrow: Windrow, change: str) -> None:
    windrow.files(300)
    listed = windrow.folder / "list"
    listed.write_text("".join(f"in/{name}\n" for name in numbered(100)[::-1]))
    inputs = {"a": "@list", "b": "in/f02*"}
    command = job(windrow, inputs, script=SLOW, mini_batch_size=1)
    running = windrow.begin(*command)
    until(lambda: windrow.count("ran") >= 20, "twenty mini-batches ran")
    running.kill()
    if change == "list":
        listed.write_text(listed.read_text().replace("in/f0003\n", ""))
        what = f"'{windrow.folder}/in/f0003' is missing"
    else:
        (windrow.folder / "in/f02zz").touch()
        what = f"'{windrow.folder}/in/f02zz' is additional"
    again = windrow.command(*command)
    assert again.exit == 1
    assert what in again.text


# C69 C66
def test_retry_and_resume_know_which_input_a_mini_batch_is_of(windrow: Windrow) -> None:
    windrow.files(5, folder="one")
    windrow.files(5, folder="two")
    script = BATCHES.replace(
        "    return",
        "    assert os.path.exists(HERE + '/well') or '/two/' not in mini_batch[0]\n    return",
    )
    first = run(windrow, {"a": "one", "b": "two"}, script=script, mini_batch_size=2)
    assert first.exit == 0
    assert first.rows() == [f"{i // 2} one/{name}" for i, name in enumerate(numbered(5))]
    assert len(first.failed_items()) == 5
    (windrow.folder / "well").touch()
    again = windrow.command("retry", first.name)
    assert again.exit == 0, again
    rows = (again.folder / "outputs/rows/parallel_run_step.txt").read_text().splitlines()
    assert rows == first.rows() + [f"{3 + i // 2} two/{name}" for i, name in enumerate(numbered(5))]


# C10 C11 C167
@pytest.mark.torture
@pytest.mark.timeout(1800)
def test_a_million_files_are_a_million_rows(windrow: Windrow) -> None:
    names = [f"{i // 10000:02}/{i:06}" for i in range(1_000_000)]
    root = windrow.folder / "in"
    for name in names:
        if name.endswith("0000"):
            (root / name).parent.mkdir(parents=True)
        os.close(os.open(root / name, os.O_CREAT | os.O_WRONLY))
    done = windrow.run(NAMES, size=1000, seconds=600)
    assert done.exit == 0, done
    assert done.rows() == [name[3:] for name in names]
    assert [int(a["Total"]) for a in done.attempts() if a["Status"] == "RUN_DONE"] == [1000] * 1000
    shutil.rmtree(root)  # pytest would keep it


# C167
def test_a_mini_batch_of_a_thousand_files_is_one(windrow: Windrow) -> None:
    names = [f"{i:04}" + "x" * 90 for i in range(1000)]
    windrow.files(names)
    done = windrow.run(NAMES, size=1000)
    assert done.exit == 0
    assert done.rows() == names
    assert [int(a["Total"]) for a in done.attempts()] == [1000]
