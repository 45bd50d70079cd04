# SPDX-License-Identifier: Apache-2.0
"""Where a value is: in a property, in an element of a list or in an entry of a dictionary. Nothing here is API.

Each kind of place offers the same calls, so that values, nested collections and embedded objects are read and written in
one way, whatever holds them.
"""

from __future__ import annotations

from typing import Any

from ._library import call, lib, own_result, scratch, text
from .enumerations import Type
from .values import read_value, value_of_property

_LIST, _DICTIONARY, _MIXED, _LINK = int(Type.LIST), int(Type.DICTIONARY), int(Type.MIXED), int(Type.LINK)


class PropertyPlace:
    __slots__ = ("arguments",)

    get, set = lib.flx_object_get, lib.flx_object_set
    set_list, set_dictionary = lib.flx_object_set_list, lib.flx_object_set_dictionary
    set_embedded = lib.flx_object_set_embedded
    get_list, get_dictionary = lib.flx_object_get_list, lib.flx_object_get_dictionary

    def __init__(self, handle: Any, key: int) -> None:
        self.arguments = (handle, key)


class ElementPlace:
    __slots__ = ("arguments",)

    get, set = lib.flx_list_get, lib.flx_list_set
    set_list, set_dictionary = lib.flx_list_set_list, lib.flx_list_set_dictionary
    set_embedded = lib.flx_list_set_embedded
    get_list, get_dictionary = lib.flx_list_get_list, lib.flx_list_get_dictionary

    def __init__(self, handle: Any, index: int) -> None:
        self.arguments = (handle, index)


class NewElementPlace(ElementPlace):
    """Before an element; what is written there is inserted."""

    __slots__ = ()

    set = lib.flx_list_insert
    set_list, set_dictionary = lib.flx_list_insert_list, lib.flx_list_insert_dictionary
    set_embedded = lib.flx_list_insert_embedded


class EntryPlace:
    __slots__ = ("arguments",)

    set = lib.flx_dictionary_set
    set_list, set_dictionary = lib.flx_dictionary_set_list, lib.flx_dictionary_set_dictionary
    set_embedded = lib.flx_dictionary_set_embedded
    get_list, get_dictionary = lib.flx_dictionary_get_list, lib.flx_dictionary_get_dictionary

    def __init__(self, handle: Any, key: str) -> None:
        self.arguments = (handle, text(key))


#: The classes of lists and dictionaries, which use places themselves.
_wrappers: "dict[str, Any]" = {}


def use_wrappers(list_class: Any, dictionary_class: Any) -> None:
    _wrappers.update(list=list_class, dictionary=dictionary_class)


def load_value(realm: Any, place: Any, value: Any, info: Any) -> Any:
    """The Python value of what was read at a place, with what is nested in it."""
    kind = value.type
    if kind == _LIST:
        return _wrappers["list"](realm, own_result("list", place.get_list, *place.arguments), info)
    if kind == _DICTIONARY:
        return _wrappers["dictionary"](realm, own_result("dictionary", place.get_dictionary, *place.arguments), info)
    result = read_value(value, realm._linked)
    return result if info.converter is None or result is None else info.converter(result)


def load(realm: Any, place: Any, info: Any) -> Any:
    """Reads a property or an element."""
    value = scratch.value
    call(place.get, *place.arguments, value)
    return load_value(realm, place, value, info)


def store(realm: Any, place: Any, info: Any, value: Any) -> None:
    """Writes a Python value to a place: what it holds if it is a collection, a new object if it is embedded.

    Objects that belong to no realm yet are added.
    """
    if info.type == _MIXED:
        if _store_nested(realm, place, info, value):
            return
    elif info.link_target and realm._is_embedded(info.link_target) and value is not None:
        handle = own_result("object", place.set_embedded, *place.arguments)
        realm._fill_embedded(info.link_target, handle, value)
        return
    if info.type in (_LINK, _MIXED):
        value = realm._own_object(value)
    out, kept = value_of_property(value, info)
    call(place.set, *place.arguments, out)
    del kept


def _store_nested(realm: Any, place: Any, info: Any, value: Any) -> bool:
    """Writes a list or dictionary to a mixed; returns False for anything else."""
    list_class, dictionary_class = _wrappers["list"], _wrappers["dictionary"]
    if isinstance(value, (list, tuple, list_class)):
        elements = list(value)
        call(place.set_list, *place.arguments)
        list_class(realm, own_result("list", place.get_list, *place.arguments), info).extend(elements)
    elif isinstance(value, (dict, dictionary_class)):
        entries = dict(value)
        call(place.set_dictionary, *place.arguments)
        dictionary_class(realm, own_result("dictionary", place.get_dictionary, *place.arguments), info).update(entries)
    else:
        return False
    return True
