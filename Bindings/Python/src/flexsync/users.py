# SPDX-License-Identifier: Apache-2.0
"""Apps, users and accounts."""

from __future__ import annotations

import asyncio
import json
import os
import weakref
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional

from ._library import (
    NULL, call, callback, error_of, ffi, finished, freed_text, lib, own, own_result, settle, settle_with, started,
    string_of, text, wait,
)
from ._loop import LoopDriver
from .configuration import Configuration
from .enumerations import LogLevel, UserState
from .http import HttpRequest, HttpResponse, Transport, headers_array, perform, transport_callback
from .session import Session, SyncError
from .values import ObjectId


@dataclass(frozen=True)
class Credentials:
    """Proof of a user's identity. Kinds that the server does not allow raise AppError with AUTH_PROVIDER_NOT_FOUND."""

    kind: int
    name: str = ""
    secret: str = ""

    @staticmethod
    def anonymous(new: bool = False) -> "Credentials":
        """An anonymous user: the one who is logged in on this device or, with `new`, always a new one."""
        return Credentials(lib.FLX_CREDENTIALS_NEW_ANONYMOUS if new else lib.FLX_CREDENTIALS_ANONYMOUS)

    @staticmethod
    def email_password(email: str, password: str) -> "Credentials":
        """The email address and password of an account."""
        return Credentials(lib.FLX_CREDENTIALS_EMAIL_PASSWORD, email, password)

    @staticmethod
    def api_key(key: str) -> "Credentials":
        """The secret of an API key."""
        return Credentials(lib.FLX_CREDENTIALS_API_KEY, secret=key)

    @staticmethod
    def jwt(token: str) -> "Credentials":
        """A JSON Web Token of the app's own provider."""
        return Credentials(lib.FLX_CREDENTIALS_JWT, secret=token)

    @staticmethod
    def function(payload: "Mapping[str, Any]") -> "Credentials":
        """What a function of the app accepts."""
        return Credentials(lib.FLX_CREDENTIALS_FUNCTION, secret=json.dumps(payload))

    def _struct(self) -> Any:
        kept = [text(self.name), text(self.secret)]
        return ffi.new("flx_credentials_t *", (self.kind, *kept)), kept


@dataclass(frozen=True)
class UserIdentity:
    """One identity of a user."""

    id: str
    """The user's id with the provider."""
    provider: str
    """"anon-user", "local-userpass", "api-key", "custom-token" …"""


@dataclass(frozen=True)
class ApiKey:
    """An API key, with which a program can log in as the user."""

    id: ObjectId
    name: str
    is_enabled: bool
    key: str = ""
    """The secret to log in with; only `User.create_api_key` returns it."""

    @staticmethod
    def _of(struct: Any) -> "ApiKey":
        return ApiKey(ObjectId(bytes(struct.id.bytes)), string_of(struct.name), not struct.is_disabled, string_of(struct.key))


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
        struct.request_timeout_ms = int((request_timeout or 0) * 1000)
        struct.connect_timeout_ms = int((connect_timeout or 0) * 1000)
        struct.loop_mode = lib.FLX_LOOP_POLL if loop else lib.FLX_LOOP_OWN_THREAD
        self._handle = own_result("app", lib.flx_app_create, struct)
        self._driver = LoopDriver(self._handle, loop) if loop else None
        if self._driver:
            _drivers[_address(self._handle)] = self._driver
        if error_handler:
            self.set_error_handler(error_handler)

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
        """Takes the app out of its asyncio loop. Without `loop` there is nothing to close."""
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
        times = [int(one * 1000) for one in (connect, connection_linger, ping_period, pong_timeout, fast_reconnect)]
        struct = ffi.new("flx_sync_timeouts_t *", (ffi.sizeof("flx_sync_timeouts_t"), *times))
        call(lib.flx_app_set_sync_timeouts, self._handle, struct)

    def update_base_url(self, url: str) -> None:
        """Moves the app to a server at another URL until the end of the process. On failure it keeps its server.

        Raises UsageError, and AppError with APP_NOT_FOUND, CONNECTION_FAILED …
        """
        wait(self._update_base_url(url), self._driver)

    async def update_base_url_async(self, url: str) -> None:
        """`update_base_url` for asyncio."""
        await finished(self._update_base_url(url))

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
        return await finished(self._log_in(credentials))

    def _log_in(self, credentials: Credentials) -> Future:
        return _user_from(self, lib.flx_app_log_in, self._handle, credentials)

    @property
    def current_user(self) -> "Optional[User]":
        """The user who last logged in or was switched to, and is still logged in."""
        handle = own("user", lib.flx_app_get_current_user(self._handle))
        return None if handle is None else User(handle, self)

    @property
    def users(self) -> "list[User]":
        """The users on this device, logged in or not."""
        handles = [own("user", lib.flx_app_get_user_at(self._handle, index)) for index in range(lib.flx_app_user_count(self._handle))]
        return [User(handle, self) for handle in handles if handle is not None]

    def switch(self, user: "User") -> None:
        """Makes a logged-in user the current one. Raises AppError with USER_LOGGED_OUT or USER_NOT_FOUND."""
        call(lib.flx_app_switch_user, self._handle, user._handle)

    def __repr__(self) -> str:
        return f"<App {self.id} at {self.base_url}>"


