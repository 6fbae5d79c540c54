# SPDX-License-Identifier: Apache-2.0
"""Dates and times as delimited text writes them.

Three forms: 2020-01-31 with an optional time 03:04:05 and zone; 31/01/2020 or 01/31/2020 with an
optional time 03:04, seconds, AM or PM; 31-Jan-2020 likewise. Whether the day or the month comes
first is one decision for a column, taken from a value that leaves no doubt.
"""

import re
from datetime import datetime

_ISO = re.compile(
    r"\s*(\d{4})[-/](\d{1,2})[-/](\d{1,2})"
    r"(?:(?:T|\s+)(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:[.,](\d+))?)?\s*(Z|UTC|utc|[+-]\d\d:?\d\d)?)?",
    re.ASCII,
)
_CLOCK = r"(?:\s+(\d{1,2}):(\d{1,2})(?::(\d{1,2}))?(?:\s*([AaPp][Mm]))?)?"
_NUMBERS = re.compile(r"\s*(\d{1,2})[-/](\d{1,2})[-/](\d{4})" + _CLOCK, re.ASCII)
_MONTH = re.compile(r"\s*(\d{1,2})[-/]([A-Za-z]{3})[-/](\d{4}|\d\d)" + _CLOCK, re.ASCII)
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

_EPOCH = datetime(1970, 1, 1)
_NS_MAX = (1 << 63) - 1  # and -_NS_MAX - 1 is what numpy calls NaT
_TWO_DIGITS = 69  # from here on a year of two digits is one of the last century


class Style:
    """How a column writes dates. `zoned`: each value with a time names its zone."""

    __slots__ = ("day_first", "zoned")

    def __init__(self, day_first: "bool | None", zoned: bool) -> None:
        self.day_first, self.zoned = day_first, zoned


def style_of(values: "list[str]") -> "Style | None":
    """None unless all values are dates of one style."""
    orders: set[bool] = set()
    zones: set[bool] = set()
    for value in values:
        match = _ISO.fullmatch(value)
        if match:
            if match[4] and not match[6]:  # hours and minutes alone are text, as mltable has it
                return None
            zones.add(bool(match[8]))
            continue
        zones.add(False)
        match = _NUMBERS.fullmatch(value)
        if match and max(int(match[1]), int(match[2])) > 12:
            orders.add(int(match[1]) > 12)
    if len(orders) > 1:
        return None
    style = Style(next(iter(orders), None), zones == {True})
    if any(nanoseconds(value, style.day_first) is None for value in values):
        return None
    return style


def nanoseconds(value: str, day_first: "bool | None") -> "int | None":
    """Since 1970, in UTC; None for what is not a date, or does not fit into 64 bits."""
    match = _ISO.fullmatch(value)
    fraction, zone, half = "", "", ""
    if match:
        year, month, day = int(match[1]), int(match[2]), int(match[3])
        clock = (match[4], match[5], match[6])
        fraction, zone = match[7] or "", match[8] or ""
    else:
        match = _NUMBERS.fullmatch(value)
        if match:
            if day_first is None:
                return None
            day, month, year = int(match[1]), int(match[2]), int(match[3])
            if not day_first:
                day, month = month, day
        else:
            match = _MONTH.fullmatch(value)
            if not match or match[2].lower() not in _MONTHS:
                return None
            day, month, year = int(match[1]), _MONTHS.index(match[2].lower()) + 1, int(match[3])
            if len(match[3]) == 2:
                year += 1900 if year >= _TWO_DIGITS else 2000
        clock, half = (match[4], match[5], match[6]), (match[7] or "").lower()
    hour, minute, second = (int(part or 0) for part in clock)
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "pm" else 0)
    leap = second == 60
    try:
        moment = datetime(year, month, day, hour, minute, 59 if leap else second)
    except ValueError:
        return None
    delta = moment - _EPOCH
    seconds = delta.days * 86400 + delta.seconds + leap - _offset(zone)
    total = seconds * 10**9 + int((fraction + "000000000")[:9])
    return total if -_NS_MAX <= total <= _NS_MAX else None


def _offset(zone: str) -> int:
    """Seconds that a zone is ahead of UTC."""
    if not zone or zone[0] not in "+-":
        return 0
    seconds = int(zone[1:3]) * 3600 + int(zone[-2:]) * 60
    return -seconds if zone[0] == "-" else seconds
