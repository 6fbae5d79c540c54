# SPDX-License-Identifier: Apache-2.0
"""What happens between two commands: code fixed, files added, names used again."""

from __future__ import annotations

import signal

import pytest
from workbench import NAMES, Job, Running, Windrow, numbered, until

# Waits at the third file until there is a file `calm`, and says which files it got.
HELD = """
import os, time

def run(mini_batch):
    name = os.path.basename(mini_batch[0])
    with open({folder!r} + "/calls", "a") as file:
        file.write(name + "\\n")
    while name == "f0002" and not os.path.exists({folder!r} + "/calm"):
        time.sleep(0.005)
    return [name]
"""


def held_script(windrow: Windrow) -> str:
    return HELD.format(folder=str(windrow.folder))


def interrupted(windrow: Windrow, running: Running) -> Job:
    """Stopped at the third file, whatever the machine does meanwhile."""
    until(lambda: "f0002" in (windrow.folder / "calls").read_text(), "the third call of run()")
    running.signal(signal.SIGINT)
    until(lambda: "stopping" in running.text, "the first interrupt is answered")
    running.signal(signal.SIGINT)
    job = running.end()
    assert job.exit == 130
    return job


def begun(windrow: Windrow, *flags: str, **settings: str) -> Job:
    """An unfinished job of six mini-batches, two of them done."""
    (windrow.folder / "calm").unlink(missing_ok=True)
    (windrow.folder / "calls").write_text("")
    if not (windrow.folder / "score.py").exists():
        windrow.script(held_script(windrow))
    if not (windrow.folder / "in").exists():
        windrow.files(6)
    running = windrow.start(None, *flags, size=1, workers=1, **settings)
    job = interrupted(windrow, running)
    (windrow.folder / "calm").touch()
    return job


# C63
def test_a_job_that_another_version_began_is_left_alone(windrow: Windrow) -> None:
    old = begun(windrow)
    identity = next(old.folder.glob("state/identity*"))
    lines = identity.read_text().splitlines(keepends=True)
    identity.write_text("".join(["0" * 64 + "\n", *lines[1:]]))
    again = windrow.command("job", "resume", old.name)
    assert again.exit == 2
    assert "cannot continue: another version of windrow began it; start a new job" in again.text


# C556 C63
@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["score.py"], "score.py' is changed; "),
        (
            ["helpers.py"],
            "helpers.py' is additional (all .py files beside the script are its code); ",
        ),
        (["a.py", "helpers.py", "score.py"], "score.py' is changed, and 2 other files differ; "),
    ],
)
def test_changed_code_is_told_by_its_files(windrow: Windrow, names: list[str], shown: str) -> None:
    old = begun(windrow)
    for name in names:
        windrow.script(NAMES, name)
    job = windrow.run(size=1)
    assert job.exit == 0, job
    assert f"not continuing job {old.name}: the code changed since it began: " in job.text
    assert shown in job.text
    assert f"`windrow job resume {old.name} --changed-code` does; starting a new one" in job.text
    assert job.folder != old.folder


# C556 C557
def test_commands_that_refuse_changed_code_say_what_works(windrow: Windrow) -> None:
    old = begun(windrow)
    windrow.script(NAMES)
    resumed = windrow.command("job", "resume", old.name)
    assert resumed.exit == 2
    assert "score.py' is changed; --changed-code continues with it as it is now" in resumed.text
    retried = windrow.command("retry", old.name)
    assert retried.exit == 2
    assert f"`windrow job resume {old.name} --changed-code` continues with it" in retried.text


# C557
def test_a_job_goes_on_with_changed_code_when_told(windrow: Windrow) -> None:
    old = begun(windrow)
    windrow.script(held_script(windrow).replace("[name]", "[name.upper()]"))
    (windrow.folder / "calm").unlink()
    (windrow.folder / "calls").write_text("")
    resume = ["job", "resume", old.name, "--changed-code"]
    stopped = interrupted(windrow, windrow.begin(*resume))
    assert "score.py' is changed" in stopped.text
    assert "continues with changed code after 2 mini-batches" in stopped.log(
        "logs/job_progress_overview.txt"
    )
    (windrow.folder / "calm").touch()
    job = windrow.run(size=1)  # the changed code is the job's own from now on
    assert job.exit == 0, job
    assert job.folder == old.folder
    assert job.rows() == ["f0000", "f0001", "F0002", "F0003", "F0004", "F0005"]


# C558 C64
def test_a_file_too_many_holds_a_job_up_until_it_is_gone(windrow: Windrow) -> None:
    old = begun(windrow)
    new = windrow.folder / "in/znew"
    new.touch()
    for _ in range(2):
        job = windrow.run(size=1)
        assert job.exit == 1
        assert "Stopped: the input is not what it was when the job began: 'znew' is additional" in (
            job.text
        )
        assert "move away what is additional" in job.text
        assert "Start over: the same command with --new" in job.text
        assert job.folder == old.folder
    new.unlink()
    job = windrow.run(size=1)
    assert job.exit == 0, job
    assert job.folder == old.folder
    assert job.rows() == numbered(6)


# C559
def test_new_takes_the_next_free_number_for_a_name(windrow: Windrow) -> None:
    assert windrow.run(NAMES, files=2, name="hay").exit == 0
    refused = windrow.run(name="hay")
    assert refused.exit == 2
    assert "--new starts another, under the next free name" in refused.text
    for number in (2, 3):
        job = windrow.run(None, "--new", name="hay", output=f"out{number}")
        assert job.exit == 0, job
        assert f"there is a job hay already; this one is hay-{number}" in job.text
        assert job.name == f"hay-{number}"
        assert f"name: hay-{number}" in job.log("job.yml")


