# SPDX-License-Identifier: Apache-2.0
"""Our reader of tables and the public mltable package read the same tables alike.

Needs an interpreter that has the package: WINDROW_MLTABLE_PYTHON names it. What is known of the
package, and where we differ on purpose, stands in tables_oracle/README.md.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

PYTHON = os.environ.get("WINDROW_MLTABLE_PYTHON", "")
COMPARE = Path(__file__).parent / "tables_oracle" / "compare.py"


@pytest.mark.skipif(not PYTHON, reason="WINDROW_MLTABLE_PYTHON names no Python with mltable")
def test_tables_are_read_as_the_mltable_package_reads_them(tmp_path: Path) -> None:
    folder, result = tmp_path / "tables", tmp_path / "result.jsonl"
    folder.mkdir()
    command = [PYTHON, str(COMPARE), str(folder), str(result)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr[-2000:]
    outcomes = [json.loads(line) for line in result.read_text("utf-8").splitlines()]
    assert len(outcomes) > 300
    problems = [f"{kind}({seed}): {what}" for kind, seed, what in outcomes if what]
    assert not problems, "\n".join(problems)
