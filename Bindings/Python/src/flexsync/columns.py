# SPDX-License-Identifier: Apache-2.0
"""Columns: the values of properties in many objects at once, for Arrow, pandas and others, and for inserting."""

from __future__ import annotations

import ctypes
import uuid
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Callable, Iterator, Sequence

from ._library import bytes_of, call, ffi, lib, scratch
from .enumerations import Collection, Type
from .schema import PropertyInfo
from .values import ObjectId, name_of_type, write_value

if TYPE_CHECKING:
    from .classes import Meta
    from .realm import Realm
    from .results import Results

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
#: Links and mixed values have no type that Arrow could give a column.
_EXPORTED = {
    Type.INT, Type.BOOL, Type.STRING, Type.BINARY, Type.TIMESTAMP, Type.FLOAT, Type.DOUBLE, Type.DECIMAL, Type.OBJECT_ID,
    Type.UUID,
}
_C_TYPES: "dict[int, str]" = {
    Type.INT: "int64_t", Type.BOOL: "bool", Type.TIMESTAMP: "flx_timestamp_t", Type.FLOAT: "float", Type.DOUBLE: "double",
    Type.DECIMAL: "flx_decimal_t", Type.OBJECT_ID: "flx_object_id_t", Type.UUID: "flx_uuid_t", Type.LINK: "flx_link_t",
    Type.MIXED: "flx_value_t",
}
#: The member of a `flx_value_t` that holds a value of a type.
_MEMBERS: "dict[int, str]" = {
    Type.INT: "integer", Type.BOOL: "boolean", Type.TIMESTAMP: "timestamp", Type.FLOAT: "float_value",
    Type.DOUBLE: "double_value", Type.DECIMAL: "decimal", Type.OBJECT_ID: "object_id", Type.UUID: "uuid", Type.LINK: "link",
}


