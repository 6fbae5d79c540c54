# SPDX-License-Identifier: Apache-2.0
"""Ray tasks: one per mini-batch, at most 1,000 in flight."""

import contextlib

import ray

from peers import protocol

IN_FLIGHT = 1000


class Pool:
    def map(self, function, mini_batches):
        task = ray.remote(max_retries=3)(function)
        waiting = []
        for mini_batch in mini_batches:
            waiting.append(task.remote(mini_batch))
            if len(waiting) >= IN_FLIGHT:
                done, waiting = ray.wait(waiting, num_returns=IN_FLIGHT // 2)
                yield from ray.get(done)
        yield from ray.get(waiting)

    def one(self, function, mini_batch):
        return ray.get(ray.remote(function).remote(mini_batch))


@contextlib.contextmanager
def start(_setting, workers):
    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
    try:
        yield Pool()
    finally:
        ray.shutdown()


if __name__ == "__main__":
    protocol.main(start)
