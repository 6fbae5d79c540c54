# SPDX-License-Identifier: Apache-2.0
"""Gets the rows of the query as a DataFrame, and returns one row for each."""


def run(frame):
    frame["total"] = frame["price"] * frame["count"]
    return frame[["id", "store", "total"]]
