# SPDX-License-Identifier: Apache-2.0
"""Rows in another form than append_row promises: formats, separators, headers, several outputs.

Imported only for jobs that ask for one of them; rows.py is the rule.
"""

import sys

from windrow.worker import parts, rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from windrow.worker.arrow_rows import ArrowRows

# to_csv writes into memory here: where to, and in which bytes, is not the script's to say.
_NOT_FOR_USERS = ("path_or_buf", "mode", "encoding", "compression", "errors", "storage_options")


class Writer:
    """The form that a job's rows take."""

    def __init__(self, settings: "dict[str, Any]") -> None:
        """Raises ValueError for a settings file that is not a JSON object, and Refused when a
        format needs what the environment lacks."""
        self._outputs: list[str] = settings.get("row_outputs") or []
        own = _own(settings.get("row_settings", ""))
        self._format = settings.get("format") or own.get("format", "azure")
        separator = settings.get("separator") or ("," if self._format == "csv" else " ")
        said = own.get("pandas.DataFrame.to_csv", {})
        self._keywords = {"sep": separator, "index": False, "header": settings.get("header", False)}
        self._keywords.update({key: said[key] for key in said if key not in _NOT_FOR_USERS})
        self._header = self._keywords.pop("header")
        self._told = False  # that there is none
        self._arrow = _arrow(self._format)
        self._field: str = settings.get("field", "")

    def serialise(self, result: object) -> "tuple[int, bytes]":
        """As rows.serialise(), in parts. A dict names outputs, where the job has several; as many
        items are done as its longest value has rows."""
        results = [(0, result)]
        if self._outputs and isinstance(result, dict):
            results = [(self._output(name), value) for name, value in result.items()]
        if self._field:
            results = [(output, self._taken(value)) for output, value in results]
        if self._arrow is not None:
            returned, made = self._arrow.serialise(results)
            return returned, parts.join(made)
        returned, made = 0, []
        for output, value in results:
            count, pieces = self._one(output, value)
            returned, made = max(returned, count), made + pieces
        return returned, parts.join(made)

    def _output(self, name: object) -> int:
        if name not in self._outputs:
            known = ", ".join(self._outputs)
            raise rows.WrongType(f"run() returned rows for {name!r}; outputs are {known}")
        return self._outputs.index(name)

    def _taken(self, result: "Any") -> "list[object]":
        """The field of each element that is its row. Raises WrongType."""
        if rows.kind(result) != "array":
            raise rows.WrongType(f"run() returned {type(result).__qualname__}; {self._wanted()}")
        taken = [self._field_of(element) for element in rows.elements(result)]
        if self._format != "azure":
            return taken
        return [_json(value) if isinstance(value, (dict, list)) else value for value in taken]

    def _field_of(self, element: object) -> object:
        import json

        if isinstance(element, (str, bytes)):
            try:
                element = json.loads(element)
            except ValueError:
                pass  # told below
        if not isinstance(element, dict) or self._field not in element:
            raise rows.WrongType(self._wanted())
        return element[self._field]

    def _wanted(self) -> str:
        return (
            f"append_row.field (or --amlbi_pf_run_mode component) takes the field {self._field} of"
            " each element that run() returns; return JSON objects with one, or leave it out"
        )

    def _one(self, output: int, result: object) -> "tuple[int, list[Any]]":
        kind = rows.kind(result)
        if kind == "table":
            result = rows.pandas_frame(result)
        array = kind == "array"
        count, header, text = self._elements(result) if array else self._frame(result)
        made = [(parts.HEADER, output, 0, header.encode("utf-8", rows.ROWS))] if header else []
        return count, [*made, (parts.ROWS, output, 0, rows.encoded(count, text)[1])]

    def _frame(self, frame: "Any") -> "tuple[int, str, str]":
        if self._format == "jsonl":
            return len(frame), "", "".join(_json(row, (",", ":")) + "\n" for row in _records(frame))
        header = ""
        if self._header is not False and len(frame):
            header = frame.iloc[:0].to_csv(header=self._header, **self._keywords)
        return len(frame), header, frame.to_csv(header=False, **self._keywords)

    def _elements(self, result: "Any") -> "tuple[int, str, str]":
        elements = list(rows.elements(result))
        if self._format == "jsonl":
            return len(elements), "", "".join(_json(element) + "\n" for element in elements)
        if self._format != "csv":
            return len(elements), "", "".join(str(element) + "\n" for element in elements)
        if elements and all(isinstance(element, dict) for element in elements):
            names = list(dict.fromkeys(name for element in elements for name in element))
            header = "" if self._header is False else self._csv([names])
            lines = [[element.get(name) for name in names] for element in elements]
            return len(elements), header, self._csv(lines)
        lines = [_fields(element) for element in elements]
        return len(elements), self._header_of(result, elements, lines), self._csv(lines)

    def _header_of(self, result: object, elements: "list[Any]", lines: "list[list[object]]") -> str:
        """The name of a Series, or the fields of namedtuples. For anything else there is none,
        which the log of what the script prints says once."""
        if self._header is False or not elements:
            return ""
        fields = getattr(elements[0], "_fields", None)
        if fields and all(getattr(element, "_fields", None) == fields for element in elements):
            return self._csv([list(fields)])
        name = getattr(result, "name", None)
        if name not in (None, "") and all(len(line) == 1 for line in lines):
            return self._csv([[name]])
        if not self._told:
            self._told = True
            print(
                "windrow: append_row.header: what run() returns has no names for columns, so there"
                " is no header; return a DataFrame, dicts, namedtuples or a Series with a name",
                file=sys.stderr,
            )
        return ""

    def _csv(self, lines: "list[list[object]]") -> str:
        import csv
        import io

        text = io.StringIO(newline="")
        csv.writer(text, delimiter=self._keywords["sep"], lineterminator="\n").writerows(lines)
        return text.getvalue()


