# SPDX-License-Identifier: Apache-2.0
"""multiprocessing.Pool, forked: settings are the method and the chunk size, as in `imap 16`."""

import contextlib
import multiprocessing

from peers import protocol


class Pool:
    def __init__(self, pool, setting):
        self.pool = pool
        self.method, chunk = setting.split()
        self.chunk = int(chunk)

    def map(self, function, mini_batches):
        return getattr(self.pool, self.method)(function, mini_batches, self.chunk)

    def one(self, function, mini_batch):
        return self.pool.apply(function, (mini_batch,))


@contextlib.contextmanager
def start(setting, workers):
    with multiprocessing.get_context("fork").Pool(workers) as pool:
        yield Pool(pool, setting)
        pool.close()
        pool.join()


if __name__ == "__main__":
    protocol.main(start)
