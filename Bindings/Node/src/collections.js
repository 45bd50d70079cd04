// SPDX-License-Identifier: Apache-2.0
import { Type } from "./enumerations.js";
import { STATE, isPlain, raw } from "./library.js";
import { Listeners, collectionChanges, observe } from "./observers.js";
import { ElementPlace, EntryPlace, InsertionPlace, store } from "./places.js";
import { described, fromNative, toIndex, toNative, toText } from "./values.js";

/** Reading methods of arrays, which collections have as well. */
const ARRAY_METHODS = [
  "concat", "every", "filter", "find", "findIndex", "findLast", "findLastIndex", "flatMap", "forEach", "join", "lastIndexOf", "map",
  "reduce", "reduceRight", "slice", "some", "entries", "keys", "values",
];

/** What all collections have: listeners, and an end with their realm. */
export class RealmCollection {
  constructor(realm, state) {
    Object.defineProperty(this, STATE, { value: { realm, isCollection: true, ...state } });
  }

  /** Whether the collection still exists and its realm is open. */
  isValid() {
    if (this[STATE].realm.isClosed) return false;
    try {
      this._count();
      return true;
    } catch (error) {
      if (error.code !== "OBJECT_INVALIDATED") throw error;
      return false;
    }
  }

  /**
   * Calls a function with the collection and what has changed, by indexes: `{deletions, insertions, newModifications,
   * oldModifications}`; for a dictionary `{deletions, insertions, modifications}`, by keys. The first call tells of no changes.
   * @param {string | string[]} [keyPaths] tell only of changes at their ends, as in "owner.name".
   */
  addListener(listener, keyPaths) {
    const { realm, kind, handle } = this[STATE];
    const listeners = (this[STATE].listeners ??= new Listeners(realm));
    listeners.add(listener, () => observe(kind, handle, keyPaths, (changes) => listener(this, this._changes(changes))));
  }

  removeListener(listener) {
    this[STATE].listeners?.remove(listener);
  }

  removeAllListeners() {
    this[STATE].listeners?.removeAll();
  }

  _changes(changes) {
    return collectionChanges(changes);
  }

  toJSON() {
    return [...this].map((one) => one?.toJSON?.() ?? one);
  }
}

const isIndex = (key) => typeof key === "string" && /^\d+$/.test(key);

/** Makes elements readable, and those of lists writable, by index. */
const INDEXES = {
  get(target, key, receiver) {
    return isIndex(key) ? target._at(Number(key)) : Reflect.get(target, key, receiver);
  },
  set(target, key, value, receiver) {
    if (key === "length") throw new TypeError("The length of a collection cannot be set. Take elements out of a list with 'splice' or 'clear'.");
    if (!isIndex(key)) return Reflect.set(target, key, value, receiver);
    target._setAt(Number(key), value);
    return true;
  },
  deleteProperty(target, key) {
    if (isIndex(key)) throw new TypeError("An element cannot be deleted as a property. Take it out of a list with 'remove' or 'splice'.");
    return Reflect.deleteProperty(target, key);
  },
  has(target, key) {
    return isIndex(key) ? Number(key) < target._count() : Reflect.has(target, key);
  },
};

/** A collection with an order: results and lists. It has the reading methods of arrays. */
export class OrderedCollection extends RealmCollection {
  constructor(realm, state) {
    super(realm, state);
    return new Proxy(this, INDEXES);
  }

  get length() {
    return this._count();
  }

  /** The element at an index, from the end if it is negative; undefined if there is none. */
  at(index) {
    return this._at(index < 0 ? this._count() + index : index);
  }

  /** The element at an index; undefined if there is none. */
  _at(index) {
    if (index < 0 || !Number.isSafeInteger(index)) return undefined;
    try {
      return this._get(index);
    } catch (error) {
      if (error.code === "INDEX_OUT_OF_BOUNDS") return undefined;
      throw error;
    }
  }

