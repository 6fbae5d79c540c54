# SPDX-License-Identifier: Apache-2.0
"""Files that run() writes, where outputs are staged: one folder per attempt, nothing left over."""

from __future__ import annotations

from pathlib import Path

from fake_agent import DONE, FAILED, READY, Agent

EPOCH = 77  # of the fake agent

# The items are what it is to do: a name is written, the rest is said in words.
SCRIPT = """
import os

def run(mini_batch):
    for item in mini_batch:
        if item == "raise":
            raise ValueError("enough")
        if item == "fork":
            if os.fork() == 0:
                return []
            os.wait()
            continue
        if item == "link":
            os.symlink("/etc", os.path.join(OUT, "link"))
            continue
        if item == "enter":
            os.chdir(OUT)
            continue
        if item == "here":
            open("here", "w").close()
            continue
        path = os.path.join(OUT, item)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(item)
    return mini_batch
"""


class Outputs:
    """A worker with two staged outputs."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.private = agent.folder / "staged/process007"
        self.done = agent.folder / "staged/done"
        self.done.mkdir(parents=True)
        for name in ("one", "two"):
            (self.private / name).mkdir(parents=True)
        source = f"OUT = {str(self.private / 'one')!r}\n{SCRIPT}"
        settings = {
            "staging": str(self.private),
            "staging_done": str(self.done),
            "staging_outputs": ["one", "two"],
        }
        assert agent.start(source, **settings).kind == READY

    def aside(self) -> list[str]:
        return files(self.done)


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


# C440
def test_each_attempt_has_a_folder_of_its_own(agent: Agent) -> None:
    outputs = Outputs(agent)
    assert agent.run("a", "deep/b", batch=4, picked=1).kind == DONE
    assert agent.run("a", batch=5, picked=3).kind == DONE
    first, second = f"{EPOCH}.4.1/one", f"{EPOCH}.5.3/one"
    assert outputs.aside() == [f"{first}/a", f"{first}/deep/b", f"{second}/a"]
    assert files(outputs.private) == []
    assert (outputs.private / "two").is_dir()


# C440
def test_an_attempt_without_files_leaves_nothing(agent: Agent) -> None:
    outputs = Outputs(agent)
    assert agent.run(batch=4).kind == DONE
    assert list(outputs.done.iterdir()) == []


# C441
def test_what_a_failed_attempt_wrote_is_not_there_in_the_next(agent: Agent) -> None:
    outputs = Outputs(agent)
    assert agent.run("a", "raise", batch=4, picked=1).kind == FAILED
    assert agent.run("b", batch=4, picked=2).kind == DONE
    assert outputs.aside() == [f"{EPOCH}.4.1/one/a", f"{EPOCH}.4.2/one/b"]


# C441
def test_a_child_that_the_script_forked_takes_nothing_aside(agent: Agent) -> None:
    outputs = Outputs(agent)
    assert agent.run("a", "fork", "b", batch=4).kind == DONE
    assert outputs.aside() == [f"{EPOCH}.4.1/one/a", f"{EPOCH}.4.1/one/b"]


# C446
def test_a_link_fails_the_attempt_and_is_gone(agent: Agent) -> None:
    outputs = Outputs(agent)
    answer = agent.run("a", "link", batch=4)
    assert answer.kind == FAILED
    assert answer.error["type"] == "StagedFileError"
    assert "one/link is neither a file nor a folder" in answer.error["message"]
    assert agent.run("a", batch=4, picked=2).kind == DONE
    assert f"{EPOCH}.4.2/one/a" in outputs.aside()


# C440
def test_a_script_that_works_in_its_output_stays_in_it(agent: Agent) -> None:
    outputs = Outputs(agent)
    agent.run("enter", "here", batch=4)
    agent.run("here", batch=5)
    assert outputs.aside() == [f"{EPOCH}.4.1/one/here", f"{EPOCH}.5.1/one/here"]