# C559 C61
def test_a_name_means_the_newest_job_of_the_same_kind(windrow: Windrow) -> None:
    assert windrow.run(NAMES, files=6, size=2, output="other", name="hay").exit == 0
    windrow.script(held_script(windrow))
    second = begun(windrow, "--new", name="hay")
    assert second.name == "hay-2"
    job = windrow.run(size=1, name="hay")
    assert job.exit == 0, job
    assert job.folder == second.folder
    assert job.rows() == numbered(6)


# C560
def test_an_older_unfinished_job_goes_on_when_it_is_the_one_that_fits(windrow: Windrow) -> None:
    first = begun(windrow)
    script = (windrow.folder / "score.py").read_text()
    windrow.script(script + "# changed\n")
    second = begun(windrow)
    assert second.folder != first.folder
    windrow.script(script)
    job = windrow.run(size=1)
    assert job.exit == 0, job
    assert job.folder == first.folder
    assert f"continuing job {first.name}" in job.text
    unfinished = list((windrow.home / "unfinished").iterdir())
    assert [path.read_text() for path in unfinished] == [str(second.folder)]


# C561
@pytest.mark.parametrize("name", [None, "hay"])
def test_a_job_of_which_nothing_ran_says_how_to_begin_again(
    windrow: Windrow, name: str | None
) -> None:
    failed = windrow.run("import nowhere_to_be_found\n" + NAMES, files=2, name=name)
    assert failed.exit != 0
    windrow.script(NAMES)
    if name is None:
        assert "Fix the cause, then run the same command again" in failed.text
        job = windrow.run()
    else:
        assert "then: windrow job resume hay --changed-code" in failed.text
        assert "resume hay --changed-code` continues with it" in windrow.run(name=name).text
        job = windrow.command("job", "resume", "hay", "--changed-code", result=failed.result)
    assert job.exit == 0, job
    assert job.rows() == numbered(2)


# C702
def test_a_script_that_was_moved_away_is_told_with_what_to_do(windrow: Windrow) -> None:
    begun(windrow, "--name", "hay", output="hay-out")
    script = windrow.folder / "score.py"
    script.rename(windrow.folder / "moved.py")
    same = windrow.begin("run", "score.py", "--input", "in", "--name", "hay", "--output", "hay-out")
    commands = [["job", "resume", "hay"], ["job", "resume", "hay", "--changed-code"]]
    said = [windrow.command(*words) for words in commands] + [same.end()]
    for job in said:
        assert job.exit == 2, job
        assert job.text == (
            f"windrow: job hay began with the script '{script}', and it is not there now; put it "
            "back, or start a new job with it where it is\n"
        )
    (windrow.folder / "moved.py").rename(script)
    assert windrow.command("job", "resume", "hay").exit == 0
    other = windrow.script(BAD_ONES, "other/score.py")
    flags = ["--mini-batch-size", "1", "--max-retries", "0", "--name", "over"]
    assert windrow.command("run", "other/score.py", "--input", "in", *flags).exit == 0
    other.unlink()
    retry = windrow.command("retry", "over")
    assert (retry.exit, "job over began with the script" in retry.text) == (2, True), retry


BAD_ONES = """
import os

def run(mini_batch):
    if os.path.basename(mini_batch[0]) >= "f0003":
        raise ValueError("no good")
    return mini_batch
"""


# C700
def test_the_same_command_tells_of_the_job_that_failed_before(windrow: Windrow) -> None:
    def run(*flags: str) -> Job:
        return windrow.run(BAD_ONES, *flags, files=5, size=1, workers=1, retries=0, threshold=1)

    first = run()
    assert first.exit == 1
    assert "of the same command" not in first.text
    second = run()
    assert (second.exit, second.name == first.name) == (1, False), second
    assert (
        f"job {first.name} of the same command has failed, with 3 of 5 mini-batches done: "
        f"`windrow job resume {first.name} --changed-code` continues with it, `windrow retry "
        f"{first.name}` runs what failed in a job of its own; starting a new one\n"
    ) in second.text
    assert "of the same command" not in run("--new").text
    other = windrow.run(BAD_ONES, "--error-threshold", "-1", size=1, workers=1, output="other")
    assert (other.exit, "of the same command" in other.text) == (0, False), other
    # Another that is completed leaves nothing to be told.
    done = windrow.run(NAMES, size=1, workers=1)
    assert "of the same command has failed" in done.text
    assert "--changed-code` continues with it" in done.text
    (windrow.folder / "out/parallel_run_step.txt").unlink()
    assert "of the same command" not in windrow.run(NAMES, size=1, workers=1).text


# C561
def test_a_failed_job_says_how_it_goes_on_with_a_mended_script(windrow: Windrow) -> None:
    script = NAMES.replace("    return", "    assert 'f0003' not in mini_batch[0]\n    return")
    failed = windrow.run(script, files=6, size=1, workers=1, retries=0, threshold=0)
    assert failed.exit == 1
    assert f"Fix the cause, then: windrow job resume {failed.name} --changed-code\n" in failed.text
    windrow.script(NAMES)
    job = windrow.command("job", "resume", failed.name, "--changed-code", result=failed.result)
    assert job.exit == 0, job
    assert job.rows() == numbered(6)
