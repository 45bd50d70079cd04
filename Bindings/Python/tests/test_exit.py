# SPDX-License-Identifier: Apache-2.0
"""A program may end at any moment, also while threads of the library call it."""

from __future__ import annotations

import subprocess
import sys
import unittest

from support import ServerTestCase

EXITS = 50
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


class ExitTests(ServerTestCase):
    def test_exits_neither_crash_nor_hang(self):
        tests = str(__import__("pathlib").Path(__file__).parent)
        for seed in range(EXITS):
            program = PROGRAM.format(tests=tests, seed=seed, url=self.server.url, folder=str(self.folder / f"device{seed}"))
            run = subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True, timeout=60)
            self.assertEqual(run.returncode, 0, f"seed {seed}: {run.stderr}")


if __name__ == "__main__":
    unittest.main()
