# SPDX-License-Identifier: Apache-2.0
"""The classes of the scenarios: those of Examples/TaskTracker and of ../Collections."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from flexsync import AsymmetricObject, Decimal128, EmbeddedObject, Object, ObjectId, primary_key


class Task(Object):
    _id: ObjectId = primary_key()
    taskName: str
    assignee: str | None
    completed: bool
    progressMinutes: int
    dueDate: datetime


class Team(Object):
    _id: ObjectId = primary_key()
    teamName: str
    tasks: list[Task]
    members: list[str]


class Item(Object):
    _id: ObjectId = primary_key()
    name: str
    labels: set[str]
    numbers: set[int | None]
    related: set[Item]
    counts: dict[str, int]
    notes: dict[str, str | None]
    dates: dict[str, datetime]
    partners: dict[str, Item | None]


class Country(EmbeddedObject):
    name: str


class Address(EmbeddedObject):
    street: str
    number: int | None
    country: Country | None
    landlord: Contact | None


class Contact(Object):
    _id: ObjectId = primary_key()
    name: str
    home: Address | None
    addresses: list[Address]
    places: dict[str, Address | None]
    friend: Contact | None


class Note(Object):
    _id: ObjectId = primary_key()
    name: str
    price: Decimal128
    discount: Decimal128 | None
    prices: list[Decimal128]
    any: Any
    anything: list[Any]
    byName: dict[str, Any]


class Site(EmbeddedObject):
    name: str


class Reading(AsymmetricObject):
    _id: ObjectId = primary_key()
    sensor: str
    count: int
    site: Site | None


CLASSES = [Task, Team, Item, Contact, Address, Country, Note, Reading, Site]
#: Local realms have no asymmetric classes.
LOCAL_CLASSES = [each for each in CLASSES if each not in (Reading, Site)]
BY_NAME = {each.__name__: each for each in CLASSES}
