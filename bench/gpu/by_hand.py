# SPDX-License-Identifier: Apache-2.0
"""What one would write by hand: `by_hand.py FOLDER OUTPUT BATCH [LOADERS]`.

Without loaders one plain loop in one process; with them PyTorch's DataLoader decodes in so many
processes beside it. Prints the seconds from the first image to the last.
"""

import os
import sys
import time

import classify
import torch


class Images(torch.utils.data.Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        return self.paths[index], classify.decode(self.paths[index])


def batches(paths, size, loaders):
    if not loaders:
        for at in range(0, len(paths), size):
            names = paths[at : at + size]
            yield names, [classify.decode(path) for path in names]
        return
    yield from torch.utils.data.DataLoader(
        Images(paths),
        batch_size=size,
        num_workers=loaders,
        collate_fn=lambda pairs: tuple(map(list, zip(*pairs, strict=True))),
    )


def main():
    folder, output, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
    loaders = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    paths = sorted(os.path.join(folder, name) for name in os.listdir(folder))
    classify.init()
    began = time.perf_counter()
    with open(output, "w") as out:
        for names, images in batches(paths, size, loaders):
            for path, label in zip(names, classify.classify(images), strict=True):
                out.write(f"{os.path.basename(path)}: {label}\n")
    print(time.perf_counter() - began)


if __name__ == "__main__":
    main()
