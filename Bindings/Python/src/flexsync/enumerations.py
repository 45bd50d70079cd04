# SPDX-License-Identifier: Apache-2.0
# Made by raw_layer.py from flexsync.api.json; do not edit.
"""The enumerations of the library."""

from enum import IntEnum


class OpenEnumeration(IntEnum):
    """An enumeration to which a later version of the library may add values; those have names such as UNKNOWN_7."""

    @classmethod
    def _missing_(cls, value: object) -> "OpenEnumeration | None":
        if not isinstance(value, int):
            return None
        member = int.__new__(cls, value)
        member._name_ = f"UNKNOWN_{value}"
        member._value_ = value
        return member

    def __str__(self) -> str:
        return self.name


class Status(OpenEnumeration):
    """The status of a call: OK, or the kind of failure. Numbers and meanings are those of `FLX_STATUS_MAP`."""

    OK = 0
    """success"""
    INVALID_ARGUMENT = 1
    """an argument is not valid"""
    UNSUPPORTED = 2
    """the operation is not supported"""
    INTERNAL = 3
    """an internal invariant was violated; please report it"""
    CANCELED = 4
    """the operation was canceled"""
    TIMED_OUT = 5
    """the operation did not finish in time"""
    IO = 100
    """reading or writing a file failed"""
    DISK_FULL = 101
    """the disk is full"""
    BUSY = 102
    """another writer held the file for too long"""
    NOT_A_DATABASE = 103
    """the file is not a FlexSync file"""
    CORRUPT = 104
    """the file is damaged"""
    PERMISSION_DENIED = 105
    """access to the file or folder was denied"""
    ALREADY_OPEN = 106
    """the realm is open"""
    MULTIPLE_SYNC_AGENTS = 107
    """another process syncs the file; close the realm there and try again"""
    INCOMPATIBLE_FILE = 108
    """the file has another user, app or kind of realm, or a newer format"""
    FILE_EXISTS = 109
    """a file of that name already exists"""
    SCHEMA_MISMATCH = 200
    """the schema conflicts with the one in the file"""
    NO_SUCH_CLASS = 201
    """the class does not exist"""
    NO_SUCH_PROPERTY = 202
    """the property does not exist"""
    TYPE_MISMATCH = 203
    """the value and the property have different types"""
    NULL_NOT_ALLOWED = 204
    """the property is required"""
    DUPLICATE_PRIMARY_KEY = 205
    """an object with this primary key already exists"""
    OBJECT_INVALIDATED = 206
    """the object was deleted, or its realm closed"""
    INDEX_OUT_OF_BOUNDS = 207
    """the index is out of bounds"""
    NOT_IN_WRITE_TRANSACTION = 208
    """the operation needs a write transaction"""
    IN_WRITE_TRANSACTION = 209
    """the operation is not possible in a write transaction"""
    VALUE_TOO_LARGE = 210
    """the value is too large"""
    WRONG_THREAD = 211
    """another thread is using the realm"""
    INVALID_SCHEMA_VERSION = 212
    """the schema version is not one that the file can have"""
    QUERY_SYNTAX = 300
    """the query has a syntax error"""
    QUERY_INVALID = 301
    """the query does not match the schema"""
    QUERY_ARGUMENT = 302
    """a query argument is missing or not valid"""
    NOT_SYNCED = 400
    """the realm was not configured with flexible sync"""
    NO_SUBSCRIPTION_FOR_WRITE = 401
    """the class has no subscription"""
    SUBSCRIPTION_EXISTS = 402
    """a subscription with that name already exists"""
    SUBSCRIPTION_NOT_FOUND = 403
    """the subscription does not exist"""
    SUBSCRIPTION_CLASS_MISMATCH = 404
    """the subscription is for another class"""
    SUBSCRIPTION_FAILED = 405
    """the server rejected the subscription set"""
    SUBSCRIPTION_SUPERSEDED = 406
    """a newer subscription set replaced this one"""
    SUBSCRIPTION_UPDATE_OPEN = 407
    """the subscription set is already being updated"""
    CONNECTION_FAILED = 500
    """the server could not be reached"""
    TLS_FAILED = 501
    """the secure connection could not be established"""
    BAD_RESPONSE = 502
    """the server's response was not understood"""
    SERVICE_ERROR = 503
    """the server reported an error"""
    INVALID_PASSWORD = 504
    """the email or the password is wrong"""
    ACCOUNT_NAME_IN_USE = 505
    """an account with that name already exists"""
    USER_NOT_FOUND = 506
    """the user does not exist"""
    INVALID_SESSION = 507
    """the user must log in again"""
    USER_LOGGED_OUT = 508
    """the user is logged out"""
    APP_NOT_FOUND = 509
    """the server has no app with that id"""
    AUTH_PROVIDER_NOT_FOUND = 510
    """the app does not let users log in this way"""
    USER_DISABLED = 511
    """the user is disabled on the server"""
    USER_ALREADY_CONFIRMED = 512
    """the account is already confirmed"""
    API_KEY_NOT_FOUND = 513
    """the user has no API key with that id"""
    API_KEY_EXISTS = 514
    """the user already has an API key with that name"""
    SESSION_INACTIVE = 600
    """the sync session became inactive"""
    SESSION_FAILED = 601
    """the server ended the sync session"""
    WRITE_REJECTED = 602
    """the server reverted writes"""
    CLIENT_RESET = 603
    """the file must be reset"""
    SERVER_WARNING = 604
    """the server sent a warning"""
    PROTOCOL_ERROR = 605
    """the server broke the protocol"""
    CLIENT_RESET_FAILED = 606
    """a client reset failed; the file is created anew when it is next opened"""


