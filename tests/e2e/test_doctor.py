# SPDX-License-Identifier: Apache-2.0
"""What stands in the way of jobs on this machine, and what to do."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest
from workbench import BINARY, Windrow


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
    quiet = windrow.command("doctor", "-q")
    assert quiet.exit == 1 and "POSIX" in quiet.text
    assert not any(line.startswith("good") for line in quiet.text.splitlines())


# C625
def test_no_room_for_watched_files_is_a_doubt(windrow: Windrow) -> None:
    """In a user namespace of its own, which may have no inotify instance."""
    allowed = subprocess.run(["unshare", "--user", "--map-root-user", "true"], capture_output=True)
    if allowed.returncode != 0:
        pytest.skip(f"no user namespace can be made here: {allowed.stderr.decode().strip()}")
    none = 'echo 0 > /proc/sys/user/max_inotify_instances && exec "$0" doctor -q'
    job = subprocess.run(
        ["unshare", "--user", "--map-root-user", "sh", "-c", none, BINARY],
        env=windrow.environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "doubtful  file watching" in job.stdout, job
    assert "fs.inotify.max_user_instances" in job.stdout
