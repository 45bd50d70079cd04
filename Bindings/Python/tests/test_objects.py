# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import unittest
import uuid
from datetime import datetime, timedelta, timezone
from fractions import Fraction
from typing import ClassVar

from flexsync import (
    Decimal128, Dictionary, LinkState, List, Object, ObjectError, ObjectId, Realm, Set, Status, UsageError, primary_key,
)

from support import Everything, FolderTestCase, Person, Place, Priority, RealmTestCase


class ValueTests(RealmTestCase):
    def test_values_of_all_types_come_back(self):
        values = dict(
            flag=True, integer=-(2**63), single=0.5, double=1e300, text="é\0 text", data=b"\0\xff",
            time=datetime(1960, 1, 2, 3, 4, 5, 678901, timezone.utc), decimal=Decimal128("-12.50"),
            identifier=uuid.UUID(int=7), other=ObjectId("65a000000000000000000001"),
        )
        one = self.add(Everything(**values))
        for name, value in values.items():
            self.assertEqual(getattr(one, name), value, name)
        self.assertEqual(str(one.decimal), "-12.50")

    def test_values_that_were_not_given_are_defaults(self):
        one = self.add(Everything())
        self.assertEqual((one.flag, one.integer, one.text, one.data, one.time), (False, 0, "", b"", None))

    def test_an_object_without_realm_has_defaults(self):
        one = Person(_id=1)
        self.assertEqual((one.name, one.nickname, one.numbers, one.labels), ("somebody", None, [], set()))
        self.assertIsNone(one.realm)

    def test_decimals_are_rounded_to_34_digits(self):
        one = self.add(Everything(decimal=Decimal128("1234567890123456789012345678901234.5")))
        self.assertEqual(one.decimal, Decimal128("1234567890123456789012345678901234"))
        with self.realm.write():
            one.decimal = Decimal128("Infinity")
        self.assertEqual(one.decimal, Decimal128("Infinity"))

    def test_values_of_other_types_are_refused(self):
        one = self.add(Everything())
        with self.realm.write():
            for name, value in [("flag", 1), ("integer", "1"), ("text", 1), ("data", "text"), ("time", 0), ("other", "x")]:
                with self.assertRaises(TypeError, msg=name):
                    setattr(one, name, value)
            with self.assertRaisesRegex(ValueError, "time zone"):
                one.time = datetime(2024, 1, 1)
            with self.assertRaises(OverflowError):
                one.integer = 2**63
            with self.assertRaises(ObjectError) as caught:
                one.text = None
        self.assertEqual(caught.exception.status, Status.NULL_NOT_ALLOWED)

    def test_a_refused_value_is_reported_with_its_property(self):
        one = self.add(Everything())
        person = self.add(Person(_id=1))
        with self.realm.write():
            for name, value, kind, words in [
                ("integer", "1", TypeError, "'integer': expected int, not str"),
                ("integer", 2**63, OverflowError, "'integer': 9223372036854775808 does not fit into 64 bits"),
                ("text", "\ud800", ValueError, "'text': a text has a lone surrogate"),
                ("text", Place(street="x"), TypeError, "'text': expected str, not support.Place"),
                ("time", datetime.min.replace(tzinfo=timezone(timedelta(hours=14))), OverflowError, "'time': .* years 1 to 9999"),
            ]:
                with self.assertRaisesRegex(kind, words):
                    setattr(one, name, value)
            with self.assertRaisesRegex(TypeError, "'friend': expected an object, not str"):
                person.friend = "somebody"
            with self.assertRaisesRegex(TypeError, "'labels': expected str, not int"):
                person.labels.add(5)
            with self.assertRaisesRegex(UsageError, "'Place' exist only inside others"):
                self.realm.add(Place(street="x"))
        with self.assertRaisesRegex(TypeError, "'_id': expected int, not str"):
            self.realm.find(Person, "1")
        with self.assertRaisesRegex(UsageError, "'Place' have no primary key"):
            self.realm.find(Place, 1)
        with self.assertRaisesRegex(TypeError, "a class of objects or its name, not 5"):
            self.realm.objects(5)

    def test_numbers_of_other_libraries_are_numbers(self):
        one = self.add(Everything(double=Fraction(1, 2)))
        self.assertEqual(one.double, 0.5)

    def test_an_object_that_cannot_be_added_is_not_in_the_realm(self):
        wrong = Everything(text="kept", integer="wrong")
        with self.realm.write():
            with self.assertRaises(TypeError):
                self.realm.add(wrong)
            self.assertEqual(len(self.realm.objects(Everything)), 0)
            wrong.integer = 1
            self.realm.add(wrong)
        self.assertEqual([(one.text, one.integer) for one in self.realm.objects(Everything)], [("kept", 1)])

    def test_a_default_that_is_a_collection_is_not_shared(self):
        class Bag(Object):
            _id: int = primary_key()
            things: list[str] = ["first"]
            counts: dict[str, int] = {}

        one = Bag(_id=1)
        one.things.append("second")
        one.counts["x"] = 1
        self.assertEqual((Bag(_id=2).things, Bag(_id=2).counts), (["first"], {}))

    def test_enumerations_are_stored_as_their_values(self):
        one = self.add(Person(_id=1, priority=Priority.HIGH))
        self.assertIs(one.priority, Priority.HIGH)
        self.assertEqual(len(self.realm.objects(Person).where("priority == $0", Priority.HIGH)), 1)


