# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import contextlib
import gc
import io
import unittest
import weakref

from flexsync import Realm, _library

from support import Person, Place, RealmTestCase


class ObservingTests(RealmTestCase):
    def setUp(self):
        super().setUp()
        self.told = []
        self.ada = self.add(Person(_id=1, name="Ada"))

    def test_results_tell_what_has_changed(self):
        people = self.realm.objects(Person).sorted("_id")
        with people.observe(self.told.append):
            self.realm.refresh()
            with self.realm.write():
                self.ada.name = "Adele"
                self.realm.add(Person(_id=0))
            with self.realm.write():
                self.realm.delete(self.ada)
        with self.realm.write():
            self.realm.add(Person(_id=5))
        self.assertEqual(
            [(one.is_initial, one.deletions, one.insertions, one.modifications) for one in self.told],
            [(True, [], [], []), (False, [], [0], [1]), (False, [1], [], [])],
        )

    def test_key_paths_choose_what_is_told(self):
        token = self.realm.objects(Person).observe(self.told.append, "name")
        self.realm.refresh()
        with self.realm.write():
            self.ada.nickname = "A"
        with self.realm.write():
            self.ada.name = "Adele"
        self.assertEqual([one.modifications for one in self.told], [[], [0]])
        token.close()

    def test_objects_tell_what_has_changed(self):
        token = self.ada.observe(self.told.append)
        with self.realm.write():
            self.ada.name = "Adele"
            self.ada.numbers.append(1)
        with self.realm.write():
            self.realm.delete(self.ada)
        self.assertEqual([(set(one.properties), one.is_deleted) for one in self.told], [({"name", "numbers"}, False), (set(), True)])
        token.close()

    def test_changes_of_others_have_old_values(self):
        token = self.ada.observe(self.told.append, "name")
        with Realm.open(path=self.realm.path, classes=[Person, Place]) as other, other.write():
            other.find(Person, 1).name = "Adele"
        self.realm.refresh()
        self.assertEqual((self.told[0].old_values, self.told[0].key_paths), ({"name": "Ada"}, ["name"]))
        token.close()

    def test_collections_tell_what_has_changed(self):
        tokens = [one.observe(self.told.append) for one in (self.ada.numbers, self.ada.labels, self.ada.scores)]
        self.realm.refresh()
        self.told.clear()
        with self.realm.write():
            self.ada.numbers.extend([1, 2])
        with self.realm.write():
            self.ada.labels.add("x")
        with self.realm.write():
            self.ada.scores["k"] = 1
        self.assertEqual([one.insertions for one in self.told], [[0, 1], [0], ["k"]])
        for token in tokens:
            token.close()

    def test_the_realm_tells_of_any_change(self):
        token = self.realm.observe(self.told.append)
        with self.realm.write():
            self.ada.name = "Adele"
        self.assertEqual(self.told, [self.realm])
        token.close()

    def test_observers_can_be_left_out(self):
        token = self.realm.objects(Person).observe(self.told.append)
        self.realm.refresh()
        self.realm.begin_write()
        self.ada.name = "Adele"
        self.realm.commit_write(without_notifying=[token])
        self.assertEqual(len(self.told), 1)
        token.close()

    def test_an_observer_that_raises_harms_nobody(self):
        def fail(changes):
            raise ZeroDivisionError("in an observer")

        told = []
        tokens = [self.realm.objects(Person).observe(fail), self.realm.objects(Person).observe(told.append)]
        with contextlib.redirect_stderr(io.StringIO()) as printed:
            self.realm.refresh()
            with self.realm.write():
                self.realm.add(Person(_id=99))
        for token in tokens:
            token.close()
        self.assertEqual(len(told), 2)
        self.assertIn("A function that FlexSync has called raised an exception", printed.getvalue())
        self.assertIn("ZeroDivisionError: in an observer", printed.getvalue())
        with self.assertRaisesRegex(TypeError, "expected a function, not int"):
            self.realm.objects(Person).observe(5)

    def test_an_observation_ends_with_its_token(self):
        token = self.realm.objects(Person).observe(self.told.append)
        del token
        self.realm.refresh()
        self.assertEqual(self.told, [])


class LifetimeTests(RealmTestCase):
    def test_userdata_of_callbacks_is_freed(self):
        before = len(_library._kept)

        class Observer:
            def __call__(self, changes):
                pass

        observer = Observer()
        alive = weakref.ref(observer)
        for _ in range(20):
            token = self.realm.objects(Person).observe(observer)
            self.realm.refresh()
            token.close()
        with self.realm.objects(Person).observe(observer):
            self.realm.on_change(observer)
            self.assertEqual(len(_library._kept), before + 2)
        self.realm.on_change(None)
        self.assertEqual(len(_library._kept), before)
        del observer, token
        gc.collect()
        self.assertIsNone(alive())

    def test_userdata_of_configurations_is_freed(self):
        before = len(_library._kept)
        for fails in (False, True):
            try:
                with self.open(should_compact=lambda *sizes: False, schema_version=1 if fails else None,
                               migration=lambda migration: None):
                    pass
            except Exception:
                self.assertTrue(fails)
        self.assertEqual(len(_library._kept), before)

    def test_a_realm_is_closed_with_the_last_reference(self):
        realm = self.open()
        people = realm.objects(Person)
        alive = weakref.ref(realm)
        del realm
        self.assertEqual(len(people), 0)
        del people
        self.assertIsNone(alive())


if __name__ == "__main__":
    unittest.main()
