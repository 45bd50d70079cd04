# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import pickle
import threading
import unittest

from flexsync import (
    ElementIndexError, FileError, FlexSyncError, Object, ObjectError, QueryError, Realm, Status, SubscriptionError,
    ThreadSafeReference, UsageError, primary_key,
)

from support import FolderTestCase, Person, Place, RealmTestCase


class QueryTests(RealmTestCase):
    def setUp(self):
        super().setUp()
        with self.realm.write():
            for index in range(10):
                self.realm.add(Person(_id=index, name=f"p{index % 3}", scores={"x": index}, numbers=[index]))
        self.people = self.realm.objects(Person)

    def test_queries_take_arguments(self):
        self.assertEqual(len(self.people.where("name == $0 AND _id > $1", "p0", 3)), 2)
        self.assertEqual([one._id for one in self.people.where("_id IN $0", [1, 5])], [1, 5])
        self.assertEqual(len(self.people.where("nickname == $0", None)), 10)

    def test_collections_are_arguments(self):
        with self.realm.write():
            self.people[0].numbers = [1, 5]
            self.people[0].friends = [self.people[1]]
        for values in ([1, 5], (1, 5), {1, 5}, frozenset({1, 5}), range(1, 6, 4), self.people[0].numbers, {1: 0, 5: 0}.keys()):
            self.assertEqual([one._id for one in self.people.where("_id IN $0", values)], [1, 5], type(values))
        for values in ([self.people[1]], self.people[0].friends, self.people.where("_id == 1")):
            self.assertEqual([one._id for one in self.people.where("ANY friends IN $0", values)], [0], type(values))
        self.assertEqual(len(self.people.where("nickname IN $0", [None])), 10)

    def test_results_are_sequences(self):
        names = [one._id for one in self.people]
        self.assertEqual(names, list(range(10)))
        self.assertEqual((self.people[-1]._id, [one._id for one in self.people[2:4]]), (9, [2, 3]))
        self.assertEqual(self.people.index(self.people[4]), 4)
        self.assertTrue(self.people[3] in self.people)
        self.assertFalse(self.people[3] in self.people.where("_id == 4"))
        self.assertIsNone(self.people.where("FALSEPREDICATE").first())
        with self.assertRaises(ElementIndexError):
            self.people[10]
        with self.assertRaises(ValueError):
            self.people.where("_id == 4").index(self.people[3])

    def test_results_are_sorted_distinct_and_limited(self):
        self.assertEqual([one._id for one in self.people.sorted("name", "-_id").limit(2)], [9, 6])
        self.assertEqual([one.name for one in self.people.distinct("name")], ["p0", "p1", "p2"])

    def test_aggregates(self):
        self.assertEqual((self.people.min("_id"), self.people.max("_id"), self.people.sum("_id")), (0, 9, 45))
        self.assertEqual(self.people.average("_id"), 4.5)
        self.assertIsNone(self.people.where("FALSEPREDICATE").max("_id"))

    def test_results_are_live(self):
        found = self.people.where("name == 'new'")
        self.add(Person(_id=100, name="new"))
        self.assertEqual(len(found), 1)

    def test_mistakes_in_queries_are_reported(self):
        for query, status in [("name ==", Status.QUERY_SYNTAX), ("nope == 1", Status.QUERY_INVALID), ("name == $0", Status.QUERY_ARGUMENT)]:
            with self.assertRaises(QueryError) as caught:
                self.people.where(query)
            self.assertEqual(caught.exception.status, status)

    def test_queries_can_be_checked_without_running(self):
        self.assertEqual(
            self.realm.check_query(Person, "name==$0  sort(_id desc) LIMIT(1)", "Ada"), 'name == "Ada" SORT(_id DESC) LIMIT(1)'
        )
        self.realm.check_query(Person, "name == 'Ada'", queryable_fields=["name"])
        with self.assertRaises(QueryError) as caught:
            self.realm.check_query(Person, "name == 'Ada'", queryable_fields=[])
        self.assertEqual(caught.exception.status, Status.QUERY_INVALID)

    def test_the_query_is_text(self):
        self.assertEqual(self.people.where("name == $0", "Ada").query, 'name == "Ada"')
        self.assertIn("SELECT", self.people.explain())

    def test_all_can_be_deleted(self):
        with self.realm.write():
            self.realm.delete(self.people.where("_id < 5"))
            self.realm.delete(list(self.people)[:2])
        self.assertEqual(len(self.people), 3)