class ObjectIdTests(unittest.TestCase):
    def test_an_object_id_is_text_and_bytes(self):
        one = ObjectId("65A000000000000000000001")
        self.assertEqual(str(one), "65a000000000000000000001")
        self.assertEqual(ObjectId(one.bytes), one)
        self.assertEqual(len({one, ObjectId(str(one))}), 1)
        self.assertLess(one, ObjectId("65a000000000000000000002"))
        self.assertEqual(one.created_at.year, 2024)

    def test_anything_else_is_refused(self):
        for value in ("65a0", b"short", "z" * 24):
            with self.assertRaises(ValueError):
                ObjectId(value)

    def test_new_ones_differ(self):
        self.assertEqual(len({ObjectId() for _ in range(1000)}), 1000)


class ClassTests(FolderTestCase):
    def test_annotations_that_are_no_types_of_properties_are_refused(self):
        class Bad(Object):
            _id: int = primary_key()
            number: complex

        with self.assertRaisesRegex(TypeError, "'number'"):
            Realm.open(path=self.folder / "bad.realm", classes=[Bad])

    def test_a_property_that_does_not_exist_is_refused(self):
        with self.assertRaisesRegex(TypeError, "no property 'nam'"):
            Person(_id=1, nam="x")
        class Named(Object):
            _id: int = primary_key()
            name: str

        one = Named(_id=1)
        with self.assertRaisesRegex(AttributeError, "no property 'nam'"):
            one.nam = "x"
        with Realm.open(path=self.folder / "named.realm", classes=[Named]) as realm, realm.write():
            realm.add(one)
            with self.assertRaisesRegex(AttributeError, "no property 'nam'"):
                one.nam = "x"

    def test_what_is_not_stored_has_a_name_with_an_underscore_or_is_a_variable_or_property_of_the_class(self):
        class Counted(Object):
            _id: int = primary_key()
            seen: ClassVar[int] = 0

            @property
            def half(self):
                return self._id / 2

            @half.setter
            def half(self, value):
                self._id = int(value * 2)

        one = Counted(_id=1)
        one._cached, one.seen, one.half = "kept", 2, 4
        self.assertEqual((one._cached, one.seen, one._id, Counted.seen), ("kept", 2, 8, 0))

    def test_a_class_may_have_another_name_in_the_file(self):
        class PythonThing(Object, name="Thing"):
            name: str

        with Realm.open(path=self.folder / "named.realm", classes=[PythonThing]) as realm:
            with realm.write():
                realm.add(PythonThing(name="one"))
            self.assertEqual(list(realm.classes), ["Thing"])
            self.assertIsInstance(realm.objects("Thing")[0], PythonThing)

    def test_collections_can_be_annotated_as_what_they_are(self):
        class Typed(Object):
            numbers: List[int]
            labels: Set[str | None]
            scores: Dictionary[float]

        with Realm.open(path=self.folder / "typed.realm", classes=[Typed]) as realm, realm.write():
            one = realm.add(Typed(numbers=[1, 2], labels={"a", None}, scores={"x": 0.5}))
            one.numbers.move(0, 1)
            self.assertEqual((one.numbers, list(one.labels), one.scores), ([2, 1], [None, "a"], {"x": 0.5}))

    def test_class_variables_are_no_properties(self):
        from typing import ClassVar

        class Counted(Object):
            total: ClassVar[int] = 0
            name: str

        self.assertEqual(list(Counted._flx_properties()), ["name"])

    def test_a_file_can_be_read_without_its_classes(self):
        path = self.folder / "unknown.realm"
        with Realm.open(path=path, classes=[Person, Place]) as realm, realm.write():
            realm.add(Person(_id=1, name="Ada", home=Place(street="Elm"), numbers=[1, 2]))
        with Realm.open(path=path) as realm:
            one = realm.objects("Person")[0]
            self.assertEqual((one.name, one.home.street, list(one.numbers)), ("Ada", "Elm", [1, 2]))


