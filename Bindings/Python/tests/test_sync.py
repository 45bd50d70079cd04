# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import contextlib
import gc
import io
import shutil
import subprocess
import sys
import threading
import time
import unittest
import weakref
from pathlib import Path

from flexsync import (
    AppError, ClientReset, ClientResetMode, ConnectionState, Credentials, Direction, Download, HttpResponse, LogLevel, OperationTimeout,
    QueryError, Realm, RejectedWriteState, Session, SessionError, SessionState, Status, SubscriptionError,
    SubscriptionState, UsageError, UserState, WaitForSync, WatchEvent, _library, set_logger,
)

from support import APP_ID, PATIENCE, ServerTestCase, Task, Team


AGENT = """
import sys, time
sys.path.insert(0, {tests!r})
from flexsync import App, Realm
from support import APP_ID, Task, Team

user = App(APP_ID, {url!r}, {folder!r}).current_user
with Realm.open(user=user, classes=[Task, Team]) as realm:
    print(realm.session.is_sync_agent, flush=True)
    while not realm.session.is_sync_agent:
        time.sleep(0.005)
    print(True, flush=True)
"""


class SubscriptionTests(ServerTestCase):
    def test_what_is_subscribed_to_is_on_the_device(self):
        phone, laptop = self.open("phone"), self.open("laptop")
        self.subscribe(phone)
        with phone.write():
            phone.add(Task(taskName="hers", assignee="nadia"))
            phone.add(Task(taskName="his", assignee="mateo"))
        self.synchronize(phone)
        self.subscribe(laptop, "assignee == 'nadia'")
        self.assertEqual([task.taskName for task in laptop.objects(Task)], ["hers"])
        self.assertEqual(laptop.objects(Task).where("assignee == 'nadia'").completeness()[0], True)
        self.assertEqual(laptop.objects(Task).completeness(), (False, 0))

    def test_a_set_is_a_sequence_of_subscriptions(self):
        realm = self.open("phone")
        tasks = realm.objects(Task)
        with realm.subscriptions.update() as update:
            update.add(tasks.where("assignee == $0", "nadia"), name="hers")
            update.add(tasks.where("completed == true"))
            self.assertEqual([one.name for one in update], ["hers", None])
        one = realm.subscriptions[0]
        self.assertEqual((one.name, one.class_name, one.query), ("hers", "Task", 'assignee == "nadia"'))
        self.assertEqual(realm.subscriptions.find_query(tasks.where("completed == true")).id, realm.subscriptions[1].id)
        with realm.subscriptions.update() as update:
            update.set_query("hers", tasks)
            self.assertEqual(update.remove_all(unnamed_only=True), 1)
        self.assertEqual([one.query for one in update.committed], ["TRUEPREDICATE"])
        self.assertEqual((update.committed.version, realm.subscriptions.find("hers").id), (2, one.id))
        self.assertIsNone(realm.subscriptions.find("other"))
        with realm.subscriptions.update() as update:
            self.assertTrue(update.remove("hers"))
            self.assertFalse(update.remove(one))

    def test_mistakes_are_reported_and_change_nothing(self):
        realm = self.open("phone")
        with realm.subscriptions.update() as update:
            update.add(realm.objects(Task), name="tasks")
        for error, status, change in [
            (SubscriptionError, Status.SUBSCRIPTION_EXISTS, lambda update: update.add(realm.objects(Task), name="tasks")),
            (SubscriptionError, Status.SUBSCRIPTION_NOT_FOUND, lambda update: update.set_query("other", realm.objects(Task))),
            (SubscriptionError, Status.SUBSCRIPTION_CLASS_MISMATCH, lambda update: update.set_query("tasks", realm.objects(Team))),
            (QueryError, Status.QUERY_INVALID, lambda update: update.add(realm.objects(Task).where("TRUEPREDICATE LIMIT(3)"))),
            (ZeroDivisionError, None, lambda update: 1 / 0),
        ]:
            with self.assertRaises(error) as caught:
                with realm.subscriptions.update() as update:
                    update.add(realm.objects(Team))
                    change(update)
            if status:
                self.assertEqual(caught.exception.status, status)
            if status == Status.SUBSCRIPTION_EXISTS:
                self.assertIn("pass replace=True, or use set_query", caught.exception.message)
        self.assertEqual(realm.subscriptions.version, 1)
        with self.assertRaises(SubscriptionError) as caught:
            len(update)

    def test_a_synced_realm_is_not_migrated_and_its_version_goes_to_the_server(self):
        errors = []
        app = self.app("phone", error_handler=lambda session, error: errors.append(error))
        user = app.log_in(Credentials.anonymous())
        for options, advice in [
            ({"classes": [Task, Team], "migration": lambda migration: None}, "leave out `migration`"),
            ({"classes": [Task, Team], "reset_if_migration_needed": True}, "leave out `reset_if_migration_needed`"),
            ({}, "pass `classes`"),
        ]:
            with self.assertRaisesRegex(UsageError, advice):
                Realm.open(user=user, **options)
        # This app has none.
        with self.assertRaises(SessionError):
            Realm.open(user=user, classes=[Task, Team], schema_version=3, download=Download.DOWNLOAD_ALWAYS, timeout=PATIENCE)
        self.assertEqual((errors[0].code, errors[0].is_fatal), (235, True))

    def test_results_can_be_subscribed_to(self):
        realm = self.open("phone")
        results = realm.objects(Task).where("assignee == 'nadia'").subscribe("hers", timeout=PATIENCE)
        self.assertEqual(realm.subscriptions.state, SubscriptionState.COMPLETE)
        results.unsubscribe_and_wait(PATIENCE)
        self.assertEqual(len(realm.subscriptions), 0)
        with self.assertRaises(OperationTimeout) as caught:
            realm.session.suspend()
            realm.objects(Team).subscribe(wait_for=WaitForSync.ON_CREATION, timeout=0.05)
        self.assertIsInstance(caught.exception, TimeoutError)

    def test_initial_subscriptions(self):
        calls = []

        def initial(realm, update):
            calls.append(realm)
            update.add(realm.objects(Task), name="all")

        realm = self.open("phone", initial_subscriptions=initial, download=Download.DOWNLOAD_ONCE, timeout=PATIENCE)
        self.assertEqual((len(realm.subscriptions), realm.subscriptions.state), (1, SubscriptionState.COMPLETE))
        realm.close()
        self.open("phone", initial_subscriptions=initial)
        self.assertTrue(len(calls) >= 1 and all(one.is_closed for one in calls))

    def test_what_initial_subscriptions_raise_is_raised(self):
        with self.assertRaises(ZeroDivisionError):
            self.open("phone", initial_subscriptions=lambda realm, update: 1 / 0)

    def test_states_are_observed(self):
        realm, states, done = self.open("phone"), [], threading.Event()
        with realm.subscriptions.update() as update:
            update.add(realm.objects(Task))

        def told(state):
            states.append(state)
            if state == SubscriptionState.COMPLETE:
                done.set()

        with update.committed.observe(told):
            self.assertTrue(done.wait(PATIENCE))
        self.assertEqual(states[-1], SubscriptionState.COMPLETE)


