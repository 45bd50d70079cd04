# SPDX-License-Identifier: Apache-2.0
"""What observers are told, and the tokens that keep them observing."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, AsyncIterator, Callable, Generic, Optional, Sequence, TypeVar

from ._library import call, ffi, own, string_of, texts
from .values import read_value


class NotificationToken:
    """Keeps an observation alive: it ends when the token is closed or no longer referred to. Also a context manager."""

    def __init__(self, handle: Any, owner: Any = None) -> None:
        self._handle = handle
        # The realm stays open as long as somebody observes it.
        self._owner = owner

    def close(self) -> None:
        """Ends the observation. It may be called on any thread, and several times."""
        handle, self._handle, self._owner = self._handle, None, None
        if handle is not None:
            ffi.release(handle)

    def __enter__(self) -> "NotificationToken":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


@dataclass(frozen=True)
class CollectionChanges:
    """The changes to observed results, a list or a set since the last call."""

    is_initial: bool
    """Whether this is the first call, which lists nothing."""
    deletions: Sequence[int]
    """Indexes before the change of elements that were removed."""
    insertions: Sequence[int]
    """Indexes after the change of elements that were added."""
    modifications: Sequence[int]
    """Indexes after the change of objects with new values, and of replaced elements of a list."""

    @staticmethod
    def _of(changes: Any) -> "CollectionChanges":
        return CollectionChanges(
            changes.is_initial, *(_array(changes, name, lambda one: one) for name in _KINDS)
        )


@dataclass(frozen=True)
class DictionaryChanges:
    """The changes to an observed dictionary since the last call, by key."""

    is_initial: bool
    """Whether this is the first call, which lists nothing."""
    deletions: Sequence[str]
    insertions: Sequence[str]
    modifications: Sequence[str]

    @staticmethod
    def _of(changes: Any) -> "DictionaryChanges":
        return DictionaryChanges(changes.is_initial, *(_array(changes, name, string_of) for name in _KINDS))


_KINDS = ("deletion", "insertion", "modification")


def _array(changes: Any, kind: str, convert: Callable[[Any], Any]) -> "list[Any]":
    array, count = getattr(changes, kind + "s"), getattr(changes, kind + "_count")
    return [convert(array[index]) for index in range(count)]


@dataclass(frozen=True)
class ObjectChanges:
    """The changes to an observed object."""

    is_deleted: bool
    """Whether the object was deleted; then nothing else is listed, and no further call follows."""
    properties: Sequence[str]
    """The names of the properties whose values have changed."""
    old_values: "Optional[dict[str, Any]]"
    """Their values before; None if this realm's own transaction has changed them. Collections have none."""
    key_paths: Sequence[str]
    """The observed key paths on which something has changed."""

    @staticmethod
    def _of(changes: Any, names: "dict[int, str]", key_paths: Sequence[str], linked: Any) -> "ObjectChanges":
        properties = [names.get(changes.properties[index], "?") for index in range(changes.property_count)]
        old_values = None
        if changes.old_values != ffi.NULL:
            old_values = {name: read_value(changes.old_values[index], linked) for index, name in enumerate(properties)}
        paths = [key_paths[changes.key_paths[index]] for index in range(changes.key_path_count)]
        return ObjectChanges(changes.is_deleted, properties, old_values, paths)


def observe_with_key_paths(function: Callable[..., int], handle: Any, key_paths: Sequence[str], arguments: tuple) -> Any:
    """Calls one of the `…_observe_key_paths` functions, and returns its token."""
    array, count, kept = texts(list(key_paths))
    out = ffi.new("flx_notification_token_t **")
    call(function, handle, array, count, *arguments, out)
    del kept
    return own("notification_token", out[0])


C = TypeVar("C")


class ChangeStream(Generic[C]):
    """Changes as an asynchronous iterator: what an observer is told, one after the other."""

    def __init__(self, realm: Any, observe: Callable[[Callable[[C], None]], NotificationToken]) -> None:
        # None stands for the end.
        self._changes: "asyncio.Queue[Optional[C]]" = asyncio.Queue()
        self._token: Optional[NotificationToken] = observe(self._changes.put_nowait)
        realm._streams.add(self)

    def __aiter__(self) -> AsyncIterator[C]:
        return self

    async def __anext__(self) -> C:
        if self._token is None:
            raise StopAsyncIteration
        changes = await self._changes.get()
        if changes is None:
            self._changes.put_nowait(None)  # for others that wait
            raise StopAsyncIteration
        return changes

    def close(self) -> None:
        """Ends the iteration, also for those that are waiting. Closing the realm does so, too."""
        token, self._token = self._token, None
        if token is not None:
            token.close()
            self._changes.put_nowait(None)

    async def aclose(self) -> None:
        """Ends the iteration."""
        self.close()
