# SPDX-License-Identifier: Apache-2.0
"""A small agent for tests: starts the real worker process and speaks the worker protocol with it.

Written from docs/formats/worker-protocol.md alone; imports nothing of the worker.
"""

from __future__ import annotations

import fcntl
import json
import mmap
import os
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

MAIN = Path(__file__).resolve().parents[1] / "src" / "windrow" / "worker" / "__main__.py"
START, BATCH, SHUTDOWN, BUNDLE = 1, 2, 3, 4
READY, INIT_FAILED, DONE, FAILED, GOODBYE, ANSWERS = 1, 2, 3, 4, 5, 6
INIT, IDLE, LOAD, RUN, SERIALISE, SHUTTING_DOWN = 1, 2, 3, 4, 5, 6
INLINE_MAX = 65472
DEADLINE_S = 30.0

COMMAND = struct.Struct("<IIQIIIIQ24x")
_ANSWER = struct.Struct("<IIQIIIIQQIIII")
_PAGE = struct.Struct("<QIIIIQQ24x")


class Answer(NamedTuple):
    kind: int
    epoch: int
    batch: int
    picked: int
    returned: int
    flags: int
    start: int
    elapsed_us: int
    run_us: int
    cpu_us: int
    payload: bytes
    in_descriptor: bool
    items: int = 0  # rows of a table, plus one

    @property
    def error(self) -> dict[str, str]:
        return json.loads(self.payload)


class PageCopy(NamedTuple):
    sequence: int
    phase: int
    batch: int
    picked: int
    since: int


def wait_until(condition: Any, what: str = "condition") -> Any:
    """Polls until the condition gives something true, and returns that."""
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.002)
    raise AssertionError(f"{what} did not come true within {DEADLINE_S} s")


