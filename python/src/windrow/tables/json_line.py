# SPDX-License-Identifier: Apache-2.0
"""One line of JSON lines -> an object, or what is wrong with it."""

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

_NO_LINES = (
    " begins here, and JSON lines have one object to a line; write the file that way, as pandas"
    " does with to_json(orient='records', lines=True)"
)


def _no_constant(name: str) -> "Any":
    raise ValueError(f"{name} is not JSON")


# From a text and a place to a value and where that ends. Raises StopIteration, ValueError,
# RecursionError. It takes numbers that no float64 holds for infinite, and half of a surrogate pair
# for text: checked() does not.
scan = json.JSONDecoder(parse_constant=_no_constant).scan_once  # type: ignore[attr-defined]


def parsed(line: str) -> "tuple[dict[str, Any], str]":
    """An object, or {} and a reason why the line has none."""
    try:
        value, end = scan(line, 0)
    except (StopIteration, ValueError, RecursionError):
        end = -1
    whole = end == len(line) and type(value) is dict
    if whole and not _halves(line) and not infinite(value.values()):
        return value, ""
    return checked(line.strip(" \t\r"))


def _halves(line: str) -> bool:
    """Whether there may be half of a surrogate pair."""
    return "\\" in line and ("\\ud" in line or "\\uD" in line)


def checked(line: str) -> "tuple[dict[str, Any], str]":
    """As parsed(), of a line without blanks around it, and slower."""
    try:
        value, end = scan(line, 0)
        if type(value) is not dict:
            return {}, f"{type(value).__name__} in place of an object"
        if end != len(line):
            return {}, "more than one JSON value"
    except StopIteration as stop:
        return {}, f"not JSON from character {stop.value} on"
    except RecursionError:
        return {}, "nested too deeply"
    except ValueError as error:
        return {}, str(error)
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except RecursionError:
        return {}, "nested too deeply"
    except UnicodeEncodeError:
        return {}, "half of a surrogate pair"
    except ValueError:
        return {}, "a number too large for float64"
    return value, ""


def infinite(values: "Iterable[Any]") -> bool:
    """Whether a number among them, however deep, is infinite."""
    left = [values]
    while left:
        for value in left.pop():
            kind = type(value)
            if kind is str or kind is int:
                continue
            if kind is float:
                if value - value != 0:
                    return True
            elif kind is dict:
                left.append(value.values())
            elif kind is list and value and not (type(value[0]) is float and _finite(value)):
                left.append(value)
    return False


def _finite(values: "list[Any]") -> bool:
    """Of long lists of floats, at the speed of C. False: one has to look at each."""
    try:
        total = sum(values)
    except (TypeError, OverflowError):  # not all are numbers; an integer too large
        return False
    return bool(total - total == 0)


def document(lines: "list[str]") -> str:
    """What to say of a file that begins with these lines, the first one no object; "": it may be
    JSON lines with a mistake."""
    first, *others = (line.strip(" \t\r") for line in lines[:2])
    if first.startswith("["):
        return "a list" + _NO_LINES
    goes_on = _end(first) >= len(first) and others and _end(f"{first} {others[0]}") > len(first) + 1
    return "an object over several lines" + _NO_LINES if goes_on else ""


def _end(text: str) -> int:
    """Where JSON ends, or what follows cannot be JSON."""
    try:
        return int(scan(text, 0)[1])
    except StopIteration as stop:
        return int(stop.value)
    except json.JSONDecodeError as error:
        return error.pos
    except (ValueError, RecursionError):
        return 0
