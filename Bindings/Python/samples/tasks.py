#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A task tracker on the command line, in Python: one command per run; data and login stay on disk between runs.

It does what Bindings/C/tasks.c does:

    tasks.py --server http://localhost:9090 --app tasktracker-abcde --data ./phone register alice@example.com secret
    tasks.py … login alice@example.com secret
    tasks.py … subscribe mine 'assignee == "Nadia Zhang"'
    tasks.py … list 'completed == false SORT(dueDate ASC)'
    tasks.py … --offline add 'Write the report' 'Nadia Zhang' 45
    tasks.py … sync
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys
from datetime import datetime, timedelta, timezone
from typing import Any

from flexsync import (
    App, CollectionChanges, Credentials, FlexSyncError, Object, ObjectId, Realm, Results, Session, SubscriptionUpdate, SyncError,
    field, primary_key,
)

TIMEOUT = 30.0


class Task(Object):
    """flexsyncd has the same class in Examples/TaskTracker."""

    _id: ObjectId = primary_key(default_factory=ObjectId)
    taskName: str
    assignee: str | None
    completed: bool
    progressMinutes: int
    dueDate: datetime = field(default_factory=lambda: datetime.now(timezone.utc) + timedelta(days=7))


class Team(Object):
    _id: ObjectId = primary_key(default_factory=ObjectId)
    teamName: str
    tasks: list[Task]
    members: list[str]


def show(task: Task) -> None:
    mark = "x" if task.completed else " "
    print(f"{task._id} [{mark}] {task.progressMinutes:4} min  {task.assignee or '-':<9} {task.taskName}")


def report_sync_error(session: Session, error: SyncError) -> None:
    print(f"sync: {error}", file=sys.stderr)
    for write in error.compensating_writes:
        print(f"sync: reverted {write.class_name}: {write.reason}", file=sys.stderr)


class TaskList:
    """The tasks of a user on this device."""

    def __init__(self, realm: Realm, is_offline: bool) -> None:
        self.realm = realm
        self.is_offline = is_offline

    def tasks(self, query: str | None) -> Results[Task]:
        every = self.realm.objects(Task)
        return every.where(query) if query else every

    # ---- subscriptions ----

    def subscribe(self, options: argparse.Namespace) -> None:
        results = self.tasks(options.query)
        with self.realm.subscriptions.update() as update:
            update.add(results, name=options.name, replace=True)
        self._wait_for(update)

    def unsubscribe(self, options: argparse.Namespace) -> None:
        with self.realm.subscriptions.update() as update:
            if not update.remove(options.name):
                sys.exit(f"tasks: there is no subscription '{options.name}'")
        self._wait_for(update)

    def _wait_for(self, update: SubscriptionUpdate) -> None:
        update.committed.wait(TIMEOUT)
        print(f"subscriptions are {update.committed.state.name.lower()}")

    def subscriptions(self, options: argparse.Namespace) -> None:
        found = self.realm.subscriptions
        print(f"version {found.version} is {found.state.name.lower()}")
        for one in found:
            print(f"  {one.name or ''}: {one.class_name} where {one.query}")

    # ---- tasks ----

    def list(self, options: argparse.Namespace) -> None:
        tasks = self.tasks(options.query)
        for task in tasks:
            show(task)
        print(f"{len(tasks)} tasks")

    def count(self, options: argparse.Namespace) -> None:
        print(len(self.tasks(options.query)))

    def add(self, options: argparse.Namespace) -> None:
        task = Task(taskName=options.name, assignee=options.assignee, progressMinutes=options.minutes)
        with self.realm.write():
            self.realm.add(task)
        self._written(task)

    def complete(self, options: argparse.Namespace) -> None:
        task = self.realm.find(Task, ObjectId(options.id))
        if task is None:
            sys.exit(f"tasks: there is no task {options.id} on this device")
        with self.realm.write():
            task.completed = True
        self._written(task)

    def _written(self, task: Task) -> None:
        show(task)
        if not self.is_offline:
            self._synchronize()

    # ---- syncing ----

    def sync(self, options: argparse.Namespace) -> None:
        self._synchronize()
        print("in sync")

    def _synchronize(self) -> None:
        """Waits until the server has what was written here, and this device has what the server had."""
        self.realm.session.wait_for_upload(TIMEOUT)
        self.realm.session.wait_for_download(TIMEOUT)
        self.realm.refresh()

    def watch(self, options: argparse.Namespace) -> None:
        async def watch() -> None:
            self.realm.refresh_in(asyncio.get_running_loop())
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._show_changes(), options.seconds)

        asyncio.run(watch())

    async def _show_changes(self) -> None:
        tasks = self.realm.objects(Task)
        async for changes in tasks.changes():
            self._show(tasks, changes)
            sys.stdout.flush()

    @staticmethod
    def _show(tasks: Results[Task], changes: CollectionChanges) -> None:
        if changes.is_initial:
            print("watching")
        for index in changes.deletions:
            print(f"gone: task number {index}")
        for word, indexes in (("new", changes.insertions), ("changed", changes.modifications)):
            for index in indexes:
                print(f"{word}: ", end="")
                show(tasks[index])


def log_in(app: App, options: argparse.Namespace) -> None:
    if options.email:
        credentials = Credentials.email_password(options.email, options.password)
    else:
        credentials = Credentials.anonymous()
    print(f"logged in as {app.log_in(credentials).id}")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="A task tracker that syncs.")
    for name in ("--server", "--app", "--data"):
        parser.add_argument(name, required=True)
    parser.add_argument("--offline", action="store_true")
    commands = parser.add_subparsers(dest="command", required=True)

    def command(name: str, words: str, *arguments: str) -> argparse.ArgumentParser:
        one = commands.add_parser(name, help=words)
        for argument in arguments:
            options: dict[str, Any] = {"nargs": "?"} if argument.endswith("?") else {}
            one.add_argument(argument.strip("?"), **options)
        return one

    command("register", "make an account", "email", "password")
    command("login", "log in; without arguments anonymously", "email?", "password?")
    command("logout", "log out")
    command("subscribe", "keep the tasks that match on this device", "name", "query")
    command("unsubscribe", "drop a subscription", "name")
    command("subscriptions", "show the subscriptions and their state")
    command("list", "show tasks on this device", "query?")
    command("count", "count tasks on this device", "query?")
    command("add", "add a task", "name", "assignee?").add_argument("minutes", nargs="?", type=int, default=0)
    command("complete", "mark a task as completed", "id")
    command("sync", "wait until both sides have everything")
    command("watch", "show changes as they arrive").add_argument("seconds", type=float)
    return parser.parse_args()


def run(options: argparse.Namespace) -> None:
    app = App(options.app, options.server, options.data, error_handler=report_sync_error)
    if options.command == "register":
        app.email_password.register(options.email, options.password)
        print(f"registered {options.email}")
        return
    if options.command == "login":
        log_in(app, options)
        return
    user = app.current_user
    if user is None:
        sys.exit("tasks: nobody is logged in on this device; use 'login' first")
    if options.command == "logout":
        user.log_out()
        print("logged out")
        return
    with Realm.open(user=user, classes=[Task, Team], starts_suspended=options.offline) as realm:
        getattr(TaskList(realm, options.offline), options.command)(options)


if __name__ == "__main__":
    try:
        run(parse())
    except (FlexSyncError, ValueError) as error:
        sys.exit(f"tasks: {error}")
