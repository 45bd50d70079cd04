# SPDX-License-Identifier: Apache-2.0
"""Classes of objects, and objects."""

from __future__ import annotations

import copy
import sys
import typing
import weakref
from typing import TYPE_CHECKING, Any, Callable, ClassVar, Optional, TypeVar

from ._library import call, callback, error_of, ffi, lib, own_result, require_function, scratch
from .changes import NotificationToken, ObjectChanges, observe_with_key_paths
from .collections import Dictionary, List, Set, fill_collection
from .enumerations import ClassKind, Collection, LinkState
from .errors import ObjectError, Status
from .places import PropertyPlace, load_value, store
from .schema import AnnotationReader, BacklinksInfo, PropertyInfo, default_of
from .values import READERS, read_value

if TYPE_CHECKING:
    from .realm import Realm
    from .results import Results

if sys.version_info >= (3, 11):
    from typing import dataclass_transform
else:

    def dataclass_transform(**_: Any) -> Callable[[Any], Any]:
        return lambda decorated: decorated


_NOTHING: Any = object()
_get = lib.flx_object_get
_COLLECTIONS: "dict[int, tuple[str, Any]]" = {
    int(Collection.LIST): ("list", List), int(Collection.SET): ("set", Set),
    int(Collection.DICTIONARY): ("dictionary", Dictionary),
}
T = TypeVar("T")


class Field:
    """A property of a class: what `field`, `primary_key`, `indexed` and plain annotations become."""

    def __init__(self, default: Any = _NOTHING, default_factory: Optional[Callable[[], Any]] = None,
                 is_primary_key: bool = False, is_indexed: bool = False) -> None:
        self.default = default
        self.default_factory = default_factory
        self.is_primary_key = is_primary_key
        self.is_indexed = is_indexed
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        managed = instance._flx_managed
        if managed is None:
            return instance._flx_unmanaged_value(self)
        return managed.get(self.name)

    def __set__(self, instance: Any, value: Any) -> None:
        managed = instance._flx_managed
        if managed is None:
            instance._flx_values[self.name] = value
        else:
            managed.set(self.name, value)

    def initial(self, info: PropertyInfo) -> Any:
        if self.default_factory:
            return self.default_factory()
        if self.default is _NOTHING:
            return default_of(info)
        # Objects must not share a collection.
        return copy.copy(self.default) if isinstance(self.default, (list, set, dict, bytearray)) else self.default

    @property
    def has_default(self) -> bool:
        return self.default_factory is not None or self.default is not _NOTHING


def field(*, default: Any = _NOTHING, default_factory: Optional[Callable[[], Any]] = None) -> Any:
    """A property with a default value, which `default_factory` makes for each object."""
    return Field(default, default_factory)


def primary_key(*, default: Any = _NOTHING, default_factory: Optional[Callable[[], Any]] = None) -> Any:
    """The primary key of a class: an int, str, ObjectId or UUID. In a synced realm it is named `_id`."""
    return Field(default, default_factory, is_primary_key=True)


def indexed(*, default: Any = _NOTHING, default_factory: Optional[Callable[[], Any]] = None) -> Any:
    """A property with an index on this device, which makes queries with it faster."""
    return Field(default, default_factory, is_indexed=True)


class _BacklinksField:
    def __init__(self, origin_class: str, origin_property: str) -> None:
        self.info = BacklinksInfo(origin_class, origin_property)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        if instance._flx_managed is None:
            return ()
        return instance._flx_managed.backlinks(self.info.origin_class, self.info.origin_property)


def backlinks(origin_class: str, origin_property: str) -> Any:
    """The objects of a class that link to this one by a property, as live results. It is no property of the file.

        class Person(Object):
            tasks: Results[Task] = backlinks("Task", "owner")
    """
    return _BacklinksField(origin_class, origin_property)


class Managed:
    """What an object of a realm has: its realm, its class there, and its handle."""

    __slots__ = ("realm", "meta", "handle")

    def __init__(self, realm: "Realm", meta: Any, handle: Any) -> None:
        self.realm, self.meta, self.handle = realm, meta, handle

    def __reduce__(self) -> Any:
        words = "can be neither pickled nor copied. Take its values, or give it to another thread by a ThreadSafeReference"
        raise TypeError(f"an object of a realm, of the class '{self.meta.name}', {words}")

    def property(self, name: str) -> PropertyInfo:
        info = self.meta.properties.get(name)
        if info is None:
            raise ObjectError(Status.NO_SUCH_PROPERTY, f"The class '{self.meta.name}' of the realm has no property '{name}'.")
        return info

    def get(self, name: str) -> Any:
        info = self.property(name)
        if info.collection:
            return self.collection(info)
        value = scratch.value
        if _get(self.handle, info.key, value, scratch.error):
            raise error_of(scratch.error)
        reader = READERS.get(value.type)
        if reader is not None and info.converter is None:
            return reader(value)
        return load_value(self.realm, PropertyPlace(self.handle, info.key), value, info)

    def collection(self, info: PropertyInfo) -> Any:
        kind, wrapper = _COLLECTIONS[info.collection]
        handle = own_result(kind, getattr(lib, "flx_object_get_" + kind), self.handle, info.key)
        return wrapper(self.realm, handle, info)

    def set(self, name: str, value: Any) -> None:
        info = self.property(name)
        if info.collection:
            fill_collection(self.collection(info), value)
        else:
            store(self.realm, PropertyPlace(self.handle, info.key), info, value)

    def backlinks(self, origin_class: Any, origin_property: str) -> "Results[Any]":
        meta = self.realm._meta(origin_class)
        key = meta.property(origin_property).key
        handle = own_result("results", lib.flx_object_get_backlinks, self.handle, meta.key, key)
        return self.realm._results(handle)


