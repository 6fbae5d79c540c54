# SPDX-License-Identifier: Apache-2.0
"""The worker of the floor: paths in, `run()`, rows out, and nothing else.

Descriptor 3 is the socket to floor.cc. `packet`: one mini-batch per packet, read one at a time.
`stream`: reads whatever has come, which may be all that is in flight, and answers it in one send.
BENCH_STAMPS names a folder for the CLOCK_MONOTONIC nanoseconds of the first call;
BENCH_WORKER_CPU is the core that the worker moves to.
"""

import os
import socket
import struct
import sys
import time

LENGTH = struct.Struct("I")


def run(mini_batch):
    return mini_batch


def answer(payload):
    mini_batch = os.fsdecode(payload).split("\0")
    rows = os.fsencode("".join([f"{row}\n" for row in run(mini_batch)]))
    return LENGTH.pack(len(rows)) + rows


def stamp_first(path):
    global run

    def first(mini_batch):
        global run
        with open(path, "w") as file:
            file.write(str(time.monotonic_ns()))
        run = plain
        return plain(mini_batch)

    plain = run
    run = first


def serve_packets(master):
    while packet := master.recv(1 << 17):
        master.send(answer(packet[4:]))


def serve_stream(master):
    unread = b""
    while some := master.recv(1 << 17):
        unread = unread + some if unread else some
        at = 0
        answers = []
        while at + 4 <= len(unread):
            (length,) = LENGTH.unpack_from(unread, at)
            if at + 4 + length > len(unread):
                break
            answers.append(answer(unread[at + 4 : at + 4 + length]))
            at += 4 + length
        unread = unread[at:]
        if answers:
            master.sendall(b"".join(answers))


def main():
    kind = socket.SOCK_SEQPACKET if sys.argv[1] == "packet" else socket.SOCK_STREAM
    master = socket.socket(socket.AF_UNIX, kind, 0, fileno=3)
    if cpu := os.environ.get("BENCH_WORKER_CPU"):
        os.sched_setaffinity(0, {int(cpu)})
    if folder := os.environ.get("BENCH_STAMPS"):
        stamp_first(f"{folder}/first.{os.getpid()}")
    master.send(b"r")
    (serve_packets if kind == socket.SOCK_SEQPACKET else serve_stream)(master)


main()
