# SPDX-License-Identifier: Apache-2.0
"""From the names of a mini-batch to what run() gets."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from windrow.worker.jsonl import Rows
    from windrow.worker.keys import PartitionKeys
    from windrow.worker.table import TableRows


def unless_empty(run: "Callable[..., Any]") -> "Callable[..., Any]":
    """run() that never gets a frame without rows."""

    def run_rows(frame: "Any", *context: "Any") -> "Any":
        return run(frame, *context) if len(frame) else []

    return run_rows


def keys_of(settings: "dict[str, Any]") -> "PartitionKeys | None":
    """What knows the values of partition keys, where there are any."""
    if not settings.get("partition"):
        return None
    from windrow.worker.keys import PartitionKeys

    return PartitionKeys(settings["partition"])


def rows_of(settings: "dict[str, Any]") -> "Rows | TableRows | None":
    """What reads mini-batches; None where the items are files, which the script reads."""
    if settings.get("items") == "jsonl":
        from windrow.worker.jsonl import Rows

        return Rows()
    if settings.get("table"):
        from windrow.worker.table import TableRows

        return TableRows(settings["table"])
    return None
