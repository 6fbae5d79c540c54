# SPDX-License-Identifier: Apache-2.0
"""filter: col("a") > 32 and not (b == "x").

The expression is parsed by Python's own parser and walked here; nothing of it is ever run. A
comparison with a missing value is neither true nor false, nor is its negation, and only rows for
which the whole is true stay.
"""

import ast
import operator

from windrow.tables.convert import kind_of, plain
from windrow.tables.errors import TableError, listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_COMPARISONS = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_ARITHMETIC = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_DIVISIONS = (ast.Div, ast.FloorDiv, ast.Mod)
_ALLOWED = (
    'col("name"), names of columns, numbers, texts, True, False, datetime(y, m, d, ...),'
    ' comparisons, + - * / // %, and, or, not, col("name").startswith("text")'
)
_SIGNS: "dict[Any, tuple[str, str]]" = {
    ast.BitAnd: ("&", "and"),
    ast.BitOr: ("|", "or"),
    ast.Invert: ("~", "not"),
}  # of pandas
_DEPTH_MAX = 200

_SPOKEN = {"other": "column of lists, objects or several kinds"}
_HINTS = {
    frozenset(("boolean", "text")): "; write True or False, without quotes",
    frozenset(("boolean", "number")): "; write True or False",
    frozenset(("datetime", "text")): "; write datetime(2020, 1, 31)",
    frozenset(("number", "text")): '; write 5 for a number and "5" for a text',
}


class Filter:
    """One expression. Raises TableError."""

    def __init__(self, text: object) -> None:
        if not isinstance(text, str):
            raise TableError(f"filter: {text!r} is not an expression")
        self._text = text
        try:
            self._tree: ast.expr = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            reason = getattr(error, "msg", None) or str(error)
            raise TableError(f"filter {text!r}: {reason}; allowed are {_ALLOWED}") from None
        self.columns: set[str] = set()
        self._check(self._tree, 0)

    def _refused(self, reason: str) -> TableError:
        return TableError(f"filter {self._text!r}: {reason}")

    def _check(self, node: ast.AST, depth: int) -> None:
        """Only what is known; collects the names of columns."""
        if depth > _DEPTH_MAX:
            raise self._refused("nested too deeply")
        if isinstance(node, ast.Name):
            self.columns.add(node.id)
        elif isinstance(node, ast.Call):
            for argument in self._call(node):
                self._check(argument, depth + 1)
        elif isinstance(node, ast.Compare):
            if len(node.ops) > 1:
                raise self._refused("two comparisons in a row; join them with `and`")
            if type(node.ops[0]) not in _COMPARISONS:
                raise self._refused(f"{type(node.ops[0]).__name__} is unknown; allowed: {_ALLOWED}")
            for side in (node.left, *node.comparators):
                self._check(side, depth + 1)
        elif isinstance(node, ast.Constant):
            if node.value is None:
                raise self._refused("a missing value equals nothing, not even None")
            if not isinstance(node.value, (bool, int, float, str)):
                raise self._refused(f"{node.value!r} is unknown; allowed: {_ALLOWED}")
        elif isinstance(node, ast.BoolOp):
            for value in node.values:
                self._check(value, depth + 1)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub, ast.UAdd)):
            self._check(node.operand, depth + 1)
        elif isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
            self._check(node.left, depth + 1)
            self._check(node.right, depth + 1)
        else:
            sign, word = _SIGNS.get(type(getattr(node, "op", None)), ("", ""))
            if sign:
                raise self._refused(f"{sign} is unknown; write `{word}`")
            raise self._refused(f"{type(node).__name__} is unknown; allowed are {_ALLOWED}")

    def _call(self, node: ast.Call) -> "list[ast.expr]":
        """The arguments that are expressions themselves."""
        name = _name_of(node)
        literals = [a.value for a in node.args if isinstance(a, ast.Constant)]
        plain = not node.keywords and len(literals) == len(node.args)
        if name == "col":
            if not plain or len(literals) != 1 or not isinstance(literals[0], str):
                raise self._refused('col takes the name of one column: col("name")')
            self.columns.add(literals[0])
            return []
        if name == "datetime":
            whole = all(type(value) is int for value in literals)
            if not plain or not whole or not 1 <= len(literals) <= 7:
                raise self._refused("datetime takes year, month, day, hour, minute, second")
            self._moment(literals)
            return []
        if name in ("startswith", "starts_with"):
            parts = list(node.args)
            if isinstance(node.func, ast.Attribute):
                parts.insert(0, node.func.value)
            if len(parts) == 2 and not node.keywords:
                return parts
        raise self._refused(f"unknown function {name!r}; allowed are {_ALLOWED}")

    def _moment(self, parts: "list[Any]") -> "Any":
        from datetime import datetime

        try:
            return datetime(*[*parts, *[1, 1][len(parts) - 1 :]])
        except ValueError as error:
            raise self._refused(f"datetime: {error}") from None

    def keep(self, frame: "Any") -> "Any":
        """A mask: the rows that stay."""
        unknown = [name for name in sorted(self.columns) if name not in frame.columns]
        if unknown:
            hint = {"true": "; write True", "false": "; write False"}.get(unknown[0], "")
            raise self._refused(
                f"no column {unknown[0]!r}; there are {listed(list(frame.columns))}{hint}"
            )
        value = self._value(self._tree, frame)
        if value.kind != "boolean":
            raise self._refused(f"the whole is a {value.kind}, not true or false")
        return value.values & ~value.missing

    def _value(self, node: ast.AST, frame: "Any") -> "_Value":
        if isinstance(node, ast.Constant):
            return _literal(node.value, len(frame))
        if isinstance(node, ast.Name):
            return _column(frame, node.id)
        if isinstance(node, ast.BoolOp):
            values = [self._truth(part, frame) for part in node.values]
            join = _and if isinstance(node.op, ast.And) else _or
            result = values[0]
            for value in values[1:]:
                result = join(result, value)
            return result
        if isinstance(node, ast.UnaryOp):
            return self._unary(node, frame)
        if isinstance(node, ast.Compare):
            sides = self._value(node.left, frame), self._value(node.comparators[0], frame)
            return self._compared(node.ops[0], *sides)
        if isinstance(node, ast.BinOp):
            return self._computed(node, frame)
        assert isinstance(node, ast.Call)
        return self._called(node, frame)

    def _truth(self, node: ast.AST, frame: "Any") -> "_Value":
        value = self._value(node, frame)
        if value.kind != "boolean":
            raise self._refused(f"and, or, not join what is true or false, not a {value.kind}")
        return value

    def _unary(self, node: ast.UnaryOp, frame: "Any") -> "_Value":
        if isinstance(node.op, ast.Not):
            value = self._truth(node.operand, frame)
            return _Value(~value.values, value.missing, "boolean")
        value = self._value(node.operand, frame)
        if value.kind != "number":
            raise self._refused(f"a sign before a {value.kind}")
        return (
            value
            if isinstance(node.op, ast.UAdd)
            else _Value(-value.values, value.missing, "number")
        )

    def _compared(self, op: ast.cmpop, left: "_Value", right: "_Value") -> "_Value":
        import numpy

        missing = left.missing | right.missing
        result = numpy.zeros(len(missing), dtype=bool)
        here = ~missing
        if left.kind != right.kind and here.any():
            spoken = [_SPOKEN.get(side.kind, side.kind) for side in (left, right)]
            hint = _HINTS.get(frozenset((left.kind, right.kind)), "")
            raise self._refused(f"a {spoken[0]} is compared with a {spoken[1]}{hint}")
        if here.any():
            result[here] = _COMPARISONS[type(op)](left.values[here], right.values[here])
        return _Value(result, missing, "boolean")

    def _computed(self, node: ast.BinOp, frame: "Any") -> "_Value":
        import numpy

        left, right = self._value(node.left, frame), self._value(node.right, frame)
        if (left.kind, right.kind) != ("number", "number"):
            raise self._refused(f"arithmetic with a {left.kind} and a {right.kind}")
        missing = left.missing | right.missing
        if isinstance(node.op, _DIVISIONS):
            missing = missing | (right.values == 0)
        with numpy.errstate(all="ignore"):
            return _Value(_ARITHMETIC[type(node.op)](left.values, right.values), missing, "number")

    def _called(self, node: ast.Call, frame: "Any") -> "_Value":
        import numpy

        name = _name_of(node)
        if name == "col":
            return _column(frame, node.args[0].value)  # type: ignore[attr-defined]
        if name == "datetime":
            parts = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
            return _literal(self._moment(parts), len(frame))
        left, right = (self._value(part, frame) for part in self._call(node))
        if (left.kind, right.kind) != ("text", "text"):
            raise self._refused(f"startswith with a {left.kind} and a {right.kind}")
        missing = left.missing | right.missing
        pairs = zip(left.values, right.values, missing)
        found = [not gone and text.startswith(start) for text, start, gone in pairs]
        return _Value(numpy.array(found, dtype=bool), missing, "boolean")