class Agent:
    """One worker process and this side of its sockets. `folder` gets the code and the logs."""

    def __init__(
        self, folder: Path, python: str = sys.executable, main: Path = MAIN, **environment: str
    ) -> None:
        self.folder = folder
        self.code = folder / "code"
        self.code.mkdir(parents=True, exist_ok=True)
        self.commands, commands = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.answers, answers = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.answers.settimeout(DEADLINE_S)
        page = os.memfd_create("page")
        os.ftruncate(page, 64)
        self.page_memory = mmap.mmap(page, 64)
        self.taker = commands  # the duplicate with which an agent takes packets back
        inherited = (commands.fileno(), answers.fileno(), page)
        self.process = self._spawn([python, str(main)], inherited, environment)
        answers.close()
        os.close(page)

    def _spawn(
        self, command: list[str], inherited: tuple[int, ...], environment: dict[str, str]
    ) -> subprocess.Popen[bytes]:
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 100) for fd in inherited]

        def place() -> None:
            for target, fd in enumerate(high, start=3):
                os.dup2(fd, target)

        with open(self.raw("stdout"), "ab") as out, open(self.raw("stderr"), "ab") as err:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                cwd=self.folder,
                env={**os.environ, **environment},
                pass_fds=(3, 4, 5),
                preexec_fn=place,
            )
        for fd in high:
            os.close(fd)
        return process

    def raw(self, name: str) -> Path:
        """The file behind descriptor 1 or 2."""
        return self.folder / f"raw.{name}.txt"

    def user(self, name: str) -> str:
        """The text of the user's stdout, stderr or error file."""
        path = self.folder / f"user.{name}.txt"
        return path.read_text("utf-8", "surrogateescape")

    def script(self, source: str | bytes, name: str = "score.py") -> Path:
        path = self.code / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(source.encode() if isinstance(source, str) else source)
        return path

    def settings(self, script: Path, arguments: tuple[str, ...] = ()) -> dict[str, Any]:
        return {
            "script": str(script),
            "code_root": str(self.code),
            "argv": [str(script), *arguments],
            "process": "process007",
            "node": 0,
            "user_stdout": str(self.folder / "user.stdout.txt"),
            "user_stderr": str(self.folder / "user.stderr.txt"),
            "user_error": str(self.folder / "user.error.txt"),
            "log_folder": str(self.folder / "log"),
            "output_folder": str(self.folder / "output"),
            "append_row": True,
            "something_of_a_later_version": None,
        }

    def send(
        self, kind: int, payload: bytes = b"", batch: int = 0, picked: int = 0, tries: int = 0
    ) -> None:
        items = payload.count(b"\0") + 1 if payload else 0
        head = (0x31445257, kind, 77, batch, picked, items, tries, len(payload))
        header = COMMAND.pack(*head)
        if len(payload) <= INLINE_MAX:
            self.commands.send(header + payload)
            return
        memory = os.memfd_create("payload")
        os.write(memory, payload)
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("i", memory))]
        self.commands.sendmsg([header], rights)
        os.close(memory)

    def receive(self) -> Answer:
        packet, attached, _, _ = self.answers.recvmsg(65536, 64)
        assert packet, f"worker is gone: {self.raw('stderr').read_text()}"
        magic, kind, epoch, batch, picked, returned, flags, size, *times, items = (
            _ANSWER.unpack_from(packet)
        )
        assert magic == 0x31415257
        payload = packet[64:]
        for _, _, data in attached:
            assert not payload
            memory = struct.unpack("i", data[:4])[0]
            assert os.fstat(memory).st_size == size
            payload = os.pread(memory, size, 0)
            os.close(memory)
        assert len(payload) == size
        head = (kind, epoch, batch, picked, returned, flags)
        return Answer(*head, *times, payload, bool(attached), items)

    def start(self, source: str | bytes, name: str = "score.py", **changes: Any) -> Answer:
        """Starts the worker with a script of this text and returns what it answered."""
        settings = {**self.settings(self.script(source, name)), **changes}
        self.send(START, json.dumps(settings).encode())
        return self.receive()

    def send_bundle(self, *batches: bytes) -> None:
        """Mini-batches 0, 1 and so on in one packet, by the paths of each."""
        heads = (
            COMMAND.pack(0x31445257, BATCH, 77, number, 1, paths.count(b"\0") + 1, 0, len(paths))
            for number, paths in enumerate(batches)
        )
        payload = b"".join(head + paths for head, paths in zip(heads, batches))
        head = COMMAND.pack(0x31445257, BUNDLE, 0, 0, 0, len(batches), 0, len(payload))
        self.commands.send(head + payload)

    def receive_answers(self) -> list[Answer]:
        """Those of the next packet, however many are in it."""
        answer = self.receive()
        if answer.kind != ANSWERS:
            return [answer]
        answers, left = [], answer.payload
        while left:
            _, kind, epoch, batch, picked, returned, flags, size, *times, _ = _ANSWER.unpack_from(
                left
            )
            payload, left = left[64 : 64 + size], left[64 + size :]
            answers.append(
                Answer(kind, epoch, batch, picked, returned, flags, *times, payload, False)
            )
        return answers

    def run(self, *paths: str | bytes, batch: int = 0, picked: int = 1, tries: int = 0) -> Answer:
        payload = b"\0".join(os.fsencode(path) for path in paths)
        self.send(BATCH, payload, batch, picked, tries)
        return self.receive()

    def page(self) -> PageCopy:
        while True:
            copy = _PAGE.unpack(self.page_memory[:64])
            sequence, phase, batch, picked, zero, since, again = copy
            if sequence == again:
                assert zero == 0
                return PageCopy(sequence, phase, batch, picked, since)

    def shutdown(self) -> Answer:
        self.send(SHUTDOWN)
        return self.receive()

    def exit_code(self) -> int:
        return self.process.wait(DEADLINE_S)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(DEADLINE_S)
        for end in (self.commands, self.answers, self.taker):
            end.close()
        self.page_memory.close()


# Blocks until the test opens the other end: what it reads from there is the result.
GATE = """
import os
def wait_at(name):
    with open(os.path.join(os.path.dirname(__file__), "..", name)) as gate:
        return gate.read()
"""


def gate(agent: Agent, name: str) -> Path:
    path = agent.folder / name
    os.mkfifo(path)
    return path