class TransactionTests(RealmTestCase):
    def test_a_block_that_raises_is_undone(self):
        with self.assertRaises(ZeroDivisionError):
            with self.realm.write():
                self.realm.add(Person(_id=1))
                1 / 0
        self.assertEqual(len(self.realm.objects(Person)), 0)
        self.assertFalse(self.realm.is_in_write)

    def test_a_block_may_cancel(self):
        with self.realm.write():
            self.realm.add(Person(_id=1))
            self.realm.cancel_write()
        self.assertEqual(len(self.realm.objects(Person)), 0)

    def test_writing_needs_a_transaction(self):
        with self.assertRaises(ObjectError) as caught:
            self.realm.add(Person(_id=1))
        self.assertEqual(caught.exception.status, Status.NOT_IN_WRITE_TRANSACTION)

    def test_transactions_do_not_nest(self):
        with self.assertRaises(ObjectError) as caught:
            with self.realm.write(), self.realm.write():
                pass
        self.assertEqual(caught.exception.status, Status.IN_WRITE_TRANSACTION)

    def test_a_closed_realm_is_reported_and_not_used(self):
        people, one = self.realm.objects(Person), self.add(Person(_id=1))
        self.realm.close()
        self.realm.close()
        for use in (lambda: self.realm.refresh(), lambda: self.realm.objects(Person), lambda: len(people), lambda: one.name):
            with self.assertRaises(ObjectError) as caught:
                use()
            self.assertEqual(caught.exception.status, Status.OBJECT_INVALIDATED)


class ThreadTests(RealmTestCase):
    def in_thread(self, function):
        outcome = []

        def run():
            try:
                outcome.append(function())
            except BaseException as error:
                outcome.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        if isinstance(outcome[0], BaseException):
            raise outcome[0]
        return outcome[0]

    def test_references_lead_to_objects_on_other_threads(self):
        ada = self.add(Person(_id=1, name="Ada", numbers=[1]))
        references = [ThreadSafeReference(one) for one in (ada, ada.numbers, self.realm.objects(Person), ada.labels, ada.scores)]

        def change():
            with self.open() as realm:
                person, numbers, people, labels, scores = (realm.resolve(one) for one in references)
                with realm.write():
                    person.name = f"{person.name} of {len(people)}"
                    numbers.append(2)
                    labels.add("x")
                    scores["y"] = 1

        self.in_thread(change)
        self.realm.refresh()
        self.assertEqual((ada.name, ada.numbers, list(ada.labels), ada.scores), ("Ada of 1", [1, 2], ["x"], {"y": 1}))

    def test_a_transaction_keeps_other_threads_out(self):
        with self.realm.write():
            with self.assertRaises(ObjectError) as caught:
                self.in_thread(lambda: len(self.realm.objects(Person)))
        self.assertEqual(caught.exception.status, Status.WRONG_THREAD)

    def test_nothing_ends_the_process_on_another_thread(self):
        one, people = self.add(Person(_id=1)), self.realm.objects(Person)
        for use in (lambda: one.is_valid, lambda: repr(one), lambda: people.query, lambda: repr(people), lambda: people.is_valid,
                    lambda: self.realm.version, lambda: self.realm.is_in_write, lambda: hash(one), lambda: one == one):
            with self.realm.write():
                one.name = "changed"
                try:
                    self.in_thread(use)
                except ObjectError as error:
                    self.assertEqual(error.status, Status.WRONG_THREAD)

    def test_a_realm_that_another_thread_uses_is_not_closed(self):
        began, tried = threading.Event(), threading.Event()

        def write():
            with self.realm.write():
                began.set()
                tried.wait()

        thread = threading.Thread(target=write)
        thread.start()
        began.wait()
        with self.assertRaises(ObjectError) as caught:
            self.realm.close()
        self.assertEqual(caught.exception.status, Status.WRONG_THREAD)
        tried.set()
        thread.join()
        self.realm.close()

    def test_frozen_data_serve_all_threads(self):
        self.add(Person(_id=1, name="Ada"))
        people = self.realm.objects(Person).freeze()
        self.add(Person(_id=2))
        self.assertEqual(self.in_thread(lambda: [one.name for one in people]), ["Ada"])
        self.assertTrue(people[0].realm.is_frozen)
        self.assertEqual(len(self.realm.objects(Person)), 2)

    def test_waiting_for_changes_of_other_threads(self):
        self.assertFalse(self.realm.wait_for_change(0.01))

        def write():
            with self.open() as realm, realm.write():
                realm.add(Person(_id=1))

        thread = threading.Thread(target=write)
        thread.start()
        self.assertTrue(self.realm.wait_for_change(10))
        thread.join()
        self.assertTrue(self.realm.refresh())


