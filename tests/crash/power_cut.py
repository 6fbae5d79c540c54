# SPDX-License-Identifier: Apache-2.0
"""Makes a folder what it would be after a power cut: what was synced, and nothing that was not.

The crash shim copies every file at each of its syncs, and every folder's names (shadow.h). From
that, and from what there was before the run, the folder is built anew. A disk may also have kept
some of what nobody had synced: with a random source each file and each name goes its own way.
"""

import os
import random
import shutil
from pathlib import Path
from typing import NamedTuple, Optional


class Entry(NamedTuple):
    kind: str  # f, d, l or s
    inode: int
    name: str


def kind_of(path: Path) -> str:
    if path.is_symlink():
        return "l"
    if path.is_dir():
        return "d"
    return "f" if path.is_file() else "s"


def entries_of(folder: Path) -> list[Entry]:
    return [Entry(kind_of(path), path.lstat().st_ino, path.name) for path in folder.iterdir()]


def snapshot(folder: Path, shadow: Path) -> None:
    """Everything below the folder counts as synced."""
    shadow.mkdir(exist_ok=True)
    lines = [f"{e.kind} {e.inode} {e.name}\n" for e in entries_of(folder)]
    (shadow / f"d.{folder.stat().st_ino}").write_text("".join(lines))
    for path in folder.iterdir():
        kind = kind_of(path)
        if kind == "d":
            snapshot(path, shadow)
        elif kind == "f":
            shutil.copyfile(path, shadow / f"f.{path.stat().st_ino}")


class PowerCut:
    """One power cut of one folder."""

    def __init__(self, shadow: Path, chance: Optional[random.Random] = None):
        self.shadow = shadow
        self.chance = chance
        self.live: dict[int, Path] = {}
        self.made: dict[int, Path] = {}

    def happen(self, folder: Path) -> None:
        old = folder.with_name(folder.name + ".before-power-cut")
        inode = folder.stat().st_ino
        folder.rename(old)
        for root, _, files in os.walk(old):
            for name in files:
                path = Path(root) / name
                self.live.setdefault(path.lstat().st_ino, path)
        self.build(inode, old, folder)
        shutil.rmtree(old)

    def build(self, inode: int, live: Optional[Path], to: Path) -> None:
        to.mkdir()
        for entry in self.surviving(inode, live):
            source = live / entry.name if live else None
            if source and not (os.path.lexists(source) and source.lstat().st_ino == entry.inode):
                source = None
            target = to / entry.name
            if entry.kind == "d":
                self.build(entry.inode, source, target)
            elif entry.kind == "l" and source:
                target.symlink_to(os.readlink(source))
            elif entry.kind == "f" and entry.inode in self.made:
                os.link(self.made[entry.inode], target)
            elif entry.kind == "f":
                target.write_bytes(self.content(entry.inode))
                self.made[entry.inode] = target

    def surviving(self, inode: int, live: Optional[Path]) -> list[Entry]:
        """Names as of the last sync; each later change is there or not."""
        synced = {entry.name: entry for entry in self.synced_names(inode)}
        if self.chance is None or live is None:
            return list(synced.values())
        now = {entry.name: entry for entry in entries_of(live)}
        out = []
        for name in sorted(synced.keys() | now.keys()):
            entry = self.chance.choice((synced, now)).get(name)
            if entry:
                out.append(entry)
        return out

    def synced_names(self, inode: int) -> list[Entry]:
        path = self.shadow / f"d.{inode}"
        if not path.exists():
            return []
        out = []
        for line in path.read_text().splitlines():
            kind, number, name = line.split(" ", 2)
            out.append(Entry(kind, int(number), name))
        return out

    def content(self, inode: int) -> bytes:
        """The file as of its last sync, with some of what was written since when chance has it."""
        path = self.shadow / f"f.{inode}"
        synced = path.read_bytes() if path.exists() else b""
        if self.chance is None or inode not in self.live:
            return synced
        now = self.live[inode].read_bytes()
        kept = self.chance.randrange(0, len(now) + 1)
        fate = self.chance.randrange(4)
        if fate == 0 or len(now) < len(synced):
            return synced
        if fate == 1:
            return now
        if fate == 2:  # the length is there, a part of the bytes is not
            begin = max(kept, len(synced))
            return now[:begin] + bytes(len(now) - begin)
        return now[: max(kept, len(synced))]
