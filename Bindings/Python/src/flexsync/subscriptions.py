# SPDX-License-Identifier: Apache-2.0
"""Subscription sets: which objects of the server are on this device."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Callable, Optional

from ._library import (
    call, call_flag, callback, ffi, finished, lib, milliseconds, new_text, own_result, started, string_of, text, wait,
)
from .changes import NotificationToken
from .classes import name_of
from .enumerations import Status, SubscriptionState
from .errors import SubscriptionError
from .values import ObjectId, time_of

if TYPE_CHECKING:
    from .realm import Realm
    from .results import Results


@dataclass(frozen=True)
class Subscription:
    """One subscription: the objects of a class that match a query."""

    id: ObjectId
    name: Optional[str]
    """The name; None for an unnamed subscription."""
    class_name: str
    query: str
    """The query as canonical text."""
    created_at: datetime
    updated_at: datetime

    @staticmethod
    def _of(struct: Any) -> "Subscription":
        return Subscription(
            ObjectId(bytes(struct.id.bytes)), string_of(struct.name) if struct.has_name else None,
            string_of(struct.class_name), string_of(struct.query), time_of(struct.created_at), time_of(struct.updated_at),
        )


def _read_all(count: Callable[[Any], int], at: Callable[..., int], handle: Any) -> "list[Subscription]":
    struct = ffi.new("flx_subscription_t *")
    result = []
    for index in range(count(handle)):
        call(at, handle, index, struct)
        result.append(Subscription._of(struct))
    return result


class SubscriptionSet(Sequence):
    """A version of the subscription set of a realm, as a snapshot that does not change.

        with realm.subscriptions.update() as update:
            update.add(realm.objects(Task).where("assignee == $0", "nadia"), name="mine")
        update.committed.wait()

    Thread: that of the realm.
    """

    def __init__(self, realm: "Realm", handle: Any) -> None:
        self._realm, self._handle = realm, handle
        self._subscriptions = _read_all(lib.flx_subscription_set_count, lib.flx_subscription_set_at, handle)

    @staticmethod
    def _get(realm: "Realm", function: Callable[..., int]) -> "SubscriptionSet":
        return SubscriptionSet(realm, own_result("subscription_set", function, realm._handle))

    def __len__(self) -> int:
        return len(self._subscriptions)

    def __getitem__(self, index: Any) -> Any:
        return self._subscriptions[index]

    @property
    def version(self) -> int:
        """The version: 0 for the empty set that each file begins with, and one more for each commit."""
        return lib.flx_subscription_set_version(self._handle)

    @property
    def state(self) -> SubscriptionState:
        """The state as of the last `refresh` or `wait`."""
        return SubscriptionState(lib.flx_subscription_set_state(self._handle))

    @property
    def error_message(self) -> str:
        """The server's message if the state is ERROR; otherwise empty."""
        return string_of(lib.flx_subscription_set_error_message(self._handle))

    def refresh(self) -> None:
        """Updates the state and error message of this version of the set."""
        call(lib.flx_subscription_set_refresh, self._handle)

    def find(self, name: str) -> Optional[Subscription]:
        """The subscription of a name, or None."""
        return next((one for one in self._subscriptions if one.name == name), None)

    def find_query(self, results: "Results[Any]") -> Optional[Subscription]:
        """The first subscription with the class and query of results, named or not, or None."""
        struct = ffi.new("flx_subscription_t *")
        found = call_flag(lib.flx_subscription_set_find_results, self._handle, results._handle, struct)
        return Subscription._of(struct) if found else None

    def wait(self, timeout: Optional[float] = None) -> None:
        """Waits until the data is on the device, for at most `timeout` seconds, and refreshes the realm.

        Raises SubscriptionError with SUBSCRIPTION_FAILED or SUBSCRIPTION_SUPERSEDED, OperationTimeout, and SessionError
        with SESSION_INACTIVE.
        """
        wait(self._wait(timeout), self._realm._driver)
        self._settled()

    async def wait_async(self, timeout: Optional[float] = None) -> None:
        """`wait` for asyncio."""
        await finished(self._wait(timeout), self._realm._driver)
        self._settled()

    def _wait(self, timeout: Optional[float]) -> Future:
        return started(lib.flx_subscription_set_wait, self._handle, milliseconds(timeout))

    def _settled(self) -> None:
        self.refresh()
        self._realm.refresh()

    def observe(self, function: Callable[[SubscriptionState], None]) -> NotificationToken:
        """Calls a function with each state that the set reaches, beginning with the current one. Thread: the loop thread."""
        arguments = callback("subscription_state_callback", lambda state: function(SubscriptionState(state)))
        return NotificationToken(own_result("notification_token", lib.flx_subscription_set_observe, self._handle, *arguments))

    @contextlib.contextmanager
    def update(self) -> Iterator["SubscriptionUpdate"]:
        """Changes the newest set: commits what the block did as a new version, or drops it if the block raises.

        Once it is committed, it is sent to the server in the background; wait for the new set, which is then the update's
        `committed`. Raises SubscriptionError with SUBSCRIPTION_UPDATE_OPEN.
        """
        handle = _begin(self._realm)
        update = SubscriptionUpdate(self._realm, handle)
        try:
            yield update
        except BaseException:
            update._end()
            lib.flx_subscription_update_cancel(handle)
            raise
        update._end()
        update._committed = SubscriptionSet(
            self._realm, own_result("subscription_set", lib.flx_subscription_update_commit, handle)
        )

    def __repr__(self) -> str:
        return f"<SubscriptionSet version {self.version} {self.state.name}: {self._subscriptions!r}>"


