# SPDX-License-Identifier: Apache-2.0
"""Ray Data: the mini-batches are the batches of map_batches(); workers return a column of text."""

import contextlib

import ray
import ray.data

from peers import protocol


class Pool:
    def map(self, function, mini_batches):
        size = len(mini_batches[0]) or 1
        paths = [path for mini_batch in mini_batches for path in mini_batch] or [""] * len(
            mini_batches
        )

        def call(batch):
            return {"text": [function([str(path) for path in batch["item"]])]}

        dataset = ray.data.from_items(paths).map_batches(call, batch_size=size)
        for row in dataset.iter_rows():
            yield row["text"]

    def one(self, function, mini_batch):
        return ray.get(ray.remote(function).remote(mini_batch))


@contextlib.contextmanager
def start(_setting, workers):
    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    try:
        yield Pool()
    finally:
        ray.shutdown()


if __name__ == "__main__":
    protocol.main(start)
