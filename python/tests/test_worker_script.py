# SPDX-License-Identifier: Apache-2.0
"""Loading the entry script, its errors, and where its output goes."""

from __future__ import annotations

import os
import py_compile
import re
import subprocess
import sys

import pytest
from fake_agent import DONE, FAILED, GOODBYE, INIT_FAILED, MAIN, READY, Agent

REFUSED = 16


def test_the_script_sees_the_promised_surroundings(agent: Agent) -> None:
    agent.script("WHERE = 'root'\n", "helper.py")
    agent.script("WHERE = 'folder'\n", "sub/helper.py")
    agent.script("WHERE = 'folder'\n", "sub/sibling.py")
    path = agent.script(
        """
import sys, os, helper, sibling
seen = [__name__, __file__, sys.argv, helper.WHERE, sibling.WHERE, sys.path[:2]]
seen.append(sys.modules[__name__].__file__ == __file__)
seen.append(os.path.realpath(os.path.join(__file__, "..")))
def run(mini_batch): return seen
""",
        "sub/entry.py",
    )
    argv = [str(path), "--alpha", "1", "ü"]
    assert agent.start("", script=str(path), argv=argv).kind == READY
    lines = agent.run("/a").payload.decode().splitlines()
    folders = [str(agent.code), str(path.parent)]
    expected = ["entry", str(path), str(argv), "root", "folder", str(folders), "True"]
    assert lines == [*expected, str(path.parent)]


def test_modules_of_the_user_win_over_ours(agent: Agent) -> None:
    names = ("rows", "script", "packets", "loop", "serve", "streams", "failure", "worker")
    for name in names:
        agent.script("OURS = False\n", f"{name}.py")
    source = f"import {', '.join(names)}\ndef run(mini_batch):\n    return [rows.OURS]\n"
    assert agent.start(source).kind == READY
    assert agent.run("/a").payload == b"False\n"


def test_our_modules_are_no_modules_of_the_users(agent: Agent) -> None:
    source = """
import importlib.util, sys
names = ("rows", "script", "packets", "loop", "serve", "streams", "failure")
def run(mini_batch): return [n for n in names if importlib.util.find_spec(n)] + sys.path[-1:]
"""
    assert agent.start(source).kind == READY
    assert agent.run("/a").payload == f"{MAIN.parents[2]}\n".encode()


@pytest.mark.parametrize("stem", ["__main__", "os", "my-script.v2"])
def test_a_script_may_have_any_name(agent: Agent, stem: str) -> None:
    path = agent.script(
        "import os\ndef run(mini_batch):\n    return [os.sep, __name__]\n", f"{stem}.py"
    )
    assert agent.start("", script=str(path)).kind == READY
    name = stem if stem.startswith("my") else f"entry_script_{stem}"
    assert agent.run("/a").payload == f"/\n{name}\n".encode()


def test_names_in_the_start_object_may_be_no_utf8(agent: Agent) -> None:
    folder = os.path.join(os.fsencode(agent.code), b"\xff\xe9")
    os.mkdir(folder)
    path = os.path.join(folder, b"s.py")
    with open(path, "w") as file:
        file.write("import sys\ndef run(mini_batch):\n    return [sys.argv[0]]\n")
    name = os.fsdecode(path)
    assert agent.start("", script=name, argv=[name], code_root=os.path.dirname(name)).kind == READY
    assert agent.run("/a").payload == path + b"\n"


def test_an_edit_in_the_same_second_is_seen(agent: Agent) -> None:
    path = agent.script("def run(mini_batch):\n    return [1]\n")
    py_compile.compile(str(path))
    stat = os.stat(path)
    path.write_text("def run(mini_batch):\n    return [2]\n")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert agent.start("", name="other.py", script=str(path)).kind == READY
    assert agent.run("/a").payload == b"2\n"


