# SPDX-License-Identifier: Apache-2.0
"""How a realm is opened."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Callable, Optional, Sequence

from ._library import FREE, callback, ffi, lib, require, require_count, text, userdata
from .enumerations import ClientResetMode, SchemaMode, Status
from .errors import FlexSyncError, UsageError
from .schema import ClassArray

if TYPE_CHECKING:
    from .migration import Migration
    from .realm import Realm
    from .session import Progress, Session, SyncError
    from .subscriptions import SubscriptionUpdate
    from .users import User


@dataclass(frozen=True)
class ClientReset:
    """How a client reset is handled, which the server demands when it cannot continue with the file of a device.

    All functions are called on the loop thread. The realms that they get can be used until they return.
    """

    mode: ClientResetMode = ClientResetMode.RECOVER_OR_DISCARD_UNSYNCED
    before: "Optional[Callable[[Realm], None]]" = None
    """Called with the device's data before the reset changes anything."""
    after: "Optional[Callable[[Realm, Realm, bool], None]]" = None
    """Called with the data before and after the reset, and whether unsynced changes were recovered."""
    on_error: "Optional[Callable[[Session, SyncError], None]]" = None
    """Called for a reset that is left to the program, instead of the app's error handler."""


@dataclass(frozen=True)
class Configuration:
    """What `Realm.open` opens, and how."""

    path: "Optional[str | os.PathLike[str]]" = None
    """The file. Its folder must exist. Without it, a user's default file."""
    in_memory: Optional[str] = None
    """The name of a realm that is kept in memory, and shared within the process, until it is closed."""
    user: "Optional[User]" = None
    """The user whose data to sync; without one, the realm is local."""
    classes: "Optional[Sequence[type]]" = None
    """The classes of the realm; without them it has those of the file, and objects of classes made for them."""
    read_only: bool = False
    """Open for reading only; the file of a local realm must exist."""
    schema_version: Optional[int] = None
    """The version of the schema of a local realm. A higher one than the file's migrates the file. For a synced realm, which
    is never migrated, the version that the app on the server has, if it has one."""
    migration: "Optional[Callable[[Migration], None]]" = None
    """Converts the objects when the file has a lower version. Called on the thread that opens the realm."""
    reset_if_migration_needed: bool = False
    """Delete all objects of a local realm instead of migrating them."""
    should_compact: "Optional[Callable[[int, int], bool]]" = None
    """Decides with the size of the file and the part that holds data whether it is compacted before it is opened."""
    seed_path: "Optional[str | os.PathLike[str]]" = None
    """A realm file of which a new file becomes a copy; see `Realm.write_copy`."""
    initial_subscriptions: "Optional[Callable[[Realm, SubscriptionUpdate], None]]" = None
    """Fills the first subscription set, if the file is new."""
    rerun_initial_subscriptions: bool = False
    """Call `initial_subscriptions` at the first open of each process."""
    client_reset: ClientReset = ClientReset()
    """How a client reset is handled."""
    starts_suspended: bool = False
    """Open, but do not connect until `Session.resume`."""
    refuse_unsubscribed_objects: bool = False
    """Make a transaction fail if an object that it writes is in no subscription, since the server would revert it."""
    rejected_write_limit: int = 0
    """How many rejected writes the file keeps; 0 means 1000."""
    may_change_thread_in_write: bool = False
    """Allow a write transaction to continue on another thread."""
    maximum_active_versions: int = 0
    """How many versions of the data may be in use when a transaction begins; 0 for any."""
    fail_opening_at_first_error: bool = False
    """Make `Realm.open_async` and waiting for a download fail with the first error instead of trying again."""
    on_progress: "Optional[Callable[[Progress], None]]" = None
    """Receives the progress of the download while the realm opens. Called on the loop thread."""

    def changed(self, **options: Any) -> "Configuration":
        """The same with other options."""
        return replace(self, **options)


