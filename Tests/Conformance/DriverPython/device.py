# SPDX-License-Identifier: Apache-2.0
"""A device of a scenario: an app with its own storage folder, and its realm while that is open."""

from __future__ import annotations

import asyncio
import functools
import json
import os
import threading
import time
from typing import Any, Optional

from flexsync import (
    App, AppError, ClientReset, ClientResetMode, Credentials, Download, FlexSyncError, LinkState, ObjectId, Realm, RejectedWrite,
    Results, Session, Status, SubscriptionState, SyncError, WaitForSync,
)

import accounts
from observers import Observers
from models import BY_NAME, CLASSES, LOCAL_CLASSES
from values import ScenarioError, find, line, mixed_value, object_json, value_of, words

PATIENCE = 20.0
Step = "dict[str, Any]"

#: Reverted writes of all devices, as lines of the transcript without the device. Written on loop threads.
_reverted: "list[str]" = []
_reverted_lock = threading.Lock()


def _collect(session: Session, error: SyncError) -> None:
    with _reverted_lock:
        for write in error.compensating_writes:
            _reverted.append(f"reverted {write.class_name} {write.primary_key}: {write.reason}")


def _opened(*place: str) -> App:
    """The app, which with FLEXSYNC_LOOP=asyncio runs in an asyncio loop on another thread."""
    if os.environ.get("FLEXSYNC_LOOP") != "asyncio":
        return App(*place, error_handler=_collect)

    async def opened() -> App:
        return App(*place, error_handler=_collect, loop=asyncio.get_running_loop())

    return asyncio.run_coroutine_threadsafe(opened(), _loop()).result()


@functools.cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    return loop


