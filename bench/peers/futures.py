# SPDX-License-Identifier: Apache-2.0
"""concurrent.futures.ProcessPoolExecutor, forked; the setting is the chunk size of map()."""

import contextlib
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

from peers import protocol


class Pool:
    def __init__(self, executor, chunk):
        self.executor = executor
        self.chunk = chunk

    def map(self, function, mini_batches):
        return self.executor.map(function, mini_batches, chunksize=self.chunk)

    def one(self, function, mini_batch):
        return self.executor.submit(function, mini_batch).result()


@contextlib.contextmanager
def start(setting, workers):
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(workers, mp_context=context) as executor:
        yield Pool(executor, int(setting))


if __name__ == "__main__":
    protocol.main(start)