#: The drivers of apps that run in asyncio, by the app.
_drivers: "weakref.WeakValueDictionary[int, LoopDriver]" = weakref.WeakValueDictionary()


def _address(handle: Any) -> int:
    return int(ffi.cast("uintptr_t", handle))


def _user_from(app: Any, function: Callable[..., None], handle: Any, credentials: Credentials) -> Future:
    """Starts something that ends with a user."""
    future: Future = Future()

    def finish(user: Any, error: Any) -> None:
        if error != NULL:
            settle(future, error=error_of(error))
        else:
            settle(future, User(own("user", user), app))

    struct, kept = credentials._struct()
    function(handle, struct, *callback("user_completion", finish))
    del kept
    return future


def _id_struct(identifier: ObjectId) -> Any:
    return ffi.new("flx_object_id_t *", (identifier.bytes,))


class EmailPassword:
    """Accounts with email and password: `App.email_password`. Every call sends a request to the server.

    Raises AppError with CONNECTION_FAILED, SERVICE_ERROR … besides what is listed. Any thread.
    """

    def __init__(self, app: App) -> None:
        self._app = app

    def _start(self, name: str, *texts: str) -> Future:
        return started(getattr(lib, "flx_app_" + name), self._app._handle, *(text(one) for one in texts))

    def register(self, email: str, password: str) -> None:
        """Makes an account, without logging in. Raises AppError with ACCOUNT_NAME_IN_USE."""
        wait(self._start("register_email", email, password), self._app._driver)

    async def register_async(self, email: str, password: str) -> None:
        """`register` for asyncio."""
        await finished(self._start("register_email", email, password))

    def confirm(self, token: str, token_id: str) -> None:
        """Confirms an account with what the confirmation email has. Raises AppError with USER_ALREADY_CONFIRMED."""
        wait(self._start("confirm_email", token, token_id), self._app._driver)

    async def confirm_async(self, token: str, token_id: str) -> None:
        """`confirm` for asyncio."""
        await finished(self._start("confirm_email", token, token_id))

    def resend_confirmation(self, email: str) -> None:
        """Asks the server to send the confirmation email again. Raises AppError with USER_NOT_FOUND."""
        wait(self._start("resend_confirmation", email), self._app._driver)

    async def resend_confirmation_async(self, email: str) -> None:
        """`resend_confirmation` for asyncio."""
        await finished(self._start("resend_confirmation", email))

    def retry_confirmation(self, email: str) -> None:
        """Asks the server to call the app's confirmation function again. Raises AppError with USER_NOT_FOUND."""
        wait(self._start("retry_confirmation_function", email), self._app._driver)

    async def retry_confirmation_async(self, email: str) -> None:
        """`retry_confirmation` for asyncio."""
        await finished(self._start("retry_confirmation_function", email))

    def send_password_reset(self, email: str) -> None:
        """Asks the server to send a password reset email."""
        wait(self._start("send_password_reset", email), self._app._driver)

    async def send_password_reset_async(self, email: str) -> None:
        """`send_password_reset` for asyncio."""
        await finished(self._start("send_password_reset", email))

    def reset_password(self, password: str, token: str, token_id: str) -> None:
        """Sets a new password with what the password reset email has."""
        wait(self._start("reset_password", password, token, token_id), self._app._driver)

    async def reset_password_async(self, password: str, token: str, token_id: str) -> None:
        """`reset_password` for asyncio."""
        await finished(self._start("reset_password", password, token, token_id))

    def call_reset_function(self, email: str, password: str, *arguments: Any) -> None:
        """Asks the server to call the app's password reset function."""
        words = json.dumps(arguments) if arguments else ""
        wait(self._start("call_password_reset_function", email, password, words), self._app._driver)

    async def call_reset_function_async(self, email: str, password: str, *arguments: Any) -> None:
        """`call_reset_function` for asyncio."""
        words = json.dumps(arguments) if arguments else ""
        await finished(self._start("call_password_reset_function", email, password, words))


