# SPDX-License-Identifier: Apache-2.0
"""A program may end at any moment, also while threads of the library call it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from support import FolderTestCase, ServerTestCase

TESTS = str(Path(__file__).parent)
EXITS = int(os.environ.get("FLEXSYNC_EXITS", "50"))
PROGRAM = """
import random, sys, threading, time
sys.path.insert(0, {tests!r})
from flexsync import App, Credentials, Direction, LogLevel, Realm, set_logger
from support import APP_ID, Task, Team

random.seed({seed})
calls = [0]
def called(*arguments):
    calls[0] += 1
    if {seed} % 3 == 0:
        time.sleep(random.random() / 1000)
set_logger(LogLevel.ALL, called)
app = App(APP_ID, {url!r}, {folder!r}, error_handler=called)
user = app.log_in(Credentials.anonymous())
realm = Realm.open(user=user, classes=[Task, Team], initial_subscriptions=lambda realm, update: update.add(realm.objects(Task)))
realm.on_change(called)
tokens = [realm.objects(Task).observe(called), realm.subscriptions.observe(called),
          realm.session.observe_connection(called), realm.session.observe_progress(Direction.UPLOAD, called)]
if {seed} % 2:
    realm.subscriptions.wait(20)
def write():
    with Realm.open(user=user, classes=[Task, Team]) as other:
        while True:
            with other.write():
                other.add(Task())
if {seed} % 5 == 0:
    threading.Thread(target=write, daemon=True).start()
for _ in range(20):
    with realm.write():
        realm.add(Task())
time.sleep(random.random() / 50)
if {seed} % 4 == 0:
    raise SystemExit(0)
"""


FORK = """
import os, sys, threading, time
sys.path.insert(0, {tests!r})
from flexsync import FlexSyncError, LogLevel, Realm, Status, set_logger
from support import Person, Place

realm = Realm.open(path={path!r}, classes=[Person, Place])
token = realm.observe(lambda realm: time.sleep(0.2))
def write():
    with Realm.open(path={path!r}, classes=[Person, Place]) as other, other.write():
        other.add(Person(_id=1))
threading.Thread(target=write).start()
child = os.fork()
if not child:
    try:
        realm.refresh()
    except FlexSyncError as error:
        sys.exit(7 if error.status == Status.UNSUPPORTED else 8)
    sys.exit(9)
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 7, status
"""


WAIT = """
import signal, sys
# Shells let programs in the background ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.path.insert(0, {tests!r})
from flexsync import App, Credentials, Realm
from support import APP_ID, Task, Team

user = App(APP_ID, {url!r}, {folder!r}).log_in(Credentials.anonymous())
with Realm.open(user=user, classes=[Task, Team], starts_suspended=True) as realm:
    print("waiting", flush=True)
    try:
        realm.session.wait_for_download()
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""


INTERRUPT = """
import _thread, os, signal, sys, threading, time
sys.path.insert(0, {tests!r})
from flexsync import Realm
from support import Person, Place

signal.signal(signal.SIGINT, signal.default_int_handler)
open_realm = lambda: Realm.open(path={path!r}, classes=[Person, Place])
realm = open_realm()

def interrupted(function):
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        function()
    except KeyboardInterrupt:
        return
    sys.exit("not interrupted: " + function.__name__)

def wait_for_change():
    realm.wait_for_change()

def observe():
    with realm.objects(Person).observe(lambda changes: time.sleep(0.6)):
        realm.refresh()
        time.sleep(0.1)

def write():
    def hold():
        with open_realm() as other, other.write():
            holds.set()
            time.sleep(1)

    holds = threading.Event()
    threading.Thread(target=hold).start()
    holds.wait()
    with realm.write():
        sys.exit("wrote")

for function in (wait_for_change, observe, write):
    interrupted(function)
if realm.is_in_write:
    sys.exit("the transaction is still open")
print("interrupted")
"""


class LocalInterruptTests(FolderTestCase):
    def test_ctrl_c_ends_what_waits_and_leaves_no_transaction_open(self):
        program = INTERRUPT.format(tests=TESTS, path=str(self.folder / "local.realm"))
        run = subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True, timeout=60)
        self.assertEqual((run.returncode, run.stdout), (0, "interrupted\n"), run.stderr)


class InterruptTests(ServerTestCase):
    def test_ctrl_c_ends_a_wait(self):
        program = WAIT.format(tests=TESTS, url=self.server.url, folder=str(self.folder / "device"))
        with subprocess.Popen([sys.executable, "-B", "-c", program], stdout=subprocess.PIPE, text=True) as run:
            try:
                self.assertEqual(run.stdout.readline(), "waiting\n")
                # The program says it before it waits.
                time.sleep(0.5)
                run.send_signal(signal.SIGINT)
                self.assertEqual(run.communicate(timeout=20)[0], "interrupted\n")
                self.assertEqual(run.returncode, 0)
            finally:
                # Leaving the block waits for the program.
                run.kill()


class ForkTests(FolderTestCase):
    def test_a_child_cannot_use_what_its_parent_opened_and_ends(self):
        program = FORK.format(tests=TESTS, path=str(self.folder / "fork.realm"))
        run = subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True, timeout=60)
        self.assertEqual(run.returncode, 0, run.stderr)


class ExitTests(ServerTestCase):
    def test_exits_neither_crash_nor_hang(self):
        for seed in range(EXITS):
            program = PROGRAM.format(tests=TESTS, seed=seed, url=self.server.url, folder=str(self.folder / f"device{seed}"))
            run = subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True, timeout=60)
            self.assertEqual(run.returncode, 0, f"seed {seed}: {run.stderr}")


if __name__ == "__main__":
    unittest.main()
