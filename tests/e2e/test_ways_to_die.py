# SPDX-License-Identifier: Apache-2.0
"""Eight ways to die in each of three hooks: each has its own sentence, and nobody else pays."""

from __future__ import annotations

from workbench import Windrow

# What is done, and what is said of it.
WAYS = {
    "segfault": (
        "ctypes.string_at(0)",
        "killed by SIGSEGV {} (native code reached for memory that is not there",
    ),
    "overflow": ("deeper(0)", "killed by SIGSEGV {} (the stack overflowed: calls"),
    "abort": ("os.abort()", "killed by SIGABRT {} (something called abort())"),
    "fatal": (
        "ctypes.pythonapi.Py_FatalError(b'out of ideas')",
        "killed by SIGABRT {} (Fatal Python error: ",
    ),
    "thrown": (
        "ctypes.CDLL('libstdc++.so.6')._ZSt17__throw_bad_allocv()",
        "killed by SIGABRT {} (an exception of C++ that nobody caught: terminate called after "
        "throwing an instance of 'std::bad_alloc')",
    ),
    "exit0": ("os._exit(0)", "ended with exit code 0 {} (os._exit(0) or"),
    "exit1": ("os._exit(1)", "ended with exit code 1 {} (os._exit() or"),
    "sysexit": ("sys.exit('enough of this')", "enough of this"),
}
NAMES = list(WAYS)

PRELUDE = f"""
import ctypes, os, sys, time

def deeper(level):
    # Through C, so that every level takes a piece of the real stack.
    sys.setrecursionlimit(10**9)
    return [*map(deeper, [level + 1])]

def die(way):
    ways = {{name: code for name, (code, _) in {WAYS!r}.items()}}
    print("going", way, file=sys.stderr, flush=True)
    exec(ways[way])
"""


# C255 C256 C32
def test_in_run_each_death_costs_one_try_of_the_mini_batch_inside(windrow: Windrow) -> None:
    script = (
        PRELUDE
        + """
def run(mini_batch):
    name = os.path.basename(mini_batch[0])
    if not name.startswith("good"):
        die(name)
    return [name]
"""
    )
    good = [f"good{number}" for number in range(8)]
    job = windrow.run(script, files=NAMES + good, size=1, retries=0)
    assert job.exit == 0, job
    assert sorted(job.rows()) == good
    charged = [status for status in job.statuses() if status not in ("RUN_DONE", "RETURNED")]
    assert sorted(charged) == ["PROCESS_DIED"] * 7 + ["RUN_EXCEPTION"]
    items = {item["item"].rpartition("/")[2]: item for item in job.failed_items()}
    assert sorted(items) == sorted(NAMES)
    for name, (_, sentence) in WAYS.items():
        message = items[name]["error_message"]
        assert sentence.format("in run()") in message
        if name != "sysexit":
            assert "; its peak was " in message
            assert "MB of memory" in message
    assert "the last lines of" in items["segfault"]["traceback"]
    assert "Current thread" in items["segfault"]["traceback"]
    assert "going exit1" in items["exit1"]["traceback"], "sys.stderr when descriptor 2 is silent"


# C255 C39
def test_in_init_each_death_is_a_failed_start(windrow: Windrow) -> None:
    script = (
        PRELUDE
        + f"""
def init():
    number = int(os.environ["WINDROW_PROCESS"][len("process"):])
    if number < {len(NAMES)}:
        with open({str(windrow.folder / "pids")!r}, "a") as file:
            file.write(f"{{os.getpid()}}\\n")
        die({NAMES!r}[number])

def run(mini_batch):
    # The job must not end before the last of them is dead: it would be told to stop instead.
    while True:
        with open({str(windrow.folder / "pids")!r}) as file:
            pids = file.read().split()
        if len(pids) == {len(NAMES)} and not any(os.path.exists("/proc/" + pid) for pid in pids):
            return mini_batch
        time.sleep(0.01)
"""
    )
    job = windrow.run(script, files=6, size=1, workers=3)
    assert job.exit == 0, job
    assert len(job.rows()) == 6
    assert set(job.statuses()) <= {"RUN_DONE", "RETURNED"}
    loads = {load["Process"]: load for load in job.loads()}
    for number, (_, sentence) in enumerate(WAYS.values()):
        load = loads[f"process{number:03}"]
        assert load["Status"] == "LOAD_EXCEPTION"
        assert sentence.format("in init()") in load["Error Message"]


# C255 C251 C252 C4
def test_in_shutdown_each_death_is_noted_and_costs_nothing(windrow: Windrow) -> None:
    script = (
        PRELUDE
        + f"""
def run(mini_batch):
    return mini_batch

def shutdown():
    number = int(os.environ["WINDROW_PROCESS"][len("process"):])
    die({NAMES!r}[number % {len(NAMES)}])
"""
    )
    job = windrow.run(script, keys={"max_batches_per_worker": 1}, files=10, size=1)
    assert job.exit == 0, job
    assert len(job.rows()) == 10
    assert job.failed_items() == []
    assert set(job.statuses()) <= {"RUN_DONE", "RETURNED"}
    done = [attempt["Process"] for attempt in job.attempts() if attempt["Status"] == "RUN_DONE"]
    assert len(set(done)) == 10, "one mini-batch for each worker"
    main = job.log("logs/sys/node/0/_main.txt")
    for name, (_, sentence) in WAYS.items():
        if name not in ("sysexit", "exit0"):
            assert sentence.format("in shutdown()") in main
    assert "shutdown() raised SystemExit: enough of this" in main
    assert "exited with -11: " in main
    assert "exited with -6: " in main
    assert "exited with 1: " in main


# C31 C32 C34
def test_scripts_with_bad_manners_harm_neither_others_nor_the_machine(windrow: Windrow) -> None:
    script = """
import os, signal, subprocess, time

def run(mini_batch, context):
    name = os.path.basename(mini_batch[0])
    if name == "forks":
        if os.fork() == 0:
            return ["never seen"]
    elif name == "bomb":  # a bounded one: 31 processes that stay
        for _ in range(5):
            os.fork()
        if os.getpid() != int(os.environ["OWN"]):
            time.sleep(1000)
    elif name == "daemon":
        subprocess.Popen(["setsid", "sleep", "1000"])
    elif name == "descriptors":
        kept = [os.open("/dev/null", os.O_RDONLY) for _ in range(64)]
    elif name == "deaf" and context.retry_count == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(1000)
    return [name]

def init():
    os.environ["OWN"] = str(os.getpid())
"""
    names = ["bomb", "daemon", "deaf", "descriptors", "forks", "good"]
    job = windrow.run(script, files=names, size=1, timeout=5, retries=1)
    assert job.exit == 0, job
    assert job.rows() == names
    assert job.statuses(2) == ["RUN_TIMEOUT", "RUN_DONE"]
    for batch in (0, 1, 3, 4, 5):
        assert [s for s in job.statuses(batch) if s != "RETURNED"] == ["RUN_DONE"]
    windrow.expect_no_orphans()
