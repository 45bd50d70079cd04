# SPDX-License-Identifier: Apache-2.0
"""Users and their accounts."""

from __future__ import annotations

import json
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Callable, Optional

from ._library import (
    NULL, callback, error_of, ffi, finished, freed_text, lib, own, own_result, require, settle, settle_with, started,
    string_of, text, wait,
)
from .changes import NotificationToken
from .configuration import Configuration
from .credentials import ApiKey, Credentials, UserIdentity
from .enumerations import UserState, WatchEvent
from .errors import FlexSyncError
from .session import Session
from .values import ObjectId

if TYPE_CHECKING:
    from .app import App


def user_from(app: Any, function: Callable[..., None], handle: Any, credentials: Credentials) -> Future:
    """Starts something that ends with a user."""
    future: Future = Future()

    def finish(user: Any, error: Any) -> None:
        if error != NULL:
            settle(future, error=error_of(error))
        else:
            settle(future, User(own("user", user), app))

    struct, kept = require(Credentials, credentials, "Credentials")._struct()
    function(handle, struct, *callback("user_completion", finish))
    del kept
    return future


def _id_struct(identifier: ObjectId) -> Any:
    return ffi.new("flx_object_id_t *", (identifier.bytes,))


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
        from .app import App

        return User(handle, App._of(own("app", lib.flx_app_retain(lib.flx_user_app(handle)))))

    @property
    def app(self) -> "App":
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
        """The user's profile as the login providers reported it at the last login or link, as Extended JSON. Works offline."""
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
        """Logs the user out; files are kept, except those of an anonymous user. Works offline.

        If it is the server that ends a login, all files are kept; see `SyncError.recovery_path`.
        """
        self._wait(self._start("log_out"))

    async def log_out_async(self) -> None:
        """`log_out` for asyncio."""
        await finished(self._start("log_out"), self._app._driver)

    def remove(self) -> None:
        """Removes the user and the user's default realm files from this device. Raises FileError with ALREADY_OPEN."""
        self._wait(self._start("remove"))

    async def remove_async(self) -> None:
        """`remove` for asyncio."""
        await finished(self._start("remove"), self._app._driver)

    def delete(self) -> None:
        """Deletes the account on the server, and removes the user from this device."""
        self._wait(self._start("delete"))

    async def delete_async(self) -> None:
        """`delete` for asyncio."""
        await finished(self._start("delete"), self._app._driver)

    def refresh_custom_data(self) -> "Optional[dict[str, Any]]":
        """Fetches and returns the newest custom data."""
        self._wait(self._start("refresh_custom_data"))
        return self.custom_data

    async def refresh_custom_data_async(self) -> "Optional[dict[str, Any]]":
        """`refresh_custom_data` for asyncio."""
        await finished(self._start("refresh_custom_data"), self._app._driver)
        return self.custom_data

    def link(self, credentials: Credentials) -> None:
        """Adds an identity, with which the user can log in from then on.

        Raises AppError with INVALID_PASSWORD, AUTH_PROVIDER_NOT_FOUND, and INVALID_SESSION if it belongs to another user.
        """
        self._wait(self._link(credentials))

    async def link_async(self, credentials: Credentials) -> None:
        """`link` for asyncio."""
        await finished(self._link(credentials), self._app._driver)

    def _link(self, credentials: Credentials) -> Future:
        return user_from(self._app, lib.flx_user_link, self._handle, credentials)

    # ---- API keys ----

    def create_api_key(self, name: str) -> ApiKey:
        """Creates an API key; the server never tells its secret again. Raises AppError with API_KEY_EXISTS."""
        return self._wait(self._keys("create_api_key", text(name)))[0]

    async def create_api_key_async(self, name: str) -> ApiKey:
        """`create_api_key` for asyncio."""
        return (await finished(self._keys("create_api_key", text(name)), self._app._driver))[0]

    def api_keys(self) -> "list[ApiKey]":
        """Fetches all API keys of the user."""
        return self._wait(self._keys("fetch_api_keys"))

    async def api_keys_async(self) -> "list[ApiKey]":
        """`api_keys` for asyncio."""
        return await finished(self._keys("fetch_api_keys"), self._app._driver)

    def fetch_api_key(self, identifier: ObjectId) -> ApiKey:
        """Fetches one API key. Raises AppError with API_KEY_NOT_FOUND."""
        return self._wait(self._keys("fetch_api_key", _id_struct(identifier)))[0]

    async def fetch_api_key_async(self, identifier: ObjectId) -> ApiKey:
        """`fetch_api_key` for asyncio."""
        return (await finished(self._keys("fetch_api_key", _id_struct(identifier)), self._app._driver))[0]

    def enable_api_key(self, key: "ApiKey | ObjectId") -> None:
        """Allows an API key to log in again. Raises AppError with API_KEY_NOT_FOUND."""
        self._wait(self._key("enable_api_key", key))

    async def enable_api_key_async(self, key: "ApiKey | ObjectId") -> None:
        """`enable_api_key` for asyncio."""
        await finished(self._key("enable_api_key", key), self._app._driver)

    def disable_api_key(self, key: "ApiKey | ObjectId") -> None:
        """Prevents an API key from logging in. Raises AppError with API_KEY_NOT_FOUND."""
        self._wait(self._key("disable_api_key", key))

    async def disable_api_key_async(self, key: "ApiKey | ObjectId") -> None:
        """`disable_api_key` for asyncio."""
        await finished(self._key("disable_api_key", key), self._app._driver)

    def delete_api_key(self, key: "ApiKey | ObjectId") -> None:
        """Deletes an API key. Raises AppError with API_KEY_NOT_FOUND."""
        self._wait(self._key("delete_api_key", key))

    async def delete_api_key_async(self, key: "ApiKey | ObjectId") -> None:
        """`delete_api_key` for asyncio."""
        await finished(self._key("delete_api_key", key), self._app._driver)

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
        return await finished(self._call_function(name, arguments, service), self._app._driver)

    def watch(self, function: "Callable[[WatchEvent, Optional[dict[str, Any]], Optional[FlexSyncError]], None]", *,
              database: str, collection: str, service: str = "mongodb-atlas", **options: Any) -> NotificationToken:
        """Watches a MongoDB collection until the token is closed. `flexsyncd` refuses.

        The function gets the kind of the event, the change event in Extended JSON if it is one, and the error if there is
        one. It is called on the loop thread. The options are `filter`, a condition on change events, or `ids`.
        """

        def told(event: int, change: Any, error: Any) -> None:
            words = string_of(change)
            function(WatchEvent(event), json.loads(words) if words else None, None if error == NULL else error_of(error))

        arguments = text(json.dumps([{"database": database, "collection": collection, **options}]))
        return NotificationToken(own_result(
            "notification_token", lib.flx_user_watch, self._handle, arguments, text(service),
            *callback("watch_callback", told),
        ))

    def register_push(self, service: str, token: str) -> None:
        """Registers this device for the push messages of a service; an empty token ends that. `flexsyncd` refuses."""
        self._wait(self._start("register_push", text(service), text(token)))

    async def register_push_async(self, service: str, token: str) -> None:
        """`register_push` for asyncio."""
        await finished(self._start("register_push", text(service), text(token)), self._app._driver)

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