class Columns(Mapping):
    """The values of properties as of one moment, in the memory layout of Apache Arrow.

    A mapping from names to lists of Python values; and a producer of Arrow's PyCapsule interface, so that `pyarrow.table`,
    `polars.from_arrow`, DuckDB and others take it without a copy and without depending on one another. Decimals are text
    there, since they have no common scale; times are microseconds in UTC; ObjectIds and UUIDs are bytes of a fixed size.

    Any thread: the columns belong to the program.
    """

    def __init__(self, handle: Any, infos: "list[PropertyInfo]") -> None:
        self._handle = ffi.gc(handle, lib.flexsync_columns_release)
        self._infos = {info.name: (index, info) for index, info in enumerate(infos)}
        self.row_count: int = lib.flexsync_columns_row_count(handle)
        """The number of objects."""

    def __getitem__(self, name: str) -> "list[Any]":
        index, info = self._infos[name]
        view = lib.flexsync_columns_view(self._handle, index)
        values = _LISTS[info.type](view, self.row_count)
        if not view.null_count:
            return values
        bits = ffi.buffer(view.validity, self.row_count // 8 + 1)
        return [value if bits[row >> 3][0] >> (row & 7) & 1 else None for row, value in enumerate(values)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._infos)

    def __len__(self) -> int:
        return len(self._infos)

    def __repr__(self) -> str:
        return f"<Columns {', '.join(self)}: {self.row_count} rows>"

    def to_pandas(self) -> Any:
        """A pandas DataFrame. Raises ImportError without pandas; with pyarrow it is made without Python objects."""
        import pandas

        try:
            import pyarrow
        except ImportError:
            return pandas.DataFrame({name: self[name] for name in self})
        return pyarrow.table(self).to_pandas()

    # ---- Arrow ----

    def __arrow_c_schema__(self) -> Any:
        return _capsule(lib.flexsync_columns_export_schema(self._handle), "arrow_schema")

    def __arrow_c_array__(self, requested_schema: Any = None) -> "tuple[Any, Any]":
        return self.__arrow_c_schema__(), _capsule(lib.flexsync_columns_export_array(self._handle), "arrow_array")

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return _capsule(lib.flexsync_columns_export_stream(self._handle), "arrow_array_stream")


#: Names of capsules are not copied by Python.
_CAPSULE_NAMES = {name: name.encode() for name in ("arrow_schema", "arrow_array", "arrow_array_stream")}
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def _capsule(pointer: Any, name: str) -> Any:
    words = _CAPSULE_NAMES[name]
    destructor = lib.flexsync_capsule_destructor(words)
    address, destructor_address = (int(ffi.cast("uintptr_t", one)) for one in (pointer, destructor))
    return _new_capsule(address, words, destructor_address)


# ---- lists of Python values ----


def _numbers(c_type: str) -> "Callable[[Any, int], list[Any]]":
    return lambda view, count: ffi.unpack(ffi.cast(c_type + " *", view.values), count) if count else []


def _booleans(view: Any, count: int) -> "list[bool]":
    bits = bytes(ffi.buffer(view.values, count // 8 + 1))
    return [bool(bits[row >> 3] >> (row & 7) & 1) for row in range(count)]


def _slices(convert: "Callable[[bytes], Any]") -> "Callable[[Any, int], list[Any]]":
    def read(view: Any, count: int) -> "list[Any]":
        offsets = ffi.unpack(view.offsets, count + 1)
        data = bytes(ffi.buffer(view.bytes, offsets[-1])) if offsets[-1] else b""
        return [convert(data[offsets[row]:offsets[row + 1]]) for row in range(count)]

    return read


def _fixed(size: int, convert: "Callable[[bytes], Any]") -> "Callable[[Any, int], list[Any]]":
    def read(view: Any, count: int) -> "list[Any]":
        data = bytes(ffi.buffer(view.values, count * size)) if count else b""
        return [convert(data[at:at + size]) for at in range(0, count * size, size)]

    return read


def _times(view: Any, count: int) -> "list[datetime]":
    return [_EPOCH + timedelta(microseconds=one) for one in _numbers("int64_t")(view, count)]


_LISTS: "dict[int, Callable[[Any, int], list[Any]]]" = {
    Type.INT: _numbers("int64_t"), Type.FLOAT: _numbers("float"), Type.DOUBLE: _numbers("double"), Type.BOOL: _booleans,
    Type.TIMESTAMP: _times, Type.STRING: _slices(lambda data: data.decode("utf-8", "replace")), Type.BINARY: _slices(bytes),
    Type.DECIMAL: _slices(lambda data: Decimal(data.decode()) if data else None), Type.OBJECT_ID: _fixed(12, ObjectId),
    Type.UUID: _fixed(16, lambda data: uuid.UUID(bytes=data)),
}


# ---- reading ----


def read_columns(results: "Results[Any]", names: Sequence[str]) -> Columns:
    """Reads properties of all objects of the results. Raises TypeError for one that no column can hold."""
    meta = results._realm._meta_of(results._class_key)
    if names:
        infos = [meta.property(name) for name in names]
    else:
        infos = [info for info in meta.properties.values() if _is_exported(info)]
    for info in infos:
        if not _is_exported(info):
            raise TypeError(f"the property '{info.name}' is a collection, a link or mixed, which columns cannot hold")
    kept = [ffi.new("char[]", info.name.encode()) for info in infos]
    requests = ffi.new("flexsync_column_request_t[]", [(info.key, info.type, name) for info, name in zip(infos, kept)])
    out = ffi.new("flexsync_columns_t **")
    call(lib.flexsync_columns_read, results._handle, requests, len(infos), out)
    return Columns(out[0], infos)


def _is_exported(info: PropertyInfo) -> bool:
    return info.collection == Collection.NONE and info.type in _EXPORTED


# ---- inserting ----


def insert_columns(realm: "Realm", meta: "Meta", columns: "dict[str, Sequence[Any]]") -> int:
    """Creates objects from columns of values. Returns their number."""
    for name, values in columns.items():
        if isinstance(values, (str, bytes)) or not hasattr(values, "__len__"):
            raise TypeError(f"the property '{name}': expected a sequence of values or an array, not {name_of_type(values)}")
    counts = {len(values) for values in columns.values()}
    if len(counts) > 1:
        raise ValueError("the columns have different lengths")
    count = counts.pop() if counts else 0
    array = ffi.new("flx_column_t[]", len(columns))
    kept = [_fill_column(array[index], meta.property(name), columns[name], count) for index, name in enumerate(columns)]
    inserted = scratch.size
    call(lib.flx_objects_insert, realm._handle, meta.key, array, len(columns), count, inserted)
    del kept
    return inserted[0]


def _fill_column(column: Any, info: PropertyInfo, values: Any, count: int) -> "list[Any]":
    """Fills a `flx_column_t`, and returns what must stay alive."""
    column.struct_size = ffi.sizeof("flx_column_t")
    column.property, column.type = info.key, info.type
    shared = _shared_buffer(info, values)
    if shared is not None:
        column.values = shared
        return [shared, values]
    rows = list(values)
    validity = ffi.new("uint8_t[]", [value is not None for value in rows])
    column.validity = validity
    kept: "list[Any]" = [validity]
    if info.type in (Type.STRING, Type.BINARY):
        _fill_text(column, rows, kept, info)
        return kept
    array = ffi.new(_C_TYPES[info.type] + "[]", count)
    column.values = array
    kept.append(array)
    value = ffi.new("flx_value_t *")
    for index, one in enumerate(rows):
        if info.type == Type.MIXED:
            kept.append(_write(array + index, one, info))
        elif one is not None:
            _write(value, one, info)
            array[index] = getattr(value, _MEMBERS[info.type])
    return kept


def _shared_buffer(info: PropertyInfo, values: Any) -> Any:
    """The memory of an array of numbers, if it has the layout of the column: nothing is copied then."""
    formats = {Type.INT: ("q", "l"), Type.DOUBLE: ("d",), Type.FLOAT: ("f",), Type.BOOL: ("?",)}
    try:
        view = memoryview(values)
    except (TypeError, ValueError):  # An array of numpy that is none of numbers raises ValueError.
        return None
    if view.ndim != 1 or not view.c_contiguous or view.format not in formats.get(Type(info.type), ()):
        return None
    return ffi.from_buffer(view) if view.itemsize == ffi.sizeof(_C_TYPES[info.type]) else None


def _write(out: Any, value: Any, info: PropertyInfo) -> Any:
    """Writes a value of a column; its exceptions name the property."""
    try:
        return write_value(out, value, info.type)
    except (TypeError, ValueError, OverflowError) as error:
        raise type(error)(f"the property '{info.name}': {error}") from None


def _fill_text(column: Any, rows: "list[Any]", kept: "list[Any]", info: PropertyInfo) -> None:
    value = ffi.new("flx_value_t *")
    member = "string" if info.type == Type.STRING else "binary"

    def data_of(one: Any) -> bytes:
        if one is None:
            return b""
        if type(one) is str and info.type == Type.STRING and one.isascii():
            return one.encode()
        if type(one) is bytes and info.type == Type.BINARY:
            return one
        memory = _write(value, one, info)
        data = bytes_of(getattr(value, member))
        del memory
        return data

    data = [data_of(one) for one in rows]
    offsets = [0]
    for one in data:
        offsets.append(offsets[-1] + len(one))
    joined = b"".join(data)
    array, memory = ffi.new("int64_t[]", offsets), ffi.from_buffer(joined)
    kept += [array, memory, joined]
    column.offsets, column.bytes, column.byte_capacity = array, memory, len(joined)
