# SPDX-License-Identifier: Apache-2.0
"""Values: from the JSON of a step, and as a transcript shows them."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from flexsync import Decimal128, Dictionary, List, Object, ObjectId, PropertyInfo, Realm, Set, Type
from flexsync.objects import ObjectBase

from models import BY_NAME


class ScenarioError(Exception):
    """The scenario itself is wrong, or the driver cannot go on."""


def find(realm: Realm, class_name: str, identifier: str) -> Any:
    found = realm.find(BY_NAME[class_name], ObjectId(identifier))
    if found is None:
        raise ScenarioError(f"there is no {class_name} {identifier}")
    return found


# ---- from JSON ----


def value_of(realm: Realm, info: PropertyInfo, json: Any) -> Any:
    """The value of a property, or of an element of a collection."""
    if info.type == Type.MIXED:
        return mixed_value(realm, json)
    if json is None:
        return None
    if isinstance(json, dict):
        return embedded(realm, info.link_target, json)
    if info.type == Type.TIMESTAMP:
        return datetime.fromtimestamp(json, timezone.utc)
    if info.type == Type.DECIMAL:
        return Decimal128(json)
    if info.type == Type.LINK:
        return find(realm, info.link_target, json)
    return json


def embedded(realm: Realm, class_name: str, json: "dict[str, Any]") -> Any:
    properties = realm.schema[class_name]
    return BY_NAME[class_name](**{name: value_of(realm, properties[name], value) for name, value in json.items()})


def mixed_value(realm: Realm, json: Any) -> Any:
    if isinstance(json, list):
        return [mixed_value(realm, element) for element in json]
    if not isinstance(json, dict):
        return json
    if "$numberDecimal" in json:
        return Decimal128(json["$numberDecimal"])
    if "$oid" in json:
        return ObjectId(json["$oid"])
    if "$date" in json:
        return datetime.fromtimestamp(json["$date"], timezone.utc)
    if "$ref" in json:
        return find(realm, json["$ref"], json["$id"])
    return {key: mixed_value(realm, value) for key, value in json.items()}


# ---- for transcripts ----


def line(one: ObjectBase, properties: "dict[str, dict[str, PropertyInfo]]") -> str:
    """The properties of an object: the value of its primary key, then names and values."""
    parts = []
    for name, info in properties[type(one).__name__].items():
        value = getattr(one, name)
        shown = words(value, properties, is_mixed=info.type == Type.MIXED)
        parts.append(shown if info.is_primary_key else f"{name}={shown}")
    return " ".join(parts)


def words(value: Any, properties: Any, is_mixed: bool = False) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"' if is_mixed else value
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, datetime):
        return str(int(value.timestamp()))
    if isinstance(value, (List, Set)):
        return f"[{', '.join(words(each, properties, is_mixed) for each in value)}]"
    if isinstance(value, Dictionary):
        return "{" + ", ".join(f"{key}: {words(each, properties, is_mixed)}" for key, each in value.items()) + "}"
    if isinstance(value, Object):
        return str(value._id)
    if isinstance(value, ObjectBase):
        return f"({line(value, properties)})"
    return str(value)


def json_of(value: Any, properties: Any) -> Any:
    """A value as the step `objects` shows it."""
    if isinstance(value, datetime):
        return int(value.timestamp() * 1000)
    if isinstance(value, Decimal128):
        return {"$numberDecimal": str(value)}
    if isinstance(value, (List, Set)):
        return [json_of(each, properties) for each in value]
    if isinstance(value, Dictionary):
        return {key: json_of(each, properties) for key, each in value.items()}
    if isinstance(value, ObjectId):
        return str(value)
    if isinstance(value, Object):
        return str(value._id)
    if isinstance(value, ObjectBase):
        return object_json(value, properties)
    return value


def object_json(one: ObjectBase, properties: "dict[str, dict[str, PropertyInfo]]") -> "dict[str, Any]":
    return {name: json_of(getattr(one, name), properties) for name in properties[type(one).__name__]}