class LinkTests(RealmTestCase):
    def test_objects_that_are_linked_are_added(self):
        ada = self.add(Person(_id=1, friend=Person(_id=2, friend=None)))
        self.assertEqual(ada.friend._id, 2)
        self.assertEqual(len(self.realm.objects(Person)), 2)

    def test_cycles_are_added_once(self):
        ada, bob = Person(_id=1), Person(_id=2)
        ada.friend, bob.friend = bob, ada
        self.add(ada)
        self.assertEqual(ada.friend.friend, ada)
        self.assertEqual(bob.realm, self.realm)

    def test_the_same_object_is_equal_and_has_one_hash(self):
        ada = self.add(Person(_id=1))
        self.assertEqual(self.realm.find(Person, 1), ada)
        self.assertEqual(len({ada, self.realm.find(Person, 1)}), 1)
        self.assertNotEqual(ada, self.add(Person(_id=2)))

    def test_backlinks_are_live(self):
        ada = self.add(Person(_id=1))
        self.assertEqual(len(ada.admirers), 0)
        bob = self.add(Person(_id=2, friend=ada))
        self.assertEqual(list(ada.admirers), [bob])
        self.assertEqual(list(ada.backlinks(Person, "friend")), [bob])

    def test_where_a_link_leads(self):
        ada = self.add(Person(_id=1, friend=Person(_id=2)))
        self.assertEqual(ada.link_state("friend"), (LinkState.RESOLVED, 2))
        self.assertEqual(ada.friend.link_state("friend"), (LinkState.NULL, None))

    def test_deleted_objects_are_invalid(self):
        ada = self.add(Person(_id=1, friend=Person(_id=2)))
        with self.realm.write():
            self.realm.delete(ada.friend)
            bob = ada
        self.assertIsNone(ada.friend)
        with self.realm.write():
            self.realm.delete(bob)
        self.assertFalse(ada.is_valid)
        self.assertEqual(repr(ada), "<Person (deleted)>")
        with self.assertRaises(ObjectError) as caught:
            ada.name
        self.assertEqual(caught.exception.status, Status.OBJECT_INVALIDATED)

    def test_primary_keys_are_unique_unless_objects_are_updated(self):
        self.add(Person(_id=1, name="Ada", nickname="A"))
        with self.assertRaises(ObjectError) as caught:
            self.add(Person(_id=1))
        self.assertEqual(caught.exception.status, Status.DUPLICATE_PRIMARY_KEY)
        with self.realm.write():
            self.realm.add(Person(_id=1, name="Adele"), update=True)
        one = self.realm.find(Person, 1)
        self.assertEqual((one.name, one.nickname), ("Adele", "A"))

    def test_a_primary_key_is_needed(self):
        with self.assertRaises(ObjectError) as caught:
            self.add(Person())
        self.assertEqual(caught.exception.status, Status.NULL_NOT_ALLOWED)

    def test_increments_add_up(self):
        one = self.add(Everything(integer=5))
        with self.realm.write():
            one.increment("integer", 3)
            one.increment("integer", -1)
        self.assertEqual(one.integer, 7)


