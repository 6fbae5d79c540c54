# SPDX-License-Identifier: Apache-2.0
"""Names of stretches of a table -> the DataFrame that run() gets."""

from functools import partial
from importlib import import_module

from windrow.tables import fast_arrow
from windrow.tables.errors import TableError
from windrow.tables.files import Files
from windrow.tables.partition import HiveKeys, PartitionFormat
from windrow.tables.settings import Settings
from windrow.tables.steps import Rows, Steps, with_partition
from windrow.tables.stretch import Stretch, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from pandas import DataFrame

__all__ = ["TableError", "TableReader"]

_PATH = "Path"
# What each format needs in the environment. For delimited text pyarrow is faster, not needed.
_MODULES = {
    "delimited": ("pandas",),
    "json_lines": ("pandas",),
    "parquet": ("pandas", "pyarrow.parquet"),
    "arrow": ("pandas", "pyarrow.ipc"),
}


class TableReader:
    """Reads mini-batches of one table. All have the same columns and types, decided once from the
    first rows of the table. One thread."""

    def __init__(self, description: "dict[str, Any]") -> None:
        """Opens no file and imports neither pandas nor pyarrow. Raises TableError."""
        self._settings = Settings(description)
        root = self._settings.partition_root
        steps, overrides = self._settings.transformations, self._settings.overrides
        self._steps = Steps(steps, overrides, root, self._settings.keeps_integers)
        self._partition = _partition(self._settings)
        self._source = _source(self._settings, self._steps)
        self._wanted: set[str] | None = None
        self._planned = False
        self._like: Any = None  # a frame without rows, with the columns and types of all others
        self._counted: dict[str, tuple[int, int]] = {}  # file: records before an offset
        self.left_out = 0  # rows of the latest frame that are to be dropped where they are bad
        grows = self._settings.format in ("delimited", "json_lines")
        self._files = Files(grows, dict(zip(self._settings.files, self._settings.seen)))

    def frame(self, names: "list[str]") -> "DataFrame":
        """The rows of the stretches, one after another, transformed. Raises TableError, and
        OSError when a file is gone."""
        return _joined(list(self.frames(names)))

    def frames(self, names: "list[str]") -> "Iterator[DataFrame]":
        """The rows of each stretch by itself, but counted over all of them; with any index."""
        self._plan()
        stretches = [parse(name) for name in names]
        self._check_start(stretches)
        run = self._steps.run()
        read = self.left_out = 0
        for stretch in stretches:
            read_one = partial(self._source.read, stretch, self._wanted)
            frame = self._files.reading(stretch.path, read_one)
            read += len(frame)
            self.left_out += self._source.left_out
            frame = run(self._rows(frame, stretch, read), self._place(stretch))
            if stretch.window is not None:
                first, count = stretch.window
                frame = frame.iloc[first : first + count]
            yield frame

    def check(self) -> None:
        """Loads what every mini-batch needs, and looks at the first rows, so that the first
        mini-batch takes no longer than others. Raises TableError when the environment lacks
        something; what is wrong with the table is told by the mini-batch that meets it."""
        for module in _MODULES[self._settings.format]:
            try:
                import_module(module)
            except ImportError as error:
                raise TableError(
                    f"tables of format {self._settings.format} need {module.split('.')[0]} in the"
                    f" environment of the script ({error}); install it there, or name another one"
                    " with --python"
                ) from None
        if self._settings.format == "delimited":
            fast_arrow.available()
        try:
            self._plan()
        except (TableError, OSError):
            pass  # is raised again by frame()

    def first_row(self, names: "list[str]") -> "int | None":
        """The number of the first row of the first stretch in the whole input, as it is before the
        transformations; None where only counting would tell, and where rows may be left out: then
        it tells nothing about any other row."""
        stretch = parse(names[0])
        if not stretch.rows or self.leaves_rows_out():
            return None
        return stretch.row + (stretch.window[0] if stretch.window else 0)

    def counted_row(self, names: "Sequence[str]") -> int:
        """As first_row(), but counts where the names do not tell, and remembers. REQUIRES: no row
        is left out. Raises TableError where that cannot be known, and OSError."""
        stretch = parse(names[0])
        return self._first_row(stretch) + (stretch.window[0] if stretch.window else 0)

    def leaves_rows_out(self) -> bool:
        """Whether frames may have fewer rows than the files."""
        settings = self._settings
        return settings.ragged == "skip" or settings.drops_invalid or self._steps.leave_rows_out()

    def count(self, names: "list[str]") -> int:
        """How many rows there are before the transformations, also where they cannot be read.
        Raises whatever opening the files does."""
        return sum(self._size(parse(name)) for name in names)

    def _size(self, stretch: Stretch) -> int:
        if stretch.window is not None:
            return stretch.window[1]
        end = stretch.offset + stretch.length if stretch.length else None
        return stretch.rows or int(self._source.count(stretch.path, stretch.offset, end))

    def _plan(self) -> None:
        if self._planned:
            return
        self._files.note(self._settings.files)
        names = list(self._source.columns())
        added = [_PATH] if self._settings.path_column else []
        added += self._partition.columns() if self._partition else []
        self._steps.check_names(names + added)
        self._wanted = self._steps.wanted(names + added)
        files = self._settings.files
        frame = self._source.sample(self._wanted)
        if files:
            frame = self._steps.decide(self._with_path(frame, files[0]), files[0])
        self._like = frame.iloc[:0]
        self._planned = True

    def _check_start(self, stretches: "list[Stretch]") -> None:
        """Rows are counted from the first of the table on, where a step needs that."""
        if not stretches:
            return
        if self._settings.whole:
            wrong = self._steps.needs_numbers and stretches[0].path in self._settings.files[1:]
        else:
            wrong = self._steps.counts_rows() and self._first_row(stretches[0]) != 0
        if wrong:
            raise TableError("skip, take or a sample after a filter needs the whole table at once")

    def _rows(self, frame: "Any", stretch: Stretch, read: int) -> Rows:
        """`read`: how many rows the call has read so far, those of the frame among them."""
        numbers = None
        if self._steps.needs_numbers:
            import numpy

            whole = self._settings.whole
            first = read - len(frame) if whole else self._first_row(stretch)
            numbers = numpy.arange(first, first + len(frame))
        return Rows(self._with_path(frame, stretch.path), stretch.path, numbers)

    def _with_path(self, frame: "Any", path: str) -> "Any":
        """With the columns that the path gives."""
        if self._partition is not None:
            frame = with_partition(frame, self._partition, path, self._settings.partition_first)
        if self._settings.path_column:
            if _PATH in frame.columns:
                raise TableError(
                    f"{path}: include_path_column: there is a column {_PATH!r} already; leave it"
                    " out, or read without the path column"
                )
            from windrow.tables.kinds import text_series

            frame.insert(0, _PATH, text_series([path] * len(frame)))
        return frame

    def _place(self, stretch: Stretch) -> "Any":
        """A function: the place of a row of the stretch -> where that is, for a message."""
        return lambda row: self._source.where(stretch, row)

    def _first_row(self, stretch: Stretch) -> int:
        if stretch.rows:
            return stretch.row
        files = self._settings.files
        if self._settings.rows_of_lists:
            raise TableError(
                f"{stretch.path}: the input is a list of rows of another job, which had not counted"
                " them, so the number of its first row is not known"
            )
        if stretch.path not in files:
            raise TableError(
                f"{stretch.path}: not among the first {len(files)} files of the table, so the"
                " number of its first row is not known; --set table.count_rows=true counts all"
                " rows (in a job file: table: {count_rows: true})"
            )
        before = sum(self._records(path, None) for path in files[: files.index(stretch.path)])
        return before + self._records(stretch.path, stretch.offset)

    def _records(self, path: str, end: "int | None") -> int:
        """How many records begin before an offset of a file; None: in all of it. Remembers the
        last place of each file: mini-batches mostly come in order."""
        known, count = self._counted.get(path, (0, 0))
        if end is None:
            key = path + "\0"
            if key not in self._counted:
                self._counted[key] = (0, int(self._source.count(path, 0, None)))
            return self._counted[key][1]
        if end < known:
            known, count = 0, 0
        count += int(self._source.count(path, known, end))
        self._counted[path] = (end, count)
        return count


