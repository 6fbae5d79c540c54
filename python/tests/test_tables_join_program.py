# SPDX-License-Identifier: Apache-2.0
"""The program that joins pieces of a result, as the engine runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tables_oracle.pieces import FORMS, Result

MAIN = Path(__file__).parents[1] / "src" / "windrow" / "tables" / "__main__.py"


def ask(folder: Path, *, stdout: Any = subprocess.PIPE, **request: object) -> tuple[int, Any, str]:
    """The exit code of the program, the one object that it printed, and its stderr."""
    path = folder / "request.json"
    path.write_text(json.dumps(request))
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(
        [sys.executable, str(MAIN), str(path)], stdout=stdout, stderr=subprocess.PIPE, text=True,
        cwd=folder, env=environment,
    )  # fmt: skip
    assert done.stdout.count("\n") == 1
    return done.returncode, json.loads(done.stdout), done.stderr


@pytest.mark.parametrize("form", FORMS)
def test_the_program_joins(tmp_path: Path, form: str) -> None:
    result = Result(tmp_path, [1, 2], [3])
    target = tmp_path / "grün"
    code, said, _ = ask(
        tmp_path, do="join", to=str(target), format=form, **{"from": str(result.source)}
    )
    assert (code, said) == (0, {"rows": 3})
    assert target.stat().st_size > 0


@pytest.mark.parametrize("form", FORMS)
def test_an_open_file_is_written_in_place(tmp_path: Path, form: str) -> None:
    result = Result(tmp_path, [1, 2], [3])
    descriptor = os.open(tmp_path, os.O_TMPFILE | os.O_RDWR, 0o644)
    path = f"/proc/{os.getpid()}/fd/{descriptor}"
    assert ask(tmp_path, do="join", to=path, format=form, **{"from": str(result.source)})[0] == 0
    written = os.pread(descriptor, 1 << 20, 0)
    os.close(descriptor)
    result.table(form)
    assert written == result.target.read_bytes()


def test_the_program_tells_what_is_wrong(tmp_path: Path) -> None:
    result = Result(tmp_path, [1], ["x"])
    paths = {"from": str(result.source), "to": str(result.target)}
    code, said, trace = ask(tmp_path, do="join", format="arrow", **paths)
    assert code == 1
    assert said["error"].startswith("column '0' is int64 in piece 0 and string in piece 1; ")
    assert said["final"] is True
    assert trace == ""
    assert ask(tmp_path, do="join", format="csv", **paths)[1] == {
        "error": "format: 'csv' is not one of parquet, arrow",
        "final": False,
    }
    assert ask(tmp_path, do="sing")[1]["error"].startswith("do: 'sing' is not one of join")


def test_what_nobody_expected_is_told_with_its_trace(tmp_path: Path) -> None:
    code, said, trace = ask(tmp_path, do="join", format="arrow", to="/x", **{"from": "/no/such"})
    assert code == 1
    assert said["error"].startswith("FileNotFoundError: ")
    assert "Traceback" in trace
    assert ask(tmp_path, do="join")[1] == {"error": "KeyError: 'from'", "final": False}


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    result = Result(tmp_path, [1, 2])
    for form in FORMS:
        request = {"from": str(result.source), "to": "/dev/full", "format": form}
        code, said, _ = ask(tmp_path, do="join", **request)
        assert code == 1
        assert "No space left on device" in said["error"]
        assert said["final"] is False


def test_nothing_beside_the_program_is_imported_and_no_library_is_heard(tmp_path: Path) -> None:
    (tmp_path / "pyarrow.py").write_text("print('noise')\nimport stretch\n")
    code, said, _ = ask(tmp_path, do="join", format="parquet", to="/x", **{"from": "/no/such"})
    assert code == 1
    assert said["error"].startswith("results of format parquet need pyarrow in the environment")
    assert "No module named 'stretch'" in said["error"]  # which lies beside the program