class Type(OpenEnumeration):
    """The type of a value or property. Numbers are those of the sync protocol, except for null."""

    NULL = -1
    MIXED = 0
    INT = 1
    BOOL = 2
    STRING = 3
    BINARY = 4
    TIMESTAMP = 5
    FLOAT = 6
    DOUBLE = 7
    DECIMAL = 8
    LINK = 9
    OBJECT_ID = 10
    UUID = 11
    LIST = 32
    """A list in a mixed value: only returned by reads, without its content."""
    DICTIONARY = 33
    """A dictionary in a mixed value: only returned by reads, without its content."""


class Collection(OpenEnumeration):
    """Whether a property holds one value or a collection. Numbers are those of the sync protocol."""

    NONE = 0
    LIST = 1
    DICTIONARY = 2
    SET = 3


class ClassKind(OpenEnumeration):
    """The kind of objects in a class. Numbers are those of the sync protocol."""

    TOP_LEVEL = 0
    EMBEDDED = 1
    """Objects that live inside other objects and have no primary key."""
    ASYMMETRIC = 2
    """Objects that are uploaded but not kept on the device (data ingest). They are created and filled in within a
    write transaction and are gone once it is committed. They need no subscription, and cannot be queried, found or
    observed. They can hold embedded objects and links to objects of other classes, but no links in mixed values,
    and nothing can link to them. Only a synced realm can have such classes. An object that the server refuses to
    store is reported with FLX_STATUS_WRITE_REJECTED; nothing is reverted on the device."""


class SchemaMode(OpenEnumeration):
    """Determines how the classes in a configuration and those of the file are reconciled when a realm is opened."""

    ADDITIVE = 0
    """The file gets the classes and properties that it lacks. A property of another type fails with SCHEMA_MISMATCH.
    The schema in the file has no version. For synced realms this is the only mode."""
    VERSIONED = 1
    """The schema has the version `flx_realm_config_t.schema_version`, which is stored in the file. When the library
    decides whether to migrate, a file that already has classes but no version counts as version 0; a new file gets
    the version. Without a new version, the file gets only new classes and indexes; any other difference fails with
    SCHEMA_MISMATCH, and the message lists what has changed. A higher version migrates the file; a lower one, or
    with `read_only` any other one, fails with INVALID_SCHEMA_VERSION."""
    VERSIONED_OR_RESET = 2
    """Like the versioned mode, but where that would migrate or fail, all classes and objects are deleted instead."""
    FROM_FILE = 3
    """The realm has the classes that the file has. The configuration must name none. Such a realm does not prevent a
    migration, after which it cannot be used any more."""


