# SPDX-License-Identifier: Apache-2.0
"""Writes shop.db, an SQLite database with 10,000 orders of three stores."""

import sqlite3

with sqlite3.connect("shop.db") as base:
    base.execute("create table orders (id integer primary key, store text, price real, count int)")
    base.executemany(
        "insert into orders values (?, ?, ?, ?)",
        [
            (number, ("north", "south", "west")[number % 3], number % 7 + 0.5, number % 4)
            for number in range(10_000)
        ],
    )
