# SPDX-License-Identifier: Apache-2.0
"""Rejected writes: changes that the server did not accept, kept until the program resubmits or discards them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Callable

from ._library import call, call_flag, callback, ffi, lib, own_result, string_of
from .changes import CollectionChanges, NotificationToken
from .enumerations import RejectedWriteState
from .values import read_value, time_of

if TYPE_CHECKING:
    from .realm import Realm


@dataclass(frozen=True)
class RejectedWrite:
    """A change to one object that the server did not accept."""

    id: int
    """Identifies the write in its file; never reused."""
    class_name: str
    primary_key: Any
    reason: str
    """The reason given by the server."""
    state: RejectedWriteState
    written_at: datetime
    """By this device's clock."""
    rejected_at: datetime
    """By the server's clock."""
    has_changes: bool
    """Whether the write can be resubmitted."""

    @staticmethod
    def _of(struct: Any) -> "RejectedWrite":
        return RejectedWrite(
            struct.id, string_of(struct.class_name), read_value(struct.primary_key), string_of(struct.reason),
            RejectedWriteState(struct.state), time_of(struct.written_at), time_of(struct.rejected_at), struct.has_changes,
        )


class RejectedWrites(Sequence):
    """The rejected writes of a realm, oldest first, as a snapshot. Thread: that of the realm."""

    def __init__(self, realm: "Realm", writes: "list[RejectedWrite]") -> None:
        self._realm, self._writes = realm, writes

    @staticmethod
    def _get(realm: "Realm") -> "RejectedWrites":
        handle = own_result("rejected_writes", lib.flx_rejected_writes_get, realm._handle)
        struct = ffi.new("flx_rejected_write_t *")
        writes = []
        for index in range(lib.flx_rejected_writes_count(handle)):
            call(lib.flx_rejected_writes_at, handle, index, struct)
            writes.append(RejectedWrite._of(struct))
        return RejectedWrites(realm, writes)

    def __len__(self) -> int:
        return len(self._writes)

    def __getitem__(self, index: Any) -> Any:
        return self._writes[index]

    def resubmit(self, write: RejectedWrite) -> None:
        """Makes a write again, in the open write transaction, which may change the object further.

        Raises UsageError if the write was resubmitted or is gone, and ObjectError with OBJECT_INVALIDATED if none of it
        has a place any longer.
        """
        call(lib.flx_rejected_write_resubmit, self._realm._handle, write.id)

    def discard(self, write: RejectedWrite) -> bool:
        """Forgets a write, as part of the open write transaction or at once. Returns whether there was one."""
        return call_flag(lib.flx_rejected_write_discard, self._realm._handle, write.id)

    def observe(self, function: Callable[[CollectionChanges], None]) -> NotificationToken:
        """Calls a function with the changes of the list, until the token is closed; see `Results.observe`."""
        arguments = callback("collection_observer", lambda changes: function(CollectionChanges._of(changes)))
        handle = own_result("notification_token", lib.flx_rejected_writes_observe, self._realm._handle, *arguments)
        return self._realm._token(handle)
