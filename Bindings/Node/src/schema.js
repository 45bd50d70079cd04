// SPDX-License-Identifier: Apache-2.0
/** @file Classes as a program declares them, and as the library has them. Nothing here is API. */
import { ClassKind, Collection, Type } from "./enumerations.js";
import { raw } from "./library.js";

const TYPES = {
  bool: Type.BOOL, int: Type.INT, float: Type.FLOAT, double: Type.DOUBLE, string: Type.STRING, date: Type.TIMESTAMP,
  data: Type.BINARY, decimal128: Type.DECIMAL, objectId: Type.OBJECT_ID, uuid: Type.UUID, mixed: Type.MIXED,
};
const COLLECTIONS = { list: Collection.LIST, set: Collection.SET, dictionary: Collection.DICTIONARY };
const SUFFIXES = { "[]": "list", "<>": "set", "{}": "dictionary" };
const TYPE_NAMES = Object.fromEntries(Object.entries(TYPES).map(([name, type]) => [type, name]));
const COLLECTION_NAMES = Object.fromEntries(Object.entries(COLLECTIONS).map(([name, kind]) => [kind, name]));

/** The object form of a property: "string?[]" is {type: "list", objectType: "string", optional: true}. */
function objectForm(declared, where) {
  if (typeof declared === "object" && declared !== null) return withSuffixes({ ...declared });
  if (typeof declared !== "string") throw new TypeError(`The type of '${where}' is neither text nor an object.`);
  return withSuffixes({ type: declared });
}

function withSuffixes(form) {
  const suffix = /(\[\]|<>|\{\})$/.exec(form.type)?.[1];
  if (suffix) {
    form.objectType = form.type.slice(0, -2);
    form.type = SUFFIXES[suffix];
  }
  const element = form.type in COLLECTIONS ? "objectType" : "type";
  if (form[element]?.endsWith("?")) {
    form[element] = form[element].slice(0, -1);
    form.optional = true;
  }
  return form;
}

/** A property of the library for a declared one; undefined for linking objects, which are not stored. */
function propertyInfo(name, form, schema, where) {
  if (form.type === "linkingObjects") return undefined;
  const collection = COLLECTIONS[form.type] ?? Collection.NONE;
  const element = collection === Collection.NONE && form.type !== "object" ? form.type : form.objectType;
  if (!element) throw new TypeError(`The property '${where}' does not say of what.`);
  const isLink = !(element in TYPES);
  const isAlwaysOptional = element === "mixed" || (isLink && [Collection.NONE, Collection.DICTIONARY].includes(collection));
  return {
    name: form.mapTo ?? name,
    type: isLink ? Type.LINK : TYPES[element],
    collection,
    link_target: isLink ? element : "",
    is_nullable: isAlwaysOptional || (Boolean(form.optional) && !isLink),
    is_primary_key: schema.primaryKey === name,
    is_indexed: Boolean(form.indexed),
  };
}

/** A declared class. */
export class DeclaredClass {
  /** @param declared a class with a static `schema`, or a schema. */
  constructor(declared) {
    const isClass = typeof declared === "function";
    this.constructor_ = isClass ? declared : undefined;
    const schema = isClass ? declared.schema : declared;
    if (!schema?.name || !schema.properties) throw new TypeError("A class needs a schema with 'name' and 'properties'.");
    this.schema = schema;
    this.name = schema.name;
    this.stored = [];
    this.defaults = new Map();
    this.linking = new Map();
    this.storedNames = new Map();
    for (const [name, one] of Object.entries(schema.properties)) this.#add(name, objectForm(one, `${schema.name}.${name}`));
    if (schema.primaryKey && !schema.properties[schema.primaryKey]) {
      throw new TypeError(`The primary key '${schema.primaryKey}' is not a property of '${schema.name}'.`);
    }
  }

  #add(name, form) {
    const info = propertyInfo(name, form, this.schema, `${this.name}.${name}`);
    if (!info) {
      this.linking.set(name, { objectType: form.objectType, property: form.property });
      return;
    }
    this.stored.push(info);
    this.storedNames.set(name, info.name);
    if ("default" in form) this.defaults.set(name, form.default);
  }

  /** The class for a configuration. */
  get info() {
    const { embedded, asymmetric } = this.schema;
    const kind = embedded ? ClassKind.EMBEDDED : asymmetric ? ClassKind.ASYMMETRIC : ClassKind.TOP_LEVEL;
    return { name: this.name, kind, properties: this.stored };
  }
}

/** A class of an open realm: its keys there, and the properties by the names that the program uses. */
export class OpenClass {
  constructor(info, declared) {
    this.name = info.name;
    this.key = info.key;
    this.kind = info.kind;
    this.declared = declared;
    const byStoredName = new Map(info.properties.map((one) => [one.name, { ...one, where: `${info.name}.${one.name}` }]));
    this.properties = declared
      ? new Map([...declared.storedNames].map(([name, stored]) => [name, byStoredName.get(stored)]).filter(([, one]) => one))
      : byStoredName;
    this.linking = declared?.linking ?? new Map();
    const key = [...this.properties].find(([, one]) => one.is_primary_key);
    this.primaryKey = key && { name: key[0], ...key[1] };
  }

  get isEmbedded() {
    return this.kind === ClassKind.EMBEDDED;
  }

  property(name) {
    const found = this.properties.get(name);
    if (!found) throw new TypeError(`Property '${this.name}.${name}' does not exist`);
    return found;
  }

  /** The class as `realm.schema` shows it. */
  get schema() {
    const stored = [...this.properties].map(([name, one]) => [name, shownProperty(name, one)]);
    const linking = [...this.linking].map(([name, one]) => [name, { name, type: "linkingObjects", ...one }]);
    return {
      name: this.name,
      ...(this.primaryKey ? { primaryKey: this.primaryKey.name } : {}),
      embedded: this.isEmbedded,
      asymmetric: this.kind === ClassKind.ASYMMETRIC,
      properties: Object.fromEntries([...stored, ...linking]),
    };
  }
}

function shownProperty(name, one) {
  const element = one.type === Type.LINK ? one.link_target : TYPE_NAMES[one.type];
  const single = one.type === Type.LINK ? { type: "object", objectType: element } : { type: element };
  const type = one.collection === Collection.NONE ? single : { type: COLLECTION_NAMES[one.collection], objectType: element };
  return { name, ...type, optional: one.is_nullable, indexed: one.is_indexed, mapTo: one.name };
}

/** The classes of an open realm, by name and by key. */
export function openClasses(handle, declared) {
  const byName = new Map();
  for (let index = 0; index < raw.flx_realm_class_count(handle); index++) {
    const info = raw.flx_realm_class_at(handle, index);
    byName.set(info.name, new OpenClass(info, declared.get(info.name)));
  }
  return { byName, byKey: new Map([...byName.values()].map((one) => [one.key, one])) };
}
