# SPDX-License-Identifier: Apache-2.0
"""mpire.WorkerPool, forked; the setting is the chunk size, `auto` for its own choice."""

import contextlib

from mpire import WorkerPool

from peers import protocol


class Pool:
    def __init__(self, pool, chunk):
        self.pool = pool
        self.chunk = chunk

    def map(self, function, mini_batches):
        # mpire spreads an element over the arguments of the function, hence the tuples.
        arguments = [(mini_batch,) for mini_batch in mini_batches]
        return self.pool.imap_unordered(function, arguments, chunk_size=self.chunk)

    def one(self, function, mini_batch):
        return self.pool.apply(function, (mini_batch,))


@contextlib.contextmanager
def start(setting, workers):
    chunk = None if setting == "auto" else int(setting)
    with WorkerPool(n_jobs=workers, start_method="fork", keep_alive=True) as pool:
        yield Pool(pool, chunk)


if __name__ == "__main__":
    protocol.main(start)
