# SPDX-License-Identifier: Apache-2.0
"""A table whose rows are files: what an MLTable file without a read step describes."""

from windrow.tables.steps import Rows, Steps

from .table import MLTable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pandas import DataFrame

_PATH = "Path"


class PathTable(MLTable):
    """One column, Path. The steps are those of other tables."""

    def __init__(self, files: "list[str]", steps: "list[Any]") -> None:
        super().__init__({"transformations": steps}, files)

    def to_pandas_dataframe(self) -> "DataFrame":
        import numpy
        import pandas
        from windrow.tables.kinds import text_series

        steps = Steps(self._description["transformations"], [], "", False)
        steps.check_names([_PATH])
        files = self._stretches
        # A step that makes columns of a path sees one path at a time.
        by_path = any("extract_columns_from_partition_format" in step for step in self._steps())
        size = 1 if by_path and files else max(len(files), 1)
        run, frames = steps.run(), []
        for first in range(0, max(len(files), 1), size):
            part: list[Any] = files[first : first + size]
            frame = pandas.DataFrame({_PATH: text_series(part)})
            numbers = numpy.arange(first, first + len(part))
            rows = Rows(frame, part[0] if part else "", numbers)
            frames.append(run(rows, part.__getitem__))
        return pandas.concat(frames, ignore_index=True)

    @property
    def paths(self) -> "list[dict[str, str]]":
        return [{"file": name} for name in self._stretches]

    def _steps(self) -> "list[Any]":
        steps: list[Any] = self._description["transformations"]
        return steps

    def _with(self, step: str, value: "Any") -> "MLTable":
        steps = [*self._steps(), {step: value}]
        Steps(steps, [], "", False)  # raises what is wrong with the step
        return PathTable(self._stretches, steps)
