# SPDX-License-Identifier: Apache-2.0
"""Live results of queries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Callable, Generic, Optional, TypeVar, overload

from ._library import (
    call, call_size, callback, completion, ffi, finished, lib, milliseconds, new_text, own_result, require_count,
    require_function, scratch, string_of, text, texts, wait,
)
from .changes import ChangeStream, CollectionChanges, NotificationToken, observe_with_key_paths
from .enumerations import WaitForSync
from .errors import ElementIndexError
from .values import Arguments, read_value

if TYPE_CHECKING:
    from .columns import Columns

T = TypeVar("T")
_ABSENT = 2 ** (8 * ffi.sizeof("size_t")) - 1
_MIN, _MAX = lib.FLX_AGGREGATE_MIN, lib.FLX_AGGREGATE_MAX
_SUM, _AVERAGE, _COUNT = lib.FLX_AGGREGATE_SUM, lib.FLX_AGGREGATE_AVERAGE, lib.FLX_AGGREGATE_COUNT


class Results(Sequence, Generic[T]):
    """The objects that match a query, as a live sequence: it shows the newest data of its realm.

    Thread: that of the realm.
    """

    def __init__(self, realm: Any, handle: Any) -> None:
        self._realm, self._handle = realm, handle
        self._class_key = lib.flx_results_class(handle)

    # ---- queries ----

    def where(self, query: str, *arguments: Any) -> "Results[T]":
        """Those that match a query in Realm Query Language, in which `$0`, `$1` … stand for the arguments.

            tasks.where("assignee == $0 AND dueDate < $1", "nadia", soon)

        A list or a set as an argument, also one of a realm, stands for several values, as in `status IN $0`. Raises
        QueryError.
        """
        values = Arguments(arguments)
        return self._derived(lib.flx_results_filter, text(query), values.array, values.count)

    def sorted(self, *key_paths: str) -> "Results[T]":
        """The same objects in another order: by properties or paths such as "owner.name", descending after "-"."""
        names = [text(one.removeprefix("-")) for one in key_paths]
        keys = [(name, not one.startswith("-")) for name, one in zip(names, key_paths)]
        return self._derived(lib.flx_results_sort, ffi.new("flx_sort_key_t[]", keys), len(keys))

    def distinct(self, *key_paths: str) -> "Results[T]":
        """One object for each combination of values, the first in the current order."""
        array, count, kept = texts(list(key_paths))
        result = self._derived(lib.flx_results_distinct, array, count)
        del kept
        return result

    def limit(self, count: int) -> "Results[T]":
        """The first objects in the current order."""
        return self._derived(lib.flx_results_limit, require_count(count, "a number of objects"))

    def _derived(self, function: Any, *arguments: Any) -> "Results[T]":
        return Results(self._realm, own_result("results", function, self._handle, *arguments))

    @property
    def query(self) -> str:
        """The predicate as canonical text, without sort, distinct and limit."""
        if not self._realm.is_closed:
            self._realm._check_thread()
        return string_of(lib.flx_results_predicate(self._handle))

    def explain(self) -> str:
        """How the results are found, for performance tuning: the SQL statement and SQLite's query plan."""
        out = ffi.new("flx_string_t *")
        call(lib.flx_results_explain, self._handle, out)
        return string_of(out)

    # ---- a sequence ----

    def __len__(self) -> int:
        return call_size(lib.flx_results_count, self._handle)

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> "list[T]": ...

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        position = index + len(self) if index < 0 else index
        if position < 0:
            raise IndexError("the index is out of bounds")
        handle = own_result("object", lib.flx_results_get_object, self._handle, position)
        return self._realm._wrap(self._class_key, handle)

    def __iter__(self) -> Iterator[T]:
        # Counting first can take as long as reading everything.
        index = 0
        while True:
            try:
                one = self[index]
            except ElementIndexError:
                return
            yield one
            index += 1

    def __contains__(self, value: object) -> bool:
        return self._index_of(value) is not None

    def index(self, value: Any, start: int = 0, stop: Optional[int] = None) -> int:
        """The index of an object. Raises ValueError if it is not among the results."""
        found = self._index_of(value)
        if found is None or found < start or (stop is not None and found >= stop):
            raise ValueError("the object is not among the results")
        return found

    def _index_of(self, value: Any) -> Optional[int]:
        managed = getattr(value, "_flx_managed", None)
        if managed is None:
            return None
        index = call_size(lib.flx_results_index_of, self._handle, managed.handle)
        return None if index == _ABSENT else index

    def first(self) -> Optional[T]:
        """The first object, or None."""
        return next(iter(self), None)

    def __repr__(self) -> str:
        return f"<Results of {self._realm._meta_of(self._class_key).name} where {self.query}>"

    @property
    def is_valid(self) -> bool:
        """Whether the realm is open and was not invalidated since."""
        if self._realm.is_closed:
            return False
        self._realm._check_thread()
        return lib.flx_results_is_valid(self._handle)

    # ---- values ----

    def min(self, name: str) -> Any:
        """The smallest value of a property; None if there is none."""
        return self._aggregate(_MIN, name)

    def max(self, name: str) -> Any:
        """The greatest value of a property; None if there is none."""
        return self._aggregate(_MAX, name)

    def sum(self, name: str) -> Any:
        """The sum of a property."""
        return self._aggregate(_SUM, name)

    def average(self, name: str) -> Any:
        """The average of a property; None if it has no values."""
        return self._aggregate(_AVERAGE, name)

    def _aggregate(self, kind: int, name: str) -> Any:
        value = scratch.value
        call(lib.flx_results_aggregate, self._handle, kind, self._property(name).key, value)
        return read_value(value)

    def _property(self, name: str) -> Any:
        return self._realm._meta_of(self._class_key).property(name)

    def columns(self, *names: str) -> "Columns":
        """The values of properties, read at once and without objects; all that can be in columns without names.

        The columns go to Arrow, pandas, Polars or DuckDB without a copy: see `Columns`.
        """
        from .columns import read_columns

        return read_columns(self, names)

    def delete_all(self) -> None:
        """Deletes all objects of the results. Needs a write transaction."""
        call(lib.flx_results_delete_all, self._handle)

    # ---- observing ----

    def observe(self, function: Callable[[CollectionChanges], None], *key_paths: str) -> NotificationToken:
        """Calls a function with each change, until the token is closed. The first call lists nothing.

        It is called on the thread of the realm, in `refresh` and at the beginning and end of write transactions.
        """
        require_function(function)
        arguments = callback("collection_observer", lambda changes: function(CollectionChanges._of(changes)))
        handle = observe_with_key_paths(lib.flx_results_observe_key_paths, self._handle, key_paths, arguments)
        return self._realm._token(handle)

    def changes(self, *key_paths: str) -> "ChangeStream[CollectionChanges]":
        """The changes as an asynchronous iterator, for a realm that refreshes itself (`Realm.open_async`)."""
        return ChangeStream(self._realm, lambda told: self.observe(told, *key_paths))

    # ---- subscriptions ----

    def subscribe(self, name: Optional[str] = None, wait_for: WaitForSync = WaitForSync.ON_CREATION,
                  timeout: Optional[float] = None) -> "Results[T]":
        """Subscribes to the class and query, and waits until the data is on the device.

        A subscription of the same name is replaced. After a timeout, in seconds, the subscription is kept.
        Raises SubscriptionError, and OperationTimeout.
        """
        wait(self._subscribe(name, wait_for, timeout), self._realm._driver)
        self._realm.refresh()
        return self

    async def subscribe_async(self, name: Optional[str] = None, wait_for: WaitForSync = WaitForSync.ON_CREATION,
                              timeout: Optional[float] = None) -> "Results[T]":
        """`subscribe` for asyncio."""
        await finished(self._subscribe(name, wait_for, timeout), self._realm._driver)
        self._realm.refresh()
        return self

    def _subscribe(self, name: Optional[str], wait_for: WaitForSync, timeout: Optional[float]) -> Future:
        future: Future = Future()
        pointer, kept = new_text(name)
        call(lib.flx_results_subscribe, self._handle, pointer, wait_for, milliseconds(timeout), *completion(future))
        del kept
        return future

    def unsubscribe(self) -> None:
        """Removes the subscription that these results made or, without one, an unnamed one with the same query."""
        call(lib.flx_results_unsubscribe, self._handle)

    def unsubscribe_and_wait(self, timeout: Optional[float] = None) -> None:
        """`unsubscribe`, and waits until the objects that no other subscription brings have left the device."""
        wait(self._unsubscribe(timeout), self._realm._driver)
        self._realm.refresh()

    async def unsubscribe_async(self, timeout: Optional[float] = None) -> None:
        """`unsubscribe_and_wait` for asyncio."""
        await finished(self._unsubscribe(timeout), self._realm._driver)
        self._realm.refresh()

    def _unsubscribe(self, timeout: Optional[float]) -> Future:
        future: Future = Future()
        call(lib.flx_results_unsubscribe_and_wait, self._handle, milliseconds(timeout), *completion(future))
        return future

    def completeness(self) -> "tuple[bool, int]":
        """Whether the realm shows every matching object that the user may read, and as of which version of the server.

        Raises SubscriptionError with NOT_SYNCED for a local realm.
        """
        is_complete, version = scratch.flag, ffi.new("uint64_t *")
        call(lib.flx_results_get_completeness, self._handle, is_complete, version)
        return is_complete[0], version[0]

    # ---- threads ----

    def freeze(self) -> "Results[T]":
        """The results as they are now, which stay so and serve all threads."""
        return self._realm.freeze().resolve(ThreadSafeReference(self))


class ThreadSafeReference:
    """Takes an object, a collection or results to another thread, where `Realm.resolve` finds them in its own realm.

    Make it on the thread of the realm; it can then be used on any thread, and several times.
    """

    def __init__(self, value: Any) -> None:
        kind = getattr(value, "_flx_kind", "results")
        if hasattr(value, "_flx_live"):
            kind, handle = "object", value._flx_live().handle
        elif hasattr(value, "_realm"):
            handle = value._handle
        else:
            raise TypeError(f"expected an object, a collection or results of a realm, not {type(value).__name__}")
        self._kind = kind
        self._info = getattr(value, "_info", None)
        self._handle = own_result("reference", getattr(lib, f"flx_{kind}_make_reference"), handle)
