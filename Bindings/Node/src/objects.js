// SPDX-License-Identifier: Apache-2.0
import { Dictionary, List, RealmSet } from "./collections.js";
import { Collection, LinkState, Type } from "./enumerations.js";
import { STATE, camelCase, namesOf, raw } from "./library.js";
import { Listeners, observe } from "./observers.js";
import { PropertyPlace, store } from "./places.js";
import { Results } from "./results.js";
import { fromNative, toInteger } from "./values.js";

const LINK_STATES = namesOf(LinkState, camelCase);

/**
 * An object of a realm. Classes of objects extend it and have a static `schema`:
 *
 *     class Task extends Realm.Object {
 *       static schema = { name: "Task", primaryKey: "_id", properties: { _id: "objectId", taskName: "string" } };
 *     }
 *
 * Properties are read and written like those of other objects; writing needs a transaction. An object that was deleted, or
 * whose realm is closed, throws an error with the code OBJECT_INVALIDATED; see `isValid`.
 */
export class RealmObject {
  /** Creates an object in a realm, within a transaction: `new Task(realm, {taskName: "Write"})`. */
  constructor(realm, values) {
    return realm.create(new.target, values);
  }

  /** Whether the object still exists and its realm is open. */
  isValid() {
    const { realm, objectHandle } = this[STATE];
    return !realm.isClosed && raw.flx_object_is_valid(objectHandle);
  }

  /** The schema of the object's class. */
  objectSchema() {
    return this[STATE].class.schema;
  }

  keys() {
    return [...this[STATE].class.properties.keys()];
  }

  entries() {
    return this.keys().map((name) => [name, this[name]]);
  }

  /** A plain object with the values; links and embedded objects become plain objects, too. */
  toJSON() {
    return toPlain(this, new Map());
  }

  /**
   * Calls a function with the object and `{deleted, changedProperties}` after each change; the first time without changes.
   * @param {string | string[]} [keyPaths] tell only of what is at their ends, as in "owner.name".
   */
  addListener(listener, keyPaths) {
    const { realm, objectHandle } = this[STATE];
    const listeners = listenersOf(this);
    listeners.add(listener, () => {
      realm._callSoon(() => {
        if (listeners.has(listener)) listener(this, { deleted: false, changedProperties: [] });
      });
      return observe("object", objectHandle, keyPaths, (changes) => listener(this, changesOf(this, changes)));
    });
  }

  removeListener(listener) {
    this[STATE].listeners?.remove(listener);
  }

  removeAllListeners() {
    this[STATE].listeners?.removeAll();
  }

  /** The objects of a class that link to this one by a property. */
  linkingObjects(objectType, property) {
    const { realm, objectHandle } = this[STATE];
    const origin = realm._class(objectType);
    return new Results(realm, origin, raw.flx_object_get_backlinks(objectHandle, origin.key, origin.property(property).key));
  }

  linkingObjectsCount() {
    const { realm, class: own } = this[STATE];
    let count = 0;
    for (const origin of realm._classes()) {
      for (const [name, info] of origin.properties) {
        if (info.link_target === own.name) count += this.linkingObjects(origin.name, name).length;
      }
    }
    return count;
  }

  /**
   * Tells a link that is null from one to an object that is not on this device.
   * @returns {{state: "null" | "resolved" | "outOfView", primaryKey: unknown}} with the primary key of the object it leads to.
   */
  linkState(property) {
    const { realm, class: own, objectHandle } = this[STATE];
    const found = raw.flx_object_get_link_state(objectHandle, own.property(property).key);
    return { state: LINK_STATES[found.state], primaryKey: fromNative(found.primary_key, realm) };
  }

  /** Adds to an int property, such that additions of several devices add up. */
  increment(property, by = 1) {
    const { class: own, objectHandle } = this[STATE];
    const { key, where } = own.property(property);
    raw.flx_object_add_integer(objectHandle, key, toInteger(by, `what is added to '${where}'`));
  }

  /** The object as it is now, and stays, in `realm.freeze()`. Null if it was created in the open transaction. */
  freeze() {
    const { realm, objectHandle, class: own } = this[STATE];
    const frozen = realm.freeze();
    const reference = raw.flx_object_make_reference(objectHandle);
    const handle = raw.flx_realm_resolve_object(frozen._handle, reference);
    raw.flx_reference_release(reference);
    return handle && frozen._object(frozen._class(own.name), handle);
  }
}

// Objects are not made by their constructor, so they have no private members.

function listenersOf(object) {
  return (object[STATE].listeners ??= new Listeners(object[STATE].realm));
}

function changesOf(object, { is_deleted, properties }) {
  const names = new Map([...object[STATE].class.properties].map(([name, info]) => [info.key, name]));
  return { deleted: is_deleted, changedProperties: properties.map((key) => names.get(key)).filter(Boolean) };
}

/** An object without links to itself: one that was met before stands for itself. */
function toPlain(value, known) {
  if (value instanceof RealmObject) {
    const key = `${value[STATE].class.name} ${JSON.stringify(raw.flx_object_link(value[STATE].objectHandle))}`;
    if (known.has(key)) return known.get(key);
    const result = {};
    known.set(key, result);
    for (const [name, each] of value.entries()) result[name] = toPlain(each, known);
    return result;
  }
  if (value?.[STATE]?.isDictionary) return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toPlain(each, known)]));
  return value?.[STATE]?.isCollection ? [...value].map((each) => toPlain(each, known)) : value;
}

/** Reads a property. */
function get(state, info) {
  const { realm, objectHandle } = state;
  realm._requireOpen();
  switch (info.collection) {
    case Collection.LIST: return new List(realm, info, raw.flx_object_get_list(objectHandle, info.key));
    case Collection.SET: return new RealmSet(realm, info, raw.flx_object_get_set(objectHandle, info.key));
    case Collection.DICTIONARY: return new Dictionary(realm, info, raw.flx_object_get_dictionary(objectHandle, info.key));
    default: return fromNative(raw.flx_object_get(objectHandle, info.key), realm, (type) => (type === Type.LIST
      ? new List(realm, info, raw.flx_object_get_list(objectHandle, info.key))
      : new Dictionary(realm, info, raw.flx_object_get_dictionary(objectHandle, info.key))));
  }
}

/** Writes a property; a collection gets the elements of another one. */
export function set(state, info, value, mode) {
  const { realm, objectHandle } = state;
  realm._requireOpen();
  if (info.collection === Collection.NONE) {
    store(new PropertyPlace(objectHandle, info), value, info, realm, mode);
  } else {
    get(state, info)._replace(value ?? [], mode);
  }
}

/** The prototype of the objects of a class in a realm: that of the program's class, with the properties. */
export function prototypeFor(openClass) {
  const base = openClass.declared?.constructor_?.prototype ?? RealmObject.prototype;
  const prototype = Object.create(base instanceof RealmObject || base === RealmObject.prototype ? base : RealmObject.prototype);
  for (const [name, info] of openClass.properties) {
    Object.defineProperty(prototype, name, {
      enumerable: true,
      get() { return get(this[STATE], info); },
      set(value) { set(this[STATE], info, value); },
    });
  }
  for (const [name, { objectType, property }] of openClass.linking) {
    Object.defineProperty(prototype, name, { enumerable: true, get() { return this.linkingObjects(objectType, property); } });
  }
  return prototype;
}