def _begin(realm: "Realm") -> Any:
    out = ffi.new("flx_subscription_update_t **")
    call(lib.flx_subscription_update_begin, realm._handle, out)
    return out[0]


class SubscriptionUpdate(Sequence):
    """A subscription set that is being changed. It is valid in the block of `SubscriptionSet.update`."""

    def __init__(self, realm: "Realm", handle: Any) -> None:
        self._realm, self._pointer = realm, handle
        self._committed: Optional[SubscriptionSet] = None

    @property
    def committed(self) -> SubscriptionSet:
        """The new set, once the block has ended. Raises SubscriptionError before, and if nothing was committed."""
        if self._committed is None:
            raise SubscriptionError(Status.INVALID_ARGUMENT, "The update has not been committed.")
        return self._committed

    def _end(self) -> None:
        self._pointer = None

    @property
    def _handle(self) -> Any:
        if self._pointer is None:
            raise SubscriptionError(Status.INVALID_ARGUMENT, "The update has ended.")
        self._realm._check_thread()
        return self._pointer

    def _all(self) -> "list[Subscription]":
        return _read_all(lib.flx_subscription_update_count, lib.flx_subscription_update_at, self._handle)

    def __len__(self) -> int:
        return lib.flx_subscription_update_count(self._handle)

    def __getitem__(self, index: Any) -> Any:
        return self._all()[index]

    def find(self, name: str) -> Optional[Subscription]:
        """The subscription of a name, or None."""
        return next((one for one in self._all() if one.name == name), None)

    def add(self, results: "Results[Any]", name: Optional[str] = None, replace: bool = False) -> None:
        """Adds a subscription to the class and query of results; with `replace`, it may take the place of one of that name.

        The order of the results and `distinct` are ignored. Raises SubscriptionError with SUBSCRIPTION_EXISTS, UsageError
        for a class that cannot be subscribed to, and QueryError for a query that no server accepts and for results with a
        limit, because the server would send everything that the condition matches.
        """
        pointer, kept = new_text(name)
        conflict = lib.FLX_NAME_CONFLICT_REPLACE if replace else lib.FLX_NAME_CONFLICT_FAIL
        try:
            call(lib.flx_subscription_update_add, self._handle, results._handle, pointer, conflict)
        except SubscriptionError as error:
            if error.status != Status.SUBSCRIPTION_EXISTS:
                raise
            # The library names functions of C.
            advice = f"A subscription named '{name}' already exists. To change its query, pass replace=True, or use set_query."
            raise SubscriptionError(error.status, advice, error.code) from None
        del kept

    def set_query(self, subscription: "Subscription | str", results: "Results[Any]") -> None:
        """Changes the query of a subscription, given itself or by name. SubscriptionError if there is none."""
        one = self.find(subscription) if isinstance(subscription, str) else subscription
        identifier = _id_struct(one.id if one else ObjectId(bytes(12)))
        call(lib.flx_subscription_update_set_query, self._handle, identifier, results._handle)

    def remove(self, subscription: "Subscription | str") -> bool:
        """Removes a subscription, given itself or by name. Returns whether there was one."""
        if isinstance(subscription, str):
            return lib.flx_subscription_update_remove_named(self._handle, text(subscription))
        return lib.flx_subscription_update_remove(self._handle, _id_struct(subscription.id))

    def remove_query(self, results: "Results[Any]") -> bool:
        """Removes the first subscription with the class and query of results. Returns whether there was one."""
        return call_flag(lib.flx_subscription_update_remove_results, self._handle, results._handle)

    def remove_class(self, kind: "type | str") -> int:
        """Removes all subscriptions to a class. Returns how many there were."""
        return lib.flx_subscription_update_remove_class(self._handle, text(name_of(kind)))

    def remove_all(self, unnamed_only: bool = False) -> int:
        """Removes all subscriptions, or all unnamed ones. Returns how many there were."""
        return lib.flx_subscription_update_remove_all(self._handle, unnamed_only)


def _id_struct(identifier: ObjectId) -> Any:
    return ffi.new("flx_object_id_t *", (identifier.bytes,))
