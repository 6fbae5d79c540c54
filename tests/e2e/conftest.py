# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from workbench import Windrow


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """`./dev torture` says so by WINDROW_TORTURE; any other call leaves the long forms out."""
    if os.environ.get("WINDROW_TORTURE"):
        return
    for item in items:
        if "torture" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="the long form: ./dev torture"))


@pytest.fixture
def windrow(tmp_path: Path) -> Iterator[Windrow]:
    bench = Windrow(tmp_path)
    yield bench
    bench.close()
