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

    Serialise = Callable[[object], tuple[int, bytes]]

REASON_MAX = 1000  # characters


class MiniBatchDataset:
    """The files of one mini-batch, as a dataset of their own."""

    __slots__ = ("_paths",)

    def __init__(self, paths: "list[str]") -> None:
        self._paths = paths

    def to_path(self) -> "list[str]":
        """The absolute paths, or names of rows, in the order of the mini-batch."""
        return list(self._paths)

    def __repr__(self) -> str:
        return f"MiniBatchDataset({len(self._paths)} files)"


class MiniBatchContext:
    """What a mini-batch is, beside its items. `reported`: what report_failed() was told."""

    __slots__ = (
        "_paths",
        "global_row_index_lower_bound",
        "minibatch_index",
        "partition_key_value",
        "reported",
        "retry_count",
    )

    def __init__(self, minibatch_index: int, retry_count: int, paths: "list[str]") -> None:
        self.minibatch_index = minibatch_index
        self.retry_count = retry_count
        self.partition_key_value = None
        self.global_row_index_lower_bound: int | None = None  # a number for rows only
        self.reported: dict[int, str] = {}
        self._paths = tuple(paths)

    @property
    def dataset(self) -> MiniBatchDataset:
        return MiniBatchDataset(list(self._paths))

    def report_failed(self, item_index: int, reason: object = "") -> None:
        """Says that one item of this mini-batch has failed, by its place in the list, and why.

        The other items are not touched by it: return one element for each of those. Counts only
        when run() returns; the first reason for an item stays. Raises IndexError.
        """
        item, count = index(item_index), len(self._paths)
        if not 0 <= item < count:
            raise IndexError(f"report_failed({item}): the mini-batch has items 0 to {count - 1}")
        self.reported.setdefault(item, str(reason)[:REASON_MAX])

    def __repr__(self) -> str:
        number, retries = self.minibatch_index, self.retry_count
        return f"MiniBatchContext(minibatch_index={number}, retry_count={retries})"


def with_context(
    run: "Callable[[Any, MiniBatchContext], Any]",
    serialise: "Serialise",
    in_parts: bool,
    rows: "Rows | None" = None,
) -> "tuple[Callable[[list[str], bytes], Any], Serialise]":
    """The two functions for the loop, which knows nothing of contexts: run() with a command's
    packet in place of the context, and the parts of what that returned, reports among them.
    `in_parts`: serialise() gives parts already; `rows`: what has read the mini-batch, if its items
    are rows."""
    current: list[MiniBatchContext] = []

    def run_with_context(mini_batch: "list[str]", packet: bytes) -> object:
        batch, _, _, tries = TOKEN_AND_COUNTS.unpack_from(packet, TOKEN_OFFSET)
        current[:] = (MiniBatchContext(batch, tries, rows.names if rows else mini_batch),)
        if rows:
            current[0].global_row_index_lower_bound = rows.first
        return run(mini_batch, current[0])

    def serialise_with_reports(result: object) -> "tuple[int, bytes]":
        returned, payload = serialise(result)
        if payload and not in_parts:
            payload = parts.join([(parts.ROWS, 0, 0, payload)])
        return returned, payload + parts.join(parts.reports(current.pop().reported))

    return run_with_context, serialise_with_reports
