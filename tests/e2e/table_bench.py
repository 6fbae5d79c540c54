# SPDX-License-Identifier: Apache-2.0
"""What tests of tables share: small files, jobs on them, and what came of the rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
from workbench import Job, Windrow

# One line for each row: its number, and the size of the mini-batch it came in.
ROWS = """
def run(frame):
    assert list(frame.index) == list(range(len(frame)))
    return [f"{n} {len(frame)}" for n in frame["n"]]
"""
# One line for each row: all its values.
VALUES = """
def run(frame):
    return [" ".join(map(str, row)) for row in frame.itertuples(index=False)]
"""


def put(windrow: Windrow, name: str, content: str | bytes, folder: str = "in") -> Path:
    path = windrow.folder / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def csv(begin: int, end: int, width: int = 0, header: bool = True) -> str:
    """Rows with these numbers, each with so many characters more."""
    head = "n,text\n" if header else ""
    return head + "".join(f"{n},{'x' * width}\n" for n in range(begin, end))


def table_of(count: int, begin: int = 0) -> pa.Table:
    return pa.table({"n": range(begin, begin + count), "text": ["x" * 100] * count})


def run_table(windrow: Windrow, script: str | None, *flags: str, **settings: Any) -> Job:
    return windrow.run(script, "--as", "table", *flags, **settings)


def run_inputs(
    windrow: Windrow, script: str, inputs: dict[str, dict[str, Any]], *flags: str, **more: Any
) -> Job:
    """A job file with these inputs, cut into mini-batches in this order."""
    windrow.script(script)
    content = {
        "type": "parallel",
        "inputs": inputs,
        "input_data": [f"${{{{inputs.{name}}}}}" for name in inputs],
        "outputs": {"rows": {"type": "uri_file", "path": "out/rows"}},
        "task": {"entry_script": "score.py", "append_row_to": "${{outputs.rows}}"},
    } | more
    file = windrow.job_file(content)
    words = ("run", str(file), "--workers", "1", *flags)
    return windrow.command(*words, result=windrow.folder / "out/rows")


def sizes(job: Job) -> list[int]:
    """Rows of each mini-batch, in order."""
    done = sorted(job.attempts(), key=lambda one: int(one["Mini-batch Id"]))
    return [int(one["Total"]) for one in done]


def numbers(job: Job) -> list[int]:
    return [int(row.split()[0]) for row in job.rows()]