def _partition(settings: Settings) -> "PartitionFormat | HiveKeys | None":
    if settings.partition_format:
        return PartitionFormat(settings.partition_format, settings.partition_root)
    return HiveKeys(settings.partition_hive) if settings.partition_hive else None


def _source(settings: Settings, steps: Steps) -> "Any":
    if settings.format == "delimited":
        from windrow.tables.delimited import Delimited

        return Delimited(settings, steps.direct)
    if settings.format == "json_lines":
        from windrow.tables.jsonlines import JsonLines

        return JsonLines(settings)
    if settings.format == "parquet":
        from windrow.tables.parquet import Parquet

        return Parquet(settings)
    from windrow.tables.ipc import Ipc

    return Ipc(settings)


def _joined(frames: "list[Any]") -> "Any":
    """One frame, numbered from 0 on."""
    import pandas

    if len(frames) != 1:
        frames = _with_equal_categories(frames)
        return pandas.concat(frames, ignore_index=True) if frames else pandas.DataFrame()
    frame = frames[0]
    index = frame.index
    if isinstance(index, pandas.RangeIndex) and (index.start, index.step) == (0, 1):
        return frame
    return frame.reset_index(drop=True)


def _with_equal_categories(frames: "list[Any]") -> "list[Any]":
    """Columns of categories stay so when frames with different ones are joined."""
    import pandas
    from pandas.api.types import union_categoricals

    if not frames:
        return frames
    for name in frames[0].columns:
        if isinstance(frames[0][name].dtype, pandas.CategoricalDtype):
            dtype = union_categoricals([frame[name] for frame in frames]).dtype
            frames = [frame.assign(**{name: frame[name].astype(dtype)}) for frame in frames]
    return frames
