# SPDX-License-Identifier: Apache-2.0
"""What the crash proofs share: an interrupted job, its calls, the independent reader of formats."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "formats"))

from harness import Call, World, count_calls


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World.make(tmp_path_factory.mktemp("world"), files=400, mini_batch_size=2, pause=0.002)


@pytest.fixture(scope="module")
def calls(world: World) -> list[Call]:
    return count_calls(world)
