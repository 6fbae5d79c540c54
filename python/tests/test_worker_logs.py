# SPDX-License-Identifier: Apache-2.0
"""Where what a script prints and logs goes, and that nothing it writes does harm."""

from __future__ import annotations

import os
import pstats
from pathlib import Path

import pytest
from fake_agent import DONE, GOODBYE, READY, Agent, wait_until

RUN = "\ndef run(mini_batch):\n    return mini_batch\n"


# C188
def test_a_full_file_is_put_aside_and_the_highest_number_is_the_oldest(agent: Agent) -> None:
    source = "import sys\ndef run(batch):\n    for i in range(100): print(f'{i:09}')\n    return []"
    assert agent.start(source, user_log_max=200).kind == READY
    agent.run("/a")
    texts = [agent.user(name) for name in ("stdout.3", "stdout.2", "stdout.1", "stdout")]
    assert [len(text) for text in texts] == [200, 200, 200, 200]
    assert "".join(texts).split() == [f"{i:09}" for i in range(20, 100)]
    assert not (agent.folder / "user.stdout.4.txt").exists()


# C188
def test_a_line_longer_than_a_file_may_be_stays_in_one_piece(agent: Agent) -> None:
    source = (
        "def run(batch):\n    print('a')\n    print('b' * (1 << 20))\n    print('c')\n    return []"
    )
    agent.start(source, user_log_max=1000)
    agent.run("/a")
    kept = [agent.user(name) for name in ("stdout.2", "stdout.1", "stdout")]
    assert [text[:1] for text in kept] == ["a", "b", "c"]
    assert len(kept[1]) >= 1 << 20


# C188
def test_bytes_of_every_kind_survive(agent: Agent) -> None:
    source = r"""
import sys
def run(batch):
    print("nul \0 \udcff \ud800 end")
    sys.stdout.buffer.write(b"\xfe\xff\0 raw\n")
    sys.stdout.buffer.flush()
    print("x" * (1 << 20))
    sys.stderr.write("no line break")
    return []
"""
    agent.start(source, user_log_max=1 << 30)
    agent.run("/a")
    agent.shutdown()
    agent.exit_code()
    text = (agent.folder / "user.stdout.txt").read_bytes()
    assert text == b"nul \0 \xff ? end\n\xfe\xff\0 raw\n" + b"x" * (1 << 20) + b"\n"
    assert agent.user("stderr") == "no line break"


# C188
def test_a_forked_child_never_puts_a_file_aside(agent: Agent) -> None:
    source = """
import os
def run(batch):
    child = os.fork()
    if child == 0:
        for i in range(100): print("of the child")
        os._exit(0)
    os.waitpid(child, 0)
    return []
"""
    agent.start(source, user_log_max=100)
    assert agent.run("/a").kind == DONE
    assert agent.user("stdout").count("of the child\n") == 100


# C190
def test_a_print_that_cannot_be_written_fails_nothing(agent: Agent) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full here")
    source = "def run(batch):\n    print('lost'); print('lost')\n    return ['kept']"
    assert agent.start(source, user_stdout="/dev/full").kind == READY
    assert agent.run("/a").payload == b"kept\n"
    assert agent.raw("stderr").read_text().count("cannot write '/dev/full'") == 1


# C190
@pytest.mark.parametrize("how", ["os.close(n)", "os.dup2(os.open('/dev/null', os.O_RDONLY), n)"])
def test_a_script_may_close_its_standard_descriptors(agent: Agent, how: str) -> None:
    source = f"""
import os, sys
def init():
    for n in (0, 1, 2):
        {how}
def run(batch):
    print("still here")
    return batch
"""
    assert agent.start(source).kind == READY
    assert agent.run("/a").payload == b"/a\n"
    assert agent.shutdown().kind == GOODBYE
    assert agent.user("stdout") == "still here\n"


# C191
def test_a_native_abort_leaves_the_stacks_of_all_threads(agent: Agent) -> None:
    source = """
import os, threading
ready = threading.Event()
def lurking():
    ready.set()
    threading.Event().wait()
def run(batch):
    threading.Thread(target=lurking, daemon=True).start()
    ready.wait()
    os.close(2)
    os.abort()
"""
    agent.start(source)
    agent.send(2, b"/a")
    agent.process.wait(30)
    text = agent.raw("stderr").read_text()
    assert "Fatal Python error: Aborted" in text
    assert "in run" in text
    assert "in lurking" in text


# C192
@pytest.mark.parametrize(("level", "shown"), [("WARNING", "w"), ("INFO", "iw"), ("DEBUG", "diw")])
def test_the_level_of_the_root_logger_can_be_set(agent: Agent, level: str, shown: str) -> None:
    source = """
import logging
logging.debug("d"); logging.info("i"); logging.warning("w")
"""
    agent.start(source + RUN, python_logging_level=level)
    lines = agent.user("stdout").split()
    assert [line.rpartition(":")[2] for line in lines] == list(shown)


# C193
@pytest.mark.parametrize("module", ["cProfile", "profile"])
def test_a_profile_is_there_at_the_end(agent: Agent, module: str, tmp_path: Path) -> None:
    source = """
import time
def expensive(): return sum(i for i in range(1000))
def init(): expensive()
def run(batch, context):
    expensive()
    return batch
def shutdown(): expensive()
"""
    path = tmp_path / "process007.profile"
    assert agent.start(source, profiler=module, profile=str(path)).kind == READY
    assert agent.run("/a").kind == DONE
    agent.run("/b")
    agent.shutdown()
    assert agent.exit_code() == 0
    stats = pstats.Stats(str(path)).stats  # type: ignore[attr-defined]
    calls = {name: value[0] for (_, _, name), value in stats.items()}
    assert (calls["expensive"], calls["init"], calls["run"], calls["shutdown"]) == (4, 1, 2, 1)


# C193
def test_a_profile_is_written_while_the_script_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from windrow.worker import profiling

    monkeypatch.setattr(profiling, "WRITE_EVERY_S", 0.01)
    path = tmp_path / "now.profile"
    one = profiling.Profiling("cProfile", str(path))
    one.call(lambda: wait_until(path.exists, "profile"))
    assert pstats.Stats(str(path))


# C194
def test_a_module_by_its_dotted_name_has_its_package(agent: Agent) -> None:
    agent.script("", "pkg/__init__.py")
    agent.script("WORD = 'beside'", "pkg/other.py")
    source = """
from . import other
import sys
def run(batch):
    import pkg
    me = sys.modules[__name__]
    return [__name__, __package__, other.WORD, pkg.score is me, __file__]
"""
    started = agent.start(source, "pkg/score.py", module="pkg.score")
    assert started.kind == READY, started.payload
    path = os.path.realpath(agent.code / "pkg/score.py")
    assert agent.run("/a").payload.decode() == f"pkg.score\npkg\nbeside\nTrue\n{path}\n"


# C195
def test_the_working_directory_has_links_to_the_code(agent: Agent) -> None:
    (agent.folder / "own.txt").write_text("mine")
    (agent.code / "own.txt").write_text("of the code")
    (agent.code / "zebra.txt").write_text("behind it")
    (agent.code / "labels").mkdir()
    (agent.code / "labels/a.txt").write_text("label")
    source = """
def run(batch):
    return [open(name).read() for name in ("labels/a.txt", "own.txt", "zebra.txt")]
"""
    agent.start(source)
    assert (
        agent.run("/a").payload == b"label\nmine\nbehind it\n"
    )  # nothing that was there is replaced
    assert (agent.folder / "labels").is_symlink()
