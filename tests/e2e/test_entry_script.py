# SPDX-License-Identifier: Apache-2.0
"""Where the lines of a script go, and what it is told about itself, in a whole job."""

from __future__ import annotations

from pathlib import Path

import pytest
from workbench import Windrow, numbered

SPEAKING = """
import logging, subprocess, sys
from azureml_user.parallel_run import EntryScript

def init():
    print("p")
    logging.warning("w")
    logging.info("i")
    sys.stderr.write("e")
    EntryScript().logger.debug("d")
    subprocess.Popen(["echo", "c"]).wait()
    named = logging.getLogger("m")
    named.setLevel("INFO")
    named.info("shown")
    named.debug("hidden")

def run(mini_batch):
    return mini_batch
"""


# C47 C48 C49 C187
def test_each_line_of_a_script_is_where_the_contract_says(windrow: Windrow) -> None:
    job = windrow.run(SPEAKING, files=1, workers=1)
    assert job.exit == 0, job
    assert (
        job.log("logs/user/stdout/0/process000.stdout.txt") == "p\nWARNING:root:w\nINFO:m:shown\n"
    )
    assert job.log("logs/user/stderr/0/process000.stderr.txt") == "e"
    assert job.log("logs/user/entry_script_log/0/process000.log.txt").endswith("|d\n")
    assert job.log("logs/sys/node/0/process000.stdout.txt") == "c\n"
    assert job.log("logs/sys/node/0/process000.stderr.txt") == ""


ENTRY = """
import os
from azureml_user.parallel_run import EntryScript

entry = EntryScript()
with open(os.path.join(entry.log_dir, entry.agent_name + "_own.txt"), "w") as file:
    file.write("written at import")
with open(os.path.join(entry.output_dir, entry.agent_name + ".bin"), "w") as file:
    file.write("output")

def run(mini_batch):
    assert EntryScript() is entry
    assert os.getcwd() == entry.working_dir
    return [entry.node_id, os.path.realpath("labels/names.txt") == os.path.join(
        os.path.dirname(__file__), "labels", "names.txt"), *(os.environ[name] for name in (
        "AZUREML_NODE_COUNT", "AZ_BATCH_NODE_LIST", "AZ_BATCHAI_JOB_MASTER_NODE_IP",
        "AZ_BATCHAI_WORKER_IP", "PYTHONFAULTHANDLER", "PYTHONUNBUFFERED", "MLFLOW_TRACKING_URI"))]
"""


# C186 C195 C196
def test_a_script_knows_its_folders_and_its_cluster(windrow: Windrow) -> None:
    (windrow.folder / "labels").mkdir()
    (windrow.folder / "labels/names.txt").write_text("x")
    job = windrow.run(ENTRY, files=1, workers=1)
    assert job.exit == 0, job
    address = "127.0.0.1"
    tracking = f"file:{job.folder}/mlruns"
    assert job.rows() == ["0", "True", "1", address, address, address, "1", "1", tracking]
    assert job.log("logs/user/entry_script_log/0/process000_own.txt") == "written at import"
    assert (windrow.folder / "out/process000.bin").read_text() == "output"


# C194
def test_a_script_can_be_a_module_of_a_package(windrow: Windrow) -> None:
    windrow.script("NAME = 'pkg'", "pkg/__init__.py")
    windrow.script(
        "from . import NAME\ndef run(batch):\n    return [NAME, __name__][:len(batch)]\n",
        "pkg/score.py",
    )
    windrow.files(2)
    windrow.job_file(
        {
            "type": "parallel",
            "inputs": {"data": {"path": "in"}},
            "outputs": {"rows": {"path": "out"}},
            "input_data": "${{inputs.data}}",
            "task": {
                "code": ".",
                "entry_script": "pkg.score",
                "append_row_to": "${{outputs.rows}}",
            },
        }
    )
    target = windrow.folder / "out/parallel_run_step.txt"
    job = windrow.command("run", "job.yml", result=target)
    assert job.exit == 0, job
    assert job.rows() == ["pkg", "pkg.score"]


CHATTY = """
import json, logging, os, sys
from azureml_user.parallel_run import EntryScript

def init():
    logging.info("shown")
    EntryScript().logger.debug("hidden")
    EntryScript().logger.info("kept")
    for number in range(100):
        print(f"{number:031}", file=sys.stderr)

def run(mini_batch):
    return [{"name": os.path.basename(path), "v": [1.5, None]} for path in mini_batch]
"""


# C182 C187 C188 C192
def test_settings_of_the_job_file_reach_the_worker(windrow: Windrow) -> None:
    windrow.script(CHATTY)
    windrow.files(2)
    windrow.job_file(
        {
            "type": "parallel",
            "inputs": {"data": {"path": "in"}},
            "outputs": {"rows": {"path": "out"}},
            "input_data": "${{inputs.data}}",
            "task": {"entry_script": "score.py", "append_row_to": "${{outputs.rows}}"},
            "append_row": {"format": "jsonl"},
            "logging_level": "INFO",
            "python_logging_level": "INFO",
            "user_log_max": "1KB",
            "max_concurrency_per_instance": 1,
        }
    )
    target = windrow.folder / "out/parallel_run_step.txt"
    job = windrow.command("run", "job.yml", result=target)
    assert job.exit == 0, job
    assert job.rows() == [f'{{"name": "{name}", "v": [1.5, null]}}' for name in numbered(2)]
    assert job.log("logs/user/stdout/0/process000.stdout.txt") == "INFO:root:shown\n"
    assert job.log("logs/user/entry_script_log/0/process000.log.txt").endswith("|kept\n")
    assert "hidden" not in job.logs("logs/user/entry_script_log/0/*")
    oldest = job.log("logs/user/stderr/0/process000.stderr.3.txt")
    assert len(oldest) == 1024
    assert job.log("logs/user/stderr/0/process000.stderr.txt").endswith(f"{99:031}\n")