class SessionTests(ServerTestCase):
    def test_sessions_are_suspended_and_resumed(self):
        realm = self.open("phone", starts_suspended=True)
        session = realm.session
        session.suspend()
        self.assertEqual(session.state, SessionState.INACTIVE)
        with self.assertRaises(OperationTimeout):
            session.wait_for_download(0.05)
        session.resume()
        session.wait_for_download(PATIENCE)
        self.assertEqual((session.state, session.connection_state), (SessionState.ACTIVE, ConnectionState.CONNECTED))
        self.assertEqual((session.path, session.user.id), (realm.path, realm.configuration.user.id))
        self.assertEqual([one.path for one in realm.configuration.user.sessions], [realm.path])

    def test_one_of_the_processes_that_have_a_realm_open_is_its_sync_agent_until_it_suspends(self):
        session = self.open("phone").session
        # The library's thread asks for it.
        for _ in range(int(PATIENCE / 0.005)):
            if session.is_sync_agent:
                break
            time.sleep(0.005)
        self.assertTrue(session.is_sync_agent)
        program = AGENT.format(tests=str(Path(__file__).parent), url=self.server.url, folder=str(self.folder / "phone"))
        with subprocess.Popen([sys.executable, "-B", "-c", program], stdout=subprocess.PIPE, text=True) as other:
            try:
                self.assertEqual(other.stdout.readline(), "False\n")
                session.suspend()
                self.assertEqual(other.communicate(timeout=PATIENCE)[0], "True\n")
                self.assertEqual(other.returncode, 0)
            finally:
                # Leaving the block waits for the process.
                other.kill()
        self.assertFalse(session.is_sync_agent)

    def test_a_wait_ends_when_its_session_is_suspended(self):
        realm = self.open("phone")
        self.synchronize(realm)
        self.server.stop()
        self.subscribe_without_waiting(realm)
        threading.Timer(0.2, realm.session.suspend).start()
        with self.assertRaises(SessionError) as caught:
            realm.session.wait_for_download(PATIENCE)
        self.assertEqual(caught.exception.status, Status.SESSION_INACTIVE)
        self.server.start()

    @staticmethod
    def subscribe_without_waiting(realm):
        with realm.subscriptions.update() as update:
            update.add(realm.objects(Task))

    def test_connections_and_progress_are_observed(self):
        realm = self.open("phone", starts_suspended=True)
        self.told = []
        connected = threading.Event()

        def connection(old, new):
            self.told.append(new)
            if new == ConnectionState.CONNECTED:
                connected.set()

        progress, finished = [], threading.Event()

        def transfer(one):
            progress.append(one)
            if one.estimate == 1:
                finished.set()

        with realm.session.observe_connection(connection), \
                realm.session.observe_progress(Direction.UPLOAD, transfer):
            realm.session.resume()
            self.assertTrue(connected.wait(PATIENCE))
            self.assertTrue(finished.wait(PATIENCE))
        self.assertEqual(self.told[-1], ConnectionState.CONNECTED)

    def test_reverted_writes_are_reported_kept_and_discarded(self):
        reported = []
        seen = threading.Event()

        def handler(session, error):
            reported.append((session, error))
            seen.set()

        realm = self.open("phone", error_handler=handler)
        self.subscribe(realm, "assignee == 'nadia'")
        task = Task(assignee="mateo")
        with realm.write():
            realm.add(task)
        identifier = task._id
        self.assertTrue(seen.wait(PATIENCE))
        session, error = reported[0]
        self.assertIsInstance(session, Session)
        self.assertEqual((error.status, error.is_fatal), (Status.WRITE_REJECTED, False))
        self.assertEqual([(one.class_name, one.primary_key) for one in error.compensating_writes], [("Task", identifier)])
        self.synchronize(realm)
        self.assertEqual(len(realm.objects(Task)), 0)
        (write,) = realm.rejected_writes
        self.assertEqual((write.primary_key, write.state, write.has_changes), (identifier, RejectedWriteState.KEPT, True))
        with realm.write():
            realm.rejected_writes.resubmit(write)
            realm.find(Task, identifier).assignee = "nadia"
        self.synchronize(realm)
        self.assertEqual((len(realm.rejected_writes), len(realm.objects(Task))), (0, 1))

    def test_a_write_without_subscription_is_refused(self):
        realm = self.open("phone")
        with self.assertRaises(SubscriptionError) as caught, realm.write():
            realm.add(Task())
        self.assertEqual(caught.exception.status, Status.NO_SUBSCRIPTION_FOR_WRITE)

    def test_client_resets_tell_before_and_after(self):
        told = []
        after_done = threading.Event()

        def before(realm):
            told.append([task.taskName for task in realm.objects(Task)])

        def after(old, new, did_recover):
            told.append((len(old.objects(Task)), len(new.objects(Task)), did_recover))
            after_done.set()

        reset = ClientReset(ClientResetMode.RECOVER_UNSYNCED, before=before, after=after)
        realm = self.open("phone", client_reset=reset)
        self.subscribe(realm)
        self.synchronize(realm)
        self.server.stop()
        shutil.copytree(self.folder / "data", self.folder / "checkpoint")
        self.server.start()
        with realm.write():
            realm.add(Task(taskName="one"))
        self.synchronize(realm)
        self.server.stop()
        shutil.rmtree(self.folder / "data")
        shutil.copytree(self.folder / "checkpoint", self.folder / "data")
        realm.session.suspend()
        with realm.write():
            realm.add(Task(taskName="two"))
        self.server.start()
        realm.session.resume()
        self.assertTrue(after_done.wait(PATIENCE))
        self.assertEqual(told[0], ["one", "two"])
        self.assertEqual(told[1][0], 2)
        self.assertTrue(told[1][2])
        self.synchronize(realm)
        self.assertIn("two", [task.taskName for task in realm.objects(Task)])


