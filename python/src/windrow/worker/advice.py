# SPDX-License-Identifier: Apache-2.0
"""Failures whose own words leave people puzzled: what happened, and what to change."""

import os
import sys

TAIL_MAX = 4 << 10
LINES_MAX = 10
FOLDERS_MAX = 200  # beside a script, where a module may lie
# Modules whose package has another name.
_PACKAGES = {
    "PIL": "pillow", "bs4": "beautifulsoup4", "cv2": "opencv-python", "dateutil": "python-dateutil",
    "dotenv": "python-dotenv", "skimage": "scikit-image", "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}  # fmt: skip
# Before Python 3.10 there is no list of them: those whose names scripts are given.
_STDLIB = (
    "calendar", "code", "copy", "csv", "email", "io", "json", "logging", "queue", "random",
    "select", "signal", "socket", "statistics", "string", "struct", "test", "time", "token",
    "types",
)  # fmt: skip
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
    if isinstance(error, (AttributeError, ImportError)):
        return _hidden_module(_named_module(error))
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
    full = error.name or ""
    name = full.partition(".")[0]
    if name == "azureml":
        return _missing_azureml(full)
    if not name or name in sys.modules:  # a part of something that is there
        return _hidden_module(name)
    python = sys.executable
    installed = (
        f"{python} does not have it: activate the environment that has it, name its interpreter "
        f"with --python PATH, or: {python} -m pip install {_PACKAGES.get(name, name)}"
    )
    if name in _PACKAGES:
        return installed
    near = _lies_near(name)
    if near:
        return (
            f"there is {near}, but the import path has only the folder of the script and that of "
            "task.code: move it there, name a folder that holds both as task.code in a job file, "
            "or set PYTHONPATH"
        )
    return f"{installed}; a module of your own must lie beside the script, or below task.code"


def _missing_azureml(name: str) -> str:
    """The packages of Azure ML have other names than their modules, and mostly work there only."""
    return (
        f"{name} is a part of the Azure ML SDK, which Windrow does not need: leave out what "
        "asks Azure for its run, workspace or model (Run.get_context(), Model.get_model_path()) "
        "and give paths as arguments of the script, or install it: "
        f"{sys.executable} -m pip install azureml-core; EntryScript comes from "
        "azureml_user.parallel_run, which is there"
    )


def _lies_near(name: str) -> str:
    """A module of this name in a folder next to the script's: above it, or one below."""
    folders = _own_folders()
    for folder in [*(os.path.dirname(one) for one in folders), *_below(folders)]:
        for file in (name + ".py", os.path.join(name, "__init__.py")):
            path = os.path.join(folder, file)
            if os.path.isfile(path):
                return path
    return ""


def _own_folders() -> "list[str]":
    """Those of the code and the script, first on the import path."""
    own = os.path.dirname(os.__file__)
    return [one for one in sys.path[:2] if one and one != own and not one.endswith(".zip")]


def _below(folders: "list[str]") -> "list[str]":
    found = []
    for folder in folders:
        try:
            names = sorted(os.listdir(folder))[:FOLDERS_MAX]
        except OSError:
            continue
        found += [os.path.join(folder, name) for name in names]
    return found


def _hidden_module(name: str) -> str:
    """For a file of the user's that has the name of a module of the standard library."""
    if not name or name not in getattr(sys, "stdlib_module_names", _STDLIB):
        return ""
    folders = _own_folders()
    for folder in folders:
        path = os.path.join(folder, name + ".py")
        if os.path.isfile(path):
            return (
                f"{path} has the name of a module of Python's standard library and hides it from "
                f"every `import {name}`: rename the file"
            )
    return ""


def _named_module(error: BaseException) -> str:
    """The module that an error is about: "module 'json' has no attribute 'loads'"."""
    name = getattr(error, "name", None)
    if isinstance(error, ImportError) and name:
        return str(name).partition(".")[0]
    _, quote, rest = str(error).partition("module '")
    return rest.partition("'")[0].partition(".")[0] if quote else ""


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
