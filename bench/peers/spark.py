# SPDX-License-Identifier: Apache-2.0
"""Spark's mapInPandas: the mini-batches are rows of a frame, and each worker calls the function on
those it gets, so that nothing but names goes through the JVM. Needs Java."""

import contextlib
import os
import sys

import pandas as pd
from pyspark.sql import SparkSession

from peers import protocol

SEPARATOR = "\0"


class Pool:
    def __init__(self, session, workers):
        self.session = session
        self.workers = workers

    def map(self, function, mini_batches):
        def call(frames):
            for frame in frames:
                texts = [
                    function(names.split(SEPARATOR) if names else []) for names in frame["names"]
                ]
                yield pd.DataFrame({"text": texts})

        rows = [(SEPARATOR.join(mini_batch),) for mini_batch in mini_batches]
        frame = self.session.createDataFrame(rows, "names string")
        frame = frame.repartition(min(len(rows), 8 * self.workers))
        for row in frame.mapInPandas(call, "text string").collect():
            yield row["text"]

    def one(self, function, mini_batch):
        return next(iter(self.map(function, [mini_batch])))


@contextlib.contextmanager
def start(_setting, workers):
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(f"local[{workers}]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.adaptive.enabled", "false")
    builder = builder.config("spark.python.worker.reuse", "true")
    session = builder.config("spark.driver.memory", "2g").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    try:
        yield Pool(session, workers)
    finally:
        session.stop()


if __name__ == "__main__":
    protocol.main(start)
