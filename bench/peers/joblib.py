# SPDX-License-Identifier: Apache-2.0
"""joblib with its default backend, loky: `auto` batches by itself, `submit` is its executor.

A generator of results and the default of pre_dispatch are the fastest way for many mini-batches
(`all` is six times slower). Parallel looks for results every 10 ms only, hence `submit`.
"""

import contextlib

from joblib import Parallel, delayed
from joblib.externals import loky

from peers import protocol


class Batched:
    def __init__(self, parallel):
        self.parallel = parallel

    def map(self, function, mini_batches):
        return self.parallel(delayed(function)(mini_batch) for mini_batch in mini_batches)

    def one(self, function, mini_batch):
        return next(self.map(function, [mini_batch]))


class Submitted:
    def __init__(self, executor):
        self.executor = executor

    def map(self, function, mini_batches):
        return self.executor.map(function, mini_batches)

    def one(self, function, mini_batch):
        return self.executor.submit(function, mini_batch).result()


@contextlib.contextmanager
def start(setting, workers):
    if setting == "submit":
        with loky.ProcessPoolExecutor(workers) as executor:
            yield Submitted(executor)
    else:
        with Parallel(n_jobs=workers, batch_size=setting, return_as="generator") as parallel:
            yield Batched(parallel)


if __name__ == "__main__":
    protocol.main(start)
