# SPDX-License-Identifier: Apache-2.0
"""Sync sessions: state, waiting, progress and errors."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Optional, Sequence

from ._library import call_flag, callback, finished, lib, milliseconds, own, own_result, started, string_of, wait
from .changes import NotificationToken
from .enumerations import ConnectionState, Direction, SessionState, Status
from .errors import SessionError
from .values import read_value

if TYPE_CHECKING:
    from .users import User


@dataclass(frozen=True)
class Progress:
    """The progress of a transfer."""

    estimate: float
    """From 0 to 1, where 1 means done. For downloads, it is the server's estimate."""
    transferred_bytes: int
    transferrable_bytes: int

    @staticmethod
    def _of(struct: Any) -> "Progress":
        return Progress(struct.estimate, struct.transferred_bytes, struct.transferrable_bytes)


@dataclass(frozen=True)
class CompensatingWrite:
    """A write that the server reverted, that was lost, or that it did not store."""

    class_name: str
    primary_key: Any
    reason: str
    """The reason given by the server."""


class SyncError(SessionError):
    """An error of a sync session, which the app's error handler receives."""

    def __init__(self, status: Status, message: str, code: int = 0, is_fatal: bool = False, server_log_url: str = "",
                 compensating_writes: "Sequence[CompensatingWrite]" = (), recovery_path: str = "") -> None:
        super().__init__(status, message, code, "", server_log_url)
        self.is_fatal = is_fatal
        """Whether the session has ended and will not resume by itself."""
        self.compensating_writes = compensating_writes
        """The writes that were reverted, for WRITE_REJECTED."""
        self.recovery_path = recovery_path
        """For CLIENT_RESET and CLIENT_RESET_FAILED, the path to which the file is backed up before it is deleted. For
        INVALID_SESSION, the path of the file, which stays, with what was not uploaded: `Realm.open(path=…, classes=…,
        read_only=True)` opens it."""

    def __reduce__(self):
        return type(self), (self.status, self.message, self.code, self.is_fatal, self.server_log_url,
                            self.compensating_writes, self.recovery_path)

    @staticmethod
    def _of(struct: Any) -> "SyncError":
        writes = [struct.compensating_writes[index] for index in range(struct.compensating_write_count)]
        rejected = [
            CompensatingWrite(string_of(one.class_name), read_value(one.primary_key), string_of(one.reason))
            for one in writes
        ]
        return SyncError(
            Status(struct.status), string_of(struct.message), struct.protocol_code, struct.is_fatal,
            string_of(struct.server_log_url), rejected, string_of(struct.recovery_path),
        )


class Session:
    """The sync session of a realm. Any thread."""

    def __init__(self, handle: Any, driver: Any = None) -> None:
        self._handle, self._driver = handle, driver

    @staticmethod
    def _retained(pointer: Any) -> "Session":
        """A session that the library lends to a callback."""
        return Session(own("session", lib.flx_session_retain(pointer)))

    @property
    def path(self) -> str:
        """The path of the file that the session syncs."""
        return string_of(lib.flx_session_path(self._handle))

    @property
    def user(self) -> "User":
        """The user whose data the session syncs."""
        from .users import User

        return User._of(own("user", lib.flx_session_get_user(self._handle)))

    @property
    def state(self) -> SessionState:
        """Whether the session syncs."""
        return SessionState(lib.flx_session_get_state(self._handle))

    @property
    def connection_state(self) -> ConnectionState:
        """Whether this process is connected to the server, which only the sync agent is."""
        return ConnectionState(lib.flx_session_get_connection_state(self._handle))

    @property
    def is_sync_agent(self) -> bool:
        """Whether this process is the sync agent of the file.

        Of the processes that have the realm open, the sync agent is the one that connects to the server, for all of them.
        If it closes the realm, suspends its session or ends, another process becomes the sync agent.
        """
        return bool(lib.flx_session_is_sync_agent(self._handle))

    def suspend(self) -> None:
        """Stops syncing in this process until `resume`; what is written meanwhile is kept.

        Waits that are pending raise SESSION_INACTIVE. If other processes have the realm open, one of them syncs it meanwhile.
        """
        lib.flx_session_suspend(self._handle)

    def resume(self) -> None:
        """Syncs again."""
        lib.flx_session_resume(self._handle)

    def reconnect(self) -> None:
        """Connects now, without waiting for the time after which it would try again."""
        lib.flx_session_reconnect(self._handle)

    def wait_for_upload(self, timeout: Optional[float] = None) -> None:
        """Waits until the server has everything that was committed before, for at most `timeout` seconds.

        Raises SessionError with SESSION_INACTIVE or SESSION_FAILED, and OperationTimeout.
        """
        wait(self._wait(Direction.UPLOAD, timeout), self._driver)

    def wait_for_download(self, timeout: Optional[float] = None) -> None:
        """Waits until everything that the server has now is on the device. Refresh the realm then to see it."""
        wait(self._wait(Direction.DOWNLOAD, timeout), self._driver)

    async def wait_for_upload_async(self, timeout: Optional[float] = None) -> None:
        """`wait_for_upload` for asyncio."""
        await finished(self._wait(Direction.UPLOAD, timeout), self._driver)

    async def wait_for_download_async(self, timeout: Optional[float] = None) -> None:
        """`wait_for_download` for asyncio."""
        await finished(self._wait(Direction.DOWNLOAD, timeout), self._driver)

    def _wait(self, direction: Direction, timeout: Optional[float]) -> Future:
        return started(lib.flx_session_wait, self._handle, int(direction), milliseconds(timeout))

    def observe_progress(self, direction: Direction, function: Callable[[Progress], None],
                         only_outstanding: bool = False) -> NotificationToken:
        """Calls a function with the progress of transfers until the token is closed. Thread: the loop thread.

        With `only_outstanding`, it ends when the work that is outstanding now is done.
        """
        arguments = callback("progress_callback", lambda progress: function(Progress._of(progress)))
        return NotificationToken(own_result(
            "notification_token", lib.flx_session_observe_progress, self._handle, int(direction), only_outstanding, *arguments
        ))

    def observe_connection(self, function: Callable[[ConnectionState, ConnectionState], None]) -> NotificationToken:
        """Calls a function with the old and the new state of the connection. Thread: the loop thread."""
        arguments = callback(
            "connection_state_callback", lambda old, new: function(ConnectionState(old), ConnectionState(new))
        )
        return NotificationToken(own_result(
            "notification_token", lib.flx_session_observe_connection, self._handle, *arguments
        ))

    def perform_client_reset(self) -> bool:
        """Backs up and deletes the file if a client reset is due that is left to the program; the realm must be closed.

        Returns whether one was due. Raises FileError with ALREADY_OPEN, also if another process has the file open, and with
        MULTIPLE_SYNC_AGENTS if another process syncs it.
        """
        return call_flag(lib.flx_session_perform_client_reset, self._handle)