class CollectionTests(RealmTestCase):
    def setUp(self):
        super().setUp()
        self.ada = self.add(Person(_id=1))

    def test_lists_are_mutable_sequences(self):
        with self.realm.write():
            numbers = self.ada.numbers
            numbers.extend([3, 1, 2])
            numbers.insert(0, 9)
            numbers.append(4)
            numbers[1] = 30
            del numbers[-1]
            numbers.move(0, 2)
            self.assertEqual(numbers, [30, 1, 9, 2])
            self.assertEqual(numbers.pop(), 2)
            numbers.remove(1)
        self.assertEqual((numbers[0], numbers[-1], numbers[0:2], 9 in numbers, numbers.index(9)), (30, 9, [30, 9], True, 1))
        for index in (2, -3):
            with self.assertRaises(IndexError):
                numbers[index]

    def test_a_list_is_assigned_as_a_whole(self):
        with self.realm.write():
            self.ada.numbers = [1, 2]
            self.ada.numbers = list(self.ada.numbers) + [3]
            self.ada.numbers = self.ada.numbers
        self.assertEqual(list(self.ada.numbers), [1, 2, 3])

    def test_what_is_no_collection_of_the_elements_leaves_what_was_there(self):
        one = self.add(Person(_id=5, numbers=[1, 2], labels={"a"}, scores={"a": 1}))
        with self.realm.write():
            for name, value in [("numbers", [3, "4"]), ("numbers", "34"), ("numbers", 5), ("numbers", {3: 4}), ("labels", "urgent"),
                                ("labels", None), ("scores", {"b": "2"}), ("scores", [("b", 2)]), ("friends", "somebody")]:
                with self.assertRaisesRegex(TypeError, f"'{name}'", msg=(name, value)):
                    setattr(one, name, value)
        self.assertEqual((one.numbers, one.labels, one.scores), ([1, 2], {"a"}, {"a": 1}))

    def test_a_list_can_be_appended_to_itself(self):
        one = self.add(Person(_id=5, numbers=[1, 2]))
        with self.realm.write():
            one.numbers.extend(one.numbers)
            one.numbers += one.numbers
        self.assertEqual(one.numbers, [1, 2] * 4)

    def test_only_objects_are_deleted(self):
        one = self.add(Person(_id=5))
        with self.realm.write():
            for value in ("somebody", b"x", 5, None, ["somebody"]):
                with self.assertRaisesRegex(TypeError, "expected an object of the realm"):
                    self.realm.delete(value)
        self.assertTrue(one.is_valid)

    def test_lists_of_objects_can_be_queried(self):
        with self.realm.write():
            self.ada.friends = [Person(_id=2, name="Bob"), Person(_id=3, name="Cid")]
        self.assertEqual([one.name for one in self.ada.friends.results().sorted("-name")], ["Cid", "Bob"])

    def test_sets_are_mutable_sets(self):
        with self.realm.write():
            labels = self.ada.labels
            labels |= {"b", "a"}
            labels.add("a")
            labels.discard("nothing")
        self.assertEqual(list(labels), ["a", "b"])
        self.assertTrue("a" in labels and "c" not in labels and 7 not in labels)
        self.assertEqual(labels & {"a"}, {"a"})
        self.assertEqual(labels, {"a", "b"})

    def test_dictionaries_are_mutable_mappings(self):
        with self.realm.write():
            scores = self.ada.scores
            scores.update(b=2, a=1)
            scores["c"] = 3
            del scores["b"]
            with self.assertRaises(KeyError):
                del scores["b"]
        self.assertEqual(scores, {"a": 1, "c": 3})
        self.assertEqual((list(scores), scores.get("x"), "a" in scores), (["a", "c"], None, True))
        with self.assertRaises(KeyError):
            scores["x"]

    def test_embedded_objects_live_in_their_places(self):
        with self.realm.write():
            place = Place(street="Elm", number=1)
            self.ada.home = place
            self.ada.places.append(Place(street="Oak"))
            self.ada.places.insert(0, Place(street="Ash"))
            self.ada.placesByName["work"] = Place(street="Fir")
            self.ada.placesByName["none"] = None
        self.assertEqual(place.realm, self.realm)
        self.assertEqual(self.ada.home.street, "Elm")
        self.assertEqual([one.street for one in self.ada.places], ["Ash", "Oak"])
        self.assertEqual(self.ada.placesByName["work"].street, "Fir")
        with self.realm.write():
            self.ada.home = self.ada.places[0]
            self.ada.places.clear()
        self.assertEqual((self.ada.home.street, place.is_valid), ("Ash", False))

    def test_mixed_values_hold_anything(self):
        values = [None, True, 7, 1.5, "text", b"data", Decimal128("1.50"), [1, ["deep"], {"k": None}], {"a": [1], "b": self.ada}]
        for value in values:
            with self.realm.write():
                self.ada.anything = value
            self.assertEqual(self.ada.anything, value)
        with self.realm.write():
            self.ada.everything = values
            self.ada.everything[7][1].append("more")
            self.ada.anything["a"].append({"new": True})
        self.assertEqual(self.ada.everything[7], [1, ["deep", "more"], {"k": None}])
        self.assertEqual(self.ada.anything["a"], [1, {"new": True}])


if __name__ == "__main__":
    unittest.main()
