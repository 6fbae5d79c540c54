# SPDX-License-Identifier: Apache-2.0
"""The second argument of run(), for scripts that take two."""

from _operator import index

from windrow.worker import parts
from windrow.worker.packets import TOKEN_AND_COUNTS, TOKEN_OFFSET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from windrow.worker.jsonl import Rows
    from windrow.worker.keys import PartitionKeys
    from windrow.worker.table import TableRows

    Serialise = Callable[[object], tuple[int, bytes]]

REASON_MAX = 1000  # characters


class MiniBatchDataset:
    """What is in one mini-batch, as a dataset of its own."""

    __slots__ = ("_frame", "_paths")

    def __init__(self, paths: "list[str]", frame: "Any" = None) -> None:
        """`frame`: a DataFrame, or a function that reads one; None for files."""
        self._paths = paths
        self._frame = frame

    def to_path(self) -> "list[str]":
        """The absolute paths, or names of rows, in the order of the mini-batch."""
        return list(self._paths)

    def to_pandas_dataframe(self) -> "Any":
        """The rows of a table, as a frame of its own. Raises TypeError for files."""
        if self._frame is None:
            raise TypeError("the mini-batch is of files, not of a table; read those of to_path()")
        return self._frame() if callable(self._frame) else self._frame.copy()

    def __repr__(self) -> str:
        return f"MiniBatchDataset({len(self._paths)} files)"


class MiniBatchContext:
    """What a mini-batch is, beside its items. `reported`: what report_failed() was told."""

    __slots__ = (
        "_count",
        "_count_rows",
        "_first_row",
        "_frame",
        "_leaves_out",
        "_paths",
        "minibatch_index",
        "partition_key_value",
        "reported",
        "retry_count",
    )

    def __init__(self, minibatch_index: int, retry_count: int, paths: "list[str]") -> None:
        self.minibatch_index = minibatch_index
        self.retry_count = retry_count
        self.partition_key_value: dict[str, Any] | None = None
        self.reported: dict[int, str] = {}
        self._paths = tuple(paths)
        self._count = len(paths)
        self._first_row: int | None = None
        self._count_rows: Callable[[tuple[str, ...]], int] | None = None
        self._frame: Any = None
        self._leaves_out = False

    def of_rows(self, rows: "Rows | TableRows", items: "Any") -> "MiniBatchContext":
        """Itself, for a mini-batch whose items are rows."""
        self._paths, self._count, self._first_row = tuple(rows.names), len(items), rows.first
        self._frame, self._leaves_out = rows.frame(items), rows.leaves_out
        self._count_rows = rows.first_row
        return self

    @property
    def dataset(self) -> MiniBatchDataset:
        return MiniBatchDataset(list(self._paths), self._frame)

    @property
    def global_row_index_lower_bound(self) -> "int | None":
        """Number of its first row in the whole input, from 0; None for files. Where nobody has
        counted the rows before it, they are counted when this is first read. Raises RuntimeError
        where the number cannot be known."""
        if self._first_row is None and self._count_rows is not None:
            reason = _unknown(self._leaves_out, self.partition_key_value is not None)
            if reason:
                raise RuntimeError(reason)
            self._first_row = self._count_rows(self._paths)
        return self._first_row

    def report_failed(self, item_index: int, reason: object = "") -> None:
        """Says that one item of this mini-batch has failed, by its place in the list, and why.

        The other items are not touched by it: return one element for each of those. Counts only
        when run() returns; the first reason for an item stays. Raises IndexError.
        """
        item, count = index(item_index), self._count
        if not 0 <= item < count:
            raise IndexError(f"report_failed({item}): the mini-batch has items 0 to {count - 1}")
        self.reported.setdefault(item, str(reason)[:REASON_MAX])

    def __repr__(self) -> str:
        number, retries = self.minibatch_index, self.retry_count
        return f"MiniBatchContext(minibatch_index={number}, retry_count={retries})"


def _unknown(leaves_out: bool, by_keys: bool) -> str:
    """Why nobody can know the number of the first row of a mini-batch of a table; empty when
    counting tells."""
    if not leaves_out and not by_keys:
        return ""
    reason = "the rows of a key are not counted"
    if leaves_out:
        reason = (
            "rows may be left out by steps of the table, ragged: skip or invalid_lines: drop, so"
            " that a row is not where it was"
        )
    return (
        f"{reason}, and global_row_index_lower_bound is not known; give the table a column that"
        " numbers its rows"
    )


def with_context(
    run: "Callable[[Any, MiniBatchContext], Any]",
    serialise: "Serialise",
    in_parts: bool,
    rows: "Rows | TableRows | None" = None,
    keys: "PartitionKeys | None" = None,
) -> "tuple[Callable[[list[str], bytes], Any], Serialise]":
    """The two functions for the loop, which knows nothing of contexts: run() with a command's
    packet in place of the context, and the parts of what that returned, reports among them.
    `in_parts`: serialise() gives parts already; `rows`: what has read the mini-batch, if its items
    are rows; `keys`: what knows the values of partition keys, where there are any."""
    current: list[MiniBatchContext] = []

    def run_with_context(mini_batch: "Any", packet: bytes) -> object:
        batch, _, _, tries = TOKEN_AND_COUNTS.unpack_from(packet, TOKEN_OFFSET)
        if rows:
            context = MiniBatchContext(batch, tries, []).of_rows(rows, mini_batch)
        else:
            context = MiniBatchContext(batch, tries, mini_batch)
        if keys:
            context.partition_key_value = keys.values(context.dataset.to_path()[0])
        current[:] = (context,)
        return run(mini_batch, context)

    def serialise_with_reports(result: object) -> "tuple[int, bytes]":
        returned, payload = serialise(result)
        if payload and not in_parts:
            payload = parts.join([(parts.ROWS, 0, 0, payload)])
        return returned, payload + parts.join(parts.reports(current.pop().reported))

    return run_with_context, serialise_with_reports
