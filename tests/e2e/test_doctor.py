# SPDX-License-Identifier: Apache-2.0
"""What stands in the way of jobs on this machine, and what to do."""

from __future__ import annotations

import json
from typing import Any

from workbench import Windrow


def findings(windrow: Windrow) -> dict[str, Any]:
    said = windrow.command("doctor", "-o", "json").text
    return {one["subject"]: one for one in json.loads(said)["findings"]}


# C625
def test_a_machine_that_is_fit_is_told_so(windrow: Windrow) -> None:
    job = windrow.command("doctor")
    assert job.exit == 0, job
    assert f"good      workspace      {windrow.home}" in job.text
    found = findings(windrow)
    assert found["Python"]["is"] == "good"
    assert "pandas" in found["Python"]["what"]


# C625
def test_what_is_in_the_way_is_told_with_what_to_do(windrow: Windrow) -> None:
    (windrow.folder / "file").touch()
    windrow.environment["WINDROW_HOME"] = str(windrow.folder / "file" / "below")
    windrow.environment["WINDROW_PYTHON"] = "/nowhere/python"
    windrow.environment["LC_ALL"] = "POSIX"
    job = windrow.command("doctor")
    assert job.exit == 1
    found = findings(windrow)
    assert found["workspace"]["is"] == "bad"
    assert found["workspace"]["advice"] == "set WINDROW_HOME to a folder of yours"
    assert found["Python"]["is"] == "bad" and "/nowhere/python" in found["Python"]["what"]
    assert found["locale"]["is"] == "doubtful"
