# SPDX-License-Identifier: Apache-2.0
"""The classes of an open realm."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ._library import string_of
from .enumerations import ClassKind, Status
from .errors import ObjectError
from .objects import AsymmetricObject, EmbeddedObject, Field, Object
from .schema import PropertyInfo, info_of

_BASES = {int(ClassKind.EMBEDDED): EmbeddedObject, int(ClassKind.ASYMMETRIC): AsymmetricObject}


def name_of(kind: Any) -> str:
    """The name in the file of a class, which may be given by it."""
    if isinstance(kind, str):
        return kind
    if not isinstance(kind, type) or not hasattr(kind, "_flx_name"):
        raise TypeError(f"expected a class of objects or its name, not {kind!r}")
    return kind._flx_name


class Meta:
    """A class of an open realm: its keys there, and the Python class of its objects."""

    def __init__(self, struct: Any, known: "dict[str, type]") -> None:
        self.name = string_of(struct.name)
        self.key, self.kind = struct.key, struct.kind
        infos = [info_of(struct.properties[index]) for index in range(struct.property_count)]
        self.python_class: Any = known.get(self.name) or _made_class(self.name, self.kind, infos)
        declared = self.python_class._flx_properties()
        self.properties = {
            one.name: replace(one, converter=declared[one.name].converter) if one.name in declared else one for one in infos
        }
        self.primary_key = next((one for one in infos if one.is_primary_key), None)

    def property(self, name: str) -> PropertyInfo:
        if name not in self.properties:
            raise ObjectError(Status.NO_SUCH_PROPERTY, f"The class '{self.name}' has no property '{name}'.")
        return self.properties[name]


def _made_class(name: str, kind: int, infos: "list[PropertyInfo]") -> type:
    """A class for the objects of a file whose class the program does not have."""

    class Made(_BASES.get(kind, Object), name=name, is_known=False):  # type: ignore[misc, call-arg]
        pass

    Made.__name__ = Made.__qualname__ = name
    for info in infos:
        one = Field(is_primary_key=info.is_primary_key)
        one.name = info.name
        setattr(Made, info.name, one)
        Made._flx_fields[info.name] = one
    Made._flx_infos = {info.name: info for info in infos}
    return Made