class _Value:
    """One value per row, a mask of those that are missing, and what they are."""

    __slots__ = ("kind", "missing", "values")

    def __init__(self, values: "Any", missing: "Any", kind: str) -> None:
        self.values, self.missing, self.kind = values, missing, kind


def _name_of(node: ast.Call) -> str:
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _literal(value: "Any", rows: int) -> _Value:
    import numpy

    none = numpy.zeros(rows, dtype=bool)
    if isinstance(value, bool):
        return _Value(numpy.full(rows, value), none, "boolean")
    if isinstance(value, str):
        return _Value(numpy.full(rows, value, dtype=object), none, "text")
    if isinstance(value, (int, float)):
        return _Value(numpy.full(rows, value), none, "number")
    return _Value(numpy.full(rows, numpy.datetime64(value, "us")), none, "datetime")


def _column(frame: "Any", name: str) -> _Value:
    import numpy

    series = plain(frame[name])
    missing = series.isna().to_numpy(dtype=bool)
    kind = kind_of(series)
    if kind == "number":
        if series.dtype.kind in "iu":
            whole = series.fillna(0) if missing.any() else series
            return _Value(whole.to_numpy(dtype=str(series.dtype).lower()), missing, kind)
        return _Value(series.to_numpy(dtype="float64", na_value=float("nan")), missing, kind)
    if kind == "boolean":
        values = numpy.where(missing, False, series.to_numpy(dtype=object)).astype(bool)
        return _Value(values, missing, kind)
    if kind == "datetime":
        if getattr(series.dt, "tz", None) is not None:
            series = series.dt.tz_convert(None)
        return _Value(series.to_numpy(), missing, kind)
    return _Value(series.to_numpy(dtype=object), missing, kind)


def _and(left: _Value, right: _Value) -> _Value:
    false = (~left.values & ~left.missing) | (~right.values & ~right.missing)
    missing = (left.missing | right.missing) & ~false
    return _Value(~false & ~missing, missing, "boolean")


def _or(left: _Value, right: _Value) -> _Value:
    true = (left.values & ~left.missing) | (right.values & ~right.missing)
    return _Value(true, (left.missing | right.missing) & ~true, "boolean")