class LifetimeTests(ServerTestCase):
    def test_userdata_of_operations_is_freed(self):
        before = len(_library._kept)
        app = self.app("phone")
        user = app.log_in(Credentials.anonymous())
        realm = Realm.open(user=user, classes=[Task, Team], initial_subscriptions=lambda realm, update: None,
                           client_reset=ClientReset(before=lambda realm: None))
        for _ in range(20):
            self.synchronize(realm)
        alive = weakref.ref(app)
        realm.close()
        del realm, user, app
        gc.collect()
        deadline = time.monotonic() + PATIENCE
        while len(_library._kept) > before and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertEqual(len(_library._kept), before)
        self.assertIsNone(alive())


class UserTests(ServerTestCase):
    def test_users_log_in_and_out(self):
        app = self.app("phone")
        self.assertIsNone(app.current_user)
        app.email_password.register("nadia@example.com", "password")
        with self.assertRaises(AppError) as caught:
            app.email_password.register("nadia@example.com", "password")
        self.assertEqual(caught.exception.status, Status.ACCOUNT_NAME_IN_USE)
        with self.assertRaises(AppError) as caught:
            app.log_in(Credentials.email_password("nadia@example.com", "wrong"))
        self.assertEqual((caught.exception.status, caught.exception.server_code), (Status.INVALID_PASSWORD, "InvalidPassword"))
        user = app.log_in(Credentials.email_password("nadia@example.com", "password"))
        self.assertEqual((user, user.state, user.provider), (app.current_user, UserState.LOGGED_IN, "local-userpass"))
        self.assertEqual([one.provider for one in user.identities], ["local-userpass"])
        self.assertTrue(user.access_token)
        self.assertEqual(user.profile.get("email"), "nadia@example.com")
        other = app.log_in(Credentials.anonymous())
        self.assertEqual(set(app.users), {user, other})
        app.switch(user)
        self.assertEqual(app.current_user, user)
        user.log_out()
        self.assertEqual((user.state, user.access_token), (UserState.LOGGED_OUT, None))
        other.remove()
        self.assertEqual(other.state, UserState.REMOVED)

    def test_an_anonymous_user_gets_an_account(self):
        app = self.app("phone")
        user = app.log_in(Credentials.anonymous())
        identifier = user.id
        app.email_password.register("mateo@example.com", "password")
        user.link(Credentials.email_password("mateo@example.com", "password"))
        self.assertEqual(self.app("laptop").log_in(Credentials.email_password("mateo@example.com", "password")).id, identifier)
        user.delete()
        self.assertEqual(user.state, UserState.REMOVED)

    def test_providers_that_the_app_lacks_and_functions_are_refused(self):
        app = self.app("phone")
        user = app.log_in(Credentials.anonymous())
        for refused in (lambda: app.log_in(Credentials.api_key("x" * 64)), lambda: user.call_function("sum", 1, 2)):
            with self.assertRaises(AppError):
                refused()

    def test_watching_is_refused_and_ends(self):
        user, events, closed = self.app("phone").log_in(Credentials.anonymous()), [], threading.Event()

        def told(event, change, error):
            events.append((event, change, error))
            if event == WatchEvent.CLOSED:
                closed.set()

        with user.watch(told, database="tracker", collection="Task"):
            self.assertTrue(closed.wait(PATIENCE))
        self.assertTrue(any(error is not None for _, _, error in events))
        with self.assertRaises(AppError):
            user.register_push("gcm", "token")

    def test_a_server_that_cannot_be_reached(self):
        self.server.stop()
        app = self.app("phone")
        with self.assertRaises(AppError) as caught:
            app.log_in(Credentials.anonymous())
        self.assertEqual(caught.exception.status, Status.CONNECTION_FAILED)
        self.server.start()

    def test_requests_can_go_through_a_function(self):
        app, urls = self.app("phone"), []

        def transport(request, respond):
            urls.append(request.url)
            if "login" in request.url and len(urls) < 3:
                respond(HttpResponse(401, {"content-type": "application/json"}, b'{"error": "no", "error_code": "InvalidPassword"}'))
                return
            app.perform_http_request(request).add_done_callback(lambda done: respond(done.exception() or done.result()))

        app.set_http_transport(transport)
        with self.assertRaises(AppError) as caught:
            app.log_in(Credentials.anonymous())
        self.assertEqual(caught.exception.server_code, "InvalidPassword")
        self.assertTrue(app.log_in(Credentials.anonymous()).is_logged_in)
        self.assertTrue(all(url.startswith(self.server.url) for url in urls))
        app.set_http_transport(lambda request, respond: 1 / 0)
        # What a callback raises is printed.
        with self.assertRaises(AppError) as caught, contextlib.redirect_stderr(io.StringIO()):
            app.log_in(Credentials.anonymous(new=True))
        self.assertEqual(caught.exception.status, Status.CONNECTION_FAILED)
        app.set_http_transport(None)

    def test_settings_of_connections(self):
        app = self.app("phone")
        app.set_request_headers({"X-Test": "1"})
        app.set_user_agent("tests")
        app.set_sync_timeouts(connect=10, ping_period=20)
        app.set_authorization_header("X-Token")
        with self.assertRaises(UsageError):
            app.set_request_headers({"": "1"})
        app.set_authorization_header("")
        app.update_base_url(self.server.url)
        self.synchronize(self.open("phone"))
        with self.assertRaises(AppError):
            app.update_base_url("http://127.0.0.1:1")

    def test_the_same_app_is_opened_once(self):
        one, other = self.app("phone"), self.app("phone")
        self.assertEqual(one._handle, other._handle)
        self.assertEqual((one.id, one.base_url), (APP_ID, self.server.url))

    def test_the_log_comes_to_a_function(self):
        lines = []
        set_logger(LogLevel.DEBUG, lambda level, message: lines.append((level, message)))
        try:
            self.synchronize(self.open("phone"))
        finally:
            set_logger(LogLevel.WARN)
        self.assertTrue(lines)


if __name__ == "__main__":
    unittest.main()
