# SPDX-License-Identifier: Apache-2.0
"""Failures whose own words leave people puzzled: what happened, and what to change."""

import os
import sys

TAIL_MAX = 4 << 10
LINES_MAX = 10
# What scripts use of a frame first, for those that have not imported pandas.
_OF_FRAMES = (
    "apply", "assign", "columns", "drop", "dtypes", "groupby", "head", "iloc", "iterrows",
    "itertuples", "loc", "shape", "to_numpy", "to_pandas", "values",
)  # fmt: skip


def explained(
    error: BaseException, message: str, method: str, stderr_file: str, of_files: bool = False
) -> str:
    """The message of the error, with what helps; `stderr_file` has what the script said;
    `of_files`: run() gets a list of paths."""
    if isinstance(error, SystemExit):
        return _exited(error, message, method, stderr_file)
    hint = advice(error) or (_no_frame(error) if of_files and method == "run" else "")
    return "; ".join(part for part in (message, hint) if part)


def advice(error: BaseException) -> str:
    """What to do about it; empty when nothing is known."""
    if isinstance(error, ModuleNotFoundError):
        return _missing_module(error)
    if type(error).__name__ == "BdbQuit":
        return (
            "breakpoint() needs a terminal, and workers have none: try the script with "
            "`windrow run --local`"
        )
    return ""


def _no_frame(error: BaseException) -> str:
    """For a script that takes its list of paths for a frame."""
    before, _, name = str(error).rpartition(" object has no attribute ")
    if not isinstance(error, AttributeError) or before != "'list'":
        return ""
    frame = getattr(sys.modules.get("pandas"), "DataFrame", None)
    name = name.strip("'")
    if name not in _OF_FRAMES and not hasattr(frame, name):
        return ""
    return "run() gets a list of paths here; --as table gives it the rows of the files as frames"


def last_lines(path: str) -> str:
    """The end of a text file, whole lines; empty when there is nothing to read."""
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - TAIL_MAX))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return ""
    return "\n".join(text.rstrip().splitlines()[-LINES_MAX:])


def _missing_module(error: ModuleNotFoundError) -> str:
    name = (error.name or "").partition(".")[0]
    if not name or name in sys.modules:  # a part of something that is there
        return ""
    python = sys.executable
    return (
        f"{python} does not have it: activate the environment that has it, name its interpreter "
        f"with --python PATH, or: {python} -m pip install {name}"
    )


def _exited(error: SystemExit, message: str, method: str, stderr_file: str) -> str:
    if isinstance(error.code, str):  # sys.exit("why")
        return message
    text = f"the script called sys.exit({'' if error.code is None else error.code})"
    # Later on, what stands there may be about something else.
    said = last_lines(stderr_file).rpartition("\n")[2] if method in ("load", "init") else ""
    if not said:
        return text
    hint = "; Windrow adds --logging_level: use parse_known_args()"
    return f"{text}: {said}{hint if 'unrecognized arguments: ' in said else ''}"
