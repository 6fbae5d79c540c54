# SPDX-License-Identifier: Apache-2.0
"""Lets the crash proofs use the independent reader of the formats."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "formats"))
