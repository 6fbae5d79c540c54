# SPDX-License-Identifier: Apache-2.0
"""The peers: who they are, and how one of them is run in a fresh process."""

import dataclasses
import importlib.metadata
import importlib.util
import json
import os

from suite import machine, process, windrow


@dataclasses.dataclass(frozen=True)
class Rival:
    name: str  # as printed
    module: str  # of peers/
    setting: str
    package: str = ""  # what must be installed; empty: the standard library
    share: float = (
        1.0  # of the mini-batches it is given, because it is slow; times are per mini-batch
    )

    def installed(self):
        return not self.package or importlib.util.find_spec(self.package) is not None


PLAIN = Rival("one plain process", "plain", "1")
PLAIN_TWO = Rival("two plain processes", "plain", "2")
POOL_1 = Rival("Pool imap chunk 1", "pool", "imap 1")
POOL_16 = Rival("Pool imap chunk 16", "pool", "imap 16")
POOL_16_ANY = Rival("Pool imap_unordered 16", "pool", "imap_unordered 16")
POOL_1_ANY = Rival("Pool imap_unordered 1", "pool", "imap_unordered 1")
FUTURES_1 = Rival("futures map chunk 1", "futures", "1", share=0.3)
FUTURES_16 = Rival("futures map chunk 16", "futures", "16")
JOBLIB = Rival("joblib auto", "joblib", "auto", "joblib")
JOBLIB_SUBMIT = Rival("joblib's loky, submit", "joblib", "submit", "joblib")
MPIRE_16 = Rival("mpire chunk 16", "mpire", "16", "mpire")
MPIRE = Rival("mpire auto", "mpire", "auto", "mpire")
MPIRE_1 = Rival("mpire chunk 1", "mpire", "1", "mpire")
DASK = Rival("Dask distributed", "dask", "", "distributed", share=0.05)
FUTURES_1_ALL = Rival("futures map chunk 1", "futures", "1")
DASK_ALL = Rival("Dask distributed", "dask", "", "distributed")
RAY_TASKS = Rival("Ray tasks", "ray_tasks", "", "ray", share=0.1)
RAY_DATA = Rival("Ray Data", "ray_data", "", "ray", share=0.2)
RAY_DATA_ALL = Rival("Ray Data", "ray_data", "", "ray")
SPARK_ALL = Rival("Spark mapInPandas", "spark", "", "pyspark")


def with_heavy(rivals, *heavy):
    return [*rivals, *heavy] if os.environ.get("PEERS") == "all" else list(rivals)


def ask(rival, request, limit_seconds, environment=None, counted=False):
    """Runs the rival; returns (its answer, Ended). Raises Failed with the reason it gave none."""
    if not rival.installed():
        raise windrow.Failed("not installed")
    request = {"setting": rival.setting, "workers": 2} | request
    paths = [windrow.BENCH, os.path.join(windrow.BENCH, "scripts")]
    environment = {"PYTHONPATH": os.pathsep.join(paths)} | (environment or {})
    command = [machine.interpreter(), "-m", f"peers.{rival.module}", json.dumps(request)]
    ended = process.run(command, limit_seconds, environment, counted)
    answers = [line for line in ended.output.splitlines() if line.startswith("{")]
    if answers:
        return json.loads(answers[-1]), ended
    if ended.timed_out:
        raise windrow.Failed(f"hangs (no end within {limit_seconds} s)")
    raise windrow.Failed(f"fails: {ended.last_words or ended.code}")


def versions():
    found = {}
    for package in ("joblib", "mpire", "distributed", "ray", "pyspark"):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = None
    return found
