# SPDX-License-Identifier: Apache-2.0
"""EntryScript, inside a worker and as a plain package."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from fake_agent import Agent

SOURCE = Path(__file__).resolve().parents[1] / "src"

SCRIPT = """
import os
from azureml_user.parallel_run import EntryScript

def init():
    global entry
    entry = EntryScript()
    assert os.path.isdir(entry.log_dir)
    entry.logger.debug("in init")

def run(mini_batch):
    assert EntryScript() is entry
    EntryScript().logger.info("run %d \\udcff", len(mini_batch))
    return [entry.log_dir, entry.output_dir, entry.agent_name, entry.node_id, entry.working_dir]
"""


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The package as a test of the user's sees it: no worker, an empty folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("WINDROW_LOG_DIR", "WINDROW_PROCESS", "AZUREML_BI_OUTPUT_PATH", "WINDROW_NODE_ID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delitem(sys.modules, "azureml_user.parallel_run", raising=False)
    return importlib.import_module("azureml_user.parallel_run")


def in_worker(folder: Path, **environment: str) -> Agent:
    return Agent(
        folder,
        WINDROW_LOG_DIR=str(folder / "log"),
        WINDROW_PROCESS="process007",
        WINDROW_NODE_ID="3",
        WINDROW_WORKING_DIR="/srv/here",
        AZUREML_BI_OUTPUT_PATH=str(folder / "output"),
        **environment,
    )


# C186
def test_a_worker_gives_the_script_its_folders_and_names(tmp_path: Path) -> None:
    agent = in_worker(tmp_path)
    started = agent.start(SCRIPT)
    assert started.kind == 1, started.payload
    assert agent.run("/a").payload.decode().split() == [
        str(tmp_path / "log"),
        str(tmp_path / "output"),
        "process007",
        "3",
        "/srv/here",
    ]
    agent.close()
    text = (tmp_path / "log/process007.log.txt").read_bytes()
    pid = agent.process.pid
    line = rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\|%s\|%d\|%s\n"
    assert re.fullmatch(
        line % (b"DEBUG", pid, b"in init") + line % (b"INFO", pid, rb"run 1 \xff"), text
    )
    assert agent.user("stdout") == ""


# C187
def test_a_level_that_the_job_sets_filters_the_logger(tmp_path: Path) -> None:
    agent = in_worker(tmp_path, WINDROW_ENTRY_LOG_LEVEL="INFO")
    agent.start(SCRIPT)
    agent.run("/a")
    agent.close()
    text = (tmp_path / "log/process007.log.txt").read_text("utf-8", "replace")
    assert "in init" not in text
    assert "run 1" in text


# C188
def test_the_log_of_the_logger_is_put_aside_when_it_is_full(tmp_path: Path) -> None:
    agent = in_worker(tmp_path, WINDROW_USER_LOG_MAX="1000")
    agent.start(SCRIPT)
    for _ in range(60):
        agent.run("/a")
    agent.close()
    assert (tmp_path / "log/process007.log.1.txt").stat().st_size <= 1000


# C186
def test_a_package_of_the_user_with_that_name_wins(agent: Agent) -> None:
    agent.script("", "azureml_user/__init__.py")
    agent.script("EntryScript = 'mine'", "azureml_user/parallel_run.py")
    agent.start("from azureml_user.parallel_run import EntryScript as e\ndef run(b): return [e]")
    assert agent.run("/a").payload == b"mine\n"


# C189
def test_outside_a_worker_folders_below_the_current_one_are_used(
    module: ModuleType, tmp_path: Path
) -> None:
    entry = module.EntryScript()
    assert entry is module.EntryScript()
    assert (entry.agent_name, entry.node_id, entry.working_dir) == ("process000", 0, str(tmp_path))
    assert entry.log_dir == str(tmp_path / "logs/user/entry_script_log/0")
    assert Path(entry.output_dir) == tmp_path / "outputs"
    assert Path(entry.output_dir).is_dir()
    entry.logger.debug("hello")
    assert (tmp_path / "logs/user/entry_script_log/0/process000.log.txt").read_text()[
        -6:
    ] == "hello\n"
    assert repr(entry) == "EntryScript(node_id=0, agent_name='process000')"
    entry.logger.handlers.clear()


# C189
def test_a_script_with_entry_script_runs_under_plain_pytest(tmp_path: Path) -> None:
    (tmp_path / "score.py").write_text(SCRIPT)
    (tmp_path / "test_score.py").write_text(
        "import score\n\ndef test_it():\n    score.init()\n"
        "    assert score.run(['a'])[2] == 'process000'\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        cwd=tmp_path,
        env={"PYTHONPATH": str(SOURCE), "PATH": ""},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
