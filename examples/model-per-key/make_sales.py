# SPDX-License-Identifier: Apache-2.0
"""Sales of twenty shops, two months each: shop n sells n + 1 pieces more every day."""

import os

for shop in range(20):
    folder = f"sales/shop=shop-{shop:02}"
    os.makedirs(folder, exist_ok=True)
    for month in range(2):
        with open(f"{folder}/{month}.csv", "w") as file:
            file.write("day,sold\n")
            for day in range(30 * month, 30 * month + 30):
                file.write(f"{day},{100 + day * (shop + 1)}\n")