def test_a_script_that_does_not_compile_is_refused_before_it_runs(agent: Agent) -> None:
    answer = agent.start("print('ran')\ndef run(mini_batch)\n    return []\n")
    assert (answer.kind, answer.flags) == (INIT_FAILED, REFUSED)
    error = answer.error
    assert (error["type"], error["method"]) == ("SyntaxError", "load")
    assert 'score.py", line 2' in error["traceback"]
    assert "windrow" not in error["traceback"]
    assert agent.exit_code() == 72
    assert agent.user("stdout") == ""


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def init(): pass\n", "score.py has no function run(mini_batch)"),
        ("run = 5\n", "score.py has a run that is not a function but int"),
        ("def run(): pass\n", "score.py has a run() that takes no argument; define run("),
        ("async def run(b): pass\n", "score.py has a run() that is async; define it with def"),
        (
            "def run(a, b, c, d=1): pass\n",
            "score.py has a run() that needs 3 arguments; define run(",
        ),
        ("def run(*, mini_batch): pass\n", "score.py has a run() that takes no argument"),
        ("class A:\n    def run(self): pass\nrun = A().run\n", "score.py has a run() that takes"),
    ],
)
def test_a_script_without_run_is_refused(agent: Agent, source: str, message: str) -> None:
    answer = agent.start(source)
    assert (answer.kind, answer.flags) == (INIT_FAILED, REFUSED)
    assert answer.error["type"] in ("AttributeError", "TypeError")
    assert answer.error["message"].startswith(message)
    assert agent.exit_code() == 72


def test_a_script_that_is_not_there_is_refused(agent: Agent) -> None:
    answer = agent.start("", script=str(agent.code / "missing.py"))
    assert (answer.kind, answer.flags) == (INIT_FAILED, REFUSED)
    assert answer.error["type"] == "FileNotFoundError"


# C897
def test_a_missing_module_may_lie_in_another_folder(agent: Agent) -> None:
    lib = agent.code / "lib"
    lib.mkdir()
    (lib / "helper.py").write_text("x = 1\n")
    said = agent.start("import helper\ndef run(x): return x\n").error["message"]
    assert f"there is {lib / 'helper.py'}, but the import path has only the folder of" in said
    assert "pip install" not in said


# C897
@pytest.mark.parametrize(
    ("line", "hint"),
    [
        (
            "import cv2_missing",
            "a module of your own must lie beside the script, or below task.code",
        ),
        ("import azureml", "-m pip install azureml-core; EntryScript comes from azureml_user"),
        ("from azureml.core import Run", "leave out what asks Azure for its run"),
    ],
)
def test_a_missing_module_is_told_with_what_to_do(agent: Agent, line: str, hint: str) -> None:
    assert hint in agent.start(f"{line}\ndef run(x): return x\n").error["message"]


# C897
@pytest.mark.parametrize(
    "source", ["import json\nx = json.loads('1')\n", "from json import loads\n"]
)
def test_a_script_that_hides_a_module_of_python_is_told_so(agent: Agent, source: str) -> None:
    path = agent.script(source + "def run(x): return x\n", "json.py")
    said = agent.start("", script=str(path)).error["message"]
    assert f"{path} has the name of a module of Python's standard library and hides it" in said


