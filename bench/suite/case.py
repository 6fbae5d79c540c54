# SPDX-License-Identifier: Apache-2.0
"""One benchmark's numbers: contenders, samples of each column, targets, and how they print."""

import dataclasses
import statistics

from suite.windrow import Failed


@dataclasses.dataclass(frozen=True)
class Column:
    key: str
    title: str
    digits: int = 1


@dataclasses.dataclass(frozen=True)
class Target:
    text: str
    value: float | None  # None: could not be measured
    limit: float
    at_least: bool  # else at most

    @property
    def met(self):
        if self.value is None:
            return None
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    def line(self):
        word = {True: "met", False: "NOT MET", None: "not measured"}[self.met]
        sign = "≥" if self.at_least else "≤"
        value = "-" if self.value is None else f"{self.value:.3g}"
        return f"{word:>12}  {self.text}: {value} ({sign} {self.limit:g})"


class Case:
    """Samples are added once per repeat; whoever fails once is not asked again."""

    def __init__(self, name, title, columns):
        self.name = name
        self.title = title
        self.columns = columns
        self.samples = {}  # contender -> column -> list
        self.notes = {}  # contender -> text
        self.failed = set()
        self.targets = []

    def measure(self, contenders, repeats):
        """Contenders are pairs of a name and a call that returns values by column, in turn so that
        a noisy moment of the machine does not hit one of them alone."""
        for _ in range(repeats):
            for name, call in contenders:
                if name not in self.failed:
                    self.measure_one(name, call)

    def measure_one(self, name, call):
        self.samples.setdefault(name, {})
        try:
            values = call()
        except Failed as failure:
            self.failed.add(name)
            self.notes[name] = str(failure)
            return
        if note := values.pop("note", None):
            self.notes[name] = note
        for key, value in values.items():
            if value is not None:
                self.samples[name].setdefault(key, []).append(value)

    def median(self, name, key):
        values = self.samples.get(name, {}).get(key)
        return statistics.median(values) if values else None

    def best(self, names, key):
        """The smallest median among several contenders."""
        return min((m for name in names if (m := self.median(name, key)) is not None), default=None)

    def ratio(self, above, below):
        return above / below if above is not None and below else None

    def at_least(self, text, value, limit):
        self.targets.append(Target(text, value, limit, at_least=True))

    def at_most(self, text, value, limit):
        self.targets.append(Target(text, value, limit, at_least=False))

    def as_json(self):
        return {
            "title": self.title,
            "columns": {column.key: column.title for column in self.columns},
            "contenders": {
                name: {"samples": samples, "note": self.notes.get(name, "")}
                for name, samples in self.samples.items()
            },
            "targets": [
                {**dataclasses.asdict(target), "met": target.met} for target in self.targets
            ],
        }

    def as_text(self):
        shown = [c for c in self.columns if any(c.key in s for s in self.samples.values())]
        head = ["", *[column.title for column in shown], ""]
        body = [
            [name, *[self.cell(name, column) for column in shown], self.notes.get(name, "")]
            for name in self.samples
        ]
        widths = [max(len(row[i]) for row in [head, *body]) for i in range(len(head))]
        lines = [f"{self.name}: {self.title}"]
        for row in [head, *body]:
            cells = [row[0].ljust(widths[0])]
            cells += [
                cell.rjust(width) for cell, width in zip(row[1:-1], widths[1:-1], strict=True)
            ]
            lines.append(("  " + "  ".join([*cells, row[-1]])).rstrip())
        return "\n".join([*lines, *[target.line() for target in self.targets]])

    def cell(self, name, column):
        values = self.samples[name].get(column.key)
        if not values:
            return "-"
        middle = f"{statistics.median(values):,.{column.digits}f}"
        if len(values) == 1:
            return middle
        return f"{middle} ({min(values):,.{column.digits}f}-{max(values):,.{column.digits}f})"