DIGITS = """
import os
import numpy as np
from stand_in import Graph, Image, Model

def init():
    global graph
    model = Model.get_model_path("mnist-prs")
    print(f"model {model} beside {os.path.basename(__file__)}")
    graph = Graph(model)

def run(mini_batch):
    print(f"run method start: {__file__}, run({mini_batch})")
    results = []
    for image in mini_batch:
        data = np.array(Image.open(image)).flatten()
        results.append("{}: {}".format(os.path.basename(image), graph.best(data)))
    return results
"""

STAND_IN = """
import os

class Model:
    @staticmethod
    def get_model_path(name):
        return os.path.join(os.path.dirname(__file__), name)

class Image:
    @staticmethod
    def open(path):
        with open(path, "rb") as file:
            return list(file.read())

class Graph:
    def __init__(self, folder):
        with open(os.path.join(folder, "offset")) as file:
            self.offset = int(file.read())

    def best(self, data):
        return (int(data.sum()) + self.offset) % 10
"""


# C1 C7 C18 C47
def test_the_documented_digit_sample_gives_a_line_per_image(windrow: Windrow) -> None:
    pytest.importorskip("numpy")
    windrow.script(STAND_IN, "stand_in.py")
    (windrow.folder / "mnist-prs").mkdir()
    (windrow.folder / "mnist-prs/offset").write_text("3")
    names = [f"{name}.png" for name in numbered(7)]
    job = windrow.run(DIGITS, files=names, size=5, workers=1)
    assert job.exit == 0, job
    assert job.rows() == [f"{name}: {(sum(name.encode()) + 3) % 10}" for name in names]
    assert "model " in job.logs("logs/user/stdout/0/*.txt")


# C191
def test_a_crash_leaves_its_stacks_in_the_raw_stderr(windrow: Windrow) -> None:
    script = "import os\ndef run(batch):\n    os.abort()\n"
    job = windrow.run(script, files=1, workers=1, retries=0)
    assert job.exit == 1
    text = job.logs("logs/sys/node/0/*.stderr.txt")
    assert "Fatal Python error: Aborted" in text
    assert 'score.py", line 3 in run' in text


# C188
@pytest.mark.torture
def test_a_gigabyte_of_prints_does_no_harm(windrow: Windrow) -> None:
    script = """
import sys
def run(mini_batch):
    line = "x" * (1 << 20)
    for _ in range(1024):
        print(line)
    return mini_batch
"""
    job = windrow.run(script, files=1, workers=1)
    assert job.exit == 0, job
    sizes = [p.stat().st_size for p in Path(job.folder).glob("logs/user/stdout/0/*.txt")]
    assert len(sizes) == 4
    assert max(sizes) <= 257 << 20
    for path in Path(job.folder).glob("logs/user/stdout/0/*.txt"):
        path.unlink()


# C17 C18 C20 C461
def test_results_of_every_odd_kind_are_told_apart(windrow: Windrow) -> None:
    script = r"""
import os
class Silent:
    def __str__(self):
        raise RuntimeError("no text")
KINDS = {
    "f0000": lambda: ["a\nb", "nul \0", "\udcff"][:1],
    "f0001": lambda: ["nul \0"],
    "f0002": lambda: ["\udcff"],
    "f0003": lambda: None,
    "f0004": lambda: "abc",
    "f0005": lambda: (row for row in "a"),
    "f0006": lambda: {"a": 1},
    "f0007": lambda: [Silent()],
    "f0008": lambda: ["y" * (200 << 20)],
    "f0009": lambda: 7,
}
def run(mini_batch):
    return KINDS[os.path.basename(mini_batch[0])]()
"""
    job = windrow.run(script, files=10, size=1, retries=0)
    assert job.exit == 0, job
    statuses = {line["Mini-batch Id"]: line["Status"] for line in job.attempts()}
    wrong = dict.fromkeys("34569", "RUN_WRONG_TYPE")
    done = dict.fromkeys("0128", "RUN_DONE")
    assert statuses == {**wrong, **done, "7": "RUN_EXCEPTION"}
    assert job.bytes() == b"a\nb\nnul \0\n\xff\n" + b"y" * (200 << 20) + b"\n"
    said = {item["mini_batch"]: item["error_message"] for item in job.failed_items()}
    for batch, kind in {3: "None", 4: "str", 5: "generator", 6: "dict", 9: "int"}.items():
        assert said[batch].startswith(f"run() returned {kind}; return a list, tuple, numpy array")
    assert said[7] == "no text (while making rows of what run() returned)"
