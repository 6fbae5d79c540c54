# SPDX-License-Identifier: Apache-2.0
"""The readers of delimited text, to be chosen by tests."""

from __future__ import annotations

from typing import Any

import pytest
from windrow.tables import fast_arrow
from windrow.tables.delimited import Delimited

EXACT = Delimited._exact


class Engines:
    """Chooses how delimited text is read; `exact`: how often the slow reader was needed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._patch = monkeypatch
        self.exact = 0
        monkeypatch.setattr(Delimited, "_exact", self._counted(EXACT))

    def _counted(self, function: Any) -> Any:
        def counted(*arguments: Any) -> Any:
            self.exact += 1
            return function(*arguments)

        return counted

    def use(self, engine: str) -> None:
        self._patch.setattr(fast_arrow, "available", lambda: engine == "arrow")
        if engine == "exact":
            self._patch.setattr(Delimited, "_fast", lambda *_: None)


ENGINES = [*(["arrow"] if fast_arrow.available() else []), "pandas", "exact"]