  _setAt() {
    throw new TypeError("The elements of results cannot be replaced.");
  }

  /** Iterates over the elements there are when the iteration begins. */
  *[Symbol.iterator]() {
    const count = this._count();
    const elements = [];
    for (let index = 0; index < count; index++) elements.push(this._get(index));
    yield* elements;
  }

  /** The index of an element, −1 if it is not there. */
  indexOf(element, from = 0) {
    const isSame = sameAs(element);
    return [...this].findIndex((one, index) => index >= from && isSame(one));
  }

  includes(element, from = 0) {
    return this.indexOf(element, from) >= 0;
  }

  isEmpty() {
    return this._count() === 0;
  }

  /** The elements that match a query; only of objects. See `Results.filtered`. */
  filtered(query, ...values) {
    return this._results().filtered(query, ...values);
  }

  /** The elements in another order; only of objects. See `Results.sorted`. */
  sorted(...order) {
    return this._results().sorted(...order);
  }
}

for (const name of ARRAY_METHODS) {
  Object.defineProperty(OrderedCollection.prototype, name, {
    configurable: true,
    writable: true,
    value(...values) { return Array.prototype[name].apply([...this], values); },
  });
}

function sameAs(element) {
  if (typeof element?.equals === "function") return (one) => element.equals(one);
  const handle = element?.[STATE]?.objectHandle;
  if (!handle) return element instanceof Date ? (one) => one?.getTime?.() === element.getTime() : (one) => one === element;
  const { row, target_class } = raw.flx_object_link(handle);
  return (one) => {
    const other = one?.[STATE]?.objectHandle && raw.flx_object_link(one[STATE].objectHandle);
    return other !== undefined && other.row === row && other.target_class === target_class;
  };
}

/** Throws a TypeError for elements of another type, before anything was changed. */
function requireElements(elements, info) {
  if (info.type !== Type.LINK && info.type !== Type.MIXED) for (const one of elements) toNative(one, info);
}

/** The elements of what a list or a set gets. A string has characters, but is no collection of them. */
function elementsOf(values, info) {
  if (typeof values !== "object" || typeof values[Symbol.iterator] !== "function") {
    throw new TypeError(`Expected '${info.where}' to be an array or another collection, got ${described(values)}`);
  }
  const elements = [...values];
  requireElements(elements, info);
  return elements;
}

/** The entries of what a dictionary gets. */
function entriesOf(values, info) {
  if (values instanceof Map) return [...values].map(([key, value]) => [toText(key, `a key of '${info.where}'`), value]);
  if (isPlain(values) || values?.[STATE]?.isDictionary) return Object.entries(values);
  throw new TypeError(`Expected '${info.where}' to be an object with the entries, got ${described(values)}`);
}

/** A live list of a property, or in a mixed value. It has the methods of arrays; writing needs a transaction. */
export class List extends OrderedCollection {
  constructor(realm, info, handle) {
    super(realm, { kind: "list", isList: true, info, handle });
  }

  _count() {
    return raw.flx_list_count(this[STATE].handle);
  }

  _get(index) {
    const { realm, info, handle } = this[STATE];
    return fromNative(raw.flx_list_get(handle, index), realm, (type) => (type === Type.LIST
      ? new List(realm, info, raw.flx_list_get_list(handle, index))
      : new Dictionary(realm, info, raw.flx_list_get_dictionary(handle, index))));
  }

  _setAt(index, value, mode) {
    const { realm, info, handle } = this[STATE];
    const Place = index === this._count() ? InsertionPlace : ElementPlace;
    store(new Place(handle, index), value, info, realm, mode);
  }

  _results() {
    return this[STATE].realm._resultsOf(raw.flx_list_get_results(this[STATE].handle));
  }

  _replace(values, mode) {
    const elements = elementsOf(values, this[STATE].info);
    this.clear();
    elements.forEach((one, index) => this.insert(index, one, mode));
  }

