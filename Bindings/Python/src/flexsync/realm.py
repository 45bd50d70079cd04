# SPDX-License-Identifier: Apache-2.0
"""Realms: opening, transactions, objects, refreshing and notifications."""

from __future__ import annotations

import asyncio
import contextlib
import weakref
from concurrent.futures import Future
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, AsyncIterator, Callable, Iterator, Optional, Sequence, TypeVar

from ._library import (
    FlexSyncError, call, call_flag, callback, error_of, ffi, finished, lib, milliseconds, own, own_result, require, require_function,
    scratch, settle, started, string_of, text, texts, wait,
)
from .changes import ChangeStream, NotificationToken
from .classes import Meta, name_of
from .configuration import Configuration, ConfigurationStruct, configuration_of
from .enumerations import ClassKind, Download, Status, Type
from .errors import ObjectError, SubscriptionError, UsageError
from .objects import Managed, ObjectBase
from .results import Results, ThreadSafeReference
from .schema import ClassArray, PropertyInfo
from .subscriptions import SubscriptionSet
from .values import Arguments, name_of_type, new_value, value_of_property

if TYPE_CHECKING:
    from .rejected import RejectedWrites
    from .session import Session

T = TypeVar("T")
O = TypeVar("O", bound=ObjectBase)
#: How long a call of the library waits for changes at a time, in ms.
_SLICE = 200