class ObjectBase:
    """What all kinds of objects have. Derive classes from `Object`, `EmbeddedObject` or `AsymmetricObject`."""

    _flx_kind: ClassVar[int] = ClassKind.TOP_LEVEL
    _flx_name: ClassVar[str] = ""
    _flx_fields: ClassVar["dict[str, Field]"] = {}
    _flx_infos: ClassVar["Optional[dict[str, PropertyInfo]]"] = None
    _flx_known: ClassVar["weakref.WeakValueDictionary[str, type]"] = weakref.WeakValueDictionary()

    def __init_subclass__(cls, name: Optional[str] = None, is_known: bool = True, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls._flx_name = name or cls.__name__
        cls._flx_infos = None
        cls._flx_fields = dict(cls._flx_fields)
        for attribute, annotation in _own_annotations(cls).items():
            given = cls.__dict__.get(attribute, _NOTHING)
            if _is_class_variable(annotation) or isinstance(given, _BacklinksField):
                continue
            one = given if isinstance(given, Field) else Field(given)
            one.name = attribute
            setattr(cls, attribute, one)
            cls._flx_fields[attribute] = one
        if is_known:
            ObjectBase._flx_known[cls.__name__] = cls

    @classmethod
    def _flx_properties(cls) -> "dict[str, PropertyInfo]":
        """The properties by name. Raises TypeError for an annotation that is no type of properties."""
        if cls._flx_infos is None:
            try:
                hints = typing.get_type_hints(cls, localns=cls._flx_names(), include_extras=True)
            except NameError as error:
                words = f"the annotations of {cls.__name__} need '{error.name}', which its module does not have"
                raise TypeError(words) from error
            reader = AnnotationReader(lambda one: isinstance(one, type) and issubclass(one, ObjectBase))
            cls._flx_infos = {
                each: reader.info(each, hints[each], one.is_primary_key, one.is_indexed)
                for each, one in cls._flx_fields.items()
            }
        return cls._flx_infos

    @classmethod
    def _flx_names(cls) -> "dict[str, Any]":
        """The names that annotations may use: those of the modules of the class, and classes that functions define."""
        names = dict(vars(typing), **ObjectBase._flx_known)
        for base in reversed(cls.__mro__):
            names.update(vars(sys.modules.get(base.__module__, typing)))
        return names

    def __init__(self, **values: Any) -> None:
        self._flx_managed: Optional[Managed] = None
        self._flx_values: "dict[str, Any]" = {}
        for name, value in values.items():
            if name not in self._flx_fields:
                raise TypeError(f"{type(self).__name__} has no property '{name}'")
            self._flx_values[name] = value
        for name, one in self._flx_fields.items():
            if name not in values and one.has_default:
                self._flx_values[name] = one.initial(self._flx_properties()[name])

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in self._flx_fields or name.startswith("_") or hasattr(type(self), name)):
            # It would be kept in memory, until this instance goes, and never in the realm.
            words = "Annotate a property in the class; the name of what is not stored begins with an underscore."
            raise AttributeError(f"{type(self).__name__} has no property '{name}'. {words}")
        object.__setattr__(self, name, value)

    def _flx_unmanaged_value(self, one: Field) -> Any:
        if one.name not in self._flx_values:
            self._flx_values[one.name] = default_of(self._flx_properties()[one.name])
        return self._flx_values[one.name]

    def _flx_bind(self, managed: Managed) -> None:
        """Makes this the object of a handle."""
        # Past `__setattr__`: this happens for each object that is read.
        attributes = self.__dict__
        attributes["_flx_managed"] = managed
        attributes["_flx_values"] = {}

    @classmethod
    def _flx_of(cls, managed: Managed) -> Any:
        instance = cls.__new__(cls)
        instance._flx_bind(managed)
        return instance

    def _flx_link(self) -> Any:
        return lib.flx_object_link(self._flx_live().handle)

    def _flx_live(self) -> Managed:
        if self._flx_managed is None:
            raise ObjectError(Status.OBJECT_INVALIDATED, f"This {type(self).__name__} has not been added to a realm.")
        return self._flx_managed

    @property
    def realm(self) -> "Optional[Realm]":
        """The realm of the object; None if it was not added to one."""
        return self._flx_managed.realm if self._flx_managed else None

    @property
    def is_valid(self) -> bool:
        """Whether the object is in no realm, or still exists there."""
        managed = self._flx_managed
        if managed is None:
            return True
        if managed.realm.is_closed:
            return False
        managed.realm._check_thread()
        return lib.flx_object_is_valid(managed.handle)

    def __repr__(self) -> str:
        if not self.is_valid:
            return f"<{type(self).__name__} (deleted)>"
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._flx_fields)
        return f"{type(self).__name__}({values})"

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        mine, theirs = self._flx_managed, getattr(other, "_flx_managed", None)
        if mine is None or theirs is None or mine.realm.path != theirs.realm.path:
            return False
        return _row(mine) == _row(theirs)

    def __hash__(self) -> int:
        return hash(_row(self._flx_managed)) if self._flx_managed else object.__hash__(self)


