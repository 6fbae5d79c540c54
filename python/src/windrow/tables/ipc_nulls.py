# SPDX-License-Identifier: Apache-2.0
"""Which columns of an Arrow file have missing values, told by the heads of its record batches: the
values themselves are neither read nor decompressed.

A head is a flatbuffer, as Message.fbs of Arrow lays it out: for each column, and each column below
it, how many values it has and how many of them are missing.
"""

from struct import error, unpack_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_BLOCKS, _HEADER, _NODES = 3, 2, 1  # fields of the tables Footer, Message and RecordBatch
_BLOCK_SIZE, _NODE_SIZE = 24, 16
_TAIL = 10  # bytes behind the footer: its length, and what all such files end with
_GOES_ON = b"\xff" * 4  # before the length of a head, but for old files


def columns_with_nulls(path: str, schema: "Any", is_stream: bool) -> "set[str]":
    """Those that are known to have some. Of a file that is cut off, as far as it goes."""
    import pyarrow

    places = list(_places(schema))
    found: set[str] = set()
    with pyarrow.memory_map(path) as file:
        try:
            for head in _heads_of_stream(file) if is_stream else _heads_of_file(file):
                counts = _null_counts(head)
                found.update(name for name, place in places if counts[place])
        except (pyarrow.ArrowException, OSError, error, IndexError):
            pass  # the mini-batch that comes so far will say so
    return found


def _heads_of_stream(file: "Any") -> "Iterator[bytes]":
    import pyarrow

    for message in pyarrow.ipc.MessageReader.open_stream(file):
        if message.type == "record batch":
            yield bytes(message.metadata)


def _heads_of_file(file: "Any") -> "Iterator[bytes]":
    """By the footer, which tells where they stand."""
    data = memoryview(file.read_buffer())
    end = len(data) - _TAIL
    footer = bytes(data[end - unpack_from("<i", data, end)[0] : end])
    first, count = _vector(footer, unpack_from("<I", footer)[0], _BLOCKS)
    for i in range(count):
        offset, size = unpack_from("<qi", footer, first + i * _BLOCK_SIZE)
        head = bytes(data[offset : offset + size])
        yield head[8:] if head.startswith(_GOES_ON) else head[4:]


def _places(schema: "Any") -> "Iterator[tuple[str, int]]":
    """The columns, and where their counts stand, up to one of a type that nobody knows."""
    place = 0
    for field in schema:
        yield field.name, place
        size = _nodes(field.type)
        if size == 0:
            return
        place += size


def _nodes(type_: "Any") -> int:
    """How many counts a column of this type has; 0: nobody knows."""
    import pyarrow
    from pyarrow import types

    if isinstance(type_, pyarrow.BaseExtensionType):
        return _nodes(type_.storage_type)
    if not types.is_nested(type_):
        return 1
    if types.is_struct(type_):
        below = [_nodes(type_[i].type) for i in range(type_.num_fields)]
    elif types.is_map(type_):
        below = [1, _nodes(type_.key_type), _nodes(type_.item_type)]
    elif hasattr(type_, "value_type") and "list" in str(type_):
        below = [_nodes(type_.value_type)]
    else:
        return 0
    return 0 if 0 in below else 1 + sum(below)


def _null_counts(head: bytes) -> "list[int]":
    """Of all columns of a record batch, and those below them."""
    batch = _at(head, _field(head, unpack_from("<I", head)[0], _HEADER))
    first, count = _vector(head, batch, _NODES)
    return [unpack_from("<qq", head, first + i * _NODE_SIZE)[1] for i in range(count)]


def _vector(head: bytes, table: int, number: int) -> "tuple[int, int]":
    """Where the first element of a field stands, and how many there are."""
    place = _field(head, table, number)
    if place == table:
        return 0, 0
    vector = _at(head, place)
    return vector + 4, int(unpack_from("<I", head, vector)[0])


def _at(head: bytes, place: int) -> int:
    """What an offset that stands there leads to."""
    return place + int(unpack_from("<I", head, place)[0])


def _field(head: bytes, table: int, number: int) -> int:
    """Where a field of a table stands; the table itself: nowhere."""
    layout = table - int(unpack_from("<i", head, table)[0])
    at = 4 + 2 * number
    there = at < unpack_from("<H", head, layout)[0]
    return table + int(unpack_from("<H", head, layout + at)[0]) if there else table
