# SPDX-License-Identifier: Apache-2.0
"""What run() returned -> rows, in exactly the text that append_row promises."""

import sys
from codecs import register_error

from windrow.worker.packets import ANSWER_MAX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Error handlers: undecodable bytes of file names become those bytes again. What is neither text nor
# such a byte is an error in rows, and a question mark in logs.
ROWS = "windrow-rows"
NAMES = "windrow-names"

ALLOWED = "return a list, tuple, numpy array, pandas Series or DataFrame with one element per item"


# Settings that ask for another form.
_STYLE = ("row_outputs", "format", "separator", "header", "field", "row_settings")

# Of other modules than pandas: what has rows and columns, and to_pandas().
_TABLES = (("pyarrow", ("Table", "RecordBatch")), ("polars", ("DataFrame",)))
# And what is one column, with a method that makes a list of its values.
_COLUMNS = (("pyarrow", ("Array", "ChunkedArray")), ("polars", ("Series",)))

_SHORT = ANSWER_MAX // 4  # characters that never encode to more than an answer may hold


class WrongType(TypeError):
    """run() returned something that is not a collection of rows. Users see a TypeError."""

    __module__ = "builtins"
    __qualname__ = "TypeError"


def styled(settings: "dict[str, Any]") -> bool:
    """Whether rows take another form: styles.py."""
    return any(settings.get(name) for name in _STYLE)


def _names(error: UnicodeError) -> "tuple[bytes, int]":
    assert isinstance(error, UnicodeEncodeError)
    codes = map(ord, error.object[error.start : error.end])
    text = bytes(code - 0xDC00 if 0xDC80 <= code <= 0xDCFF else 0x3F for code in codes)
    return text, error.end


def _rows(error: UnicodeError) -> "tuple[bytes, int]":
    assert isinstance(error, UnicodeEncodeError)
    text, start, end = error.object, error.start, error.end
    for place in range(start, end):
        if not 0xDC80 <= ord(text[place]) <= 0xDCFF:
            near = text[max(0, place - 20) : place + 20]
            raise ValueError(
                f"a row has half of a surrogate pair, {text[place]!r} in {near!r}, which is not"
                " text and cannot be written as UTF-8; replace it in run():"
                " text.encode('utf-8', 'replace').decode()"
            )
    return _names(error)


register_error(ROWS, _rows)
register_error(NAMES, _names)


def serialise(result: object) -> "tuple[int, bytes]":
    """How many rows, and their text. Raises WrongType, ValueError for what is not text, and
    whatever str() raises."""
    if type(result) is list:
        # Nearly always a list of strings: two steps less, and str() of none of them. A subclass
        # of str may have a str() of its own, so nothing but str itself counts here.
        for element in result:
            if type(element) is not str:
                break
        else:
            rows = len(result)
            text = "\n".join(result)
            if rows and len(text) < _SHORT:
                return rows, (text + "\n").encode("utf-8", ROWS)
    what = kind(result)
    if what != "array":
        frame: Any = result if what == "frame" else pandas_frame(result)
        return encoded(len(frame), frame.to_csv(sep=" ", header=False, index=False))
    lines = [str(element) for element in elements(result)]
    return encoded(len(lines), "\n".join(lines) + "\n") if lines else (0, b"")


def elements(result: "Any") -> "Any":
    """What is iterated of an 'array': of a column of pyarrow or polars the values of Python."""
    if not _is_one_of(result, _COLUMNS):
        return result
    return result.to_pylist() if hasattr(result, "to_pylist") else result.to_list()


def _is_one_of(result: object, classes: "tuple[tuple[str, tuple[str, ...]], ...]") -> bool:
    """Whether it is of a class of a module that the script has imported."""
    return any(
        isinstance(result, getattr(sys.modules.get(module), name, ()))
        for module, names in classes
        for name in names
    )


def pandas_frame(table: object) -> "Any":
    """Of one of pyarrow or polars, with the same values."""
    from windrow.tables.foreign import to_pandas

    return to_pandas(table)


def count(result: object) -> "tuple[int, bytes]":
    """As serialise() for those who want no text: looks at no element."""
    if type(result) is not list:
        kind(result)
    return len(result), b""  # type: ignore[arg-type]


def encoded(rows: int, text: str) -> "tuple[int, bytes]":
    """So many rows as bytes. Raises OverflowError."""
    payload = text.encode("utf-8", ROWS)
    check_size(len(payload))
    return rows, payload


def check_size(size: int) -> None:
    """Raises OverflowError when an answer cannot hold so many bytes."""
    if size > ANSWER_MAX:
        raise OverflowError(
            f"the rows of one mini-batch have {size} bytes; at most {ANSWER_MAX} are allowed: make"
            " mini-batches smaller"
        )


def kind(result: object) -> str:
    """'frame' for a DataFrame, 'table' for one of pyarrow or polars, 'array' for what is iterated.
    Raises WrongType.

    A script can only return what some import of its own has made: nothing is imported here.
    """
    if isinstance(result, (list, tuple)):
        return "array"
    pandas = sys.modules.get("pandas")
    if pandas is not None:
        if isinstance(result, getattr(pandas, "DataFrame", ())):
            return "frame"
        if isinstance(result, getattr(pandas, "Series", ())):
            return "array"
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(result, getattr(numpy, "ndarray", ())):
        if result.ndim > 0:  # type: ignore[attr-defined]
            return "array"
        raise WrongType("run() returned a numpy array without dimensions; " + ALLOWED)
    if _is_one_of(result, _TABLES):
        return "table"
    if _is_one_of(result, _COLUMNS):
        return "array"
    name = "None" if result is None else type(result).__qualname__
    raise WrongType(f"run() returned {name}; {ALLOWED}")
