# SPDX-License-Identifier: Apache-2.0
"""FlexSync: an offline-first object database that stays in sync with a server you run yourself.

    import flexsync
    from flexsync import ObjectId, primary_key

    class Task(flexsync.Object):
        _id: ObjectId = primary_key(default_factory=ObjectId)
        taskName: str
        completed: bool

    with flexsync.Realm.open(path="tasks.realm", classes=[Task]) as realm:
        with realm.write():
            realm.add(Task(taskName="Write the report"))
        for task in realm.objects(Task).where("completed == false"):
            print(task.taskName)

Docs/Python.md in the repository of FlexSync is the tutorial.
"""

from decimal import Decimal as Decimal128

from .app import App
from .changes import ChangeStream, CollectionChanges, DictionaryChanges, NotificationToken, ObjectChanges
from .collections import Dictionary, List, Set
from .columns import Columns
from .configuration import ClientReset, Configuration
from .credentials import ApiKey, Credentials, UserIdentity
from .email_password import EmailPassword
from .enumerations import (
    ClassKind, ClientResetMode, Collection, ConnectionState, Direction, Download, LinkState, LogLevel, RejectedWriteState,
    SessionState, Status, SubscriptionState, Type, UserState, WaitForSync, WatchEvent,
)
from .errors import (
    AppError, ElementIndexError, FileError, FlexSyncError, ObjectError, OperationTimeout, QueryError, SessionError,
    SubscriptionError, UsageError,
)
from .http import HttpRequest, HttpResponse
from .log import set_logger, version
from .objects import AsymmetricObject, EmbeddedObject, Object, backlinks, field, indexed, primary_key
from .migration import Migration
from .realm import Realm
from .rejected import RejectedWrite, RejectedWrites
from .results import Results, ThreadSafeReference
from .schema import Float32, PropertyInfo
from .session import CompensatingWrite, Progress, Session, SyncError
from .subscriptions import Subscription, SubscriptionSet, SubscriptionUpdate
from .users import User
from .values import ObjectId

__version__ = "0.1.0"
__all__ = [
    "ApiKey", "App", "AppError", "AsymmetricObject", "ChangeStream", "ClassKind", "ClientReset", "ClientResetMode",
    "Collection", "CollectionChanges", "Columns", "CompensatingWrite", "Configuration", "ConnectionState",
    "Credentials", "Decimal128", "Dictionary", "DictionaryChanges", "Direction", "Download", "ElementIndexError",
    "EmailPassword", "EmbeddedObject", "FileError", "FlexSyncError", "Float32", "HttpRequest", "HttpResponse",
    "LinkState", "List", "LogLevel", "Migration", "NotificationToken", "Object", "ObjectChanges", "ObjectError",
    "ObjectId", "OperationTimeout", "Progress", "PropertyInfo", "QueryError", "Realm", "RejectedWrite",
    "RejectedWriteState", "RejectedWrites", "Results", "Session", "SessionError", "SessionState", "Set", "Status",
    "Subscription", "SubscriptionError", "SubscriptionSet", "SubscriptionState", "SubscriptionUpdate", "SyncError",
    "ThreadSafeReference", "Type", "UsageError", "User", "UserIdentity", "UserState", "WaitForSync", "WatchEvent",
    "backlinks", "field", "indexed", "primary_key", "set_logger", "version",
]
