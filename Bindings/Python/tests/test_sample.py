# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import subprocess
import sys
import unittest

from support import APP_ID, REPOSITORY, ServerTestCase

SAMPLE = REPOSITORY / "Bindings/Python/samples/tasks.py"


class SampleTests(ServerTestCase):
    def arguments(self, device, *words):
        place = ["--server", self.server.url, "--app", APP_ID, "--data", str(self.folder / device)]
        return [sys.executable, "-B", str(SAMPLE), *place, *words]

    def run_sample(self, device, *words):
        done = subprocess.run(self.arguments(device, *words), capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def test_two_devices_share_tasks(self):
        for device, email in (("phone", "nadia@example.com"), ("laptop", "mateo@example.com")):
            self.assertEqual(self.run_sample(device, "register", email, "password"), f"registered {email}")
            self.assertTrue(self.run_sample(device, "login", email, "password").startswith("logged in as "))
            self.assertEqual(self.run_sample(device, "subscribe", "hers", "assignee == 'Nadia'"), "subscriptions are complete")
        watcher = subprocess.Popen(self.arguments("laptop", "watch", "60"), stdout=subprocess.PIPE, text=True)
        self.addCleanup(watcher.stdout.close)
        self.addCleanup(watcher.wait)
        self.addCleanup(watcher.kill)
        self.assertEqual(watcher.stdout.readline(), "watching\n")
        added = self.run_sample("phone", "add", "Call the printer", "Nadia", "10")
        identifier = added.split()[0]
        self.assertEqual(added, f"{identifier} [ ]   10 min  Nadia     Call the printer")
        self.assertEqual(watcher.stdout.readline(), f"new: {added}\n")
        watcher.kill()
        self.run_sample("phone", "--offline", "add", "Written offline", "Nadia", "5")
        self.assertEqual(self.run_sample("phone", "sync"), "in sync")
        self.run_sample("laptop", "sync")
        self.assertEqual(self.run_sample("laptop", "count"), "2")
        self.run_sample("laptop", "complete", identifier)
        self.run_sample("phone", "sync")
        self.assertTrue(self.run_sample("phone", "list", "completed == true").endswith("1 tasks"))
        self.assertIn('hers: Task where assignee == "Nadia"', self.run_sample("phone", "subscriptions"))
        self.assertEqual(self.run_sample("phone", "unsubscribe", "hers"), "subscriptions are complete")
        self.assertEqual(self.run_sample("phone", "count"), "0")
        self.assertEqual(self.run_sample("phone", "logout"), "logged out")

    def test_mistakes_are_told(self):
        done = subprocess.run(self.arguments("phone", "list"), capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (1, "tasks: nobody is logged in on this device; use 'login' first\n"))


if __name__ == "__main__":
    unittest.main()
