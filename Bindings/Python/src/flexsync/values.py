# SPDX-License-Identifier: Apache-2.0
"""Values: ObjectIds, decimals and times, and how values get to the library and back."""

from __future__ import annotations

import builtins
import enum
import numbers
import uuid
from collections import abc
from datetime import datetime, timedelta, timezone
from decimal import Context, Decimal
from typing import Any, Callable, Optional

from ._library import bytes_of, ffi, lib, string_of, text
from .enumerations import Type

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_FIRST, _LAST = (one.replace(tzinfo=timezone.utc) for one in (datetime.min, datetime.max))
#: Sequences that are one value.
_TEXTS = (str, bytes, bytearray, memoryview)
#: Decimals of the library have 34 digits.
_DECIMAL128 = Context(prec=34)


class ObjectId:
    """Twelve bytes that identify an object.

    `ObjectId()` makes a new one from the clock, random bytes and a counter; `ObjectId("…")` reads 24 hexadecimal digits,
    and `ObjectId(b"…")` takes twelve bytes. Raises ValueError for anything else. Any thread.
    """

    __slots__ = ("_bytes",)

    def __init__(self, value: "str | bytes | ObjectId | None" = None) -> None:
        self._bytes = _object_id_bytes(value)

    @property
    def bytes(self) -> builtins.bytes:
        """The twelve bytes."""
        return self._bytes

    def __str__(self) -> str:
        return self.bytes.hex()

    def __repr__(self) -> str:
        return f"ObjectId('{self}')"

    def __hash__(self) -> int:
        return hash(self.bytes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ObjectId) and self.bytes == other.bytes

    def __lt__(self, other: "ObjectId") -> bool:
        return self.bytes < other.bytes

    def __le__(self, other: "ObjectId") -> bool:
        return self.bytes <= other.bytes

    def __reduce__(self):
        return ObjectId, (self.bytes,)

    @property
    def created_at(self) -> datetime:
        """The time that the first four bytes tell."""
        return _EPOCH + timedelta(seconds=int.from_bytes(self.bytes[:4], "big"))


def _object_id_bytes(value: Any) -> bytes:
    if value is None:
        return bytes(lib.flx_object_id_generate().bytes)
    if isinstance(value, ObjectId):
        return value.bytes
    if isinstance(value, str):
        out = ffi.new("flx_object_id_t *")
        if not lib.flx_object_id_parse(text(value), out):
            raise ValueError(f"'{value}' is not an ObjectId: 24 hexadecimal digits")
        return bytes(out.bytes)
    if isinstance(value, bytes) and len(value) == 12:
        return value
    raise ValueError("an ObjectId has twelve bytes or 24 hexadecimal digits")


# ---- to the library ----


def _expected(kind: str, value: Any) -> TypeError:
    return TypeError(f"expected {kind}, not {name_of_type(value)}")


def name_of_type(value: Any) -> str:
    """The name of the type of a value, as messages show it."""
    kind = type(value)
    return kind.__name__ if kind.__module__ in ("builtins", "__main__") else f"{kind.__module__}.{kind.__name__}"


def _integer(out: Any, value: Any) -> None:
    if not isinstance(value, (int, numbers.Integral)):
        raise _expected("int", value)
    number = int(value)
    if not -(2**63) <= number < 2**63:
        raise OverflowError(f"{number if number.bit_length() < 200 else 'the int'} does not fit into 64 bits")
    out.integer = number


def _boolean(out: Any, value: Any) -> None:
    if not isinstance(value, bool):
        raise _expected("bool", value)
    out.boolean = value


def _string(out: Any, value: Any) -> Any:
    if not isinstance(value, str):
        raise _expected("str", value)
    kept = text(value)
    out.string = kept
    return kept


def _binary(out: Any, value: Any) -> Any:
    if not isinstance(value, (bytes, bytearray, memoryview)):
        raise _expected("bytes", value)
    kept = text(bytes(value))
    out.binary = kept
    return kept


def _timestamp(out: Any, value: Any) -> None:
    if not isinstance(value, datetime):
        raise _expected("datetime", value)
    if value.tzinfo is None:
        raise ValueError("a datetime needs a time zone, such as datetime.now(timezone.utc)")
    if not _FIRST <= value <= _LAST:
        raise OverflowError(f"{value} is not within the years 1 to 9999 in UTC")
    since = value - _EPOCH
    total = (since.days * 86400 + since.seconds) * 1_000_000 + since.microseconds
    seconds, rest = divmod(abs(total), 1_000_000)
    sign = -1 if total < 0 else 1
    out.timestamp = (sign * seconds, sign * rest * 1000)


def _float(out: Any, value: Any) -> None:
    if not isinstance(value, (float, int, numbers.Real)):
        raise _expected("float", value)
    out.float_value = float(value)


def _double(out: Any, value: Any) -> None:
    if not isinstance(value, (float, int, numbers.Real)):
        raise _expected("float", value)
    out.double_value = float(value)


