# SPDX-License-Identifier: Apache-2.0
"""The same orders as orders.csv, orders.parquet and orders.jsonl."""

import random

import pandas as pd

random.seed(1)
count = 100_000
orders = pd.DataFrame(
    {
        "order": range(count),
        "customer": [f"customer-{random.randrange(5000)}" for _ in range(count)],
        "price": [random.randrange(100, 10_000) / 100 for _ in range(count)],
        "pieces": [random.randrange(1, 100) for _ in range(count)],
    }
)
orders.to_csv("orders.csv", index=False)
orders.to_parquet("orders.parquet", index=False)
orders.to_json("orders.jsonl", orient="records", lines=True)
