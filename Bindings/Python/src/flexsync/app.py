# SPDX-License-Identifier: Apache-2.0
"""Apps on a server, with their users on this device."""

from __future__ import annotations

import asyncio
import os
import weakref
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional

from ._library import (
    call, callback, ffi, finished, freed_text, lib, milliseconds, own, own_result, started, string_of, text, wait,
)
from ._loop import LoopDriver
from .credentials import Credentials
from .email_password import EmailPassword
from .http import HttpRequest, HttpResponse, Transport, headers_array, perform, transport_callback
from .session import Session, SyncError

if TYPE_CHECKING:
    from .users import User

#: The drivers of apps that run in asyncio, by the app.
_drivers: "weakref.WeakValueDictionary[int, LoopDriver]" = weakref.WeakValueDictionary()


def _address(handle: Any) -> int:
    return int(ffi.cast("uintptr_t", handle))


ErrorHandler = Callable[[Session, SyncError], None]


class App:
    """An app on a server, with its users on this device.

        app = App("tasktracker-abcde", "https://sync.example.com", storage="~/.tasks")
        user = app.log_in(Credentials.email_password("nadia@example.com", "correct horse"))
        with Realm.open(user=user, classes=[Task]) as realm: …

    Networking and sync run on a thread of the library. With `loop`, an asyncio loop, they run in that loop instead: create
    the app on its thread, use the forms with `await`, and close the app before the loop ends. Within a process, the same
    id, URL and storage yield the same app.

    `error_handler` is called with each error of a session, on the loop thread; without one, errors are logged.

    Raises UsageError for an unusable URL, FileError. Thread: any, also for users.
    """

    def __init__(self, app_id: str, base_url: str, storage: "str | os.PathLike[str]", *,
                 loop: Optional[asyncio.AbstractEventLoop] = None, error_handler: Optional[ErrorHandler] = None,
                 trusted_certificates: "str | os.PathLike[str] | None" = None, request_timeout: Optional[float] = None,
                 connect_timeout: Optional[float] = None) -> None:
        struct = ffi.new("flx_app_config_t *")
        struct.struct_size = ffi.sizeof("flx_app_config_t")
        folder = os.path.expanduser(os.fspath(storage))
        kept = [text(one) for one in (app_id, base_url, folder, os.fspath(trusted_certificates or ""))]
        struct.app_id, struct.base_url, struct.storage_directory, struct.trusted_certificates_file = kept
        struct.request_timeout_ms = milliseconds(request_timeout or None)
        struct.connect_timeout_ms = milliseconds(connect_timeout or None)
        struct.loop_mode = lib.FLX_LOOP_POLL if loop else lib.FLX_LOOP_OWN_THREAD
        self._handle = own_result("app", lib.flx_app_create, struct)
        self._driver = LoopDriver(self._handle, loop) if loop else None
        if self._driver:
            _drivers[_address(self._handle)] = self._driver
        if error_handler:
            self.set_error_handler(error_handler)

    @staticmethod
    def _of(handle: Any) -> "App":
        """An app that the program has opened elsewhere."""
        app = App.__new__(App)
        app._handle = handle
        app._driver = _drivers.get(_address(handle))
        return app

    @property
    def id(self) -> str:
        """The app id."""
        return string_of(lib.flx_app_id(self._handle))

    @property
    def base_url(self) -> str:
        """The URL of the server."""
        return freed_text(lib.flx_app_base_url_copy(self._handle)) or ""

    @property
    def email_password(self) -> "EmailPassword":
        """Accounts with email and password."""
        return EmailPassword(self)

    def set_error_handler(self, handler: Optional[ErrorHandler]) -> None:
        """Sets the function for errors of all sessions. Set it before opening the first realm. None removes it."""
        function = None
        if handler is not None:
            given = handler

            def function(session: Any, error: Any) -> None:
                given(Session._retained(session), SyncError._of(error))

        lib.flx_app_set_error_handler(self._handle, *callback("sync_error_callback", function))

    def close(self) -> None:
        """Takes the app out of its asyncio loop: sync and requests stop, and what waits for them raises CANCELED.
        Without `loop` there is nothing to close."""
        if self._driver:
            self._driver.close()

    def __enter__(self) -> "App":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def set_request_headers(self, headers: "Mapping[str, str]") -> None:
        """Sets headers for all requests to the server; sessions connect again with them. UsageError for a bad name."""
        array, count, kept = headers_array(headers)
        call(lib.flx_app_set_request_headers, self._handle, array, count)
        del kept

    def set_authorization_header(self, name: str) -> None:
        """Sets the name of the header with the user's token, for a proxy that needs `Authorization` for itself."""
        call(lib.flx_app_set_authorization_header, self._handle, text(name))

    def set_user_agent(self, words: str) -> None:
        """Sets what is appended to the `User-Agent` header of sync connections that are opened from now on."""
        call(lib.flx_app_set_user_agent, self._handle, text(words))

    def set_sync_timeouts(self, *, connect: float = 0, connection_linger: float = 0, ping_period: float = 0,
                          pong_timeout: float = 0, fast_reconnect: float = 0) -> None:
        """Sets times of sync connections that begin from now on, in seconds; 0 means the library's own."""
        times = [milliseconds(one or None) for one in (connect, connection_linger, ping_period, pong_timeout, fast_reconnect)]
        struct = ffi.new("flx_sync_timeouts_t *", (ffi.sizeof("flx_sync_timeouts_t"), *times))
        call(lib.flx_app_set_sync_timeouts, self._handle, struct)

    def update_base_url(self, url: str) -> None:
        """Moves the app to a server at another URL until the end of the process. On failure it keeps its server.

        Raises UsageError, and AppError with APP_NOT_FOUND, CONNECTION_FAILED …
        """
        wait(self._update_base_url(url), self._driver)

    async def update_base_url_async(self, url: str) -> None:
        """`update_base_url` for asyncio."""
        await finished(self._update_base_url(url), self._driver)

    def _update_base_url(self, url: str) -> Future:
        return started(lib.flx_app_update_base_url, self._handle, text(url))

    def set_http_transport(self, transport: Optional[Transport]) -> None:
        """Makes a function perform the HTTP requests of the app: `transport(request, respond)`. None removes it.

        It must call `respond` once, with a HttpResponse or a FlexSyncError, on any thread, within the call or later. It is
        called on the loop thread. Sync connections do not use it.
        """
        lib.flx_app_set_http_transport(self._handle, *transport_callback(transport))

    def perform_http_request(self, request: HttpRequest) -> "Future[HttpResponse]":
        """Performs a request with the library's own client, for a transport that changes requests or responses.

        Any HTTP status is a success; the future raises AppError with CONNECTION_FAILED, TLS_FAILED …
        """
        return perform(self._handle, request)

    # ---- users ----

    def log_in(self, credentials: Credentials) -> "User":
        """Logs in and makes the user the current one, also for later runs of the program.

        Raises AppError with INVALID_PASSWORD, AUTH_PROVIDER_NOT_FOUND, USER_DISABLED, CONNECTION_FAILED …
        """
        return wait(self._log_in(credentials), self._driver)

    async def log_in_async(self, credentials: Credentials) -> "User":
        """`log_in` for asyncio."""
        return await finished(self._log_in(credentials), self._driver)

    def _log_in(self, credentials: Credentials) -> Future:
        from .users import user_from

        return user_from(self, lib.flx_app_log_in, self._handle, credentials)

    @property
    def current_user(self) -> "Optional[User]":
        """The user who last logged in or was switched to, and is still logged in."""
        from .users import User

        handle = own("user", lib.flx_app_get_current_user(self._handle))
        return None if handle is None else User(handle, self)

    @property
    def users(self) -> "list[User]":
        """The users on this device, logged in or not."""
        from .users import User

        count = lib.flx_app_user_count(self._handle)
        handles = [own("user", lib.flx_app_get_user_at(self._handle, index)) for index in range(count)]
        return [User(handle, self) for handle in handles if handle is not None]

    def switch(self, user: "User") -> None:
        """Makes a logged-in user the current one. Raises AppError with USER_LOGGED_OUT or USER_NOT_FOUND."""
        call(lib.flx_app_switch_user, self._handle, user._handle)

    def __repr__(self) -> str:
        return f"<App {self.id} at {self.base_url}>"
