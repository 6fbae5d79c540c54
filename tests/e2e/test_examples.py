# SPDX-License-Identifier: Apache-2.0
"""Each example runs as its README says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from workbench import BINARY, ROOT

EXAMPLES = ROOT / "examples"


def run(*command: str | Path, cwd: Path, home: Path, **variables: str) -> str:
    env = dict(os.environ, WINDROW=str(BINARY), WINDROW_HOME=str(home), **variables)
    env["PATH"] = f"{BINARY.parent}:{env['PATH']}"
    done = subprocess.run(
        command, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120
    )
    said = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0, said
    return said


def fences(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S)


def test_the_batch_of_requests_gives_what_its_readme_says(tmp_path: Path) -> None:
    folder = tmp_path / "openai-batch"
    shutil.copytree(EXAMPLES / "openai-batch", folder)
    (script,) = fences(folder / "README.md", "sh")
    (said,) = fences(folder / "README.md", "text")
    env = {"WINDROW_PYTHON": sys.executable}
    assert run("sh", "-euc", script, cwd=folder, home=tmp_path / "home", **env).endswith(said)


def test_the_native_worker_gives_the_rows_of_its_readme(tmp_path: Path) -> None:
    folder = tmp_path / "examples/native-worker"
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    shutil.copytree(ROOT / "include", tmp_path / "include")
    for script in fences(folder / "README.md", "sh"):
        run("sh", "-euc", script, cwd=folder, home=tmp_path / "home")
    (rows,) = fences(folder / "README.md", "text")
    assert (folder / "out/parallel_run_step.txt").read_text("utf-8") == rows


def test_the_first_job_gives_the_rows_of_its_readme(tmp_path: Path) -> None:
    folder = tmp_path / "first-job"
    shutil.copytree(EXAMPLES / "first-job", folder)
    for script in fences(folder / "README.md", "sh"):
        run("sh", "-euc", script, cwd=folder, home=tmp_path / "home")
    (rows,) = fences(folder / "README.md", "text")
    assert (folder / "out/parallel_run_step.txt").read_text("utf-8") == rows
    assert (folder / "again/parallel_run_step.txt").read_text("utf-8") == rows


def test_the_first_job_of_the_readme_runs(tmp_path: Path) -> None:
    (script,) = fences(ROOT / "README.md", "python")
    command = next(text for text in fences(ROOT / "README.md", "sh") if "windrow run" in text)
    (tmp_path / "score.py").write_text(script, "utf-8")
    (tmp_path / "photos").mkdir()
    for number in range(12):
        (tmp_path / f"photos/{number:02}.jpg").write_bytes(b"x" * number)
    run("sh", "-euc", command, cwd=tmp_path, home=tmp_path / "home")
    rows = (tmp_path / "result/parallel_run_step.txt").read_text("utf-8").splitlines()
    assert rows == [f"{number:02}.jpg {number}" for number in range(12)]


def test_the_demo_survives_what_it_does_to_itself(tmp_path: Path) -> None:
    folder = str(tmp_path / "demo")
    script = EXAMPLES / "demo/demo.sh"
    said = run(script, cwd=tmp_path, home=tmp_path / "home", WINDROW_DEMO_DIR=folder)
    assert re.search(r"kill -9 \d+, a worker", said)
    assert re.search(r"kill -9 \d+, the engine", said)
    assert "continuing job rough" in said
    assert "identical to the undisturbed run: 9990 rows" in said
    assert "digit-04711.pgm is damaged" in said
    right = re.search(r"read ([\d,]+) of 9,990 digits right", said)
    assert right, said
    assert int(right[1].replace(",", "")) > 9000


@pytest.mark.torture
def test_the_demo_network_can_be_trained_again(tmp_path: Path) -> None:
    script = EXAMPLES / "demo/train.py"
    said = run(sys.executable, script, tmp_path / "model.json", cwd=tmp_path, home=tmp_path)
    last = re.findall(r"(\d+) of 2000 right", said)[-1]
    assert int(last) > 1800


@pytest.mark.parametrize("name", ["tables", "model-per-key", "sql"])
def test_tables_give_what_their_readme_says(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    shutil.copytree(EXAMPLES / name, folder)
    (said,) = fences(folder / "README.md", "text")
    bin_folder = Path(sys.executable).parent
    env = {"WINDROW_PYTHON": sys.executable, "PATH": f"{bin_folder}:{os.environ['PATH']}"}
    text = ""
    for script in fences(folder / "README.md", "sh"):
        text += run("sh", "-euc", script, cwd=folder, home=tmp_path / "home", **env)
    shown = [line for line in text.splitlines(keepends=True) if line in said.splitlines(True)]
    assert "".join(shown) == said
