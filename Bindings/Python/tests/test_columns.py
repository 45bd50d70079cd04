# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import array
import ctypes
import unittest
import uuid
from datetime import datetime, timezone

from flexsync import Decimal128, ObjectError, ObjectId, Status

from support import Everything, Person, RealmTestCase


class ArrowSchema(ctypes.Structure):
    pass


ArrowSchema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("children", ctypes.POINTER(ctypes.POINTER(ArrowSchema))),
    ("dictionary", ctypes.c_void_p), ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowSchema))),
    ("private_data", ctypes.c_void_p),
]


class ArrowArray(ctypes.Structure):
    pass


ArrowArray._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowArray))), ("dictionary", ctypes.c_void_p),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowArray))), ("private_data", ctypes.c_void_p),
]


class ArrowStream(ctypes.Structure):
    pass


ArrowStream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ArrowStream), ctypes.POINTER(ArrowSchema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ArrowStream), ctypes.POINTER(ArrowArray))),
    ("get_last_error", ctypes.c_void_p), ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowStream))),
    ("private_data", ctypes.c_void_p),
]


def content(capsule, name, kind):
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.cast(get(capsule, name), ctypes.POINTER(kind)).contents


class ReadingTests(RealmTestCase):
    def setUp(self):
        super().setUp()
        self.time = datetime(1969, 12, 31, 23, 59, 59, 250000, timezone.utc)
        rows = range(10_000)
        with self.realm.write():
            self.realm.insert(Everything, {
                "_id": [ObjectId() for _ in rows], "flag": [index % 3 == 0 for index in rows], "integer": array.array("q", rows),
                "single": [0.5] * len(rows), "double": [index / 4 for index in rows],
                "text": [f"text {index}" for index in rows], "data": [b"x" * (index % 3) for index in rows],
                "time": [None if index % 2 else self.time for index in rows], "decimal": [Decimal128(index) for index in rows],
                "identifier": [uuid.UUID(int=index) for index in rows],
            })
        self.results = self.realm.objects(Everything)

    def test_columns_are_lists_of_values(self):
        columns = self.results.columns()
        self.assertEqual(columns.row_count, 10_000)
        self.assertEqual(list(columns), list(self.realm.schema["Everything"]))
        for name in columns:
            self.assertEqual(columns[name][:50], [getattr(one, name) for one in self.results[:50]], name)
        self.assertEqual(columns["integer"], list(range(10_000)))
        self.assertEqual(columns["time"].count(None), 5_000)

    def test_no_rows_and_large_values(self):
        empty = self.results.where("integer == -1").columns("text", "flag", "decimal")
        self.assertEqual(dict(empty), {"text": [], "flag": [], "decimal": []})
        with self.realm.write():
            self.results[0].text = "é" * 1_000_000
        self.assertEqual(len(self.results.columns("text")["text"][0]), 1_000_000)

    def test_properties_that_are_no_columns_are_refused(self):
        people = self.realm.objects(Person)
        for name in ("friend", "numbers", "anything"):
            with self.assertRaises(TypeError):
                people.columns(name)
        with self.assertRaises(ObjectError) as caught:
            people.columns("nope")
        self.assertEqual(caught.exception.status, Status.NO_SUCH_PROPERTY)

    def test_arrow_gets_a_struct_of_arrays(self):
        columns = self.results.columns("integer", "text", "time", "flag", "decimal", "_id", "identifier")
        schema_capsule, array_capsule = columns.__arrow_c_array__()
        schema, data = content(schema_capsule, b"arrow_schema", ArrowSchema), content(array_capsule, b"arrow_array", ArrowArray)
        formats = {schema.children[i].contents.name: schema.children[i].contents.format for i in range(schema.n_children)}
        self.assertEqual(schema.format, b"+s")
        self.assertEqual(formats, {b"integer": b"l", b"text": b"U", b"time": b"tsu:UTC", b"flag": b"b", b"decimal": b"U",
                                   b"_id": b"w:12", b"identifier": b"w:16"})
        # The consumer may outlive the columns.
        del columns
        self.assertEqual((data.length, data.n_children), (10_000, 7))
        integers, texts, times = (data.children[index].contents for index in range(3))
        self.assertEqual((ctypes.c_int64 * 3).from_address(integers.buffers[1])[:], [0, 1, 2])
        offsets = (ctypes.c_int64 * 4).from_address(texts.buffers[1])[:]
        self.assertEqual(ctypes.string_at(texts.buffers[2], offsets[3]), b"text 0text 1text 2")
        self.assertEqual((integers.null_count, times.null_count, times.n_buffers), (0, 5_000, 2))
        self.assertIsNone(integers.buffers[0])
        self.assertEqual(ctypes.c_uint8.from_address(times.buffers[0]).value, 0b01010101)
        self.assertEqual(ctypes.c_int64.from_address(times.buffers[1]).value, -750_000)

    def test_arrow_gets_a_stream_of_one_batch(self):
        capsule = self.results.columns("integer").__arrow_c_stream__()
        stream = content(capsule, b"arrow_array_stream", ArrowStream)
        schema, first, second = ArrowSchema(), ArrowArray(), ArrowArray()
        self.assertEqual(stream.get_schema(ctypes.byref(stream), ctypes.byref(schema)), 0)
        self.assertEqual(stream.get_next(ctypes.byref(stream), ctypes.byref(first)), 0)
        self.assertEqual(stream.get_next(ctypes.byref(stream), ctypes.byref(second)), 0)
        self.assertEqual((schema.n_children, first.length, bool(second.release)), (1, 10_000, False))
        first.release(ctypes.byref(first))
        schema.release(ctypes.byref(schema))
        self.assertFalse(first.release)

    def test_pandas_gets_a_frame(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("pandas is not installed")
        frame = self.results.columns("integer", "text").to_pandas()
        self.assertEqual((list(frame["integer"][:3]), frame["text"][2]), ([0, 1, 2], "text 2"))

    def test_pyarrow_gets_a_table(self):
        try:
            import pyarrow
        except ImportError:
            self.skipTest("pyarrow is not installed")
        table = pyarrow.table(self.results.columns())
        self.assertEqual(table["integer"].to_pylist()[:3], [0, 1, 2])
        self.assertEqual(table["time"].to_pylist()[:2], [self.time, None])


class InsertingTests(RealmTestCase):
    def test_columns_become_objects(self):
        ids = [ObjectId() for _ in range(3)]
        columns = {
            "_id": ids, "flag": [True, False, True], "integer": array.array("q", [1, 2, 3]), "double": array.array("d", [0.5, 1, 2]),
            "text": ["é", "", "c"], "time": [None, datetime(2024, 1, 1, tzinfo=timezone.utc), None],
            "decimal": [Decimal128("1.5")] * 3, "identifier": [uuid.UUID(int=1), None, None], "data": [b"a", b"b", b""],
        }
        with self.realm.write():
            self.assertEqual(self.realm.insert(Everything, columns), 3)
        stored = self.realm.objects(Everything).columns(*columns)
        self.assertEqual({name: stored[name] for name in columns}, {name: list(values) for name, values in columns.items()})

    def test_mixed_and_links_can_be_inserted(self):
        ada = self.add(Person(_id=1))
        with self.realm.write():
            self.realm.insert(Person, {"_id": [2, 3], "anything": ["text", 7], "friend": [ada, None]})
        self.assertEqual([(one.anything, one.friend) for one in self.realm.objects(Person)[1:]], [("text", ada), (7, None)])

    def test_values_of_other_types_are_refused_with_their_property(self):
        with self.realm.write():
            for name, values in [("text", [5]), ("text", [b"x"]), ("data", ["x"]), ("data", [5]), ("integer", ["1"]), ("integer", [2**63]),
                                 ("flag", [1]), ("text", "x"), ("text", iter("x")), ("text", ["\ud800"])]:
                with self.assertRaisesRegex((TypeError, ValueError, OverflowError), f"the property '{name}'", msg=(name, values)):
                    self.realm.insert(Everything, {"_id": [ObjectId()], name: values})
        self.assertEqual(len(self.realm.objects(Everything)), 0)

    def test_an_error_names_the_object(self):
        with self.assertRaisesRegex(ObjectError, "^Object 1:") as caught:
            with self.realm.write():
                self.realm.insert(Person, {"_id": [1, 1]})
        self.assertEqual(caught.exception.status, Status.DUPLICATE_PRIMARY_KEY)
        self.assertEqual(len(self.realm.objects(Person)), 0)
        with self.assertRaises(ValueError), self.realm.write():
            self.realm.insert(Person, {"_id": [1, 2], "name": ["x"]})


if __name__ == "__main__":
    unittest.main()
