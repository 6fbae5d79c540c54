# SPDX-License-Identifier: Apache-2.0
"""Gets all orders of one store, and returns for each its share of what the store sold."""


def run(frame, context):
    total = frame["price"] * frame["count"]
    frame["percent"] = (100 * total / total.sum()).round(4)
    return frame[["store", "id", "percent"]]
