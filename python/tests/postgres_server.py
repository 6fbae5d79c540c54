# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server of the tests' own, in a temporary folder, on a socket there."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_HBA = "local all secret scram-sha-256\nlocal all all trust\n"


def programs() -> Path | None:
    """The folder of initdb and pg_ctl; Debian does not put them on the path."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    on_path = shutil.which("pg_ctl")
    if found:
        return found[-1].parent
    return Path(on_path).parent if on_path else None


def obstacle(bin_folder: Path) -> str | None:
    """Why no server can be started here, where that is known beforehand."""
    if os.geteuid() != 0:
        return None
    try:  # the server refuses to run as root
        subprocess.run(
            [str(bin_folder / "initdb"), "--version"],
            user="postgres", cwd="/", check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
    except (KeyError, ValueError, OSError, subprocess.CalledProcessError) as error:
        return f"as user postgres nobody can execute {bin_folder}/initdb: {error}"
    return None


class Server:
    """`folder`: where its socket is."""

    def __init__(self, folder: Path, bin_folder: Path) -> None:
        self.folder, self._bin = folder, bin_folder

    def connection(self, user: str = "postgres") -> str:
        return f"postgresql://{user}@/postgres?host={self.folder}"

    def sql(self, text: str) -> str:
        """Runs statements; gives what they print."""
        command = ["psql", self.connection(), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"]
        return self.call([*command, "-c", text])

    def call(self, command: list[str]) -> str:
        command = [str(self._bin / command[0]), *command[1:]]
        user = "postgres" if os.geteuid() == 0 else None  # the server refuses to run as root
        environment = {**os.environ, "LC_ALL": "C"}
        done = subprocess.run(
            command, text=True, user=user, cwd="/", env=environment, timeout=120,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        assert done.returncode == 0, f"{' '.join(command)}: {done.stdout[-2000:]}"
        return done.stdout


@contextmanager
def running(bin_folder: Path) -> Iterator[Server]:
    folder = Path(tempfile.mkdtemp(prefix="windrow-postgres-"))
    data = str(folder / "data")
    server = Server(folder, bin_folder)
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
        initdb = ["initdb", "-D", data, "-U", "postgres", "-E", "UTF8", "--locale=C"]
        server.call([*initdb, "-A", "trust", "--no-sync"])
        (folder / "data/pg_hba.conf").write_text(_HBA)
        options = f"-k {folder} -c listen_addresses= -c fsync=off"
        log = str(folder / "log")
        server.call(["pg_ctl", "-D", data, "-w", "-l", log, "-o", options, "start"])
        try:
            yield server
        finally:
            server.call(["pg_ctl", "-D", data, "-m", "immediate", "stop"])
    finally:
        shutil.rmtree(folder)
