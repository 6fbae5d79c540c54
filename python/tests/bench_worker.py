# SPDX-License-Identifier: Apache-2.0
"""Microseconds of the worker per mini-batch of ten paths, beside a bare echo loop.

    python tests/bench_worker.py [PYTHON]

The agent's side keeps eight mini-batches in flight. "cpu" is the processor time of the worker's
process per mini-batch: what the engine costs whoever runs the script.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import fake_agent as protocol

SCRIPT = """
ROWS = ["row %d" % i for i in range(10)]
def run(mini_batch):
    return ROWS[:]
"""

ECHO = """
import socket
commands = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, 3)
answers = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, 4)
ROWS = ["row %d" % i for i in range(10)]
def run(mini_batch):
    return ROWS[:]
while True:
    packet = commands.recv(65536)
    if not packet:
        break
    rows = run(packet[64:].decode("utf-8", "surrogateescape").split("\\0"))
    answers.send(packet[:64] + ("\\n".join(rows) + "\\n").encode())
"""

PATHS = b"\0".join(b"/data/input/images/2026/file%06d.jpg" % i for i in range(10))
COUNT = 100_000
IN_FLIGHT = 8


def cpu_seconds(pid: int) -> float:
    with open(f"/proc/{pid}/schedstat") as file:
        return int(file.read().split()[0]) / 1e9


def measure(agent: protocol.Agent) -> tuple[float, float]:
    """Wall and processor microseconds per mini-batch."""
    packet = protocol.COMMAND.pack(0x31445257, 2, 1, 5, 1, 10, 0, len(PATHS)) + PATHS
    send, receive = agent.commands.send, agent.answers.recv
    agent.answers.settimeout(None)
    for _ in range(IN_FLIGHT):
        send(packet)
    for _ in range(2000):
        receive(65536)
        send(packet)
    began, cpu = time.perf_counter(), cpu_seconds(agent.process.pid)
    for _ in range(COUNT):
        receive(65536)
        send(packet)
    wall, cpu = time.perf_counter() - began, cpu_seconds(agent.process.pid) - cpu
    for _ in range(IN_FLIGHT):
        receive(65536)
    return wall / COUNT * 1e6, cpu / COUNT * 1e6


def echo(python: str, folder: Path) -> tuple[float, float]:
    main = folder / "echo.py"
    main.write_text(ECHO)
    agent = protocol.Agent(folder, python, main)
    result = measure(agent)
    agent.close()
    return result


def worker(python: str, folder: Path) -> tuple[float, float]:
    agent = protocol.Agent(folder, python)
    assert agent.start(SCRIPT).kind == protocol.READY
    result = measure(agent)
    agent.close()
    return result


def start_ms(python: str, folder: Path) -> float:
    """From the start of the process to the first answer of run()."""
    began = time.perf_counter()
    agent = protocol.Agent(folder, python)
    agent.start(SCRIPT)
    agent.run("/x")
    took = (time.perf_counter() - began) * 1e3
    agent.close()
    return took


def main() -> None:
    python = sys.argv[1] if len(sys.argv) > 1 else sys.executable
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for label, what in (("echo", echo), ("worker", worker)):
            wall, cpu = min(what(python, folder) for _ in range(3))
            print(f"{label:8} {wall:6.2f} us wall {cpu:6.2f} us cpu per mini-batch")
        took = min(start_ms(python, folder) for _ in range(9))
        print(f"start to first run() answered: {took:.1f} ms")


if __name__ == "__main__":
    main()