class FileTests(FolderTestCase):
    def open(self, name="one.realm", **options):
        realm = Realm.open(path=self.folder / name, **{"classes": [Person, Place], **options})
        self.addCleanup(realm.close)
        return realm

    def test_files_are_found_and_deleted(self):
        realm = self.open()
        self.assertTrue(Realm.file_exists(path=self.folder / "one.realm"))
        with self.assertRaises(FileError) as caught:
            Realm.delete_files(path=self.folder / "one.realm")
        self.assertEqual(caught.exception.status, Status.ALREADY_OPEN)
        self.assertIsInstance(caught.exception, OSError)
        realm.close()
        self.assertTrue(Realm.delete_files(path=self.folder / "one.realm"))
        self.assertFalse(Realm.delete_files(path=self.folder / "one.realm"))

    def test_other_files_are_refused(self):
        (self.folder / "text.realm").write_text("not a realm" * 1000)
        with self.assertRaises(FileError) as caught:
            self.open("text.realm")
        self.assertEqual(caught.exception.status, Status.NOT_A_DATABASE)

    def test_realms_in_memory(self):
        with Realm.open(in_memory="shared", classes=[Person, Place]) as one, one.write():
            one.add(Person(_id=1))
            one.commit_write()
            with Realm.open(in_memory="shared", classes=[Person, Place]) as other:
                self.assertEqual(len(other.objects(Person)), 1)

    def test_reading_only(self):
        with self.open() as realm, realm.write():
            realm.add(Person(_id=1))
        with self.open(read_only=True) as realm:
            self.assertEqual(len(realm.objects(Person)), 1)
            with self.assertRaises(UsageError), realm.write():
                pass

    def test_copies(self):
        realm = self.open()
        with realm.write():
            realm.add(Person(_id=1))
        realm.write_copy(path=self.folder / "copy.realm")
        self.assertEqual(len(self.open("copy.realm").objects(Person)), 1)
        with self.assertRaises(FileError) as caught:
            realm.write_copy(path=self.folder / "copy.realm")
        self.assertEqual(caught.exception.status, Status.FILE_EXISTS)

    def test_migrations(self):
        class Old(Object, name="Thing"):
            _id: int = primary_key()
            first: str
            last: str

        class New(Object, name="Thing"):
            _id: int = primary_key()
            name: str
            given: str

        with self.open("m.realm", classes=[Old], schema_version=1) as realm, realm.write():
            realm.add(Old(_id=1, first="Ada", last="Lovelace"))
        with self.assertRaises(ObjectError):
            self.open("m.realm", classes=[New], schema_version=1)
        with self.assertRaises(ZeroDivisionError):
            self.open("m.realm", classes=[New], schema_version=2, migration=lambda migration: 1 / 0)

        def migrate(migration):
            self.assertEqual(migration.old_version, 1)
            migration.rename_property("Thing", "first", "given")
            for old, new in migration.pairs(New):
                new.name = f"{old.first} {old.last}"

        with self.open("m.realm", classes=[New], schema_version=2, migration=migrate) as realm:
            one = realm.objects(New)[0]
            self.assertEqual((one.name, one.given, realm.schema_version), ("Ada Lovelace", "Ada", 2))

    def test_a_migration_that_raises_anything_changes_nothing(self):
        class Thing(Object):
            _id: int = primary_key()
            name: str

        class Newer(Object, name="Thing"):
            _id: int = primary_key()

        class Silent(Exception):
            def __str__(self):
                raise RuntimeError("no message")

        with self.open("m.realm", classes=[Thing], schema_version=1) as realm, realm.write():
            realm.add(Thing(_id=1, name="kept"))
        for error in (ValueError("a lone surrogate: \ud800"), Silent(), ObjectError(Status.OK, "no failure"), KeyboardInterrupt()):
            def migrate(migration):
                migration.after.delete(migration.after.objects(Newer))
                raise error

            with self.assertRaises(type(error)):
                self.open("m.realm", classes=[Newer], schema_version=2, migration=migrate)
            with self.open("m.realm", classes=[Thing], schema_version=1) as realm:
                self.assertEqual([one.name for one in realm.objects(Thing)], ["kept"])

    def test_compaction_is_asked_for(self):
        self.open().close()
        asked = []
        self.open(should_compact=lambda total, used: asked.append((total, used)) or True)
        self.assertEqual(len(asked), 1)
        self.assertGreaterEqual(*asked[0])

    def test_classes_can_be_added(self):
        class Later(Object):
            name: str

        realm = self.open()
        realm.add_classes(Later)
        with realm.write():
            realm.add(Later(name="x"))
        self.assertEqual(realm.objects(Later)[0].name, "x")

    def test_arguments_of_other_types_are_refused_with_words_of_python(self):
        with self.open() as realm:
            with realm.write():
                one = realm.add(Person(_id=77))
            for use, words in [
                (lambda: realm.objects(Person).limit(-1), "a number of objects to be from 0 on"),
                (lambda: realm.objects(Person).limit(1.5), "a number of objects to be an int, not float"),
                (lambda: realm.objects(Person).where(5), "expected str, not int"),
                (lambda: realm.resolve(one), "a ThreadSafeReference, not Person"),
                (lambda: ThreadSafeReference(5), "an object, a collection or results of a realm, not int"),
                (lambda: realm.wait_for_change("1"), "a number of seconds, not str"),
                (lambda: realm.wait_for_change(float("nan")), "not negative, not nan"),
                (lambda: realm.add(5), "an object of a class of the realm, not int"),
                (lambda: realm.add_classes(5), "a class that derives from Object"),
                (lambda: self.open("v.realm", schema_version=-1), "schema_version to be from 0 on"),
                (lambda: self.open("v.realm", user="nadia"), "to be a User, not str"),
                (lambda: pickle.dumps(one), "class 'Person', can be neither pickled nor copied"),
            ]:
                with self.assertRaisesRegex((TypeError, ValueError), words):
                    use()

    def test_a_local_realm_is_not_synced(self):
        realm = self.open()
        self.assertFalse(realm.is_synced)
        for use in (lambda: realm.subscriptions, lambda: realm.session, lambda: realm.rejected_writes):
            with self.assertRaises(SubscriptionError) as caught:
                use()
            self.assertEqual(caught.exception.status, Status.NOT_SYNCED)

    def test_errors_can_be_pickled(self):
        with self.assertRaises(FlexSyncError) as caught:
            self.open("missing/folder.realm")
        copy = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((copy.status, str(copy)), (caught.exception.status, str(caught.exception)))


if __name__ == "__main__":
    unittest.main()