def _row(managed: Managed) -> "tuple[str, int]":
    return managed.meta.name, lib.flx_object_link(managed.handle).row


def _own_annotations(cls: type) -> "dict[str, Any]":
    """The annotations of a class without those of its bases; names that are not known yet stay as they are."""
    if sys.version_info >= (3, 14):
        import annotationlib

        return annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF)
    return cls.__dict__.get("__annotations__", {})


def _is_class_variable(annotation: Any) -> bool:
    if isinstance(annotation, str):
        return annotation.startswith(("ClassVar", "typing.ClassVar"))
    return typing.get_origin(annotation) is ClassVar or annotation is ClassVar


class _Readable(ObjectBase):
    """Objects that are kept on the device."""

    def observe(self, callback_function: Callable[[ObjectChanges], None], *key_paths: str) -> NotificationToken:
        """Calls a function with each change of the object, until the token is closed.

        With key paths such as "owner.name", only changes at their ends are reported. The function is called on the thread
        of the realm, in `refresh` and at the beginning and end of write transactions.
        Raises ObjectError if the object was deleted, or for a path that leads nowhere.
        """
        require_function(callback_function)
        managed = self._flx_live()
        names = {info.key: name for name, info in managed.meta.properties.items()}

        def changed(changes: Any) -> None:
            callback_function(ObjectChanges._of(changes, names, key_paths, managed.realm._linked))

        arguments = callback("object_observer", changed)
        handle = observe_with_key_paths(lib.flx_object_observe_key_paths, managed.handle, key_paths, arguments)
        return managed.realm._token(handle)

    def backlinks(self, origin_class: "type[T] | str", origin_property: str) -> "Results[T]":
        """The objects of a class that link to this one by a property, as live results, in the order of insertion."""
        return self._flx_live().backlinks(origin_class, origin_property)

    def link_state(self, name: str) -> "tuple[LinkState, Any]":
        """Whether a link is null, or where it leads, also if that object is not on this device; with its primary key."""
        managed = self._flx_live()
        state, key = ffi.new("flx_link_state_t *"), scratch.value
        call(lib.flx_object_get_link_state, managed.handle, managed.property(name).key, state, key)
        return LinkState(state[0]), read_value(key)

    def increment(self, name: str, by: int = 1) -> None:
        """Adds to an int such that concurrent additions on several devices add up."""
        managed = self._flx_live()
        call(lib.flx_object_add_integer, managed.handle, managed.property(name).key, by)


@dataclass_transform(kw_only_default=True, field_specifiers=(field, primary_key, indexed))
class Object(_Readable):
    """The base of classes of objects.

        class Task(Object):
            _id: ObjectId = primary_key(default_factory=ObjectId)
            taskName: str
            assignee: str | None
            labels: set[str]

    Annotations say what a property holds: bool, int, float (64 bits), `Float32`, str, bytes, datetime, Decimal, ObjectId,
    UUID, an enumeration of ints or strs, `Any` for mixed values; another class of objects, as a link that may be None; and
    `list[…]`, `set[…]` and `dict[str, …]` of these. `… | None` makes a value optional.

    `Task(taskName="…")` makes an object that belongs to no realm until `Realm.add`. From then on its properties are those
    in the file: reading them shows the newest data of the realm, and setting them needs a write transaction.

    Thread: that of the realm. Reading a property raises ObjectError with OBJECT_INVALIDATED if the object was deleted.
    """


@dataclass_transform(kw_only_default=True, field_specifiers=(field, primary_key, indexed))
class EmbeddedObject(_Readable):
    """The base of classes of objects that live inside other objects, have no primary key, and are deleted with them.

    Assigning one to a property, or adding it to a list or dictionary, creates a new embedded object with its values.
    """

    _flx_kind = ClassKind.EMBEDDED


@dataclass_transform(kw_only_default=True, field_specifiers=(field, primary_key, indexed))
class AsymmetricObject(ObjectBase):
    """The base of classes of objects that are uploaded and not kept on the device: they are added, and that is all."""

    _flx_kind = ClassKind.ASYMMETRIC