def _arrow(form: str) -> "ArrowRows | None":
    """What makes rows of binary formats; None for text."""
    if form not in ("parquet", "arrow"):
        return None
    from windrow.worker.arrow_rows import ArrowRows

    return ArrowRows(form)


def _own(text: str) -> "dict[str, Any]":
    """The append_row object of the settings file."""
    if not text:
        return {}
    import json

    said = json.loads(text)
    own = said.get("append_row", {}) if isinstance(said, dict) else None
    if not isinstance(own, dict):
        raise ValueError("parallel_run_step.settings.json: append_row is not a JSON object")
    return own


def _fields(element: "Any") -> "list[object]":
    """A row of CSV: what is a sequence or a dict has fields, anything else is one."""
    if isinstance(element, dict):
        return list(element.values())
    numpy = sys.modules.get("numpy")
    if isinstance(element, (list, tuple)) or (numpy and isinstance(element, numpy.ndarray)):
        return list(element)
    return [element]


def _records(frame: "Any") -> "Iterator[dict[str, object]]":
    """The rows of a frame with every digit that they have, which to_json() does not give."""
    names = [str(name) for name in frame.columns]
    for i, name in enumerate(names):
        if name in names[:i]:
            raise rows.WrongType(f"run() returned a frame with two columns {name!r}: rename one")
    columns = []
    for i in range(len(names)):
        column = frame.iloc[:, i]
        values = zip(column.astype(object), column.isna())
        columns.append([None if missing else value for value, missing in values])
    for row in zip(*columns):
        yield dict(zip(names, row))


def _json(element: object, marks: "tuple[str, str] | None" = None) -> str:
    import json

    def other(value: "Any") -> object:
        """numpy's arrays and scalars as what they hold, times as ISO 8601 has them, all else as
        its text."""
        if hasattr(value, "tolist"):
            return value.tolist()
        return value.isoformat() if hasattr(value, "isoformat") else str(value)

    try:
        return json.dumps(
            element, ensure_ascii=False, allow_nan=False, default=other, separators=marks
        )
    except ValueError:  # NaN and infinity, which JSON lacks
        text = json.dumps(element, ensure_ascii=False, default=other)
        plain = json.loads(text, parse_constant=lambda _: None)
        return json.dumps(plain, ensure_ascii=False, separators=marks)