  /** Inserts an element before the one at an index. */
  insert(index, value, mode) {
    const { realm, info, handle } = this[STATE];
    store(new InsertionPlace(handle, toIndex(index)), value, info, realm, mode);
  }

  push(...values) {
    for (const one of values) this.insert(this._count(), one);
    return this._count();
  }

  unshift(...values) {
    values.forEach((one, index) => this.insert(index, one));
    return this._count();
  }

  pop() {
    return this.#taken(this._count() - 1);
  }

  shift() {
    return this.#taken(0);
  }

  #taken(index) {
    const result = this._at(index);
    if (index >= 0 && index < this._count()) this.remove(index);
    return result;
  }

  /** Removes elements from an index on, and inserts others there. Returns those that were removed. */
  splice(...given) {
    const [start, count, ...values] = given;
    const length = this._count();
    const from = Math.trunc(start) || 0;
    const first = from < 0 ? Math.max(length + from, 0) : Math.min(from, length);
    const most = given.length === 1 ? Infinity : Math.trunc(count) || 0;
    const removed = [];
    for (let left = Math.min(most, given.length ? length - first : 0); left > 0; left--) removed.push(this.#taken(first));
    values.forEach((one, index) => this.insert(first + index, one));
    return removed;
  }

  /** Removes the element at an index. */
  remove(index) {
    raw.flx_list_erase(this[STATE].handle, toIndex(index));
  }

  clear() {
    raw.flx_list_clear(this[STATE].handle);
  }

  /** Moves an element, which ends up at the index `to`. */
  move(from, to) {
    raw.flx_list_move(this[STATE].handle, toIndex(from), toIndex(to));
  }

  swap(first, second) {
    const [low, high] = toIndex(first) < toIndex(second) ? [first, second] : [second, first];
    if (low === high) return;
    this.move(high, low);
    this.move(low + 1, high);
  }
}

/** A live set of a property. It has the methods of a Set; its elements are sorted. */
export class RealmSet extends RealmCollection {
  constructor(realm, info, handle) {
    super(realm, { kind: "set", info, handle });
  }

  _count() {
    return raw.flx_set_count(this[STATE].handle);
  }

  _results() {
    return this[STATE].realm._resultsOf(raw.flx_set_get_results(this[STATE].handle));
  }

  _replace(values, mode) {
    const elements = elementsOf(values, this[STATE].info);
    this.clear();
    for (const one of elements) this.add(one, mode);
  }

  get size() {
    return this._count();
  }

  get length() {
    return this._count();
  }

  has(value) {
    return raw.flx_set_find(this[STATE].handle, toNative(value, this[STATE].info)) >= 0;
  }

  add(value, mode) {
    const { realm, info, handle } = this[STATE];
    store({ set: (native) => raw.flx_set_insert(handle, native) }, value, info, realm, mode);
    return this;
  }

  /** Removes an element. Returns whether it was there. */
  delete(value) {
    return raw.flx_set_erase(this[STATE].handle, toNative(value, this[STATE].info));
  }

  clear() {
    raw.flx_set_clear(this[STATE].handle);
  }

  *[Symbol.iterator]() {
    const { realm, handle } = this[STATE];
    const count = this._count();
    const elements = [];
    for (let index = 0; index < count; index++) elements.push(fromNative(raw.flx_set_get(handle, index), realm));
    yield* elements;
  }

  values() {
    return this[Symbol.iterator]();
  }

  keys() {
    return this[Symbol.iterator]();
  }

  *entries() {
    for (const one of this) yield [one, one];
  }

  forEach(callback, receiver) {
    for (const one of this) callback.call(receiver, one, one, this);
  }

  map(callback) {
    return [...this].map(callback);
  }

  filtered(query, ...values) {
    return this._results().filtered(query, ...values);
  }

  sorted(...order) {
    return this._results().sorted(...order);
  }
}

