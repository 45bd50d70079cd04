# SPDX-License-Identifier: Apache-2.0
"""What the tests share: folders, classes, and a server in a process of its own."""

from __future__ import annotations

import enum
import os
import re
import shutil
import subprocess
import tempfile
import time
import unittest
import uuid
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from flexsync import (
    App, Credentials, Decimal128, EmbeddedObject, Float32, Object, ObjectId, Realm, Results, backlinks, field, indexed, primary_key,
)

REPOSITORY = Path(__file__).resolve().parents[3]
SAMPLE_APP = REPOSITORY / "Examples/TaskTracker"
APP_ID = "tasktracker-abcde"
PATIENCE = 20.0


class Priority(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Place(EmbeddedObject):
    street: str
    number: int | None


class Person(Object):
    _id: int = primary_key()
    name: str = indexed(default="somebody")
    nickname: str | None
    friend: Person | None
    friends: list[Person]
    home: Place | None
    places: list[Place]
    placesByName: dict[str, Place | None]
    labels: set[str]
    scores: dict[str, int]
    numbers: list[int]
    anything: Any
    everything: list[Any]
    priority: Priority = Priority.LOW
    admirers: Results[Person] = backlinks("Person", "friend")


class Everything(Object):
    _id: ObjectId = primary_key(default_factory=ObjectId)
    flag: bool
    integer: int
    single: Float32
    double: float
    text: str
    data: bytes
    time: datetime | None
    decimal: Decimal128
    identifier: uuid.UUID | None
    other: ObjectId | None


class Task(Object):
    """As in Examples/TaskTracker."""

    _id: ObjectId = primary_key(default_factory=ObjectId)
    taskName: str
    assignee: str | None
    completed: bool
    progressMinutes: int
    dueDate: datetime = field(default_factory=lambda: datetime.now(timezone.utc))


class Team(Object):
    _id: ObjectId = primary_key(default_factory=ObjectId)
    teamName: str
    tasks: list[Task]
    members: list[str]


class FolderTestCase(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="flexsync-python."))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)


class RealmTestCase(FolderTestCase):
    """A test with a local realm."""

    def setUp(self) -> None:
        super().setUp()
        self.realm = self.open()
        self.addCleanup(self.realm.close)

    def open(self, **options: Any) -> Realm:
        return Realm.open(path=self.folder / "local.realm", classes=[Person, Place, Everything], **options)

    def add(self, one: Any) -> Any:
        with self.realm.write():
            return self.realm.add(one)


class Server:
    """A flexsyncd that serves Examples/TaskTracker. FLEXSYNCD is the path of the program."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.address = "127.0.0.1:0"
        self.start()

    def start(self) -> None:
        arguments = ["serve", "--app", str(SAMPLE_APP), "--data", str(self.folder / "data"), "--listen", self.address]
        # A file: nobody would empty a pipe, and a server whose log is stuck waits.
        log = self.folder / "server.log"
        with open(log, "wb") as file:
            self._process = subprocess.Popen([os.environ["FLEXSYNCD"], *arguments], stderr=file)
        for _ in range(int(PATIENCE / 0.01)):
            if found := re.search(r"listening on ([0-9.:]+)\s", log.read_text("utf-8")):
                self.address = found[1]
                break
            time.sleep(0.01)
        else:
            self.stop()
            raise RuntimeError("the server did not start")
        self.url = f"http://{self.address}"

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()


@unittest.skipUnless("FLEXSYNCD" in os.environ, "FLEXSYNCD is not the path of a server")
class ServerTestCase(FolderTestCase):
    """A test with a server, and devices that sync with it."""

    def setUp(self) -> None:
        super().setUp()
        self.server = Server(self.folder)
        self.addCleanup(self.server.stop)

    def app(self, device: str, **options: Any) -> App:
        return App(APP_ID, self.server.url, self.folder / device, **options)

    def open(self, device: str, **options: Any) -> Realm:
        """The realm of an anonymous user, who has all tasks."""
        app = self.app(device, error_handler=options.pop("error_handler", None))
        user = app.current_user or app.log_in(Credentials.anonymous())
        realm = Realm.open(user=user, classes=[Task, Team], **options)
        self.addCleanup(realm.close)
        return realm

    @staticmethod
    def subscribe(realm: Realm, query: str = "TRUEPREDICATE") -> None:
        with realm.subscriptions.update() as update:
            update.add(realm.objects(Task).where(query), name="tasks", replace=True)
        update.committed.wait(PATIENCE)

    @staticmethod
    def synchronize(realm: Realm) -> None:
        realm.session.wait_for_upload(PATIENCE)
        realm.session.wait_for_download(PATIENCE)
        realm.refresh()
