# SPDX-License-Identifier: Apache-2.0
"""Lists, sets and dictionaries of objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping, MutableSequence, MutableSet
from typing import TYPE_CHECKING, Any, Callable, Generic, TypeVar, overload

from ._library import call, call_flag, call_size, callback, ffi, lib, own_result, require_function, scratch, string_of, text
from .changes import ChangeStream, CollectionChanges, DictionaryChanges, NotificationToken, observe_with_key_paths
from .enumerations import Type
from .errors import ElementIndexError
from .places import ElementPlace, EntryPlace, NewElementPlace, load, load_value, store, use_wrappers
from .values import name_of_type, value_of_property

if TYPE_CHECKING:
    from .results import Results

T = TypeVar("T")
_ABSENT = 2 ** (8 * ffi.sizeof("size_t")) - 1


def fill_collection(collection: Any, value: Any) -> None:
    """Gives a collection other contents: what assigning to its property does."""
    elements = _contents(collection, value)
    collection.clear()
    if isinstance(collection, List):
        collection.extend(elements)
    elif isinstance(collection, Set):
        for element in elements:
            collection.add(element)
    else:
        collection.update(elements)


def _contents(collection: Any, value: Any) -> Any:
    """What a collection is to contain. Raises TypeError for what does not fit before anything is changed."""
    info = collection._info
    is_dictionary = isinstance(collection, Dictionary)
    # The characters of a text, and the keys of a dictionary, are hardly meant.
    if isinstance(value, (str, bytes, bytearray)) or isinstance(value, Mapping) != is_dictionary or not isinstance(value, Iterable):
        kind = "dict" if is_dictionary else "list" if isinstance(collection, List) else "set"
        raise TypeError(f"the property '{info.name}': expected a {kind} or another {_KINDS[kind]}, not {name_of_type(value)}")
    contents: Any = dict(value) if is_dictionary else list(value)
    if info.type not in (Type.LINK, Type.MIXED):
        for one in contents.values() if is_dictionary else contents:
            value_of_property(one, info)
    return contents


_KINDS = {"list": "iterable of the elements", "set": "iterable of the elements", "dict": "mapping"}


class _Collection:
    """What the three kinds share: a handle, the realm, and what the elements are."""

    _flx_kind: str
    __slots__ = ("_handle", "_realm", "_info", "__weakref__")

    def __init__(self, realm: Any, handle: Any, info: Any) -> None:
        self._realm, self._handle, self._info = realm, handle, info

    def _function(self, name: str) -> Any:
        return getattr(lib, f"flx_{self._flx_kind}_{name}")

    def __len__(self) -> int:
        return call_size(self._function("count"), self._handle)

    def clear(self) -> None:
        """Removes everything. Needs a write transaction."""
        call(self._function("clear"), self._handle)

    def results(self) -> "Results[Any]":
        """The objects of a collection of links as live results, to be filtered and sorted. ObjectError for other elements."""
        return self._realm._results(own_result("results", self._function("get_results"), self._handle))

    def _observe(self, kind: str, convert: Callable[[Any], Any], told: Callable[[Any], None],
                 paths: Any) -> NotificationToken:
        require_function(told)
        arguments = callback(kind, lambda changes: told(convert(changes)))
        handle = observe_with_key_paths(self._function("observe_key_paths"), self._handle, paths, arguments)
        return self._realm._token(handle)


class List(_Collection, MutableSequence, Generic[T]):
    """The live list of a property, or one in a mixed value. Changing it needs a write transaction.

    Thread: that of the realm. Raises ObjectError with OBJECT_INVALIDATED once its object was deleted.
    """

    _flx_kind = "list"
    _flx_annotates = list
    __slots__ = ()

    def _index(self, index: int) -> int:
        count = len(self) if index < 0 else 0
        if index + count < 0:
            raise IndexError("the index is out of bounds")
        return index + count

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> "list[T]": ...

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        return load(self._realm, ElementPlace(self._handle, self._index(index)), self._info)

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            raise TypeError("elements of a list are replaced one by one")
        store(self._realm, ElementPlace(self._handle, self._index(index)), self._info, value)

    def __delitem__(self, index: Any) -> None:
        if isinstance(index, slice):
            for each in sorted(range(*index.indices(len(self))), reverse=True):
                del self[each]
            return
        call(lib.flx_list_erase, self._handle, self._index(index))

    def insert(self, index: int, value: T) -> None:
        """Inserts an element; beyond the ends, like a Python list, at the end."""
        count = len(self)
        position = max(0, index + count) if index < 0 else min(index, count)
        store(self._realm, NewElementPlace(self._handle, position), self._info, value)

    def extend(self, values: Iterable[T]) -> None:
        """Appends elements."""
        # Another view may be of the same list, which would grow while it is read.
        for one in list(values) if isinstance(values, List) else values:
            self.append(one)

    def __iadd__(self, values: Iterable[T]) -> "List[T]":
        self.extend(values)
        return self

    def move(self, source: int, destination: int) -> None:
        """Moves an element, which ends up at `destination`; a concurrent change of it by another device is kept."""
        call(lib.flx_list_move, self._handle, self._index(source), self._index(destination))

    def __iter__(self) -> Iterator[T]:
        index = 0
        while True:
            try:
                element = self[index]
            except ElementIndexError:
                return
            yield element
            index += 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (List, list, tuple)) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"List({list(self)!r})"

    def observe(self, function: Callable[[CollectionChanges], None], *key_paths: str) -> NotificationToken:
        """Calls a function with each change, until the token is closed; see `Object.observe` for key paths and thread."""
        return self._observe("collection_observer", CollectionChanges._of, function, key_paths)

    def changes(self, *key_paths: str) -> "ChangeStream[CollectionChanges]":
        """The changes as an asynchronous iterator."""
        return ChangeStream(self._realm, lambda told: self.observe(told, *key_paths))


class Set(_Collection, MutableSet, Generic[T]):
    """The live set of a property, ordered by value. Changing it needs a write transaction. Thread: that of the realm."""

    _flx_kind = "set"
    _flx_annotates = set
    __slots__ = ()

    @classmethod
    def _from_iterable(cls, elements: Iterable[Any]) -> "set[Any]":
        return set(elements)

    def _value(self, value: Any) -> tuple:
        return value_of_property(self._realm._own_object(value) if self._info.type in (Type.LINK, Type.MIXED) else value, self._info)

    def __contains__(self, value: object) -> bool:
        try:
            out, kept = value_of_property(value, self._info)
        except (TypeError, ValueError, OverflowError):
            return False
        index = call_size(lib.flx_set_find, self._handle, out)
        del kept
        return index != _ABSENT

    def __iter__(self) -> Iterator[T]:
        index = 0
        while True:
            value = scratch.value
            try:
                call(lib.flx_set_get, self._handle, index, value)
            except ElementIndexError:
                return
            yield load_value(self._realm, None, value, self._info)
            index += 1

    def add(self, value: T) -> None:
        """Adds an element, unless the set contains it."""
        out, kept = self._value(value)
        call_flag(lib.flx_set_insert, self._handle, out)
        del kept

    def discard(self, value: T) -> None:
        """Removes an element if the set contains it."""
        out, kept = value_of_property(value, self._info)
        call_flag(lib.flx_set_erase, self._handle, out)
        del kept

    def __repr__(self) -> str:
        return f"Set({list(self)!r})"

    def observe(self, function: Callable[[CollectionChanges], None], *key_paths: str) -> NotificationToken:
        """Calls a function with each change, until the token is closed; see `Object.observe` for key paths and thread."""
        return self._observe("collection_observer", CollectionChanges._of, function, key_paths)

    def changes(self, *key_paths: str) -> "ChangeStream[CollectionChanges]":
        """The changes as an asynchronous iterator."""
        return ChangeStream(self._realm, lambda told: self.observe(told, *key_paths))


class Dictionary(_Collection, MutableMapping, Generic[T]):
    """The live dictionary of a property, or one in a mixed value, ordered by the bytes of its keys, which are text.

    Changing it needs a write transaction. Thread: that of the realm.
    """

    _flx_kind = "dictionary"
    _flx_annotates = dict
    __slots__ = ()

    def __getitem__(self, key: str) -> T:
        value, is_there = scratch.value, scratch.flag
        place = EntryPlace(self._handle, key)
        call(lib.flx_dictionary_get, *place.arguments, value, is_there)
        if not is_there[0]:
            raise KeyError(key)
        return load_value(self._realm, place, value, self._info)

    def __setitem__(self, key: str, value: T) -> None:
        store(self._realm, EntryPlace(self._handle, key), self._info, value)

    def __delitem__(self, key: str) -> None:
        if not call_flag(lib.flx_dictionary_erase, self._handle, text(key)):
            raise KeyError(key)

    def __contains__(self, key: object) -> bool:
        if not isinstance(key, str):
            return False
        is_there = scratch.flag
        call(lib.flx_dictionary_get, self._handle, text(key), scratch.value, is_there)
        return is_there[0]

    def __iter__(self) -> Iterator[str]:
        out = ffi.new("flx_string_t *")
        index = 0
        while True:
            try:
                call(lib.flx_dictionary_get_at, self._handle, index, out, ffi.NULL)
            except ElementIndexError:
                return
            yield string_of(out)
            index += 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mapping) and dict(self) == dict(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Dictionary({dict(self)!r})"

    def observe(self, function: Callable[[DictionaryChanges], None], *key_paths: str) -> NotificationToken:
        """Calls a function with each change, until the token is closed; see `Object.observe` for key paths and thread."""
        return self._observe("dictionary_observer", DictionaryChanges._of, function, key_paths)

    def changes(self, *key_paths: str) -> "ChangeStream[DictionaryChanges]":
        """The changes as an asynchronous iterator."""
        return ChangeStream(self._realm, lambda told: self.observe(told, *key_paths))


use_wrappers(List, Dictionary)
