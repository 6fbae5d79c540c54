# SPDX-License-Identifier: Apache-2.0
"""Problems of a table are reported in the words of MLTable files; a job has its own words."""

from windrow.tables.errors import TableError

_SETTINGS = ("delimiter", "encoding", "header", "invalid_lines", "ragged", "support_multi_line")
_STEPS = ("convert_column_types", "keep_columns")


def advised(error: TableError, described: bool) -> TableError:
    """The error with where a job says what it advises. `described`: by an MLTable file; then it is
    as it was."""
    return error if described else TableError(f"{error}{_advice(str(error))}")


def _advice(said: str) -> str:
    out = ""
    if any(f"set {name}" in said for name in _SETTINGS):
        out += "; in a job, set it under table, as in --set table.KEY=VALUE"
    if "a quoted field begins" in said:
        out += "; --set table.quotes=false makes quotes ordinary characters"
    if "infer_column_types" in said:
        out += "; --set table.text_columns=NAME,... makes text of some columns"
    if "mixed types" in said:
        out += "; --set table.mixed_types=true allows them"
    steps = [name for name in _STEPS if name in said]
    if steps:
        verb = "stands" if len(steps) == 1 else "stand"
        out += f"; {' and '.join(steps)} {verb} in an MLTable file"
    return out