class User:
    """A user of an app. Any thread.

    The calls that send a request raise AppError with CONNECTION_FAILED, SERVICE_ERROR, USER_LOGGED_OUT, USER_NOT_FOUND,
    INVALID_SESSION … besides what is listed.
    """

    def __init__(self, handle: Any, app: Any) -> None:
        self._handle, self._app = handle, app

    @staticmethod
    def _of(handle: Any) -> "User":
        """A user of an app that the program holds elsewhere."""
        app = App.__new__(App)
        app._handle = own("app", lib.flx_app_retain(lib.flx_user_app(handle)))
        app._driver = _drivers.get(_address(app._handle))
        return User(handle, app)

    @property
    def app(self) -> App:
        """The app of the user."""
        return self._app

    @property
    def id(self) -> str:
        """The user's id on the server."""
        return string_of(lib.flx_user_id(self._handle))

    @property
    def provider(self) -> str:
        """The provider of the identity used at the last login: "anon-user", "local-userpass" …"""
        return string_of(lib.flx_user_provider(self._handle))

    @property
    def state(self) -> UserState:
        """Whether the user can currently sync."""
        return UserState(lib.flx_user_get_state(self._handle))

    @property
    def is_logged_in(self) -> bool:
        """Whether the state is LOGGED_IN."""
        return self.state == UserState.LOGGED_IN

    @property
    def access_token(self) -> Optional[str]:
        """The current access token; None if the user is logged out."""
        return freed_text(lib.flx_user_access_token_copy(self._handle))

    @property
    def refresh_token(self) -> Optional[str]:
        """The refresh token; None if the user is logged out."""
        return freed_text(lib.flx_user_refresh_token_copy(self._handle))

    @property
    def identities(self) -> "list[UserIdentity]":
        """The identities, as of the last login or link. Works offline."""
        count = ffi.new("size_t *")
        array = lib.flx_user_identities_copy(self._handle, count)
        result = [UserIdentity(string_of(array[index].id), string_of(array[index].provider)) for index in range(count[0])]
        lib.flx_free(array)
        return result

    @property
    def profile(self) -> "dict[str, Any]":
        """What the providers say about the user, as of the last login or link: Extended JSON. Works offline."""
        return json.loads(freed_text(lib.flx_user_profile_copy(self._handle)) or "{}")

    @property
    def custom_data(self) -> "Optional[dict[str, Any]]":
        """The custom data as of the last login or refresh: Extended JSON; None if there is none. Works offline."""
        words = freed_text(lib.flx_user_custom_data_copy(self._handle))
        return None if words is None else json.loads(words)

    def configuration(self, **options: Any) -> Configuration:
        """The configuration of a realm of this user, with other options."""
        return Configuration(user=self, **options)

    @property
    def sessions(self) -> "list[Session]":
        """The sessions of the user whose realms are open."""
        count = lib.flx_user_session_count(self._handle)
        handles = [own("session", lib.flx_user_get_session_at(self._handle, index)) for index in range(count)]
        return [Session(handle, self._app._driver) for handle in handles if handle is not None]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, User) and other._handle == self._handle

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"<User {self.id} {self.state.name}>"

    # ---- the account ----

    def _start(self, name: str, *arguments: Any) -> Future:
        return started(getattr(lib, "flx_user_" + name), self._handle, *arguments)

    def _wait(self, future: Future) -> Any:
        return wait(future, self._app._driver)

    def log_out(self) -> None:
        """Logs the user out; files are kept, except those of an anonymous user. Works offline."""
        self._wait(self._start("log_out"))

    async def log_out_async(self) -> None:
        """`log_out` for asyncio."""
        await finished(self._start("log_out"))

    def remove(self) -> None:
        """Removes the user and the user's default realm files from this device. Raises FileError with ALREADY_OPEN."""
        self._wait(self._start("remove"))

    async def remove_async(self) -> None:
        """`remove` for asyncio."""
        await finished(self._start("remove"))

    def delete(self) -> None:
        """Deletes the account on the server, and removes the user from this device."""
        self._wait(self._start("delete"))

    async def delete_async(self) -> None:
        """`delete` for asyncio."""
        await finished(self._start("delete"))

    def refresh_custom_data(self) -> "Optional[dict[str, Any]]":
        """Fetches and returns the newest custom data."""
        self._wait(self._start("refresh_custom_data"))
        return self.custom_data

    async def refresh_custom_data_async(self) -> "Optional[dict[str, Any]]":
        """`refresh_custom_data` for asyncio."""
        await finished(self._start("refresh_custom_data"))
        return self.custom_data

    def link(self, credentials: Credentials) -> None:
        """Adds an identity, with which the user can log in from then on.

        Raises AppError with INVALID_PASSWORD, AUTH_PROVIDER_NOT_FOUND, and INVALID_SESSION if it belongs to another user.
        """
        self._wait(self._link(credentials))

    async def link_async(self, credentials: Credentials) -> None:
        """`link` for asyncio."""
        await finished(self._link(credentials))

    def _link(self, credentials: Credentials) -> Future:
        return _user_from(self._app, lib.flx_user_link, self._handle, credentials)

    # ---- API keys ----

    def create_api_key(self, name: str) -> ApiKey:
        """Creates an API key; the server never tells its secret again. Raises AppError with API_KEY_EXISTS."""
        return self._wait(self._keys("create_api_key", text(name)))[0]

    async def create_api_key_async(self, name: str) -> ApiKey:
        """`create_api_key` for asyncio."""
        return (await finished(self._keys("create_api_key", text(name))))[0]

    def api_keys(self) -> "list[ApiKey]":
        """Fetches all API keys of the user."""
        return self._wait(self._keys("fetch_api_keys"))

    async def api_keys_async(self) -> "list[ApiKey]":
        """`api_keys` for asyncio."""
        return await finished(self._keys("fetch_api_keys"))

    def fetch_api_key(self, identifier: ObjectId) -> ApiKey:
        """Fetches one API key. Raises AppError with API_KEY_NOT_FOUND."""
        return self._wait(self._keys("fetch_api_key", _id_struct(identifier)))[0]

    async def fetch_api_key_async(self, identifier: ObjectId) -> ApiKey:
        """`fetch_api_key` for asyncio."""
        return (await finished(self._keys("fetch_api_key", _id_struct(identifier))))[0]

    def enable_api_key(self, key: "ApiKey | ObjectId") -> None:
        """Allows an API key to log in again. Raises AppError with API_KEY_NOT_FOUND."""
        self._wait(self._key("enable_api_key", key))

    async def enable_api_key_async(self, key: "ApiKey | ObjectId") -> None:
        """`enable_api_key` for asyncio."""
        await finished(self._key("enable_api_key", key))

    def disable_api_key(self, key: "ApiKey | ObjectId") -> None:
        """Prevents an API key from logging in. Raises AppError with API_KEY_NOT_FOUND."""
        self._wait(self._key("disable_api_key", key))

    async def disable_api_key_async(self, key: "ApiKey | ObjectId") -> None:
        """`disable_api_key` for asyncio."""
        await finished(self._key("disable_api_key", key))

    def delete_api_key(self, key: "ApiKey | ObjectId") -> None:
        """Deletes an API key. Raises AppError with API_KEY_NOT_FOUND."""
        self._wait(self._key("delete_api_key", key))

    async def delete_api_key_async(self, key: "ApiKey | ObjectId") -> None:
        """`delete_api_key` for asyncio."""
        await finished(self._key("delete_api_key", key))

    def _key(self, name: str, key: "ApiKey | ObjectId") -> Future:
        identifier = key.id if isinstance(key, ApiKey) else key
        return self._start(name, _id_struct(identifier))

    def _keys(self, name: str, *arguments: Any) -> Future:
        future: Future = Future()

        def finish(keys: Any, count: int, error: Any) -> None:
            if error != NULL:
                settle(future, error=error_of(error))
            else:
                settle_with(future, lambda: [ApiKey._of(keys[index]) for index in range(count)])

        getattr(lib, "flx_user_" + name)(self._handle, *arguments, *callback("api_keys_completion", finish))
        return future

    # ---- functions ----

    def call_function(self, name: str, *arguments: Any, service: str = "") -> Any:
        """Calls a function of the app, or of a service, as the user. Arguments and result are Extended JSON.

        `flexsyncd` has no functions and refuses: AppError with SERVICE_ERROR.
        """
        return self._wait(self._call_function(name, arguments, service))

    async def call_function_async(self, name: str, *arguments: Any, service: str = "") -> Any:
        """`call_function` for asyncio."""
        return await finished(self._call_function(name, arguments, service))

    def _call_function(self, name: str, arguments: "tuple[Any, ...]", service: str) -> Future:
        future: Future = Future()

        def finish(result: Any, error: Any) -> None:
            if error != NULL:
                settle(future, error=error_of(error))
            else:
                settle_with(future, lambda: json.loads(string_of(result)))

        words = text(json.dumps(arguments))
        lib.flx_user_call_function(
            self._handle, text(name), words, text(service), *callback("function_completion", finish)
        )
        return future


def set_logger(threshold: LogLevel, function: Optional[Callable[[LogLevel, str], None]] = None) -> None:
    """Sends the log of the process to a function; without one, to standard error. The function may be called on any thread."""
    handler = None
    if function is not None:
        given = function

        def handler(level: int, message: Any) -> None:
            given(LogLevel(level), string_of(message))

    lib.flx_set_logger(threshold, *callback("log_callback", handler))


def version() -> str:
    """The version of the loaded library, such as "0.1.0"."""
    return ffi.string(lib.flx_version()).decode()
