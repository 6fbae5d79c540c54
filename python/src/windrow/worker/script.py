# SPDX-License-Identifier: Apache-2.0
"""The user's entry script: loading it, and its three functions."""

import os
import sys

# importlib.util, the public name of these two, costs 2 to 5 ms.
from _frozen_importlib import module_from_spec
from _frozen_importlib_external import SourceFileLoader, spec_from_file_location

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

_VARARGS = 0x04  # inspect.CO_VARARGS
_ASYNC = 0x80 | 0x200  # inspect.CO_COROUTINE, CO_ASYNC_GENERATOR
LINKS_MAX = 1000


class Refused(Exception):
    """No worker can ever run this script: it does not compile, or it has no run().

    The reason is the cause.
    """


def _nothing() -> None:
    """For scripts without init() or shutdown()."""


class Script:
    """A loaded entry script. `wants_context`: run() takes two positional arguments."""

    __slots__ = ("init", "run", "shutdown", "wants_context")

    def __init__(self, path: str, code_root: str, name: str = "") -> None:
        """Imports the script, under `name` when it was given as a module. Raises Refused, and
        whatever the script raises."""
        functions = vars(_execute(path, code_root, name))
        self.run: Any = functions.get("run")
        if not callable(self.run):
            name = os.path.basename(path)
            problem = "has no function run(mini_batch)"
            if "run" in functions:
                problem = f"has a run that is not a function but {type(self.run).__name__}"
            raise Refused from AttributeError(f"{name} {problem}")
        self.init: Any = functions.get("init") or _nothing
        self.shutdown: Any = functions.get("shutdown") or _nothing
        accepted = _arguments(self.run)
        problem = (
            "takes no argument; define run(mini_batch)" if accepted == 0 else _oddity(self.run)
        )
        if problem:
            raise Refused from TypeError(f"{os.path.basename(path)} has a run() that {problem}")
        self.wants_context = accepted >= 2


def _execute(path: str, code_root: str, dotted: str) -> object:
    folder = os.path.dirname(path)
    sys.path[:0] = [code_root] if code_root == folder else [code_root, folder]
    name = dotted or _module_name(path)
    loader = SourceFileLoader(name, path)
    code = _compile(loader, path)
    package, _, last = dotted.rpartition(".")
    if package:
        __import__(package)
    spec = spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    module = module_from_spec(spec)
    sys.modules[name] = module
    exec(code, vars(module))
    if package:
        setattr(sys.modules[package], last, module)
    return module


def _compile(loader: SourceFileLoader, path: str) -> "CodeType":
    """From the source, never from a cached .pyc: one made in the same second as an edit that
    keeps the size looks fresh, and this file is the one people edit between two runs."""
    try:
        code: CodeType = loader.source_to_code(loader.get_data(path), path)
        return code
    except Exception as error:
        raise Refused from error


def _module_name(path: str) -> str:
    """The file's stem, unless that would replace a module that is already loaded (`__main__`,
    `os`, ...)."""
    stem = os.path.splitext(os.path.basename(path))[0]
    return "entry_script_" + stem if stem in sys.modules else stem


def link_code(code_root: str) -> None:
    """Links to the entries of the code root in the working directory, so that a relative path to
    something beside the script is right. Never over what is there. Raises OSError; a script that
    needs no links runs without them."""
    if os.path.samefile(code_root, "."):
        return
    for name in sorted(os.listdir(code_root))[:LINKS_MAX]:
        try:
            os.symlink(os.path.join(code_root, name), name)
        except FileExistsError:
            pass


def _oddity(run: "Any") -> str:
    """Why a plain function can never be called as run(mini_batch) or with a context; or nothing."""
    code = getattr(run, "__code__", None)
    if type(run) is not type(_oddity) or code is None:
        return ""
    if code.co_flags & _ASYNC:
        return "is async; define it with def, and call asyncio.run() inside"
    needed = code.co_argcount - len(run.__defaults__ or ())
    if needed > 2:
        return f"needs {needed} arguments; define run(mini_batch) or run(mini_batch, context)"
    return ""


def _arguments(run: "Any") -> int:
    """How many positional arguments run() can take; 2 stands for any number from there on."""
    code = getattr(run, "__code__", None)
    if type(run) is type(_arguments) and code is not None and not hasattr(run, "__wrapped__"):
        return 2 if code.co_flags & _VARARGS else int(code.co_argcount)
    import inspect  # 5 to 13 ms: only for what is not a plain function

    try:
        parameters = inspect.signature(run).parameters.values()
    except (TypeError, ValueError):
        return 1
    kinds = [parameter.kind for parameter in parameters]
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    many = inspect.Parameter.VAR_POSITIONAL in kinds
    return 2 if many else sum(kind in positional for kind in kinds)