class Device:
    def __init__(self, name: str, server: str, app_id: str, data: str) -> None:
        self.name = name
        self._data = data
        self._place = (app_id, server, f"{data}/{name}")
        self._app: Optional[App] = None
        self._realm: Optional[Realm] = None
        self._frozen: Optional[Realm] = None
        self._is_writing = False
        self._observers = Observers()

    def play(self, step: Step) -> None:
        action = step["do"]
        if action in accounts.STEPS:
            self.say(accounts.play(self.app, step))
        else:
            getattr(self, "do_" + action)(step)

    def say(self, words: str) -> None:
        print(f"{self.name}: {words}")

    @property
    def app(self) -> App:
        if self._app is None:
            app_id, server, folder = self._place
            self._app = _opened(app_id, server, folder)
        return self._app

    @property
    def realm(self) -> Realm:
        if self._realm is None:
            raise ScenarioError(f"{self.name} is not open")
        return self._realm

    # ---- opening ----

    def do_open(self, step: Step) -> None:
        modes = {None: Download.LOCAL, "once": Download.DOWNLOAD_ONCE, "always": Download.DOWNLOAD_ALWAYS}
        is_local = "local" in step or "inMemory" in step
        options = self._local_options(step) if is_local else self._synced_options(step)
        if "seed" in step:
            options["seed_path"] = self._path(step["seed"])
        try:
            self._realm = Realm.open(
                download=modes[step.get("wait")], timeout=PATIENCE, read_only=step.get("readOnly", False), **options
            )
        except FlexSyncError as error:
            return self.say(f"failed: {error}")
        self.say(f"opened {step.get('local') or step['inMemory']}" if is_local else f"opened as {step['user']}")

    def _path(self, name: str) -> str:
        return f"{self._data}/{name}.realm"

    def _local_options(self, step: Step) -> "dict[str, Any]":
        place = {"in_memory": step["inMemory"]} if "inMemory" in step else {"path": self._path(step["local"])}
        return {**place, "classes": LOCAL_CLASSES}

    def _synced_options(self, step: Step) -> "dict[str, Any]":
        mode = {"discard": ClientResetMode.DISCARD_UNSYNCED, "recover": ClientResetMode.RECOVER_UNSYNCED}
        options = {
            "user": self.app.current_user or self._log_in(step["user"]), "classes": CLASSES,
            "starts_suspended": step.get("offline", False), "refuse_unsubscribed_objects": step.get("refuse", False),
            "client_reset": ClientReset(mode[step["reset"]] if "reset" in step else ClientResetMode.MANUAL),
        }
        if "initial" in step:
            options["initial_subscriptions"] = functools.partial(self._subscribe_initially, step["initial"])
        return options

    def _subscribe_initially(self, initial: "list[Step]", realm: Realm, update: Any) -> None:
        for one in initial:
            update.add(self.results(one, realm), name=one.get("name"))

    def do_copy(self, step: Step) -> None:
        try:
            self.realm.write_copy(path=self._path(step["to"]), user=self.app.current_user if step.get("synced") else None)
        except FlexSyncError as error:
            return self.say(f"failed: {error}")
        self.say(f"wrote a copy to {step['to']}")

    def do_deleteFiles(self, step: Step) -> None:
        try:
            is_deleted = Realm.delete_files(path=self._path(step["local"]))
        except FlexSyncError as error:
            return self.say(f"failed: {error}")
        self.say(f"{'deleted the' if is_deleted else 'there are no'} files of {step['local']}")

    def _log_in(self, user: str) -> Any:
        email = f"{user}@example.com"
        credentials = Credentials.email_password(email, "password")
        try:
            return self.app.log_in(credentials)
        except AppError as error:
            if error.status != Status.INVALID_PASSWORD:
                raise
        self.app.email_password.register(email, "password")
        return self.app.log_in(credentials)

    def close(self) -> None:
        self._observers.close()
        for realm in (self._frozen, self._realm):
            if realm is not None:
                realm.close()
        if self._app is not None:
            self._app.close()
        self._frozen = self._realm = self._app = None
        self._is_writing = False

    def do_close(self, step: Step) -> None:
        self.close()
        self.say("closed")

    def do_sync(self, step: Step) -> None:
        try:
            self.realm.session.wait_for_upload(PATIENCE)
            self.realm.session.wait_for_download(PATIENCE)
        except FlexSyncError as error:
            return self.say(f"failed: {error}")
        self.realm.refresh()
        self.say("in sync")

    def do_suspend(self, step: Step) -> None:
        self.realm.session.suspend()
        self.say("suspended")

    def do_resume(self, step: Step) -> None:
        self.realm.session.resume()
        self.say("resumed")

    # ---- subscriptions ----

    def results(self, step: Step, realm: Optional[Realm] = None) -> Results[Any]:
        every = (realm or self.realm).objects(BY_NAME[step["class"]])
        arguments = [mixed_value(realm or self.realm, one) for one in step.get("arguments", [])]
        return every.where(step["query"], *arguments) if "query" in step else every

    def do_update(self, step: Step) -> None:
        try:
            with self.realm.subscriptions.update() as update:
                for change in step["changes"]:
                    self._change_subscriptions(update, change)
        except FlexSyncError as error:
            return self.say(f"failed: {error}")
        subscriptions = update.committed
        if step.get("wait", True) is False:
            return self.say(f"committed version {subscriptions.version}")
        try:
            subscriptions.wait(PATIENCE)
            self.say(f"version {subscriptions.version} {_state(subscriptions.state)}")
        except FlexSyncError as error:
            self.say(f"failed: {error}")

    def _change_subscriptions(self, update: Any, change: "dict[str, Any]") -> None:
        (action, value), = change.items()
        if action == "add":
            update.add(self.results(value), name=value.get("name"), replace=value.get("replace", False))
        elif action == "query":
            results = self.results(value)
            if update.find(value["name"]):
                update.set_query(value["name"], results)
        elif action == "removeQuery":
            update.remove_query(self.results(value))
        elif action == "remove":
            update.remove(value)
        elif action == "removeClass":
            update.remove_class(value)
        else:
            update.remove_all(unnamed_only=value)

    def do_subscriptions(self, step: Step) -> None:
        found = self.realm.subscriptions
        every = [f"{'-' if one.name is None else one.name}={one.class_name}({one.query})" for one in found]
        listed = " " + ", ".join(every) if every else ""
        self.say(f"version {found.version} {_state(found.state)}:{listed}")

    def do_subscribe(self, step: Step) -> None:
        modes = {"onCreation": WaitForSync.ON_CREATION, "always": WaitForSync.ALWAYS, "never": WaitForSync.NEVER}
        try:
            timeout = step["timeout"] / 1000 if "timeout" in step else PATIENCE
            self.results(step).subscribe(step.get("name"), modes[step.get("wait", "onCreation")], timeout)
        except FlexSyncError as error:
            return self.say(f"failed: {error}")
        self.say("subscribed")

    def do_unsubscribe(self, step: Step) -> None:
        if not step.get("wait"):
            self.results(step).unsubscribe()
            return self.say("unsubscribed")
        try:
            self.results(step).unsubscribe_and_wait(PATIENCE)
        except FlexSyncError as error:
            return self.say(f"failed: {error}")
        self.say("unsubscribed, and the objects are gone")

    # ---- writing ----

    def do_begin(self, step: Step) -> None:
        self.realm.begin_write()
        self._is_writing = True
        self.say("began")

    def do_commit(self, step: Step) -> None:
        self.realm.commit_write()
        self._is_writing = False
        self.say("committed")

    def do_cancel(self, step: Step) -> None:
        self.realm.cancel_write()
        self._is_writing = False
        self.say("canceled")

    def do_write(self, step: Step) -> None:
        try:
            if self._is_writing:
                self._apply_all(step)
            else:
                with self.realm.write():
                    self._apply_all(step)
        except FlexSyncError as error:
            return self.say(f"failed: {error}")
        self.say("wrote")

    def _apply_all(self, step: Step) -> None:
        for change in step["changes"]:
            self._apply(change)

    def _apply(self, change: "dict[str, Any]") -> None:
        if "create" in change:
            name = change["create"]
            one = BY_NAME[name](_id=ObjectId(change["id"]))
            self.realm.add(one)
            self._set_values(one, name, change.get("values", {}))
        elif "set" in change:
            one, name = self._inside(find(self.realm, change["set"], change["id"]), change["set"], change.get("inside", []))
            self._set_values(one, name, change["values"])
        elif "delete" in change:
            self.realm.delete(find(self.realm, change["delete"], change["id"]))
        elif "increment" in change:
            find(self.realm, change["class"], change["id"]).increment(change["increment"], change["value"])
        elif "resubmit" in change:
            self.realm.rejected_writes.resubmit(self._rejected(change["resubmit"], change["id"]))
        else:
            self._edit(change)

    def _set_values(self, one: Any, class_name: str, values: "dict[str, Any]") -> None:
        properties = self.realm.schema[class_name]
        for name, value in values.items():
            setattr(one, name, value_of(self.realm, properties[name], value))

    def _inside(self, one: Any, class_name: str, path: "list[Any]") -> "tuple[Any, str]":
        """The embedded object to which names, indexes and keys lead, and its class."""
        for place in path:
            if isinstance(place, str) and hasattr(type(one), place):
                class_name = self.realm.schema[class_name][place].link_target
                one = getattr(one, place)
            else:
                one = one[place]
        return one, class_name

    def _edit(self, change: "dict[str, Any]") -> None:
        operations = ("insert", "replace", "erase", "move", "clear", "include", "exclude", "put", "drop")
        operation = next(name for name in operations if name in change)
        collection = getattr(find(self.realm, change["class"], change["id"]), change[operation])
        for place in change.get("path", []):
            collection = collection[place]
        info = self.realm.schema[change["class"]][change[operation]]
        value = value_of(self.realm, info, change.get("value"))
        index = change.get("index", 0)
        if operation == "insert":
            collection.insert(index, value)
        elif operation == "replace":
            collection[index] = value
        elif operation == "erase":
            del collection[index]
        elif operation == "move":
            collection.move(index, change["to"])
        elif operation == "include":
            collection.add(value)
        elif operation == "exclude":
            collection.discard(value)
        elif operation == "put":
            collection[change["key"]] = value
        elif operation == "drop":
            collection.pop(change["key"], None)
        else:
            collection.clear()

    # ---- reading ----

    def do_dump(self, step: Step) -> None:
        self._dump(step, self.realm)

    def do_freeze(self, step: Step) -> None:
        if self._frozen is not None:
            self._frozen.close()
        self._frozen = self.realm.freeze()
        self.say("froze")

    def do_frozen(self, step: Step) -> None:
        if self._frozen is None:
            raise ScenarioError(f"{self.name} has frozen nothing")
        self._dump(step, self._frozen)

    def _dump(self, step: Step, realm: Realm) -> None:
        properties = realm.schema
        lines = sorted((line(one, properties) for one in self.results(step, realm)), key=str.encode)
        self.say(f"{len(lines)} {step['class']}")
        for each in lines:
            self.say(f"  {each}")

    def do_match(self, step: Step) -> None:
        try:
            results = self.results(step)
        except FlexSyncError as error:
            return self.say(f"failed: {error}")
        values = ", ".join(words(getattr(one, step.get("by", "_id")), self.realm.schema) for one in results)
        found = f": {values}" if len(results) else ""
        self.say(f"{len(results)} {step['class']} where {step.get('query', 'TRUEPREDICATE')}{found}")

    def do_objects(self, step: Step) -> None:
        properties = self.realm.schema
        objects = [object_json(one, properties) for one in self.results(step)]
        self.say(json.dumps(objects, ensure_ascii=False, separators=(",", ":")))

    def do_backlinks(self, step: Step) -> None:
        one = find(self.realm, step["class"], step["id"])
        origins = one.backlinks(step["from"], step["property"])
        ids = "".join(f" {origin._id}" for origin in origins)
        self.say(f"{len(origins)} {step['from']} link to {step['id']} by {step['property']}:{ids}")

    def do_linkState(self, step: Step) -> None:
        state, key = find(self.realm, step["class"], step["id"]).link_state(step["property"])
        shown = {LinkState.NULL: "is null", LinkState.RESOLVED: f"leads to {key}"}.get(state, f"leads out of view to {key}")
        self.say(f"{step['property']} of {step['id']} {shown}")

    def do_await(self, step: Step) -> None:
        results, count = self.results(step), -1
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            self.realm.refresh()
            count = len(results)
            if count == step["count"]:
                return self.say(f"{count} {step['class']} where {step.get('query', 'TRUEPREDICATE')}")
            self.realm.wait_for_change(0.05)
        self.say(f"gave up with {count}")

    def do_complete(self, step: Step) -> None:
        is_complete, version = self.results(step).completeness()
        if is_complete != (version > 0):
            raise ScenarioError(f"complete as of version {version}")
        known = "has every" if is_complete else "may lack some"
        self.say(f"{known} {step['class']} where {step.get('query', 'TRUEPREDICATE')}")

    # ---- observing ----

    def do_observe(self, step: Step) -> None:
        if "id" not in step:
            self._observers.observe_collection(step, self.results(step))
        elif "property" not in step:
            self._observers.observe_object(step, find(self.realm, step["class"], step["id"]), list(self.realm.schema[step["class"]]))
        else:
            self._observers.observe_collection(step, getattr(find(self.realm, step["class"], step["id"]), step["property"]))
        self.say(f"observes {step['as']}")

    def do_unobserve(self, step: Step) -> None:
        self._observers.remove(step["as"])
        self.say(f"no longer observes {step['as']}")

    def do_changes(self, step: Step) -> None:
        self.realm.refresh()
        for each in self._observers.take() or ["no changes"]:
            self.say(each)

    # ---- rejected writes ----

    def do_errors(self, step: Step) -> None:
        deadline = time.monotonic() + PATIENCE
        while len(_reverted) < step["count"] and time.monotonic() < deadline:
            time.sleep(0.02)
        with _reverted_lock:
            lines = sorted(_reverted)
            _reverted.clear()
        for each in lines:
            self.say(each)

    def do_rejected(self, step: Step) -> None:
        writes = self.realm.rejected_writes
        self.say(f"{len(writes)} rejected")
        for write in writes:
            self.say(f"  {write.class_name} {write.primary_key} {write.state.name.lower()}: {write.reason}")

    def do_discard(self, step: Step) -> None:
        self.realm.rejected_writes.discard(self._rejected(step["class"], step["id"]))
        self.say("discarded")

    def _rejected(self, class_name: str, identifier: str) -> RejectedWrite:
        for write in reversed(self.realm.rejected_writes):
            if write.class_name == class_name and str(write.primary_key) == identifier:
                return write
        raise ScenarioError(f"there is no rejected write to {class_name} {identifier}")


def _state(state: SubscriptionState) -> str:
    named = (SubscriptionState.COMPLETE, SubscriptionState.ERROR, SubscriptionState.SUPERSEDED)
    return state.name.lower() if state in named else "pending"