def _decimal(out: Any, value: Any) -> None:
    if not isinstance(value, (Decimal, int)):
        raise _expected("Decimal", value)
    number = _DECIMAL128.create_decimal(value)
    words = {"NaN": "nan", "sNaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}
    digits = str(number)
    if not lib.flx_decimal_parse(text(words.get(digits, digits)), ffi.addressof(out, "decimal")):
        raise ValueError(f"{value} cannot be stored as a decimal")


def _object_id(out: Any, value: Any) -> None:
    if not isinstance(value, ObjectId):
        raise _expected("ObjectId", value)
    ffi.memmove(ffi.addressof(out, "object_id"), value.bytes, 12)


def _uuid(out: Any, value: Any) -> None:
    if not isinstance(value, uuid.UUID):
        raise _expected("UUID", value)
    ffi.memmove(ffi.addressof(out, "uuid"), value.bytes, 16)


def _link(out: Any, value: Any) -> None:
    if not hasattr(value, "_flx_link"):
        raise _expected("an object", value)
    out.link = value._flx_link()


_WRITERS: "dict[int, Callable[[Any, Any], Any]]" = {
    Type.INT: _integer, Type.BOOL: _boolean, Type.STRING: _string, Type.BINARY: _binary, Type.TIMESTAMP: _timestamp,
    Type.FLOAT: _float, Type.DOUBLE: _double, Type.DECIMAL: _decimal, Type.OBJECT_ID: _object_id, Type.UUID: _uuid,
    Type.LINK: _link,
}
#: The types that Python values have in a mixed property, and in the arguments of queries.
_TYPES_OF_VALUES: "tuple[tuple[Any, int], ...]" = (
    (bool, Type.BOOL), (int, Type.INT), (float, Type.DOUBLE), (str, Type.STRING), ((bytes, bytearray, memoryview), Type.BINARY),
    (datetime, Type.TIMESTAMP), (Decimal, Type.DECIMAL), (ObjectId, Type.OBJECT_ID), (uuid.UUID, Type.UUID),
    (numbers.Integral, Type.INT), (numbers.Real, Type.DOUBLE),
)


def type_of(value: Any) -> int:
    """The type that a Python value has by itself. Raises TypeError if it has none."""
    for kinds, kind in _TYPES_OF_VALUES:
        if isinstance(value, kinds):
            return kind
    if hasattr(value, "_flx_link"):
        return Type.LINK
    raise TypeError(f"a {name_of_type(value)} is not a value that can be stored")


def write_value(out: Any, value: Any, kind: int) -> Any:
    """Writes a Python value to a `flx_value_t *`, as a value of a type; in MIXED, as one of its own type.

    Returns what must stay alive as long as the value is used. Raises TypeError for a value of another type.
    """
    if isinstance(value, enum.Enum):
        value = value.value
    if value is None:
        out.type = Type.NULL
        return None
    actual = type_of(value) if kind == Type.MIXED else kind
    out.type = actual
    return _WRITERS[actual](out, value)


def new_value(value: Any, kind: int) -> tuple:
    """A `flx_value_t *` of its own, with what keeps it alive."""
    out = ffi.new("flx_value_t *")
    return out, write_value(out, value, kind)


def value_of_property(value: Any, info: Any) -> tuple:
    """`new_value` for a property or its elements; its exceptions name the property."""
    try:
        return new_value(value, info.type)
    except (TypeError, ValueError, OverflowError) as error:
        raise type(error)(f"the property '{info.name}': {error}") from None


class Arguments:
    """The arguments of a query, for the duration of a call."""

    def __init__(self, values: "tuple[Any, ...]") -> None:
        self.count = len(values)
        self.array = ffi.new("flx_query_argument_t[]", self.count)
        self._kept: "list[Any]" = []
        for argument, value in zip(self.array, values):
            is_list = isinstance(value, (abc.Sequence, abc.Set)) and not isinstance(value, _TEXTS)
            elements = list(value) if is_list else [value]
            memory = ffi.new("flx_value_t[]", len(elements))
            for index, element in enumerate(elements):
                self._kept.append(write_value(memory + index, element, Type.MIXED))
            self._kept.append(memory)
            argument.values, argument.count, argument.is_list = memory, len(elements), is_list


# ---- from the library ----


def time_of(timestamp: Any) -> datetime:
    """The time of a `flx_timestamp_t`, to the microsecond. Raises OverflowError beyond the years that Python has."""
    microseconds = int(timestamp.nanoseconds / 1000)
    try:
        return _EPOCH + timedelta(seconds=timestamp.seconds, microseconds=microseconds)
    except OverflowError:
        words = f"the time {timestamp.seconds} seconds after 1970 is not within the years 1 to 9999, which a datetime has"
        raise OverflowError(words) from None


def decimal_text(decimal: Any) -> str:
    digits = ffi.new("char[]", 48)
    lib.flx_decimal_format(decimal, digits)
    return ffi.string(digits).decode()


READERS: "dict[int, Callable[[Any], Any]]" = {
    Type.NULL: lambda value: None,
    Type.INT: lambda value: value.integer,
    Type.BOOL: lambda value: value.boolean,
    Type.STRING: lambda value: string_of(value.string),
    Type.BINARY: lambda value: bytes_of(value.binary),
    Type.TIMESTAMP: lambda value: time_of(value.timestamp),
    Type.FLOAT: lambda value: value.float_value,
    Type.DOUBLE: lambda value: value.double_value,
    Type.DECIMAL: lambda value: Decimal(decimal_text(value.decimal)),
    Type.OBJECT_ID: lambda value: ObjectId(bytes(value.object_id.bytes)),
    Type.UUID: lambda value: uuid.UUID(bytes=bytes(value.uuid.bytes)),
}


def read_value(value: Any, linked: Optional[Callable[[Any], Any]] = None) -> Any:
    """The Python value of a `flx_value_t`; links become what `linked` makes of them."""
    reader = READERS.get(value.type)
    if reader is not None:
        return reader(value)
    if value.type == Type.LINK:
        return linked(value.link) if linked else None
    raise TypeError(f"the library returned a value of the unknown type {value.type}")