def test_an_exception_while_importing_fails_init(agent: Agent) -> None:
    answer = agent.start("import no_such_module\ndef run(mini_batch): return []\n")
    assert (answer.kind, answer.flags) == (INIT_FAILED, 0)
    error = answer.error
    assert (error["type"], error["method"]) == ("ModuleNotFoundError", "load")
    trace = error["traceback"].splitlines()
    assert trace[0] == "Traceback (most recent call last):"
    assert trace[1].endswith('score.py", line 1, in <module>')
    assert agent.exit_code() == 72


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("raise ValueError('cause: x')", "ValueError"),
        ("raise SystemExit(3)", "SystemExit"),
        ("import sys; sys.exit('good bye')", "SystemExit"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("raise GeneratorExit", "GeneratorExit"),
        ("def f(): f()\n    f()", "RecursionError"),
        ("raise MemoryError", "MemoryError"),
    ],
)
def test_any_exception_of_init_is_told_and_ends_the_worker(
    agent: Agent, statement: str, kind: str
) -> None:
    source = f"def init():\n    {statement}\ndef run(mini_batch): return []\n"
    answer = agent.start(source)
    assert answer.kind == INIT_FAILED
    assert (answer.error["type"], answer.error["method"]) == (kind, "init")
    assert "in init" in answer.error["traceback"]
    assert agent.exit_code() == 72
    assert f"process007 init\n{answer.error['traceback']}" in agent.user("error") or kind == (
        "RecursionError"
    )


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("raise ValueError('bad file')", "ValueError"),
        ("raise SystemExit(3)", "SystemExit"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("class Own(BaseException): pass\n    raise Own", "run.<locals>.Own"),
        ("raise Silent", "Silent"),
    ],
)
def test_any_exception_of_run_fails_the_mini_batch_and_the_worker_goes_on(
    agent: Agent, statement: str, kind: str
) -> None:
    source = f"""
class Silent(Exception):
    def __str__(self): raise TypeError
def run(mini_batch):
    if mini_batch == ["/good"]: return mini_batch
    {statement}
"""
    agent.start(source)
    answer = agent.run("/bad", batch=3, picked=2)
    assert (answer.kind, answer.flags, answer.returned) == (FAILED, 0, 0)
    assert (answer.batch, answer.picked) == (3, 2)
    assert (answer.error["type"], answer.error["method"]) == (kind, "run")
    assert agent.run("/good").kind == DONE
    assert agent.shutdown().kind == GOODBYE
    assert agent.exit_code() == 0


def test_the_error_file_gets_one_whole_block_per_failure(agent: Agent) -> None:
    source = """
def deep(name):
    return {}[name]
def run(mini_batch):
    try:
        return deep(mini_batch[0])
    except KeyError as error:
        raise RuntimeError("cannot read " + mini_batch[0]) from error
"""
    agent.start(source)
    first = agent.run(b"/data/\xff", batch=4711, picked=2).error
    agent.run("/b", batch=4712)
    blocks = re.split(r"(?m)^==== ", agent.user("error"))[1:]
    assert len(blocks) == 2
    heading, trace = blocks[0].split("\n", 1)
    assert re.fullmatch(
        r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC process007 mini-batch 4711 picked 2: run", heading
    )
    assert trace == first["traceback"] + "\n"
    assert "in deep\n    return {}[name]" in trace
    assert "direct cause" in trace
    assert "mini-batch 4712 picked 1" in blocks[1]
    assert first["message"] == r"cannot read /data/\udcff"


def test_very_long_messages_are_shortened_in_the_answer_alone(agent: Agent) -> None:
    agent.start("def run(mini_batch):\n    raise ValueError('a' + 'x' * 1_000_000 + 'z')\n")
    answer = agent.run("/a")
    assert len(answer.payload) < 200_000
    assert "characters left out" in answer.error["message"]
    assert answer.error["message"][0] == "a"
    assert answer.error["message"][-1] == "z"
    assert len(agent.user("error")) > 1_000_000


def test_stderr_captured_from_a_child_process_is_in_the_error_file(agent: Agent) -> None:
    source = """
import subprocess
def run(mini_batch):
    command = ["sh", "-c", "echo the child says no >&2; exit 3"]
    subprocess.run(command, capture_output=True, check=True)
"""
    agent.start(source)
    assert agent.run("/a").error["type"] == "CalledProcessError"
    assert agent.user("error").endswith(
        "captured stderr of the child process:\nthe child says no\n\n"
    )


def test_an_exception_of_shutdown_is_told_and_fails_nothing(agent: Agent) -> None:
    agent.start("def run(mini_batch): return []\ndef shutdown(): raise ValueError('late')\n")
    answer = agent.shutdown()
    assert answer.kind == GOODBYE
    assert (answer.error["type"], answer.error["method"]) == ("ValueError", "shutdown")
    assert agent.exit_code() == 0
    assert "process007 shutdown\n" in agent.user("error")


def test_a_broken_module_of_the_user_does_not_stop_error_reports(agent: Agent) -> None:
    for name in ("traceback", "linecache", "tokenize", "json"):
        agent.script("raise RuntimeError('not the module you want')\n", f"{name}.py")
    agent.start("def run(mini_batch):\n    raise ValueError('the cause')\n")
    answer = agent.run("/a")
    assert (answer.error["type"], answer.error["message"]) == ("ValueError", "the cause")
    assert "ValueError: the cause" in agent.user("error")


