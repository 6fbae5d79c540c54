# SPDX-License-Identifier: Apache-2.0
"""No pool at all: setting 1 is the plain loop; n is so many forked processes side by side.

Each has its share of the mini-batches fixed beforehand: what the machine can do unscheduled.
"""

import contextlib
import os
import tempfile

from peers import protocol


class Loop:
    def map(self, function, mini_batches):
        return map(function, mini_batches)

    def one(self, function, mini_batch):
        return function(mini_batch)


class SideBySide(Loop):
    def __init__(self, workers):
        self.workers = workers

    def map(self, function, mini_batches):
        with contextlib.ExitStack() as stack:
            shares = []
            for worker in range(self.workers):
                rows = stack.enter_context(tempfile.TemporaryFile("w+"))
                shares.append(
                    (rows, self.fork(function, mini_batches[worker :: self.workers], rows))
                )
            for rows, pid in shares:
                os.waitpid(pid, 0)
                rows.seek(0)
                yield rows.read()

    def fork(self, function, share, rows):
        pid = os.fork()
        if pid == 0:
            for mini_batch in share:
                rows.write(function(mini_batch))
            rows.flush()
            os._exit(0)
        return pid


@contextlib.contextmanager
def start(setting, _workers):
    yield Loop() if setting == "1" else SideBySide(int(setting))


if __name__ == "__main__":
    protocol.main(start)
