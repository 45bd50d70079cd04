# SPDX-License-Identifier: Apache-2.0
"""The exceptions of the package."""

from .enumerations import Status


class FlexSyncError(Exception):
    """A call of the library failed. `status` says how; the subclasses group the statuses."""

    def __init__(self, status: Status, message: str, code: int = 0, server_code: str = "", server_log_url: str = ""):
        super().__init__(message)
        self.status = status
        """The kind of failure."""
        self.message = message
        """What happened, to what, and what to do about it. The text may change in any version."""
        self.code = code
        """A more specific code, or 0: from SQLite for files, HTTP for apps, the sync protocol for sessions."""
        self.server_code = server_code
        """The server's name for the error of an app's request, such as "AuthProviderNotFound", or empty."""
        self.server_log_url = server_log_url
        """The URL of the server's log of a failed request, or empty."""

    def __reduce__(self):
        return type(self), (self.status, self.message, self.code, self.server_code, self.server_log_url)


class UsageError(FlexSyncError, ValueError):
    """An argument is not valid, or the operation is not supported: INVALID_ARGUMENT, UNSUPPORTED."""


class OperationTimeout(FlexSyncError, TimeoutError):
    """The operation did not finish in time: TIMED_OUT."""


class FileError(FlexSyncError, OSError):
    """A file could not be opened, read or written: IO, DISK_FULL … FILE_EXISTS."""


class ObjectError(FlexSyncError):
    """Schema, objects and transactions: SCHEMA_MISMATCH, NULL_NOT_ALLOWED, OBJECT_INVALIDATED …"""


class ElementIndexError(ObjectError, IndexError):
    """The index is out of bounds: INDEX_OUT_OF_BOUNDS."""


class QueryError(FlexSyncError, ValueError):
    """A query has a mistake: QUERY_SYNTAX, QUERY_INVALID, QUERY_ARGUMENT."""


class SubscriptionError(FlexSyncError):
    """Subscriptions: NOT_SYNCED, NO_SUBSCRIPTION_FOR_WRITE, SUBSCRIPTION_FAILED …"""


class AppError(FlexSyncError):
    """Network, app and users: CONNECTION_FAILED, SERVICE_ERROR, INVALID_PASSWORD …"""


class SessionError(FlexSyncError):
    """Sync sessions: SESSION_INACTIVE, SESSION_FAILED, WRITE_REJECTED, CLIENT_RESET …"""


_SINGLE: "dict[Status, type[FlexSyncError]]" = {
    Status.INVALID_ARGUMENT: UsageError,
    Status.UNSUPPORTED: UsageError,
    Status.TIMED_OUT: OperationTimeout,
    Status.INDEX_OUT_OF_BOUNDS: ElementIndexError,
}
#: By the hundreds of the numbers.
_GROUPS: "dict[int, type[FlexSyncError]]" = {
    1: FileError, 2: ObjectError, 3: QueryError, 4: SubscriptionError, 5: AppError, 6: SessionError,
}


def error_with(status: int, message: str, *details) -> FlexSyncError:
    """The exception for a status."""
    known = Status(status)
    kind: "type[FlexSyncError]" = _SINGLE.get(known, _GROUPS.get(known // 100, FlexSyncError))
    return kind(known, message, *details)
