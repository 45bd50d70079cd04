# SPDX-License-Identifier: Apache-2.0
"""What a property is, from the annotation of a class or from the schema of a file."""

from __future__ import annotations

import enum
import types
import typing
import uuid
from dataclasses import dataclass, field as dataclass_field
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Callable, Optional

from ._library import ffi, string_of, text
from .enumerations import Collection, Type
from .values import ObjectId

Float32 = Annotated[float, "float"]
"""The annotation of a property of type float, which has 32 bits; `float` alone has 64."""


@dataclass(frozen=True)
class PropertyInfo:
    """A property of a class, as the library knows it."""

    name: str
    type: int
    """A number of `flexsync.enumerations.Type`."""
    collection: int = Collection.NONE
    """A number of `flexsync.enumerations.Collection`."""
    link_target: str = ""
    """The name of the class to which links lead; empty for other types."""
    is_nullable: bool = False
    is_primary_key: bool = False
    is_indexed: bool = False
    key: int = -1
    """The key of the property while its realm is open."""
    converter: "Optional[Callable[[Any], enum.Enum]]" = dataclass_field(default=None, compare=False)
    """The enumeration whose values the property has."""


@dataclass(frozen=True)
class BacklinksInfo:
    """A property that shows the objects that link to this one."""

    origin_class: str
    origin_property: str


_SCALARS: "dict[Any, int]" = {
    bool: Type.BOOL, int: Type.INT, float: Type.DOUBLE, str: Type.STRING, bytes: Type.BINARY, datetime: Type.TIMESTAMP,
    Decimal: Type.DECIMAL, ObjectId: Type.OBJECT_ID, uuid.UUID: Type.UUID, Any: Type.MIXED,
}
_DEFAULTS: "dict[int, Callable[[], Any]]" = {
    Type.BOOL: bool, Type.INT: int, Type.DOUBLE: float, Type.FLOAT: float, Type.STRING: str, Type.BINARY: bytes,
    Type.DECIMAL: Decimal,
}


def default_of(info: PropertyInfo) -> Any:
    """The value of a property to which none was given."""
    if info.collection == Collection.LIST:
        return []
    if info.collection == Collection.SET:
        return set()
    if info.collection == Collection.DICTIONARY:
        return {}
    if info.is_nullable or info.type in (Type.LINK, Type.MIXED):
        return None
    make = _DEFAULTS.get(info.type)
    return make() if make else None


class AnnotationReader:
    """Reads the annotations of a class. `is_object` says whether something is a class of objects."""

    def __init__(self, is_object: Callable[[Any], bool]) -> None:
        self.is_object = is_object

    def info(self, name: str, annotation: Any, is_primary_key: bool, is_indexed: bool) -> PropertyInfo:
        """Raises TypeError for an annotation that is no type of properties."""
        collection, element = self.split(annotation)
        element, is_optional = self.without_none(element)
        kind, target, converter = self.scalar(name, element)
        is_nullable = is_optional or kind == Type.MIXED
        if kind == Type.LINK:
            is_nullable = collection in (Collection.NONE, Collection.DICTIONARY)
        return PropertyInfo(name, kind, collection, target, is_nullable, is_primary_key, is_indexed, converter=converter)

    def split(self, annotation: Any) -> "tuple[int, Any]":
        """The kind of a collection, and the type of its elements."""
        origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
        kinds = {list: Collection.LIST, set: Collection.SET, dict: Collection.DICTIONARY}
        for base, kind in kinds.items():
            if isinstance(origin, type) and origin is not Annotated and getattr(origin, "_flx_annotates", origin) is base:
                return kind, arguments[-1]
        return Collection.NONE, annotation

    @staticmethod
    def without_none(annotation: Any) -> "tuple[Any, bool]":
        if typing.get_origin(annotation) not in (typing.Union, types.UnionType):
            return annotation, False
        rest = [one for one in typing.get_args(annotation) if one is not type(None)]
        if len(rest) != 1:
            raise TypeError(f"{annotation} is no type of properties; a property of several types is Any")
        return rest[0], True

    def scalar(self, name: str, annotation: Any) -> "tuple[int, str, Any]":
        if annotation == Float32:
            return Type.FLOAT, "", None
        if annotation in _SCALARS:
            return _SCALARS[annotation], "", None
        if self.is_object(annotation):
            return Type.LINK, annotation._flx_name, None
        if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
            kinds = {type(one.value) for one in annotation.__members__.values()}
            if kinds == {int} or kinds == {str}:
                return _SCALARS[kinds.pop()], "", annotation
        raise TypeError(f"the property '{name}' cannot have the type {annotation}")


# ---- structs of C ----


def info_of(struct: Any) -> PropertyInfo:
    """A property from a `flx_property_info_t`."""
    return PropertyInfo(
        string_of(struct.name), struct.type, struct.collection, string_of(struct.link_target), struct.is_nullable,
        struct.is_primary_key, struct.is_indexed, struct.key,
    )


def _require_class(one: Any) -> None:
    if not isinstance(one, type) or not hasattr(one, "_flx_properties"):
        raise TypeError(f"expected a class that derives from Object, EmbeddedObject or AsymmetricObject, not {one!r}")


class ClassArray:
    """An array of `flx_class_info_t`, for the duration of a call."""

    def __init__(self, classes: "list[Any]") -> None:
        self._kept: "list[Any]" = []
        self.count = len(classes)
        self.array = ffi.new("flx_class_info_t[]", self.count)
        for struct, each in zip(self.array, classes):
            _require_class(each)
            infos = list(each._flx_properties().values())
            struct.name = self._text(each._flx_name)
            struct.kind = each._flx_kind
            struct.properties = self._properties(infos)
            struct.property_count = len(infos)

    def _properties(self, infos: "list[PropertyInfo]") -> Any:
        array = ffi.new("flx_property_info_t[]", len(infos))
        self._kept.append(array)
        for struct, info in zip(array, infos):
            struct.name, struct.link_target = self._text(info.name), self._text(info.link_target)
            struct.type, struct.collection = info.type, info.collection
            struct.is_nullable, struct.is_primary_key = info.is_nullable, info.is_primary_key
            struct.is_indexed = info.is_indexed
        return array

    def _text(self, string: str) -> tuple:
        result = text(string)
        self._kept.append(result)
        return result