def test_prints_go_to_the_users_files_line_by_line(agent: Agent) -> None:
    source = """
import os, sys
print("import")
def run(mini_batch):
    print("line", mini_batch[0])
    print("oops", file=sys.stderr)
    sys.stdout.buffer.write(b"raw bytes\\n")
    sys.stdout.flush()
    os.write(1, b"descriptor 1\\n")
    os.write(2, b"descriptor 2\\n")
    print("end")
    os.kill(os.getpid(), 9)
"""
    agent.start(source)
    agent.send(2, b"/\xff\xc3\xbc")
    assert agent.exit_code() == -9
    assert agent.user("stdout") == "import\nline /\udcffü\nraw bytes\nend\n"
    assert agent.user("stderr") == "oops\n"
    assert agent.raw("stdout").read_text() == "descriptor 1\n"
    assert agent.raw("stderr").read_text() == "descriptor 2\n"


def test_what_was_printed_without_a_line_break_is_there_at_the_end(agent: Agent) -> None:
    source = """
import io, sys
print("half a line", end="")
sys.stdout = io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, "w", closefd=False)))
print("elsewhere", end="")
def run(mini_batch): return []
"""
    agent.start(source)
    agent.shutdown()
    agent.exit_code()
    assert agent.user("stdout") == "half a line"
    assert agent.raw("stdout").read_text() == "elsewhere"


def test_the_users_files_exist_from_the_start_and_are_appended_to(agent: Agent) -> None:
    (agent.folder / "user.stdout.txt").write_text("earlier\n")
    agent.start("print('now')\ndef run(mini_batch): return []\n")
    assert agent.user("stdout") == "earlier\nnow\n"
    assert agent.user("stderr") == ""


def test_a_child_process_without_redirection_inherits_descriptors_1_and_2(agent: Agent) -> None:
    source = """
import subprocess
def run(mini_batch):
    subprocess.run(["sh", "-c", "echo child"], check=True)
    return []
"""
    agent.start(source)
    agent.run("/a")
    assert agent.raw("stdout").read_text() == "child\n"
    assert agent.user("stdout") == ""


LOGGING = """
    logging.warning("shown %d", 1)
    logging.getLogger("lib.part").error("failed")
    logging.info("hidden")
    logging.debug("hidden")
    own = logging.getLogger("own")
    own.setLevel(logging.INFO)
    own.info("visible")
    logging.basicConfig(level=logging.DEBUG)
    logging.info("hidden")
"""


@pytest.mark.parametrize(
    "source",
    [
        f"import logging\nif True:\n{LOGGING}\ndef run(mini_batch):\n    return []",
        f"import logging\ndef run(mini_batch):{LOGGING}\n    return []",
        f"def run(mini_batch):\n    import logging.handlers{LOGGING}\n    return []",
    ],
)
def test_logging_goes_to_the_users_stdout(agent: Agent, source: str) -> None:
    agent.start(source)
    answer = agent.run("/a")
    assert answer.kind == DONE, answer.payload
    assert agent.user("stdout") == "WARNING:root:shown 1\nERROR:lib.part:failed\nINFO:own:visible\n"
    assert agent.user("stderr") == ""


def test_a_module_of_the_user_named_logging_is_left_alone(agent: Agent) -> None:
    agent.script("VALUE = 5\n", "logging.py")
    agent.start("import logging\ndef run(mini_batch):\n    return [logging.VALUE]\n")
    assert agent.run("/a").payload == b"5\n"


def test_the_worker_starts_without_the_slow_modules(agent: Agent) -> None:
    slow = ["json", "logging", "traceback", "inspect", "typing", "socket", "re", "importlib.util"]
    source = f"""
import sys
loaded = [name for name in {slow} if name in sys.modules]
def run(mini_batch): return loaded
"""
    bare = f"import sys; print([name for name in {slow} if name in sys.modules])"
    given = subprocess.run([sys.executable, "-c", bare], capture_output=True, text=True).stdout
    agent.start(source)
    assert str(agent.run("/a").payload.decode().split()) == given.strip()