class ConfigurationStruct:
    """A `flx_realm_config_t` for one call. The calls that open a realm own the userdata in it."""

    def __init__(self, configuration: Configuration, has_callbacks: bool = True) -> None:
        self.configuration = configuration
        self.error: Optional[BaseException] = None
        self.struct = struct = ffi.new("flx_realm_config_t *")
        struct.struct_size = ffi.sizeof("flx_realm_config_t")
        self._kept: "list[Any]" = []
        for name, value in self._paths().items():
            setattr(struct, name, self._text(value))
        if configuration.user is not None:
            from .users import User

            struct.user = require(User, configuration.user, "the user of a realm to be a User")._handle
        if has_callbacks and configuration.user is not None:
            self._refuse_migration()
        self._set_schema()
        self._copy("rerun_initial_subscriptions", "starts_suspended", "refuse_unsubscribed_objects", "rejected_write_limit",
                   "may_change_thread_in_write", "read_only", "maximum_active_versions", "fail_opening_at_first_error")
        struct.client_reset_mode = configuration.client_reset.mode
        if has_callbacks:
            self._set_callbacks()

    def _paths(self) -> "dict[str, str]":
        one = self.configuration
        path, seed = (os.fspath(each) if each else "" for each in (one.path, one.seed_path))
        return {"path": path, "seed_path": seed, "in_memory_name": one.in_memory or ""}

    def _text(self, string: str) -> tuple:
        result = text(string)
        self._kept.append(result)
        return result

    def _copy(self, *names: str) -> None:
        for name in names:
            setattr(self.struct, name, getattr(self.configuration, name))

    def _set_schema(self) -> None:
        one, struct = self.configuration, self.struct
        if one.classes is None:
            struct.schema_mode = SchemaMode.FROM_FILE
            return
        classes = ClassArray(list(one.classes))
        self._kept.append(classes)
        struct.classes, struct.class_count = classes.array, classes.count
        if one.reset_if_migration_needed:
            struct.schema_mode = SchemaMode.VERSIONED_OR_RESET
        elif one.schema_version is not None and one.user is None:
            struct.schema_mode = SchemaMode.VERSIONED
        struct.schema_version = require_count(one.schema_version or 0, "schema_version")

    def _refuse_migration(self) -> None:
        """Refuses, in the words of Python, what the library refuses for a synced realm."""
        one = self.configuration
        if one.classes is None:
            raise UsageError(Status.INVALID_ARGUMENT, "A synced realm needs the program's classes: pass `classes`.")
        options = {"migration": one.migration is not None, "reset_if_migration_needed": one.reset_if_migration_needed}
        for option in (name for name, is_given in options.items() if is_given):
            raise UsageError(
                Status.INVALID_ARGUMENT,
                f"A synced realm is never migrated: leave out `{option}`. Its file gets the classes and properties that it "
                "lacks.",
            )

    # ---- callbacks ----

    def _set_callbacks(self) -> None:
        one = self.configuration
        initial = one.initial_subscriptions and self._initial_subscriptions
        self._set("initial_subscriptions", "initial_subscriptions", initial)
        self._set("migration", "migration", one.migration and self._migrate)
        self._set("should_compact", "should_compact", one.should_compact)
        self._set("open_progress", "progress_callback", one.on_progress and self._progress)
        self._set_client_reset(one.client_reset)

    def _set(self, name: str, kind: str, function: Optional[Callable[..., Any]]) -> None:
        values = callback(kind, function)
        for member, value in zip((name, name + "_userdata", f"free_{name}_userdata"), values):
            setattr(self.struct, member, value)

    def _set_client_reset(self, reset: ClientReset) -> None:
        """The three callbacks share their userdata: a function that tells them apart by their arguments."""
        from .session import Session, SyncError

        def before_reset(before: Any) -> None:
            with self._borrowed(before) as realm:
                reset.before(realm)  # type: ignore[misc]

        def after_reset(before: Any, after: Any, did_recover: bool) -> None:
            with self._borrowed(before) as old, self._borrowed(after) as new:
                reset.after(old, new, did_recover)  # type: ignore[misc]

        def error_of_reset(session: Any, error: Any) -> None:
            reset.on_error(Session._retained(session), SyncError._of(error))  # type: ignore[misc]

        functions: "dict[int, Callable[..., None]]" = {1: before_reset, 2: error_of_reset, 3: after_reset}
        given: "dict[str, Any]" = {
            "before_client_reset": reset.before, "after_client_reset": reset.after, "client_reset_error": reset.on_error,
        }
        for name, function in given.items():
            if function:
                setattr(self.struct, name, ffi.addressof(lib, "flexsync_call_" + name))
        if any(given.values()):
            self.struct.client_reset_userdata = userdata(lambda *values: functions[len(values)](*values))
            self.struct.free_client_reset_userdata = FREE

    def _borrowed(self, handle: Any) -> "Realm":
        from .realm import Realm

        return Realm._borrowed(handle, self.configuration.classes)

    def _initial_subscriptions(self, realm: Any, update: Any, error: Any) -> int:
        from .subscriptions import SubscriptionUpdate

        try:
            with self._borrowed(realm) as borrowed:
                self.configuration.initial_subscriptions(borrowed, SubscriptionUpdate(borrowed, update))  # type: ignore[misc]
            return Status.OK
        except BaseException as failure:
            return self._fail(failure, error)

    def _migrate(self, before: Any, after: Any, old_version: int, error: Any) -> int:
        from .migration import Migration
        from .realm import Realm

        try:
            with Realm._borrowed(before, None) as old, self._borrowed(after) as new:
                self.configuration.migration(Migration(old, new, old_version))  # type: ignore[misc]
            return Status.OK
        except BaseException as failure:
            return self._fail(failure, error)

    def _fail(self, failure: BaseException, error: Any) -> int:
        """Tells the library what the program's own function raised; opening then fails."""
        self.error = failure
        status = failure.status if isinstance(failure, FlexSyncError) and failure.status else Status.CANCELED
        error.status, error.code = status, 0
        message = _words_of(failure).encode("utf-8", "replace")[:1000]
        ffi.memmove(error.message, message + b"\0", len(message) + 1)
        return status

    def _progress(self, progress: Any) -> None:
        from .session import Progress

        self.configuration.on_progress(Progress._of(progress))  # type: ignore[misc]

    def raise_error_of_callback(self) -> None:
        """Raises what the program's own function raised while the realm was being opened."""
        if self.error is not None:
            raise self.error


def _words_of(failure: BaseException) -> str:
    """The message of an exception, whose own method may fail: whatever happens, opening must not succeed."""
    try:
        return str(failure)
    except Exception:
        return type(failure).__name__


def configuration_of(configuration: Optional[Configuration], options: "dict[str, Any]") -> Configuration:
    if configuration is None:
        return Configuration(**options)
    return configuration.changed(**options) if options else configuration
