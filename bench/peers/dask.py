# SPDX-License-Identifier: Apache-2.0
"""Dask distributed: a LocalCluster of processes with one thread each, on loopback, no dashboard."""

import contextlib

from distributed import Client, LocalCluster

from peers import protocol


class Pool:
    def __init__(self, client):
        self.client = client

    def map(self, function, mini_batches):
        return self.client.gather(self.client.map(function, mini_batches, pure=False))

    def one(self, function, mini_batch):
        return self.client.submit(function, mini_batch, pure=False).result()


@contextlib.contextmanager
def start(_setting, workers):
    cluster = LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None
    )
    with cluster, Client(cluster) as client:
        yield Pool(client)


if __name__ == "__main__":
    protocol.main(start)