class ClientResetMode(OpenEnumeration):
    """Determines how a client reset is handled. The server demands one when it cannot continue with the file, because
    the device was away for too long or the server was restored from a backup. Protocol §9. In all modes but the
    manual one, a fresh copy is downloaded and replaces the file's contents in a single write: realms and objects
    stay valid, and observers are notified of what has changed. A reset that is interrupted, even by the end of the
    process, starts over by itself. One that is impossible is reported with CLIENT_RESET_FAILED and left to the
    program, as in the manual mode."""

    MANUAL = 0
    """Report CLIENT_RESET and end the session. When the realm is opened again, or `flx_session_perform_client_reset`
    is called, the file is backed up and deleted, and the server's data is downloaded afresh."""
    DISCARD_UNSYNCED = 1
    """Discard changes and subscriptions that the server has not acknowledged."""
    RECOVER_UNSYNCED = 2
    """Apply the changes that the server has not acknowledged to the fresh copy, and upload them. Changes to anything
    that no longer exists there are left out. If they touched elements of a list that they had not inserted
    themselves, the entire list is restored to its state on the device. Fails if the server forbids recovery."""
    RECOVER_OR_DISCARD_UNSYNCED = 3
    """Recover, or discard if that fails."""


class Download(OpenEnumeration):
    """Determines when opening waits for the server."""

    LOCAL = 0
    """Do not wait."""
    DOWNLOAD_ONCE = 1
    """Wait for the first download and initial subscriptions if the file is new."""
    DOWNLOAD_ALWAYS = 2
    """Wait for a download every time."""


class LinkState(OpenEnumeration):
    """Where a link leads."""

    NULL = 0
    """Nowhere: the link is null."""
    RESOLVED = 1
    """To an object on this device."""
    OUT_OF_VIEW = 2
    """To an object that is not on this device: no subscription brings it, the user may not read it, or a device that
    did not have the linking object has deleted it. The link reads as null until the object arrives. Deleting an
    object makes null the links to it in all objects that are on the deleting device, so other devices get those as
    FLX_LINK_NULL."""


class SubscriptionState(OpenEnumeration):
    """The state of a subscription set. Protocol §4.2."""

    PENDING = 1
    """Committed on the device; the server has not answered yet."""
    BOOTSTRAPPING = 2
    """The data is being downloaded."""
    COMPLETE = 3
    """The data that matched when the server processed the set is on the device."""
    ERROR = 4
    """The server rejected the set; the previous set stays in force."""
    SUPERSEDED = 5
    """A newer set took its place."""
    AWAITING_MARK = 6
    """The data is on the device; the server's confirmation is outstanding."""


class WaitForSync(OpenEnumeration):
    """Determines when `flx_results_subscribe` waits."""

    ON_CREATION = 0
    """If the subscription is new or its query has changed."""
    ALWAYS = 1
    """Always, until the server's current data is on the device."""
    NEVER = 2


class SessionState(OpenEnumeration):
    """Whether a session syncs."""

    ACTIVE = 0
    """Syncing, or trying to, or waiting to become the sync agent."""
    INACTIVE = 1
    """Suspended, logged out, or ended by a fatal error."""
    CLOSED = 2
    """The realm is closed; the session never syncs again."""


class ConnectionState(OpenEnumeration):
    """Whether a session is connected to the server."""

    DISCONNECTED = 0
    CONNECTING = 1
    CONNECTED = 2


class Direction(OpenEnumeration):
    """The direction of a transfer."""

    UPLOAD = 0
    DOWNLOAD = 1


class RejectedWriteState(OpenEnumeration):
    """The state of a rejected write."""

    KEPT = 0
    """Waiting to be resubmitted or discarded."""
    RESUBMITTED = 1
    """Resubmitted. Once the server accepts it, it is no longer listed; if the server rejects it again, it becomes
    KEPT."""


class UserState(OpenEnumeration):
    """Whether a user can sync."""

    LOGGED_OUT = 0
    """The user is stored on this device, but has to log in again. An anonymous user whose login the server has ended
    cannot do that, and stays until `flx_user_remove`, since the files may have what was not uploaded."""
    LOGGED_IN = 1
    REMOVED = 2
    """The user was removed from this device or deleted on the server."""


class LogLevel(OpenEnumeration):
    """The severity of a log line, as in the sync protocol. A threshold lets through lines that are at least as severe."""

    ALL = 0
    TRACE = 1
    DEBUG = 2
    DETAIL = 3
    INFO = 4
    WARN = 5
    ERROR = 6
    FATAL = 7
    OFF = 8


class WatchEvent(OpenEnumeration):
    """The kind of an event that a stream of changes reports."""

    OPENED = 0
    """The server has accepted the request: later changes are reported."""
    CHANGED = 1
    """A change: `change` is a change event of MongoDB in Extended JSON."""
    FAILED = 2
    """The server reports an error; the stream ends."""
    CLOSED = 3
    """The stream has ended, by itself if there is an error. It is the last event."""
