// SPDX-License-Identifier: Apache-2.0
/** Values: from the JSON of a step, and as a transcript shows them. */
import { Decimal128, Dictionary, List, ObjectId, RealmObject, RealmSet } from "flexsync";

/** The scenario itself is wrong, or the driver cannot go on. */
export class ScenarioError extends Error {}

export function find(realm, className, identifier) {
  const found = realm.objectForPrimaryKey(className, new ObjectId(identifier));
  if (!found) throw new ScenarioError(`there is no ${className} ${identifier}`);
  return found;
}

/** The properties of a class by name. */
export function propertiesOf(realm, className) {
  return realm.schema.find((one) => one.name === className).properties;
}

/** The type of a property's values or elements, and the class they link to. */
const elementOf = (property) => (property.type === "object" ? property.objectType : property.objectType ?? property.type);
const BUILT_IN = new Set(["bool", "int", "string", "date", "decimal128", "objectId", "mixed"]);

// ---- from JSON ----

/** The value of a property, or of an element of a collection. */
export function valueOf(realm, property, json) {
  const type = elementOf(property);
  if (type === "mixed") return mixedValue(realm, json);
  if (json === null || json === undefined) return null;
  if (type === "date") return new Date(json * 1000);
  if (type === "decimal128") return new Decimal128(json);
  if (BUILT_IN.has(type)) return json;
  return typeof json === "object" ? embedded(realm, type, json) : find(realm, type, json);
}

function embedded(realm, className, json) {
  const properties = propertiesOf(realm, className);
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, valueOf(realm, properties[name], value)]));
}

export function mixedValue(realm, json) {
  if (Array.isArray(json)) return json.map((one) => mixedValue(realm, one));
  if (typeof json !== "object" || json === null) return json;
  if ("$numberDecimal" in json) return new Decimal128(json.$numberDecimal);
  if ("$oid" in json) return new ObjectId(json.$oid);
  if ("$date" in json) return new Date(json.$date * 1000);
  if ("$ref" in json) return find(realm, json.$ref, json.$id);
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, mixedValue(realm, value)]));
}

// ---- for transcripts ----

/** The properties of an object: the value of its primary key, then names and values. */
export function line(object) {
  const { primaryKey, properties } = object.objectSchema();
  return Object.values(properties).map(({ name, ...property }) => {
    const shown = words(object[name], elementOf(property) === "mixed");
    return name === primaryKey ? shown : `${name}=${shown}`;
  }).join(" ");
}

export function words(value, isMixed) {
  if (typeof value === "string") return isMixed ? `"${value}"` : value;
  if (value instanceof Date) return String(Math.trunc(value.getTime() / 1000));
  if (value instanceof List || value instanceof RealmSet) return `[${[...value].map((one) => words(one, isMixed)).join(", ")}]`;
  if (value instanceof Dictionary) return `{${value.entries().map(([key, one]) => `${key}: ${words(one, isMixed)}`).join(", ")}}`;
  if (value instanceof RealmObject) return isEmbedded(value) ? `(${line(value)})` : String(value._id);
  return String(value);
}

const isEmbedded = (object) => object.objectSchema().embedded;

/** An object as the step `objects` shows it. */
export function objectJSON(object) {
  return Object.fromEntries(object.entries().map(([name, value]) => [name, jsonOf(value)]));
}

function jsonOf(value) {
  if (value instanceof Date) return value.getTime();
  if (value instanceof Decimal128) return { $numberDecimal: String(value) };
  if (value instanceof ObjectId) return String(value);
  if (value instanceof List || value instanceof RealmSet) return [...value].map(jsonOf);
  if (value instanceof Dictionary) return Object.fromEntries(value.entries().map(([key, one]) => [key, jsonOf(one)]));
  if (value instanceof RealmObject) return isEmbedded(value) ? objectJSON(value) : String(value._id);
  return value;
}
