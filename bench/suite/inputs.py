# SPDX-License-Identifier: Apache-2.0
"""The folders of files that the benchmarks work on, made once and kept in a cache folder.

Nothing in them depends on chance. A folder is complete when its marker stands beside it.
"""

import dataclasses
import os
import shutil
import tempfile


@dataclasses.dataclass
class Input:
    folder: str
    list: str  # file with the paths in order, separated by NUL
    count: int

    def paths(self, count=None):
        with open(self.list, "rb") as file:
            return file.read().split(b"\0")[:count]


def cache_folder():
    return os.path.join(tempfile.gettempdir(), f"windrow-bench-inputs-{os.getuid()}")


def empty_files(count):
    """`count` empty files in one folder: names are passed on, nothing is opened."""
    return make(f"empty-{count}", count, per_folder=count, write=make_empty)


def small_files(count):
    """`count` files of 4 KiB, a thousand in each folder."""
    return make(f"small-{count}", count, per_folder=1000, write=make_small)


def make(name, count, per_folder, write):
    folder = os.path.join(cache_folder(), name)
    made = Input(folder, folder + ".list", count)
    if os.path.exists(made.list):
        return made
    shutil.rmtree(folder, ignore_errors=True)
    paths = []
    for begin in range(0, count, per_folder):
        inner = folder if per_folder == count else f"{folder}/d{begin // per_folder:04d}"
        os.makedirs(inner)
        handle = os.open(inner, os.O_RDONLY | os.O_DIRECTORY)
        for number in range(begin, min(count, begin + per_folder)):
            write(handle, f"f{number:07d}", number)
            paths.append(f"{inner}/f{number:07d}")
        os.close(handle)
    with open(made.list + ".part", "w") as file:
        file.write("\0".join(paths))
    os.rename(made.list + ".part", made.list)
    return made


def make_empty(folder, name, _number):
    os.mknod(name, 0o644, dir_fd=folder)


def make_small(folder, name, number):
    file = os.open(name, os.O_WRONLY | os.O_CREAT, 0o644, dir_fd=folder)
    os.write(file, (number.to_bytes(4, "little") * 1024))
    os.close(file)


def drop():
    shutil.rmtree(cache_folder(), ignore_errors=True)
