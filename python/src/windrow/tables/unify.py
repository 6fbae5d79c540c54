# SPDX-License-Identifier: Apache-2.0
"""One type for a column of results that come in pieces, and arrays that become of that type.

The rule is ours and not pyarrow's own, which older versions lack and which makes bytes of text and
floats of decimals: the same pieces give the same types with any pyarrow, and no value changes.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_UNITS = ("s", "ms", "us", "ns")
_PLAIN = {
    "large_string": "string",
    "string_view": "string",
    "large_binary": "binary",
    "binary_view": "binary",
}


class Conflict(Exception):
    """A column has a type that no type of the other pieces can be made of, or they of it."""

    def __init__(self, column: str, known: "Any", other: "Any") -> None:
        super().__init__(f"column {column!r}: {known} and {other}")
        self.column, self.known, self.other = column, known, other


def plain(type_: "Any") -> "Any":
    """The type of the same values without categories, 64-bit offsets, views and extensions."""
    import pyarrow
    from pyarrow import types

    if isinstance(type_, pyarrow.BaseExtensionType):
        return plain(type_.storage_type)
    if types.is_dictionary(type_) or str(type_).startswith("run_end_encoded"):
        return plain(type_.value_type)
    if str(type_) in _PLAIN:
        return getattr(pyarrow, _PLAIN[str(type_)])()
    if types.is_struct(type_):
        fields = [type_[i] for i in range(type_.num_fields)]
        return pyarrow.struct([(field.name, plain(field.type)) for field in fields])
    if types.is_fixed_size_list(type_):
        return pyarrow.list_(plain(type_.value_type), type_.list_size)
    if types.is_map(type_):
        return pyarrow.map_(plain(type_.key_type), plain(type_.item_type))
    if types.is_list(type_) or types.is_large_list(type_) or "list_view" in str(type_)[:15]:
        return pyarrow.list_(plain(type_.value_type))
    return type_


def told(table: "Any") -> "Any":
    """The schema of a table or record batch as far as values tell it: floats that are all missing
    are null. pandas makes such a column where it has no values, whatever type it has elsewhere."""
    import pyarrow

    schema = table.schema
    for i, type_ in enumerate(schema.types):
        if pyarrow.types.is_floating(type_) and table.column(i).null_count == table.num_rows:
            schema = schema.set(i, pyarrow.field(schema.field(i).name, pyarrow.null()))
    return schema


def unified(known: "dict[str, Any]", schema: "Any") -> "dict[str, Any]":
    """The types of columns that were known, with those of a schema. Raises Conflict."""
    made = dict(known)
    for field in schema:
        have = made.get(field.name)
        both = field.type if have is None else _common(have, field.type)
        if both is None:
            raise Conflict(field.name, have, field.type)
        made[field.name] = both
    return made


def _common(one: "Any", other: "Any") -> "Any":
    """A type that holds the values of both; None when there is none."""
    import pyarrow
    from pyarrow import types

    if one.equals(other) or types.is_null(other):
        return one
    if types.is_null(one):
        return other
    if types.is_list(one) and types.is_list(other):
        value = _common(one.value_type, other.value_type)
        return None if value is None else pyarrow.list_(value)
    if types.is_struct(one) and types.is_struct(other):
        return _common_struct(one, other)
    if types.is_map(one) or types.is_map(other):
        return _common_map(one, other)
    for number in (types.is_integer, types.is_floating, types.is_decimal):
        if number(one) and number(other):
            return _wider(one, other)
    if {types.is_integer(one), types.is_integer(other)} == {True, False}:
        return pyarrow.float64() if types.is_floating(one) or types.is_floating(other) else None
    return _finer(one, other)


def _common_struct(one: "Any", other: "Any") -> "Any":
    """All fields of both, in the order in which they were first seen."""
    import pyarrow

    fields = {one[i].name: one[i].type for i in range(one.num_fields)}
    try:
        fields = unified(fields, [other[i] for i in range(other.num_fields)])
    except Conflict:
        return None
    return pyarrow.struct(list(fields.items()))


def _common_map(one: "Any", other: "Any") -> "Any":
    """Lists without elements may be maps without keys."""
    import pyarrow
    from pyarrow import types

    if not types.is_map(one):
        one, other = other, one
    if types.is_list(other) and types.is_null(other.value_type):
        return one
    if not types.is_map(other):
        return None
    parts = _common(one.key_type, other.key_type), _common(one.item_type, other.item_type)
    return None if None in parts else pyarrow.map_(*parts)


def _wider(one: "Any", other: "Any") -> "Any":
    """Of two integers, two floats or two decimals. uint64 with a signed one is int64: values that
    do not fit are told when they are cast."""
    import pyarrow
    from pyarrow import types

    if types.is_decimal(one):
        scale = max(one.scale, other.scale)
        digits = max(one.precision - one.scale, other.precision - other.scale) + scale
        if digits > 76:
            return None
        return (pyarrow.decimal128 if digits <= 38 else pyarrow.decimal256)(digits, scale)
    wide, narrow = (one, other) if one.bit_width >= other.bit_width else (other, one)
    unsigned = [types.is_unsigned_integer(type_) for type_ in (wide, narrow)]
    if unsigned[0] == unsigned[1] or (unsigned[1] and narrow.bit_width < wide.bit_width):
        return wide
    return {8: pyarrow.int16(), 16: pyarrow.int32()}.get(wide.bit_width, pyarrow.int64())


def _finer(one: "Any", other: "Any") -> "Any":
    """Of two moments, spans, dates or times of day."""
    from pyarrow import types

    if types.is_date(one) and types.is_date(other):
        return one if types.is_date64(one) else other
    same_kind = (
        (types.is_timestamp(one) and types.is_timestamp(other) and one.tz == other.tz)
        or (types.is_duration(one) and types.is_duration(other))
        or (types.is_time(one) and types.is_time(other))
    )
    if not same_kind:
        return None
    return one if _UNITS.index(one.unit) >= _UNITS.index(other.unit) else other


def conformed(array: "Any", want: "Any") -> "Any":
    """An array as one of a type that unified() gave. REQUIRES: it begins at the beginning of its
    buffers, as all that is read from a stream. Raises ArrowInvalid when a value does not fit."""
    import pyarrow
    from pyarrow import types

    have, size = array.type, len(array)
    if have.equals(want):
        return array
    if array.null_count == size:
        return pyarrow.nulls(size, want)
    assert array.offset == 0
    if types.is_map(want):
        buffers, children = array.buffers()[:2], [_entries(array, want)]
    elif types.is_list(have):
        buffers, children = array.buffers()[:2], [conformed(array.values, want.value_type)]
    elif types.is_struct(have):
        found = {have[i].name: array.field(i) for i in range(have.num_fields)}
        fields = [want[i] for i in range(want.num_fields)]
        buffers = array.buffers()[:1]
        children = [
            conformed(found[field.name], field.type)
            if field.name in found
            else pyarrow.nulls(size, field.type)
            for field in fields
        ]
    else:
        return array.cast(want)
    return pyarrow.Array.from_buffers(want, size, buffers, array.null_count, 0, children)


def _entries(array: "Any", want: "Any") -> "Any":
    """The keys and items of all maps of an array, which is one of maps, or of lists that are all
    empty. Raises ArrowInvalid when one is not."""
    import pyarrow

    if pyarrow.types.is_map(array.type):
        keys, items = array.keys, array.items
    elif len(array.values) == 0:
        keys = items = array.values
    else:
        raise pyarrow.ArrowInvalid("a list of missing values is not a map")
    parts = conformed(keys, want.key_type), conformed(items, want.item_type)
    names = pyarrow.field("key", want.key_type, False), pyarrow.field("value", want.item_type)
    return pyarrow.StructArray.from_arrays(parts, fields=names)