/** Makes entries readable and writable as properties. Those with the names of methods need `get` and `set`. */
const ENTRIES = {
  get(target, key, receiver) {
    return typeof key === "symbol" || key in target ? Reflect.get(target, key, receiver) : target.get(key);
  },
  set(target, key, value, receiver) {
    if (typeof key === "symbol") return Reflect.set(target, key, value, receiver);
    target.set(key, value);
    return true;
  },
  deleteProperty(target, key) {
    if (typeof key === "symbol") return Reflect.deleteProperty(target, key);
    target.remove(key);
    return true;
  },
  has(target, key) {
    return Reflect.has(target, key) || (typeof key === "string" && target._has(key));
  },
  ownKeys(target) {
    return [...target._keys(), STATE];
  },
  getOwnPropertyDescriptor(target, key) {
    if (typeof key === "symbol") return Reflect.getOwnPropertyDescriptor(target, key);
    return target._has(key) ? { value: target.get(key), enumerable: true, configurable: true, writable: true } : undefined;
  },
};

/** A live dictionary of a property, or in a mixed value. Its entries are its properties; keys are sorted. */
export class Dictionary extends RealmCollection {
  constructor(realm, info, handle) {
    super(realm, { kind: "dictionary", isDictionary: true, info, handle });
    return new Proxy(this, ENTRIES);
  }

  _count() {
    return raw.flx_dictionary_count(this[STATE].handle);
  }

  _has(key) {
    return raw.flx_dictionary_get(this[STATE].handle, key).is_there;
  }

  _keys() {
    const { handle } = this[STATE];
    return Array.from({ length: this._count() }, (_, index) => raw.flx_dictionary_get_at(handle, index).key);
  }

  _results() {
    return this[STATE].realm._resultsOf(raw.flx_dictionary_get_results(this[STATE].handle));
  }

  _replace(values, mode) {
    const entries = entriesOf(values, this[STATE].info);
    requireElements(entries.map(([, value]) => value), this[STATE].info);
    raw.flx_dictionary_clear(this[STATE].handle);
    for (const [key, value] of entries) this._put(key, value, mode);
  }

  _changes({ deletions, insertions, modifications }) {
    return { deletions, insertions, modifications };
  }

  _put(key, value, mode) {
    const { realm, info, handle } = this[STATE];
    store(new EntryPlace(handle, key), value, info, realm, mode);
  }

  /** The value of a key; undefined if there is none. */
  get(key) {
    const { realm, info, handle } = this[STATE];
    const found = raw.flx_dictionary_get(handle, key);
    if (!found.is_there) return undefined;
    return fromNative(found.value, realm, (type) => (type === Type.LIST
      ? new List(realm, info, raw.flx_dictionary_get_list(handle, key))
      : new Dictionary(realm, info, raw.flx_dictionary_get_dictionary(handle, key))));
  }

  /** Sets one entry, or those of an object: `set("key", 1)`, `set({key: 1})`. */
  set(key, value) {
    const entries = typeof key === "string" ? [[key, value]] : entriesOf(key, this[STATE].info);
    for (const [name, each] of entries) this._put(name, each);
    return this;
  }

  /** Removes the entries of one or several keys. */
  remove(keys) {
    for (const key of [keys].flat()) raw.flx_dictionary_erase(this[STATE].handle, toText(key, "a key"));
    return this;
  }

  clear() {
    raw.flx_dictionary_clear(this[STATE].handle);
  }

  keys() {
    return this._keys();
  }

  values() {
    return this._keys().map((key) => this.get(key));
  }

  entries() {
    return this._keys().map((key) => [key, this.get(key)]);
  }

  *[Symbol.iterator]() {
    yield* this.entries();
  }

  /** The objects that match a query; only of objects. */
  filtered(query, ...values) {
    return this._results().filtered(query, ...values);
  }

  sorted(...order) {
    return this._results().sorted(...order);
  }

  toJSON() {
    return Object.fromEntries(this.entries().map(([key, one]) => [key, one?.toJSON?.() ?? one]));
  }
}
