# SPDX-License-Identifier: Apache-2.0
"""Which versions of Python the worker runs on, and what it says to older ones."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

SOURCES = Path(__file__).parents[1] / "src"


# C538
def test_the_worker_is_written_in_the_oldest_python_it_runs_on() -> None:
    for path in SOURCES.rglob("*.py"):
        ast.parse(path.read_text("utf-8"), str(path), feature_version=(3, 7))


# C538
def test_an_older_python_ends_with_a_sentence() -> None:
    main = SOURCES / "windrow/worker/__main__.py"
    pretend = f"""
import runpy, sys
sys.version_info, sys.version = (3, 6, 9), "3.6.9 (default)"
runpy.run_path({str(main)!r}, run_name="__main__")
"""
    done = subprocess.run([sys.executable, "-c", pretend], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == "windrow: scripts need Python 3.7 or newer; this is 3.6.9\n"