class Realm:
    """An open realm: objects in a file of this device, which may sync with a server.

        with Realm.open(path="tasks.realm", classes=[Task]) as realm:
            with realm.write():
                realm.add(Task(taskName="Write the report"))
            for task in realm.objects(Task).where("completed == false"):
                print(task.taskName)

    Thread: a realm and everything obtained from it may be used by one thread at a time; other threads open their own, and
    get objects with `ThreadSafeReference`. While one thread is in a call or a transaction, others get ObjectError with
    WRONG_THREAD. All functions can raise FileError if the file cannot be read or written, and ObjectError with
    OBJECT_INVALIDATED once the realm is closed.
    """

    def __init__(self, handle: Any, configuration: Configuration, is_borrowed: bool = False) -> None:
        self._pointer: Any = handle
        self._is_borrowed = is_borrowed
        self.configuration = configuration
        """How the realm was opened."""
        self.path: str = string_of(lib.flx_realm_path(handle))
        """The path of the file."""
        self._known: "dict[str, Any]" = {name_of(one): one for one in configuration.classes or ()}
        self._metas: "dict[str, Meta]" = {}
        self._metas_by_key: "dict[int, Meta]" = {}
        self._read_classes()
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._streams: "weakref.WeakSet[ChangeStream[Any]]" = weakref.WeakSet()
        self._probe = ffi.new("flx_class_info_t *")

    # ---- opening and closing ----

    @staticmethod
    def open(configuration: Optional[Configuration] = None, *, download: Download = Download.LOCAL,
             timeout: Optional[float] = None, **options: Any) -> "Realm":
        """Opens a realm: `Realm.open(path="tasks.realm", classes=[Task])`. The options are those of `Configuration`.

        With a user, sync starts in the background, and no network is needed unless `download` waits for the server, for at
        most `timeout` seconds. Raises FileError, ObjectError with SCHEMA_MISMATCH or INVALID_SCHEMA_VERSION, AppError with
        USER_LOGGED_OUT, and what the given functions raise. Thread: any; it becomes the realm's.
        """
        chosen = configuration_of(configuration, options)
        if download != Download.LOCAL:
            wait(_downloaded(chosen, download, timeout), _driver_of(chosen))
        return Realm._opened(chosen)

    @staticmethod
    async def open_async(configuration: Optional[Configuration] = None, *, download: Download = Download.LOCAL,
                         timeout: Optional[float] = None, **options: Any) -> "Realm":
        """`open` for asyncio. The realm then refreshes itself, and tells its observers, in the running loop."""
        chosen = configuration_of(configuration, options)
        if download != Download.LOCAL:
            await finished(_downloaded(chosen, download, timeout), _driver_of(chosen))
        realm = Realm._opened(chosen)
        realm.refresh_in(asyncio.get_running_loop())
        return realm

    @staticmethod
    def _opened(configuration: Configuration) -> "Realm":
        struct = ConfigurationStruct(configuration)
        try:
            handle = own_result("realm", lib.flx_realm_open, struct.struct)
        except FlexSyncError:
            struct.raise_error_of_callback()
            raise
        realm = Realm(handle, configuration)
        if struct.error is not None:
            realm.close()
            struct.raise_error_of_callback()
        return realm

    @staticmethod
    def _borrowed(handle: Any, classes: "Optional[Sequence[type]]") -> "Realm":
        """A realm that the library lends to a callback; used in `with`, after which it is closed for the program."""
        return Realm(handle, Configuration(classes=classes), is_borrowed=True)

    def close(self) -> None:
        """Closes the realm, and cancels an open transaction. Its objects and results become invalid.

        Raises ObjectError with WRONG_THREAD while another thread uses the realm.
        """
        if self._pointer is not None:
            self._check_thread()
        for stream in list(self._streams):
            stream.close()
        handle, self._pointer = self._pointer, None
        if handle is not None and not self._is_borrowed:
            ffi.release(handle)

    def __enter__(self) -> "Realm":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    @property
    def is_closed(self) -> bool:
        """Whether the realm was closed."""
        return self._pointer is None

    @property
    def _handle(self) -> Any:
        if self._pointer is None:
            raise ObjectError(Status.OBJECT_INVALIDATED, f"The realm {self.path} is closed.")
        return self._pointer

    def _check_thread(self) -> None:
        """Raises ObjectError with WRONG_THREAD where a function of C without a status would end the process."""
        if lib.flx_realm_class_at(self._handle, 0, self._probe, scratch.error) == Status.WRONG_THREAD:
            raise error_of(scratch.error)

    @property
    def _driver(self) -> Any:
        return _driver_of(self.configuration)

    @property
    def is_synced(self) -> bool:
        """Whether the realm was opened with a user."""
        return lib.flx_realm_is_synced(self._handle)

    # ---- classes ----

    def _read_classes(self) -> None:
        struct = ffi.new("flx_class_info_t *")
        for index in range(lib.flx_realm_class_count(self._handle)):
            call(lib.flx_realm_class_at, self._handle, index, struct)
            meta = Meta(struct, self._known)
            self._metas[meta.name] = self._metas_by_key[meta.key] = meta

    def _meta(self, kind: Any) -> Meta:
        """A class by name or as a Python class. Raises ObjectError with NO_SUCH_CLASS."""
        name = name_of(kind)
        if name not in self._metas:
            raise ObjectError(Status.NO_SUCH_CLASS, f"The realm has no class '{name}'.")
        return self._metas[name]

    def _meta_of(self, key: int) -> Meta:
        return self._metas_by_key[key]

    @property
    def classes(self) -> "dict[str, type]":
        """The classes of the realm by name."""
        return {name: meta.python_class for name, meta in self._metas.items()}

    @property
    def schema(self) -> "dict[str, dict[str, PropertyInfo]]":
        """The properties of the classes of the realm, by the names of both."""
        return {name: dict(meta.properties) for name, meta in self._metas.items()}

    def add_classes(self, *classes: type) -> None:
        """Adds classes and their properties to an open realm. Raises ObjectError with SCHEMA_MISMATCH."""
        array = ClassArray(list(classes))
        call(lib.flx_realm_add_classes, self._handle, array.array, array.count)
        self._known.update({name_of(one): one for one in classes})
        self._read_classes()

    # ---- transactions ----

    @contextlib.contextmanager
    def write(self) -> Iterator["Realm"]:
        """A write transaction: committed at the end of the block, or undone if the block raises.

        It waits for other writers. Once it is committed, what was written survives the end of the process at any moment; it
        is uploaded in the background. Raises ObjectError with IN_WRITE_TRANSACTION, FileError with BUSY after 60 seconds,
        and SessionError with WRITE_REJECTED (see `Configuration.refuse_unsubscribed_objects`).
        """
        self._begin_write()
        with self._open_write():
            yield self

    @contextlib.asynccontextmanager
    async def write_async(self) -> AsyncIterator["Realm"]:
        """`write` for asyncio, which waits for other writers of this process without blocking the loop."""
        turn: Future = Future()
        arguments = callback("write_turn", lambda: settle(turn))
        token = NotificationToken(own_result("notification_token", lib.flx_realm_request_write, self._handle, *arguments))
        with token:
            await finished(turn)
            self._begin_write()
        with self._open_write():
            yield self

    def _begin_write(self) -> None:
        """`begin_write`, which leaves no transaction open if Ctrl-C arrives while it waits for other writers."""
        try:
            self.begin_write()
        except FlexSyncError:
            raise
        except BaseException:
            if self.is_in_write:
                self.cancel_write()
            raise

    @contextlib.contextmanager
    def _open_write(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            if not self.is_closed and self.is_in_write:
                self.cancel_write()
            raise
        if self.is_in_write:
            self.commit_write()

    def begin_write(self) -> None:
        """Begins a transaction, to be ended by `commit_write` or `cancel_write`. `write` is easier."""
        call(lib.flx_realm_begin_write, self._handle)

    def commit_write(self, without_notifying: "Sequence[NotificationToken]" = ()) -> None:
        """Commits the transaction, without telling the observers of some tokens. On failure nothing takes effect."""
        tokens = [one._handle for one in without_notifying if one._handle is not None]
        if tokens:
            array = ffi.new("flx_notification_token_t *[]", tokens)
            call(lib.flx_realm_commit_write_silently, self._handle, array, len(tokens))
        else:
            call(lib.flx_realm_commit_write, self._handle)

    def cancel_write(self) -> None:
        """Undoes everything since `begin_write`."""
        call(lib.flx_realm_cancel_write, self._handle)

    @property
    def is_in_write(self) -> bool:
        """Whether a write transaction is open."""
        self._check_thread()
        return lib.flx_realm_is_in_write(self._handle)

    # ---- objects ----

    def objects(self, kind: "type[T] | str") -> "Results[T]":
        """All objects of a class, in the order of insertion, as live results."""
        return self._results(own_result("results", lib.flx_results_create, self._handle, self._meta(kind).key))

    def check_query(self, kind: "type | str", query: str, *arguments: Any, is_for_sync: bool = False,
                    queryable_fields: Optional[Sequence[str]] = None) -> str:
        """Checks that a query fits a class, without running it, and returns its canonical text with sort and limit.

        With `is_for_sync`, also whether a server would accept it for a subscription, if the fields that subscriptions may
        use are `queryable_fields`, or all. Raises QueryError.
        """
        values = Arguments(arguments)
        meta = self._meta(kind)
        one = own_result("query", lib.flx_query_create, self._handle, meta.key, text(query), values.array, values.count)
        if is_for_sync or queryable_fields is not None:
            array, count, kept = texts(list(queryable_fields or ()))
            call(lib.flx_query_validate_for_sync, one, ffi.NULL if queryable_fields is None else array, count)
            del kept
        return string_of(lib.flx_query_canonical(one))

    def find(self, kind: "type[T] | str", key: Any) -> Optional[T]:
        """The object with a primary key, or None."""
        meta = self._meta(kind)
        if meta.primary_key is None:
            raise UsageError(Status.INVALID_ARGUMENT, f"Objects of the class '{meta.name}' have no primary key to find them by.")
        value, kept = value_of_property(key, meta.primary_key)
        handle = own_result("object", lib.flx_object_find, self._handle, meta.key, value)
        del kept
        return None if handle is None else self._wrap(meta.key, handle)

    def add(self, one: O, update: bool = False) -> O:
        """Adds an object, and those to which it links; from then on it is the object in the realm. Returns it.

        With `update`, an object with the same primary key gets its values instead of an error. Needs a write transaction.
        Raises ObjectError with DUPLICATE_PRIMARY_KEY, and SubscriptionError with NO_SUBSCRIPTION_FOR_WRITE.
        """
        if not isinstance(one, ObjectBase):
            raise TypeError(f"expected an object of a class of the realm, not {name_of_type(one)}")
        if one._flx_managed is not None:
            if one._flx_managed.realm is not self:
                raise ObjectError(Status.INVALID_ARGUMENT, "The object belongs to another realm.")
            return one
        meta = self._meta(type(one))
        if meta.kind == ClassKind.EMBEDDED:
            words = f"Objects of the embedded class '{meta.name}' exist only inside others: assign one to a property, or add it to a list."
            raise UsageError(Status.INVALID_ARGUMENT, words)
        key_name = meta.primary_key.name if meta.primary_key else None
        values = dict(one._flx_values)
        handle, is_new = self._created(meta, values.pop(key_name, None) if key_name else None, update)
        managed, given = Managed(self, meta, handle), one._flx_values
        one._flx_bind(managed)
        try:
            for name, value in values.items():
                managed.set(name, value)
        except BaseException:
            one._flx_managed, one._flx_values = None, given
            if is_new and meta.kind == ClassKind.TOP_LEVEL:
                call(lib.flx_object_delete, handle)
            raise
        return one

    def add_all(self, objects: "Iterable[ObjectBase]", update: bool = False) -> None:
        """Adds several objects."""
        for one in objects:
            self.add(one, update)

    def _created(self, meta: Meta, key: Any, update: bool) -> "tuple[Any, bool]":
        """The handle of an object with a primary key, and whether it is new."""
        if meta.primary_key and key is None and not meta.primary_key.is_nullable:
            words = f"The primary key '{meta.primary_key.name}' of {meta.name} has no value."
            raise ObjectError(Status.NULL_NOT_ALLOWED, words)
        value, kept = value_of_property(key, meta.primary_key) if meta.primary_key else new_value(None, Type.NULL)
        try:
            return own_result("object", lib.flx_object_create, self._handle, meta.key, value), True
        except ObjectError as error:
            if not update or error.status != Status.DUPLICATE_PRIMARY_KEY:
                raise
            return own_result("object", lib.flx_object_find, self._handle, meta.key, value), False
        finally:
            del kept

    def delete(self, one: Any) -> None:
        """Deletes an object, or the objects of results, a list or another sequence. Needs a write transaction."""
        if isinstance(one, ObjectBase):
            call(lib.flx_object_delete, one._flx_live().handle)
        elif isinstance(one, Results):
            one.delete_all()
        elif isinstance(one, Iterable) and not isinstance(one, (str, bytes)):
            for each in list(one):
                self.delete(each)
        else:
            raise TypeError(f"expected an object of the realm, or objects, not {name_of_type(one)}")

    def insert(self, kind: "type | str", columns: "dict[str, Sequence[Any]]") -> int:
        """Creates many objects at once from columns of values by property, and returns their number: the fastest way.

            realm.insert(Task, {"_id": ids, "taskName": names})

        Columns may be sequences of Python values or arrays of numbers (anything with the buffer protocol). If an object
        cannot be created, the call ends there; cancel the transaction to undo those before it.
        """
        from .columns import insert_columns

        return insert_columns(self, self._meta(kind), columns)

    def _results(self, handle: Any) -> "Results[Any]":
        return Results(self, handle)

    def _wrap(self, class_key: int, handle: Any) -> Any:
        meta = self._metas_by_key[class_key]
        return meta.python_class._flx_of(Managed(self, meta, handle))

    def _linked(self, link: Any) -> Any:
        """The object of a link, or None if it does not exist any more."""
        class_key = link.target_class
        handle = own_result("object", lib.flx_object_get_linked, self._handle, link)
        return None if handle is None else self._wrap(class_key, handle)

    def _own_object(self, value: Any) -> Any:
        """The value itself; an object that belongs to no realm is added first."""
        if isinstance(value, ObjectBase) and value._flx_managed is None:
            return self.add(value)
        return value

    def _is_embedded(self, name: str) -> bool:
        return self._meta(name).kind == ClassKind.EMBEDDED

    def _fill_embedded(self, name: str, handle: Any, value: Any) -> None:
        """Gives a new embedded object the values of a Python object, which becomes it, or of a copy."""
        meta = self._meta(name)
        managed = Managed(self, meta, handle)
        if isinstance(value, dict):
            values = value
        elif value._flx_managed is None:
            values = value._flx_values
            value._flx_bind(managed)
        else:
            values = {each: value._flx_managed.get(each) for each in meta.properties}
        for each, inside in values.items():
            managed.set(each, inside)

    # ---- newest data ----

    def refresh(self) -> bool:
        """Advances to the newest data and tells observers; returns whether the data has changed.

        It also picks up what other processes wrote to a local realm.
        """
        return call_flag(lib.flx_realm_refresh, self._handle)

    def refresh_in(self, loop: asyncio.AbstractEventLoop) -> None:
        """Makes the realm refresh itself in an asyncio loop, on whose thread it must then be used."""
        # The callback must not keep the realm open.
        reference = weakref.ref(self)

        def refresh() -> None:
            realm = reference()
            if realm is not None and not realm.is_closed and not realm.is_in_write:
                realm.refresh()

        def changed() -> None:
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(refresh)

        lib.flx_realm_set_changed_callback(self._handle, *callback("realm_changed", changed))
        self._loop = loop

    def _token(self, handle: Any) -> NotificationToken:
        """The token of a new observer, whose first call is due at the next refresh."""
        if self._loop is not None:
            self._loop.call_soon(self._notify)
        return NotificationToken(handle, self)

    def _notify(self) -> None:
        if not self.is_closed:
            call(lib.flx_realm_notify, self._handle, ffi.NULL)

    def wait_for_change(self, timeout: Optional[float] = None) -> bool:
        """Blocks until there is newer data, for at most `timeout` seconds. Returns whether there is; it does not refresh."""
        # In slices, since Python notices Ctrl-C only between calls of the library.
        left = milliseconds(timeout) or None
        while True:
            part = _SLICE if left is None else min(left, _SLICE)
            if call_flag(lib.flx_realm_wait_for_change, self._handle, part):
                return True
            if left is not None:
                left -= part
                if left <= 0:
                    return False

    def on_change(self, function: Optional[Callable[[], None]]) -> None:
        """Sets a function for when newer data exists: it should make the realm's thread refresh. None removes it.

        It is called on any thread, and must not use the realm.
        """
        lib.flx_realm_set_changed_callback(self._handle, *callback("realm_changed", function))

    def observe(self, function: Callable[["Realm"], None]) -> NotificationToken:
        """Calls a function with the realm after each change of it, until the token is closed. Thread: the realm's."""
        require_function(function)
        reference = weakref.ref(self)

        def changed(_: Any) -> None:
            realm = reference()
            if realm is not None:
                function(realm)

        arguments = callback("realm_observer", changed)
        return self._token(own_result("notification_token", lib.flx_realm_observe, self._handle, *arguments))

    @property
    def version(self) -> int:
        """A number that increases with each change to the data that this realm shows."""
        self._check_thread()
        return lib.flx_realm_version(self._handle)

    # ---- versions of the data, and threads ----

    def freeze(self) -> "Realm":
        """A realm that stays on the data that this one shows, and serves all threads. Close it when it is not needed."""
        handle = own_result("realm", lib.flx_realm_freeze, self._handle)
        return Realm(handle, self.configuration)

    @property
    def is_frozen(self) -> bool:
        """Whether the realm stays on its data."""
        return lib.flx_realm_is_frozen(self._handle)

    def resolve(self, reference: ThreadSafeReference) -> Any:
        """What a reference stands for, in this realm; None if it was deleted."""
        kind = require(ThreadSafeReference, reference, "a ThreadSafeReference")._kind
        handle = own_result(kind, getattr(lib, "flx_realm_resolve_" + kind), self._handle, reference._handle)
        if handle is None:
            return None
        if kind == "object":
            return self._wrap(lib.flx_object_link(handle).target_class, handle)
        if kind == "results":
            return self._results(handle)
        from .collections import Dictionary, List, Set

        wrapper: Any = {"list": List, "set": Set, "dictionary": Dictionary}[kind]
        return wrapper(self, handle, reference._info)

    def invalidate(self) -> None:
        """Makes all objects and collections of the realm invalid, and moves to the newest data."""
        call(lib.flx_realm_invalidate, self._handle)

    # ---- sync ----

    @property
    def session(self) -> "Session":
        """The sync session, shared by all realms of the file. Raises SubscriptionError with NOT_SYNCED for a local realm."""
        from .session import Session

        handle = own("session", lib.flx_realm_get_session(self._handle))
        if handle is None:
            raise SubscriptionError(Status.NOT_SYNCED, "This realm is local: it was opened without a user.")
        return Session(handle, self._driver)

    @property
    def subscriptions(self) -> SubscriptionSet:
        """The newest subscription set, as it is now. Raises SubscriptionError with NOT_SYNCED for a local realm."""
        return SubscriptionSet._get(self, lib.flx_subscription_set_get_latest)

    @property
    def active_subscriptions(self) -> SubscriptionSet:
        """The subscription set whose data is on the device."""
        return SubscriptionSet._get(self, lib.flx_subscription_set_get_active)

    @property
    def rejected_writes(self) -> "RejectedWrites":
        """The writes that the server did not accept, as they are now. SubscriptionError with NOT_SYNCED for a local realm."""
        from .rejected import RejectedWrites

        return RejectedWrites._get(self)

    # ---- files ----

    def write_copy(self, configuration: Optional[Configuration] = None, **options: Any) -> None:
        """Writes a compact copy of the committed data to the path of a configuration, with a user as a synced realm.

        Raises FileError with FILE_EXISTS, and UsageError with UNSUPPORTED for a realm with changes that were not uploaded.
        """
        struct = ConfigurationStruct(configuration_of(configuration, options), has_callbacks=False)
        call(lib.flx_realm_write_copy, self._handle, struct.struct)

    @property
    def schema_version(self) -> Optional[int]:
        """The version of the schema in the file; None if it has none."""
        out = ffi.new("uint64_t *")
        call(lib.flx_realm_schema_version, self._handle, out)
        return None if out[0] == lib.FLX_NOT_VERSIONED else out[0]

    @staticmethod
    def delete_files(configuration: Optional[Configuration] = None, **options: Any) -> bool:
        """Deletes the files of a realm that is not open. Returns whether there were any. Raises FileError."""
        struct = ConfigurationStruct(configuration_of(configuration, options), has_callbacks=False)
        return call_flag(lib.flx_realm_delete_files, struct.struct)

    @staticmethod
    def file_exists(configuration: Optional[Configuration] = None, **options: Any) -> bool:
        """Whether the file of a realm exists."""
        struct = ConfigurationStruct(configuration_of(configuration, options), has_callbacks=False)
        return call_flag(lib.flx_realm_file_exists, struct.struct)

    def __repr__(self) -> str:
        return f"<Realm {self.path}{' (closed)' if self.is_closed else ''}>"


def _downloaded(configuration: Configuration, download: Download, timeout: Optional[float]) -> Future:
    struct = ConfigurationStruct(configuration)
    return started(lib.flx_realm_open_async, struct.struct, int(download), milliseconds(timeout))


def _driver_of(configuration: Configuration) -> Any:
    return configuration.user._app._driver if configuration.user is not None else None
